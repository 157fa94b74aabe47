//! A host and tools that do what a test tells them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use serde_json::{Value, json};
use skills_agent::activation::briefing::Skills;
use skills_agent::conversation::Conversation;
use skills_agent::event::{Event, EventKind, Outcome, TurnId};
use skills_agent::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Question};
use skills_agent::model::{Block, Model, ModelError, ModelEvent, Request, StopReason, ToolSpec, ToolUse, Usage};
use skills_agent::permission::{Mode, Permissions, TrustStore};
use skills_agent::process::launcher::Launcher;
use skills_agent::tools::{Shell, Tool, ToolContext, ToolError, ToolOutput};
use skills_agent::turn::{Control, Engine, Limits, TurnInput, run};
use skills_agent::workspace::Workspace;
use tokio::sync::Notify;

/// A host without buffers that keeps what it is told and asked.
#[derive(Default)]
pub(crate) struct FakeHost {
    events: Mutex<Vec<Event>>,
    /// The files that are open.
    pub(crate) open: Mutex<Vec<PathBuf>>,
    /// What the person answers.
    pub(crate) answer: Mutex<Option<&'static str>>,
    /// What the person writes where a question takes a text.
    pub(crate) writes: Mutex<VecDeque<&'static str>>,
    /// What the person was asked: titles and details.
    pub(crate) asked: Mutex<Vec<(String, String)>>,
}

impl FakeHost {
    /// What happened.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    /// What happened, a line each; durations are left out because no test may depend on them.
    pub(crate) fn told(&self) -> Vec<String> {
        self.events
            .lock()
            .unwrap()
            .iter()
            .map(|event| line(&event.kind))
            .collect()
    }
}

fn line(kind: &EventKind) -> String {
    match kind {
        EventKind::Started { prompt, skill, model } => {
            let skill = skill
                .as_ref()
                .map(|skill| format!(" with {}", skill.name))
                .unwrap_or_default();
            format!("started {prompt:?}{skill} on {model}")
        }
        EventKind::Text(text) => format!("text {text:?}"),
        EventKind::Steered(text) => format!("steered {text:?}"),
        EventKind::Thinking(text) => format!("thinking {text:?}"),
        EventKind::ToolStarted(call) => format!("call {} {} {}", call.id, call.name, call.summary),
        EventKind::ToolFinished(call, result) => {
            let cut = if result.truncated { " (cut)" } else { "" };
            format!(
                "{} {} {}{cut}",
                if result.ok { "ok" } else { "failed" },
                call.id,
                result.summary
            )
        }
        EventKind::Changed(change) => format!("changed {}", change.path.display()),
        EventKind::Note(note) => format!("note {note}"),
        EventKind::Ended { outcome, usage, .. } => {
            format!("ended {outcome:?}, {} in, {} out", usage.input, usage.output)
        }
    }
}

impl Host for FakeHost {
    fn buffer(&self, _: &Path) -> Option<Buffer> {
        None
    }

    fn open_files(&self) -> Vec<PathBuf> {
        self.open.lock().unwrap().clone()
    }

