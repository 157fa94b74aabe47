//! Whether a file is read or written.

use std::path::Path;

use super::question::{ALLOW, REJECT, Wish, choice, denied, question, says};
use super::rule::{Call, Called, Rule, Subject as Of};
use super::{Asking, Mode, Permissions, Subject};
use crate::event::TurnId;
use crate::host::{ApplyError, ChoiceKind};
use crate::tool_names::Does;
use crate::workspace::sensitive::{Asks, Row};
use crate::workspace::{Folder, Target, slashed};

mod fetched;

const READING: Called<'_> = Called::Doing(&[Does::Read]);
const EDITING: Called<'_> = Called::Doing(&[Does::Edit]);

impl Permissions {
    /// Lets a write go on, asking where it must; `true` where a person was asked, so time went by.
    ///
    /// `detail` is what exactly will happen, such as a diff; `texts` are those before and after.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a setting says no.
    pub async fn before_write(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        target: &Target,
        detail: &str,
        texts: (Option<&str>, Option<&str>),
    ) -> Result<bool, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied(
                "the session is read-only (setting permissions.mode); describe the edit instead of making it",
            );
        }
        let call = Call {
            tool: EDITING,
            subject: Of::Path(&[&target.relative, &slashed(&target.path)]),
        };
        self.not_denied(asking.turn, call, &format!("the edit of {target}"))?;
        let asked = self.trust(asking, folder).await?;
        let (is_asked_by_mode, mut rules) = (
            self.mode == Mode::Ask && !self.allows(asking.turn, folder, call),
            Vec::new(),
        );
        let is_of_session = |row: &Row| row.asks == Some(Asks::OncePerSession) && !is_asked_by_mode;
        let protection = target.protection;
        let protection = protection.filter(|row| !(is_of_session(row) && self.grants.may_edit(&folder.path, row.at)));
        let kind = protection.filter(|row| is_of_session(row)).map(|row| row.at);
        let reason = if let Some(row) = protection {
            match kind {
                Some(_) => format!(
                    "{target} {}.\nA yes counts for all files of this kind until the session ends.",
                    row.why
                ),
                None => format!("{target} {}.", row.why),
            }
        } else if target.hard_links {
            "The file has another name elsewhere (a hard link).".to_owned()
        } else if let Some(place) = fetched::by_a_look(texts) {
            format!("Editors may fetch {place}, which the text names.")
        } else if let Some(rule) = self.asks(call) {
            format!("The rule {} asks (setting permissions.ask).", rule.text())
        } else if is_asked_by_mode {
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
            reason,
            detail: detail.to_owned(),
            rules,
            exact: None,
            folder,
            what: format!("the edit of {target}"),
        };
        self.wish(asking, wish).await?;
        if let Some(kind) = kind {
            self.grants.allow_edits(&folder.path, kind);
        }
        Ok(true)
    }

    /// Lets a read go on; a secret is asked for once a turn, whatever is allowed. `true` where a person was asked now.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_read(&self, asking: Asking<'_>, target: &Target) -> Result<bool, ApplyError> {
        let call = Call {
            tool: READING,
            subject: Of::Path(&[&target.relative, &slashed(&target.path)]),
        };
        self.not_denied(asking.turn, call, &format!("reading {target}"))?;
        let reason = if let Some(row) = target.secret {
            format!("{}\nIt {}.", target.path.display(), row.why)
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

    /// Whether a file outside the workspace, such as a skill's, may be read: by its whole path, and by the one below its
    /// own folder.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where a rule forbids it.
    pub fn check_read_outside(&self, turn: &TurnId, path: &Path, inner: &str) -> Result<(), ApplyError> {
        let call = Call {
            tool: READING,
            subject: Of::Path(&[&slashed(path), inner]),
        };
        self.not_denied(turn, call, &format!("reading {}", path.display()))
    }

    /// Whether a search may look into a file without a question.
    pub fn may_search(&self, turn: &TurnId, target: &Target) -> bool {
        let call = Call {
            tool: READING,
            subject: Of::Path(&[&target.relative, &slashed(&target.path)]),
        };
        target.secret.is_none() && self.asks(call).is_none() && self.denying(turn, |rule| rule.covers(call)).is_none()
    }
}
