//! One turn: the person asks, the model answers and calls tools, until it has no more to do.
//!
//! Whatever happens, a turn tells [`EventKind::Started`] first and [`EventKind::Ended`] last, and leaves a conversation
//! that the next turn can go on with.

mod answering;
mod call_summary;
mod calls;
mod compaction;
mod engine;
mod fork;
mod hooking;
mod inputs;
mod invisible;
mod invocation;
mod skills;
pub mod steering;

use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub use engine::{ChosenModel, Control, Engine, Limits, Models, TurnInput};
pub use invocation::Invoke;

use crate::activation::briefing::Briefing;
use crate::activation::known::{self, Text, enclosed};
use crate::conversation::Conversation;
use crate::event::{Event, EventKind, Outcome, TurnId};
use crate::model::{Block, ModelEvent, Request, StopReason, ToolSpec, ToolUse};
use crate::tools::Tool;

use self::answering::{Answering, Spent};
use self::compaction::Length;
use self::steering::Steering;

/// How often in a row hooks may have the model go on that wants to stop, as in Claude Code 2.1.
const HOOK_STOPS: u32 = 8;

/// What the model is told about its place; the same for every session, so that the wire can cache it.
pub const SYSTEM: &str = include_str!("turn/system.md");

/// Runs one turn to its end, whatever the end is. Nothing but [`Host::emit`](crate::host::Host::emit) tells what happens
/// meanwhile.
pub async fn run(turn: TurnInput, conversation: &mut Conversation, engine: &Engine, control: Control) -> Outcome {
    let costs = (Answering::of(engine), Spent::default());
    let mut running = Running::new(&turn.id, engine, control, costs, RunsIn::Conversation);
    running.filled = conversation.tokens;
    running.emit(EventKind::Started {
        prompt: turn.prompt.clone(),
        skill: turn.skills.first().map(Invoke::identity),
        model: engine.model.label(),
    });
    for note in turn.notes.iter().cloned() {
        running.emit(EventKind::Note(note));
    }
    let outcome = match turn.skills.first().filter(|invoke| invoke.skill.metadata.forks) {
        Some(invoke) => running.apart(invoke, &turn, conversation).await,
        None => running.begin(&turn, conversation).await,
    };
    if let Outcome::Failed(why) = &outcome {
        let input = json!({"error": "unknown", "error_details": why});
        running.hook("StopFailure", &["unknown"], input).await;
    }
    let (usage, cost) = running.spent.sum(engine.price);
    running.emit(EventKind::Ended {
        outcome: outcome.clone(),
        usage,
        cost,
    });
    outcome
}

/// A text that came by itself or was invoked, and why it is there.
fn brought(texts: Vec<Text>) -> impl Iterator<Item = String> {
    texts.into_iter().flat_map(Text::written)
}

fn blocks(texts: impl IntoIterator<Item = String>) -> Vec<Block> {
    let is_said = |text: &String| !text.trim().is_empty();
    texts.into_iter().filter(is_said).map(Block::Text).collect()
}

/// Where a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunsIn {
    /// In the session's conversation.
    Conversation,
    /// In a context of a skill's own, from which nothing forks again.
    Fork,
    /// In that of a hook; no hook runs for it.
    Hook,
}

/// A turn while it runs.
struct Running<'a> {
    id: &'a TurnId,
    engine: &'a Engine,
    tools: Vec<(ToolSpec, Arc<dyn Tool>)>,
    cancel: CancellationToken,
    steering: Arc<Steering>,
    answering: Answering,
    spent: Spent,
    place: RunsIn,
    /// What the agent of a fork is told about its part.
    part: Option<String>,
    /// The most answers of the model.
    iterations: u32,
    /// How many tokens the conversation had with its last answer.
    filled: u64,
    /// What the endpoint said when the conversation was too long for it.
    too_long: Option<String>,
}

impl<'a> Running<'a> {
    fn new(id: &'a TurnId, engine: &'a Engine, control: Control, costs: (Answering, Spent), place: RunsIn) -> Self {
        let of_skills = skills::tools(engine, &costs, place);
        let (answering, spent) = costs;
        let all = engine.tools.iter().chain(&of_skills);
        let mut tools: Vec<_> = all.map(|tool| (tool.spec(), tool.clone())).collect();
        tools.sort_by_key(|(spec, _)| spec.name);
        Self {
            id,
            engine,
            tools,
            cancel: control.cancel,
            steering: control.steering,
            answering,
            spent,
            place,
            part: None,
            iterations: engine.limits.iterations,
            filled: 0,
            too_long: None,
        }
    }

    fn emit(&self, kind: EventKind) {
        self.engine.host.emit(Event {
            turn: self.id.clone(),
            kind,
        });
    }

    async fn begin(&mut self, turn: &TurnInput, conversation: &mut Conversation) -> Outcome {
        self.follow(conversation);
        match self.message(turn).await {
            Ok(message) => self.converse(message, conversation).await,
            Err(outcome) => outcome,
        }
    }

