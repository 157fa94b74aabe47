//! Questions to the person, and what their answers mean: only an answer that was offered says yes.

use super::grants::Scope;
use super::rule::Rule;
use super::{Asking, Permissions};
use crate::host::{self, Answer, ApplyError, Choice, ChoiceKind, Question};
use crate::workspace::Folder;

pub(super) const ALLOW: &str = "allow";
pub(super) const REJECT: &str = "reject";

/// The answers that keep rules: those that were asked for, or the exact one; and how long.
const KEEPING: &[(&str, Which, Scope, &str)] = &[
    ("allowExactSession", Which::Exact, Scope::Session, "in this session"),
    (
        "allowExactWorkspace",
        Which::Exact,
        Scope::Workspace,
        "always in this workspace",
    ),
    ("allowExactUser", Which::Exact, Scope::User, "always, everywhere"),
    ("allowSession", Which::Asked, Scope::Session, "in this session"),
    (
        "allowWorkspace",
        Which::Asked,
        Scope::Workspace,
        "always in this workspace",
    ),
    ("allowUser", Which::Asked, Scope::User, "always, everywhere"),
];

/// Which rules an answer keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Asked,
    Exact,
}

/// Longer rules are not offered: nobody reads them.
const MAX_RULE_CHARS: usize = 300;

/// A question with a yes, a no, and perhaps rules to keep.
pub(super) struct Wish<'a> {
    pub(super) title: String,
    /// Why it asks; lines.
    pub(super) reason: String,
    pub(super) detail: String,
    /// What may be kept; nothing where no rule could allow this.
    pub(super) rules: Vec<Rule>,
    /// A narrower rule that may be kept in their place.
    pub(super) exact: Option<Rule>,
    pub(super) folder: &'a Folder,
    /// What was not allowed then, for the model: `the edit of x`.
    pub(super) what: String,
}

impl Permissions {
    /// Asks, one question at a time, and keeps the rules that the person wants to keep.
    pub(super) async fn wish(&self, asking: Asking<'_>, wish: Wish<'_>) -> Result<(), ApplyError> {
        let texts = |rules: &[Rule]| rules.iter().map(Rule::text).collect::<Vec<_>>().join(", ");
        let is_short = |text: &String| !text.is_empty() && text.chars().count() <= MAX_RULE_CHARS;
        let shown = Some(texts(&wish.rules)).filter(is_short);
        let exact = Some(texts(wish.exact.as_slice())).filter(|exact| is_short(exact) && shown.as_ref() != Some(exact));
        let mut choices = vec![
            choice(REJECT, "Reject", ChoiceKind::RejectOnce),
            choice(ALLOW, "Allow once", ChoiceKind::AllowOnce),
        ];
        choices.extend(KEEPING.iter().filter_map(|(id, which, _, how)| {
            let rules = match which {
                Which::Asked => shown.as_ref()?,
                Which::Exact => exact.as_ref()?,
            };
            Some(choice(id, &format!("Allow {rules} {how}"), ChoiceKind::AllowAlways))
        }));
        let offered: Vec<&str> = choices.iter().map(|choice| choice.id).collect();
        let question = Question {
            title: wish.title,
            detail: framed(&wish.reason, &wish.detail),
            choices,
            rules: shown.unwrap_or_default(),
            takes_text: false,
        };
        let _one_at_a_time = self.answers.lock().await;
        let (id, text) = match host::ask(asking.host, question, asking.cancel).await {
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
        let Some((_, which, scope, _)) = KEEPING.iter().find(|(keeping, ..)| *keeping == id) else {
            return Ok(());
        };
        let rules = match text.as_deref().map(Rule::parse_all) {
            None if *which == Which::Exact => wish.exact.into_iter().collect(),
            None => wish.rules,
            Some(Ok(rules)) => rules,
            Some(Err(problem)) => return denied(&format!("{} was not allowed: {problem}", wish.what)),
        };
        let kept = self.grants.keep(*scope, &wish.folder.path, &rules).await;
        kept.map_err(|error| {
            ApplyError::Io(format!(
                "the permission could not be kept, so nothing was done: {error}"
            ))
        })
    }
}

/// The most characters and lines of a detail that fit on a screen with what stands around it.
const SHORT: (usize, usize) = (600, 10);

/// What is asked about after the reason; where it is long, the reason stands at its end too.
pub(super) fn framed(reason: &str, detail: &str) -> String {
    let (reason, detail) = (reason.trim_end(), detail.trim_end());
    let is_long = detail.len() > SHORT.0 || detail.lines().count() > SHORT.1;
    let parts = [reason, detail, if is_long { reason } else { "" }];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Whether exactly this answer was given before the turn was stopped.
pub(super) async fn says(asking: Asking<'_>, question: Question, yes: &str) -> bool {
    let answer = host::ask(asking.host, question, asking.cancel).await;
    matches!(answer, Answer::Chosen(id) if id == yes)
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
