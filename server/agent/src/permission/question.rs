//! Questions to the person, and what their answers mean: only an answer that was offered says yes.

use super::grants::Scope;
use super::rule::Rule;
use super::{Asking, Permissions};
use crate::host::{Answer, ApplyError, Choice, ChoiceKind, Question};
use crate::workspace::Folder;

pub(super) const ALLOW: &str = "allow";
pub(super) const REJECT: &str = "reject";

/// The answers that keep rules, with how long.
const KEEPING: &[(&str, Scope, &str)] = &[
    ("allowSession", Scope::Session, "in this session"),
    ("allowWorkspace", Scope::Workspace, "always in this workspace"),
    ("allowUser", Scope::User, "always, everywhere"),
];

/// Longer rules are not offered: nobody reads them.
const MAX_RULE_CHARS: usize = 300;

/// A question with a yes, a no, and perhaps rules to keep.
pub(super) struct Wish<'a> {
    pub(super) title: String,
    pub(super) detail: String,
    /// What may be kept; nothing where no rule could allow this.
    pub(super) rules: Vec<Rule>,
    pub(super) folder: &'a Folder,
    /// What was not allowed then, for the model: `the edit of x`.
    pub(super) what: String,
}

impl Permissions {
    /// Asks, one question at a time, and keeps the rules that the person wants to keep.
    pub(super) async fn wish(&self, asking: Asking<'_>, wish: Wish<'_>) -> Result<(), ApplyError> {
        let shown: Vec<&str> = wish.rules.iter().map(Rule::text).collect();
        let shown = shown.join(", ");
        let mut choices = vec![
            choice(REJECT, "Reject", ChoiceKind::RejectOnce),
            choice(ALLOW, "Allow once", ChoiceKind::AllowOnce),
        ];
        if !shown.is_empty() && shown.chars().count() <= MAX_RULE_CHARS {
            let keep = |(id, _, how): &(&'static str, Scope, &str)| {
                choice(id, &format!("Allow {shown} {how}"), ChoiceKind::AllowAlways)
            };
            choices.extend(KEEPING.iter().map(keep));
        }
        let offered: Vec<&str> = choices.iter().map(|choice| choice.id).collect();
        let question = Question {
            title: wish.title,
            detail: wish.detail,
            choices,
            rules: if offered.len() > 2 { shown } else { String::new() },
            takes_text: false,
        };
        let _one_at_a_time = self.answers.lock().await;
        let (id, text) = match answer(asking, question).await {
            Answer::Chosen(id) => (id, None),
            Answer::Replied { id, text } => (id, Some(text)),
            Answer::Dismissed => ("", None),
        };
        let reason = match (id, &text) {
            (REJECT, Some(reason)) if !reason.trim().is_empty() => format!("; the person says: {}", reason.trim()),
            _ => "; go on without it, or ask the person what to do".to_owned(),
        };
        let refused = || denied(&format!("{} was not allowed{reason}", wish.what));
        if !offered.contains(&id) || id == REJECT {
            return refused();
        }
        let Some((_, scope, _)) = KEEPING.iter().find(|(keeping, ..)| *keeping == id) else {
            return Ok(());
        };
        let rules = match text.as_deref().map(Rule::parse_all) {
            None => wish.rules,
            Some(Ok(rules)) => rules,
            Some(Err(problem)) => return denied(&format!("{} was not allowed: {problem}", wish.what)),
        };
        let kept = self.grants.keep(*scope, &wish.folder.path, &rules);
        kept.map_err(|error| {
            ApplyError::Io(format!(
                "the permission could not be kept, so nothing was done: {error}"
            ))
        })
    }
}

/// Whether exactly this answer was given before the turn was stopped.
pub(super) async fn says(asking: Asking<'_>, question: Question, yes: &str) -> bool {
    matches!(answer(asking, question).await, Answer::Chosen(id) if id == yes)
}

async fn answer(asking: Asking<'_>, question: Question) -> Answer {
    tokio::select! {
        biased;
        () = asking.cancel.cancelled() => Answer::Dismissed,
        answer = asking.host.ask(question) => answer,
    }
}

/// A question that keeps no rule.
pub(super) fn question(title: String, detail: String, choices: Vec<Choice>) -> Question {
    Question {
        title,
        detail,
        choices,
        rules: String::new(),
        takes_text: false,
    }
}

pub(super) fn choice(id: &'static str, label: &str, kind: ChoiceKind) -> Choice {
    Choice {
        id,
        label: label.to_owned(),
        kind,
    }
}

pub(super) fn denied<T>(message: &str) -> Result<T, ApplyError> {
    Err(ApplyError::Denied(message.to_owned()))
}