    /// What the conversation holds is what counts as told.
    fn follow(&self, conversation: &Conversation) {
        self.engine.skills.told.follow(&known::known(conversation.messages()));
    }

    /// The person's message: what comes by itself, the skills, the context, and last the prompt. The outcome where a
    /// skill can't be had.
    async fn message(&self, turn: &TurnInput) -> Result<Vec<Block>, Outcome> {
        let is_said = |text: &String| !text.trim().is_empty();
        if turn.skills.is_empty() && !turn.context.iter().chain([&turn.prompt]).any(is_said) {
            return Ok(Vec::new());
        }
        let open = self.engine.host.open_files();
        let mut texts: Vec<String> = self
            .brief(self.engine.skills.with_message(&turn.prompt, &open))
            .collect();
        for invoke in &turn.skills {
            texts.extend(brought(self.invoke(invoke).await?));
        }
        let hidden: Vec<_> = texts
            .iter()
            .filter_map(|text| self.tell_invisible("a skill", text))
            .collect();
        texts.extend(hidden);
        texts.extend(turn.context.iter().map(|text| enclosed("context", "", text)));
        // Hooks of a skill count from the turn in which it is invoked.
        let said = self.hook("UserPromptSubmit", &[], json!({"prompt": turn.prompt})).await;
        if let Some(why) = said.stopped.or(said.blocked) {
            return Err(Outcome::Failed(format!("a hook refused the message: {why}")));
        }
        texts.extend(said.context.iter().map(|text| enclosed("context", "", text)));
        texts.push(turn.prompt.clone());
        Ok(blocks(texts))
    }

    /// Whether a rule of the person keeps a file from the model.
    fn is_kept_back(&self, path: &Path) -> bool {
        let rules = self.engine.permissions.path_rules(self.id, &self.engine.workspace);
        rules.is_some_and(|rules| rules.keep_back(path))
    }

    /// The texts for the model; the person is told the rest.
    fn brief(&self, mut briefing: Briefing) -> impl Iterator<Item = String> + use<> {
        let Briefing { texts, notes } = &mut briefing;
        texts.retain(|text| {
            let mut files = text.path.iter().chain(&text.imports);
            let kept = files.find(|file| self.is_kept_back(file));
            let note = kept.map(|file| {
                let (name, file) = (&text.name, file.display());
                format!("{name} is left out: a rule denies {file} (setting permissions.deny)")
            });
            notes.extend(note.filter(|note| self.engine.skills.told.is_news(note)));
            kept.is_none()
        });
        briefing
            .notes
            .into_iter()
            .for_each(|note| self.emit(EventKind::Note(note)));
        brought(briefing.texts)
    }

    async fn converse(&mut self, message: Vec<Block>, conversation: &mut Conversation) -> Outcome {
        if message.is_empty() {
            return Outcome::Failed("there is nothing to do: write a prompt, or name a skill".into());
        }
        let limits = self.engine.limits;
        conversation.answer_open_calls("not run: the turn was interrupted");
        // Before the person's words are in it, so that they stay as they are.
        if let Err(outcome) = self.compact_if_full(conversation).await {
            return outcome;
        }
        let before = conversation.mark();
        let has_past = !conversation.messages().is_empty();
        let mut made_room = false;
        let mut hook_stops = 0;
        conversation.push_user(message.clone());
        for iteration in 0..self.iterations {
            if self.cancel.is_cancelled() {
                return Outcome::Cancelled;
            }
            if let Some(why) = self.spent_all() {
                return Outcome::Limited(why);
            }
            self.steer(self.steering.take(), conversation);
            let reason = match self.respond(conversation).await {
                Ok(reason) => reason,
                Err(outcome) => return outcome,
            };
            let calls = last_calls(conversation);
            match reason {
                StopReason::MaxTokens => {
                    return Outcome::Limited(format!(
                        "the answer was cut at {} tokens, and no tool call of it was run; ask for smaller steps, or to \
                         continue",
                        limits.answer_tokens
                    ));
                }
                // Shortened once; what is full again then is the message itself.
                StopReason::ContextFull if !made_room && (has_past || iteration > 0) => {
                    made_room = true;
                    if iteration == 0 {
                        conversation.rewind(before);
                    }
                    if let Err(outcome) = self.compact(conversation, Length::Shortened).await {
                        return outcome;
                    }
                    if iteration == 0 {
                        conversation.push_user(message.clone());
                    }
                }
                StopReason::ContextFull => {
                    return Outcome::Limited(self.too_long.take().unwrap_or_else(|| {
                        "the conversation fills what the model can read, and no tool call of the cut answer was run; \
                         begin a new one with /clear, or read less at once"
                            .into()
                    }));
                }
                StopReason::Refusal => {
                    // With the refused words in the conversation the model would decline for ever.
                    conversation.rewind(before);
                    return Outcome::Failed(
                        "the model declined to answer; this turn was taken out of the conversation, ask in another way"
                            .into(),
                    );
                }
                // Some compatible servers give another reason with calls; the calls count.
                _ if !calls.is_empty() => {
                    let (mut results, ended) = self.run_calls(&calls).await;
                    hook_stops = 0;
                    let told = self.hook_batch(&calls, &results).await;
                    let ended = ended.or(told.blocked.or(told.stopped).map(Outcome::Failed));
                    results.extend(blocks(told.context.iter().map(|text| enclosed("context", "", text))));
                    let files = self.engine.ledger.files();
                    results.extend(blocks(self.brief(self.engine.skills.with_files(&files))));
                    conversation.push_user(results);
                    if let Some(outcome) = ended {
                        return outcome;
                    }
                    if let Err(outcome) = self.compact_if_full(conversation).await {
                        return outcome;
                    }
                }
                StopReason::Pause => {}
                StopReason::EndTurn | StopReason::ToolUse => {
                    // Before the turn closes: what a hook wants done is done in it.
                    let is_again = hook_stops > 0;
                    let event = if self.place != RunsIn::Conversation {
                        "SubagentStop"
                    } else {
                        "Stop"
                    };
                    let said = self.hook(event, &[], json!({"stop_hook_active": is_again})).await;
                    if let (None, Some(reason)) = (said.stopped, said.blocked)
                        && hook_stops < HOOK_STOPS
                    {
                        hook_stops += 1;
                        conversation.push_user(vec![Block::Text(enclosed("hook", "", &reason))]);
                        continue;
                    }
                    let said = self.steering.take_or_close();
                    if said.is_empty() {
                        return Outcome::Finished;
                    }
                    self.steer(said, conversation);
                }
                StopReason::Other(reason) => {
                    let message = format!("the answer ended with `{reason}`, which this version does not know");
                    return Outcome::Limited(message);
                }
            }
        }
        Outcome::Limited(format!(
            "the model was stopped after {} rounds of tool calls; say `continue` to let it go on",
            self.iterations
        ))
    }

