//! One turn: the person asks, the model answers and calls tools, until it has no more to do.
//!
//! Whatever happens, a turn tells [`EventKind::Started`] first and [`EventKind::Ended`] last, and leaves a conversation
//! that the next turn can go on with.

mod calls;
mod conversation;

use std::sync::Arc;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

pub use conversation::Conversation;

use crate::changes::{ChangeLog, Ledger};
use crate::event::{Event, EventKind, InvokedSkill, Outcome, TurnId};
use crate::host::Host;
use crate::model::{Block, Model, ModelEvent, Request, StopReason, ToolSpec, ToolUse, Usage};
use crate::tools::Tool;
use crate::workspace::Workspace;

/// What the model is told about its place; the same for every session, so that the wire can cache it.
pub const SYSTEM: &str = include_str!("turn/system.md");

/// What a turn works with.
#[derive(Clone)]
pub struct Engine {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The tools offered; the order does not matter.
    pub tools: Arc<[Arc<dyn Tool>]>,
    /// The folders that the tools may touch.
    pub workspace: Arc<Workspace>,
    /// The editor, or the terminal.
    pub host: Arc<dyn Host>,
    /// What the model last saw of each file, over the session.
    pub ledger: Arc<Ledger>,
    /// The session's recorded edits.
    pub changes: Arc<ChangeLog>,
    /// Where a turn is stopped.
    pub limits: Limits,
}

/// Where a turn is stopped, so that no loop is endless and no item unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most answers of the model in one turn. Default: 32, which is what thndrs 0.1 allows (8, continued 3 times).
    pub iterations: u32,
    /// The most tokens of one answer. Default: 32,000, which every current model allows.
    pub answer_tokens: u32,
    /// The most calls that are run of one answer. Default: 32.
    pub calls: usize,
    /// The most bytes of one result that the model is given. Default: 64 KiB.
    pub result_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 32,
            answer_tokens: 32_000,
            calls: 32,
            result_bytes: 64 << 10,
        }
    }
}

/// What the person asks.
#[derive(Debug, Clone)]
pub struct TurnInput {
    /// The turn's identifier, unique within the session.
    pub id: TurnId,
    /// The prompt as the person gave it; may be empty where a skill is invoked.
    pub prompt: String,
    /// The skill that is invoked, with its rendered text.
    pub skill: Option<(InvokedSkill, String)>,
    /// What goes with the prompt, such as the open file and the selection; one text each.
    pub context: Vec<String>,
}

/// Runs one turn to its end, whatever the end is. Nothing but [`Host::emit`] tells what happens meanwhile.
pub async fn run(
    turn: TurnInput,
    conversation: &mut Conversation,
    engine: &Engine,
    cancel: CancellationToken,
) -> Outcome {
    let mut tools: Vec<_> = engine.tools.iter().map(|tool| (tool.spec(), tool.clone())).collect();
    tools.sort_by_key(|(spec, _)| spec.name);
    let mut running = Running {
        id: &turn.id,
        engine,
        tools,
        cancel,
        usage: Usage::default(),
    };
    running.emit(EventKind::Started {
        prompt: turn.prompt.clone(),
        skill: turn.skill.as_ref().map(|(skill, _)| skill.clone()),
        model: engine.model.label(),
    });
    conversation.answer_open_calls("not run: the turn was interrupted");
    let before = conversation.mark();
    conversation.push_user(message(&turn));
    let outcome = running.answer(conversation).await;
    if let Ending::Refused = outcome {
        conversation.rewind(before);
    }
    let outcome = outcome.into_outcome(engine.limits);
    running.emit(EventKind::Ended {
        outcome: outcome.clone(),
        usage: running.usage,
    });
    outcome
}

/// The person's message: the skill, the context, and last the prompt.
///
/// The skill's tag carries its hash, so that no skill's text can close its own tag and speak as the person.
fn message(turn: &TurnInput) -> Vec<Block> {
    let mut texts = Vec::new();
    if let Some((skill, text)) = &turn.skill {
        let tag = format!("skill-{}", skill.sha256.get(..16).unwrap_or(&skill.sha256));
        let path = skill
            .path
            .as_ref()
            .map(|path| format!(" path={:?}", path.display().to_string()))
            .unwrap_or_default();
        texts.push(format!("<{tag} name={:?}{path}>\n{text}\n</{tag}>", skill.name));
        texts.push(format!("Follow the skill {:?} above for this task.", skill.name));
    }
    texts.extend(turn.context.iter().map(|note| format!("<context>\n{note}\n</context>")));
    texts.push(turn.prompt.clone());
    texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(Block::Text)
        .collect()
}

/// How a turn's loop ended.
enum Ending {
    Outcome(Outcome),
    Refused,
    Cut,
    Endless,
}

