//! Every wire against an endpoint that this project did not write (aimock): whole turns, and the faults that it injects.
//!
//! `SKILLS_TEST_MODEL` names the program, which `tests/run` installs; without it these tests are named as left out.

#![allow(
    clippy::print_stdout,
    reason = "it counts for itself, because it may have to be left out"
)]

mod endpoint;

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use serde_json::{Value, json};
use skills_agent::model::{Block, Message, ModelEvent, ModelSettings, Request, Role};
use skills_tests::{Session, capabilities, trusted};

use endpoint::Endpoint;

const WIRES: [&str; 3] = ["anthropic", "openai", "openai-responses"];

#[tokio::main]
async fn main() -> ExitCode {
    let Some(program) = std::env::var_os("SKILLS_TEST_MODEL") else {
        println!("skip  models: every wire is tried where SKILLS_TEST_MODEL names the model endpoint");
        println!("0 passed, 0 failed, 1 skipped");
        return ExitCode::SUCCESS;
    };
    let (mut passed, mut failed) = (0, 0);
    for wire in WIRES {
        for (name, result) in [
            ("a turn calls tools to its end", turn(&program, wire).await),
            ("thinking is kept for the next request", thinking(&program, wire).await),
            ("faults pass, or say what to do", faults(&program, wire).await),
            ("what breaks off is asked again", broken_off(&program, wire).await),
            ("calls in small pieces are whole", pieces(&program, wire).await),
            ("what comes slowly is waited for", slow(&program, wire).await),
        ] {
            match result {
                Ok(()) => {
                    println!("ok    {wire}: {name}");
                    passed += 1;
                }
                Err(problem) => {
                    println!("FAIL  {wire}: {name}: {problem:?}");
                    failed += 1;
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

/// A person asks in the editor, the model writes a file, and hears that it is there.
async fn turn(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let endpoint = Endpoint::start(program).await?;
    let arguments = json!({"path": "a.txt", "content": "grüße\n"}).to_string();
    let call = json!({"id": "call_1", "name": "create_file", "arguments": arguments});
    endpoint
        .play(json!([
            {"match": {"hasToolResult": false}, "response": {"content": "I write.", "toolCalls": [call]}, "chunkSize": 3},
            {"match": {"toolCallId": "call_1"}, "response": {"content": "Written."}, "chunkSize": 3},
        ]))
        .await?;
    let variables = [
        ("SKILLS_LS_MODEL_PROVIDER", wire.to_owned()),
        ("SKILLS_LS_MODEL_NAME", "a-model".to_owned()),
        ("SKILLS_LS_MODEL_BASE_URL", endpoint.url.clone()),
    ];
    let mut session = Session::start_with(&[("b.txt", "b\n")], capabilities(), trusted(), &variables).await?;
    session.execute("skills.server.ask", json!(["write a.txt"])).await?;
    let (reason, message) = session.turn_end().await?;
    ensure!(reason == "end_turn", "the turn ended with {reason}: {message}");
    ensure!(session.disk("a.txt")? == "grüße\n", "a.txt has another text");
    let requests = endpoint.requests().await?;
    ensure!(requests.len() == 2, "there were {} requests", requests.len());
    Ok(())
}

/// The result of one request, a line each, and the blocks.
async fn ask(endpoint: &Endpoint, wire: &str, messages: Vec<Message>) -> Result<(Vec<String>, Vec<Block>)> {
    let settings = ModelSettings {
        provider: Some(wire.to_owned()),
        name: Some("a-model".to_owned()),
        base_url: Some(endpoint.url.clone()),
        ..ModelSettings::default()
    };
    let model = settings.model(&|_| None, None)?;
    let request = Request {
        system: "You help.".to_owned(),
        messages,
        tools: Vec::new(),
        max_tokens: 100,
    };
    let (mut told, mut blocks) = (Vec::new(), Vec::new());
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(ModelEvent::Block(block)) => blocks.push(block),
            Ok(ModelEvent::Retrying { reason }) => {
                blocks.clear();
                told.push(format!("retrying: {reason}"));
            }
            Ok(ModelEvent::Stop { reason, .. }) => told.push(format!("{reason:?}")),
            Ok(_) => {}
            Err(error) => told.push(format!("error: {error}")),
        }
    }
    Ok((told, blocks))
}

fn user(text: &str) -> Message {
    Message {
        role: Role::User,
        content: vec![Block::Text(text.to_owned())],
    }
}

async fn thinking(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let endpoint = Endpoint::start(program).await?;
    let response = json!({"content": "hello", "reasoning": "hm, hm", "reasoningSignature": "c2ln"});
    endpoint
        .play(json!([
            {"match": {"userMessage": "first"}, "response": response, "chunkSize": 3},
            {"match": {"userMessage": "second"}, "response": {"content": "bye"}},
        ]))
        .await?;
    let (told, blocks) = ask(&endpoint, wire, vec![user("first")]).await?;
    ensure!(told == ["EndTurn"], "{told:#?}");
    let [kept, Block::Text(text)] = blocks.as_slice() else {
        anyhow::bail!("no thinking and text: {blocks:#?}");
    };
    ensure!(text == "hello" && !matches!(kept, Block::Text(_)), "{blocks:#?}");
    let answer = Message {
        role: Role::Assistant,
        content: blocks,
    };
    let (told, _) = ask(&endpoint, wire, vec![user("first"), answer, user("second")]).await?;
    ensure!(told == ["EndTurn"], "with the thinking sent back: {told:#?}");
    Ok(())
}

/// Faults that stay, and how the last word about them begins or ends.
async fn faults(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let error =
        |status: u16, kind: &str, message: &str| json!({"error": {"message": message, "type": kind}, "status": status});
    let ok = json!({"content": "never"});
    let cases: [(Value, Value, &str); 7] = [
        (ok.clone(), json!({"dropRate": 1}), "can't answer now (500"),
        (
            ok.clone(),
            json!({"disconnectRate": 1}),
            "can't reach http://127.0.0.1:",
        ),
        (ok.clone(), json!({"malformedRate": 1}), "something else than"),
        (
            error(401, "authentication_error", "invalid key"),
            json!({}),
            "wants a key: set ",
        ),
        (
            error(404, "not_found_error", "model: a-model"),
            json!({}),
            "knows no model a-model",
        ),
        (
            error(400, "invalid_request_error", "prompt is too long"),
            json!({}),
            "the conversation is too long for a-model",
        ),
        (
            error(529, "overloaded_error", "overloaded"),
            json!({}),
            "is overloaded (529",
        ),
    ];
    for (response, chaos, expected) in cases {
        let endpoint = Endpoint::start(program).await?;
        let fixture = json!({"match": {"userMessage": "go"}, "response": response, "chaos": chaos});
        endpoint.play(json!([fixture])).await?;
        let (told, _) = ask(&endpoint, wire, vec![user("go")]).await?;
        let last = told.last().context("nothing was told")?;
        let is_expected = last.starts_with("error: ") && last.contains(expected);
        // A wire that takes no whole answers says so before it looks at them.
        let is_no_stream = expected == "something else than" && last.contains("instead of an event stream");
        ensure!(is_expected || is_no_stream, "{expected:?} is not the end of {told:#?}");
    }
    Ok(())
}

/// Several calls of one answer, each character of their arguments by itself.
async fn pieces(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let endpoint = Endpoint::start(program).await?;
    let inputs = [
        json!({"path": "a b.txt", "content": "\"grüße\"\n\t{}[]\\u0041 技能"}),
        json!({}),
        json!({"deep": {"list": [1, 2.5, null, true, "x"]}}),
    ];
    let calls = (1..).zip(&inputs).map(|(number, input)| {
        json!({"id": format!("call_{number}"), "name": format!("tool_{number}"), "arguments": input.to_string()})
    });
    let response = json!({"content": "I call.", "toolCalls": calls.collect::<Vec<_>>()});
    let fixture = json!({"match": {"userMessage": "go"}, "response": response, "chunkSize": 1});
    endpoint.play(json!([fixture])).await?;
    let (told, blocks) = ask(&endpoint, wire, vec![user("go")]).await?;
    ensure!(told == ["ToolUse"], "{told:#?}");
    let called: Vec<_> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse(call) => Some((call.name.clone(), call.input.clone())),
            _ => None,
        })
        .collect();
    let expected: Vec<_> = (1..)
        .zip(inputs)
        .map(|(number, input)| (format!("tool_{number}"), Ok(input)))
        .collect();
    ensure!(called == expected, "{called:#?}");
    Ok(())
}

/// An answer whose pieces come with pauses is no fault; one that is cut meanwhile is.
async fn slow(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let whole =
        json!({"match": {"userMessage": "go"}, "response": {"content": "hello"}, "chunkSize": 1, "latency": 60});
    let mut cut = whole.clone();
    cut["match"]["sequenceIndex"] = json!(0);
    cut["disconnectAfterMs"] = json!(150);
    for (fixtures, retries) in [(json!([whole]), 0), (json!([cut, whole]), 1)] {
        let endpoint = Endpoint::start(program).await?;
        endpoint.play(fixtures).await?;
        let (told, blocks) = ask(&endpoint, wire, vec![user("go")]).await?;
        let retried = told.iter().filter(|line| line.starts_with("retrying: ")).count();
        ensure!(
            retried == retries && told.last().is_some_and(|last| last == "EndTurn"),
            "{told:#?}"
        );
        ensure!(blocks == [Block::Text("hello".to_owned())], "{blocks:#?}");
        ensure!(endpoint.requests().await?.len() == retries + 1, "an attempt too many");
    }
    Ok(())
}

/// Faults of one attempt: the next one is whole.
async fn broken_off(program: &std::ffi::OsStr, wire: &str) -> Result<()> {
    let whole = json!({"match": {"userMessage": "go"}, "response": {"content": "hello world, again"}, "chunkSize": 3});
    let asked = json!({"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 2});
    for (fault, why) in [
        (json!({"truncateAfterChunks": 3}), ""),
        (json!({"chaos": {"rateLimitRate": 1}}), "429"),
        (json!({"chaos": {"dropRate": 1}}), "500"),
        (json!({"response": asked}), "trying again in 2.0 s"),
    ] {
        let endpoint = Endpoint::start(program).await?;
        let mut broken = whole.clone();
        broken["match"]["sequenceIndex"] = json!(0);
        for (key, value) in fault.as_object().context("a fault is an object")? {
            broken[key] = value.clone();
        }
        endpoint.play(json!([broken, whole])).await?;
        let (told, blocks) = ask(&endpoint, wire, vec![user("go")]).await?;
        ensure!(
            told.len() == 2 && told[0].starts_with("retrying: ") && told[0].contains(why) && told[1] == "EndTurn",
            "{fault}: {told:#?}"
        );
        ensure!(
            blocks == [Block::Text("hello world, again".to_owned())],
            "{fault}: {blocks:#?}"
        );
    }
    Ok(())
}
