//! `skills-ls demo`: the whole idea at work, in a temporary workspace, through a real session with a real server.

use std::io::{BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use skills_agent::changes::diff;
use tokio::process::{Child, Command};

use super::output;
use crate::headless::{Editor, file_uri};
use crate::protocol::commands;
use crate::protocol::session::ContentBlock;
use crate::protocol::update::{ToolStatus, TurnState, Update};

const SKILL: &str = include_str!("demo/SKILL.md");
const CODE: &str = include_str!("demo/refund.ts");
const RECORDING: &str = include_str!("demo/recording.sse");

/// What answers in the demonstration.
#[derive(Debug, Args)]
pub struct Options {
    /// The model: a recording that is part of the program, or the real endpoint with the key in ANTHROPIC_API_KEY.
    #[arg(long, value_enum, default_value_t)]
    model: Model,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Model {
    #[default]
    Replay,
    Anthropic,
}

/// Shows it.
pub fn run(options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(show(options.model))?;
    Ok(ExitCode::SUCCESS)
}

async fn show(model: Model) -> Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let root = folder.path().canonicalize()?;
    let skill = root.join(".claude/skills/refund-checks/SKILL.md");
    let code = root.join("src/payments/refund.ts");
    let recording = root.join("recording.sse");
    for (path, text) in [(&skill, SKILL), (&code, CODE), (&recording, RECORDING)] {
        std::fs::create_dir_all(path.parent().unwrap_or(&root))?;
        std::fs::write(path, text)?;
    }
    let mut screen = Screen {
        out: output::stdout(),
        coloured: output::is_coloured(output::Colour::Auto),
        answering: false,
        root: root.clone(),
    };
    screen.say("skills-ls, at work in a temporary workspace; what an editor would show is shown here.")?;
    if model == Model::Replay {
        screen.say("The model's answers are a recording: no key is needed, and nothing leaves this machine.")?;
    }

    let (mut editor, mut server) = connect(&root, model, &recording).await?;

    screen.step(
        "A skill is written",
        "The editor opens SKILL.md. The server checks it at every keystroke.",
    )?;
    editor.open(&skill, "markdown", SKILL).await?;
    let diagnostics = diagnostics(&mut editor, |found| !found.is_empty()).await?;
    for diagnostic in &diagnostics {
        screen.diagnostic(&skill, SKILL, diagnostic)?;
    }

    screen.step(
        "The fix is taken",
        "One code action quotes the value. The buffer changes; nothing is saved.",
    )?;
    let broken = diagnostics.first().context("the server found nothing wrong")?;
    let actions = code_actions(&mut editor, &skill, &broken["range"]).await?;
    let fix = actions
        .iter()
        .find(|action| action["isPreferred"] == true)
        .context("the server offers no fix")?;
    screen.note(&format!("code action: {}", text_of(&fix["title"])))?;
    take(&mut editor, fix).await?;
    screen.diff(SKILL, &editor.text(&skill)?)?;
    self::diagnostics(&mut editor, <[Value]>::is_empty).await?;
    screen.note("no findings are left")?;

    screen.step(
        "A file activates it",
        "Opening code that matches the skill's `paths` is enough.",
    )?;
    editor.open(&code, "typescript", CODE).await?;
    let is_active = |params: &Value| params["skills"][0]["name"] == "refund-checks";
    let active = editor.wait_until("skills/active", is_active).await?;
    let why = &active["skills"][0]["why"][0];
    screen.note(&format!(
        "refund-checks is active: {} matches {}",
        text_of(&why["pattern"]),
        text_of(&why["matched"])
    ))?;

    screen.step(
        "The person types, unsaved",
        "What the agent reads and edits is this buffer, not the file on disk.",
    )?;
    editor
        .replace(
            &code,
            "import { gateway }",
            "// TODO: partial refunds\nimport { gateway }",
        )
        .await?;
    let typed = editor.text(&code)?;
    screen.diff(CODE, &typed)?;

    screen.step("The skill runs", "A code action starts a turn of the agent.")?;
    let start = json!({"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}});
    let actions = code_actions(&mut editor, &code, &start).await?;
    let run = actions
        .iter()
        .find(|action| action["command"] == commands::RUN)
        .context("the skill is not offered")?;
    screen.note(&format!("code action: {}", text_of(&run["title"])))?;
    execute(&mut editor, &run["command"], &run["arguments"]).await?;
    follow(&mut editor, &mut screen).await?;
    screen.note("what changed in the buffer; the file on disk is as it was:")?;
    let edited = editor.text(&code)?;
    screen.diff(&typed, &edited)?;
    ensure!(std::fs::read_to_string(&code)? == CODE, "the file on disk was changed");

    screen.step(
        "The turn is taken back",
        "One command undoes it. What the person typed stays.",
    )?;
    execute(&mut editor, &json!(commands::UNDO_TURN), &json!([])).await?;
    editor.wait_for("window/showMessage").await?;
    screen.diff(&edited, &editor.text(&code)?)?;

    editor.shut_down().await?;
    let status = server.wait().await?;
    ensure!(status.success(), "the server ended with {status}");
    screen.say("")?;
    screen.say("That was all of it: in your editor it is the same server. The README says how to set it up.")
}

/// Starts this program as a server, as an editor does.
async fn connect(root: &Path, model: Model, recording: &Path) -> Result<(Editor, Child)> {
    let program = std::env::current_exe().context("this program can't find itself")?;
    let mut command = Command::new(program);
    command
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    // The person's own skills and sessions stay out of the picture.
    command
        .env("XDG_STATE_HOME", root.join("state"))
        .env("HOME", root.join("home"));
    if model == Model::Replay {
        command
            .env("SKILLS_LS_MODEL_PROVIDER", "replay")
            .env("SKILLS_LS_MODEL_NAME", recording);
    }
    let mut server = command.spawn().context("the server can't be started")?;
    let (reader, writer) = (
        server.stdout.take().context("no output")?,
        server.stdin.take().context("no input")?,
    );
    let mut editor = Editor::new(reader, writer);
    let capabilities = json!({
        "general": {"positionEncodings": ["utf-8"]},
        "workspace": {"applyEdit": true},
        "experimental": {"skillsAgent": {"version": 1, "active": {}, "sessionUpdate": {}}},
    });
    editor
        .initialize(root, capabilities, json!({"trust": {"workspace": true}}))
        .await?;
    Ok((editor, server))
}

/// The next diagnostics that fit.
async fn diagnostics(editor: &mut Editor, fits: impl Fn(&[Value]) -> bool) -> Result<Vec<Value>> {
    let found = |params: &Value| params["diagnostics"].as_array().cloned().unwrap_or_default();
    let params = editor
        .wait_until("textDocument/publishDiagnostics", |params| fits(&found(params)))
        .await?;
    Ok(found(&params))
}

async fn code_actions(editor: &mut Editor, path: &Path, range: &Value) -> Result<Vec<Value>> {
    let params = json!({"textDocument": {"uri": file_uri(path)?}, "range": range, "context": {"diagnostics": []}});
    let actions = editor.request("textDocument/codeAction", params).await?;
    Ok(actions.as_array().cloned().unwrap_or_default())
}

/// Takes a code action that is an edit.
async fn take(editor: &mut Editor, action: &Value) -> Result<()> {
    let change = &action["edit"]["documentChanges"][0];
    let edits = serde_json::from_value(change["edits"].clone())?;
    editor.change(&text_of(&change["textDocument"]["uri"]), edits).await
}

async fn execute(editor: &mut Editor, command: &Value, arguments: &Value) -> Result<Value> {
    editor
        .request(
            "workspace/executeCommand",
            json!({"command": command, "arguments": arguments}),
        )
        .await
}

/// Shows a turn until it ends.
async fn follow(editor: &mut Editor, screen: &mut Screen) -> Result<()> {
    loop {
        let update = editor.wait_for("skills/session/update").await?["update"].take();
        match serde_json::from_value(update)? {
            Update::AgentMessageChunk {
                content: ContentBlock::Text { text },
                ..
            } => screen.show_answer(&text)?,
            Update::ToolCallUpdate(call) => match call.status {
                Some(ToolStatus::InProgress) => {
                    let (name, title) = (call.name.unwrap_or_default(), call.title.unwrap_or_default());
                    screen.note(&format!("tool: {name} {title}"))?;
                }
                Some(_) => screen.note(&format!("      {}", call.line()))?,
                None => {}
            },
            Update::StateUpdate(turn) if turn.state == TurnState::Idle => {
                let problem = turn.meta.and_then(|meta| meta.skills.message);
                ensure!(
                    problem.is_none(),
                    "the turn did not finish: {}",
                    problem.unwrap_or_default()
                );
                return Ok(());
            }
            _ => {}
        }
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// What the reader sees.
struct Screen {
    out: BufWriter<StdoutLock<'static>>,
    coloured: bool,
    /// Whether the last line is an answer that may go on.
    answering: bool,
    root: PathBuf,
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

impl Screen {
    fn line(&mut self, colour: &str, text: &str) -> Result<()> {
        if std::mem::take(&mut self.answering) {
            writeln!(self.out)?;
        }
        if self.coloured {
            writeln!(self.out, "\x1b[{colour}m{text}\x1b[0m")?;
        } else {
            writeln!(self.out, "{text}")?;
        }
        Ok(self.out.flush()?)
    }

    fn say(&mut self, text: &str) -> Result<()> {
        self.line("0", text)
    }

    fn step(&mut self, title: &str, text: &str) -> Result<()> {
        self.say("")?;
        self.line(BOLD, &format!("== {title}"))?;
        self.line(DIM, text)
    }

    fn note(&mut self, text: &str) -> Result<()> {
        self.line(CYAN, &format!("  {text}"))
    }

    /// Adds a piece of the model's answer: pieces come as they are sent, lines only with the text.
    fn show_answer(&mut self, text: &str) -> Result<()> {
        if !std::mem::replace(&mut self.answering, true) {
            write!(self.out, "  model: ")?;
        }
        write!(self.out, "{}", text.replace('\n', "\n         "))?;
        Ok(self.out.flush()?)
    }

    fn diagnostic(&mut self, path: &Path, text: &str, diagnostic: &Value) -> Result<()> {
        let path = path.strip_prefix(&self.root).unwrap_or(path).display().to_string();
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap_or_default()).unwrap_or_default();
        let (line, start) = (
            number(&diagnostic["range"]["start"]["line"]),
            number(&diagnostic["range"]["start"]["character"]),
        );
        let end = number(&diagnostic["range"]["end"]["character"]);
        let (code, message) = (text_of(&diagnostic["code"]), text_of(&diagnostic["message"]));
        self.line(
            YELLOW,
            &format!("  {path}:{}:{}: {message} [{code}]", line + 1, start + 1),
        )?;
        self.say(&format!("    {}", text.lines().nth(line).unwrap_or_default()))?;
        self.line(
            RED,
            &format!(
                "    {}{}",
                " ".repeat(start),
                "^".repeat(end.saturating_sub(start).max(1))
            ),
        )
    }

    fn diff(&mut self, before: &str, after: &str) -> Result<()> {
        for (mark, line) in diff::marked(before, after) {
            let colour = match mark {
                '-' => RED,
                '+' => GREEN,
                _ => DIM,
            };
            self.line(colour, &format!("    {mark} {}", line.trim_end()))?;
        }
        Ok(())
    }
}
