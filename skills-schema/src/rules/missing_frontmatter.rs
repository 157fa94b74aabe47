//! `missing-frontmatter`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Dialect,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, scalar},
    links::stored_link,
    rules::{Report, Rule, Severity},
    shown::one_line,
    syntax::{Line, SkillFile, end_of_unclosed, first_line, key_length, lines},
};

/// A skill file without frontmatter, or with something before it.
pub(super) const RULE: Rule = Rule {
    code: "missing-frontmatter",
    summary: "no frontmatter between `---` lines",
    outcome: |reader| reader.policy().no_frontmatter.max(reader.policy().leading_blank_line),
    documentation: include_str!("missing_frontmatter.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.kind != FileKind::Skill || is_no_skill(file, facts) {
        return;
    }
    match &file.frontmatter {
        None => {
            if let Some(severity) = facts.severity(|reader| reader.policy().no_frontmatter) {
                missing(file, facts, severity, report);
            }
        }
        Some(frontmatter) => {
            let Some(leading) = frontmatter.leading else { return };
            let Some(severity) = facts.severity(|reader| reader.policy().leading_blank_line) else {
                return;
            };
            let message = "the frontmatter must start on line 1; remove the blank lines";
            report.add_at(severity, frontmatter.open, message).fix(Fix::safe(
                "Remove the blank lines before the frontmatter",
                vec![Edit::delete(leading)],
            ));
        }
    }
}

fn missing(file: &SkillFile, facts: &Facts<'_>, severity: Severity, report: &mut Report) {
    let text = &*file.text;
    let range = first_line(text);
    if let Some((message, title, edits)) = almost(text, range) {
        report.add_at(severity, range, message).fix(Fix::unsafe_(title, edits));
        return;
    }
    if let Some(target) = stored_link(text) {
        let message = format!("symlink stored as text; restore it, or copy `{target}`");
        report.add_at(severity, range, message);
        return;
    }
    let late = late_frontmatter(text, file.body.range);
    let message = "no frontmatter; start with `---`, `name:`, `description:` and `---`";
    let finding = report.add_at(severity, range, message);
    finding.fix(Fix::unsafe_(
        "Add frontmatter",
        vec![Edit::insert(file.body.range.start(), template(file, facts))],
    ));
    if let Some(late) = late {
        finding.relate(late, "this looks like frontmatter, but comes too late");
        finding.fixes.clear();
        let block = format!("{}\n\n", &text[late]);
        let edits = vec![Edit::insert(file.body.range.start(), block), Edit::delete(late)];
        finding.fix(Fix::unsafe_("Move the frontmatter to the top", edits));
    }
}

/// Whether a file outside of every reader's folder is no skill in spite of its name: a part that a build puts into skills,
/// by the mark of a block that it begins with, `<!-- … start -->`, or the index of the skills below.
pub(super) fn is_no_skill(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let text = &*file.text;
    let first = first_line(text);
    if file.frontmatter.is_some() || facts.dialect != Dialect::Unified || !facts.readers.is_empty() {
        return false;
    }
    let line = text[first].trim();
    let mark = line.strip_prefix("<!--").and_then(|it| it.strip_suffix("-->"));
    let is_part = mark.is_some_and(|it| it.trim_end().ends_with("start"));
    let title = line.strip_prefix("# ").map(str::to_lowercase).unwrap_or_default();
    let is_index = title
        .split(' ')
        .any(|word| matches!(word, "index" | "catalog" | "catalogue"));
    (is_part || is_index) && late_frontmatter(text, file.body.range).is_none()
}

/// Frontmatter whose first line is wrong: in a code fence, with more dashes than three, or with none.
fn almost(text: &str, first: TextRange) -> Option<(&'static str, &'static str, Vec<Edit>)> {
    let line = text[first].trim_end();
    let all = || lines(text, TextRange::new(first.start(), TextSize::of(text)));
    let below = || all().skip(1);
    let is_delimiter = |line: &Line| line.text(text).trim_end() == "---";
    let closing = below().take(MAX_LINES).find(is_delimiter);
    let open = "the frontmatter must start with a `---` line";
    if line.starts_with("```") && below().next().as_ref().is_some_and(is_delimiter) {
        let mut edits = vec![Edit::delete(all().next()?.full)];
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        let is_fence = |line: &Line| line.text(text).trim_end() == fence;
        let last = below().filter(|line| !line.is_blank(text)).last();
        // Only the fields may be in it.
        let behind = below().skip(1).skip_while(|line| !is_delimiter(line)).nth(1);
        let close = last.filter(is_fence).or(behind.filter(is_fence));
        edits.extend(close.map(|line| Edit::delete(line.full)));
        return Some(("the skill is wrapped in a code fence", "Remove the code fence", edits));
    }
    if line.len() > 3 && line.bytes().all(|byte| byte == b'-') && closing.is_some() {
        return Some((
            open,
            "Open the frontmatter with `---`",
            vec![Edit::replace(first, "---")],
        ));
    }
    let key = &line[..key_length(line)?];
    if !["name", "description"]
        .iter()
        .any(|field| key.eq_ignore_ascii_case(field))
    {
        return None;
    }
    let mut edits = vec![Edit::insert(first.start(), "---\n")];
    let end = end_of_unclosed(text, TextRange::new(first.start(), TextSize::of(text)));
    // The closing line may be there: then it ends the block that the fields are.
    if closing.is_none_or(|line| line.range.start() > end) {
        let is_whole = text[..usize::from(end)].ends_with(['\n', '\r']);
        edits.push(Edit::insert(end, if is_whole { "---\n" } else { "\n---\n" }));
    }
    Some((open, "Put the fields between `---` lines", edits))
}

/// A `---` block with a name or a description further down.
fn late_frontmatter(text: &str, body: TextRange) -> Option<TextRange> {
    let mut open: Option<(TextSize, bool)> = None;
    for line in lines(text, body).take(MAX_LINES) {
        let content = line.text(text).trim_end();
        match open {
            Some((start, true)) if content == "---" => return Some(TextRange::new(start, line.full.end())),
            _ if content == "---" => open = Some((line.range.start(), false)),
            Some((start, has_field)) => {
                let is_field = content.starts_with("name: ") || content.starts_with("description: ");
                let is_yaml = content.starts_with([' ', '-', '#']) || key_length(content).is_some();
                open = is_yaml.then_some((start, has_field || is_field));
            }
            None => {}
        }
    }
    None
}

/// Frontmatter is looked for in so many lines.
const MAX_LINES: usize = 60;

/// Frontmatter for a body: the folder's name, and what readers would show in place of a description.
fn template(file: &SkillFile, facts: &Facts<'_>) -> String {
    let name = facts.folder.unwrap_or("my-skill");
    let paragraph = file.body.first_paragraph(&file.text).map_or(String::new(), |range| {
        one_line(file.slice(range)).chars().take(200).collect()
    });
    let description = if paragraph.is_empty() {
        "What it does. Use when …"
    } else {
        &paragraph
    };
    let blank = if file.text.is_empty() { "" } else { "\n" };
    format!(
        "---\nname: {}\ndescription: {}\n---\n{blank}",
        scalar(name),
        scalar(description)
    )
}
