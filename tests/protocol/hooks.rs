//! Hooks of a skill in an editor: for the rest of the session, and for what happens outside of turns.

use serde_json::{Value, json};
use skills_tests::{capabilities, write};

use crate::sessions::{asked, lending_with, prompt, say};

#[tokio::test]
async fn hooks_hear_of_changed_skills_and_of_the_sessions_end() {
    let watch = "---\ndescription: Watches.\nhooks:\n  ConfigChange:\n    - matcher: skills\n      hooks:\n        - type: \
                 command\n          command: |\n            grep -o '[^/]*/SKILL.md' | sed 's/.*/{\"systemMessage\":\"saw \
                 &\"}/'\n  SessionEnd:\n    - hooks: [{type: command, command: cat > ended}]\n---\nWatch.\n";
    let other = "---\ndescription: Other.\n---\nOne.\n";
    let files = [
        (".claude/skills/watch/SKILL.md", watch),
        (".claude/skills/other/SKILL.md", other),
    ];
    let mut session = lending_with(&files, capabilities()).await;
    session.open(".claude/skills/other/SKILL.md").await.unwrap();
    session.editor.answer = |method, params| match method {
        "skills/lm/request" => Some(json!({"accepted": true})),
        "skills/permission/request" => {
            let title = params["title"].as_str().unwrap();
            assert_eq!(title, "Let the skill watch run these hooks?", "{params}");
            Some(json!({"outcome": {"outcome": "selected", "optionId": "allow"}}))
        }
        _ => None,
    };
    // The skills are found a moment after the start.
    session
        .until("the skill", |state| state.catalog.get("watch").is_some())
        .await;
    prompt(&mut session, "/watch", json!({})).await.unwrap();
    let (request, _) = asked(&mut session).await;
    say(&mut session, &request, "ok").await;
    session.turn_end().await.unwrap();

    let path = session.path(".claude/skills/other/SKILL.md");
    session.editor.replace(&path, "One.", "Two.").await.unwrap();
    let saw = |params: &Value| params["message"].as_str().unwrap().contains("saw other/SKILL.md");
    session.editor.wait_until("window/showMessage", saw).await.unwrap();

    write(&session.path("ended"), "").unwrap();
    prompt(&mut session, "/quit", json!({})).await.unwrap();
    let told = tokio::time::timeout(std::time::Duration::from_secs(120), async {
        loop {
            let text = session.disk("ended").unwrap();
            if text.ends_with('}') {
                return text;
            }
            tokio::task::yield_now().await;
        }
    });
    let told: Value = serde_json::from_str(&told.await.unwrap()).unwrap();
    assert_eq!(told["hook_event_name"], "SessionEnd");
}
