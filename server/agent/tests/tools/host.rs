//! A host in memory over a real folder, and calls of tools by name.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use skills_agent::changes::{ChangeLog, Ledger, text_hash};
use skills_agent::event::{Event, TurnId};
use skills_agent::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Question, Saved};
use skills_agent::permission::{Grants, Mode, Permissions, Rule, Rules, TrustStore};
use skills_agent::process::launcher::Launcher;
use skills_agent::tools::{Shell, ToolContext, ToolError, ToolOutput};
use skills_agent::workspace::Workspace;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

type Meanwhile = Box<dyn FnOnce() + Send>;

/// Applies to buffers where open, else to the disk; answers questions from a list.
pub(crate) struct TestHost {
    workspace: Arc<Workspace>,
    pub(crate) buffers: Mutex<BTreeMap<PathBuf, String>>,
    saved: Arc<Mutex<BTreeMap<PathBuf, u64>>>,
    pub(crate) answers: Mutex<VecDeque<&'static str>>,
    pub(crate) asked: Mutex<Vec<Question>>,
    pub(crate) events: Mutex<Vec<Event>>,
    /// An edit waits for it.
    pub(crate) gate: Mutex<Option<oneshot::Receiver<()>>>,
    /// Happens while the person is asked.
    pub(crate) meanwhile: Mutex<Option<Meanwhile>>,
}

impl Host for TestHost {
    fn buffer(&self, path: &Path) -> Option<Buffer> {
        let text = self.buffers.lock().unwrap().get(path)?.as_str().into();
        Some(Buffer { text, version: 1 })
    }

    fn open_files(&self) -> Vec<PathBuf> {
        self.buffers.lock().unwrap().keys().cloned().collect()
    }

    fn saved_later(&self) -> Saved {
        let saved = self.saved.clone();
        Arc::new(move |path| saved.lock().unwrap().get(path).copied())
    }

    fn apply(&self, edit: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        let gate = self.gate.lock().unwrap().take();
        async move {
            if let Some(gate) = gate {
                gate.await.unwrap();
            }
            let target = self
                .workspace
                .resolve_path(&edit.path)
                .map_err(|error| ApplyError::Io(error.to_string()))?;
            let open = self.buffer(&edit.path).map(|buffer| buffer.text);
            let before = open
                .clone()
                .or_else(|| self.workspace.read(&target).ok().map(Into::into));
            let after = edit.intent.apply_to(before.as_deref())?;
            match &after {
                Some(text) if open.is_some() => {
                    self.buffers.lock().unwrap().insert(edit.path, text.clone());
                }
                Some(text) => self
                    .workspace
                    .write_atomically(&target, text.as_bytes(), before.as_deref())
                    .map_err(|error| ApplyError::Io(error.to_string()))?,
                None => self
                    .workspace
                    .remove(&target)
                    .map_err(|error| ApplyError::Io(error.to_string()))?,
            }
            Ok(Applied::alone(before, after.map(Into::into)))
        }
        .boxed()
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        if let Some(meanwhile) = self.meanwhile.lock().unwrap().take() {
            meanwhile();
        }
        self.asked.lock().unwrap().push(question);
        let answer = self.answers.lock().unwrap().pop_front();
        async move { answer.map_or(Answer::Dismissed, Answer::Chosen) }.boxed()
    }

    /// An editor that saves nothing.
    fn save(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        let buffers = self.buffers.lock().unwrap();
        let differs = |(path, text): &(&PathBuf, &String)| std::fs::read_to_string(path).ok().as_ref() != Some(text);
        let unsaved = buffers.iter().filter(differs).map(|(path, _)| path.clone());
        std::future::ready(unsaved.collect()).boxed()
    }

    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

/// A workspace folder, its host and one turn.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) host: Arc<TestHost>,
    pub(crate) context: ToolContext,
    pub(crate) shell: Shell,
}