    /// Why a context of a skill's own has to end, once it took all tokens that it may take.
    fn spent_all(&self) -> Option<String> {
        let (taken, most) = (self.answering.taken(), self.engine.limits.fork_tokens);
        (self.place != RunsIn::Conversation && taken >= most).then(|| {
            format!(
                "stopped after {taken} tokens; a skill in a context of its own may take {most}, so give it a smaller task"
            )
        })
    }

    /// Tells the model what the person said meanwhile, with what comes with it.
    fn steer(&self, said: Vec<String>, conversation: &mut Conversation) {
        for text in said {
            let open = self.engine.host.open_files();
            let texts = self.brief(self.engine.skills.with_message(&text, &open));
            conversation.push_user(blocks(texts));
            conversation.push_user(vec![Block::Text(format!("[steering]\n{text}"))]);
            self.emit(EventKind::Steered(text));
        }
    }

    /// One answer of the model, put into the conversation. One that broke off, was cut or refused leaves its text.
    async fn respond(&mut self, conversation: &mut Conversation) -> Result<StopReason, Outcome> {
        let (listing, notice) = self.engine.skills.listing();
        notice.into_iter().for_each(|notice| self.emit(EventKind::Note(notice)));
        // Behind what never changes, so that the wire can cache that.
        let part = self.part.as_deref().unwrap_or_default();
        let said: Vec<_> = [SYSTEM, part, &listing]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        let system = match said.as_slice() {
            [alone] => (*alone).to_owned(),
            several => several
                .iter()
                .map(|text| text.trim_end())
                .collect::<Vec<_>>()
                .join("\n\n"),
        };
        let mut events = self.answering.model().stream(Request {
            system,
            messages: conversation.messages().to_vec(),
            tools: self.tools.iter().map(|(spec, _)| spec.clone()).collect(),
            max_tokens: self.engine.limits.answer_tokens,
        });
        let mut blocks = Vec::new();
        let mut text = String::new();
        let ended = loop {
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled() => break Err(Outcome::Cancelled),
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
                    self.spend(usage);
                    self.filled = usage.total();
                    conversation.tokens = self.filled;
                    let is_cut = matches!(reason, StopReason::MaxTokens | StopReason::ContextFull);
                    if !is_cut && reason != StopReason::Refusal {
                        conversation.push_assistant(blocks);
                        return Ok(reason);
                    }
                    break Ok(reason);
                }
                Some(Err(error)) if error.is_too_long => {
                    self.too_long = Some(error.message);
                    break Ok(StopReason::ContextFull);
                }
                Some(Err(error)) => break Err(Outcome::Failed(error.message)),
                None => {
                    break Err(Outcome::Failed(
                        "the model's answer ended without an end; ask again".into(),
                    ));
                }
            }
        };
        blocks.push(Block::Text(text));
        conversation.push_broken(blocks);
        ended
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
