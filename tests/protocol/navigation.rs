//! What a skill names is completed, explained, found and renamed, in open files and closed ones.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted};

const DEPLOY: &str = ".claude/skills/deploy/SKILL.md";
const SHIP: &str = ".claude/skills/ship-it/SKILL.md";
const NOTES: &str = ".claude/skills/deploy/references/the notes.md";
const AGENT: &str = ".claude/agents/releaser.md";
const MARKER: &str = "marker.txt";

const FILES: &[(&str, &str)] = &[
    (
        DEPLOY,
        "---\nname: deploy\ndescription: Ships 🦀 the site.\narguments: target\nargument-hint: \"[target]\"\n---\n\
         # Deploy\n\n🦀 ships $target, or $0. See [notes](references/the%20notes.md#second), /ship-it and /usr.\n",
    ),
    (
        SHIP,
        "---\nname: ship-it\ndescription: Builds and ships.\nrequires:\n  - deploy\npaths: marker.txt\n---\n\
         First `/deploy`, then [look](../deploy/references/the%20notes.md).\n",
    ),
    (NOTES, "# First\n\n## Second\n\nRun /deploy.\n"),
    (AGENT, "---\nname: releaser\nskills: deploy, ship-it\n---\n"),
    ("CLAUDE.md", "Use /deploy for releases, not /deploy-all.\n"),
    (MARKER, "x\n"),
];

/// A client that can rename, create and show.
fn able() -> Value {
    let mut able = capabilities();
    able["workspace"] = json!({
        "applyEdit": true,
        "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename"]},
        "codeLens": {"refreshSupport": true},
        "inlayHint": {"refreshSupport": true},
    });
    able
}

/// A session whose catalog is there.
async fn start(capabilities: Value) -> Session {
    let mut session = Session::start_with(FILES, capabilities, trusted(), &[]).await.unwrap();
    session.open(MARKER).await.unwrap();
    session
        .editor
        .wait_until("skills/active", |params| params["skills"][0]["name"] == "ship-it")
        .await
        .unwrap();
    session.open(DEPLOY).await.unwrap();
    session
}

fn uri(session: &Session, name: &str) -> String {
    file_uri(&session.path(name)).unwrap().as_str().to_owned()
}

/// The position of a word in an open file, some characters into it.
fn at(session: &Session, name: &str, word: &str, into: usize) -> Value {
    let text = session.editor.text(&session.path(name)).unwrap();
    let offset = text.find(word).unwrap_or_else(|| panic!("{word} in {text}")) + into;
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let character = text[line_start..offset].encode_utf16().count();
    json!({
        "textDocument": {"uri": uri(session, name)},
        "position": {"line": text[..offset].matches('\n').count(), "character": character},
    })
}

async fn ask(session: &mut Session, method: &str, params: Value) -> Value {
    session.editor.request(method, params).await.unwrap()
}

fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

