//! The tool calls of one answer: run, bounded, told, and each of them answered.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use super::call_summary::{self, cut_line};
use super::{Running, enclosed};
use crate::event::{EventKind, Outcome, ToolCall, ToolResult};
use crate::model::{Block, ToolUse};
use crate::permission::{Asking, Patterns};
use crate::tools::{Tool, ToolContext, ToolError, ToolOutput};

/// How long a call that may change something has to end by itself when the person stops the turn. An edit that is
/// already on its way is recorded then, and can be undone.
const GRACE: Duration = Duration::from_secs(2);

/// What happened to a call.
struct Answer {
    ok: bool,
    text: String,
    summary: String,
    truncated: bool,
    fatal: Option<String>,
}

impl Answer {
    fn error(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            ok: false,
            summary: cut_line(&text),
            text,
            truncated: false,
            fatal: None,
        }
    }
}

impl Running<'_> {
    /// Runs the calls of one answer. Neighbours that only read, or fork, run together; a call that may change something
    /// runs alone and in its turn. Gives one result for each call, and the outcome where the turn can't go on.
    pub(super) async fn run_calls(&self, calls: &[ToolUse]) -> (Vec<Block>, Option<Outcome>) {
        let mut results = Vec::with_capacity(calls.len());
        let mut fatal: Option<String> = None;
        let is_social = |call: &ToolUse| {
            let input = call.input.as_ref().unwrap_or(&Value::Null);
            self.tool(&call.name).is_some_and(|tool| tool.runs_beside_others(input))
        };
        for batch in calls.chunk_by(|one, next| is_social(one) && is_social(next)) {
            let begun = results.len();
            let run = batch.iter().enumerate().map(|(index, call)| {
                let refusal = if fatal.is_some() {
                    Some("not run: the turn ended before".to_owned())
                } else if begun + index >= self.engine.limits.calls {
                    Some(format!(
                        "not run: at most {} calls in one answer; call it again",
                        self.engine.limits.calls
                    ))
                } else {
                    None
                };
                self.run_call(call, refusal)
            });
            let answers = join_all(run).await;
            for (call, answer) in batch.iter().zip(answers) {
                fatal = fatal.or(answer.fatal);
                results.push(Block::ToolResult {
                    id: call.id.clone(),
                    content: answer.text,
                    is_error: !answer.ok,
                });
            }
        }
        let ended = if self.cancel.is_cancelled() {
            Some(Outcome::Cancelled)
        } else {
            fatal.map(Outcome::Failed)
        };
        (results, ended)
    }

    fn tool(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools
            .iter()
            .find(|(spec, _)| spec.name == name)
            .map(|(_, tool)| tool)
    }

    /// Runs one call, or answers it with why it is not run, and tells its begin and its end.
    async fn run_call(&self, call: &ToolUse, refusal: Option<String>) -> Answer {
        let told = ToolCall {
            id: call.id.clone(),
            name: cut_line(&call.name),
            summary: self.summary(call),
            arguments: match &call.input {
                Ok(input) => call_summary::arguments(input),
                Err(text) => call_summary::arguments(&Value::String(text.clone())),
            },
        };
        self.emit(EventKind::ToolStarted(told.clone()));
        let began = Instant::now();
        let mut answer = match refusal {
            Some(reason) => Answer::error(reason),
            None => self.execute(call).await,
        };
        let limit = self.engine.limits.result_bytes;
        if answer.text.len() > limit {
            let whole = answer.text.len();
            answer.text.truncate(answer.text.floor_char_boundary(limit));
            answer
                .text
                .push_str(&format!("\n[cut: these are the first {limit} of {whole} bytes]"));
            answer.truncated = true;
        }
        if let Some(warning) = self.tell_invisible(&format!("what {} gave", told.name), &answer.text) {
            answer.text.push_str(&format!("\n{warning}"));
        }
        let result = ToolResult {
            ok: answer.ok,
            summary: cut_line(&answer.summary),
            output: call_summary::output(&answer.text),
            truncated: answer.truncated,
            duration: began.elapsed(),
        };
        self.emit(EventKind::ToolFinished(told, result));
        answer
    }

    async fn execute(&self, call: &ToolUse) -> Answer {
        if self.cancel.is_cancelled() {
            return Answer::error("not run: cancelled by the person");
        }
        let Some(tool) = self.tool(&call.name) else {
            let names: Vec<_> = self.tools.iter().map(|(spec, _)| spec.name).collect();
            return Answer::error(format!(
                "unknown tool {:?}; the tools are: {}",
                call.name,
                names.join(", ")
            ));
        };
        let input = match &call.input {
            Ok(input) => input.clone(),
            Err(text) => {
                let why = match serde_json::from_str::<Value>(text) {
                    Ok(_) => "it is JSON, but no object".to_owned(),
                    Err(error) => error.to_string(),
                };
                let message = format!(
                    "the arguments of {} are no JSON object ({why}); call it again with valid JSON",
                    call.name
                );
                return Answer::error(message);
            }
        };
        let context = ToolContext {
            turn: self.id.clone(),
            call: call.id.clone(),
            workspace: self.engine.workspace.clone(),
            host: self.engine.host.clone(),
            ledger: self.engine.ledger.clone(),
            permissions: self.engine.permissions.clone(),
            changes: self.engine.changes.clone(),
            cancel: self.cancel.clone(),
        };
        let asking = Asking {
            host: &*self.engine.host,
            turn: self.id,
            cancel: &self.cancel,
        };
        let before = self.hook_call("PreToolUse", &call.id, &call.name, &input, None).await;
        if let Some(why) = before.stopped {
            return Answer {
                fatal: Some(why.clone()),
                ..Answer::error(format!("not run: {why}"))
            };
        }
        if let Some(why) = before.blocked {
            return Answer::error(format!("a hook forbids this call: {why}"));
        }
        let input = before.input.unwrap_or(input);
        if let Some(why) = before.asks
            && let Err(refusal) = self
                .engine
                .permissions
                .confirm_call(asking, &call.name, &why, &input)
                .await
        {
            return Answer::error(refusal.to_string());
        }
        let patterns = Patterns::of(&self.engine.skills.library.catalog());
        let permissions = &self.engine.permissions;
        if let Err(refusal) = permissions.before_call(asking, &patterns, &call.name, &input).await {
            return Answer::error(refusal.to_string());
        }
        // The async block catches a panic before the first await too.
        let given = input.clone();
        let mut running = std::pin::pin!(AssertUnwindSafe(async { tool.run(&context, given).await }).catch_unwind());
        let ended = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            ended = &mut running => Some(ended),
        };
        let ended = match ended {
            None if tool.is_mutating() => tokio::time::timeout(GRACE, running).await.ok(),
            ended => ended,
        };
        let answer = match ended {
            Some(Ok(Ok(ToolOutput {
                text,
                summary,
                truncated,
            }))) => Answer {
                ok: true,
                text,
                summary,
                truncated,
                fatal: None,
            },
            Some(Ok(Err(ToolError::Respond(text)))) => Answer::error(text),
            Some(Ok(Err(ToolError::Fatal(text)))) => Answer {
                fatal: Some(text.clone()),
                ..Answer::error(text)
            },
            Some(Err(panic)) => {
                let message = format!("the tool {} broke down: {}", call.name, panic_message(&*panic));
                self.emit(EventKind::Note(format!(
                    "{message} (an error in this program, please report it)"
                )));
                Answer::error(format!("{message}; do without it, or call it with other arguments"))
            }
            None if tool.is_mutating() => {
                Answer::error("cancelled by the person; it may have changed something: read the file again")
            }
            None => Answer::error("cancelled by the person"),
        };
        self.after(call, &input, before.context, answer).await
    }

    /// The answer with what hooks say of it.
    async fn after(&self, call: &ToolUse, input: &Value, before: Vec<String>, mut answer: Answer) -> Answer {
        let event = if answer.ok { "PostToolUse" } else { "PostToolUseFailure" };
        let said = self
            .hook_call(event, &call.id, &call.name, input, Some(&answer.text))
            .await;
        for text in before.into_iter().chain(said.context) {
            answer.text.push_str(&format!("\n\n{}", enclosed("context", "", &text)));
        }
        if let Some(reason) = said.blocked {
            answer.text.push_str(&format!("\n\n{}", enclosed("hook", "", &reason)));
        }
        answer.fatal = answer.fatal.or(said.stopped);
        answer
    }

    /// The arguments on one line, whatever the model sent.
    fn summary(&self, call: &ToolUse) -> String {
        let summary = match (&call.input, self.tool(&call.name)) {
            (Ok(input), Some(tool)) => {
                catch_unwind(AssertUnwindSafe(|| tool.summary(input))).unwrap_or_else(|_| input.to_string())
            }
            (Ok(input), None) => input.to_string(),
            (Err(text), _) => text.clone(),
        };
        cut_line(&summary)
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
