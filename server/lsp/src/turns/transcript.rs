//! The transcript as a file: a Markdown document that any editor shows.
//!
//! While it is open it grows by edits of its buffer, so that nothing is lost of what a person types into it. It is also
//! where prompts are written in editors without a field for them: under its last heading.

use std::io::Write;
use std::path::PathBuf;

use skills_agent::event::{Event, EventKind};
use skills_agent::redaction::redact;
use skills_agent::transcript::Transcript;

use crate::environment::{Environment, append_private, create_private};
use crate::state::Shared;
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

/// One session's transcript.
#[derive(Debug)]
pub struct TranscriptFile {
    session: String,
    text: Transcript,
    /// What is not written yet.
    waiting: String,
    /// What went into the buffer and may not be on disk.
    in_buffer: String,
    /// Whether a turn ended since the last place to write.
    ended: bool,
}

impl TranscriptFile {
    /// The transcript of a session; nothing is written yet.
    pub fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            text: Transcript::default(),
            waiting: String::new(),
            in_buffer: String::new(),
            ended: false,
        }
    }

    /// Where a session's transcript lies.
    pub fn path(environment: &Environment, session: &str) -> Result<PathBuf, String> {
        Ok(document::resolved(&environment.state_folder()?.join("sessions")).join(format!("{session}.md")))
    }

    /// Adds an event; it is written by [`TranscriptFile::flush`].
    pub fn push(&mut self, event: &Event) {
        let added = self.text.append(event);
        self.waiting.extend(added.map(|text| redact(&text).into_owned()));
        self.ended = matches!(event.kind, EventKind::Ended { .. });
    }

    /// Adds a place to write at the end, below a list of skills, unless one is there; it is written by
    /// [`TranscriptFile::flush`].
    pub fn offer_prompt(&mut self, shared: &Shared, skills: &str) -> Result<(), String> {
        let path = Self::path(&shared.environment, &self.session)?;
        let shown = shared
            .state()
            .documents
            .of_path(&path)
            .map(|document| document.text().to_string());
        let shown = shown
            .or_else(|| std::fs::read_to_string(&path).ok())
            .unwrap_or_default();
        if !has_place(&(shown + &self.waiting)) {
            self.waiting.push_str(&format!("\n## Skills\n\n{skills}\n{PROMPT}\n\n"));
            self.ended = false;
        }
        Ok(())
    }

    /// Writes what waits: into the buffer where the file is open, else to the disk. What can't be written stays.
    pub async fn flush(&mut self, shared: &Shared) -> Result<(), String> {
        let path = Self::path(&shared.environment, &self.session)?;
        let is_open = shared.state().documents.of_path(&path).is_some();
        if is_open {
            if std::mem::take(&mut self.ended) {
                self.waiting.push_str(&format!("\n{PROMPT}\n\n"));
            }
            if !self.waiting.is_empty() {
                edits::append(shared, &path, "skills: transcript", &self.waiting)
                    .await
                    .map_err(|error| error.to_string())?;
                self.in_buffer.push_str(&std::mem::take(&mut self.waiting));
            }
            return Ok(());
        }
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        create_private(path.parent().unwrap_or(&path)).map_err(failed)?;
        let mut file = append_private(&path).map_err(failed)?;
        // A buffer that was closed without being saved took its part of the transcript with it.
        let lost = !self.in_buffer.is_empty()
            && !std::fs::read_to_string(&path).is_ok_and(|saved| saved.contains(self.in_buffer.trim()));
        if lost {
            file.write_all(self.in_buffer.as_bytes()).map_err(failed)?;
        }
        self.in_buffer.clear();
        file.write_all(self.waiting.as_bytes()).map_err(failed)?;
        self.waiting.clear();
        Ok(())
    }
}