fn labels(items: &Value) -> Vec<&str> {
    items
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn skills_and_files_are_completed_and_explained_when_they_are_chosen() {
    let mut session = start(capabilities()).await;
    let place = at(&session, DEPLOY, "ship-it", 2);
    let items = ask(&mut session, "textDocument/completion", place).await;
    let labels_there = labels(&items);
    assert!(
        !labels_there.contains(&"deploy"),
        "the file itself is none: {labels_there:?}"
    );
    assert!(labels_there.contains(&"verify"), "bundled ones are: {labels_there:?}");
    let at_item = labels_there.iter().position(|label| *label == "ship-it").unwrap();
    let resolved = ask(&mut session, "completionItem/resolve", items[at_item].clone()).await;
    assert!(
        resolved["documentation"]["value"]
            .as_str()
            .unwrap()
            .contains("Builds and ships.")
    );

    let unsaved = session.path(".claude/skills/deploy/scripts/run.sh");
    session.editor.open(&unsaved, "", "").await.unwrap();
    let place = at(&session, DEPLOY, "references/", 0);
    let items = ask(&mut session, "textDocument/completion", place).await;
    assert_eq!(labels(&items), ["references/", "scripts/", "SKILL.md"]);
    let place = at(&session, DEPLOY, "references/", "references/".len());
    let items = ask(&mut session, "textDocument/completion", place).await;
    assert_eq!(items[0]["textEdit"]["newText"], "the%20notes.md");
    let resolved = ask(&mut session, "completionItem/resolve", items[0].clone()).await;
    let documentation = resolved["documentation"]["value"].as_str().unwrap();
    assert!(
        documentation.contains("5 lines") && documentation.contains("First"),
        "{documentation}"
    );

    let outside = session.outside().join("secret.md");
    std::fs::write(&outside, "# Secret\n").unwrap();
    let item = json!({"label": "x", "data": {"file": outside}});
    assert_eq!(
        ask(&mut session, "completionItem/resolve", item).await["documentation"],
        Value::Null
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_out_is_not_listed() {
    let mut session = start(capabilities()).await;
    let outside = session.outside().join("private");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("key.pem"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, session.path(".claude/skills/deploy/out")).unwrap();
    let path = session.path(DEPLOY);
    session.editor.replace(&path, "/usr.", "[x](out/)").await.unwrap();
    let place = at(&session, DEPLOY, "out/", 4);
    let items = ask(&mut session, "textDocument/completion", place).await;
    assert_eq!(labels(&items), Vec::<&str>::new());
}

#[tokio::test]
async fn what_is_named_is_explained_and_found() {
    let mut session = start(capabilities()).await;
    let place = at(&session, DEPLOY, "ship-it", 2);
    let hover = ask(&mut session, "textDocument/hover", place.clone()).await;
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("Builds and ships.")
    );
    let found = ask(&mut session, "textDocument/definition", place).await;
    assert_eq!(found["uri"], uri(&session, SHIP));

    let place = at(&session, DEPLOY, "the%20notes", 2);
    let hover = ask(&mut session, "textDocument/hover", place.clone()).await;
    assert!(
        hover["contents"]["value"].as_str().unwrap().contains("5 lines"),
        "{hover}"
    );
    let found = ask(&mut session, "textDocument/definition", place).await;
    assert_eq!(found["range"]["start"]["line"], 2, "the heading of the link");
    assert!(found["uri"].as_str().unwrap().ends_with("/the%20notes.md"));

    let place = at(&session, DEPLOY, "$target", 1);
    let found = ask(&mut session, "textDocument/definition", place.clone()).await;
    assert_eq!(found["range"]["start"], json!({"line": 3, "character": 11}));
    let marked = ask(&mut session, "textDocument/documentHighlight", place).await;
    assert_eq!(
        marked.as_array().unwrap().len(),
        4,
        "declaration, hint, name and number: {marked}"
    );

    let place = at(&session, DEPLOY, "/usr", 2);
    for method in [
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/documentHighlight",
    ] {
        assert_eq!(
            ask(&mut session, method, place.clone()).await,
            Value::Null,
            "{method}: a path is no skill"
        );
    }
}

#[tokio::test]
async fn a_skill_is_found_wherever_it_is_named_unsaved_text_included() {
    let mut session = start(capabilities()).await;
    session.open("CLAUDE.md").await.unwrap();
    let path = session.path("CLAUDE.md");
    session
        .editor
        .replace(&path, "Use ", "Again: /deploy and ")
        .await
        .unwrap();
    let place = with(
        at(&session, DEPLOY, "deploy", 1),
        "context",
        json!({"includeDeclaration": true}),
    );
    let found = ask(&mut session, "textDocument/references", place).await;
    let mut places: Vec<(String, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let name = it["uri"].as_str().unwrap().rsplit('/').take(2).collect::<Vec<_>>();
            (name.join(" in "), it["range"]["start"]["line"].as_u64().unwrap())
        })
        .collect();
    places.sort();
    let expected = [
        ("CLAUDE.md in workspace", 0),
        ("CLAUDE.md in workspace", 0),
        ("SKILL.md in deploy", 1),
        ("SKILL.md in ship-it", 4),
        ("SKILL.md in ship-it", 7),
        ("releaser.md in agents", 2),
        ("the%20notes.md in references", 4),
    ];
    assert_eq!(places, expected.map(|(name, line)| (name.to_owned(), line)));
}

#[tokio::test]
async fn renaming_a_skill_renames_its_folder_and_all_that_names_it() {
    let mut session = start(able()).await;
    let place = at(&session, DEPLOY, "deploy", 1);
    let prepared = ask(&mut session, "textDocument/prepareRename", place.clone()).await;
    assert_eq!(prepared["placeholder"], "deploy");
    let edit = ask(
        &mut session,
        "textDocument/rename",
        with(place, "newName", json!("roll-out")),
    )
    .await;
    let changes = edit["documentChanges"].as_array().unwrap();
    let (moved, edits) = changes.split_last().unwrap();
    assert_eq!(moved["kind"], "rename");
    assert!(moved["oldUri"].as_str().unwrap().ends_with("/.claude/skills/deploy"));
    assert!(moved["newUri"].as_str().unwrap().ends_with("/.claude/skills/roll-out"));
    let mut counts: Vec<(String, usize, Value)> = edits
        .iter()
        .map(|it| {
            assert!(
                it["edits"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|it| it["newText"] == "roll-out")
            );
            let uri = it["textDocument"]["uri"].as_str().unwrap();
            let parts: Vec<_> = uri.rsplit('/').take(2).collect();
            (
                parts.join(" in "),
                it["edits"].as_array().unwrap().len(),
                it["textDocument"]["version"].clone(),
            )
        })
        .collect();
    counts.sort_by(|a, b| a.0.cmp(&b.0));
    let closed = Value::Null;
    let expected = [
        ("CLAUDE.md in workspace", 1, closed.clone()),
        ("SKILL.md in deploy", 1, json!(1)),
        ("SKILL.md in ship-it", 3, closed.clone()),
        ("releaser.md in agents", 1, closed.clone()),
        ("the%20notes.md in references", 1, closed),
    ];
    assert_eq!(
        counts,
        expected.map(|(name, count, version)| (name.to_owned(), count, version))
    );

    // Some clients ask again when they rename the folder as they were told: the edits were made already.
    let files = json!({"files": [{"oldUri": moved["oldUri"], "newUri": moved["newUri"]}]});
    assert_eq!(
        ask(&mut session, "workspace/willRenameFiles", files.clone()).await,
        Value::Null
    );
    // A person who renames it in the explorer gets them.
    let edit = ask(&mut session, "workspace/willRenameFiles", files).await;
    assert_eq!(edit["documentChanges"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_rename_that_can_t_be_is_refused_with_the_way_out() {
    let mut session = start(able()).await;
    let place = at(&session, DEPLOY, "deploy", 1);
    std::fs::create_dir_all(session.path(".claude/skills/taken")).unwrap();
    for (new, why) in [
        ("Deploy It", "lower-case"),
        ("../up", "lower-case"),
        ("ship-it", "already"),
        ("taken", "is there already"),
    ] {
        let params = with(place.clone(), "newName", json!(new));
        let error = session.editor.request("textDocument/rename", params).await.unwrap_err();
        assert!(error.to_string().contains(why), "{new}: {error}");
    }
    let mut session = start(capabilities()).await;
    let place = at(&session, DEPLOY, "deploy", 1);
    let error = session
        .editor
        .request("textDocument/prepareRename", place)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("rename"), "{error}");
}

#[tokio::test]
async fn an_argument_is_renamed_in_its_file() {
    let mut session = start(able()).await;
    let params = with(at(&session, DEPLOY, "$target", 3), "newName", json!("place"));
    let edit = ask(&mut session, "textDocument/rename", params).await;
    session.take(&json!({"edit": edit})).await.unwrap();
    let text = session.editor.text(&session.path(DEPLOY)).unwrap();
    let expected = FILES[0]
        .1
        .replace("arguments: target", "arguments: place")
        .replace("[target]", "[place]");
    assert_eq!(text, expected.replace("$target", "$place"));
}

#[tokio::test]
async fn lenses_say_what_a_skill_is_worth_and_have_commands_of_the_server() {
    let mut session = start(able()).await;
    session.open(SHIP).await.unwrap();
    let params = json!({"textDocument": {"uri": uri(&session, SHIP)}});
    let lenses = ask(&mut session, "textDocument/codeLens", params.clone()).await;
    let titles: Vec<_> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["command"]["title"].as_str().unwrap())
        .collect();
    let loads = titles[0];
    assert!(
        loads.starts_with("Loads in ") && loads.ends_with(" systems that read this folder"),
        "{loads}"
    );
    assert_eq!(
        titles[1..],
        ["Run ship-it", "Active: 1 open file matches", "Preview what it says"]
    );
    let path = session.path(MARKER);
    session.editor.close(&path).await.unwrap();
    session.editor.wait_for("workspace/codeLens/refresh").await.unwrap();
    // The files are counted a moment later.
    loop {
        let again = ask(&mut session, "textDocument/codeLens", params.clone()).await;
        match again[2]["command"]["title"].as_str().unwrap() {
            "Would match 1 file" => break,
            title => assert_eq!(title, "Active: no open file matches"),
        }
    }

    let shown = [(0, loads), (3, "# What ship-it says")];
    for (lens, expected) in shown {
        let command = &lenses[lens]["command"];
        let id = command["command"].as_str().unwrap();
        session.execute(id, command["arguments"].clone()).await.unwrap();
        let shown = session.editor.wait_for("window/showDocument").await.unwrap();
        let path = shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn hints_name_arguments_and_can_be_turned_off() {
    let mut session = start(able()).await;
    let mut params = json!({"textDocument": {"uri": uri(&session, DEPLOY)}});
    params["range"] = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = ask(&mut session, "textDocument/inlayHint", params.clone()).await;
    let labels: Vec<_> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["≈ 25 tokens", ": target"]);
    assert_eq!(hints[1]["position"], json!({"line": 8, "character": 23}));
    let settings = json!({"settings": {"skills": {"inlayHints": false}}});
    session
        .editor
        .notify("workspace/didChangeConfiguration", settings)
        .await
        .unwrap();
    session.editor.wait_for("workspace/inlayHint/refresh").await.unwrap();
    assert_eq!(ask(&mut session, "textDocument/inlayHint", params).await, Value::Null);
}

#[tokio::test]
async fn skills_are_symbols_of_the_workspace() {
    let mut session = start(able()).await;
    for (query, expected) in [
        ("", vec!["deploy", "ship-it"]),
        ("dpl", vec!["deploy"]),
        ("ship", vec!["ship-it", "deploy"]),
        ("zzz", vec![]),
    ] {
        let found = ask(&mut session, "workspace/symbol", json!({"query": query})).await;
        let names: Vec<_> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, expected, "{query}");
    }
}

#[tokio::test]
async fn a_new_skill_is_made_from_a_template_without_a_finding() {
    let name = ".claude/skills/release-notes/SKILL.md";
    for creates in [true, false] {
        let client = if creates { able() } else { capabilities() };
        let mut session = start(client).await;
        let answer = session
            .execute("skills.server.newSkill", json!(["release-notes"]))
            .await
            .unwrap();
        assert_eq!(answer["uri"], uri(&session, name));
        let shown = session.editor.wait_for("window/showDocument").await.unwrap();
        assert_eq!(shown["uri"], answer["uri"]);
        if !creates {
            session.open(name).await.unwrap();
        }
        assert_eq!(session.diagnostics(name).await.unwrap(), Vec::<Value>::new());
        let text = session.editor.text(&session.path(name)).unwrap();
        assert!(text.starts_with("---\nname: release-notes\ndescription: "), "{text}");
        for (arguments, why) in [
            (json!(["release-notes"]), "already"),
            (json!(["Bad Name"]), "lower-case"),
            (json!(["other", "../elsewhere"]), "outside of the workspace"),
        ] {
            let error = session.execute("skills.server.newSkill", arguments).await.unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        assert_eq!(
            session.execute("skills.server.newSkill", json!([])).await.unwrap(),
            Value::Null
        );
        let told = session.editor.wait_for("window/showMessage").await.unwrap();
        assert!(told["message"].as_str().unwrap().contains("needs a name"));
    }
}

#[tokio::test]
async fn what_an_agent_lists_and_mentions_is_completed_explained_and_found() {
    let mut session = start(able()).await;
    let path = session.path(AGENT);
    let text = "---\nname: releaser\nskills: [deploy, ship-it]\n---\nUse /deploy first.\n";
    session.editor.open(&path, "", text).await.unwrap();
    for (word, into) in [("deploy,", 3), ("/deploy", 3)] {
        let place = at(&session, AGENT, word, into);
        let items = ask(&mut session, "textDocument/completion", place.clone()).await;
        assert!(labels(&items).contains(&"ship-it"), "{items}");
        let hover = ask(&mut session, "textDocument/hover", place.clone()).await;
        let words = hover["contents"]["value"].as_str().unwrap();
        assert!(words.contains("Ships 🦀 the site."), "{words}");
        let found = ask(&mut session, "textDocument/definition", place.clone()).await;
        assert_eq!(found["uri"], uri(&session, DEPLOY));
        let place = with(place, "context", json!({"includeDeclaration": true}));
        let found = ask(&mut session, "textDocument/references", place.clone()).await;
        assert_eq!(found.as_array().unwrap().len(), 7, "{found}");
        let edit = ask(
            &mut session,
            "textDocument/rename",
            with(place, "newName", json!("roll-out")),
        )
        .await;
        assert_eq!(edit["documentChanges"].as_array().unwrap().len(), 6, "{edit}");
    }
    for word in ["name:", "releaser", "---"] {
        let place = at(&session, AGENT, word, 1);
        let hover = ask(&mut session, "textDocument/hover", place).await;
        assert_eq!(hover, Value::Null, "{word}: an agent is no skill");
    }
}

#[tokio::test]
async fn a_link_leads_to_what_the_editor_has_not_saved() {
    let mut session = start(capabilities()).await;
    let notes = session.path(NOTES);
    let text = "# Renamed\n\nx\n\ny\n\n## Second\n";
    session.editor.open(&notes, "", text).await.unwrap();
    let place = at(&session, DEPLOY, "the%20notes", 2);
    let found = ask(&mut session, "textDocument/definition", place.clone()).await;
    assert_eq!(found["range"]["start"]["line"], 6, "{found}");
    let hover = ask(&mut session, "textDocument/hover", place.clone()).await;
    let words = hover["contents"]["value"].as_str().unwrap();
    let size = format!("{} bytes", text.len());
    assert!(
        words.contains(&size) && words.contains("7 lines") && words.contains("Renamed"),
        "{words}"
    );
    // One that was never saved is there, too.
    std::fs::remove_file(&notes).unwrap();
    let found = ask(&mut session, "textDocument/definition", place.clone()).await;
    assert_eq!(found["range"]["start"]["line"], 6, "{found}");
    session.editor.close(&notes).await.unwrap();
    assert_eq!(ask(&mut session, "textDocument/definition", place).await, Value::Null);
}

#[tokio::test]
async fn paths_into_a_skill_follow_its_new_name() {
    let mut session = start(able()).await;
    let memory = session.path("CLAUDE.md");
    let text = "Load @.claude/skills/deploy/SKILL.md first.\n";
    session.editor.open(&memory, "", text).await.unwrap();
    let ship = session.path(SHIP);
    let text = "---\nname: ship-it\ndescription: Builds.\n---\n`.claude/skills/deploy/scripts/h.sh`\n\n\
                `../deploy/references/r.md`\n";
    session.editor.open(&ship, "", text).await.unwrap();
    let place = at(&session, DEPLOY, "deploy", 1);
    let edit = ask(
        &mut session,
        "textDocument/rename",
        with(place, "newName", json!("roll-out")),
    )
    .await;
    let ranges = |name: &str| -> Vec<Value> {
        let changes = edit["documentChanges"].as_array().unwrap();
        let uri = uri(&session, name);
        let change = changes.iter().find(|it| it["textDocument"]["uri"] == uri.as_str());
        let edits = change.unwrap_or_else(|| panic!("{name} in {edit}"))["edits"]
            .as_array()
            .unwrap();
        edits.iter().map(|it| it["range"]["start"].clone()).collect()
    };
    assert_eq!(ranges("CLAUDE.md"), [json!({"line": 0, "character": 21})]);
    let expected = [json!({"line": 4, "character": 16}), json!({"line": 6, "character": 4})];
    assert_eq!(ranges(SHIP), expected);
}

#[tokio::test]
async fn headings_of_other_files_and_folders_above_are_completed() {
    let mut session = start(capabilities()).await;
    let path = session.path(DEPLOY);
    let text = "[b](../) [c](../../../../) [d](../../../../secret.md#)";
    std::fs::write(session.path("../secret.md"), "# Secret\n").unwrap();
    session.editor.replace(&path, "/usr.", text).await.unwrap();
    let completed = async |session: &mut Session, word: &str| {
        let place = at(session, DEPLOY, word, word.len());
        let items = ask(session, "textDocument/completion", place).await;
        let labels = items.as_array().map(|_| labels(&items).join(" "));
        labels.unwrap_or_default()
    };
    assert_eq!(completed(&mut session, "notes.md#").await, "first second");
    let notes = session.path(NOTES);
    session.editor.open(&notes, "", "# Unsaved\n").await.unwrap();
    assert_eq!(completed(&mut session, "notes.md#").await, "unsaved");
    assert_eq!(completed(&mut session, "(../").await, "deploy/ ship-it/");
    assert_eq!(
        completed(&mut session, "(../../../../").await,
        "",
        "outside of the workspace"
    );
    assert_eq!(
        completed(&mut session, "secret.md#").await,
        "",
        "outside of the workspace"
    );
}

#[tokio::test]
async fn a_path_behind_the_variable_of_the_folder_is_one_of_the_skill() {
    let mut session = start(capabilities()).await;
    let path = session.path(DEPLOY);
    let text = "`bash ${CLAUDE_SKILL_DIR}/scripts/h.sh $0`.";
    session.editor.replace(&path, "/usr.", text).await.unwrap();
    let script = session.path(".claude/skills/deploy/scripts/h.sh");
    session.editor.open(&script, "", "#!/bin/sh\necho\n").await.unwrap();
    let place = at(&session, DEPLOY, "scripts/h.sh", 9);
    let hover = ask(&mut session, "textDocument/hover", place.clone()).await;
    assert!(
        hover["contents"]["value"].as_str().unwrap().contains("2 lines"),
        "{hover}"
    );
    let found = ask(&mut session, "textDocument/definition", place.clone()).await;
    let target = uri(&session, ".claude/skills/deploy/scripts/h.sh");
    assert_eq!(found["uri"], target);
    let links = ask(&mut session, "textDocument/documentLink", place.clone()).await;
    assert_eq!(links[1]["target"], target, "{links}");
    let items = ask(&mut session, "textDocument/completion", place).await;
    assert_eq!(labels(&items), ["h.sh"]);
}
