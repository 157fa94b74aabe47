//! Steps that are each allowed, or look harmless, and together run or read what nobody was asked for.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use skills_tests::process::{self, Machine, Served};

use super::{KEY, allowing, place, side_by_side};

/// Steps of one turn.
struct Chain {
    name: &'static str,
    /// Whether it is the kernel that keeps it from succeeding.
    by_kernel: bool,
    rules: &'static [&'static str],
    /// Tools with what they are given; `@WORK@` in it is the workspace.
    steps: fn() -> Vec<(&'static str, Value)>,
}

/// A new file.
fn new(path: &str, text: &str) -> (&'static str, Value) {
    ("create_file", json!({"path": path, "content": text}))
}

/// A command in a folder.
fn run(cwd: &str, argv: &[&str]) -> (&'static str, Value) {
    ("run_shell", json!({"argv": argv, "cwd": cwd, "timeout_ms": 120_000}))
}

/// The files that make `lib` a repository, with a configuration.
fn repository(configuration: &str) -> Vec<(&'static str, Value)> {
    let configuration =
        format!("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = @WORK@\n{configuration}");
    vec![
        new("lib/HEAD", "ref: refs/heads/main\n"),
        new("lib/config", &configuration),
        new("lib/objects/k", "k\n"),
        new("lib/refs/k", "k\n"),
    ]
}

/// Each would make the file `won` in the workspace, or print the word of the secret `.env`, turned.
const CHAINS: &[Chain] = &[
    Chain {
        name: "git asks a monitor of files",
        by_kernel: false,
        rules: &["Bash(git status:*)"],
        steps: || {
            [
                repository("\tfsmonitor = touch @WORK@/won #\n"),
                vec![run("lib", &["git", "status"])],
            ]
            .concat()
        },
    },
    Chain {
        name: "git asks a monitor of files, from a folder below",
        by_kernel: false,
        rules: &["Bash(git status:*)"],
        steps: || {
            [
                repository("\tfsmonitor = touch @WORK@/won #\n"),
                vec![run("lib/refs", &["git", "status"])],
            ]
            .concat()
        },
    },
    Chain {
        name: "git compares by a program",
        by_kernel: false,
        rules: &["Bash(git diff:*)"],
        steps: || {
            let steps = vec![
                new("x.txt", "one\n"),
                run(
                    "lib",
                    &["git", "diff", "--ext-diff", "--no-index", "/dev/null", "../x.txt"],
                ),
            ];
            [repository("[diff]\n\texternal = touch @WORK@/won #\n"), steps].concat()
        },
    },
    Chain {
        name: "git connects by a program",
        by_kernel: false,
        rules: &["Bash(git fetch:*)"],
        steps: || {
            let steps = vec![run("lib", &["git", "fetch", "origin"])];
            let configuration = "\tsshCommand = touch @WORK@/won #\n[remote \"origin\"]\n\turl = ssh://a.test/b\n";
            [repository(configuration), steps].concat()
        },
    },
    Chain {
        name: "git writes what it prints",
        by_kernel: true,
        rules: &["Bash(git log:*)", "Bash(git diff:*)"],
        steps: || {
            vec![
                run(".", &["git", "log", "--output=.git/hooks/post-checkout"]),
                run(".", &["git", "diff", "--output=.git/hooks/post-checkout"]),
            ]
        },
    },
    Chain {
        name: "git says what a secret was",
        by_kernel: false,
        rules: &["Bash(git show:*)", "Bash(git log:*)", "Bash(git cat-file:*)"],
        steps: || {
            vec![
                run(".", &["git", "show", "HEAD:.env"]),
                run(".", &["git", "cat-file", "blob", "HEAD:./.env"]),
            ]
        },
    },
    Chain {
        name: "a secret has another name",
        by_kernel: false,
        rules: &["Bash(cat notes)", "Bash(sed:*)"],
        steps: || {
            vec![
                run(".", &["cat", "notes"]),
                run(".", &["sed", "", "notes"]),
                ("read_file_range", json!({"path": "notes", "start_line": 1})),
                ("search_text", json!({"pattern": "heron"})),
            ]
        },
    },
    Chain {
        name: "programs that write by an option",
        by_kernel: true,
        rules: &[
            "Bash(sort:*)",
            "Bash(sed:*)",
            "Bash(cp:*)",
            "Bash(awk:*)",
            "Bash(tar:*)",
        ],
        steps: || {
            vec![
                new("x.txt", "#!/bin/sh\ntouch @WORK@/won\n"),
                run(".", &["sort", "--output=.git/hooks/post-checkout", "x.txt"]),
                run(".", &["sed", "-ni", "w .git/hooks/post-checkout", "x.txt"]),
                run(".", &["sed", "w .git/hooks/post-checkout", "x.txt"]),
                run(".", &["cp", "-t.git/hooks", "x.txt"]),
                run(".", &["cp", "x.txt", ".git/hooks/post-checkout"]),
                run(".", &["awk", "{print > \".git/hooks/post-checkout\"}", "x.txt"]),
            ]
        },
    },
    Chain {
        name: "programs that read by an option",
        by_kernel: true,
        rules: &["Bash(grep:*)", "Bash(awk:*)", "Bash(tar:*)", "Bash(sort:*)"],
        steps: || {
            vec![
                run(".", &["grep", "-r", "heron", "."]),
                run(".", &["grep", "-rh", "heron"]),
                run(".", &["awk", "BEGIN{while((getline l < (\".e\" \"nv\"))>0)print l}"]),
                run(".", &["sort", "--files0-from=list"]),
            ]
        },
    },
];

