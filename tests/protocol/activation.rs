//! Skills are active while a document that they name is open.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities};

use crate::sessions::{asked, lending_with};

const SKILL: &str = ".claude/skills/payments/SKILL.md";
const TEXT: &str = "---\nname: payments\ndescription: Payment code.\npaths: src/payments/**/*.ts\n---\nBe careful.\n";

fn names(params: &Value) -> Vec<&str> {
    params["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn opening_a_matching_file_activates_and_closing_it_ends_that() {
    let mut session = Session::start(&[
        (SKILL, TEXT),
        ("src/payments/refund.ts", "x\n"),
        ("src/other.ts", "x\n"),
    ])
    .await
    .unwrap();
    session.open("src/other.ts").await.unwrap();
    session.open("src/payments/refund.ts").await.unwrap();
    let active = session
        .editor
        .wait_until("skills/active", |params| !names(params).is_empty())
        .await
        .unwrap();
    let path = session.path("src/payments/refund.ts");
    assert_eq!(active["uri"], file_uri(&path).unwrap().as_str());
    assert_eq!(
        active["skills"][0],
        json!({
            "name": "payments", "path": session.path(SKILL), "description": "Payment code.", "dialect": "claude",
            "state": "active",
            "why": [{"kind": "path", "pattern": "src/payments/**/*.ts", "matched": "src/payments/refund.ts"}],
        })
    );
    let all = session.editor.request("skills/active", json!({})).await.unwrap();
    assert_eq!(names(&all), ["payments"]);
    let titles: Vec<Value> = session
        .code_actions("src/payments/refund.ts", 0, 0)
        .await
        .unwrap()
        .iter()
        .map(|it| it["title"].clone())
        .collect();
    assert_eq!(titles, ["Run skill: payments", "Run another skill…", "Ask the agent…"]);
    session.editor.close(&path).await.unwrap();
    session
        .editor
        .wait_until("skills/active", |params| names(params).is_empty())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_new_file_that_was_never_saved_activates_too() {
    let mut session = Session::start(&[(SKILL, TEXT)]).await.unwrap();
    let path = session.path("src/payments/new/charge.ts");
    session.editor.open(&path, "typescript", "").await.unwrap();
    session
        .editor
        .wait_until("skills/active", |params| names(params) == ["payments"])
        .await
        .unwrap();
}

#[tokio::test]
async fn what_is_typed_into_a_skill_counts_before_it_is_saved() {
    let mut session = Session::start(&[(SKILL, TEXT), ("lib/a.rs", "x\n")]).await.unwrap();
    session.open("lib/a.rs").await.unwrap();
    session.open(SKILL).await.unwrap();
    let path = session.path(SKILL);
    session
        .editor
        .replace(&path, "src/payments/**/*.ts", "lib/*.rs")
        .await
        .unwrap();
    session
        .editor
        .wait_until("skills/active", |params| names(params) == ["payments"])
        .await
        .unwrap();
}

#[tokio::test]
async fn one_entry_lets_the_person_choose_among_all_other_skills() {
    let hidden = "---\ndescription: For the model.\nuser-invocable: false\n---\nBody.\n";
    let other = "---\ndescription: Says hello.\n---\nSay hello to $0.\n";
    let files = [
        ("src/a.rs", "x\n"),
        (".claude/skills/hello/SKILL.md", other),
        (".claude/skills/inner/SKILL.md", hidden),
    ];
    let mut can_ask = capabilities();
    can_ask["window"]["showMessage"] = json!({});
    let mut session = lending_with(&files, can_ask).await;
    session.editor.answer = |method, params| match method {
        "skills/lm/request" => Some(json!({"accepted": true})),
        "window/showMessageRequest" => {
            let titles: Vec<_> = params["actions"].as_array()?.iter().collect();
            assert!(!titles.contains(&&json!({"title": "inner"})), "{params}");
            titles.into_iter().find(|action| action["title"] == "hello").cloned()
        }
        _ => None,
    };
    session
        .until("the skill", |state| state.catalog.get("hello").is_some())
        .await;
    session.open("src/a.rs").await.unwrap();
    let actions = session.code_actions("src/a.rs", 0, 0).await.unwrap();
    let action = actions.iter().find(|it| it["title"] == "Run a skill…").unwrap().clone();
    let command = action["command"].as_str().unwrap();
    session.execute(command, action["arguments"].clone()).await.unwrap();
    let (_, texts) = asked(&mut session).await;
    assert!(texts.concat().contains("Say hello to"), "{texts:?}");

    // A client that can't ask is told what to pass.
    let mut session = lending_with(&files, capabilities()).await;
    session
        .until("the skill", |state| state.catalog.get("hello").is_some())
        .await;
    session.execute(command, action["arguments"].clone()).await.unwrap();
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("skills.server.run [\"NAME\"]") && message.contains("hello"),
        "{message}"
    );
}
