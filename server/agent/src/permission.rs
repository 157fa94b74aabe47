//! What a turn may do without asking, and the questions for the rest.
//!
//! Nothing in a file, a skill or a tool's output can grant anything: only the person's settings and answers do. Rules that
//! deny come first, then those that ask, those that allow, what is safe by itself, and last a question. Above all of them
//! stand the patterns of trusted skills, and protected files, which ask whatever is allowed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::event::TurnId;
use crate::host::{ApplyError, ChoiceKind, Host};
use crate::record;
use crate::workspace::Folder;
use question::{ALLOW, REJECT, choice, denied, framed, question, says};
use rule::{Call, Called, Subject as Of};

mod command_line;
mod fetching;
mod files;
pub(crate) mod git;
mod grants;
mod matching;
mod package_managers;
mod paths;
mod pattern;
mod question;
mod rule;
mod run_command;
mod shell_syntax;
mod skill;
mod trust;

pub(crate) use command_line::quoted as shown_command;
pub use git::git_environment;
pub use grants::{Grants, Scope};
pub(crate) use package_managers::installs;
pub use paths::{Access, PathRules};
pub use pattern::{Patterns, Severity};
pub use rule::{NoRule, Rule, Rules};
pub use run_command::{CommandRequest, Leave};
pub use skill::SkillRequest;
pub use trust::{SaidTrust, TrustStore};

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
    said: SaidTrust,
    store: TrustStore,
    rules: Rules,
    grants: Arc<Grants>,
    /// What the skills of a turn allow, as far as a person confirmed it, and forbid.
    of_turn: parking_lot::Mutex<HashMap<TurnId, OfTurn>>,
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

/// The rules that the skills of one turn bring.
#[derive(Debug, Default)]
struct OfTurn {
    allow: Vec<Rule>,
    deny: Vec<Rule>,
}

/// Tools that nothing else asks about.
const LOOKING: &[&str] = &["find_files", "list_searchable_files", "read_skill_file", "search_text"];

impl Permissions {
    /// The rules of a new session. What is said of trust stands above the record.
    pub fn new(mode: Mode, said: impl Into<SaidTrust>, store: TrustStore) -> Self {
        Self {
            mode,
            said: said.into(),
            store,
            rules: Rules::default(),
            grants: Arc::default(),
            of_turn: parking_lot::Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// With the rules of the person's settings, and those kept before; `grants` lasts as long as the session.
    #[must_use]
    pub fn with_rules(self, rules: Rules, grants: Arc<Grants>) -> Self {
        Self { rules, grants, ..self }
    }

    /// Looks for rules about the tool as a whole, and for the patterns of skills in a call, before anything else is
    /// asked; `true` where a person was asked.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where a rule or a pattern blocks it, or the person says no.
    pub async fn before_call(
        &self,
        asking: Asking<'_>,
        patterns: &Patterns,
        tool: &str,
        input: &Value,
    ) -> Result<bool, ApplyError> {
        let call = Call {
            tool: Called::Tool(tool),
            subject: Of::Whole,
        };
        self.not_denied(asking.turn, call, &format!("the tool {tool}"))?;
        let asks = self.asks(call).filter(|_| LOOKING.contains(&tool)).map(|rule| {
            let why = format!("the rule {} asks (setting permissions.ask)", rule.text());
            (Severity::Confirm, why)
        });
        let Some((severity, why)) = patterns.judge(tool, input).or(asks) else {
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
        let question = question(format!("Allow this call of {tool}?"), framed(&why, &shown), choices);
        let _one_at_a_time = self.answers.lock().await;
        if says(asking, question, ALLOW).await {
            return Ok(true);
        }
        denied(&format!("Denied by user: {why}"))
    }

    /// Whether a folder is trusted now, without a question.
    #[must_use]
    pub fn trusts(&self, folder: &Path) -> bool {
        self.known_trust(folder) == Some(true)
    }

    fn known_trust(&self, folder: &Path) -> Option<bool> {
        self.said.of(folder).or_else(|| self.store.get(folder))
    }

    /// Asks once for a folder's trust; a no holds for the turn, a yes until it is taken back.
    async fn trust(&self, asking: Asking<'_>, folder: &Folder) -> Result<bool, ApplyError> {
        let mut answers = self.answers.lock().await;
        if let Some(trusted) = self.known_trust(&folder.path) {
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
        let (store, path) = (self.store.clone(), folder.path.clone());
        record::beside(move || store.set(&path, true))
            .await
            .map_err(|error| ApplyError::Io(format!("the folder's trust could not be kept: {error}")))?;
        Ok(true)
    }

    fn not_denied(&self, turn: &TurnId, call: Call<'_>, what: &str) -> Result<(), ApplyError> {
        match self.denying(turn, |rule| rule.covers(call)) {
            Some(by) => denied(&format!("{what} is denied by {by}; do without it")),
            None => Ok(()),
        }
    }

    /// The rule of the settings or of the turn's skills that denies something, and where it comes from.
    fn denying(&self, turn: &TurnId, covers: impl Fn(&Rule) -> bool) -> Option<String> {
        self.denying_apart(turn, &covers, &covers)
    }

    /// The same with a test for each: of the settings, and of the turn's skills.
    fn denying_apart(
        &self,
        turn: &TurnId,
        covers: impl Fn(&Rule) -> bool,
        covers_of_skill: impl Fn(&Rule) -> bool,
    ) -> Option<String> {
        if let Some(rule) = self.rules.deny.iter().find(|rule| covers(rule)) {
            return Some(format!("the rule {} (setting permissions.deny)", rule.text()));
        }
        let of_turn = self.of_turn.lock();
        let rule = of_turn.get(turn)?.deny.iter().find(|rule| covers_of_skill(rule))?;
        Some(format!(
            "the rule {} (disallowed-tools of a skill of this turn)",
            rule.text()
        ))
    }

    fn asks(&self, call: Call<'_>) -> Option<&Rule> {
        self.rules.ask.iter().find(|rule| rule.covers(call))
    }

    fn allows(&self, turn: &TurnId, folder: &Folder, call: Call<'_>) -> bool {
        self.allowing(turn, &folder.path).iter().any(|rule| rule.covers(call))
    }

    /// All rules that allow something now: of the settings, kept, and of the turn.
    fn allowing(&self, turn: &TurnId, folder: &Path) -> Vec<Rule> {
        let of_turn = self.of_turn.lock();
        let of_turn = of_turn.get(turn).map(|rules| rules.allow.clone()).unwrap_or_default();
        let kept = self.grants.of(folder).into_iter();
        self.rules.allow.iter().cloned().chain(kept).chain(of_turn).collect()
    }
}

fn untrusted<T>(folder: &Folder) -> Result<T, ApplyError> {
    denied(&format!(
        "the folder {} is not trusted, so nothing in it is edited or run; the person can trust it \
         (setting trust.workspace or command skills.server.trust)",
        folder.name
    ))
}
