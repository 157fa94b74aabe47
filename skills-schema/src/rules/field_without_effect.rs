//! `field-without-effect`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    fixes::{Edit, Fix},
    rules::{Fate, Report, Rule, Tag, field, indentation, where_read},
    syntax::SkillFile,
};

/// A field that the reader passes over where it stands.
pub(super) const RULE: Rule = Rule {
    code: "field-without-effect",
    summary: "a field that has no effect here",
    outcome,
    documentation: include_str!("field_without_effect.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    if FIELDS_WITHOUT
        .iter()
        .any(|it| where_read(reader, it.field, Outcome::Recovers) != Outcome::Fine)
    {
        Outcome::Recovers
    } else {
        Outcome::Fine
    }
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for row in FIELDS_WITHOUT {
        let reads = |reader: Dialect| match reader {
            Dialect::Unified => row.ours,
            dialect if dialect == row.reader => Outcome::Recovers,
            _ => Outcome::Fine,
        };
        let (Some(entry), Some(severity)) = (field(file, facts, row.field), facts.severity(reads)) else {
            continue;
        };
        if (row.holds)(file, facts) {
            let message = format!("`{}` has no effect here: {}", row.field, row.why);
            let finding = report.add_at(severity, entry.key.range, message);
            finding.affects(facts, row.reader, Fate::Ignored, None);
            finding.tags.push(Tag::Unnecessary);
            if let (Some((title, line)), Some(blanks)) = (row.fix, indentation(&file.text, entry)) {
                let edit = Edit::insert(entry.range.start(), format!("{line}\n{blanks}"));
                finding.fix(Fix::unsafe_(title, vec![edit]));
            }
        }
    }
    let Some(severity) = facts.severity(|reader| where_read(reader, "metadata", Outcome::Doubts)) else {
        return;
    };
    for entry in field(file, facts, "metadata").map_or(&[][..], |entry| entry.value.entries()) {
        let name = entry.key.value.as_str();
        let is_field = Field::find(FIELDS, name).is_some_and(|it| it.is_read_by(facts.dialect));
        // goose reads two of them here.
        let here = Field::at_path(["metadata", name]).map_or(&[][..], |it| it.readers);
        let is_read = here
            .iter()
            .any(|(reader, _)| facts.is_read_by(*reader) || facts.dialect == Dialect::Unified);
        if is_field && !is_read && BEHAVIOUR.contains(&name) && file.entry(name).is_none() {
            let message = format!("no reader looks for `{name}` under `metadata`; move it to the top level");
            report
                .add_at(severity, entry.key.range, message)
                .tags
                .push(Tag::Unnecessary);
        }
    }
}

/// A field that has no effect under a condition.
struct Row {
    field: &'static str,
    /// Who passes over it.
    reader: Dialect,
    /// What our own reading makes of it.
    ours: Outcome,
    holds: fn(&SkillFile, &Facts<'_>) -> bool,
    why: &'static str,
    /// The title of a repair, and the field that it puts before this one.
    fix: Option<(&'static str, &'static str)>,
}

const FORK: Option<(&str, &str)> = Some(("Run the skill in a fork", "context: fork"));

const FIELDS_WITHOUT: &[Row] = &[
    Row {
        field: "agent",
        reader: Dialect::Claude,
        ours: Outcome::Recovers,
        holds: |file, _| !is_forked(file),
        why: "it needs `context: fork`",
        fix: FORK,
    },
    Row {
        field: "background",
        reader: Dialect::Claude,
        ours: Outcome::Recovers,
        holds: |file, _| !is_forked(file),
        why: "it needs `context: fork`",
        fix: FORK,
    },
    Row {
        field: "name",
        reader: Dialect::Claude,
        ours: Outcome::Recovers,
        holds: |_, facts| facts.kind == FileKind::Command,
        why: "a command is named after its file",
        fix: None,
    },
    Row {
        field: "paths",
        reader: Dialect::Claude,
        ours: Outcome::Recovers,
        holds: |_, facts| facts.kind == FileKind::Command,
        why: "commands are always available",
        fix: None,
    },
    Row {
        field: "triggers",
        reader: Dialect::OpenHands,
        ours: Outcome::Tolerates,
        holds: |file, _| file.entry("paths").is_some_and(|it| !it.value.is_null()),
        why: "`paths` takes precedence",
        fix: None,
    },
    Row {
        field: "inputs",
        reader: Dialect::OpenHands,
        ours: Outcome::Tolerates,
        holds: |file, _| file.entry("paths").is_some_and(|it| !it.value.is_null()),
        why: "`paths` takes precedence",
        fix: None,
    },
    Row {
        field: "mcp_tools",
        reader: Dialect::OpenHands,
        ours: Outcome::Recovers,
        holds: |_, facts| facts.kind == FileKind::Skill,
        why: "move it to `.mcp.json` beside the file",
        fix: None,
    },
];

/// Fields that make a reader do something, so that somebody misses it.
const BEHAVIOUR: &[&str] = &[
    "paths",
    "allowed-tools",
    "disallowed-tools",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "context",
    "model",
    "effort",
    "hooks",
    "when_to_use",
    "triggers",
    "inputs",
    "danger_patterns",
    "confirm_patterns",
];

fn is_forked(file: &SkillFile) -> bool {
    file.entry("context").is_some_and(|it| !it.value.is_null())
}