impl Ending {
    fn into_outcome(self, limits: Limits) -> Outcome {
        match self {
            Self::Outcome(outcome) => outcome,
            Self::Refused => Outcome::Failed(
                "the model declined to answer; this turn was taken out of the conversation, ask in another way".into(),
            ),
            Self::Cut => Outcome::Limited(format!(
                "the answer was cut at {} tokens, and no tool call of it was run; ask for smaller steps, or to continue",
                limits.answer_tokens
            )),
            Self::Endless => Outcome::Limited(format!(
                "the model was stopped after {} rounds of tool calls; say `continue` to let it go on",
                limits.iterations
            )),
        }
    }
}

/// A turn while it runs.
struct Running<'a> {
    id: &'a TurnId,
    engine: &'a Engine,
    tools: Vec<(ToolSpec, Arc<dyn Tool>)>,
    cancel: CancellationToken,
    usage: Usage,
}

impl Running<'_> {
    fn emit(&self, kind: EventKind) {
        self.engine.host.emit(Event {
            turn: self.id.clone(),
            kind,
        });
    }

    async fn answer(&mut self, conversation: &mut Conversation) -> Ending {
        for _ in 0..self.engine.limits.iterations {
            if self.cancel.is_cancelled() {
                return Ending::Outcome(Outcome::Cancelled);
            }
            let reason = match self.respond(conversation).await {
                Ok(reason) => reason,
                Err(ending) => return ending,
            };
            let calls: Vec<ToolUse> = last_calls(conversation);
            match reason {
                StopReason::Pause if calls.is_empty() => {}
                // Some compatible servers give another reason with calls; the calls count.
                _ if !calls.is_empty() => {
                    let (results, ended) = self.run_calls(&calls).await;
                    conversation.push_user(results);
                    if let Some(outcome) = ended {
                        return Ending::Outcome(outcome);
                    }
                }
                StopReason::Other(reason) => {
                    let message = format!("the answer ended with `{reason}`, which this version does not know");
                    return Ending::Outcome(Outcome::Limited(message));
                }
                _ => return Ending::Outcome(Outcome::Finished),
            }
        }
        Ending::Endless
    }

    /// One answer of the model, put into the conversation. An answer that broke off leaves its text.
    async fn respond(&mut self, conversation: &mut Conversation) -> Result<StopReason, Ending> {
        let mut events = self.engine.model.stream(Request {
            system: SYSTEM.to_owned(),
            messages: conversation.messages().to_vec(),
            tools: self.tools.iter().map(|(spec, _)| spec.clone()).collect(),
            max_tokens: self.engine.limits.answer_tokens,
        });
        let mut blocks = Vec::new();
        let mut text = String::new();
        let ending = loop {
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled() => break Ending::Outcome(Outcome::Cancelled),
                event = events.next() => event,
            };
            match event {
                Some(Ok(ModelEvent::TextDelta(delta))) => {
                    text.push_str(&delta);
                    self.emit(EventKind::Text(delta));
                }
                Some(Ok(ModelEvent::ThinkingDelta(delta))) => self.emit(EventKind::Thinking(delta)),
                Some(Ok(ModelEvent::ToolStarted { .. })) => {}
                Some(Ok(ModelEvent::Block(block))) => {
                    if matches!(block, Block::Text(_)) {
                        text.clear();
                    }
                    blocks.push(block);
                }
                Some(Ok(ModelEvent::Retrying { reason })) => {
                    let was_shown = !blocks.is_empty() || !text.is_empty();
                    let void = if was_shown {
                        "; the answer above does not count"
                    } else {
                        ""
                    };
                    self.emit(EventKind::Note(reason + void));
                    blocks.clear();
                    text.clear();
                }
                Some(Ok(ModelEvent::Stop { reason, usage })) => {
                    self.usage += usage;
                    match reason {
                        StopReason::MaxTokens => break Ending::Cut,
                        StopReason::Refusal => break Ending::Refused,
                        reason => {
                            conversation.push_assistant(blocks);
                            return Ok(reason);
                        }
                    }
                }
                Some(Err(error)) => break Ending::Outcome(Outcome::Failed(error.message)),
                None => {
                    break Ending::Outcome(Outcome::Failed(
                        "the model's answer ended without an end; ask again".into(),
                    ));
                }
            }
        };
        blocks.push(Block::Text(text));
        conversation.push_broken(blocks);
        Err(ending)
    }
}

/// The calls of the model's last message.
fn last_calls(conversation: &Conversation) -> Vec<ToolUse> {
    let blocks = conversation
        .messages()
        .last()
        .map(|message| message.content.as_slice())
        .unwrap_or_default();
    let call = |block: &Block| match block {
        Block::ToolUse(call) => Some(call.clone()),
        _ => None,
    };
    blocks.iter().filter_map(call).collect()
}
