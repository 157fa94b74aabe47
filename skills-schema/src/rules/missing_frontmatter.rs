//! `missing-frontmatter`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule},
    syntax::{SkillFile, first_line, key_length, lines},
};

/// A skill file without frontmatter, or with something before it.
pub(super) struct MissingFrontmatter;

impl Rule for MissingFrontmatter {
    fn code(&self) -> &'static str {
        "missing-frontmatter"
    }

    fn summary(&self) -> &'static str {
        "a skill must start with frontmatter: `---`, its fields, `---`"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.no_frontmatter
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        if facts.kind != FileKind::Skill {
            return;
        }
        match &file.frontmatter {
            None => self.missing(file, facts, report),
            Some(frontmatter) => {
                let Some(leading) = frontmatter.leading else { return };
                let Some(severity) = facts.severity(|policy| policy.leading_blank_line) else {
                    return;
                };
                let message = "the frontmatter must start on the first line; take the blank lines away";
                report.add(severity, frontmatter.open, message).fix(Fix::safe(
                    "Remove the blank lines before the frontmatter",
                    vec![Edit::delete(leading)],
                ));
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("missing_frontmatter.md")
    }
}

impl MissingFrontmatter {
    fn missing(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let text = &*file.text;
        let range = first_line(text);
        if let Some((opening, title, edit)) = almost(text, range) {
            report
                .add(
                    severity,
                    opening,
                    "the frontmatter must start with a line of three dashes: `---`",
                )
                .fix(edit_fix(title, edit));
            return;
        }
        let message = "no frontmatter: start the file with `---`, `name:`, `description:` and `---`";
        let finding = report.add(severity, range, message);
        finding.fix(Fix::unsafe_(
            "Add frontmatter",
            vec![Edit::insert(file.body.range.start(), template(file, facts))],
        ));
        if let Some(late) = late_frontmatter(text, file.body.range) {
            finding.relate(late, "this looks like frontmatter, but stands too late");
            finding.fixes.clear();
            let block = format!("{}\n\n", &text[late]);
            let edits = vec![Edit::insert(file.body.range.start(), block), Edit::delete(late)];
            finding.fix(Fix::unsafe_("Move the frontmatter to the top", edits));
        }
    }
}

fn edit_fix(title: &str, edit: Edit) -> Fix {
    Fix::unsafe_(title, vec![edit])
}

/// Frontmatter whose first line is wrong: more dashes than three, or none before the fields.
fn almost(text: &str, first: TextRange) -> Option<(TextRange, &'static str, Edit)> {
    let line = &text[first];
    let rest = TextRange::new(first.end(), TextSize::of(text));
    let closes = || {
        lines(text, rest)
            .take(MAX_LINES)
            .any(|line| line.text(text).trim_end() == "---")
    };
    if line.len() > 3 && line.trim_end().bytes().all(|byte| byte == b'-') && closes() {
        return Some((first, "Open the frontmatter with `---`", Edit::replace(first, "---")));
    }
    let key = &line[..key_length(line)?];
    let is_field = ["name", "description"]
        .iter()
        .any(|field| key.eq_ignore_ascii_case(field));
    let no_prose = || {
        lines(text, rest)
            .take(MAX_LINES)
            .take_while(|line| line.text(text).trim_end() != "---")
            .all(|line| !line.is_blank(text) && !line.text(text).starts_with('#'))
    };
    (is_field && closes() && no_prose()).then(|| {
        (
            first,
            "Open the frontmatter with `---`",
            Edit::insert(first.start(), "---\n"),
        )
    })
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
        let words: Vec<&str> = file.slice(range).split_whitespace().collect();
        words.join(" ").chars().take(200).collect()
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
