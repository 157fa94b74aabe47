//! `protocol.md` and the pages for people name what the program has: all of it, and nothing else.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use skills_ls::authority::Authority;
use skills_ls::protocol::{
    ActiveParams, AgentStatusParams, ChangedTrustParams, ChangesParams, FocusParams, LmAccepted, LmCancelParams,
    LmChunkParams, LmEndParams, LmParams, METHODS, ModelsAnswer, ModelsQuery, PermissionAnswer, PermissionParams,
    PermissionResolvedParams, PreviewChangedParams, PreviewQuery, ReadersAnswer, ReadersQuery, ResolveAnswer,
    ResolveParams, ReviewAnswer, ReviewParams, SaveAnswer, SaveParams, SessionUpdateParams, session,
};
use skills_ls::{attached, commands, settings};

const DOCUMENT: &str = include_str!("../../protocol.md");
const README: &str = include_str!("../../../../README.md");
const AGENT: &str = include_str!("../../../../docs/agent.md");
const PERMISSIONS: &str = include_str!("../../../../docs/permissions.md");
const SETTINGS: &str = include_str!("../../../../docs/settings.md");
const VSCODE: &str = include_str!("../../../../editors/vscode/package.json");

/// The names in the first column of the first table below a heading.
fn table<'a>(document: &'a str, heading: &str) -> Vec<&'a str> {
    let section = document.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let lines = section.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap()).collect()
}

/// The JSON blocks of a document.
fn examples() -> Vec<Value> {
    let blocks = DOCUMENT.split("```json\n").skip(1);
    blocks
        .map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap())
        .collect()
}

/// Reads an example as its type; what comes out again is the same, so no field of it is invented.
#[track_caller]
fn assert_is<T: DeserializeOwned + Serialize>(example: &Value) {
    let read: T = serde_json::from_value(example.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), *example);
}

#[test]
fn every_message_has_a_heading_its_sender_and_an_example() {
    let mut examples: Vec<_> = examples();
    let headings: Vec<_> = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .collect();
    let methods: Vec<_> = METHODS.iter().map(|(method, _)| *method).collect();
    assert_eq!(headings, methods);
    for (method, senders) in METHODS {
        let section = DOCUMENT.split(&format!("\n### `{method}`\n")).nth(1).unwrap();
        let section = section.split("\n##").next().unwrap();
        for sender in senders.split(", ") {
            let (who, what) = sender.split_once(' ').unwrap();
            let says = format!("**{what} of the {who}**");
            assert!(section.contains(&says), "{method} does not say {says}");
        }
        let example = examples.iter().position(|example| example["method"] == *method);
        let example = examples.remove(example.unwrap_or_else(|| panic!("{method} has no example")))["params"].take();
        match *method {
            "skills/active" => assert_is::<ActiveParams>(&example),
            "skills/session/new" => assert_is::<session::NewParams>(&example),
            "skills/session/list" => assert_is::<session::ListParams>(&example),
            "skills/session/resume" => assert_is::<session::ResumeParams>(&example),
            "skills/session/close" | "skills/session/delete" | "skills/session/fork" => {
                assert_is::<session::SessionParams>(&example);
            }
            "skills/session/prompt" => assert_is::<session::PromptParams>(&example),
            "skills/session/dequeue" => assert_is::<session::DequeueParams>(&example),
            "skills/session/setConfigOption" => assert_is::<session::SetConfigOptionParams>(&example),
            "skills/session/cancel" => assert_is::<session::CancelParams>(&example),
            "skills/session/update" => assert_is::<SessionUpdateParams>(&example),
            "skills/agent/status" => assert_is::<AgentStatusParams>(&example),
            "skills/permission/request" => assert_is::<PermissionParams>(&example),
            "skills/permission/resolved" => assert_is::<PermissionResolvedParams>(&example),
            "skills/edit/review" => assert_is::<ReviewParams>(&example),
            "skills/edit/changes" => assert_is::<ChangesParams>(&example),
            "skills/edit/resolve" => assert_is::<ResolveParams>(&example),
            "skills/workspace/save" => assert_is::<SaveParams>(&example),
            "skills/workspace/didChangeTrust" => assert_is::<ChangedTrustParams>(&example),
            "skills/textDocument/didFocus" => assert_is::<FocusParams>(&example),
            "skills/preview" => assert_is::<PreviewQuery>(&example),
            "skills/preview/didChange" => assert_is::<PreviewChangedParams>(&example),
            "skills/readers" => assert_is::<ReadersQuery>(&example),
            "skills/models/list" => assert_is::<ModelsQuery>(&example),
            "skills/lm/request" => assert_is::<LmParams>(&example),
            "skills/lm/chunk" => assert_is::<LmChunkParams>(&example),
            "skills/lm/end" => assert_is::<LmEndParams>(&example),
            "skills/lm/cancel" => assert_is::<LmCancelParams>(&example),
            other => panic!("{other} needs a line in this test"),
        }
    }
    for answer in examples.iter().filter(|example| !example["outcome"].is_null()) {
        assert_is::<PermissionAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["readers"].is_null()) {
        assert_is::<ReadersAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["models"].is_null()) {
        assert_is::<ModelsAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["decisions"].is_null()) {
        assert_is::<ReviewAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["remaining"].is_null()) {
        assert_is::<ResolveAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["saved"].is_null()) {
        assert_is::<SaveAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| example["accepted"].is_boolean()) {
        assert_is::<LmAccepted>(answer);
    }
    for answer in examples.iter().filter(|example| example["accepted"].is_string()) {
        assert_is::<session::PromptAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["sessions"].is_null()) {
        assert_is::<session::ListAnswer>(answer);
    }
    for answer in examples.iter().filter(|example| !example["lastSeq"].is_null()) {
        assert_is::<session::Opened>(answer);
    }
}

