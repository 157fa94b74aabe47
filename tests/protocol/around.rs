//! What is found in view of other files, how rules are configured, and what is repaired at once.

use std::time::Duration;

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted, write};

const SKILL: &str = ".agents/skills/deploy/SKILL.md";
const OPENAI: &str = ".agents/skills/deploy/agents/openai.yaml";
const TEXT: &str = "---\nname: deploy\ndescription: Deploys.\n---\n# Deploy\n\nRead [the API](references/api.md).\n";

/// The codes of diagnostics.
fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic["code"].as_str().unwrap_or_default())
        .collect()
}

/// Waits until a file has exactly these findings; gives up long after any machine would have found them.
async fn wait_for(session: &mut Session, name: &str, expected: &[&str]) -> Vec<Value> {
    let mut last = Vec::new();
    let waiting = async {
        loop {
            last = session.diagnostics(name).await.unwrap();
            if codes(&last) == expected {
                break;
            }
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), waiting).await.is_err() {
        panic!("{name}: {expected:?} are awaited, and found are {last:?}");
    }
    last
}

#[tokio::test]
async fn a_broken_link_is_found_behind_the_text_and_goes_when_the_file_comes() {
    let mut session = Session::start(&[(SKILL, TEXT)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let found = wait_for(&mut session, SKILL, &["broken-link"]).await;
    assert_eq!(found[0]["range"]["start"], json!({"line": 6, "character": 15}));
    // What is typed elsewhere leaves it where it is, in the same message as what the text says.
    let path = session.path(SKILL);
    session.editor.replace(&path, "# Deploy", "# Deploy it").await.unwrap();
    let found = session.diagnostics(SKILL).await.unwrap();
    assert_eq!(codes(&found), ["broken-link"]);
    let reference = session.path(".agents/skills/deploy/references/api.md");
    write(&reference, "# API\n").unwrap();
    let changes = json!({"changes": [{"uri": file_uri(&reference).unwrap(), "type": 1}]});
    session
        .editor
        .notify("workspace/didChangeWatchedFiles", changes)
        .await
        .unwrap();
    wait_for(&mut session, SKILL, &[]).await;
}

#[tokio::test]
async fn a_plugin_that_comes_around_a_skill_is_seen_and_so_is_its_end() {
    let mut session = Session::start(&[(SKILL, TEXT)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    wait_for(&mut session, SKILL, &["broken-link"]).await;
    let manifest = session.path(".codex-plugin/plugin.json");
    let changed = |kind: u8| json!({"changes": [{"uri": file_uri(&manifest).unwrap(), "type": kind}]});
    write(&manifest, "{\"name\": \"tools\"}\n").unwrap();
    let method = "workspace/didChangeWatchedFiles";
    session.editor.notify(method, changed(1)).await.unwrap();
    wait_for(&mut session, SKILL, &["renamed-by-plugin", "broken-link"]).await;
    std::fs::remove_file(&manifest).unwrap();
    session.editor.notify(method, changed(3)).await.unwrap();
    wait_for(&mut session, SKILL, &["broken-link"]).await;
}

#[tokio::test]
async fn a_client_that_pulls_is_told_to_pull_again() {
    let mut pulling = capabilities();
    pulling["textDocument"] = json!({"diagnostic": {"dynamicRegistration": false}});
    pulling["workspace"]["diagnostics"] = json!({"refreshSupport": true});
    let mut session = Session::start_with(&[(SKILL, TEXT)], pulling, trusted(), &[])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    session
        .editor
        .wait_until("workspace/diagnostic/refresh", |_| true)
        .await
        .unwrap();
    let params = json!({"textDocument": {"uri": file_uri(&session.path(SKILL)).unwrap()}});
    let report = session.editor.request("textDocument/diagnostic", params).await.unwrap();
    assert_eq!(report["items"][0]["code"], "broken-link");
}

#[tokio::test]
async fn two_skills_of_one_name_point_at_each_other() {
    let other = ".agents/skills/more/deploy/SKILL.md";
    let text = "---\nname: deploy\ndescription: Deploys.\n---\n# Deploy\n";
    let changed = "---\nname: deploy\ndescription: Deploys.\n---\n# Deploy it\n";
    let mut session = Session::start(&[(SKILL, text), (other, changed)]).await.unwrap();
    session.open(other).await.unwrap();
    let found = wait_for(&mut session, other, &["shadowed-skill", "disputed-name"]).await;
    let uri = file_uri(&session.path(SKILL)).unwrap();
    assert_eq!(found[0]["severity"], 2);
    assert_eq!(found[0]["relatedInformation"][0]["location"]["uri"], uri.as_str());
    session.open(SKILL).await.unwrap();
    let found = wait_for(&mut session, SKILL, &["disputed-name", "shadowed-skill"]).await;
    assert_eq!(found[1]["severity"], 4);
}

#[tokio::test]
async fn copies_for_two_systems_that_differ_are_one_finding_and_one_repair_makes_them_alike() {
    let other = ".claude/skills/deploy/SKILL.md";
    let text = "---\nname: deploy\ndescription: Deploys.\n---\n# Deploy\n";
    let changed = "---\nname: deploy\ndescription: Deploys.\nmodel: opus\n---\n# Deploy it\n";
    for (title, repaired) in [
        ("Make this copy like `.agents/skills/deploy/SKILL.md`", other),
        ("Make `.agents/skills/deploy/SKILL.md` like this copy", SKILL),
    ] {
        let mut session = Session::start(&[(SKILL, text), (other, changed)]).await.unwrap();
        session.open(SKILL).await.unwrap();
        session.open(other).await.unwrap();
        wait_for(&mut session, other, &["copies-differ"]).await;
        let actions = session.code_actions(other, 5, 2).await.unwrap();
        let action = actions.iter().find(|action| action["title"] == title);
        session.take(action.unwrap()).await.unwrap();
        let alike = match repaired {
            SKILL => text.replace("# Deploy", "# Deploy it"),
            _ => changed.replace("# Deploy it", "# Deploy"),
        };
        let path = session.path(repaired);
        assert_eq!(session.editor.text(&path).unwrap(), alike, "{title}");
        wait_for(&mut session, other, &[]).await;
    }
}

#[tokio::test]
async fn patterns_are_held_against_the_files_of_the_workspace() {
    let text = "---\nname: deploy\ndescription: Deploys.\npaths: [\"src/**/*.rs\", \"*.ts\"]\n---\n# Deploy\n";
    let skill = ".claude/skills/deploy/SKILL.md";
    let files = [(skill, text), ("src/a/main.rs", ""), ("web/app.ts", "")];
    let mut session = Session::start(&files).await.unwrap();
    session.open(skill).await.unwrap();
    let found = wait_for(&mut session, skill, &["unmatched-paths", "ambiguous-glob"]).await;
    assert!(
        found[0]["message"].as_str().unwrap().contains("`**/*.ts` matches 1"),
        "{found:?}"
    );
    let app = session.path("app.ts");
    write(&app, "").unwrap();
    let changes = json!({"changes": [{"uri": file_uri(&app).unwrap(), "type": 1}]});
    session
        .editor
        .notify("workspace/didChangeWatchedFiles", changes)
        .await
        .unwrap();
    wait_for(&mut session, skill, &["ambiguous-glob"]).await;
}

#[tokio::test]
async fn neighbours_of_skills_are_checked_too() {
    let files = [
        ("CLAUDE.md", "See @docs/gone.md.\n"),
        (
            ".claude/agents/releaser.md",
            "---\nname: releaser\ndescription: x\nskills: [deplyo]\n---\n",
        ),
        (SKILL, "---\nname: deploy\ndescription: Deploys.\n---\n# Deploy\n"),
        (".agents/skills/deploy/.mcp.json", "{\"mcpServers\": {\"db\": {}}}"),
        (OPENAI, "policy:\n  allow_implicit_invocation: maybe\n"),
        (
            "pack/plugin.json",
            "{\"$schema\": \"https://agent-plugins.org/schemas/0.9/plugin.schema.json\", \"name\": \"x\"}",
        ),
        ("README.md", "See @docs/gone.md.\n"),
    ];
    let mut session = Session::start(&files).await.unwrap();
    for (name, code) in [
        ("CLAUDE.md", "broken-import"),
        (".claude/agents/releaser.md", "unknown-skill"),
        (".agents/skills/deploy/.mcp.json", "invalid-mcp"),
        (OPENAI, "invalid-manifest"),
        ("pack/plugin.json", "invalid-manifest"),
    ] {
        session.open(name).await.unwrap();
        wait_for(&mut session, name, &[code]).await;
    }
    let place = json!({"textDocument": {"uri": file_uri(&session.root.join(OPENAI)).unwrap()}, "position": {"line": 1, "character": 4}});
    let hover = session
        .editor
        .request("textDocument/hover", place.clone())
        .await
        .unwrap();
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("keeps the skill from the list"),
        "{hover}"
    );
    let found = session.editor.request("textDocument/completion", place).await.unwrap();
    let labels: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    assert_eq!(labels, ["allow_implicit_invocation", "products"]);
}

#[tokio::test]
async fn what_codex_reads_beside_a_skill_is_created_and_then_changed_by_a_fix() {
    let text = "---\nname: deploy\ndescription: Deploys.\ndisable-model-invocation: true\n---\n# Deploy\n";
    let mut able = capabilities();
    able["workspace"]["workspaceEdit"] = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let mut session = Session::start_with(&[(SKILL, text)], able.clone(), trusted(), &[])
        .await
        .unwrap();
    let wanted = |action: &&Value| {
        action["title"]
            .as_str()
            .is_some_and(|title| title.contains("openai.yaml"))
    };
    session.open(SKILL).await.unwrap();
    wait_for(&mut session, SKILL, &["model-told"]).await;
    let actions = session.code_actions(SKILL, 3, 0).await.unwrap();
    let action = actions.iter().find(wanted).expect("a fix");
    let changes = action["edit"]["documentChanges"].as_array().unwrap();
    let uri = file_uri(&session.root.join(OPENAI)).unwrap();
    assert_eq!(changes[0]["kind"], "create", "{action}");
    assert_eq!(changes[0]["uri"], json!(uri), "{action}");
    assert_eq!(changes[1]["textDocument"]["uri"], json!(uri), "{action}");
    assert_eq!(
        changes[1]["edits"][0]["newText"],
        "policy:\n  allow_implicit_invocation: false\n"
    );

    let before = "interface:\n  display_name: Deploy\n";
    let mut session = Session::start_with(&[(SKILL, text), (OPENAI, before)], able, trusted(), &[])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    wait_for(&mut session, SKILL, &["model-told"]).await;
    let actions = session.code_actions(SKILL, 3, 0).await.unwrap();
    let change = &actions.iter().find(wanted).expect("a fix")["edit"]["documentChanges"][0];
    assert_eq!(
        change["textDocument"]["uri"],
        json!(file_uri(&session.root.join(OPENAI)).unwrap())
    );
    let edit = &change["edits"][0];
    assert_eq!(edit["range"]["start"], json!({"line": 2, "character": 0}), "{change}");
    assert_eq!(edit["newText"], "policy:\n  allow_implicit_invocation: false\n");
}

#[tokio::test]
async fn rules_are_configured_in_the_editor_and_in_the_workspace() {
    let broken = TEXT.replace("name: deploy", "name: release");
    let files = [
        (SKILL, broken.as_str()),
        ("vendor/x/SKILL.md", &broken),
        (
            "skills-ls.yaml",
            "rules: {broken-link: error, name-folder: error}\nignore: [{files: 'vendor/**'}]\n",
        ),
    ];
    let mut options = trusted();
    options["rules"] = json!({"name-folder": "off"});
    let mut session = Session::start_with(&files, capabilities(), options, &[]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let found = wait_for(&mut session, SKILL, &["broken-link"]).await;
    assert_eq!(found[0]["severity"], 1);
    session.open("vendor/x/SKILL.md").await.unwrap();
    assert_eq!(
        session.diagnostics("vendor/x/SKILL.md").await.unwrap(),
        Vec::<Value>::new()
    );
    // The editor's settings go before the file's; both may change.
    let settings = json!({"settings": {"skills": {"rules": {"broken-link": "hint", "name-folder": "off"}}}});
    session
        .editor
        .notify("workspace/didChangeConfiguration", settings)
        .await
        .unwrap();
    loop {
        let found = wait_for(&mut session, SKILL, &["broken-link"]).await;
        if found[0]["severity"] == 4 {
            break;
        }
    }
    let file = session.path("skills-ls.yaml");
    write(&file, "rules: {brokn-link: off}\n").unwrap();
    let changes = json!({"changes": [{"uri": file_uri(&file).unwrap(), "type": 2}]});
    session
        .editor
        .notify("workspace/didChangeWatchedFiles", changes)
        .await
        .unwrap();
    let is_named = |params: &Value| {
        params["message"]
            .as_str()
            .unwrap_or_default()
            .contains("did you mean `broken-link`?")
    };
    session.editor.wait_until("window/showMessage", is_named).await.unwrap();
}

#[tokio::test]
async fn a_comment_allows_a_finding_and_one_too_many_is_found() {
    let text = TEXT.replace("name: deploy", "name: release");
    let mut session = Session::start(&[(SKILL, &text)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    wait_for(&mut session, SKILL, &["name-folder", "broken-link"]).await;
    let actions = session.code_actions(SKILL, 1, 8).await.unwrap();
    let allow = actions
        .iter()
        .find(|action| action["title"] == "Allow `name-folder` in `name`");
    session.take(allow.unwrap()).await.unwrap();
    wait_for(&mut session, SKILL, &["broken-link"]).await;
    let actions = session.code_actions(SKILL, 6, 16).await.unwrap();
    let allow = actions
        .iter()
        .find(|action| action["title"] == "Allow `broken-link` in this file");
    session.take(allow.unwrap()).await.unwrap();
    wait_for(&mut session, SKILL, &[]).await;
    let path = session.path(SKILL);
    let expected = text.replace(
        "---\nname: release",
        "---\n# skills-ls: allow broken-link\nname: release # skills-ls: allow name-folder",
    );
    assert_eq!(session.editor.text(&path).unwrap(), expected);
    session
        .editor
        .replace(&path, "[the API](references/api.md)", "it")
        .await
        .unwrap();
    let found = wait_for(&mut session, SKILL, &["unused-suppression"]).await;
    assert_eq!(found[0]["tags"], json!([1]));
    let actions = session.code_actions(SKILL, 1, 0).await.unwrap();
    let fix = actions.iter().find(|action| action["isPreferred"] == true).unwrap();
    session.take(fix).await.unwrap();
    wait_for(&mut session, SKILL, &[]).await;
}

#[tokio::test]
async fn all_safe_repairs_are_one_action_that_is_done_after_once() {
    let text = "---\nname: deploy\ndescription: Use when: deploying\ncompatibility: Needs: a shell\n---\n\
                [a](references/API.md) [b](reference/api.md)\n";
    let files = [(SKILL, text), (".agents/skills/deploy/references/api.md", "# API\n")];
    let mut session = Session::start(&files).await.unwrap();
    session.open(SKILL).await.unwrap();
    wait_for(
        &mut session,
        SKILL,
        &["unquoted-colon", "unquoted-colon", "broken-link", "broken-link"],
    )
    .await;
    let params = json!({
        "textDocument": {"uri": file_uri(&session.path(SKILL)).unwrap()},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "context": {"diagnostics": [], "only": ["source.fixAll"]},
    });
    let actions = session
        .editor
        .request("textDocument/codeAction", params.clone())
        .await
        .unwrap();
    assert_eq!(actions.as_array().unwrap().len(), 1, "{actions}");
    assert_eq!(actions[0]["kind"], "source.fixAll.skills");
    session.take(&actions[0]).await.unwrap();
    // What is only near is left to a person.
    wait_for(&mut session, SKILL, &["broken-link"]).await;
    let expected = "---\nname: deploy\ndescription: \"Use when: deploying\"\ncompatibility: \"Needs: a shell\"\n---\n\
                    [a](references/api.md) [b](reference/api.md)\n";
    assert_eq!(session.editor.text(&session.path(SKILL)).unwrap(), expected);
    let again = session.editor.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(again, json!([]));
}

#[tokio::test]
async fn findings_of_before_stay_while_one_types() {
    let mut session = Session::start(&[(SKILL, TEXT)]).await.unwrap();
    for number in 0..400 {
        let path = session.path(&format!(".agents/skills/deploy/references/{number}.md"));
        write(&path, "# Text\n").unwrap();
    }
    session.open(SKILL).await.unwrap();
    wait_for(&mut session, SKILL, &["broken-link"]).await;
    // Each keystroke's findings come with those of before, whatever is looked at meanwhile.
    let path = session.path(SKILL);
    for (from, to) in [
        ("# Deploy", "# Deploy it"),
        ("# Deploy it", "# Deploy"),
        ("# Deploy", "# Deployment"),
    ] {
        session.editor.replace(&path, from, to).await.unwrap();
        assert_eq!(codes(&session.diagnostics(SKILL).await.unwrap()), ["broken-link"]);
    }
}
