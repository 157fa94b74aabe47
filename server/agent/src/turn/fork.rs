//! A skill in a context of its own: it sees nothing of the conversation, and only its last words come back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use skills_schema::subagent::Subagent;

use super::steering::Steering;
use super::{Control, Conversation, Engine, Invoke, Running, RunsIn, TurnInput};
use crate::activation::briefing::Skills;
use crate::activation::known::enclosed;
use crate::event::{Change, Event, EventKind, Outcome, ToolCall, random_id};
use crate::hooks::DECIDE;
use crate::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Proposal, Question, Reviewed, Saved};
use crate::model::choice::Chooser;
use crate::model::{Block, Choice, Role};
use crate::permission::Rule;
use crate::tool_names;

/// The agents that only read, as Claude Code 2.1 calls them.
const READING: &[&str] = &["Explore", "Plan"];
/// The agent that does everything, and the one where none is named.
const GENERAL: &str = "general-purpose";

/// What came out of a fork.
pub(super) struct Forked {
    /// The last words of the model; empty where there were none.
    pub(super) text: String,
    /// How it ended.
    pub(super) outcome: Outcome,
}

impl Running<'_> {
    /// A turn of the person that is a fork: the conversation gets the skill's name and its last words.
    pub(super) async fn apart(
        &mut self,
        invoke: &Invoke,
        turn: &TurnInput,
        conversation: &mut Conversation,
    ) -> Outcome {
        let forked = self.fork(invoke, turn.clone(), self.steering.clone()).await;
        let Forked { text, outcome } = forked;
        if !text.is_empty() {
            self.emit(EventKind::Text(text.clone()));
        }
        let typed = format!("/{} {}", invoke.skill.name, invoke.arguments);
        let said = match &outcome {
            Outcome::Finished => "what it answered follows",
            Outcome::Cancelled => "the person stopped it",
            Outcome::Failed(_) | Outcome::Limited(_) => "it did not come to its end",
        };
        conversation.answer_open_calls("not run: the turn was interrupted");
        conversation.push_user(vec![Block::Text(format!(
            "[{}: this skill worked in a context of its own; {said}]",
            typed.trim_end()
        ))]);
        conversation.push_broken(vec![Block::Text(text)]);
        outcome
    }

    /// Runs a skill in a context of its own, with what the turn has but for the conversation. What it does is told as a
    /// part of this turn; what it says is not.
    pub(super) fn fork<'a>(
        &'a self,
        invoke: &'a Invoke,
        mut turn: TurnInput,
        steering: Arc<Steering>,
    ) -> BoxFuture<'a, Forked> {
        let name = &invoke.skill.name;
        let engine = self.apart_as(name);
        async move {
            let named = invoke.skill.metadata.agent.as_deref();
            let agent = named.unwrap_or(GENERAL);
            let subagent = match named {
                Some(named) => self.subagent(named).await,
                None => None,
            };
            let only_reads = match &subagent {
                Some(subagent) => subagent.only_reads,
                None => READING.contains(&agent),
            };
            if subagent.is_none() && !only_reads && agent != GENERAL {
                self.emit(EventKind::Note(format!(
                    "the skill {name} wants the agent {agent}, which there is not; the agent {GENERAL} does it"
                )));
            }
            self.emit(EventKind::Note(format!(
                "the skill {name} works in a context of its own ({agent})"
            )));
            let control = Control {
                cancel: self.cancel.clone(),
                steering,
            };
            let costs = (self.answering.apart(), self.spent.clone());
            let mut running = Running::new(self.id, &engine, control, costs, RunsIn::Fork);
            running.tools.retain(|(_, tool)| !only_reads || !tool.is_mutating());
            if let Some(subagent) = subagent {
                running.be(agent, subagent, &mut turn);
            }
            running.choose(invoke.model());
            self.hook("SubagentStart", &[agent], json!({"agent_type": agent})).await;
            let mut conversation = Conversation::default();
            let outcome = running.begin(&turn, &mut conversation).await;
            let how = match &outcome {
                Outcome::Finished => "it is done".to_owned(),
                Outcome::Cancelled => "it was stopped".to_owned(),
                Outcome::Failed(why) | Outcome::Limited(why) => why.clone(),
            };
            self.emit(EventKind::Note(format!("the skill {name} ended: {how}")));
            Forked {
                text: last_words(&conversation),
                outcome,
            }
        }
        .boxed()
    }

    /// The agent of that name, where a file describes it.
    async fn subagent(&self, name: &str) -> Option<Subagent> {
        let (catalog, name) = (self.engine.skills.library.catalog(), name.to_owned());
        let found = tokio::task::spawn_blocking(move || catalog.subagents.find(&name)).await;
        found.ok().flatten()
    }

    /// Works as that agent: with its part, its model, and of the tools only those that it may use.
    fn be(&mut self, name: &str, subagent: Subagent, turn: &mut TurnInput) {
        let rules = |list: &[String]| -> Vec<Rule> { list.iter().filter_map(|text| Rule::parse(text).ok()).collect() };
        let allowed = subagent.tools.as_deref().map(rules);
        let disallowed = subagent.disallowed_tools.iter().map(|text| Rule::guarding(text));
        // Other systems have tools that nobody knows here.
        let disallowed = disallowed.filter(|(rule, problem)| problem.is_none() || !rule.is_about_everything());
        let disallowed = disallowed.map(|(rule, _)| rule);
        let (gone, narrowed): (Vec<_>, Vec<_>) = disallowed.partition(Rule::is_whole);
        self.tools.retain(|(spec, _)| {
            let names = tool_names::of(spec.name);
            let is_in = |rules: &[Rule]| rules.iter().any(|rule| rule.is_about(&names));
            allowed.as_deref().is_none_or(is_in) && !is_in(&gone)
        });
        self.engine.permissions.deny(self.id, narrowed);
        let catalog = self.engine.skills.library.catalog();
        for wanted in subagent.skills.iter().rev() {
            let skill = catalog
                .get(wanted)
                .filter(|skill| !skill.metadata.disable_model_invocation);
            match skill {
                Some(skill) => turn.skills.insert(
                    0,
                    Invoke {
                        skill: skill.clone(),
                        arguments: String::new(),
                    },
                ),
                None => self.emit(EventKind::Note(format!(
                    "the agent {name} wants the skill {wanted}, which it can't have"
                ))),
            }
        }
        if let Some(most) = subagent.max_turns {
            self.iterations = self.iterations.min(most);
        }
        self.part = Some(subagent.prompt)
            .filter(|prompt| !prompt.is_empty())
            .map(|prompt| format!("Your part in this task:\n{}", enclosed("agent", "", &prompt)));
        self.choose(Choice {
            by: Chooser::Agent(name.to_owned()),
            model: subagent.model,
            effort: subagent.effort,
        });
    }

    /// The engine for a context of its own, whose doings are told under a name.
    fn apart_as(&self, name: &str) -> Engine {
        let host = Apart {
            host: self.engine.host.clone(),
            name: name.to_owned(),
            mark: random_id().chars().take(8).collect(),
        };
        Engine {
            host: Arc::new(host),
            // What its model saw is not what the model of the conversation saw.
            ledger: Arc::default(),
            skills: Skills {
                told: Arc::default(),
                ..self.engine.skills.clone()
            },
            ..self.engine.clone()
        }
    }

    /// What an agent answers that only reads: for the question of a hook.
    pub(super) fn look(&self, question: String) -> BoxFuture<'_, String> {
        async move {
            let engine = self.apart_as("hook");
            let control = Control {
                cancel: self.cancel.clone(),
                steering: Arc::default(),
            };
            let costs = (self.answering.apart(), self.spent.clone());
            let mut running = Running::new(self.id, &engine, control, costs, RunsIn::Hook);
            running.tools.retain(|(_, tool)| !tool.is_mutating());
            running.part = Some(DECIDE.to_owned());
            let mut conversation = Conversation::default();
            match running.converse(vec![Block::Text(question)], &mut conversation).await {
                Outcome::Finished => last_words(&conversation),
                Outcome::Cancelled => "the person stopped it".to_owned(),
                Outcome::Failed(why) | Outcome::Limited(why) => why,
            }
        }
        .boxed()
    }
}

