//! The place at the end of a transcript where a person writes to the agent.

use skills_schema::completion::Completion;
use skills_schema::{TextRange, TextSize};
use tower_lsp::ls_types::{CompletionItem, Position};

use crate::state::Snapshot;
use crate::state::skills::runnable;
use crate::turns::transcript;
use crate::{from_proto, to_proto};

/// What is written there; `None` where nothing is, and in any other document.
pub fn written(snapshot: &Snapshot) -> Option<&str> {
    let document = snapshot.document.as_ref()?;
    let path = document.path.as_deref()?;
    let is_transcript = path.file_stem()?.to_str() == snapshot.session.as_deref()
        && path.parent().is_some_and(|folder| folder.ends_with("sessions"));
    transcript::prompt(document.text()).filter(|_| is_transcript)
}

/// The skills that can be called at the cursor, behind the `/` that a prompt starts with; `None` in any other place.
pub fn calls(snapshot: &Snapshot, position: Position) -> Option<Vec<CompletionItem>> {
    let document = snapshot.document.as_ref()?;
    let cursor = from_proto::offset(document, snapshot.client.encoding, position);
    let before = document.text().get(..usize::from(cursor))?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_call = line.starts_with('/') && line.split_whitespace().all(|word| word.starts_with('/'));
    if !is_call || line.ends_with(' ') || !written(snapshot)?.starts_with(line) {
        return None;
    }
    let typed = line.rsplit(' ').next().unwrap_or_default();
    let replace = TextRange::new(cursor - TextSize::of(typed), cursor);
    let item = |(name, hint): (&str, Option<&str>)| {
        let completion = Completion::call(name, hint, replace);
        to_proto::completion(document, &snapshot.client, completion, None)
    };
    let skills = runnable(&snapshot.catalog);
    let calls = skills.map(|skill| (skill.name.as_str(), skill.metadata.argument_hint.as_deref()));
    Some(calls.map(item).collect())
}
