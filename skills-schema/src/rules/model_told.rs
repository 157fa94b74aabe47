//! `model-told`

use text_size::TextSize;

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Folder},
    fields::{FIELDS, Field},
    fixes::{Edit, Fix, OtherFile, line_start},
    reader::HidingFile,
    rules::{Fate, Look, Report, Rule},
    syntax::{Entry, SkillFile},
};

/// A skill that is to be kept from the model, and that some reader tells its model of all the same.
pub(super) const RULE: Rule = Rule {
    code: "model-told",
    summary: "a skill kept from the model that some reader lists anyway",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("model_told.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let disabled = file.entry("disable-model-invocation");
    let Some(entry) = disabled else {
        return;
    };
    let text_of = |by: &HidingFile| folder.texts.get(by.path).map(String::as_str);
    let is_shared = folder
        .plugin
        .as_ref()
        .is_some_and(|it| !it.manifest.contains("/.cursor-plugin/"));
    let tells = |dialect: &Dialect| {
        let by = dialect.reader().hiding_file.as_ref();
        let is_hidden = by.is_some_and(|by| text_of(by).is_some_and(|text| hides(text, by)));
        let loads = dialect.policy().unknown_field != Outcome::Drops;
        // Codex installs the plugins of Claude Code too.
        let installs = is_shared && dialect.reader().plugin_renames && facts.wanted.contains(dialect);
        let is_read = facts.is_read_by(*dialect) || installs;
        *dialect != Dialect::Unified && is_read && loads && !reads(*dialect) && !is_hidden
    };
    let telling: Vec<Dialect> = Dialect::ALL.into_iter().filter(tells).collect();
    // In a folder whose owner obeys, the author got what they asked for.
    let is_obeyed = facts.dialect != Dialect::Unified && reads(facts.dialect);
    if entry.value.as_bool() != Some(true) || telling.is_empty() || is_obeyed {
        return;
    }
    let finding = report.add(
        entry.key.range,
        "some readers of this folder offer the skill to the model anyway",
    );
    for reader in &telling {
        finding.affects(facts, *reader, Fate::Told, Some(reader.reader().hides_otherwise));
    }
    for reader in telling {
        let Some(by) = &reader.reader().hiding_file else {
            continue;
        };
        let text = text_of(by);
        let Some(edit) = hiding(text.unwrap_or_default(), by) else {
            continue;
        };
        let title = format!("Keep it from {}'s model in `{}`", reader.title(), by.path);
        finding.fix(Fix {
            file: Some(OtherFile {
                path: by.path.into(),
                text: text.map(Into::into),
            }),
            ..Fix::unsafe_(title, vec![edit])
        });
    }
}

fn reads(dialect: Dialect) -> bool {
    Field::find(FIELDS, "disable-model-invocation").is_some_and(|field| field.is_read_by(dialect))
}

/// Whether a file beside the skill keeps it from the model.
fn hides(text: &str, by: &HidingFile) -> bool {
    let file = SkillFile::parse_data(text.into());
    let [mapping, key] = by.keys;
    let value = file.entry(mapping).and_then(|mapping| mapping.value.get(key)?.as_str());
    file.errors().is_empty() && value == Some(by.value)
}

/// What makes it do so; `None` where it is written in a way that a person should look at.
fn hiding(text: &str, by: &HidingFile) -> Option<Edit> {
    let file = SkillFile::parse_data(text.into());
    let [mapping, key] = by.keys;
    if !file.errors().is_empty() {
        return None;
    }
    let line = format!("{key}: {}\n", by.value);
    let Some(inner) = file.entry(mapping) else {
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let added = format!("{end}{mapping}:\n  {line}");
        return Some(Edit::insert(TextSize::of(text), added));
    };
    let entries: &[Entry] = inner.value.entries();
    if let Some(known) = entries.iter().find(|entry| entry.key.value == key) {
        return Some(Edit::replace(known.value.range, by.value));
    }
    let first = entries.first()?;
    let start = line_start(text, first.range.start());
    let blanks = &text[usize::from(start)..usize::from(first.range.start())];
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
        let by = Dialect::ALL
            .into_iter()
            .find_map(|it| it.reader().hiding_file.as_ref())
            .unwrap();
        for (before, expected) in cases {
            let after = hiding(before, by).map(|edit| apply(before, &[edit]));
            assert_eq!(after.as_deref(), expected, "{before}");
            assert!(after.is_none_or(|after| hides(&after, by)), "{before}");
        }
    }
}
