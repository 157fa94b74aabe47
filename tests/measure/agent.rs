//! Measures the agent: how fast the server answers while a turn runs, what a turn costs in time and memory, and how fast
//! 50,000 files are searched beside the programs that are named as arguments, `rg` and `fd`. Prints; judges nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use skills_agent::changes::{ChangeLog, Ledger};
use skills_agent::event::{Event, TurnId};
use skills_agent::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Question};
use skills_agent::permission::{Grants, Mode, Permissions, Rule, Rules, TrustStore};
use skills_agent::tools::{self, Shell, ToolContext};
use skills_agent::workspace::Workspace;
use skills_tests::{Session, capabilities, trusted, write};
use tokio_util::sync::CancellationToken;

/// The files that are searched.
const FILES: usize = 50_000;
/// How often each thing is done.
const ROUNDS: usize = 200;
const SEARCHES: usize = 7;
const CODE: &str = "src/a.rs";

#[tokio::main]
async fn main() -> Result<()> {
    println!("{:<60}{:>10}{:>10}", "Milliseconds", "median", "p95");
    in_a_session().await?;
    flood().await?;
    search().await
}

fn row(title: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("{title:<60}{:>10.2}{:>10.2}", at(50), at(95));
}

/// A recording: each text is the events of one response.
fn recording(responses: &[Value]) -> String {
    let event = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let mut text = String::new();
    for response in responses {
        let usage = json!({"message": {"usage": {"input_tokens": 1, "output_tokens": 1}}});
        let (block, delta, reason) = match response.as_str() {
            Some(said) => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": said}),
                "end_turn",
            ),
            None => (
                json!({"type": "tool_use", "id": "call", "name": "run_shell", "input": {}}),
                json!({"type": "input_json_delta", "partial_json": response.to_string()}),
                "tool_use",
            ),
        };
        text += "=== response\n";
        text += &event("message_start", usage);
        text += &event("content_block_start", json!({"index": 0, "content_block": block}));
        text += &event("content_block_delta", json!({"index": 0, "delta": delta}));
        text += &event("content_block_stop", json!({"index": 0}));
        let end = json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}});
        text += &event("message_delta", end);
        text += &event("message_stop", json!({}));
    }
    text
}

async fn session(responses: &[Value]) -> Result<(Session, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("recording.sse");
    write(&path, &recording(responses))?;
    let variables = [
        ("SKILLS_LS_MODEL_PROVIDER", "replay".to_owned()),
        ("SKILLS_LS_MODEL_NAME", path.to_string_lossy().into_owned()),
    ];
    let mut options = trusted();
    options["permissions"] = json!({"allow": ["Bash"]});
    let skill = "---\nname: a\ndescription: About it.\n---\nBody.\n";
    let files = [
        (CODE, "one\ntwo\n"),
        (".claude/skills/a/SKILL.md", skill),
        // In a file, because a script with a redirection asks whatever is allowed.
        ("hold.sh", "sleep 1000 &\necho $! > child\nwait\n"),
    ];
    let session = Session::start_with(&files, capabilities(), options, &variables).await?;
    Ok((session, folder))
}

/// What an editor waits for while an agent works.
async fn in_a_session() -> Result<()> {
    let said = json!("Hello.");
    let mut firsts = Vec::new();
    for _ in 0..20 {
        let (mut session, _folder) = session(std::slice::from_ref(&said)).await?;
        session.open(CODE).await?;
        session.code_actions(CODE, 0, 0).await?;
        let begin = Instant::now();
        session.execute("skills.server.ask", json!(["go"])).await?;
        let is_text = |params: &Value| params["update"]["sessionUpdate"] == "agent_message_chunk";
        session.editor.wait_until("skills/session/update", is_text).await?;
        firsts.push(begin.elapsed());
        session.turn_end().await?;
    }
    row("prompt to first token, a model that answers at once", &mut firsts);

    let (mut answers, mut actions, mut stops, mut deaths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..10 {
        let sleeping = json!({"argv": ["sh", "hold.sh"]});
        let (mut session, _folder) = session(&[sleeping, said.clone()]).await?;
        session.open(CODE).await?;
        session.code_actions(CODE, 0, 0).await?;
        let begin = Instant::now();
        session.execute("skills.server.ask", json!(["go"])).await?;
        answers.push(begin.elapsed());
        let child = session.path("child");
        while !std::fs::read_to_string(&child).is_ok_and(|text| text.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        for _ in 0..ROUNDS / 10 {
            let begin = Instant::now();
            session.code_actions(CODE, 1, 0).await?;
            actions.push(begin.elapsed());
        }
        let process = Path::new("/proc").join(std::fs::read_to_string(&child)?.trim());
        let begin = Instant::now();
        session.execute("skills.server.cancel", json!([])).await?;
        session.turn_end().await?;
        stops.push(begin.elapsed());
        while std::fs::read_to_string(process.join("stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        deaths.push(begin.elapsed());
    }
    row("executeCommand, a prompt", &mut answers);
    row("codeAction while a command of a turn runs", &mut actions);
    row("cancel to idle", &mut stops);
    row("cancel to dead children", &mut deaths);
    Ok(())
}

/// A command that prints 100 MB.
async fn flood() -> Result<()> {
    let flood = json!({"argv": ["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x"]});
    let (mut session, _folder) = session(&[flood, json!("Done.")]).await?;
    session.open(CODE).await?;
    session.code_actions(CODE, 0, 0).await?;
    let before = memory("VmRSS")?;
    let begin = Instant::now();
    session.execute("skills.server.ask", json!(["go"])).await?;
    let (reason, message) = session.turn_end().await?;
    ensure!(reason == "end_turn", "the turn ended with {reason}: {message}");
    println!(
        "\na turn whose command prints 100 MB: {:.1} s",
        begin.elapsed().as_secs_f64()
    );
    println!(
        "resident memory of server and client together: {before:.1} MiB before, {:.1} MiB at its highest",
        memory("VmHWM")?
    );
    Ok(())
}

/// A field of this process's status, in MiB.
fn memory(field: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this machine does not tell its memory")?;
    let line = status
        .lines()
        .find(|line| line.starts_with(field))
        .context("no such field")?;
    let kibibytes: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kibibytes / 1024.0)
}

/// Nobody is there.
struct Alone;

impl Host for Alone {
    fn buffer(&self, _: &Path) -> Option<Buffer> {
        None
    }

    fn open_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn apply(&self, _: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        Box::pin(std::future::ready(Err(ApplyError::Rejected(String::new()))))
    }

    fn ask(&self, _: Question) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Dismissed))
    }

    fn emit(&self, _: Event) {}
}

