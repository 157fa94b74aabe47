//! A conversation in the terminal: what happens in a session is shown, questions are asked, and what is typed is sent.

use std::collections::VecDeque;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

mod review;

use self::review::Review;
use super::keys::{Key, Keys};
use super::output;
use crate::attached::{ATTACH, AttachParams, Attached};
use crate::headless::Editor;
use crate::printable::{printable, printable_lines};
use crate::protocol::commands;
use crate::protocol::session::ContentBlock;
use crate::protocol::update::{Meta, StopReason, ToolStatus, TurnState, Update};
use crate::protocol::{PermissionOption, PermissionParams};

/// A joined session.
pub struct Conversation {
    link: Editor,
    /// What was joined.
    pub attached: Attached,
    ways: Ways,
    /// The questions that wait, the one that is asked first.
    questions: VecDeque<PermissionParams>,
    /// What was changed and is being decided about.
    review: Option<Review>,
    running: bool,
    /// How many prompts wait for the turn's end.
    waiting: usize,
    /// Whether what the model said last ends in the middle of a line.
    is_mid_line: bool,
}

/// How it is shown, and when it ends.
#[derive(Debug, Clone, Copy)]
pub struct Ways {
    /// Print each update as JSON, a line each, and nothing else on stdout.
    pub as_json: bool,
    /// Whether somebody can answer questions.
    pub can_answer: bool,
    /// Ends with the turn and what waits behind it; else with the input.
    pub ends_with_turn: bool,
}

impl Conversation {
    /// Joins a session over a connection.
    pub async fn join(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        params: AttachParams,
        ways: Ways,
    ) -> Result<Self> {
        let (reader, writer) = tokio::io::split(stream);
        let mut link = Editor::new(reader, writer);
        let attached: Attached = serde_json::from_value(link.request(ATTACH, json!(params)).await?)?;
        Ok(Self {
            link,
            running: attached.is_running,
            attached,
            ways,
            questions: VecDeque::new(),
            review: None,
            waiting: 0,
            is_mid_line: false,
        })
    }

    /// Runs a command of the server.
    pub async fn execute(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let params = json!({"command": command, "arguments": arguments});
        self.link.request("workspace/executeCommand", params).await
    }

    /// Shows and sends until it ends; the exit code is 1 where the last turn did not end well.
    pub async fn follow(&mut self, mut keys: Keys) -> Result<ExitCode> {
        let mut has_keys = true;
        loop {
            for (method, params) in self.link.unread() {
                if let Some(code) = self.take(&method, params).await? {
                    return Ok(code);
                }
            }
            tokio::select! {
                received = self.link.receive() => if received.is_err() {
                    output::note("the session is closed");
                    return Ok(ExitCode::from(u8::from(self.ways.ends_with_turn)));
                },
                key = keys.next(), if has_keys => match key {
                    Some(Key::End) | None => {
                        has_keys = false;
                        if !self.ways.ends_with_turn && !self.running {
                            return Ok(ExitCode::SUCCESS);
                        }
                    }
                    Some(key) => if let Err(error) = self.typed(key).await {
                        output::note(&error.to_string());
                    },
                },
                interrupted = tokio::signal::ctrl_c(), if !self.ways.ends_with_turn => {
                    interrupted?;
                    output::note("left; the session goes on");
                    return Ok(ExitCode::SUCCESS);
                }
            }
            // The input is over, and so is all that it began.
            if !has_keys && !self.ways.ends_with_turn {
                self.ways.ends_with_turn = true;
                self.ways.can_answer = false;
            }
        }
    }

    /// Does what a key means.
    async fn typed(&mut self, key: Key) -> Result<()> {
        let session = self.attached.session_id.clone();
        match key {
            Key::Line(text) if !self.questions.is_empty() => self.answer_question(text.trim()).await?,
            Key::Line(text) if self.review.is_some() => self.decide(text.trim()).await?,
            Key::Line(text) if text.trim().is_empty() => {}
            Key::Line(text) => {
                let place = json!({"sessionId": session});
                let answer = self.execute(commands::ASK, json!([text, place])).await?;
                match answer["accepted"].as_str() {
                    Some("queued") => output::note("it waits for the turn's end (Ctrl+T: tell the model at once)"),
                    Some("steered") => output::note("the model is told before its next step"),
                    Some("started") => self.running = true,
                    _ => {}
                }
                if let Some(message) = answer["message"].as_str() {
                    message.lines().for_each(output::note);
                }
            }
            Key::Toggle => {
                let answer = self.execute(commands::TOGGLE_DELIVERY, json!([session])).await?;
                output::note(match answer["delivery"].as_str() {
                    Some("steer") => "from now on input is told to the model at once",
                    _ => "from now on input waits for the turn's end",
                });
            }
            Key::Review => self.show_changes().await?,
            Key::Escape if !self.questions.is_empty() => self.close().await?,
            Key::Escape if self.review.take().is_some() => output::note("left as it is"),
            Key::Escape => {
                self.execute(commands::CANCEL, json!([session])).await?;
            }
            Key::End => {}
        }
        Ok(())
    }

    /// Shows a message; gives the exit code where it was the last one.
    async fn take(&mut self, method: &str, params: Value) -> Result<Option<ExitCode>> {
        match method {
            "skills/session/update" => return self.update(&params),
            "skills/permission/request" => {
                if let Ok(question) = serde_json::from_value(params) {
                    self.questions.push_back(question);
                    if self.questions.len() == 1 {
                        self.ask().await?;
                    }
                }
            }
            "skills/permission/resolved" => {
                let was_asked = self
                    .questions
                    .front()
                    .is_some_and(|it| params["requestId"] == *it.request_id);
                self.questions
                    .retain(|question| params["requestId"] != *question.request_id);
                if was_asked {
                    self.ask().await?;
                }
            }
            _ => {}
        }
        Ok(None)
    }