impl Bench {
    /// A trusted folder `w` with these files beside a folder for the state; anything asked is dismissed.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, Mode::AcceptEdits, Some(true))
    }

    pub(crate) fn with(files: &[(&str, &str)], mode: Mode, trust: Option<bool>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&folder.path().join("w").join(path), text);
        }
        std::fs::create_dir_all(folder.path().join("w")).unwrap();
        let workspace = Arc::new(Workspace::open(&[folder.path().join("w")]).unwrap());
        let host = Arc::new(TestHost {
            workspace: workspace.clone(),
            buffers: Mutex::default(),
            saved: Arc::default(),
            answers: Mutex::default(),
            asked: Mutex::default(),
            events: Mutex::default(),
            gate: Mutex::default(),
            meanwhile: Mutex::default(),
        });
        let permissions = Permissions::new(mode, trust, TrustStore::new(&folder.path().join("state")));
        let context = ToolContext {
            turn: TurnId("1".into()),
            call: "call".into(),
            workspace,
            host: host.clone(),
            ledger: Arc::new(Ledger::default()),
            permissions: Arc::new(permissions),
            changes: Arc::new(ChangeLog::default()),
            cancel: CancellationToken::new(),
        };
        let shell = Shell {
            launcher: Launcher::new(env!("CARGO_BIN_EXE_skills-command").into()),
            output_folder: Some(folder.path().join("state/output")),
            taken_folder: Some(folder.path().join("state/taken")),
            private: vec![folder.path().canonicalize().unwrap().join("state")],
            ..Shell::default()
        };
        Self {
            folder,
            host,
            context,
            shell,
        }
    }

    /// With rules of the settings, and what is kept in the state folder.
    pub(crate) fn with_rules(mut self, deny: &[&str], ask: &[&str], allow: &[&str]) -> Self {
        let guarding = |texts: &[&str]| texts.iter().map(|text| Rule::guarding(text).0).collect();
        let rules = Rules {
            deny: guarding(deny),
            ask: guarding(ask),
            allow: allow.iter().map(|text| Rule::parse(text).unwrap()).collect(),
        };
        let state = self.outside("state");
        let permissions = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&state));
        self.context.permissions = Arc::new(permissions.with_rules(rules, Arc::new(Grants::new(&state))));
        self
    }

    /// The workspace's folder, without links.
    pub(crate) fn root(&self) -> PathBuf {
        self.context.workspace.folders()[0].path.clone()
    }

    /// A place beside the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn disk(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    pub(crate) fn open(&self, path: &str, text: &str) {
        self.host
            .buffers
            .lock()
            .unwrap()
            .insert(self.root().join(path), text.to_owned());
    }

    /// Types a text and saves it.
    pub(crate) fn save(&self, path: &str, text: &str) {
        self.open(path, text);
        self.host
            .saved
            .lock()
            .unwrap()
            .insert(self.root().join(path), text_hash(text));
        std::fs::write(self.root().join(path), text).unwrap();
    }

    pub(crate) fn buffer(&self, path: &str) -> String {
        self.host.buffers.lock().unwrap()[&self.root().join(path)].clone()
    }

    pub(crate) fn answer(&self, answers: &[&'static str]) {
        self.host.answers.lock().unwrap().extend(answers);
    }

    /// The titles of all questions so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.host
            .asked
            .lock()
            .unwrap()
            .iter()
            .map(|question| question.title.clone())
            .collect()
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> Result<ToolOutput, ToolError> {
        let tools = skills_agent::tools::all(&self.shell);
        let tool = tools
            .iter()
            .find(|candidate| candidate.spec().name == tool)
            .expect("a tool of that name");
        tool.run(&self.context, input).await
    }

    /// The text of a call that works.
    pub(crate) async fn text(&self, tool: &str, input: Value) -> String {
        self.call(tool, input)
            .await
            .unwrap_or_else(|error| panic!("{tool}: {error}"))
            .text
    }

    /// The message of a call that is answered with one.
    pub(crate) async fn refusal(&self, tool: &str, input: Value) -> String {
        match self.call(tool, input.clone()).await {
            Err(ToolError::Respond(message)) => message,
            other => panic!("{tool} {input}: {other:?}"),
        }
    }
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
