//! The transcript as a file: a Markdown document that any editor shows.
//!
//! While it is open it grows by edits of its buffer, so that nothing is lost of what a person types into it. It is also
//! where prompts are written in editors without a field for them: under its last heading.

use std::io::Write;
use std::path::PathBuf;

use crate::environment::{Environment, append_private, create_private};
use crate::refusal::Refusal;
use crate::state::Shared;
use crate::state::agent::sessions::TranscriptFile;
use crate::{document, edits};

/// The heading under which a person writes.
const PROMPT: &str = "## Prompt";

/// What a person wrote under the last heading for it; `None` where nothing stands there.
pub fn prompt(text: &str) -> Option<&str> {
    let (_, below) = text.rsplit_once(&format!("\n{PROMPT}"))?;
    let (rest, below) = below.split_once('\n')?;
    let end = below.find("\n## ").unwrap_or(below.len());
    Some(below[..end].trim()).filter(|prompt| rest.trim().is_empty() && !prompt.is_empty())
}

/// Whether a transcript ends with a place to write.
fn has_place(text: &str) -> bool {
    let last = text.lines().rev().find(|line| line.starts_with("## "));
    last.is_some_and(|heading| heading.trim_end() == PROMPT)
}

/// Where a session's transcript lies.
pub fn path_of(environment: &Environment, session: &str) -> Result<PathBuf, Refusal> {
    Ok(document::resolved(&environment.state_folder()?.join("sessions")).join(format!("{session}.md")))
}

/// Adds a place to write at the end, below a list of skills, unless one is there; it is written by
/// [`flush`].
pub fn offer_prompt(file: &mut TranscriptFile, shared: &Shared, skills: &str) -> Result<(), Refusal> {
    let path = path_of(&shared.environment, &file.session)?;
    let shown = shared
        .state()
        .documents
        .of_path(&path)
        .map(|document| document.text().to_string());
    let shown = shown
        .or_else(|| std::fs::read_to_string(&path).ok())
        .unwrap_or_default();
    if !has_place(&(shown + &file.waiting)) {
        file.waiting.push_str(&format!("\n## Skills\n\n{skills}\n{PROMPT}\n\n"));
        file.ended = false;
    }
    Ok(())
}

/// Writes what waits: into the buffer where the file is open, else to the disk. What can't be written stays.
pub async fn flush(file: &mut TranscriptFile, shared: &Shared) -> Result<(), Refusal> {
    let path = path_of(&shared.environment, &file.session)?;
    let is_open = shared.state().documents.of_path(&path).is_some();
    if is_open {
        if std::mem::take(&mut file.ended) {
            file.waiting.push_str(&format!("\n{PROMPT}\n\n"));
        }
        if !file.waiting.is_empty() {
            edits::append(shared, &path, "skills: transcript", &file.waiting)
                .await
                .map_err(Refusal::of)?;
            file.in_buffer.push_str(&std::mem::take(&mut file.waiting));
        }
        return Ok(());
    }
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    create_private(path.parent().unwrap_or(&path)).map_err(failed)?;
    let mut out = append_private(&path).map_err(failed)?;
    // A buffer that was closed without being saved took its part of the transcript with it.
    let lost = !file.in_buffer.is_empty()
        && !std::fs::read_to_string(&path).is_ok_and(|saved| saved.contains(file.in_buffer.trim()));
    if lost {
        out.write_all(file.in_buffer.as_bytes()).map_err(failed)?;
    }
    file.in_buffer.clear();
    out.write_all(file.waiting.as_bytes()).map_err(failed)?;
    file.waiting.clear();
    Ok(())
}
