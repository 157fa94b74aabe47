//! What the model knows of skills and instructions, as the requests of a conversation in an editor show it.

use serde_json::{Value, json};
use skills_tests::{Session, capabilities};

use crate::sessions::{lending_with, say};

/// A kind of text: its name in the catalog, its file, what stands before its text, and the message that brings it.
const KINDS: [(&str, &str, &str, &str); 4] = [
    ("instructions", "AGENTS.md", "", "hello"),
    ("always", ".openhands/skills/always.md", "", "hello"),
    (
        "ship",
        ".agents/skills/ship/SKILL.md",
        "---\nname: ship\ndescription: About it.\ntriggers: [launch]\n---\n",
        "launch it",
    ),
    (
        "said",
        ".openhands/skills/said/SKILL.md",
        "---\nname: said\ndescription: About it.\npaths: '*.rs'\n---\n",
        "hello",
    ),
];

/// How often the model has the first and the second version of the text when it is asked.
async fn ask(session: &mut Session, message: &str) -> (usize, usize) {
    session.execute("skills.server.ask", json!([message])).await.unwrap();
    let request = session.editor.wait_for("skills/lm/request").await.unwrap();
    let said = request["messages"].to_string();
    say(session, &request["requestId"], "done").await;
    session.turn_end().await.unwrap();
    (said.matches("MARK one").count(), said.matches("MARK two").count())
}

/// Whether the server knows a text of that name that has these words.
fn knows<'a>(name: &'a str, words: &'a str) -> impl Fn(&skills_ls::state::State) -> bool + 'a {
    move |state| match state.catalog.get(name) {
        Some(skill) => skill.text().is_ok_and(|text| text.contains(words)),
        None => name == "instructions" && !state.catalog.always_on.is_empty(),
    }
}

#[tokio::test]
async fn it_is_told_once_again_after_a_clear_and_where_it_is_typed_anew() {
    for (name, path, head, message) in KINDS {
        let text = format!("{head}MARK one\n");
        let files = [(path, text.as_str()), ("src/a.rs", "")];
        let mut session = lending_with(&files, capabilities()).await;
        session.open("src/a.rs").await.unwrap();
        session.until(name, knows(name, "MARK one")).await;
        assert_eq!(ask(&mut session, message).await, (1, 0), "{name}");
        assert_eq!(ask(&mut session, message).await, (1, 0), "{name}, again");

        session.execute("skills.server.clear", json!([])).await.unwrap();
        assert_eq!(ask(&mut session, message).await, (1, 0), "{name}, cleared");

        session.open(path).await.unwrap();
        let file = session.path(path);
        session.editor.replace(&file, "MARK one", "MARK two").await.unwrap();
        session.until(name, knows(name, "MARK two")).await;
        assert_eq!(ask(&mut session, "go on").await, (1, 1), "{name}, typed");
        assert_eq!(ask(&mut session, "go on").await, (1, 1), "{name}, later");
        let on_disk = std::fs::read_to_string(&file).unwrap();
        assert_eq!(on_disk, text, "nothing was saved");
    }
}

#[tokio::test]
async fn a_word_that_is_said_into_a_turn_brings_its_skill() {
    let (_, path, head, message) = KINDS[2];
    let text = format!("{head}MARK one\n");
    let mut session = lending_with(&[(path, &text), ("a.txt", "one\n")], capabilities()).await;
    session.until("ship", knows("ship", "MARK one")).await;
    session.execute("skills.server.ask", json!(["begin"])).await.unwrap();
    let first = session.editor.wait_for("skills/lm/request").await.unwrap();
    session
        .execute("skills.server.toggleDelivery", json!([]))
        .await
        .unwrap();
    session.execute("skills.server.ask", json!([message])).await.unwrap();
    say(&mut session, &first["requestId"], "done").await;
    let second = session.editor.wait_for("skills/lm/request").await.unwrap();
    let has = |request: &Value| request["messages"].to_string().contains("MARK one");
    assert!(!has(&first) && has(&second), "{}", second["messages"]);
    say(&mut session, &second["requestId"], "done").await;
    session.turn_end().await.unwrap();
}
