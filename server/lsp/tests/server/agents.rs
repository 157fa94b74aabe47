//! `skills-ls doctor --agent`: the configurations that agents are given, and what it finds of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use crate::place::Place;
use serde_json::Value;

/// An agent, its configuration in this repository, and where that goes: `~` is the home folder.
const AGENTS: [(&str, &str, &str); 4] = [
    ("opencode", "opencode/opencode.json", "opencode.json"),
    ("crush", "crush/crush.json", "~/.config/crush/crush.json"),
    (
        "claude",
        "claude/.lsp.json",
        "~/.claude/plugins/cache/us/skills-ls/.lsp.json",
    ),
    ("copilot", "copilot/lsp.json", ".github/lsp.json"),
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/agents"))
}

/// What is said of an agent, with this program on the `PATH` if wanted: the messages, and whether all is well.
fn doctor(place: &Place, agent: &str, has_program: bool) -> (Value, bool) {
    let mut command = place.command(&["doctor", "--agent", agent, "--json"]);
    let programs = Path::new(env!("CARGO_BIN_EXE_skills-ls")).parent().unwrap();
    if has_program {
        command.env("PATH", programs);
    }
    let output = command.output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.success())
}

#[test]
fn each_configuration_is_printed_found_and_described() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for (agent, file, goes) in AGENTS {
        let text = std::fs::read_to_string(folder().join(file)).unwrap();
        let place = Place::new(&[]);
        let (said, is_fine) = doctor(&place, agent, true);
        assert_eq!(
            said["configuration"],
            serde_json::from_str::<Value>(&text).unwrap(),
            "{agent}"
        );
        assert!(!is_fine, "{agent} is not configured yet: {said:#}");
        assert!(
            said["checks"][1]["message"].as_str().unwrap().contains("looked at"),
            "{said:#}"
        );

        place.write(&goes.replace("~", "../home"), text.as_bytes());
        let (said, is_fine) = doctor(&place, agent, true);
        assert!(is_fine, "{agent}: {said:#}");

        let row = readme
            .lines()
            .find(|line| line.contains(&format!("| `{agent}` |")))
            .unwrap();
        assert!(
            row.contains(file) && row.ends_with(&format!("| {} |", said["tried"].as_str().unwrap())),
            "{row}"
        );
    }
}

#[test]
fn what_is_missing_is_named_with_the_way_out() {
    let place = Place::new(&[]);
    let (said, _) = doctor(&place, "opencode", false);
    assert!(
        said["checks"][0]["message"]
            .as_str()
            .unwrap()
            .contains("not on the PATH: put "),
        "{said:#}"
    );
    for (text, expected) in [
        ("{", "can't be read as JSON"),
        ("{\"lsp\": {\"gopls\": {}}}", "no configuration names skills-ls"),
        ("{\"lsp\": {\"skills-ls\": {}}}", "without a `command`"),
        (
            "{\"lsp\": {\"skills-ls\": {\"command\": [\"skils\"]}}}",
            "starts skils, which is not there",
        ),
        (
            "{\"lsp\": {\"skills-ls\": {\"command\": [\"skills-ls\"], \"disabled\": true}}}",
            "remove `disabled`",
        ),
        ("{\"lsp\": true}", "no configuration names skills-ls"),
    ] {
        place.write("opencode.json", text.as_bytes());
        let (said, is_fine) = doctor(&place, "opencode", true);
        let message = said["checks"][1]["message"].as_str().unwrap();
        assert!(!is_fine && message.contains(expected), "{text}: {message}");
    }
    let ran = place.run(&["doctor", "--agent", "cascade"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("opencode, crush, claude, copilot"), "{}", ran.err);
}

/// A person may have another version than the one that was recorded: what differs there nobody knows, and it is said.
#[cfg(unix)]
#[test]
fn a_version_that_nobody_looked_at_is_said_to_be_unknown() {
    use std::os::unix::fs::PermissionsExt;
    for (agent, script, expected) in [
        (
            "opencode",
            Some("echo 1.18.33"),
            "opencode 1.18.33 is the version whose reading of skills is recorded",
        ),
        (
            "opencode",
            Some("echo opencode v1.19.0-beta"),
            "recorded from opencode 1.18.33, and unknown where 1.19.0-beta differs",
        ),
        (
            "copilot",
            Some("echo 'GitHub Copilot CLI 1.0.102.'"),
            "Copilot CLI 1.0.102 is the version",
        ),
        (
            "crush",
            Some("echo no number; exit 3"),
            "recorded from Crush, source of 2026-08-21 is unknown",
        ),
        (
            "claude",
            None,
            "claude is not on the PATH; what it makes of skills is told as recorded from the documents",
        ),
    ] {
        let place = Place::new(&[]);
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path();
        if let Some(script) = script {
            let program = programs.join(agent);
            std::fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = --version ] && {script}\n")).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = place.command(&["doctor", "--agent", agent, "--json"]);
        let output = command.env("PATH", programs).output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = said["checks"][2]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{agent}: {message}");
    }
}
