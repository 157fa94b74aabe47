//! `hidden-characters`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    hidden::{Kind, Run, name, runs, spelled},
    rules::{MAX_FINDINGS, Report, Rule, example::is_in_other_block},
    syntax::SkillFile,
};

/// Characters that a model reads and a person does not see.
pub(super) const RULE: Rule = Rule {
    code: "hidden-characters",
    summary: "invisible characters that the model reads and people don't see",
    outcome: |_| Outcome::Recovers,
    kinds: FileKind::TEXTS,
    documentation: include_str!("hidden_characters.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    for places in groups(file) {
        if report.is_full() {
            return;
        }
        let (first, others) = (&places[0], &places[1..]);
        let hidden: String = places.iter().map(|run| file.slice(run.range)).collect();
        let finding = report.add(first.range, message(&hidden, first.kind));
        for other in others.iter().take(SHOWN) {
            finding.relate(other.range, "here too");
        }
        let edits = places.iter().map(|run| Edit::delete(run.range)).collect();
        // What some readers repair in broken frontmatter depends on every character.
        let in_body = |run: &Run| file.body.range.contains_range(run.range);
        let is_broken = !file.errors().is_empty() && !places.iter().all(in_body);
        // Text in another direction is shown in another order without them. What a terminal was told stays behind as text.
        let is_safe = !is_broken && matches!(first.kind, Kind::Blank | Kind::Tag);
        finding.fix(Fix {
            safe: is_safe,
            ..Fix::unsafe_("Remove invisible characters", edits)
        });
    }
}

/// The places that are told: what spells a text or turns one around each by itself, the rest of a kind as one.
fn groups(file: &SkillFile) -> Vec<Vec<Run>> {
    let mut groups: Vec<Vec<Run>> = Vec::new();
    let mut places = 0;
    for run in runs(&file.text) {
        // YAML says so itself.
        let is_told = || file.errors().iter().any(|error| error.range.contains_range(run.range));
        if run.kind == Kind::Control && is_told() {
            continue;
        }
        // Copied with the text of something else, and nothing runs it.
        if run.kind == Kind::Blank && is_in_other_block(file, run.range) {
            continue;
        }
        // Put there so that a fence may be shown inside of another.
        let rest = &file.text[usize::from(run.range.end())..];
        if run.kind == Kind::Blank && (rest.starts_with("```") || rest.starts_with("~~~")) {
            continue;
        }
        let is_grouped = matches!(run.kind, Kind::Blank | Kind::Control);
        match groups.iter_mut().find(|group| is_grouped && group[0].kind == run.kind) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
        // Nobody looks at more, and there may be a million.
        places += usize::from(is_grouped);
        if places > MAX_FINDINGS || groups.len() > MAX_FINDINGS + 1 {
            break;
        }
    }
    groups
}

/// How many other places are shown beside the first.
const SHOWN: usize = 10;

fn message(hidden_text: &str, kind: Kind) -> String {
    let count = hidden_text.chars().count();
    let first = hidden_text.chars().next().unwrap_or_default();
    let name = name(first);
    let what = match count {
        1 => format!("invisible character ({name}, U+{:04X})", u32::from(first)),
        _ => format!(
            "{count} invisible characters (first: {name}, U+{:04X})",
            u32::from(first)
        ),
    };
    let (them, s) = if count == 1 { ("it", "s") } else { ("them", "") };
    match kind {
        Kind::Blank => format!("{what}; remove {them}"),
        Kind::Direction => format!("{what} reorder{s} the text on screen"),
        Kind::Control => format!("{what} control{s} the terminal"),
        Kind::Tag => format!("{what} spell{s} `{}`", spelled(hidden_text)),
    }
}
