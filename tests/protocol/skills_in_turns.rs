//! Skills at work in the editor: previewed, run, and activated by what the agent reads.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, trusted};

use crate::turns::session;

const SHELL: &str = ".claude/skills/shell/SKILL.md";
const TEXT: &str = "---\ndescription: Runs.\n---\nFor $0: !`touch ran`\n";

#[tokio::test]
async fn a_preview_shows_what_would_run_and_runs_nothing() {
    let mut session = Session::start(&[(SHELL, TEXT), ("src/a.rs", "")]).await.unwrap();
    session.open(SHELL).await.unwrap();
    let path = session.path(SHELL);
    session.editor.replace(&path, "For", "Typed for").await.unwrap();
    let uri = file_uri(&path).unwrap();
    let params = json!({"uri": uri, "arguments": "me"});
    let preview = session.editor.request("skills/preview", params.clone()).await.unwrap();
    assert_eq!(
        preview["text"].as_str().unwrap().trim(),
        "Typed for me: [would run: touch ran]"
    );
    assert_eq!(preview["commands"], json!([{"text": "touch ran"}]));
    session.execute("skills.server.preview", json!([params])).await.unwrap();
    let shown = session.editor.wait_for("window/showDocument").await.unwrap();
    let file = shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.starts_with("# What shell says\n\nTyped for me: "), "{text}");
    assert!(!session.path("ran").exists());
    for (params, expected) in [
        (json!({}), "say what to preview"),
        (json!({"name": "shel"}), "there is no skill \"shel\""),
    ] {
        let error = session.editor.request("skills/preview", params).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

fn answer_with(method: &str, params: &Value, option: &str) -> Option<Value> {
    if method != "skills/permission/request" {
        return None;
    }
    assert_eq!(params["title"], "Run a command of the skill shell?");
    Some(json!({"outcome": {"outcome": "selected", "optionId": option}}))
}

#[tokio::test]
async fn a_skill_runs_its_commands_after_a_yes() {
    for (answer, ran) in [("allow", true), ("reject", false)] {
        let (mut session, _folder) = session(&[], &[(SHELL, TEXT), ("src/a.rs", "")], trusted()).await;
        session.editor.answer = if ran {
            |method, params| answer_with(method, params, "allow")
        } else {
            |method, params| answer_with(method, params, "reject")
        };
        session
            .until("the skill", |state| state.catalog.get("shell").is_some())
            .await;
        session
            .execute("skills.server.run", json!(["shell", "me"]))
            .await
            .unwrap();
        let (reason, message) = session.turn_end().await.unwrap();
        assert_eq!(session.path("ran").exists(), ran, "{answer}: {reason} {message}");
        if !ran {
            assert!(message.as_str().unwrap().contains("was not allowed"), "{message}");
        }
    }
}

#[tokio::test]
async fn what_the_agent_reads_brings_in_the_skills_beside_it() {
    let nested = "---\ndescription: Of the web.\npaths: '**/*.rs'\n---\nBody.\n";
    let files = [
        ("web/.claude/skills/web/SKILL.md", nested),
        ("web/b.rs", "fn b() {}\n"),
        ("src/a.rs", ""),
    ];
    let read = ("read_file_range", json!({"path": "web/b.rs", "start_line": 1}));
    let (mut session, _folder) = session(&[read], &files, trusted()).await;
    session.open("src/a.rs").await.unwrap();
    session.execute("skills.server.ask", json!(["look"])).await.unwrap();
    let has_web = |params: &Value| params["skills"][0]["name"] == "web";
    session.editor.wait_until("skills/active", has_web).await.unwrap();
}

#[tokio::test]
async fn a_pattern_says_how_many_files_it_matches_as_each_system_reads_it() {
    const SKILL: &str = ".claude/skills/deep/SKILL.md";
    let text = "---\ndescription: Deep.\npaths: '*.ts'\n---\nBody.\n";
    let mut session = Session::start(&[(SKILL, text), ("a.ts", ""), ("x/b.ts", ""), ("x/y/c.ts", "")])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let params = json!({"textDocument": {"uri": uri}, "position": {"line": 2, "character": 9}});
    // What is found in view of other files comes a moment later.
    let words = loop {
        let hover = session
            .editor
            .request("textDocument/hover", params.clone())
            .await
            .unwrap();
        let words = hover["contents"]["value"].as_str().unwrap().to_owned();
        if words.contains("Matches") {
            break words;
        }
    };
    let expected =
        "Matches 1 file as Claude Code reads it, 3 files as OpenHands reads it, 3 files as `.gitignore` reads it.";
    assert!(words.contains(expected), "{words}");
    let params = json!({"textDocument": {"uri": uri}});
    let lenses = session.editor.request("textDocument/codeLens", params).await.unwrap();
    assert_eq!(lenses[2]["command"]["title"], "Would match 1 file");
}

#[tokio::test]
async fn a_setting_says_how_all_patterns_are_read() {
    let skill = "---\ndescription: Deep.\npaths: '*.rs'\n---\nBody.\n";
    let files = [(".claude/skills/deep/SKILL.md", skill), ("x/y/c.rs", "")];
    let mut session = Session::start(&files).await.unwrap();
    session.open("x/y/c.rs").await.unwrap();
    for (flavour, expected) in [("openhands", 1), ("claude", 0), ("gitignore", 1)] {
        let settings = json!({"settings": {"skills": {"paths": {"flavour": flavour}}}});
        session
            .editor
            .notify("workspace/didChangeConfiguration", settings)
            .await
            .unwrap();
        let fits = |params: &Value| params["skills"].as_array().unwrap().len() == expected;
        session.editor.wait_until("skills/active", fits).await.unwrap();
    }
}

#[tokio::test]
async fn a_skill_for_the_model_alone_is_not_offered_to_a_person() {
    let text = "---\ndescription: x\nuser-invocable: false\npaths: '**/*.rs'\n---\nBody.\n";
    let path = ".claude/skills/inner/SKILL.md";
    let (mut session, _folder) = session(&[], &[(path, text), ("src/a.rs", "")], trusted()).await;
    session.open("src/a.rs").await.unwrap();
    let is_active = |params: &Value| params["skills"][0]["name"] == "inner";
    session.editor.wait_until("skills/active", is_active).await.unwrap();
    for run in [
        session.execute("skills.server.run", json!(["inner", ""])).await,
        session.execute("skills.server.ask", json!(["/inner now"])).await,
    ] {
        let error = run.unwrap_err().to_string();
        assert!(error.contains("the skill inner is for the model alone"), "{error}");
    }
    let start = json!({"line": 0, "character": 0});
    let document = json!({"uri": file_uri(&session.path("src/a.rs")).unwrap()});
    let params = json!({
        "textDocument": document,
        "range": {"start": start, "end": start},
        "context": {"diagnostics": []},
    });
    let actions = session.editor.request("textDocument/codeAction", params).await.unwrap();
    let titles: Vec<_> = actions
        .as_array()
        .unwrap()
        .iter()
        .map(|action| &action["title"])
        .collect();
    assert!(titles.contains(&&json!("Ask the agent…")), "{titles:?}");
    assert!(!titles.contains(&&json!("Run skill: inner")), "{titles:?}");
}

// No time goes by but that which the server waits for.
#[tokio::test(start_paused = true)]
async fn a_loop_says_its_prompt_again_until_it_is_stopped() {
    let (mut session, _folder) = session(&[], &[("src/a.rs", "")], trusted()).await;
    let knows = |state: &skills_ls::state::State| state.catalog.get("loop").is_some();
    session.until("the skill", knows).await;
    let command = "skills.server.ask";
    session
        .execute(command, json!(["/loop 10m look at the build"]))
        .await
        .unwrap();
    session.turn_end().await.unwrap();
    // Nobody asks for these turns: the recording has no answer left, and they are tried all the same.
    for _ in 0..2 {
        let (_, message) = session.turn_end().await.unwrap();
        assert!(
            message.as_str().unwrap().starts_with("the recording ended"),
            "{message}"
        );
    }
    let prompts = session.shared.state().agent.sessions.get(None).unwrap().since(0).0;
    let said = prompts
        .iter()
        .map(|update| serde_json::to_string(&update.update).unwrap())
        .filter(|update| update.contains("look at the build"));
    let said: Vec<_> = said.collect();
    assert_eq!(said.len(), 2, "{said:?}");

    let stop = json!({"prompt": [{"type": "text", "text": "/loop stop"}]});
    let answer = session
        .editor
        .request("skills/session/prompt", stop.clone())
        .await
        .unwrap();
    let message = answer["message"].as_str().unwrap();
    assert_eq!(
        message,
        "not repeated any more, which it was every 10m: look at the build"
    );
    let answer = session.editor.request("skills/session/prompt", stop).await.unwrap();
    assert_eq!(answer["message"], "nothing is repeated in this session");
}
