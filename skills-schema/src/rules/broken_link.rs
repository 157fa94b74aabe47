//! `broken-link`

use std::{cell::LazyCell, collections::HashMap};

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, Reference, ReferenceKind, anchors},
    fixes::{Edit, Fix},
    links::decoded,
    rules::{Finding, Look, Report, Rule, Severity, example::is_example, nearest},
    syntax::SkillFile,
};

/// A link to a file or a heading that is not there.
pub(super) const RULE: Rule = Rule {
    code: "broken-link",
    summary: "a link to a file or heading that does not exist",
    outcome: |_| Outcome::Recovers,
    documentation: include_str!("broken_link.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    // Without frontmatter it is no skill yet: a part of one, or of something else.
    if facts.kind == FileKind::Skill && file.frontmatter.is_none() {
        return;
    }
    let mut told: HashMap<&str, usize> = HashMap::new();
    let references = report.references(file);
    for reference in references.iter() {
        let severity = match reference.kind {
            // What lies outside may have stayed behind when the skill was copied.
            ReferenceKind::Link if reference.leads_out() => Severity::Hint,
            ReferenceKind::Link => Severity::Warning,
            ReferenceKind::Mention => Severity::Hint,
            ReferenceKind::Import | ReferenceKind::Entry => continue,
        };
        // The root of a site, or of a machine: nobody knows which.
        if reference.path.starts_with('/') || reference.path.is_empty() {
            continue;
        }
        let is_missing = matches!(folder.find(&reference.path), Found::Missing);
        if is_missing && folder.is_at_root(&reference.path) {
            continue;
        }
        // Most of the paths that a text only names, and that are not there, are another project's, an example's, or those
        // of files that are to be written: only a slip is told.
        if is_missing && reference.kind == ReferenceKind::Mention && folder.near(&reference.path).is_none() {
            continue;
        }
        let is_only_named = reference.kind == ReferenceKind::Mention
            && (is_example(file, reference.range) || is_of_working_folder(file.slice(reference.range)));
        if is_only_named {
            continue;
        }
        // One path, or one folder that is gone or was renamed, is one finding however often it is named.
        let cause = is_missing.then(|| cause(folder, &reference.path));
        if let Some(at) = cause.and_then(|cause| told.get(cause)) {
            let finding: &mut Finding = &mut report.findings[*at];
            finding.severity = finding.severity.min(severity);
            if finding.related.len() < SHOWN {
                finding.relate(reference.range, "here too");
            }
            continue;
        }
        let before = report.findings.len();
        check_path(file, folder, reference, severity, report);
        if let Some(cause) = cause.filter(|_| report.findings.len() > before) {
            told.insert(cause, before);
        }
    }
    check_own_headings(file, report);
}

/// How many other places are shown of one cause.
const SHOWN: usize = 10;

/// What is missing where a path leads nowhere: the outermost folder of it that is not there, unless a file like it is.
fn cause<'a>(folder: &Folder, path: &'a str) -> &'a str {
    if folder.near(path).is_some() {
        return path;
    }
    let parents = path.rmatch_indices('/').map(|(at, _)| &path[..at]);
    let gone = parents.take_while(|it| !is_only_up(it) && matches!(folder.find(it), Found::Missing));
    gone.last().unwrap_or(path)
}

/// Whether a path only leads up: `../..`.
fn is_only_up(path: &str) -> bool {
    path.split('/').all(|part| part == "..")
}

/// Whether a path is that of a file in the working folder: `./report.md`.
fn is_of_working_folder(path: &str) -> bool {
    path.strip_prefix("./").is_some_and(|name| !name.contains('/'))
}

