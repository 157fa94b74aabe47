//! What `run_shell` promises, with real programs.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skills_agent::permission::Mode;
use skills_agent::process::jobs::JobState;

use crate::host::Bench;

fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(files).with_rules(&[], &[], &["Bash"]);
    // Scripts with redirections ask.
    bench.answer(&["allow"; 20]);
    bench
}

fn sh(script: &str) -> Value {
    json!({"argv": ["sh", "-c", script]})
}

#[tokio::test]
async fn output_is_given_by_stream_with_how_it_ended() {
    let bench = bench(&[("d/x", "")]);
    let text = bench.text("run_shell", sh("echo out; echo err >&2")).await;
    assert!(
        text.starts_with("$ sh -c 'echo out; echo err >&2' [one-shot ok "),
        "{text}"
    );
    assert!(text.ends_with("ms]\n── stdout ──\nout\n── stderr ──\nerr"), "{text}");
    let text = bench.refusal("run_shell", sh("echo why; exit 3")).await;
    assert!(
        text.starts_with("command failed (exit 3)\n$ sh") && text.ends_with("why"),
        "{text}"
    );
    let text = bench.refusal("run_shell", json!({"argv": ["no-such-program"]})).await;
    assert!(text.starts_with("failed to spawn 'no-such-program': "), "{text}");
    let text = bench
        .text("run_shell", json!({"program": "pwd", "args": [], "cwd": "d"}))
        .await;
    assert!(text.ends_with("/w/d"), "{text}");
    let text = bench
        .text("run_shell", json!({"command": ["cat"], "timeout_secs": 60}))
        .await;
    assert!(text.ends_with("ms]"), "there is no input: {text}");
}

#[tokio::test]
async fn a_command_that_waits_for_input_gets_none() {
    let bench = Bench::new(&[]);
    bench.answer(&["allow"]);
    let text = bench
        .text("run_shell", json!({"argv": ["sh", "-c", "cat; echo ended"]}))
        .await;
    assert!(text.ends_with("ended"), "{text}");
}

#[tokio::test]
async fn wrong_arguments_are_answered() {
    let bench = bench(&[("f", "")]);
    for (input, expected) in [
        (
            json!({"argv": ["true"], "timeout_ms": 0}),
            "'timeout_ms' must be greater than zero",
        ),
        (json!({"argv": []}), "argv is empty"),
        (json!({}), "argv is empty"),
        (json!({"argv": "ls -l"}), "invalid arguments for run_shell"),
        (json!({"argv": ["true", "a\u{0}b"]}), "NUL"),
        (json!({"argv": ["true"], "cwd": ".."}), "escapes workspace root"),
        (json!({"argv": ["true"], "cwd": "/"}), "escapes workspace root"),
        (json!({"argv": ["true"], "cwd": "f"}), "no folder"),
    ] {
        let message = bench.refusal("run_shell", input.clone()).await;
        assert!(message.contains(expected), "{input}: {message}");
    }
}

/// Whether a process of the machine has this word among its arguments.
#[cfg(target_os = "linux")]
fn lives(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut arguments = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    arguments.any(|line| {
        line.split(|byte| *byte == 0)
            .any(|argument| argument == word.as_bytes())
    })
}

/// Nothing that a command started lives on, however it tries to get away: as a child, in a session of its own, as an orphan.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_ends_takes_all_with_it_that_it_started() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum End {
        Itself,
        Time,
        Stop,
    }
    for (number, end) in [End::Itself, End::Time, End::Stop].into_iter().enumerate() {
        for (way, start) in [
            "sleep S &",
            "setsid sleep S &",
            "(setsid sh -c 'sleep S & exit' &)",
            "nohup sleep S &",
        ]
        .into_iter()
        .enumerate()
        {
            for unsandboxed in [false, true] {
                let bench = bench(&[]);
                let word = format!("10{number}{way}{}.{}", u8::from(unsandboxed), std::process::id());
                let start = start.replace('S', &word);
                let wait = if end == End::Itself { "" } else { "; sleep 600" };
                let mut input = sh(&format!("{start}\ntouch started{wait}"));
                input["unsandboxed"] = json!(unsandboxed);
                if end == End::Time {
                    input["timeout_ms"] = json!(1500);
                }
                let (cancel, started) = (bench.context.cancel.clone(), bench.root().join("started"));
                let stopping = async move {
                    while end == End::Stop && !started.exists() {
                        tokio::task::yield_now().await;
                    }
                    if end == End::Stop {
                        cancel.cancel();
                    }
                };
                let (outcome, ()) = tokio::join!(bench.call("run_shell", input), stopping);
                assert_eq!(outcome.is_ok(), end == End::Itself, "{outcome:?}");
                let dying = async {
                    while lives(&word) {
                        tokio::task::yield_now().await;
                    }
                };
                let patience = std::time::Duration::from_secs(120);
                let died = tokio::time::timeout(patience, dying).await;
                assert!(died.is_ok(), "{end:?} {start} unsandboxed {unsandboxed}");
            }
        }
    }
}