    fn update(&mut self, params: &Value) -> Result<Option<ExitCode>> {
        let as_json = self.ways.as_json;
        let mut out = output::stdout();
        if as_json {
            writeln!(out, "{params}")?;
        }
        // What a later server says in another way is passed over.
        let update = serde_json::from_value(params["update"].clone()).unwrap_or(Update::Unknown);
        let note = |line: String| {
            if !as_json {
                output::note(&line);
            }
        };
        if matches!(
            update,
            Update::ToolCallUpdate(_) | Update::Note { .. } | Update::StateUpdate(_)
        ) {
            self.end_line(&mut out)?;
        }
        let mut code = None;
        match update {
            Update::AgentMessageChunk {
                content: ContentBlock::Text { text },
                ..
            } => {
                self.is_mid_line = !as_json && !text.ends_with('\n');
                if !as_json {
                    write!(out, "{}", printable_lines(&text))?;
                }
            }
            Update::ToolCallUpdate(call) if call.status == Some(ToolStatus::InProgress) => {
                let (name, title) = (call.name.unwrap_or_default(), call.title.unwrap_or_default());
                note(format!("{} {}", printable(&name), printable(&title)));
            }
            Update::ToolCallUpdate(call) if call.status == Some(ToolStatus::Failed) => {
                note(format!("failed: {}", printable(call.line())));
            }
            Update::Note { text } => note(printable(&text)),
            Update::Queue(queue) => self.waiting = queue.follow_ups.len(),
            Update::StateUpdate(turn) if turn.state == TurnState::Running => self.running = true,
            Update::StateUpdate(turn) => {
                self.running = false;
                if let Some(Meta { skills: ended }) = turn.meta {
                    let cost = ended.cost.map(|cost| format!(", cost {cost:.4}"));
                    // Where the model never answered only the reason counts.
                    if ended.message.is_none() || ended.input_tokens > 0 || ended.output_tokens > 0 {
                        note(format!(
                            "{} tokens read, {} written{}",
                            ended.input_tokens,
                            ended.output_tokens,
                            cost.unwrap_or_default()
                        ));
                    }
                    if let Some(problem) = ended.message {
                        note(printable(&problem));
                    }
                }
                if turn.stop_reason == Some(StopReason::Cancelled) {
                    note("stopped".to_owned());
                }
                let is_well = turn.stop_reason == Some(StopReason::EndTurn);
                // After a good end what waits begins by itself.
                if self.ways.ends_with_turn && !(is_well && self.waiting > 0) {
                    code = Some(ExitCode::from(u8::from(!is_well)));
                }
            }
            _ => {}
        }
        out.flush()?;
        Ok(code)
    }

    /// Ends the line that the model left open: what follows is another message.
    fn end_line(&mut self, out: &mut impl Write) -> Result<()> {
        if std::mem::take(&mut self.is_mid_line) {
            writeln!(out)?;
            // Notes go to stderr, which may be the same screen.
            out.flush()?;
        }
        Ok(())
    }

    /// Asks the first question that waits. Where nobody can answer nothing is allowed.
    async fn ask(&mut self) -> Result<()> {
        self.end_line(&mut output::stdout())?;
        let Some(question) = self.questions.front() else {
            return Ok(());
        };
        std::iter::once(question.title.as_str())
            .chain(question.description.lines())
            .for_each(output::note);
        if !self.ways.can_answer {
            output::note("not allowed: there is no terminal to answer in");
            return self.close().await;
        }
        for (number, PermissionOption { name, .. }) in options(question).iter().enumerate() {
            output::note(&format!("  {}: {}", number + 1, printable(name)));
        }
        if question.takes_text {
            output::note("  or type your answer");
        } else if question.rules.is_some() {
            output::note("  a number may be followed by a reason, or by the rule to keep instead");
        }
        Ok(())
    }

    /// Answers the question that is asked with a line: a number and perhaps words of one's own, or these alone where they
    /// are an answer. Anything else allows nothing.
    async fn answer_question(&mut self, line: &str) -> Result<()> {
        let Some(question) = self.questions.front() else {
            return Ok(());
        };
        let request = question.request_id.clone();
        let (number, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let options = options(question);
        let chosen = number.parse::<usize>().ok();
        let chosen = chosen.and_then(|number| options.get(number.checked_sub(1)?));
        let arguments = match chosen {
            Some(option) if rest.trim().is_empty() => json!([request, option.option_id]),
            Some(option) => json!([request, option.option_id, rest.trim()]),
            None if question.takes_text && !line.is_empty() => json!([request, "text", line]),
            None => return self.close().await,
        };
        self.execute(commands::ANSWER, arguments).await.map(drop)
    }

    /// Closes the question that is asked without an answer.
    async fn close(&mut self) -> Result<()> {
        let Some(question) = self.questions.front() else {
            return Ok(());
        };
        let request = json!([question.request_id]);
        self.execute(commands::ANSWER, request).await.map(drop)
    }
}

/// The answers in the order in which they are shown: those that allow nothing first.
fn options(question: &PermissionParams) -> Vec<PermissionOption> {
    let mut options = question.options.clone();
    options.sort_by_key(|option| option.kind);
    options
}