/// The text of the model's last message.
fn last_words(conversation: &Conversation) -> String {
    let last = conversation.messages().last();
    let content = last.filter(|message| message.role == Role::Assistant);
    let texts = content
        .into_iter()
        .flat_map(|message| &message.content)
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
    texts.collect::<Vec<_>>().join("\n")
}

/// The host of a fork: all that it does is seen, by names of its own; what it says stays in it.
struct Apart {
    host: Arc<dyn Host>,
    name: String,
    /// Keeps its calls apart from those of the conversation and of other forks.
    mark: String,
}

impl Apart {
    fn own(&self, call: &str) -> String {
        format!("{}-{call}", self.mark)
    }

    fn call(&self, call: ToolCall) -> ToolCall {
        ToolCall {
            id: self.own(&call.id),
            summary: format!("[{}] {}", self.name, call.summary),
            ..call
        }
    }
}

impl Host for Apart {
    fn buffer(&self, path: &Path) -> Option<Buffer> {
        self.host.buffer(path)
    }

    fn open_files(&self) -> Vec<PathBuf> {
        self.host.open_files()
    }

    fn saved_later(&self) -> Saved {
        self.host.saved_later()
    }

    fn apply(&self, edit: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        self.host.apply(edit)
    }

    fn save(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        self.host.save()
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        let title = format!("[{}] {}", self.name, question.title);
        self.host.ask(Question { title, ..question })
    }

    fn review(&self, proposal: Proposal) -> BoxFuture<'_, Option<Reviewed>> {
        let title = format!("[{}] {}", self.name, proposal.title);
        self.host.review(Proposal { title, ..proposal })
    }

    fn emit(&self, Event { turn, kind }: Event) {
        let kind = match kind {
            EventKind::Started { .. } | EventKind::Ended { .. } | EventKind::Text(_) | EventKind::Thinking(_) => return,
            EventKind::ToolStarted(call) => EventKind::ToolStarted(self.call(call)),
            EventKind::ToolFinished(call, result) => EventKind::ToolFinished(self.call(call), result),
            EventKind::Note(note) => EventKind::Note(format!("[{}] {note}", self.name)),
            EventKind::Changed(change) => EventKind::Changed(Arc::new(Change {
                call: self.own(&change.call),
                ..Change::clone(&change)
            })),
            EventKind::Steered(text) => EventKind::Steered(text),
        };
        self.host.emit(Event { turn, kind });
    }
}
