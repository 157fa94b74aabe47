//! `skills/readers`: what each system makes of an open skill.

use std::fmt::Write as _;

use skills_schema::verdict::{self, Verdict};

use super::current;
use crate::protocol::{ReaderVerdict, ReadersAnswer, ReadersQuery};
use crate::refusal::Refusal;
use crate::state::Snapshot;

/// What the systems make of a skill; the error says what is missing.
pub fn readers(snapshot: &Snapshot, query: &ReadersQuery) -> Result<ReadersAnswer, Refusal> {
    all_readers(snapshot).ok_or_else(|| Refusal::NoSkill(query.uri.as_str().to_owned()))
}

fn all_readers(snapshot: &Snapshot) -> Option<ReadersAnswer> {
    let (document, analysis) = current(snapshot)?;
    let facts = analysis.facts();
    let verdicts = verdict::verdicts(&analysis.file, &facts);
    let range = |verdict: &Verdict| {
        let range = verdict.range?;
        Some(
            snapshot
                .client
                .encoding
                .range(&document.rope, usize::from(range.start())..usize::from(range.end())),
        )
    };
    Some(ReadersAnswer {
        name: facts.folder.unwrap_or("this skill").to_owned(),
        summary: verdict::summary(&verdicts, &facts),
        readers: verdicts
            .iter()
            .map(|verdict| ReaderVerdict {
                reader: verdict.dialect.name().to_owned(),
                title: verdict.dialect.title().to_owned(),
                recorded: verdict.dialect.reader().recorded.to_owned(),
                reads_place: facts.is_read_by(verdict.dialect),
                outcome: verdict.outcome().to_owned(),
                loads: verdict.loads,
                listed: verdict.listed,
                name: verdict.name.clone(),
                description: verdict.description.clone(),
                command: verdict.command(),
                reason: verdict.reason.clone(),
                range: range(verdict),
                listing: verdict.listing(facts.path),
            })
            .collect(),
        markdown: markdown(snapshot)?,
    })
}

/// Who loads an open skill, and which open files activate it, as a document; `None` for what is no skill.
pub fn markdown(snapshot: &Snapshot) -> Option<String> {
    let (document, analysis) = current(snapshot)?;
    let mut markdown = verdict::view(&analysis.file, &analysis.facts());
    let mut files: Vec<String> = snapshot
        .activating(document)
        .into_iter()
        .map(|why| {
            let (file, pattern) = (why.matched.as_deref(), why.pattern.as_deref());
            format!("- `{}`, by `{}`", file.unwrap_or_default(), pattern.unwrap_or_default())
        })
        .collect();
    files.sort();
    if !files.is_empty() {
        // Writing to a String can't fail.
        let _ = write!(markdown, "\n## Open files that activate it\n\n{}\n", files.join("\n"));
    }
    Some(markdown)
}
