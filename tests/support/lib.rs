//! What the end-to-end tests share: a server in memory, and a workspace on disk for it.

#[cfg(target_os = "linux")]
pub mod process;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use skills_agent::process::launcher::Launcher;
use skills_ls::environment::Environment;
use skills_ls::headless::{Editor, file_uri};
use skills_ls::pump::{self, Ended};
use skills_ls::server;
use skills_ls::state::{Shared, State};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A client and a server that talk through memory, in a workspace of their own.
pub struct Session {
    /// The client.
    pub editor: Editor,
    /// The workspace's folder, with links resolved.
    pub root: PathBuf,
    /// How the server ended.
    pub ended: JoinHandle<Ended>,
    /// What the server knows.
    pub shared: Arc<Shared>,
    folder: TempDir,
    _patience: Patience,
}

/// Ends the tests where one waits in vain, whatever it waits for: its clock is the machine's, which no test stops.
struct Patience {
    /// Gone when the session is.
    _alive: Sender<()>,
}

/// Far longer than any test takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the tests' client can do, unless a test says otherwise: the standard, and all of the server's own messages.
pub fn capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "window": {"workDoneProgress": true, "showDocument": {"support": true}},
        "workspace": {"applyEdit": true},
        "experimental": {"skillsAgent": {"version": 1, "active": {}, "sessionUpdate": {}, "permission": {}}},
    })
}

/// Settings that ask nothing: the workspace is trusted.
pub fn trusted() -> Value {
    json!({"trust": {"workspace": true}})
}

/// Starts the agent's commands by a program of this package, which lies beside the tests' folder.
pub fn launcher() -> Result<Launcher> {
    let tests = std::env::current_exe()?;
    let programs = tests.parent().and_then(Path::parent).context("tests have a folder")?;
    Ok(Launcher::new(programs.join("start-command")))
}

impl Session {
    /// A session in a workspace with these files.
    pub async fn start(files: &[(&str, &str)]) -> Result<Self> {
        Self::start_with(files, capabilities(), trusted(), &[]).await
    }

    /// A session with capabilities, options and environment variables of the test's own.
    pub async fn start_with(
        files: &[(&str, &str)],
        capabilities: Value,
        options: Value,
        variables: &[(&str, String)],
    ) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?.join("workspace");
        std::fs::create_dir_all(&root)?;
        for (name, text) in files {
            write(&root.join(name), text)?;
        }
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let environment = Environment::new(
            folder.path().join("home"),
            folder.path().join("state"),
            variables,
            launcher()?,
        );
        let (client, server) = tokio::io::duplex(64 << 10);
        let (service, socket, death) = server::service(environment);
        let shared = service.inner().shared();
        let ended = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(server);
            pump::serve(reader, writer, service, socket, death.wait()).await
        });
        let (reader, writer) = tokio::io::split(client);
        let mut editor = Editor::new(reader, writer);
        editor.initialize(&root, capabilities, options).await?;
        Ok(Self {
            editor,
            root,
            ended,
            shared,
            folder,
            _patience: Patience::of_this_test(),
        })
    }

    /// Waits until the server knows something; in vain, the test fails.
    pub async fn until(&self, what: &str, mut is_so: impl FnMut(&State) -> bool) {
        let known = async {
            while !is_so(&self.shared.state()) {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(60), known).await;
        assert!(waited.is_ok(), "the server never knew {what}");
    }

    /// The path of a file of the workspace.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The folder around the workspace: outside of it, and the test's own.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// The text of a file on disk.
    pub fn disk(&self, name: &str) -> Result<String> {
        Ok(std::fs::read_to_string(self.path(name))?)
    }

    /// Opens a file of the workspace as it is on disk.
    pub async fn open(&mut self, name: &str) -> Result<()> {
        let text = self.disk(name)?;
        self.editor.open(&self.root.join(name), "", &text).await
    }

    /// The next pushed diagnostics of a file.
    pub async fn diagnostics(&mut self, name: &str) -> Result<Vec<Value>> {
        let uri = file_uri(&self.root.join(name))?;
        let of_file = |params: &Value| params["uri"] == uri.as_str();
        let params = self
            .editor
            .wait_until("textDocument/publishDiagnostics", of_file)
            .await?;
        Ok(params["diagnostics"].as_array().cloned().unwrap_or_default())
    }

    /// The code actions at a position of a file.
    pub async fn code_actions(&mut self, name: &str, line: u32, character: u32) -> Result<Vec<Value>> {
        let position = json!({"line": line, "character": character});
        let params = json!({
            "textDocument": {"uri": file_uri(&self.root.join(name))?},
            "range": {"start": position, "end": position},
            "context": {"diagnostics": []},
        });
        let actions = self.editor.request("textDocument/codeAction", params).await?;
        Ok(actions.as_array().cloned().unwrap_or_default())
    }

    /// Takes a code action that is an edit, as an editor does.
    pub async fn take(&mut self, action: &Value) -> Result<()> {
        let change = &action["edit"]["documentChanges"][0];
        let edits = serde_json::from_value(change["edits"].clone())?;
        self.editor
            .change(change["textDocument"]["uri"].as_str().unwrap_or_default(), edits)
            .await
    }

    /// Runs a command.
    pub async fn execute(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let params = json!({"command": command, "arguments": arguments});
        self.editor.request("workspace/executeCommand", params).await
    }

    /// Waits for an edit that the server sends, whole and without an answer; other requests are answered with nothing.
    pub async fn edit_request(&mut self) -> Result<Value> {
        loop {
            let message = self.editor.receive_unanswered().await?;
            if message["method"] == "workspace/applyEdit" {
                return Ok(message);
            }
            if !message["id"].is_null() && message["method"].is_string() {
                let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": null});
                self.editor.send(reply).await?;
            }
        }
    }

    /// Waits until the running turn ends; gives the reason, and what the person is told.
    pub async fn turn_end(&mut self) -> Result<(String, Value)> {
        let ends = |params: &Value| params["update"]["state"] == "idle";
        let mut params = self.editor.wait_until("skills/session/update", ends).await?;
        let message = params["update"]["_meta"]["skills"]["message"].take();
        Ok((
            params["update"]["stopReason"].as_str().unwrap_or_default().to_owned(),
            message,
        ))
    }
}

impl Patience {
    fn of_this_test() -> Self {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let (alive, ended) = channel::<()>();
        std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                eprintln!(
                    "{test} waits for what never comes: given up after {} s",
                    PATIENCE.as_secs()
                );
                std::process::exit(101);
            }
        });
        Self { _alive: alive }
    }
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}