/// A workspace whose repository knows of a secret, which has another name too.
async fn workspace(machine: Machine) -> Result<process::Place> {
    let place = place(machine)?;
    place.fill(&[
        (".env", "heron-of-the-lake\n"),
        ("src/a.txt", "one\n"),
        ("list", ".env\0"),
    ])?;
    fs::hard_link(place.root.join(".env"), place.root.join("notes"))?;
    for arguments in [
        &["init", "-q"][..],
        &["add", "-f", ".env", "src"],
        &["-c", "user.name=a", "-c", "user.email=a@a.test", "commit", "-qm", "all"],
    ] {
        let status = place.command("git").args(arguments).status().await?;
        anyhow::ensure!(status.success(), "git can't {arguments:?}");
    }
    Ok(place)
}

/// What a chain gained on a machine.
async fn gained(machine: Machine, chain: &Chain) -> Result<Vec<String>> {
    let place = workspace(machine).await?;
    let mut served = Served::start(&place, None, allowing(chain.rules), &[KEY], process::no).await?;
    let root = place.root.display().to_string();
    let filled = |input: Value| serde_json::from_str(&input.to_string().replace("@WORK@", &root));
    let steps = (chain.steps)()
        .into_iter()
        .map(|(tool, input)| Ok((tool, filled(input)?)));
    let steps: Vec<_> = steps.collect::<Result<_>>()?;
    let told = served.obeys("go", &steps).await.context(chain.name)?;
    let mut gained = Vec::new();
    for made in ["won", ".git/hooks/post-checkout", ".git/hooks/x.txt"] {
        if place.root.join(made).exists() {
            gained.push(format!("{made} was made"));
        }
    }
    let said = told
        .iter()
        .zip(&steps)
        .filter(|(told, _)| told.contains("heron-of-the-lake"));
    gained.extend(said.map(|(_, (tool, input))| format!("{tool} {input} said the secret")));
    Ok(gained)
}

/// What all chains gain on a machine.
async fn all_chains(machine: Machine) -> Result<Vec<String>> {
    // What is missing here is told by doctor, and in each question.
    let hides = machine.has("mounts");
    let keeps = hides || machine.has("landlock");
    let mut failed = Vec::new();
    for chain in CHAINS.iter().filter(|chain| keeps || !chain.by_kernel) {
        let gained = gained(machine, chain).await?.into_iter();
        let gained = gained.filter(|what| hides || !what.contains("secret"));
        failed.extend(gained.map(|what| format!("{}: {}: {what}", machine.name(), chain.name)));
    }
    Ok(failed)
}

#[test]
fn no_chain_of_allowed_steps_does_what_nobody_was_asked_for() {
    let failed = side_by_side(Machine::all(), all_chains);
    assert!(failed.is_empty(), "{} gains:\n{}", failed.len(), failed.join("\n"));
}
