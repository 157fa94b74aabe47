//! Measures language servers as an editor sees them: built programs, over stdin and stdout. Prints; judges nothing.
//!
//! The server that was built beside this program comes first; further ones are named as arguments.

mod client;
#[path = "../../skills-schema/benches/hostile/families.rs"]
mod families;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use client::{Client, Server};

const STARTS: usize = 50;
/// So many edits are timed, or as many as fit into [`ENOUGH`].
const EDITS: usize = 2_000;
const ENOUGH: Duration = Duration::from_secs(10);
/// What is done before anything is counted.
const WARM_UP: usize = 20;
/// The skills of the large workspace.
const SKILLS: usize = 10_000;
/// Makes the name of a skill wrong.
const IN_NAME: Edit = Edit {
    line: 1,
    column: "name: ".len(),
    right: "r",
    wrong: "R",
};
/// Hides a character in its body.
const IN_BODY: Edit = Edit {
    line: 9,
    column: 0,
    right: "R",
    wrong: "\u{200b}",
};
/// Some of the texts that are made to cost; `cargo bench -p skills-schema --bench hostile` has them all.
const HOSTILE: [&str; 6] = [
    "arguments that are used",
    "nearly known keys",
    "aliases in a chain",
    "paths in one text",
    "metadata",
    "bangs and ticks",
];
/// How long they are, in bytes: as long as frontmatter is read, and as long as a file is analysed at once.
const LENGTHS: [usize; 4] = [16 << 10, 32 << 10, 500 << 10, 1000 << 10];
/// The files beside one skill.
const BUNDLED: usize = 400;

fn main() -> Result<()> {
    let servers = servers()?;
    println!("Milliseconds in {}.\n", profile());
    println!(
        "{:<52}{:<16}{:>9}{:>9}{:>9}{:>8}",
        "", "", "median", "p95", "p99", "times"
    );
    let small = Workspace::new(0)?;
    for server in &servers {
        row("process start to InitializeResult", server, starts(server, &small)?);
    }
    for lines in [300, 2_000, 20_000] {
        let title = format!("didChange to publishDiagnostics, {lines} lines");
        each(&servers, &title, |server| {
            edits(server, &small, &small.skill, lines, IN_NAME)
        });
    }
    for lines in [300, 2_000, 20_000] {
        for whole in [false, true] {
            let way = if whole { "as a whole" } else { "by ranges" };
            let title = format!("typing in the body {way}, {lines} lines");
            each(&servers, &title, |server| {
                let edit = Edit {
                    line: IN_BODY.line + lines / 2 / SECTION.len() * SECTION.len(),
                    ..IN_BODY
                };
                type_in(server, &small, &faulty(lines), edit, whole)
            });
        }
    }
    for server in servers.iter().take(1) {
        row("codeAction, 300 lines", server, code_actions(server, &small)?);
    }
    let bundled = small.with_bundled_files()?;
    let title = format!("didChange, 300 lines, {BUNDLED} files in its folder");
    each(&servers, &title, |server| edits(server, &small, &bundled, 300, IN_NAME));
    for name in HOSTILE {
        for length in LENGTHS {
            let title = format!("didChange, {name}, {} KiB", length >> 10);
            for server in servers.iter().take(1) {
                row(&title, server, hostile(server, &small, name, length)?);
            }
        }
    }
    let large = Workspace::new(SKILLS)?;
    let title = format!("didChange, 300 lines, among {SKILLS} skills");
    each(&servers, &title, |server| {
        edits(server, &large, &large.skill, 300, IN_NAME)
    });

    println!("\n{:<52}{:<16}{:>9}", "Resident memory, MiB", "", "at rest");
    for (title, workspace) in [("empty workspace", &small), ("10000 skills", &large)] {
        for server in &servers {
            let at_rest = memory_at_rest(server, workspace)?;
            let memory = at_rest.map_or("unknown".to_owned(), |memory| format!("{memory:.1}"));
            println!("{title:<52}{:<16}{memory:>9}", server.name);
        }
    }
    Ok(())
}