    fn apply(&self, _: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        Box::pin(async { Err(ApplyError::Rejected("this host has no files".into())) })
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.asked.lock().unwrap().push((question.title, question.detail));
        let text = self.writes.lock().unwrap().pop_front();
        if let Some(text) = text.filter(|_| question.takes_text) {
            let id = Question::FREE_TEXT;
            let text = text.to_owned();
            return Box::pin(std::future::ready(Answer::Replied { id, text }));
        }
        let answer = self.answer.lock().unwrap().map_or(Answer::Dismissed, Answer::Chosen);
        Box::pin(std::future::ready(answer))
    }

    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

/// What a fake tool does when it is called.
#[derive(Clone)]
pub(crate) enum Does {
    /// Gives back its `text` argument.
    Echo,
    /// Gives this many bytes.
    Flood(usize),
    /// Says that it began, then never ends.
    Hang(Arc<Notify>),
    /// Says that it began, and ends well as soon as the turn is cancelled.
    EndOnCancel(Arc<Notify>),
    /// Waits until all of this many calls run at once.
    Meet(Arc<tokio::sync::Barrier>),
    Panic,
    Respond,
    Fatal,
}

pub(crate) struct FakeTool {
    pub(crate) name: &'static str,
    pub(crate) mutating: bool,
    pub(crate) does: Does,
}

pub(crate) fn reads(name: &'static str, does: Does) -> Arc<dyn Tool> {
    Arc::new(FakeTool {
        name,
        mutating: false,
        does,
    })
}

pub(crate) fn writes(name: &'static str, does: Does) -> Arc<dyn Tool> {
    Arc::new(FakeTool {
        name,
        mutating: true,
        does,
    })
}

impl Tool for FakeTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name,
            description: "a fake",
            input_schema: json!({"type": "object"}),
        }
    }

    fn is_mutating(&self) -> bool {
        self.mutating
    }

    fn summary(&self, input: &Value) -> String {
        assert!(input["text"] != "no summary", "a summary that panics");
        input["text"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let give = |text: String| {
            Ok(ToolOutput {
                summary: format!("{} bytes", text.len()),
                text,
                truncated: false,
            })
        };
        Box::pin(async move {
            match &self.does {
                Does::Echo => give(input["text"].as_str().unwrap_or_default().to_owned()),
                Does::Flood(bytes) => give("é".repeat(bytes / 2)),
                Does::Hang(began) => {
                    began.notify_one();
                    std::future::pending().await
                }
                Does::EndOnCancel(began) => {
                    began.notify_one();
                    context.cancel.cancelled().await;
                    give("done".into())
                }
                Does::Meet(barrier) => {
                    barrier.wait().await;
                    give("met".into())
                }
                Does::Panic => panic!("a bug"),
                Does::Respond => Err(ToolError::Respond("try the other one".into())),
                Does::Fatal => Err(ToolError::Fatal("the workspace is gone".into())),
            }
        })
    }
}

/// What a scripted model does in a response, event by event.
#[derive(Clone)]
pub(crate) enum Step {
    Event(ModelEvent),
    Fail(&'static str),
    /// Says that the conversation is too long.
    TooLong,
    /// Says that it waits, then never goes on.
    Hang(Arc<Notify>),
}

/// A model that follows a script and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Scripted {
    responses: Mutex<VecDeque<Vec<Step>>>,
    requests: Mutex<Vec<Request>>,
    /// What is answered when the script is used up.
    endless: Option<Vec<Step>>,
}

impl Scripted {
    pub(crate) fn new(responses: impl IntoIterator<Item = Vec<Step>>) -> Arc<Self> {
        Arc::new(Self {
            responses: Mutex::new(responses.into_iter().collect()),
            ..Self::default()
        })
    }

