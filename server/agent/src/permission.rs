//! What a turn may do without asking, and the questions for the rest.
//!
//! Nothing in a file, a skill or a tool's output can grant anything: only the person's settings and answers do.

use std::collections::HashMap;
use std::path::PathBuf;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::event::TurnId;
use crate::host::{Answer, ApplyError, Choice, ChoiceKind, Host, Question};
use crate::workspace::{Folder, Target};

mod trust;

pub use trust::TrustStore;

/// What a turn may do without a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Edits inside the workspace go through; what is protected asks.
    #[default]
    AcceptEdits,
    /// Every edit asks.
    Ask,
    /// Nothing is edited.
    ReadOnly,
}

impl Mode {
    /// The mode of a setting's value: `acceptEdits`, `ask` or `readOnly`.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "acceptEdits" => Some(Self::AcceptEdits),
            "ask" => Some(Self::Ask),
            "readOnly" => Some(Self::ReadOnly),
            _ => None,
        }
    }
}

/// The rules and the answers of one session.
#[derive(Debug)]
pub struct Permissions {
    mode: Mode,
    workspace_trust: Option<bool>,
    store: TrustStore,
    /// Held while a question is open, so that there is one at a time and the next one knows its answer.
    answers: Mutex<HashMap<(TurnId, Subject), bool>>,
}

/// Who asks: a turn, by its host, until it is cancelled.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Where the person is.
    pub host: &'a dyn Host,
    /// The turn that wants something.
    pub turn: &'a TurnId,
    /// Cancelled when the person stops the turn: then the answer is no.
    pub cancel: &'a CancellationToken,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Subject {
    Trust(PathBuf),
    Read(PathBuf),
}

const ALLOW: &str = "allow";
const REJECT: &str = "reject";
const TRUST: &str = "trust";
const NOT_NOW: &str = "notNow";

impl Permissions {
    /// The rules of a new session. `workspace_trust` is the person's setting `trust.workspace`, which stands
    /// above the record.
    pub fn new(mode: Mode, workspace_trust: Option<bool>, store: TrustStore) -> Self {
        Self {
            mode,
            workspace_trust,
            store,
            answers: Mutex::default(),
        }
    }

    /// Lets a write go on, asking where it must; `true` where a person was asked, so time went by.
    ///
    /// `detail` is what exactly will happen, such as a diff.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a setting says no.
    pub async fn before_write(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        target: &Target,
        detail: &str,
    ) -> Result<bool, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied(
                "the session is read-only (setting permissions.mode); describe the edit instead of making it",
            );
        }
        let asked = self.trust(asking, folder).await?;
        let reason = if target.protected {
            "It can change what programs run or what an agent may do."
        } else if target.hard_links {
            "The file has another name elsewhere (a hard link)."
        } else if self.mode == Mode::Ask {
            "Edits ask (setting permissions.mode)."
        } else {
            return Ok(asked);
        };
        let question = Question {
            title: format!("Allow the edit of {target}?"),
            detail: format!("{reason}\n{detail}"),
            choices: vec![
                choice(REJECT, "Reject", ChoiceKind::RejectOnce),
                choice(ALLOW, "Allow once", ChoiceKind::AllowOnce),
            ],
        };
        let _one_at_a_time = self.answers.lock().await;
        if ask(asking, question, ALLOW).await {
            return Ok(true);
        }
        denied(&format!(
            "the edit of {target} was not allowed; go on without it, or ask the person what to do"
        ))
    }

    /// Lets a read go on; a secret is asked for once a turn. `true` where a person was asked now.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person says no.
    pub async fn before_read(&self, asking: Asking<'_>, target: &Target) -> Result<bool, ApplyError> {
        if !target.secret {
            return Ok(false);
        }
        let mut answers = self.answers.lock().await;
        let key = (asking.turn.clone(), Subject::Read(target.path.clone()));
        let (allowed, asked) = match answers.get(&key) {
            Some(allowed) => (*allowed, false),
            None => {
                let question = Question {
                    title: format!("Allow the model to read {target}?"),
                    detail: format!("{} looks like a file with keys or passwords.", target.path.display()),
                    choices: vec![
                        choice(REJECT, "Reject", ChoiceKind::RejectOnce),
                        choice(ALLOW, "Allow in this turn", ChoiceKind::AllowOnce),
                    ],
                };
                let allowed = ask(asking, question, ALLOW).await;
                answers.insert(key, allowed);
                (allowed, true)
            }
        };
        if allowed {
            Ok(asked)
        } else {
            denied(&format!("reading {target} was not allowed; go on without it"))
        }
    }

    /// Asks once for a folder's trust; a no holds for the turn, a yes until it is taken back.
    async fn trust(&self, asking: Asking<'_>, folder: &Folder) -> Result<bool, ApplyError> {
        let mut answers = self.answers.lock().await;
        let known = self.workspace_trust.or_else(|| self.store.get(&folder.path));
        if let Some(trusted) = known {
            return if trusted { Ok(false) } else { untrusted(folder) };
        }
        let key = (asking.turn.clone(), Subject::Trust(folder.path.clone()));
        if answers.contains_key(&key) {
            return untrusted(folder);
        }
        let mut detail = format!("The agent wants to edit files below {}.", folder.path.display());
        if let Some(problem) = self.store.problem() {
            detail = format!("{detail}\n{problem}");
        }
        let question = Question {
            title: format!("Trust the folder {}?", folder.name),
            detail,
            choices: vec![
                choice(NOT_NOW, "Not now", ChoiceKind::RejectOnce),
                choice(TRUST, "Trust this folder", ChoiceKind::AllowAlways),
            ],
        };
        if !ask(asking, question, TRUST).await {
            answers.insert(key, false);
            return untrusted(folder);
        }
        self.store
            .set(&folder.path, true)
            .map_err(|error| ApplyError::Io(format!("the trust record could not be written: {error}")))?;
        Ok(true)
    }
}

/// Whether exactly this answer was given before the turn was stopped.
async fn ask(asking: Asking<'_>, question: Question, yes: &str) -> bool {
    tokio::select! {
        biased;
        () = asking.cancel.cancelled() => false,
        answer = asking.host.ask(question) => matches!(answer, Answer::Chosen(id) if id == yes),
    }
}

fn choice(id: &'static str, label: &str, kind: ChoiceKind) -> Choice {
    Choice {
        id,
        label: label.to_owned(),
        kind,
    }
}

fn untrusted<T>(folder: &Folder) -> Result<T, ApplyError> {
    denied(&format!(
        "the folder {} is not trusted, so nothing in it is edited; the person can trust it \
         (setting trust.workspace or command skills.server.trust)",
        folder.name
    ))
}

fn denied<T>(message: &str) -> Result<T, ApplyError> {
    Err(ApplyError::Denied(message.to_owned()))
}
