//! Measures the catalog with ten thousand skills: discovery, a change, activation, and the server's memory. Prints;
//! judges nothing.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use skills_agent::catalog::Discovery;
use skills_ls::headless::{Editor, file_uri};
use tokio::process::Command;

const SKILLS: usize = 10_000;
const QUERIES: usize = 1_000;

#[tokio::main]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    for number in 0..SKILLS {
        let path = root.join(format!(".claude/skills/skill-{number:05}"));
        std::fs::create_dir_all(&path)?;
        std::fs::write(path.join("SKILL.md"), skill(number))?;
    }
    std::fs::create_dir_all(root.join("dir7/sub3"))?;
    std::fs::write(root.join("dir7/sub3/a.ts"), "")?;
    let discovery = Discovery {
        folders: vec![root.clone()],
        ..Discovery::default()
    };
    println!("{SKILLS} skills, milliseconds");
    discovery.run();
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..5 {
        let begin = Instant::now();
        discovery.run();
        times.push(begin.elapsed());
    }
    times.sort();
    row("complete catalog on a warm cache", times[2]);

    let catalog = discovery.run();
    let file = root.join("dir7/sub3/a.ts");
    let begin = Instant::now();
    let count = catalog.matching(&file).len();
    row(&format!("first matching(path), {count} skills"), begin.elapsed());
    let begin = Instant::now();
    for _ in 0..QUERIES {
        std::hint::black_box(catalog.matching(&file));
    }
    row("matching(path) afterwards", begin.elapsed() / u32::try_from(QUERIES)?);
    let begin = Instant::now();
    let changed = catalog.with_file(&root.join(".claude/skills/skill-05000/SKILL.md"));
    changed.context("the skill is not known")?;
    row("one skill read and indexed again", begin.elapsed());
    drop(catalog);

    server(&root, &file).await
}

/// What the whole server holds, with a document open that activates skills.
async fn server(root: &Path, file: &Path) -> Result<()> {
    let program = std::env::current_exe()?.with_file_name("skills-ls");
    anyhow::ensure!(program.exists(), "{} is missing: run tests/bench", program.display());
    let mut child = Command::new(program)
        .arg("lsp")
        .env("HOME", root.join("home"))
        .env("XDG_STATE_HOME", root.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let reader = child.stdout.take().context("no output")?;
    let writer = child.stdin.take().context("no input")?;
    let mut editor = Editor::new(reader, writer);
    let begin = Instant::now();
    editor
        .initialize(root, json!({}), json!({"agent": {"active": {}}}))
        .await?;
    editor.open(file, "typescript", "").await?;
    let uri = file_uri(file)?;
    let is_active = |params: &serde_json::Value| params["uri"] == uri.as_str() && params["skills"] != json!([]);
    editor.wait_until("skills/active", is_active).await?;
    row("server start to skills/active", begin.elapsed());
    let id = child.id().context("the server has ended")?;
    if let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) {
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = resident.and_then(|text| text.split_whitespace().next());
        let kibibytes: f64 = kibibytes.context("/proc tells no VmRSS")?.parse()?;
        println!("{:<44}{:>9.1}", "server, resident MiB", kibibytes / 1024.0);
    }
    Ok(())
}

/// Four of ten name a folder and two extensions, three any file of an extension, two one file, one something else.
fn skill(number: usize) -> String {
    let (a, b) = (number % 89, number % 13);
    let extension = [
        "rs", "py", "go", "java", "rb", "c", "h", "md", "css", "html", "vue", "sql",
    ][number % 12];
    let paths = match number % 10 {
        0..4 => format!("dir{a}/sub{b}/**/*.{{ts,tsx}}"),
        4..7 => format!("**/*.{extension}, lib{a}/**/*.{extension}"),
        7 => format!("config/file{number}.json"),
        8 => format!("**/Name{number}.{extension}"),
        _ => format!("src/*/test_?{a}*.{extension}, [a-c]*/{number}/*"),
    };
    let body = "Look at each call and say what it does.\n\n- Read the file first.\n- Run `make test`.\n".repeat(20);
    format!(
        "---\nname: skill-{number:05}\ndescription: Checks the part {number} of the program. Use when files of this part \
         change, or when someone asks about them.\npaths: \"{paths}\"\n---\n# Part {number}\n\n{body}"
    )
}

fn row(title: &str, time: Duration) {
    println!("{title:<44}{:>9.3}", time.as_secs_f64() * 1e3);
}
