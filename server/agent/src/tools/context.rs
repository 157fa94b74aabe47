//! What every tool does alike: reading through the open buffers, and writing through the host.

use std::sync::Arc;

use serde::Deserialize;

use crate::changes::{diff, text_hash};
use crate::event::{Change, Event, EventKind};
use crate::host::{ApplyError, FileEdit, Intent};
use crate::permission::Asking;
use crate::tools::reviewing::Reviewing;
use crate::tools::{ToolContext, ToolError, ToolOutput};
use crate::workspace::{PathError, Target};

/// The hash of the text that an edit is for: the 16 hexadecimal digits that `read_file_range` shows, or the
/// same number in decimal, as a string or a number.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Guard {
    /// As shown.
    Text(String),
    /// As a number.
    Number(u64),
}

impl Guard {
    /// Whether this is the hash of a text.
    pub fn fits(&self, text: &str) -> bool {
        let hash = text_hash(text);
        match self {
            Self::Number(number) => *number == hash,
            Self::Text(digits) => {
                let digits = digits.trim().trim_start_matches("0x");
                digits.eq_ignore_ascii_case(&shown(hash)) || digits == hash.to_string()
            }
        }
    }
}

impl std::fmt::Display for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// A hash as a model sees it.
pub(super) fn shown(hash: u64) -> String {
    format!("{hash:016x}")
}

impl ToolContext {
    /// The place that a model names.
    ///
    /// # Errors
    /// Where it is not in the workspace or no file.
    pub fn resolve(&self, text: &str) -> Result<Target, ToolError> {
        self.workspace.resolve(text).map_err(respond)
    }

    /// The text of a file as the person has it: the open buffer's, else the disk's; `None` where there is
    /// neither. Asks before a secret is read, and notes what the model saw.
    ///
    /// # Errors
    /// Where the person says no, or the file can't be read as text.
    pub async fn read(&self, target: &Target) -> Result<Option<Arc<str>>, ToolError> {
        let text = self.current(target).await?;
        self.ledger.saw(&target.path, text.clone());
        Ok(text)
    }

    /// [`ToolContext::read`] for the eyes of a tool alone.
    async fn current(&self, target: &Target) -> Result<Option<Arc<str>>, ToolError> {
        let is_there = target.exists || self.host.buffer(&target.path).is_some();
        let asking = self.asking();
        if is_there && self.permissions.before_read(asking, target).await.map_err(respond)? {
            self.check_again(target)?;
        }
        if let Some(buffer) = self.host.buffer(&target.path) {
            return Ok(Some(buffer.text));
        }
        let (workspace, target) = (self.workspace.clone(), target.clone());
        let read = tokio::task::spawn_blocking(move || workspace.read(&target)).await;
        match read.map_err(|error| ToolError::Fatal(format!("reading failed: {error}")))? {
            Ok(text) => Ok(Some(text.into())),
            Err(PathError::Missing(_)) => Ok(None),
            Err(error) => Err(respond(error)),
        }
    }