/// The server that was built beside this program, and those that are named.
fn servers() -> Result<Vec<Server>> {
    let own = std::env::current_exe()?.with_file_name("skills-ls");
    ensure!(own.exists(), "{} is missing: run tests/bench", own.display());
    let named = std::env::args_os().skip(1).map(PathBuf::from);
    let servers = [own].into_iter().chain(named).map(|program| {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Server { name, program }
    });
    Ok(servers.collect())
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) {
        "a debug build: its times mean nothing, pass --release"
    } else {
        "a release build"
    }
}

/// One character of a skill that makes it wrong, and right again.
#[derive(Clone, Copy)]
struct Edit {
    line: usize,
    column: usize,
    right: &'static str,
    wrong: &'static str,
}

/// A folder with skills.
struct Workspace {
    _folder: tempfile::TempDir,
    root: PathBuf,
    /// The skill that is edited.
    skill: PathBuf,
}

impl Workspace {
    fn new(skills: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?.join("workspace");
        let skill = root.join(".agents/skills/refund-checks/SKILL.md");
        write(&skill, &text(300))?;
        for number in 0..skills {
            let name = format!("skill-{number:05}");
            let text = format!(
                "---\nname: {name}\ndescription: Does task {number}. Use when {name} is asked for.\npaths:\n  - \
                 src/module{}/**\n---\n\n# Task {number}\n\nDo it.\n",
                number % 500
            );
            write(&root.join(format!(".agents/skills/{name}/SKILL.md")), &text)?;
        }
        Ok(Self {
            _folder: folder,
            root,
            skill,
        })
    }

