//! `unused-suppression`, and the comments that it is about: `# skills-ls: allow CODE, CODE reason`.

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Finding, Pass, RULES, Report, Rule, Severity, Tag, UnknownRule, find},
    syntax::{Entry, SkillFile},
};

/// A comment that allows what is not found.
pub(super) const RULE: Rule = Rule {
    code: "unused-suppression",
    summary: "an `allow` comment that allows nothing",
    outcome: |_| Outcome::Tolerates,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("unused_suppression.md"),
    check,
    ..Rule::DEFAULT
};

/// What the other rules found decides: [`apply`] reports.
fn check(_: &SkillFile, _: &Facts<'_>, _: &mut Report) {}

/// What comments start with, behind their `#`.
const MARK: &str = "skills-ls:";

/// A code that a comment allows.
struct Allowed<'a> {
    code: &'a str,
    range: TextRange,
    /// The lines in which it is allowed; `None` for the whole file.
    scope: Option<TextRange>,
    /// What goes if the code is taken out.
    removal: TextRange,
}

/// Takes out what comments allow; gives what is to be said of the comments themselves, as far as this pass can know.
pub(super) fn apply(file: &SkillFile, facts: &Facts<'_>, pass: Pass, findings: &mut Vec<Finding>) -> Vec<Finding> {
    let allowed = allowed(file);
    if allowed.is_empty() {
        return Vec::new();
    }
    let covers = |it: &Allowed<'_>, finding: &Finding| {
        it.code == finding.code && it.scope.is_none_or(|scope| scope.contains_range(finding.range))
    };
    let is_used: Vec<bool> = allowed
        .iter()
        .map(|it| findings.iter().any(|finding| covers(it, finding)))
        .collect();
    findings.retain(|finding| !allowed.iter().any(|it| covers(it, finding)));
    if !RULE.is_on(facts) {
        return Vec::new();
    }
    let mut report = Report::of(RULE.code, Severity::Hint);
    for (it, _) in allowed.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
        let (message, near) = match find(it.code) {
            Some(rule) if pass.runs(rule, facts) => (format!("unused `allow`: no `{}` here", it.code), None),
            Some(_) => continue,
            None if it.code.is_empty() && pass == Pass::Text => ("name the rules after `allow`".to_owned(), None),
            None if pass == Pass::Text => {
                let near = super::nearest(it.code, RULES.iter().map(|rule| rule.code));
                (UnknownRule(it.code.to_string()).to_string(), near)
            }
            None => continue,
        };
        let finding = report.add(it.range, message);
        match near {
            Some(near) => {
                finding.fix(Fix::unsafe_(
                    format!("Write `{near}`"),
                    vec![Edit::replace(it.range, near)],
                ));
            }
            None => finding.tags.push(Tag::Unnecessary),
        }
        let title = match it.code {
            "" => "Remove the comment".to_owned(),
            code => format!("Don't allow `{code}`"),
        };
        finding.fix(Fix::safe(title, vec![Edit::delete(it.removal)]));
    }
    report.findings
}