    /// Makes one edit: located in the text of now, allowed by the person where they must be asked, applied by
    /// the host, recorded, told, and shown to the model as a diff.
    ///
    /// `verb` is how the model called it: create, replace or edit.
    ///
    /// # Errors
    /// Where the edit does not fit the text, is not allowed, or did not arrive. Nothing was changed then, as far
    /// as the host knows.
    pub async fn apply(
        &self,
        verb: &str,
        target: &Target,
        intent: Intent,
        guard: Option<&Guard>,
    ) -> Result<ToolOutput, ToolError> {
        let before = self.current(target).await?;
        if let Some(guard) = guard {
            let text = before.as_deref().unwrap_or_default();
            if before.is_none() || !guard.fits(text) {
                let hash = shown(text_hash(text));
                return Err(ToolError::Respond(format!(
                    "stale file: current hash {hash} does not match expected_before_hash {guard}; read {target} again"
                )));
            }
        }
        let intent = self.with_seen(intent, target, before.as_ref(), guard);
        let after = intent
            .apply_to_file(&target.relative, before.as_deref())
            .map_err(respond)?;
        let (preview, _) = diff::unified(before.as_deref(), after.as_deref());
        let folder = self.workspace.folder_of(target);
        let reviewing = Reviewing::new(&*self.host, &target.path, before.as_ref(), after.as_deref());
        let asking = Asking {
            host: &reviewing,
            ..self.asking()
        };
        let texts = (before.as_deref(), after.as_deref());
        let asked = self.permissions.before_write(asking, folder, target, &preview, texts);
        let asked = asked.await;
        let message = reviewing.message();
        let said = message.map(|message| format!("\nThe person says: {message}"));
        let said = said.unwrap_or_default();
        if asked.map_err(|error| respond(format!("{error}{said}")))? {
            self.check_again(target)?;
        }
        let (intent, rejected) = reviewing.narrowed(intent);
        if self.cancel.is_cancelled() {
            return Err(ToolError::Respond(
                "the turn was stopped; nothing was changed".to_owned(),
            ));
        }
        let label = format!("skills: {verb} {target}");
        let (change, was_typed) = self
            .finish(FileEdit {
                path: target.path.clone(),
                intent,
                label,
            })
            .await?;
        let bytes = |text: &Option<Arc<str>>| text.as_deref().map_or(0, str::len);
        let sizes = format!(
            "(from {} bytes → {} bytes)",
            bytes(&change.before),
            bytes(&change.after)
        );
        let (text, truncated) = diff::unified(change.before.as_deref(), change.after.as_deref());
        let summary = format!("{verb} {target} {sizes}");
        let left_out = match rejected {
            0 => String::new(),
            hunks => format!("\n{hunks} of the changes were rejected by the person and are not made."),
        };
        let typed = match was_typed {
            true => "\nThe person typed in the file at the same time; read it again before you replace all of it.",
            false => "",
        };
        Ok(ToolOutput {
            text: format!("{summary}{left_out}{said}{typed}\n{text}"),
            summary,
            truncated,
        })
    }

    /// Has the host apply an edit and records it, to the end even if nobody waits for it any more: a stopped turn
    /// leaves whole edits that can be undone, or none. Also tells whether somebody typed while it was on its way.
    async fn finish(&self, edit: FileEdit) -> Result<(Arc<Change>, bool), ToolError> {
        let (host, ledger, changes) = (self.host.clone(), self.ledger.clone(), self.changes.clone());
        let (turn, call) = (self.turn.clone(), self.call.clone());
        let applying = tokio::spawn(async move {
            let path = edit.path.clone();
            let _pending = changes.begin(&turn);
            let applied = host.apply(edit).await?;
            let was_typed = applied.known != applied.after;
            ledger.saw(&path, applied.known.clone());
            let change = changes.record(&turn, &call, &path, applied);
            host.emit(Event {
                turn,
                kind: EventKind::Changed(change.clone()),
            });
            Ok::<_, ApplyError>((change, was_typed))
        });
        let applied = applying
            .await
            .map_err(|error| ToolError::Fatal(format!("an edit ended unexpectedly: {error}")))?;
        applied.map_err(respond)
    }

    /// Whoever proves by hash that they know the text may replace it as if they had read it.
    fn with_seen(&self, intent: Intent, target: &Target, before: Option<&Arc<str>>, guard: Option<&Guard>) -> Intent {
        match intent {
            Intent::Overwrite { content, seen: None } => {
                let seen = match before {
                    Some(before) if guard.is_some() => Some(before.clone()),
                    Some(_) => self.ledger.seen(&target.path),
                    None => None,
                };
                Intent::Overwrite { content, seen }
            }
            other => other,
        }
    }

    pub(super) fn asking(&self) -> Asking<'_> {
        Asking {
            host: &*self.host,
            turn: &self.turn,
            cancel: &self.cancel,
        }
    }

    /// While a person thought, the path may have become a link, or a file with other names.
    fn check_again(&self, target: &Target) -> Result<(), ToolError> {
        let now = self.workspace.resolve_path(&target.path).map_err(respond)?;
        if now.path == target.path && (now.hard_links <= target.hard_links) {
            return Ok(());
        }
        Err(respond(ApplyError::Stale(format!(
            "{target} became another file while the person was asked; try again"
        ))))
    }
}

pub(super) fn respond(error: impl std::fmt::Display) -> ToolError {
    ToolError::Respond(error.to_string())
}