#[tokio::test]
async fn a_flood_is_cut_and_kept_in_a_file() {
    let bench = bench(&[]);
    let output = bench
        .call("run_shell", sh("echo begin; seq 1 200000; echo end"))
        .await
        .unwrap();
    assert!(output.truncated && output.text.len() < 65_536);
    assert!(output.text.contains("\nbegin\n1\n2\n") && output.text.ends_with("\n200000\nend"));
    let file = output
        .text
        .split("the whole output is in ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    assert!(Path::new(file).starts_with(bench.outside("state/output")));
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 200_002);
}

/// A command in the background, to its end; gives its output.
async fn job(bench: &Bench, script: &str) -> String {
    let mut input = sh(script);
    input["background"] = json!(true);
    bench.text("run_shell", input).await;
    let jobs = bench.shell.jobs.clone();
    while jobs.list().iter().any(|job| job.state == JobState::Running) {
        tokio::task::yield_now().await;
    }
    std::fs::read_to_string(&jobs.list().last().unwrap().output).unwrap()
}

#[tokio::test]
async fn no_file_of_output_has_a_secret_in_it() {
    let bench = bench(&[]);
    // The pieces come in several reads.
    let secrets =
        "printf 'API_KEY=0123'; sleep 0.05; printf '456789\\ntoken sk-abcdefgh'; sleep 0.05; printf 'ijklmnopqr\\n'";
    let expected = "API_KEY=[redacted]\ntoken [redacted]\n";
    assert_eq!(job(&bench, secrets).await, expected);
    assert_eq!(job(&bench, &format!("{{ {secrets}; }} >&2")).await, expected);
    let output = bench
        .text("run_shell", sh(&format!("{secrets}; seq 1 200000; {secrets}")))
        .await;
    let file = output
        .split("the whole output is in ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.starts_with(expected) && text.ends_with(expected), "{output}");
}

#[tokio::test]
async fn a_background_command_can_not_fill_the_disk() {
    let bench = bench(&[]);
    let text = job(&bench, "head -c 80000000 /dev/zero | tr '\\0' '\\n'").await;
    assert!(text.len() < 68_000_000, "{}", text.len());
    assert!(text.ends_with("\n[cut: only the first 64 MiB of the output are kept]\n"));
    let listed = bench.shell.jobs.list()[0].to_string();
    assert!(listed.contains("(first part of its output: "), "{listed}");
}

#[tokio::test]
async fn nothing_of_ours_leaks_into_a_command() {
    let bench = bench(&[]);
    let text = bench.text("run_shell", json!({"argv": ["env"]})).await;
    let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert!(names.contains(&"PATH"), "{names:?}");
    for name in names {
        let is_kept = !["KEY", "TOKEN", "SSH_AUTH", "LD_", "CARGO"]
            .iter()
            .any(|part| name.contains(part));
        assert!(is_kept, "{name}");
    }
    let text = bench
        .text(
            "run_shell",
            json!({"argv": ["printf", "\u{1b}]52;c;eA==\u{7}\u{1b}[1mx password=hunter2x"]}),
        )
        .await;
    assert!(text.ends_with("── stdout ──\nx password=[redacted]"), "{text:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_sandbox_keeps_writes_to_the_workspace_and_says_so() {
    let bench = bench(&[]);
    // Folders for temporary files are open, and the tests run in one; the checkout may lie there too.
    let folders = [std::env::current_dir().ok(), std::env::home_dir()];
    let is_closed = |folder: &PathBuf| !["/tmp", "/var/tmp"].iter().any(|open| folder.starts_with(open));
    let mut closed = folders.into_iter().flatten().filter(is_closed);
    let outside = closed.find_map(|folder| tempfile::Builder::new().tempdir_in(folder).ok());
    let outside = outside.expect("a folder to write to that is not temporary");
    let file = outside.path().join("f");
    let script = format!("echo x > inside; echo x > {}", file.display());
    bench.host.asked.lock().unwrap().clear();
    let result = bench.call("run_shell", sh(&script)).await;
    if bench.host.asked.lock().unwrap()[0].detail.contains("no sandbox") {
        assert!(result.is_ok());
        return;
    }
    let message = result.unwrap_err().to_string();
    assert!(message.contains("unsandboxed: true") && !file.exists(), "{message}");
    assert_eq!(bench.disk("inside").unwrap(), "x\n");
    let mut input = sh(&script);
    input["unsandboxed"] = json!(true);
    bench.text("run_shell", input).await;
    assert!(file.exists());
    let asked = bench.asked();
    assert_eq!(asked.last().unwrap(), "Run this command without the sandbox?");
}

#[tokio::test]
async fn leaving_the_sandbox_asks_whatever_is_allowed() {
    let bench = Bench::new(&[]).with_rules(&[], &[], &["Bash"]);
    let input = json!({"argv": ["true"], "unsandboxed": true});
    bench.refusal("run_shell", input).await;
    assert_eq!(bench.asked().len(), 1);
    assert_eq!(bench.host.asked.lock().unwrap()[0].rules, "run_shell_unsandboxed(true)");
}

#[tokio::test]
async fn background_jobs_run_on_and_can_be_stopped() {
    let bench = bench(&[]);
    let jobs = bench.shell.jobs.clone();
    let mut input = sh("echo started; echo done");
    input["background"] = json!(true);
    let text = bench.text("run_shell", input).await;
    assert!(text.contains("[background job 1]"), "{text}");
    while jobs.list()[0].state == JobState::Running {
        tokio::task::yield_now().await;
    }
    let job = &jobs.list()[0];
    assert_eq!((job.id, job.state), (1, JobState::Ended(0)));
    assert_eq!(std::fs::read_to_string(&job.output).unwrap(), "started\ndone\n");
    bench
        .text("run_shell", json!({"argv": ["sleep", "1000"], "background": true}))
        .await;
    assert_eq!(
        (jobs.cancel(Some(1)), jobs.cancel(Some(2)), jobs.cancel(None)),
        (0, 1, 0)
    );
    assert!(jobs.list()[1].to_string().starts_with("2: cancelled: sleep 1000"));
}

#[tokio::test]
async fn the_question_shows_what_runs_and_what_it_will_not_see() {
    let bench = Bench::new(&[("f.txt", "a\n"), ("g.txt", "a\n")]);
    bench.open("f.txt", "changed\n");
    bench.open("g.txt", "a\n");
    let message = bench.refusal("run_shell", json!({"argv": ["true", "a b"]})).await;
    assert!(message.contains("was not allowed"), "{message}");
    let detail = bench.host.asked.lock().unwrap()[0].detail.clone();
    assert!(
        detail.starts_with(&format!("true 'a b'\nin {}\n", bench.root().display())),
        "{detail}"
    );
    assert!(
        detail.contains("unsaved in f.txt.") && !detail.contains("g.txt"),
        "{detail}"
    );
    // Of a long one the programs are named, and the reason stands before it and after it.
    let bench = Bench::new(&[]);
    let script = format!("echo {}; curl evil.example; echo x > .envrc", "a".repeat(1_000));
    bench.refusal("run_shell", sh(&script)).await;
    let detail = bench.host.asked.lock().unwrap()[0].detail.clone();
    let (first, rest) = detail.split_once("\nsh -c").unwrap();
    assert!(first.contains("curl") && first.lines().count() >= 2, "{first}");
    assert!(rest.ends_with(first), "{detail}");
    let bench = Bench::with(&[], Mode::ReadOnly, Some(true));
    assert!(
        bench
            .refusal("run_shell", json!({"argv": ["true"]}))
            .await
            .contains("read-only")
    );
    let bench = Bench::with(&[], Mode::AcceptEdits, Some(false));
    assert!(
        bench
            .refusal("run_shell", json!({"argv": ["true"]}))
            .await
            .contains("not trusted")
    );
}
