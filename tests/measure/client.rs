//! A client that favours no server: it does what the server's capabilities ask for, and no more.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use skills_ls::headless::file_uri;

/// How long a server may take to end, and is silent when it has said all.
const QUIET: Duration = Duration::from_millis(500);
/// How long is waited for anything at all.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that speaks the Language Server Protocol on stdin and stdout.
#[derive(Debug, Clone)]
pub struct Server {
    /// As it is printed.
    pub name: String,
    /// The program; it gets no arguments.
    pub program: PathBuf,
}

/// A session with one open document.
pub struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: i64,
    /// Whether changes are sent as ranges rather than as whole texts.
    incremental: bool,
    uri: String,
    version: i32,
    lines: Vec<String>,
}

impl Client {
    /// Starts a server in a folder, with a home of its own; done when it has answered `initialize`.
    pub fn start(server: &Server, folder: &Path) -> Result<Self> {
        let home = folder.with_extension("home");
        std::fs::create_dir_all(&home)?;
        let mut child = Command::new(&server.program)
            .current_dir(folder)
            .env("HOME", &home)
            .env("XDG_STATE_HOME", home.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} does not start", server.program.display()))?;
        let mut output = BufReader::new(child.stdout.take().context("no output")?);
        let (sender, messages) = mpsc::channel();
        // It ends with the output, or with the client.
        std::thread::spawn(move || {
            while let Ok(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Self {
            input: child.stdin.take().context("no input")?,
            messages,
            server: child,
            requests: 0,
            incremental: false,
            uri: String::new(),
            version: 0,
            lines: Vec::new(),
        };
        let uri = file_uri(folder)?;
        let capabilities = json!({
            "workspace": {"configuration": true, "workspaceFolders": true},
            "textDocument": {"publishDiagnostics": {"versionSupport": true}, "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            }},
        });
        let answer = client.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": "workspace"}],
                "capabilities": capabilities,
            }),
        )?;
        let sync = &answer["capabilities"]["textDocumentSync"];
        client.incremental = sync == 2 || sync["change"] == 2;
        client.notify("initialized", json!({}))?;
        Ok(client)
    }

    /// Sends whole texts from now on, as some editors do, though the server takes ranges.
    pub fn send_whole_texts(&mut self) {
        self.incremental = false;
    }

    /// Opens the document.
    pub fn open(&mut self, path: &Path, text: &str) -> Result<()> {
        self.uri = file_uri(path)?.as_str().to_owned();
        self.version = 1;
        self.lines = text.split_inclusive('\n').map(str::to_owned).collect();
        let document = json!({"uri": self.uri, "languageId": "markdown", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}))
    }

    /// Puts a character in the place of another; the line and the column count from 0.
    pub fn change(&mut self, line: usize, column: usize, text: &str) -> Result<()> {
        self.version += 1;
        let old = self.lines[line][column..].chars().next().map_or(0, char::len_utf8);
        self.lines[line].replace_range(column..column + old, text);
        let at = |column: usize| json!({"line": line, "character": column});
        let change = if self.incremental {
            json!({"range": {"start": at(column), "end": at(column + 1)}, "text": text})
        } else {
            json!({"text": self.lines.concat()})
        };
        let document = json!({"uri": self.uri, "version": self.version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [change]}),
        )
    }

    /// Waits for findings of the open document, in its newest version where the server names one; gives their codes.
    pub fn findings(&mut self) -> Result<BTreeSet<String>> {
        loop {
            let message = self.receive(PATIENCE)?.context("the server is silent")?;
            if let Some(codes) = self.codes(&message) {
                return Ok(codes);
            }
        }
    }

    /// The last findings that come before the server is quiet.
    pub fn settled_findings(&mut self) -> Result<BTreeSet<String>> {
        let mut last = self.findings()?;
        while let Some(message) = self.receive(QUIET)? {
            last = self.codes(&message).unwrap_or(last);
        }
        Ok(last)
    }

    fn codes(&self, message: &Value) -> Option<BTreeSet<String>> {
        let params = &message["params"];
        let is_of_old = params["version"]
            .as_i64()
            .is_some_and(|it| it != i64::from(self.version));
        let is_meant = message["method"] == "textDocument/publishDiagnostics" && params["uri"] == *self.uri;
        let findings = params["diagnostics"].as_array().filter(|_| is_meant && !is_of_old)?;
        Some(findings.iter().map(|it| it["code"].to_string()).collect())
    }

    /// Asks, and waits for the answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut message = self.receive(PATIENCE)?.context("the server is silent")?;
            if message["id"] == id && message["method"].is_null() {
                ensure!(message["error"].is_null(), "{method}: {}", message["error"]);
                return Ok(message["result"].take());
            }
        }
    }

    /// What the open document is called.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// What the server holds in memory, in MiB; `None` where the system does not tell, as only Linux does.
    pub fn memory(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: f64 = resident.split_whitespace().next()?.parse().ok()?;
        Some(kibibytes / 1024.0)
    }

    /// Ends the session as the protocol says. A server that does not end by that is stopped.
    pub fn end(mut self) -> Result<()> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        let begun = Instant::now();
        while self.server.try_wait()?.is_none() && begun.elapsed() < QUIET {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&mut self, mut message: Value) -> Result<()> {
        // Some servers refuse `null` where there are no parameters.
        if let Some(message) = message
            .as_object_mut()
            .filter(|it| it.get("params").is_some_and(Value::is_null))
        {
            message.remove("params");
        }
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(frame.as_bytes())?;
        Ok(self.input.flush()?)
    }

    /// The next message, `None` where none comes in time; what the server asks is answered on the way.
    fn receive(&mut self, patience: Duration) -> Result<Option<Value>> {
        let message = match self.messages.recv_timeout(patience) {
            Ok(message) => message,
            Err(mpsc::RecvTimeoutError::Timeout) => return Ok(None),
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the server has ended"),
        };
        if !message["id"].is_null() && !message["method"].is_null() {
            let items = message["params"]["items"].as_array().map_or(0, Vec::len);
            let result = match message["method"].as_str() {
                Some("workspace/configuration") => json!(vec![Value::Null; items]),
                _ => Value::Null,
            };
            self.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))?;
        }
        Ok(Some(message))
    }
}

/// Reads one message.
fn read(output: &mut BufReader<ChildStdout>) -> Result<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        ensure!(output.read_line(&mut line)? > 0, "the output has ended");
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = Some(value.trim().parse()?);
        }
    }
    let mut body = vec![0; length.context("a message without length")?];
    output.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

impl Drop for Client {
    fn drop(&mut self) {
        // After an orderly end there is nothing to kill.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
