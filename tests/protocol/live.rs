//! The catalog follows the disk, whoever changes it.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted, write};

const OPEN: &str = "src/a.rs";

/// A skill for all Rust files.
fn skill(description: &str) -> String {
    format!("---\ndescription: {description}\npaths: '**/*.rs'\n---\nBody.\n")
}

/// A session in which a Rust file is open, so that what is active tells what the catalog has.
async fn session(files: &[(&str, &str)]) -> Session {
    let mut files = files.to_vec();
    files.push((OPEN, ""));
    let mut session = Session::start(&files).await.unwrap();
    session.open(OPEN).await.unwrap();
    session
}

fn names(params: &Value) -> Vec<&str> {
    let skills = params["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["name"].as_str().unwrap()).collect()
}

/// Waits until exactly these skills are active.
async fn wait_for(session: &mut Session, expected: &[&str]) {
    let fits = |params: &Value| names(params) == expected;
    session.editor.wait_until("skills/active", fits).await.unwrap();
}

#[tokio::test]
async fn skills_come_change_and_go() {
    let mut session = session(&[]).await;
    let path = session.path(".claude/skills/one/SKILL.md");
    write(&path, &skill("First.")).unwrap();
    wait_for(&mut session, &["one"]).await;

    write(&path, &skill("Second.")).unwrap();
    let changed = |params: &Value| params["skills"][0]["description"] == "Second.";
    session.editor.wait_until("skills/active", changed).await.unwrap();

    // As editors save: beside it, then over it.
    let beside = session.path(".claude/skills/one/.SKILL.md.tmp");
    write(&beside, &skill("Third.")).unwrap();
    std::fs::rename(&beside, &path).unwrap();
    let changed = |params: &Value| params["skills"][0]["description"] == "Third.";
    session.editor.wait_until("skills/active", changed).await.unwrap();

    std::fs::rename(session.path(".claude/skills/one"), session.path(".claude/skills/two")).unwrap();
    wait_for(&mut session, &["two"]).await;
    std::fs::rename(session.path(".claude"), session.path("away")).unwrap();
    wait_for(&mut session, &[]).await;
    std::fs::rename(session.path("away"), session.path(".claude")).unwrap();
    wait_for(&mut session, &["two"]).await;
    std::fs::remove_dir_all(session.path(".claude")).unwrap();
    wait_for(&mut session, &[]).await;
}

#[tokio::test]
async fn a_thousand_files_at_once_end_in_the_right_catalog() {
    let mut session = session(&[]).await;
    for number in 0..1000 {
        let path = session.path(&format!(".agents/skills/s{number:04}/SKILL.md"));
        write(&path, &skill("One of many.")).unwrap();
    }
    let all = |params: &Value| names(params).len() == 1000;
    session.editor.wait_until("skills/active", all).await.unwrap();
    for number in 1..1000 {
        std::fs::remove_dir_all(session.path(&format!(".agents/skills/s{number:04}"))).unwrap();
    }
    wait_for(&mut session, &["s0000"]).await;
}

#[tokio::test]
async fn the_home_folder_is_watched_too_even_where_the_client_watches_the_workspace() {
    let mut wanted = capabilities();
    wanted["workspace"]["didChangeWatchedFiles"] = json!({"dynamicRegistration": true});
    let mut session = Session::start_with(&[(OPEN, "")], wanted, trusted(), &[])
        .await
        .unwrap();
    session.open(OPEN).await.unwrap();
    write(
        &session.outside().join("home/.agents/skills/mine/SKILL.md"),
        &skill("Mine."),
    )
    .unwrap();
    wait_for(&mut session, &["mine"]).await;

    let path = session.path(".agents/skills/ours/SKILL.md");
    write(&path, &skill("Ours.")).unwrap();
    let changes = json!({"changes": [{"uri": file_uri(&path).unwrap(), "type": 1}]});
    session
        .editor
        .notify("workspace/didChangeWatchedFiles", changes)
        .await
        .unwrap();
    wait_for(&mut session, &["mine", "ours"]).await;

    // A folder that vanishes is told by its own name.
    std::fs::remove_dir_all(session.path(".agents")).unwrap();
    let changes = json!({"changes": [{"uri": file_uri(&session.path(".agents")).unwrap(), "type": 3}]});
    session
        .editor
        .notify("workspace/didChangeWatchedFiles", changes)
        .await
        .unwrap();
    wait_for(&mut session, &["mine"]).await;
}

#[tokio::test]
async fn skills_beside_an_opened_file_join_and_stay() {
    let mut session = session(&[
        ("apps/web/.claude/skills/web/SKILL.md", &skill("For the web.")),
        ("apps/web/src/main.rs", ""),
    ])
    .await;
    session.open("apps/web/src/main.rs").await.unwrap();
    wait_for(&mut session, &["web"]).await;
    let path = session.path("apps/web/src/main.rs");
    session.editor.close(&path).await.unwrap();
    let open = json!({"uri": file_uri(&session.path(OPEN)).unwrap()});
    let active = session.editor.request("skills/active", open).await.unwrap();
    assert_eq!(names(&active), ["web"]);
}

#[tokio::test]
async fn folders_of_the_workspace_come_and_go() {
    let mut session = session(&[]).await;
    let other = session.outside().join("other");
    write(&other.join(".claude/skills/far/SKILL.md"), &skill("Far.")).unwrap();
    write(&other.join("x.rs"), "").unwrap();
    session.editor.open(&other.join("x.rs"), "rust", "").await.unwrap();
    let folder = json!({"uri": file_uri(&other).unwrap(), "name": "other"});
    let change = |added: Value, removed: Value| json!({"event": {"added": added, "removed": removed}});
    let method = "workspace/didChangeWorkspaceFolders";
    session
        .editor
        .notify(method, change(json!([folder]), json!([])))
        .await
        .unwrap();
    wait_for(&mut session, &["far"]).await;
    session
        .editor
        .notify(method, change(json!([]), json!([folder])))
        .await
        .unwrap();
    wait_for(&mut session, &[]).await;
}

#[tokio::test]
async fn an_unsaved_skill_counts_and_is_marked() {
    const SKILL: &str = ".claude/skills/one/SKILL.md";
    let mut session = session(&[(SKILL, &skill("Saved."))]).await;
    wait_for(&mut session, &["one"]).await;
    session.open(SKILL).await.unwrap();
    let path = session.path(SKILL);
    let is_unsaved = |session: &Session| session.shared.state().catalog.get("one").unwrap().is_unsaved;
    session.editor.replace(&path, "Saved.", "Typed.").await.unwrap();
    let typed = |params: &Value| params["skills"][0]["description"] == "Typed.";
    session.editor.wait_until("skills/active", typed).await.unwrap();
    assert!(is_unsaved(&session));
    // What happens on disk meanwhile does not count while the buffer is open.
    write(&path, &skill("From elsewhere.")).unwrap();
    session.editor.close(&path).await.unwrap();
    let read = |params: &Value| params["skills"][0]["description"] == "From elsewhere.";
    session.editor.wait_until("skills/active", read).await.unwrap();
    assert!(!is_unsaved(&session));
}

#[tokio::test]
async fn further_folders_are_a_setting() {
    let mut session = session(&[("team/skills/shared/SKILL.md", &skill("Of the team."))]).await;
    let settings = json!({"settings": {"skills": {"directories": ["team/skills"]}}});
    session
        .editor
        .notify("workspace/didChangeConfiguration", settings)
        .await
        .unwrap();
    wait_for(&mut session, &["shared"]).await;
}

#[tokio::test]
async fn files_of_configuration_take_effect_while_they_change_where_the_client_watches_nothing() {
    let mut session = session(&[("team/skills/shared/SKILL.md", &skill("Of the team."))]).await;
    let file = session.path("skills-ls.yaml");
    write(&file, "directories: [team/skills]\nrules: {brokn-link: off}\n").unwrap();
    wait_for(&mut session, &["shared"]).await;
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("skills-ls.yaml: `rules`") && message.contains("did you mean `broken-link`?"),
        "{message}"
    );
    let diagnostics = session.diagnostics("skills-ls.yaml").await.unwrap();
    assert_eq!(
        diagnostics[0]["range"],
        json!({"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 18}})
    );
    assert_eq!((diagnostics.len(), &diagnostics[0]["severity"]), (1, &json!(1)));

    write(&file, "directories: [team/skills\n").unwrap();
    let diagnostics = session.diagnostics("skills-ls.yaml").await.unwrap();
    let message = diagnostics[0]["message"].as_str().unwrap();
    assert!(message.starts_with("it is no YAML"), "{message}");
    wait_for(&mut session, &[]).await;

    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        session.diagnostics("skills-ls.yaml").await.unwrap(),
        Vec::<Value>::new()
    );

    // The person's own, in a folder that was not there.
    let path = session.path("team/skills");
    let own = session.outside().join("home/.config/skills-ls/skills-ls.yaml");
    write(&own, &format!("directories: [{}]\n", path.display())).unwrap();
    wait_for(&mut session, &["shared"]).await;
}