#[test]
fn every_command_has_a_row() {
    assert_eq!(table(DOCUMENT, "Commands"), commands::ids().collect::<Vec<_>>());
}

#[test]
fn every_setting_has_a_row() {
    assert_eq!(table(SETTINGS, "Settings"), settings::keys().collect::<Vec<_>>());
}

#[test]
fn vs_code_declares_every_setting_with_its_default_and_keeps_the_persons_own_out_of_folders() {
    let manifest: Value = serde_json::from_str(VSCODE).unwrap();
    let declared = manifest["contributes"]["configuration"]["properties"]
        .as_object()
        .unwrap();
    let own = ["skills.server.path"];
    let named: BTreeSet<_> = declared
        .keys()
        .map(String::as_str)
        .filter(|key| !own.contains(key))
        .collect();
    let known: Vec<_> = settings::keys().map(|key| format!("skills.{key}")).collect();
    assert_eq!(named, known.iter().map(String::as_str).collect());
    for (key, setting) in declared {
        assert!(
            setting["markdownDescription"].is_string(),
            "{key} says nothing of itself"
        );
        let is_the_persons = ["directories", "model.", "permissions.", "prices", "server.", "trust."].iter();
        if is_the_persons
            .clone()
            .any(|prefix| key.starts_with(&format!("skills.{prefix}")))
        {
            assert_eq!(setting["scope"], "machine", "a folder could set {key}");
        }
        let Some(default) = setting["default"].as_str().filter(|default| !default.is_empty()) else {
            continue;
        };
        let row = SETTINGS
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", key.trim_start_matches("skills."))));
        let said = row.and_then(|row| row.split('|').nth(2)).unwrap();
        assert!(said.contains(&format!("`{default}`")), "{key}: the page says {said}");
    }
}

#[test]
fn what_the_token_for_tools_is_good_for_is_documented_and_nothing_else_is() {
    let section = DOCUMENT.split("\n### Two tokens\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let list = section.split("\n- ").skip(1).flat_map(|item| item.split("\n\n").next());
    let documented: BTreeSet<_> = list.flat_map(|item| item.split('`').skip(1).step_by(2)).collect();
    let methods = METHODS.iter().filter(|(_, sender)| sender.contains("client"));
    let names = methods.map(|(method, _)| *method).chain(commands::ids());
    let allowed: BTreeSet<_> = names.filter(|name| Authority::Tools.may(name).is_ok()).collect();
    assert_eq!(documented, allowed);
}

#[test]
fn nothing_is_documented_that_is_not_there() {
    let known: BTreeSet<_> = METHODS
        .iter()
        .map(|(method, _)| *method)
        .chain(commands::ids())
        .chain([attached::ATTACH])
        .collect();
    for document in [DOCUMENT, README, AGENT, PERMISSIONS, SETTINGS] {
        // What stands in backticks is a name; code blocks hold other people's names too.
        let named = document.split('`').skip(1).step_by(2);
        let named = named.filter(|name| name.starts_with("skills/") || name.starts_with("skills.server."));
        for name in named.filter(|name| name.len() > "skills/".len()) {
            assert!(
                known.contains(name),
                "{name} is documented, but the program has no such thing"
            );
        }
    }
}