/// The same work by our tools and by the programs, in turns.
async fn search() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?.join("w");
    for number in 0..FILES {
        let path = root.join(format!(
            "dir{:02}/sub{:02}/file{number}.rs",
            number % 50,
            number / 50 % 20
        ));
        write(
            &path,
            &format!("fn item_{number}() {{\n    call({number});\n}}\n").repeat(10),
        )?;
    }
    let workspace = Arc::new(Workspace::open(std::slice::from_ref(&root))?);
    let state = folder.path().join("state");
    let rules = Rules {
        allow: vec![Rule::parse("Bash").map_err(anyhow::Error::msg)?],
        ..Rules::default()
    };
    let permissions = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&state));
    let context = ToolContext {
        turn: TurnId("1".into()),
        call: "1".into(),
        workspace,
        host: Arc::new(Alone),
        ledger: Arc::new(Ledger::default()),
        permissions: Arc::new(permissions.with_rules(rules, Arc::new(Grants::new(&state)))),
        changes: Arc::new(ChangeLog::default()),
        cancel: CancellationToken::new(),
    };
    let all = tools::all(&Shell::default());
    let peers: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "\n{:<60}{:>10}{:>10}",
        format!("{FILES} files, milliseconds"),
        "median",
        "p95"
    );
    for (name, input, peer, arguments) in [
        (
            "search_text",
            json!({"pattern": "call\\(4999[0-9]\\)"}),
            "rg",
            vec!["--json", "--line-number", "call\\(4999[0-9]\\)"],
        ),
        (
            "search_text",
            json!({"pattern": "nowhere"}),
            "rg",
            vec!["--json", "--line-number", "nowhere"],
        ),
        (
            "find_files",
            json!({"pattern": "file4999\\d"}),
            "fd",
            vec!["--type", "f", "file4999\\d"],
        ),
        (
            "find_files",
            json!({"pattern": "nowhere"}),
            "fd",
            vec!["--type", "f", "nowhere"],
        ),
    ] {
        let tool = all
            .iter()
            .find(|tool| tool.spec().name == name)
            .context("no such tool")?;
        let program = peers.iter().find(|path| {
            let file = Path::new(path)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            file.is_some_and(|file| file == peer || file == format!("{peer}find"))
        });
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..SEARCHES {
            let begin = Instant::now();
            tool.run(&context, input.clone()).await.map_err(anyhow::Error::msg)?;
            ours.push(begin.elapsed());
            if let Some(program) = program {
                let begin = Instant::now();
                let mut command = Command::new(program);
                command
                    .args(&arguments)
                    .current_dir(&root)
                    .stdin(Stdio::null())
                    .stdout(Stdio::null());
                // Where nothing is found they end with 1.
                command.status()?;
                theirs.push(begin.elapsed());
            }
        }
        row(&format!("{name} {}", input["pattern"]), &mut ours);
        if !theirs.is_empty() {
            row(&format!("  {peer}"), &mut theirs);
            let ratio = ours[ours.len() / 2].as_secs_f64() / theirs[theirs.len() / 2].as_secs_f64();
            println!("  {ratio:.2} times");
        }
    }
    Ok(())
}
