//! Measures the server as an editor sees it: the built program, over stdin and stdout. Prints; judges nothing.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use skills_ls::headless::{Editor, file_uri};
use tokio::process::{Child, Command};
use tower_lsp::ls_types::{Position, Range, TextEdit};

const STARTS: usize = 50;
const EDITS: usize = 2_000;
const REQUESTS: usize = 1_000;
/// What is done before anything is counted.
const WARM_UP: usize = 100;

/// The line that is typed in, counted from 0, and how long it is.
const TYPED_LINE: u32 = 2;
const DESCRIPTION: &str = "description: Checks refunds. Use when code below src/payments changes";

#[tokio::main]
async fn main() -> Result<()> {
    let program = program()?;
    println!("{} in {}\n", program.display(), profile());
    println!("{:<52}{:>9}{:>9}{:>9}", "milliseconds", "median", "p95", "p99");
    let mut starts = Vec::new();
    for start in 0..STARTS + 5 {
        let begin = Instant::now();
        let mut session = Session::start(&program).await?;
        if start >= 5 {
            starts.push(begin.elapsed());
        }
        session.end().await?;
    }
    row("process start to InitializeResult", starts);

    for lines in [300, 2_000] {
        let mut session = Session::start(&program).await?;
        session.open(lines).await?;
        let edits = session.type_characters().await?;
        row(&format!("didChange to publishDiagnostics, {lines} lines"), edits);
        let actions = session.ask_for_code_actions().await?;
        row(&format!("codeAction, {lines} lines"), actions);
        session.end().await?;
    }

    println!("\n{:<52}{:>9}", "resident memory, MiB", "idle");
    let mut session = Session::start(&program).await?;
    memory("after the start", &session.server)?;
    session.open(300).await?;
    session.type_characters().await?;
    memory(&format!("after {EDITS} edits of 300 lines"), &session.server)?;
    session.end().await
}

/// The server that was built beside this program.
fn program() -> Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name("skills-ls");
    anyhow::ensure!(program.exists(), "{} is missing: run tests/bench", program.display());
    Ok(program)
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) {
        "a debug build: its times mean nothing, pass --release"
    } else {
        "a release build"
    }
}

/// A program and a client, in an empty workspace.
struct Session {
    editor: Editor,
    server: Child,
    skill: PathBuf,
    _folder: tempfile::TempDir,
}

impl Session {
    /// Starts the program; done when it has answered `initialize`.
    async fn start(program: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let mut server = Command::new(program)
            .arg("lsp")
            .env("HOME", root.join("home"))
            .env("XDG_STATE_HOME", root.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let reader = server.stdout.take().context("no output")?;
        let writer = server.stdin.take().context("no input")?;
        let mut editor = Editor::new(reader, writer);
        editor.initialize(&root, json!({}), json!({})).await?;
        let skill = root.join(".claude/skills/refund-checks/SKILL.md");
        Ok(Self {
            editor,
            server,
            skill,
            _folder: folder,
        })
    }

    /// Opens a skill of so many lines, with two findings to publish at every change.
    async fn open(&mut self, lines: usize) -> Result<()> {
        let head = format!(
            "---\nname: refund-checks\n{DESCRIPTION}\npaths:\n  - \"src/payments/**\"\nallowed-tools: Read, Grep\n\
             modle: sonnet\nuser-invocable: perhaps\n---\n"
        );
        let body = [
            "## Step",
            "",
            "Read [the rules](references/rules.md), then run `npm test -- payments`.",
            "- Every refund is checked against the charge, also where it is *partial*.",
            "```ts",
            "gateway.refund(charge.id, amount);",
            "```",
            "",
        ];
        let body = body.iter().cycle().take(lines - head.lines().count());
        let text = head + &body.map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(text.lines().count(), lines);
        self.editor.open(&self.skill, "markdown", &text).await?;
        self.published(1).await
    }

    /// Types and, every hundredth time, deletes what was typed; each edit is timed until its findings are there.
    async fn type_characters(&mut self) -> Result<Vec<Duration>> {
        let uri = file_uri(&self.skill)?;
        let end = u32::try_from(DESCRIPTION.len())?;
        let mut times = Vec::new();
        let mut typed = 0;
        for edit in 0..WARM_UP + EDITS {
            let (until, new_text) = if typed == 99 { (end + typed, "") } else { (end, "x") };
            typed = if typed == 99 { 0 } else { typed + 1 };
            let range = Range::new(Position::new(TYPED_LINE, end), Position::new(TYPED_LINE, until));
            let new_text = new_text.to_owned();
            let begin = Instant::now();
            self.editor
                .change(uri.as_str(), vec![TextEdit { range, new_text }])
                .await?;
            self.published(edit + 2).await?;
            if edit >= WARM_UP {
                times.push(begin.elapsed());
            }
        }
        Ok(times)
    }

    /// Waits for the findings of a version.
    async fn published(&mut self, version: usize) -> Result<()> {
        let method = "textDocument/publishDiagnostics";
        let params = self
            .editor
            .wait_until(method, |params| params["version"] == version)
            .await?;
        let count = params["diagnostics"].as_array().map_or(0, Vec::len);
        anyhow::ensure!(count == 2, "{count} findings instead of two: {params}");
        Ok(())
    }

    async fn ask_for_code_actions(&mut self) -> Result<Vec<Duration>> {
        let uri = file_uri(&self.skill)?;
        let at = json!({"line": 6, "character": 2});
        let mut times = Vec::new();
        for request in 0..WARM_UP + REQUESTS {
            let params = json!({
                "textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []},
            });
            let begin = Instant::now();
            let actions = self.editor.request("textDocument/codeAction", params).await?;
            if request >= WARM_UP {
                times.push(begin.elapsed());
            }
            anyhow::ensure!(actions[0]["edit"] != Value::Null, "no fix is offered: {actions}");
        }
        Ok(times)
    }

    async fn end(&mut self) -> Result<()> {
        self.editor.shut_down().await?;
        let status = self.server.wait().await?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

/// Prints the median and the slow ends of measured times.
fn row(title: &str, mut times: Vec<Duration>) {
    times.sort();
    let percentile = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!(
        "{title:<52}{:>9.3}{:>9.3}{:>9.3}",
        percentile(50),
        percentile(95),
        percentile(99)
    );
}

/// Prints what a process holds in memory; Linux alone tells.
fn memory(title: &str, process: &Child) -> Result<()> {
    let id = process.id().context("the server has ended")?;
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else {
        println!("{title:<52}{:>9}", "unknown");
        return Ok(());
    };
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: f64 = resident
        .and_then(|text| text.split_whitespace().next())
        .context("/proc tells no VmRSS")?
        .parse()?;
    println!("{title:<52}{:>9.1}", kibibytes / 1024.0);
    Ok(())
}