    /// A skill with many files beside it.
    fn with_bundled_files(&self) -> Result<PathBuf> {
        let folder = self.root.join(".agents/skills/refund-charges");
        for number in 0..BUNDLED {
            let path = folder.join(format!("references/note-{number:03}.md"));
            write(
                &path,
                &format!("# Note {number}\n\n{}", "A line of reference text.\n".repeat(40)),
            )?;
        }
        let skill = folder.join("SKILL.md");
        write(&skill, &text(300))?;
        Ok(skill)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

/// What the bodies are made of.
const SECTION: [&str; 8] = [
    "## Step",
    "",
    "Read the rules, then run `npm test -- payments`.",
    "- Every refund is checked against the charge, also where it is *partial*.",
    "```ts",
    "gateway.refund(charge.id, amount);",
    "```",
    "",
];

/// A skill of so many lines with something to mend every 25 of them: most of a thousand, in the longest.
fn faulty(lines: usize) -> String {
    let (good, bad) = ("Every refund is", "`scripts\\refunds.sh` says that every refund is");
    let parts: Vec<String> = text(lines).split(good).map(str::to_owned).collect();
    let joints = (0..parts.len()).map(|number| match number {
        last if last + 1 == parts.len() => "",
        number if number % 3 == 0 => bad,
        _ => good,
    });
    parts
        .iter()
        .zip(joints)
        .flat_map(|(part, joint)| [part.as_str(), joint])
        .collect()
}

/// A skill of so many lines, as people write them.
fn text(lines: usize) -> String {
    let head = "---\nname: refund-checks\ndescription: Checks refunds. Use when code below src/payments changes\npaths:\n  \
                - \"src/payments/**\"\nallowed-tools: Read, Grep\n---\n";
    let body = SECTION.iter().cycle().take(lines - head.lines().count());
    head.to_owned() + &body.map(|line| format!("{line}\n")).collect::<String>()
}

fn starts(server: &Server, workspace: &Workspace) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for start in 0..STARTS + 5 {
        let begin = Instant::now();
        let client = Client::start(server, &workspace.root)?;
        if start >= 5 {
            times.push(begin.elapsed());
        }
        client.end()?;
    }
    Ok(times)
}

/// Makes a skill wrong and right again. Each edit is timed until the server's findings say so: what it says of an older
/// text does not count.
fn edits(server: &Server, workspace: &Workspace, skill: &Path, lines: usize, edit: Edit) -> Result<Vec<Duration>> {
    let mut client = Client::start(server, &workspace.root)?;
    client.open(skill, &text(lines))?;
    toggled(client, edit)
}

/// The same in the body of a skill in which much else is found, told by ranges or by the whole text each time.
fn type_in(server: &Server, workspace: &Workspace, text: &str, edit: Edit, whole: bool) -> Result<Vec<Duration>> {
    let mut client = Client::start(server, &workspace.root)?;
    if whole {
        client.send_whole_texts();
    }
    client.open(&workspace.skill, text)?;
    toggled(client, edit)
}

fn toggled(mut client: Client, edit: Edit) -> Result<Vec<Duration>> {
    let Edit { line, column, .. } = edit;
    let right = client.settled_findings()?;
    client.change(line, column, edit.wrong)?;
    let wrong: BTreeSet<String> = client.settled_findings()?.difference(&right).cloned().collect();
    ensure!(!wrong.is_empty(), "it finds nothing in such an edit");
    let (mut times, begun) = (Vec::new(), Instant::now());
    for number in 0..WARM_UP + EDITS {
        if begun.elapsed() > ENOUGH {
            break;
        }
        let is_wrong = number % 2 == 1;
        let begin = Instant::now();
        client.change(line, column, if is_wrong { edit.wrong } else { edit.right })?;
        while client.findings()?.is_superset(&wrong) != is_wrong {}
        if number >= WARM_UP {
            times.push(begin.elapsed());
        }
    }
    client.end()?;
    Ok(times)
}

/// A letter is typed and taken back in a text that is made to cost.
fn hostile(server: &Server, workspace: &Workspace, name: &str, length: usize) -> Result<Vec<Duration>> {
    let family = families::families().into_iter().find(|family| family.name == name);
    let family = family.with_context(|| format!("there are no {name}"))?;
    let mut client = Client::start(server, &workspace.root)?;
    client.open(&workspace.root.join(family.path), &family.text(length))?;
    client.settled_findings()?;
    let mut times = Vec::new();
    for number in 0..WARM_UP {
        let begin = Instant::now();
        let Edit { line, column, .. } = IN_NAME;
        client.change(line, column, if number % 2 == 0 { "D" } else { "d" })?;
        client.findings()?;
        times.push(begin.elapsed());
    }
    client.end()?;
    Ok(times)
}

fn code_actions(server: &Server, workspace: &Workspace) -> Result<Vec<Duration>> {
    let mut client = Client::start(server, &workspace.root)?;
    client.open(&workspace.skill, &text(300).replace("allowed-tools", "alowed-tools"))?;
    client.settled_findings()?;
    let at = json!({"line": 5, "character": 2});
    let mut times = Vec::new();
    for request in 0..WARM_UP + EDITS {
        let params = json!({
            "textDocument": {"uri": client.uri()}, "range": {"start": at, "end": at}, "context": {"diagnostics": []},
        });
        let begin = Instant::now();
        let actions = client.request("textDocument/codeAction", params)?;
        if request >= WARM_UP {
            times.push(begin.elapsed());
        }
        ensure!(!actions[0]["edit"].is_null(), "no fix is offered: {actions}");
    }
    client.end()?;
    Ok(times)
}

/// What a server holds when it has stopped growing.
fn memory_at_rest(server: &Server, workspace: &Workspace) -> Result<Option<f64>> {
    let mut client = Client::start(server, &workspace.root)?;
    client.open(&workspace.skill, &text(300))?;
    client.settled_findings()?;
    let mut memory = client.memory();
    let mut same = 0;
    while same < 20 {
        std::thread::sleep(Duration::from_millis(100));
        let now = client.memory();
        same = if now == memory { same + 1 } else { 0 };
        memory = now;
    }
    client.end()?;
    Ok(memory)
}

/// Measures each server; one that fails is named with its reason, and the others still count.
fn each(servers: &[Server], title: &str, measure: impl Fn(&Server) -> Result<Vec<Duration>>) {
    for server in servers {
        match measure(server) {
            Ok(times) => row(title, server, times),
            Err(error) => println!("{title:<52}{:<16}{error:#}", server.name),
        }
    }
}

/// Prints the median and the slow ends of measured times.
fn row(title: &str, server: &Server, mut times: Vec<Duration>) {
    times.sort();
    let percentile = |percent: usize| {
        let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    println!(
        "{title:<52}{:<16}{:>9.3}{:>9.3}{:>9.3}{:>8}",
        server.name,
        percentile(50),
        percentile(95),
        percentile(99),
        times.len()
    );
}