/// An edit that allows a code where something was found: at the end of the entry's line or above it, else at the top of
/// the frontmatter for the whole file. `None` where there is no frontmatter to write it in.
pub fn allow(file: &SkillFile, finding: &Finding) -> Option<Fix> {
    let frontmatter = file
        .frontmatter
        .as_ref()
        .filter(|frontmatter| frontmatter.close.is_some())?;
    let code = finding.code;
    find(code)?;
    let entry = file
        .entries()
        .iter()
        .find(|entry| lines_of(file, entry).contains_range(finding.range));
    let title = match entry {
        Some(entry) => format!("Allow `{code}` in `{}`", entry.key.value),
        None => format!("Allow `{code}` in this file"),
    };
    let comment = format!("# {MARK} allow {code}");
    let edit = match entry {
        Some(entry) if is_one_line(file, entry) => {
            let end = lines_of(file, entry).end();
            let line = file.slice(TextRange::new(entry.range.start(), end));
            let trimmed = TextSize::of(line.trim_end());
            Edit::insert(entry.range.start() + trimmed, format!(" {comment}"))
        }
        Some(entry) => Edit::insert(entry.range.start(), format!("{comment}{}", line_end(&file.text))),
        None => Edit::insert(
            frontmatter.content.start(),
            format!("{comment}{}", line_end(&file.text)),
        ),
    };
    Some(Fix::unsafe_(title, vec![edit]))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Whether a comment may stand behind the value: not inside a text of several lines, nor behind a broken one.
fn is_one_line(file: &SkillFile, entry: &Entry) -> bool {
    let line = file.slice(lines_of(file, entry));
    let is_broken = file
        .errors()
        .iter()
        .any(|error| entry.range.intersect(error.range).is_some());
    !line.trim_end().contains('\n') && !line.contains(" #") && !is_broken && entry.value.as_scalar().is_some()
}

/// The lines of an entry, without the last line end.
fn lines_of(file: &SkillFile, entry: &Entry) -> TextRange {
    let end = usize::from(entry.range.end());
    let rest = &file.text[end..];
    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    TextRange::new(entry.range.start(), entry.range.end() + size(length))
}

/// What the comments of the frontmatter allow. A comment on the frontmatter's first lines is for the file, one above an
/// entry or behind it for that entry.
fn allowed(file: &SkillFile) -> Vec<Allowed<'_>> {
    let Some(frontmatter) = &file.frontmatter else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for comment in frontmatter.comments.iter().chain(&in_broken_lines(file)) {
        let text = file.slice(*comment);
        let Some(rest) = text.trim_start_matches('#').trim_start().strip_prefix(MARK) else {
            continue;
        };
        let Some(rest) = rest
            .trim_start()
            .strip_prefix("allow")
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        else {
            continue;
        };
        let scope = scope(file, *comment, frontmatter.content.start());
        let codes = codes(rest);
        let base = comment.end() - TextSize::of(rest);
        let whole = whole_comment(file, *comment);
        if codes.is_empty() {
            found.push(Allowed {
                code: "",
                range: *comment,
                scope,
                removal: whole,
            });
        }
        for (index, (at, code)) in codes.iter().enumerate() {
            let range = TextRange::at(base + size(*at), TextSize::of(*code));
            let removal = match (codes.len(), codes.get(index + 1)) {
                (1, _) => whole,
                (_, Some((next, _))) => TextRange::new(range.start(), base + size(*next)),
                (_, None) => {
                    let (last, text) = codes[index - 1];
                    TextRange::new(base + size(last + text.len()), range.end())
                }
            };
            found.push(Allowed {
                code,
                range,
                scope,
                removal,
            });
        }
    }
    found
}

/// Our comments at the end of lines that are no YAML, where nothing is a comment for sure.
fn in_broken_lines(file: &SkillFile) -> Vec<TextRange> {
    let mut found = Vec::new();
    for error in file.errors() {
        let start = usize::from(error.range.start());
        let line = file.text[start..].split(['\n', '\r']).next().unwrap_or_default();
        let Some(at) = line.rfind(&format!(" # {MARK}")) else {
            continue;
        };
        let comment = TextRange::at(size(start + at + 1), TextSize::of(&line[at + 1..]));
        let is_known = file
            .frontmatter
            .as_ref()
            .is_some_and(|it| it.comments.contains(&comment));
        if !is_known && !found.contains(&comment) {
            found.push(comment);
        }
    }
    found
}

/// The codes and where they start: the first word of each part between commas.
fn codes(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split(',') {
        let start = at + (part.len() - part.trim_start().len());
        let code = part.split_whitespace().next();
        found.extend(code.map(|code| (start, code)));
        at += part.len() + 1;
        // What follows the last code is the reason, commas included.
        if part.split_whitespace().nth(1).is_some() {
            break;
        }
    }
    found
}

/// Where a comment counts; `None` for the whole file.
fn scope(file: &SkillFile, comment: TextRange, content: TextSize) -> Option<TextRange> {
    let before = &file.text[usize::from(content).min(usize::from(comment.start()))..usize::from(comment.start())];
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let is_alone = line.trim().is_empty();
    let mut entries = file.entries().iter();
    if !is_alone {
        return entries
            .find(|entry| lines_of(file, entry).contains_range(comment))
            .map(|entry| lines_of(file, entry));
    }
    let is_at_the_top = before
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if is_at_the_top {
        return None;
    }
    let inside = file.entries().iter().find(|entry| entry.range.contains_range(comment));
    let next = inside.or_else(|| entries.find(|entry| entry.range.start() > comment.end()));
    Some(next.map_or(comment, |entry| lines_of(file, entry)))
}

/// The comment with the spaces before it; with its line end where it has a line of its own.
fn whole_comment(file: &SkillFile, comment: TextRange) -> TextRange {
    let before = &file.text[..usize::from(comment.start())];
    let kept = before.trim_end_matches([' ', '\t']);
    let rest = &file.text[usize::from(comment.end())..];
    let is_alone = kept.is_empty() || kept.ends_with(['\n', '\r']);
    let end = match rest {
        _ if !is_alone => 0,
        rest if rest.starts_with("\r\n") => 2,
        rest if rest.starts_with(['\n', '\r']) => 1,
        _ => 0,
    };
    TextRange::new(TextSize::of(kept), comment.end() + size(end))
}

/// Texts are shorter than 4 GiB.
fn size(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or_default()
}
