//! What hooks decided: read from exit codes, from JSON, and from a model's answer.

use serde_json::Value;

use super::command::Ended;
use crate::model::Usage;
use crate::process::capture::plain;

/// The most characters of what a hook says to anybody.
const MOST: usize = 10_000;

/// What the hooks for one event decided together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Why what happened must not be, for the model.
    pub blocked: Option<String>,
    /// Why the turn ends, for the person.
    pub stopped: Option<String>,
    /// Why the person must be asked, whatever is allowed.
    pub asks: Option<String>,
    /// What the model is told.
    pub context: Vec<String>,
    /// The tool's arguments in place of those that it was called with.
    pub input: Option<Value>,
    /// What the person is told.
    pub notes: Vec<String>,
    /// What questions to the model cost.
    pub usage: Usage,
    /// Whether one did not come to a decision; nothing follows from that.
    pub failed: bool,
}

impl Verdict {
    pub(super) fn note(&mut self, skill: &str, text: &str) {
        self.notes.push(format!("hook of the skill {skill}: {}", cut(text)));
    }

    pub(super) fn failed(&mut self, skill: &str, why: &str) {
        self.failed = true;
        self.note(skill, why);
    }

    pub(super) fn join(&mut self, other: Self) {
        self.blocked = self.blocked.take().or(other.blocked);
        self.stopped = self.stopped.take().or(other.stopped);
        self.asks = self.asks.take().or(other.asks);
        self.input = other.input.or(self.input.take());
        self.context.extend(other.context);
        self.notes.extend(other.notes);
        self.usage += other.usage;
        self.failed |= other.failed;
    }

    /// Exit code 0 is an answer on standard output, 2 a no with its reason on standard error, and any other a failure of
    /// the hook, after which all goes on.
    pub(super) fn of_command(&mut self, skill: &str, event: &str, ended: Ended) {
        match ended {
            Ended::Exit { code: 0, output, .. } => self.of_output(skill, event, &output),
            Ended::Exit { code: 2, errors, .. } => self.blocked = Some(reason(&errors)),
            Ended::Exit { code, errors, .. } => {
                let first = errors.lines().next().unwrap_or_default();
                self.failed(skill, &format!("it ended with {code}: {first}"));
            }
            Ended::TimedOut(limit) => self.failed(skill, &format!("it took longer than {} s", limit.as_secs())),
            Ended::Cancelled => {}
            Ended::NotStarted(error) => self.failed(skill, &format!("it could not be started: {error}")),
        }
    }

    /// What a hook said that was content: an answer in JSON, or a text for the model where a message can carry it.
    pub(super) fn of_output(&mut self, skill: &str, event: &str, output: &str) {
        match serde_json::from_str(output.trim()) {
            Ok(Value::Object(answer)) => self.of_answer(skill, &Value::Object(answer)),
            _ if event == "UserPromptSubmit" && !output.trim().is_empty() => self.context.push(cut(output)),
            _ => {}
        }
    }

    pub(super) fn of_model(&mut self, skill: &str, text: &str, usage: Usage) {
        self.usage += usage;
        let object = text
            .find('{')
            .zip(text.rfind('}'))
            .and_then(|(start, end)| text.get(start..=end));
        let answer: Option<Value> = object.and_then(|object| serde_json::from_str(object).ok());
        match answer.as_ref().and_then(|answer| answer["ok"].as_bool()) {
            Some(true) => {}
            Some(false) => {
                self.blocked = Some(reason(
                    answer.unwrap_or_default()["reason"].as_str().unwrap_or_default(),
                ))
            }
            None => self.failed(skill, &format!("the model gave no decision: {text}")),
        }
    }

    fn of_answer(&mut self, skill: &str, answer: &Value) {
        let text = |value: &Value| value.as_str().map(cut);
        if let Some(message) = text(&answer["systemMessage"]) {
            self.note(skill, &message);
        }
        if answer["continue"] == false {
            let why = text(&answer["stopReason"]).unwrap_or_else(|| "without a reason".to_owned());
            self.stopped = Some(format!("a hook of the skill {skill} ended the turn: {why}"));
        }
        if answer["decision"] == "block" {
            self.blocked = Some(reason(answer["reason"].as_str().unwrap_or_default()));
        }
        let specific = &answer["hookSpecificOutput"];
        let why = specific["permissionDecisionReason"].as_str().unwrap_or_default();
        match specific["permissionDecision"].as_str() {
            Some("deny") => self.blocked = Some(reason(why)),
            Some("ask") => self.asks = Some(format!("A hook of the skill {skill} asks: {}", reason(why))),
            // A skill grants nothing: what it would allow goes on to the person's own rules.
            _ => {}
        }
        self.input = Some(specific["updatedInput"].clone()).filter(Value::is_object);
        let context = text(&specific["additionalContext"]).or_else(|| text(&answer["additionalContext"]));
        self.context.extend(context);
    }
}

fn reason(text: &str) -> String {
    match cut(text) {
        text if text.is_empty() => "it gave no reason".to_owned(),
        text => text,
    }
}

fn cut(text: &str) -> String {
    plain(text).trim().chars().take(MOST).collect()
}