/// Reports links to headings of the file itself that it has not.
fn check_own_headings(file: &SkillFile, report: &mut Report) {
    let known = LazyCell::new(|| anchors(file));
    let mut of_hyphens = None;
    for destination in file.markdown().destinations() {
        let Some(fragment) = destination.text.strip_prefix('#') else {
            continue;
        };
        let anchor = decoded(fragment).to_lowercase();
        // Readers of Markdown take these two for the top of the page.
        if anchor.is_empty() || anchor == "top" || known.contains(&anchor) {
            continue;
        }
        let near = nearest(&anchor, known.iter().map(String::as_str));
        let way_out = match near {
            Some(near) => format!("did you mean `#{near}`?"),
            None => "add it or remove the link".to_owned(),
        };
        let range = destination.range;
        let edit = near.filter(|_| file.slice(range) == destination.text);
        let edit = edit.map(|near| Edit::replace(range, format!("#{near}")));
        // A tool that writes hyphens otherwise does so throughout.
        let is_hyphens = near.is_some_and(|near| {
            near.split('-')
                .filter(|it| !it.is_empty())
                .eq(anchor.split('-').filter(|it| !it.is_empty()))
        });
        if let (true, Some(at), Some(edit)) = (is_hyphens, of_hyphens, &edit) {
            let finding: &mut Finding = &mut report.findings[at];
            finding.relate(range, "here too");
            for fix in &mut finding.fixes {
                fix.title = "Link to the headings".to_owned();
                fix.edits.push(edit.clone());
            }
            continue;
        }
        let before = report.findings.len();
        let finding = report.add(range, format!("no heading `#{fragment}`; {way_out}"));
        if let (Some(edit), Some(near)) = (edit, near) {
            finding.fix(Fix::unsafe_(format!("Link to `#{near}`"), vec![edit]));
            of_hyphens = of_hyphens.or(Some(before).filter(|_| is_hyphens && report.findings.len() > before));
        }
    }
}

/// Reports a path that leads nowhere; shared by all that names files.
pub(super) fn check_path(
    file: &SkillFile,
    folder: &Folder,
    reference: &Reference,
    severity: Severity,
    report: &mut Report,
) {
    let path = &reference.path;
    let range = reference.path_range(file);
    let place = range.unwrap_or(reference.range);
    let replace = |other: &str| Some(vec![Edit::replace(range?, encoded(other))]);
    match folder.find(path) {
        Found::Here(entry) => {
            let anchor = reference.fragment.to_lowercase();
            // Nobody has written an empty file yet.
            let is_asked = !anchor.is_empty() && entry.bytes > 0;
            let Some(outline) = entry.outline.as_ref().filter(|_| is_asked) else {
                return;
            };
            if outline.anchors.contains(&anchor) {
                return;
            }
            let near = nearest(&anchor, outline.anchors.iter().map(String::as_str));
            let way_out = match near {
                Some(near) => format!("did you mean `#{near}`?"),
                None => "add the heading or link to the file".to_owned(),
            };
            let fragment = fragment_range(file, reference);
            let message = format!("`{path}` has no heading `#{}`; {way_out}", reference.fragment);
            let finding = report.add_at(severity, fragment.unwrap_or(reference.range), message);
            if let (Some(near), Some(range)) = (near, fragment) {
                let edits = vec![Edit::replace(range, format!("#{near}"))];
                finding.fix(Fix::unsafe_(format!("Link to `#{near}`"), edits));
            }
        }
        Found::OtherCase(other) => {
            let message = format!("the file is `{other}`; letter case matters on most systems");
            let finding = report.add_at(severity, place, message);
            if let Some(edits) = replace(other) {
                finding.fix(Fix::safe(format!("Write `{other}`"), edits));
            }
        }
        Found::Missing => {
            let near = folder.near(path);
            let way_out = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "add it or remove this path".to_owned(),
            };
            let finding = report.add_at(severity, place, format!("`{path}` does not exist; {way_out}"));
            if let Some((near, edits)) = near.and_then(|near| Some((near, replace(near)?))) {
                finding.fix(Fix::unsafe_(format!("Write `{near}`"), edits));
            }
        }
        Found::Unknown => {}
    }
}

/// Where `#…` stands.
fn fragment_range(file: &SkillFile, reference: &Reference) -> Option<TextRange> {
    let path = reference.path_range(file)?;
    let rest = TextRange::new(path.end(), reference.range.end());
    file.slice(rest).starts_with('#').then_some(rest)
}

/// A space would end the destination of a link.
fn encoded(path: &str) -> String {
    path.replace(' ', "%20")
}
