//! `model-told`

use text_size::TextSize;

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    fixes::{Edit, Fix, OtherFile, line_start},
    manifest::OPENAI_YAML,
    rules::{Fate, Needs, Report, Rule, Severity},
    syntax::{Entry, SkillFile},
};

/// A skill that is to be kept from the model, and that some reader tells its model of all the same.
pub(super) const RULE: Rule = Rule {
    code: "model-told",
    summary: "a skill kept from the model that some reader lists anyway",
    outcome: |_| Outcome::Doubts,
    needs: Needs::Folder,
    kinds: &[FileKind::Skill],
    documentation: include_str!("model_told.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let disabled = file.entry("disable-model-invocation");
    let (Some(entry), Some(folder)) = (disabled, facts.around.folder) else {
        return;
    };
    let metadata = folder.texts.get(OPENAI_YAML).map(String::as_str);
    let tells = |dialect: &Dialect| {
        let is_hidden = *dialect == Dialect::Codex && metadata.is_some_and(hides);
        let loads = dialect.policy().unknown_field != Outcome::Drops;
        *dialect != Dialect::Unified && facts.is_read_by(*dialect) && loads && !reads(*dialect) && !is_hidden
    };
    let telling: Vec<Dialect> = Dialect::ALL.into_iter().filter(tells).collect();
    if entry.value.as_bool() != Some(true) || telling.is_empty() {
        return;
    }
    // Where the folder's owner obeys, only others are affected.
    let severity = match facts.dialect {
        Dialect::Unified => report.severity,
        owner if reads(owner) => Severity::Hint,
        _ => report.severity,
    };
    let finding = report.add_at(
        severity,
        entry.key.range,
        "some readers of this folder offer the skill to the model anyway",
    );
    for reader in &telling {
        finding.affects(facts, *reader, Fate::Told, Some(reader.reader().hides_otherwise));
    }
    if telling.contains(&Dialect::Codex)
        && let Some(edit) = hiding(metadata.unwrap_or_default())
    {
        finding.fix(Fix {
            file: Some(OtherFile {
                path: OPENAI_YAML,
                text: metadata.map(Into::into),
            }),
            ..Fix::unsafe_(format!("Keep it from Codex's model in `{OPENAI_YAML}`"), vec![edit])
        });
    }
}

fn reads(dialect: Dialect) -> bool {
    Field::find(FIELDS, "disable-model-invocation").is_some_and(|field| field.is_read_by(dialect))
}

const POLICY: &str = "policy";
const ALLOW: &str = "allow_implicit_invocation";

/// Whether Codex's file keeps the skill from the model.
fn hides(metadata: &str) -> bool {
    let file = SkillFile::parse_data(metadata.into());
    let allow = file.entry(POLICY).and_then(|policy| policy.value.get(ALLOW)?.as_str());
    file.errors().is_empty() && allow == Some("false")
}

/// What makes it do so; `None` where it is written in a way that a person should look at.
fn hiding(metadata: &str) -> Option<Edit> {
    let file = SkillFile::parse_data(metadata.into());
    if !file.errors().is_empty() {
        return None;
    }
    let line = format!("{ALLOW}: false\n");
    let Some(policy) = file.entry(POLICY) else {
        let end = if metadata.is_empty() || metadata.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let text = format!("{end}{POLICY}:\n  {line}");
        return Some(Edit::insert(TextSize::of(metadata), text));
    };
    let entries: &[Entry] = policy.value.entries();
    if let Some(allow) = entries.iter().find(|entry| entry.key.value == ALLOW) {
        return Some(Edit::replace(allow.value.range, "false"));
    }
    let first = entries.first()?;
    let start = line_start(metadata, first.range.start());
    let blanks = &metadata[usize::from(start)..usize::from(first.range.start())];
    let is_block = blanks.chars().all(|c| c == ' ') && !blanks.is_empty();
    is_block.then(|| Edit::insert(start, format!("{blanks}{line}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixes::apply;

    #[test]
    fn the_policy_is_written_into_what_is_there() {
        let cases = [
            ("", Some("policy:\n  allow_implicit_invocation: false\n")),
            (
                "interface:\n  display_name: A",
                Some("interface:\n  display_name: A\npolicy:\n  allow_implicit_invocation: false\n"),
            ),
            (
                "policy:\n    products: [x]\n",
                Some("policy:\n    allow_implicit_invocation: false\n    products: [x]\n"),
            ),
            (
                "policy:\n  allow_implicit_invocation: true # old\n",
                Some("policy:\n  allow_implicit_invocation: false # old\n"),
            ),
            (
                "policy: {allow_implicit_invocation: true}\n",
                Some("policy: {allow_implicit_invocation: false}\n"),
            ),
            ("policy: {products: []}\n", None),
            ("policy: [\n", None),
        ];
        for (before, expected) in cases {
            let after = hiding(before).map(|edit| apply(before, &[edit]));
            assert_eq!(after.as_deref(), expected, "{before}");
            assert!(after.is_none_or(|after| hides(&after)), "{before}");
        }
    }
}