    pub(crate) fn endless(response: Vec<Step>) -> Arc<Self> {
        Arc::new(Self {
            endless: Some(response),
            ..Self::default()
        })
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Scripted {
    fn label(&self) -> String {
        "a script".into()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        assert_valid(&request);
        self.requests.lock().unwrap().push(request);
        let next = self.responses.lock().unwrap().pop_front();
        let steps = next
            .or_else(|| self.endless.clone())
            .expect("the script is long enough");
        stream::iter(steps)
            .then(|step| async {
                match step {
                    Step::Event(event) => Ok(event),
                    Step::Fail(message) => Err(ModelError::new(message)),
                    Step::TooLong => Err(ModelError {
                        is_too_long: true,
                        ..ModelError::new(
                            "the conversation is too long: begin a new one with /clear (200001 tokens > 200000)",
                        )
                    }),
                    Step::Hang(began) => {
                        began.notify_one();
                        std::future::pending().await
                    }
                }
            })
            .boxed()
    }
}

/// What the Anthropic wire demands of every conversation.
fn assert_valid(request: &Request) {
    use skills_agent::model::Role;
    let mut ids = std::collections::HashSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut role = Role::Assistant;
    for message in &request.messages {
        assert_ne!(message.role, role, "the roles alternate: {:#?}", request.messages);
        role = message.role;
        assert!(!message.content.is_empty(), "no message is empty");
        let results = message.content.iter().map_while(|block| match block {
            Block::ToolResult { id, .. } => Some(id.clone()),
            _ => None,
        });
        let results: Vec<_> = results.collect();
        assert_eq!(
            results, open,
            "each call has its result, in front of the message that follows"
        );
        open.clear();
        for block in &message.content[results.len()..] {
            match block {
                Block::ToolUse(call) => {
                    assert!(ids.insert(call.id.clone()), "identifiers are unique");
                    open.push(call.id.clone());
                }
                Block::ToolResult { .. } => panic!("results come first"),
                Block::Text(text) => assert!(!text.is_empty(), "no text is empty"),
                _ => {}
            }
        }
    }
    assert!(open.is_empty(), "no call is without its result");
}

pub(crate) fn text(text: &str) -> Vec<Step> {
    vec![
        Step::Event(ModelEvent::TextDelta(text.into())),
        Step::Event(ModelEvent::Block(Block::Text(text.into()))),
    ]
}

pub(crate) fn call(id: &str, name: &str, text: &str) -> Vec<Step> {
    block(id, name, Ok(json!({ "text": text })))
}

pub(crate) fn block(id: &str, name: &str, input: Result<Value, String>) -> Vec<Step> {
    let call = ToolUse {
        id: id.into(),
        name: name.into(),
        input,
    };
    vec![
        Step::Event(ModelEvent::ToolStarted { name: name.into() }),
        Step::Event(ModelEvent::Block(Block::ToolUse(call))),
    ]
}

pub(crate) fn stop(reason: StopReason) -> Vec<Step> {
    let usage = Usage {
        input: 10,
        output: 1,
        ..Usage::default()
    };
    vec![Step::Event(ModelEvent::Stop { reason, usage })]
}

pub(crate) fn answer(parts: impl IntoIterator<Item = Vec<Step>>) -> Vec<Step> {
    parts.into_iter().flatten().collect()
}

/// A session's parts, by hand.
pub(crate) struct Bench {
    pub(crate) host: Arc<FakeHost>,
    pub(crate) engine: Engine,
    pub(crate) conversation: Conversation,
    pub(crate) control: Control,
}

impl Bench {
    pub(crate) fn new(model: Arc<dyn Model>, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let host = Arc::new(FakeHost::default());
        let engine = Engine {
            model,
            price: None,
            models: Arc::new(|_| Err("there is one model".into())),
            tools: tools.into_iter().collect(),
            shell: Shell {
                launcher: Launcher::new(env!("CARGO_BIN_EXE_skills-command").into()),
                ..Shell::default()
            },
            workspace: Arc::new(workspace()),
            host: host.clone(),
            ledger: Arc::default(),
            changes: Arc::default(),
            permissions: Arc::new(Permissions::new(
                Mode::AcceptEdits,
                Some(true),
                TrustStore::new(Path::new("/nowhere")),
            )),
            skills: Skills::default(),
            hooks: Arc::default(),
            limits: Limits::default(),
        };
        Self {
            host,
            engine,
            conversation: Conversation::default(),
            control: Control::default(),
        }
    }

    pub(crate) async fn ask(&mut self, prompt: &str) -> Outcome {
        let control = self.control.clone();
        run(input(prompt), &mut self.conversation, &self.engine, control).await
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.host.told()
    }
}

pub(crate) fn input(prompt: &str) -> TurnInput {
    TurnInput {
        id: TurnId("t".into()),
        prompt: prompt.into(),
        skills: Vec::new(),
        context: Vec::new(),
        notes: Vec::new(),
    }
}

fn workspace() -> Workspace {
    Workspace::open(&[std::env::temp_dir()]).unwrap()
}
