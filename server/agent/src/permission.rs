//! What a turn may do without asking, and the questions for the rest.
//!
//! Nothing in a file, a skill or a tool's output can grant anything: only the person's settings and answers do. Rules that
//! deny come first, then those that ask, those that allow, what is safe by itself, and last a question. Above all of them
//! stand the patterns of trusted skills, and protected files, which ask whatever is allowed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::event::TurnId;
use crate::host::{ApplyError, ChoiceKind, Host};
use crate::workspace::{Folder, Target};
use question::{ALLOW, REJECT, Wish, choice, denied, question, says};
use rule::{Call, Subject as Of};

mod command;
mod grants;
mod pattern;
mod question;
pub(crate) mod record;
mod rule;
mod running;
mod shell;
mod skill;
mod trust;

pub(crate) use command::quoted as shown_command;
pub use grants::{Grants, Scope};
pub use pattern::{Patterns, Severity};
pub use rule::{Rule, Rules};
pub use running::CommandRequest;
pub use skill::SkillRequest;
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
    rules: Rules,
    grants: Arc<Grants>,
    patterns: Patterns,
    /// The rules of skills whose list a person confirmed, for one turn.
    of_turn: std::sync::Mutex<HashMap<TurnId, Vec<Rule>>>,
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

const TRUST: &str = "trust";
const NOT_NOW: &str = "notNow";

const READING: &[&str] = &["Read", "read_file_range"];
const EDITING: &[&str] = &["Edit", "Write", "create_file", "replace_range", "write_patch"];
const FETCHING: &[&str] = &["WebFetch", "read_url"];

