//! `skills-ls run`: a skill in the terminal, with the built program and a recorded model.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::{Place, Ran, assert_holds};
use crate::recording;

const SKILL: &str = "---\nname: deploy\ndescription: Ships the service.\n---\nShip $ARGUMENTS.\n";

fn run(place: &Place, arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    command
        .env("SKILLS_LS_MODEL_PROVIDER", "replay")
        .env("SKILLS_LS_MODEL_NAME", place.folder.path().join("recording.sse"));
    Ran::of(command.stdin(Stdio::null()).output().unwrap())
}

fn place() -> Place {
    let place = Place::new(&[(".agents/skills/deploy/SKILL.md", SKILL), ("notes.txt", "one\n")]);
    fs::write(place.folder.path().join("recording.sse"), recording::edit()).unwrap();
    place
}

#[test]
fn a_skill_runs_and_its_edits_are_on_the_disk() {
    let place = place();
    let state = place.folder.path().join("state/skills-ls");
    fs::create_dir_all(&state).unwrap();
    let trust = json!({"version": 1, "folders": {place.root.to_str().unwrap(): true}});
    fs::write(state.join("trust.json"), trust.to_string()).unwrap();
    let ran = run(&place, &["run", "deploy", "to", "staging"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "Shipped.\n"), "{ran:?}");
    assert!(ran.err.contains("note: deploy is active: you run it\n"), "{ran:?}");
    assert!(ran.err.contains("note: debug: Finds the cause of a bug"), "{ran:?}");
    assert!(ran.err.contains("note: replace_range"), "{ran:?}");
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "two\n");
    let mut logs = fs::read_dir(state.join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let log = logs
        .find(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .unwrap();
    assert!(fs::read_to_string(log).unwrap().contains("Ship to staging."));
}

#[test]
fn what_the_model_says_and_what_it_does_stand_on_lines_of_their_own() {
    let place = place();
    fs::write(
        place.folder.path().join("recording.sse"),
        recording::edit_after("I look."),
    )
    .unwrap();
    // One screen for both, as in a terminal.
    let screen = place.folder.path().join("screen");
    let file = fs::File::create(&screen).unwrap();
    let status = place
        .command(&["run", "deploy"])
        .env("SKILLS_LS_MODEL_PROVIDER", "replay")
        .env("SKILLS_LS_MODEL_NAME", place.folder.path().join("recording.sse"))
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .status()
        .unwrap();
    assert!(status.success());
    let shown = fs::read_to_string(&screen).unwrap();
    // The question and the call are told in either order.
    assert!(shown.contains("\nI look.\nnote: "), "{shown}");
    assert!(shown.contains("\nnote: replace_range notes.txt\n"), "{shown}");
    assert!(shown.contains("\nShipped.\nnote: "), "{shown}");
}

#[test]
fn where_nobody_can_be_asked_nothing_is_allowed() {
    let place = place();
    let ran = run(&place, &["run", "deploy", "--json"]);
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "one\n");
    assert!(ran.err.contains("there is no terminal to answer in"), "{ran:?}");
    let updates: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(updates.iter().any(|update| update["update"]["status"] == "failed"));
    assert_holds(
        updates.last().unwrap(),
        &json!({"update": {"state": "idle", "stopReason": "end_turn"}}),
    );
}

/// As for every other command: ours are options wherever they stand, and what begins with a hyphen stands behind `--`.
#[test]
fn an_option_behind_the_arguments_is_an_option() {
    let place = place();
    let ran = run(&place, &["run", "deploy", "to", "staging", "--json"]);
    let first: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert!(first["update"].is_object(), "{ran:?}");
    assert!(!ran.out.contains("--json"), "{ran:?}");

    for wrong in ["--force", "--prod"] {
        let ran = run(&place, &["run", "deploy", wrong]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.err.contains("<SKILL> [--] [ARG]..."),
            "the way out is named: {ran:?}"
        );
    }

    let ran = run(&place, &["run", "deploy", "--json", "--", "--force"]);
    assert_ne!(ran.code, 2, "{ran:?}");
    let sessions = place.folder.path().join("state/skills-ls/sessions");
    let logs = fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<String> = logs.map(|log| fs::read_to_string(log).unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("Ship --force.")), "{texts:?}");
}

#[test]
fn a_run_that_cannot_begin_or_end_well_says_so() {
    let place = place();
    let ran = run(&place, &["run", "nothing"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("there is no skill \"nothing\""), "{ran:?}");
    fs::write(place.folder.path().join("recording.sse"), "=== response\n").unwrap();
    let ran = run(&place, &["run", "deploy"]);
    assert_ne!(ran.code, 0, "{ran:?}");
}
