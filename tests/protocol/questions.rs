//! Questions of the agent, and answers in the person's own words.

use serde_json::{Value, json};
use skills_tests::{Session, capabilities};

use crate::sessions::{answer, asked, lending_with, prompt, say};

/// The model asks the person; gives what it was told, as its next request has it.
async fn ask_person(session: &mut Session, input: Value) -> Value {
    prompt(session, "go", json!({})).await.unwrap();
    let (request, _) = asked(session).await;
    let call = json!({"type": "tool_call", "callId": "a", "name": "ask_person", "input": input});
    answer(session, &request, call).await;
    request
}

/// What the model was told about its call.
async fn told(session: &mut Session) -> String {
    let params = session.editor.wait_for("skills/lm/request").await.unwrap();
    say(session, &params["requestId"], "ok").await;
    let last = params["messages"].as_array().unwrap().last().unwrap().clone();
    let content = last["content"].as_array().unwrap().clone();
    content
        .iter()
        .find_map(|block| block["output"].as_str().or_else(|| block["content"].as_str()))
        .map(str::to_owned)
        .unwrap_or_else(|| panic!("{last:#}"))
}

#[tokio::test]
async fn a_client_that_asks_gives_the_persons_own_words() {
    let mut session = lending_with(&[], capabilities()).await;
    session.editor.answer = |method, params| match method {
        "skills/lm/request" => Some(json!({"accepted": true})),
        "skills/permission/request" => {
            assert_eq!(params["takesText"], true, "{params}");
            assert_eq!(params["options"][1]["name"], "payouts", "{params}");
            Some(json!({"outcome": {"outcome": "selected", "optionId": "text"}, "message": "call it refunds"}))
        }
        _ => None,
    };
    let input = json!({"question": "Which name?", "choices": ["orders", "payouts"]});
    ask_person(&mut session, input).await;
    assert_eq!(told(&mut session).await, "call it refunds");
}

#[tokio::test]
async fn a_client_that_can_not_ask_answers_by_command() {
    let mut plain = capabilities();
    plain["experimental"]["skillsAgent"]
        .as_object_mut()
        .unwrap()
        .remove("permission");
    let mut session = lending_with(&[("a.txt", "one\n")], plain).await;
    session.open("a.txt").await.unwrap();
    let choices = json!({"question": "Which name?", "choices": ["orders", "payouts"]});
    for (input, option, text, expected) in [
        (json!({"question": "Which name?"}), "text", json!("refunds"), "refunds"),
        (choices.clone(), "2", Value::Null, "payouts"),
        (choices.clone(), "text", json!("neither"), "neither"),
    ] {
        ask_person(&mut session, input).await;
        let shown = session.editor.wait_for("window/showMessage").await.unwrap();
        let message = shown["message"].as_str().unwrap();
        assert!(message.contains("skills.server.answer"), "{message}");
        let id = message.split('"').nth(1).unwrap().to_owned();
        for (wrong, reason) in [
            (json!([id, "7"]), "7 is no answer of this question; it takes"),
            (json!(["guess", "text", "x"]), "not open any more"),
        ] {
            let error = session.execute("skills.server.answer", wrong).await.unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        let answered = json!([id, option, text]);
        session.execute("skills.server.answer", answered.clone()).await.unwrap();
        assert_eq!(told(&mut session).await, expected);
        let late = session.execute("skills.server.answer", answered).await.unwrap_err();
        assert!(late.to_string().contains("not open any more"), "{late}");
        session.turn_end().await.unwrap();
    }

    // Each answer is a code action of its own, so that the right one is chosen.
    ask_person(&mut session, choices).await;
    session.editor.wait_for("window/showMessage").await.unwrap();
    let actions = session.code_actions("a.txt", 0, 0).await.unwrap();
    let title = "The agent asks payouts";
    let action = actions.iter().find(|action| action["title"] == title).unwrap();
    let arguments = action["arguments"].clone();
    let ambiguous = session.execute("skills.server.approve", json!([arguments[0]])).await;
    let error = ambiguous.unwrap_err().to_string();
    assert!(error.contains("choose one with skills.server.answer"), "{error}");
    session
        .execute(action["command"].as_str().unwrap(), arguments)
        .await
        .unwrap();
    assert_eq!(told(&mut session).await, "payouts");
}

#[tokio::test]
async fn the_rule_that_is_kept_is_the_one_that_the_person_wrote() {
    let mut session = lending_with(&[], capabilities()).await;
    session.editor.answer = |method, params| match method {
        "skills/lm/request" => Some(json!({"accepted": true})),
        "skills/permission/request" => {
            assert_eq!(params["rules"], "run_shell(git status)", "{params}");
            let answer = json!({"outcome": {"outcome": "selected", "optionId": "allowSession"}});
            let mut answer = answer.as_object().unwrap().clone();
            answer.insert("message".into(), json!("Bash(git:*)"));
            Some(Value::Object(answer))
        }
        _ => None,
    };
    prompt(&mut session, "go", json!({})).await.unwrap();
    // The second command is covered by the wider rule: nobody is asked again, else the assertion above fails.
    for argv in [json!(["git", "status"]), json!(["git", "log", "-1"])] {
        let (request, _) = asked(&mut session).await;
        let call = json!({"type": "tool_call", "callId": "a", "name": "run_shell", "input": {"argv": argv}});
        answer(&mut session, &request, call).await;
    }
    let (request, _) = asked(&mut session).await;
    say(&mut session, &request, "ok").await;
    let (reason, message) = session.turn_end().await.unwrap();
    assert_eq!(reason, "end_turn", "{message}");
    let asked = session.editor.unread();
    let asked = asked.iter().filter(|(method, _)| method == "skills/permission/request");
    assert_eq!(asked.count(), 1);
}

#[tokio::test]
async fn padding_hides_nothing_wherever_a_question_is_shown() {
    let command = json!({"argv": ["sh", "-c", format!("true{}; touch payload", " ".repeat(4_213))]});
    let flood = json!({"argv": ["sh", "-c", format!("true{}; touch payload", "\n".repeat(4_213))]});
    let long = json!({"argv": ["sh", "-c", format!("true {}; touch payload", "a".repeat(4_213))]});
    for (input, count) in [
        (command, "[4,213 spaces]"),
        (flood, "[4,212 empty lines]"),
        (long, "more characters …"),
    ] {
        for rich in [true, false] {
            let mut capabilities = capabilities();
            if !rich {
                let agent = capabilities["experimental"]["skillsAgent"].as_object_mut().unwrap();
                agent.remove("permission");
            }
            let mut session = lending_with(&[], capabilities).await;
            session.editor.answer = |method, _| match method {
                "skills/lm/request" => Some(json!({"accepted": true})),
                "skills/permission/request" => Some(json!({"outcome": {"outcome": "cancelled"}})),
                _ => None,
            };
            prompt(&mut session, "go", json!({})).await.unwrap();
            let (request, _) = asked(&mut session).await;
            let call = json!({"type": "tool_call", "callId": "a", "name": "run_shell", "input": input});
            answer(&mut session, &request, call).await;
            let shown = match rich {
                true => session.editor.wait_for("skills/permission/request").await.unwrap()["description"].clone(),
                false => session.editor.wait_for("window/showMessage").await.unwrap()["message"].clone(),
            };
            let shown = shown.as_str().unwrap();
            assert!(shown.len() < 3_000, "{}", shown.len());
            assert!(shown.contains(count) && shown.contains("; touch payload"), "{shown}");
            assert!(shown.contains("true, touch"), "the programs: {shown}");
        }
    }
}