impl Permissions {
    /// The rules of a new session. `workspace_trust` is the person's setting `trust.workspace`, which stands
    /// above the record.
    pub fn new(mode: Mode, workspace_trust: Option<bool>, store: TrustStore) -> Self {
        Self {
            mode,
            workspace_trust,
            store,
            rules: Rules::default(),
            grants: Arc::default(),
            patterns: Patterns::default(),
            of_turn: std::sync::Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// With the rules of the person's settings, and those kept before; `grants` lasts as long as the session.
    #[must_use]
    pub fn with_rules(self, rules: Rules, grants: Arc<Grants>) -> Self {
        Self { rules, grants, ..self }
    }

    /// With the patterns of the trusted skills that are loaded.
    #[must_use]
    pub fn with_patterns(self, patterns: Patterns) -> Self {
        Self { patterns, ..self }
    }

    /// Looks for the patterns of skills in a call, before anything else is asked; `true` where a person was asked.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where a pattern blocks it, or the person says no.
    pub async fn before_call(&self, asking: Asking<'_>, tool: &str, input: &Value) -> Result<bool, ApplyError> {
        let Some((severity, why)) = self.patterns.judge(tool, input) else {
            return Ok(false);
        };
        if severity == Severity::Block {
            return denied(&format!("Blocked by safety policy: {why}"));
        }
        let shown = serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string());
        let choices = vec![
            choice(REJECT, "Reject", ChoiceKind::RejectOnce),
            choice(ALLOW, "Allow once", ChoiceKind::AllowOnce),
        ];
        let question = question(
            format!("Allow this call of {tool}?"),
            format!("{why}\n{shown}"),
            choices,
        );
        let _one_at_a_time = self.answers.lock().await;
        if says(asking, question, ALLOW).await {
            return Ok(true);
        }
        denied(&format!("Denied by user: {why}"))
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
        let call = Call {
            names: EDITING,
            subject: Of::Path(&target.relative),
        };
        self.not_denied(call, &format!("the edit of {target}"))?;
        let asked = self.trust(asking, folder).await?;
        let mut rules = Vec::new();
        let reason = if target.protected {
            "It can change what programs run or what an agent may do.".to_owned()
        } else if target.hard_links {
            "The file has another name elsewhere (a hard link).".to_owned()
        } else if fetches_schema(target, detail) {
            "Editors fetch what `$schema` names.".to_owned()
        } else if let Some(rule) = self.asks(call) {
            format!("The rule {} asks (setting permissions.ask).", rule.text())
        } else if self.mode == Mode::Ask && !self.allows(asking.turn, folder, call) {
            rules.extend(
                Rule::parse(&format!("Edit(/{})", target.relative))
                    .ok()
                    .filter(Rule::is_exact),
            );
            "Edits ask (setting permissions.mode).".to_owned()
        } else {
            return Ok(asked);
        };
        let wish = Wish {
            title: format!("Allow the edit of {target}?"),
            detail: format!("{reason}\n{detail}"),
            rules,
            folder,
            what: format!("the edit of {target}"),
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Lets a read go on; a secret is asked for once a turn, whatever is allowed. `true` where a person was asked now.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_read(&self, asking: Asking<'_>, target: &Target) -> Result<bool, ApplyError> {
        let call = Call {
            names: READING,
            subject: Of::Path(&target.relative),
        };
        self.not_denied(call, &format!("reading {target}"))?;
        let reason = if target.secret {
            format!("{} looks like a file with keys or passwords.", target.path.display())
        } else if let Some(rule) = self.asks(call) {
            format!(
                "{}\nThe rule {} asks (setting permissions.ask).",
                target.path.display(),
                rule.text()
            )
        } else {
            return Ok(false);
        };
        let mut answers = self.answers.lock().await;
        let key = (asking.turn.clone(), Subject::Read(target.path.clone()));
        let (allowed, asked) = match answers.get(&key) {
            Some(allowed) => (*allowed, false),
            None => {
                let choices = vec![
                    choice(REJECT, "Reject", ChoiceKind::RejectOnce),
                    choice(ALLOW, "Allow in this turn", ChoiceKind::AllowOnce),
                ];
                let question = question(format!("Allow the model to read {target}?"), reason, choices);
                let allowed = says(asking, question, ALLOW).await;
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

    /// Whether a search may look into a file without a question.
    pub fn may_search(&self, target: &Target) -> bool {
        let call = Call {
            names: READING,
            subject: Of::Path(&target.relative),
        };
        let lists = [&self.rules.deny, &self.rules.ask];
        !target.secret && !lists.into_iter().flatten().any(|rule| rule.covers(call))
    }

    /// Lets a URL be read; `host` is its host in lower case. `true` where a person was asked.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_url(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        host: &str,
        url: &str,
    ) -> Result<bool, ApplyError> {
        let call = Call {
            names: FETCHING,
            subject: Of::Host(host),
        };
        self.not_denied(call, &format!("reading {url}"))?;
        let reason = match self.asks(call) {
            Some(rule) => format!("\nThe rule {} asks (setting permissions.ask).", rule.text()),
            None if self.allows(asking.turn, folder, call) => return Ok(false),
            None => String::new(),
        };
        let kept = Rule::parse(&format!("WebFetch(domain:{host})"))
            .ok()
            .filter(|_| reason.is_empty());
        let wish = Wish {
            title: format!("Read from {host}?"),
            detail: format!("{url}{reason}"),
            rules: kept.into_iter().collect(),
            folder,
            what: format!("reading {url}"),
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Whether a rule of the person names exactly this host, so that even a private address of it is meant.
    pub fn names_host(&self, asking: Asking<'_>, folder: &Folder, host: &str) -> bool {
        let call = Call {
            names: FETCHING,
            subject: Of::Host(host),
        };
        let allowing = self.allowing(asking.turn, folder);
        allowing.iter().any(|rule| rule.is_exact() && rule.covers(call))
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
        let mut detail = format!(
            "The agent wants to edit files below {}, or to run commands there.",
            folder.path.display()
        );
        if let Some(problem) = self.store.problem() {
            detail = format!("{detail}\n{problem}");
        }
        let choices = vec![
            choice(NOT_NOW, "Not now", ChoiceKind::RejectOnce),
            choice(TRUST, "Trust this folder", ChoiceKind::AllowAlways),
        ];
        let question = question(format!("Trust the folder {}?", folder.name), detail, choices);
        if !says(asking, question, TRUST).await {
            answers.insert(key, false);
            return untrusted(folder);
        }
        self.store
            .set(&folder.path, true)
            .map_err(|error| ApplyError::Io(format!("the trust record could not be written: {error}")))?;
        Ok(true)
    }

    fn not_denied(&self, call: Call<'_>, what: &str) -> Result<(), ApplyError> {
        match self.rules.deny.iter().find(|rule| rule.covers(call)) {
            Some(rule) => denied(&format!(
                "{what} is denied by the rule {} (setting permissions.deny); do without it",
                rule.text()
            )),
            None => Ok(()),
        }
    }

    fn asks(&self, call: Call<'_>) -> Option<&Rule> {
        self.rules.ask.iter().find(|rule| rule.covers(call))
    }

    fn allows(&self, turn: &TurnId, folder: &Folder, call: Call<'_>) -> bool {
        self.allowing(turn, folder).iter().any(|rule| rule.covers(call))
    }

    /// All rules that allow something now: of the settings, kept, and of the turn.
    fn allowing(&self, turn: &TurnId, folder: &Folder) -> Vec<Rule> {
        let of_turn = self.of_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let of_turn = of_turn.get(turn).into_iter().flatten().cloned();
        let kept = self.grants.of(&folder.path).into_iter();
        self.rules.allow.iter().cloned().chain(kept).chain(of_turn).collect()
    }
}

/// Whether an edit makes an editor send a request by a mere look at the file.
fn fetches_schema(target: &Target, diff: &str) -> bool {
    let is_json = [".json", ".jsonc"]
        .iter()
        .any(|ending| target.relative.to_lowercase().ends_with(ending));
    let names = |line: &str| line.starts_with('+') && line.contains("$schema") && line.contains("://");
    is_json && diff.lines().any(names)
}

fn untrusted<T>(folder: &Folder) -> Result<T, ApplyError> {
    denied(&format!(
        "the folder {} is not trusted, so nothing in it is edited or run; the person can trust it \
         (setting trust.workspace or command skills.server.trust)",
        folder.name
    ))
}
