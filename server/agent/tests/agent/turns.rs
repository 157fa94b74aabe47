//! What a turn does with whatever a model answers.

use std::sync::Arc;

use serde_json::json;
use skills_agent::event::Outcome;
use skills_agent::model::replay::Replay;
use skills_agent::model::{Block, Message, ModelEvent, Role, StopReason};
use skills_agent::turn::{Limits, SYSTEM, TurnInput, run};
use tokio::sync::{Barrier, Notify};

use crate::fakes::{Bench, Does, Scripted, Step, answer, block, call, input, reads, stop, text, writes};

const RECORDING: &str = r#"A call and its answer.
=== response 1
event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me look."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"echo","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"text\": \"he"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"llo\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

event: message_stop
data: {"type":"message_stop"}

=== response 2
event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":30,"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}
"#;

#[tokio::test]
async fn a_recording_is_played_through_a_whole_turn() {
    let model = Arc::new(Replay::new(RECORDING).unwrap());
    let mut bench = Bench::new(model, [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("say hello").await, Outcome::Finished);
    assert_eq!(
        bench.told(),
        [
            r#"started "say hello" on replay (recorded, no model)"#,
            r#"text "Let me look.""#,
            "call toolu_1 echo hello",
            "ok toolu_1 5 bytes",
            r#"text "Done.""#,
            "ended Finished, 37 in, 23 out",
        ]
    );
    let Outcome::Failed(message) = bench.ask("again").await else {
        panic!("the recording is over")
    };
    assert!(message.contains("holds 2 responses and this is request 3"), "{message}");
}

fn result(id: &str, content: &str, is_error: bool) -> Block {
    Block::ToolResult {
        id: id.into(),
        content: content.into(),
        is_error,
    }
}

/// The results that the model was given in its last request.
fn results(model: &Scripted) -> Vec<Block> {
    let requests = model.requests();
    requests.last().unwrap().messages.last().unwrap().content.clone()
}

#[tokio::test]
async fn the_system_text_is_stable_and_the_rest_is_the_persons_message() {
    let model = Scripted::new([answer([text("ok"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(model.clone(), [reads("zebra", Does::Echo), reads("ant", Does::Echo)]);
    let turn = TurnInput {
        context: vec!["Open file: a.rs".into()],
        ..input("go")
    };
    run(turn, &mut bench.conversation, &bench.engine, bench.control.clone()).await;
    let request = &model.requests()[0];
    assert_eq!(request.system, SYSTEM);
    assert_eq!(
        request.tools.iter().map(|tool| tool.name).collect::<Vec<_>>(),
        ["ant", "zebra"]
    );
    let texts = [
        "<context-425abc32d4e0df54>\nOpen file: a.rs\n</context-425abc32d4e0df54>",
        "go",
    ];
    let content = texts.map(|text| Block::Text(text.into())).to_vec();
    assert_eq!(
        request.messages,
        [Message {
            role: Role::User,
            content
        }]
    );
    assert_eq!(bench.told()[0], r#"started "go" on a script"#);
}

#[tokio::test]
async fn what_the_model_gets_wrong_is_told_to_the_model() {
    let calls = answer([
        block("a", "ech", Ok(json!({"text": "x"}))),
        block("b", "echo", Err("{\"text\": ".into())),
        block("c", "echo", Err("[1]".into())),
        call("d", "respond", ""),
        call("e", "panic", ""),
        call("f", "echo", "no summary"),
        call("g", "flood", ""),
        stop(StopReason::ToolUse),
    ]);
    let model = Scripted::new([calls, answer([text("ok"), stop(StopReason::EndTurn)])]);
    let tools = [
        reads("echo", Does::Echo),
        reads("flood", Does::Flood(70_000)),
        reads("panic", Does::Panic),
        reads("respond", Does::Respond),
    ];
    let mut bench = Bench::new(model.clone(), tools);
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    let flood = format!(
        "{}\n[cut: these are the first 65536 of 70000 bytes]",
        "é".repeat(32_768)
    );
    assert_eq!(
        results(&model),
        [
            result(
                "a",
                "unknown tool \"ech\"; the tools are: echo, flood, panic, respond",
                true
            ),
            result(
                "b",
                "the arguments of echo are no JSON object (EOF while parsing a value at line 1 column 9); \
                 call it again with valid JSON",
                true
            ),
            result(
                "c",
                "the arguments of echo are no JSON object (it is JSON, but no object); call it again with valid JSON",
                true
            ),
            result("d", "try the other one", true),
            result(
                "e",
                "the tool panic broke down: a bug; do without it, or call it with other arguments",
                true
            ),
            result("f", "no summary", false),
            result("g", &flood, false),
        ]
    );
    let told = bench.told();
    for id in ["a", "b", "c", "d", "e", "f", "g"] {
        let count = |word: &str| {
            told.iter()
                .filter(|line| line.starts_with(&format!("{word} {id} ")))
                .count()
        };
        assert_eq!(
            (count("call"), count("ok") + count("failed")),
            (1, 1),
            "{id} in {told:#?}"
        );
    }
    assert!(told.contains(&"ok g 70000 bytes (cut)".to_owned()), "{told:#?}");
    assert!(
        told.iter()
            .any(|line| line.starts_with("note the tool panic broke down: a bug (")),
        "{told:#?}"
    );
}

#[tokio::test]
async fn equal_and_missing_identifiers_are_told_apart() {
    let calls = || {
        answer([
            call("a", "echo", "1"),
            call("a", "echo", "2"),
            call("", "echo", "3"),
            stop(StopReason::ToolUse),
        ])
    };
    let model = Scripted::new([calls(), calls(), answer([text("ok"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(model.clone(), [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    let expected = ["call_3", "call_4", "call_5"].into_iter().zip(["1", "2", "3"]);
    assert_eq!(
        results(&model),
        expected.map(|(id, text)| result(id, text, false)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn reads_run_together_and_writes_alone() {
    let barrier = Arc::new(Barrier::new(2));
    let calls = answer([
        call("a", "meet", ""),
        call("b", "meet", ""),
        call("c", "write", "1"),
        call("d", "write", "2"),
        call("e", "echo", "3"),
        stop(StopReason::ToolUse),
    ]);
    let model = Scripted::new([calls, answer([text("ok"), stop(StopReason::EndTurn)])]);
    let tools = [
        reads("meet", Does::Meet(barrier)),
        writes("write", Does::Echo),
        reads("echo", Does::Echo),
    ];
    let mut bench = Bench::new(model.clone(), tools);
    // Two calls that wait for each other end only if they run together.
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    let told = bench.told();
    let writes: Vec<_> = told
        .iter()
        .filter(|line| line.contains(" c ") || line.contains(" d "))
        .collect();
    assert_eq!(
        writes,
        ["call c write 1", "ok c 1 bytes", "call d write 2", "ok d 1 bytes"]
    );
    let texts = ["met", "met", "1", "2", "3"];
    let expected = ["a", "b", "c", "d", "e"]
        .into_iter()
        .zip(texts)
        .map(|(id, text)| result(id, text, false));
    assert_eq!(
        results(&model),
        expected.collect::<Vec<_>>(),
        "in the order of the calls"
    );
}

#[tokio::test]
async fn a_fatal_error_ends_the_turn_and_answers_every_call() {
    let calls = answer([
        call("a", "fatal", ""),
        call("b", "write", "x"),
        stop(StopReason::ToolUse),
    ]);
    let model = Scripted::new([calls, answer([text("ok"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(
        model.clone(),
        [reads("fatal", Does::Fatal), writes("write", Does::Echo)],
    );
    assert_eq!(bench.ask("go").await, Outcome::Failed("the workspace is gone".into()));
    assert_eq!(bench.ask("go on").await, Outcome::Finished);
    let expected = [
        result("a", "the workspace is gone", true),
        result("b", "not run: the turn ended before", true),
        Block::Text("go on".into()),
    ];
    assert_eq!(results(&model), expected);
}

#[tokio::test]
async fn an_endless_loop_is_stopped_and_can_be_continued() {
    let model = Scripted::endless(answer([call("a", "echo", "x"), stop(StopReason::ToolUse)]));
    let mut bench = Bench::new(model.clone(), [reads("echo", Does::Echo)]);
    let Outcome::Limited(message) = bench.ask("go").await else {
        panic!("it never ends")
    };
    assert_eq!(
        message,
        "the model was stopped after 32 rounds of tool calls; say `continue` to let it go on"
    );
    assert_eq!(model.requests().len(), 32);
    bench.engine.limits = Limits {
        iterations: 1,
        ..Limits::default()
    };
    bench.ask("continue").await;
    assert_eq!(results(&model).last(), Some(&Block::Text("continue".into())));
}

#[tokio::test]
async fn too_many_calls_of_one_answer_are_not_run() {
    let calls = (0..40)
        .map(|n| call(&n.to_string(), "echo", "x"))
        .chain([stop(StopReason::ToolUse)]);
    let model = Scripted::new([answer(calls), answer([text("ok"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(model.clone(), [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    let results = results(&model);
    assert_eq!(results[31], result("31", "x", false));
    assert_eq!(
        results[32],
        result("32", "not run: at most 32 calls in one answer; call it again", true)
    );
    assert_eq!(results.len(), 40);
}

#[tokio::test]
async fn of_a_first_message_that_is_too_long_only_what_the_endpoint_said_is_reported() {
    let mut bench = Bench::new(Scripted::new([vec![Step::TooLong]]), []);
    assert_eq!(
        bench.ask("go").await,
        Outcome::Limited("the conversation is too long: begin a new one with /clear (200001 tokens > 200000)".into())
    );
}

#[tokio::test]
async fn how_answers_end() {
    let cases = [
        (StopReason::EndTurn, "Finished"),
        (StopReason::ToolUse, "Finished"),
        (StopReason::MaxTokens, "Limited(\"the answer was cut at 32000 tokens"),
        (
            StopReason::ContextFull,
            "Limited(\"the conversation fills what the model can read",
        ),
        (StopReason::Refusal, "Failed(\"the model declined"),
        (
            StopReason::Other("newer".into()),
            "Limited(\"the answer ended with `newer`",
        ),
    ];
    for (reason, expected) in cases {
        let model = Scripted::new([answer([text("so far"), stop(reason)])]);
        let mut bench = Bench::new(model, []);
        let outcome = format!("{:?}", bench.ask("go").await);
        assert!(outcome.starts_with(expected), "{outcome}");
    }
}

#[tokio::test]
async fn the_calls_of_a_cut_answer_are_never_run() {
    let cut = answer([text("I write"), call("a", "write", "ha"), stop(StopReason::MaxTokens)]);
    let model = Scripted::new([cut, answer([text("ok"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(model.clone(), [writes("write", Does::Echo)]);
    assert!(matches!(bench.ask("go").await, Outcome::Limited(_)));
    assert!(!bench.told().iter().any(|line| line.starts_with("call")));
    assert_eq!(bench.ask("continue").await, Outcome::Finished);
    let messages = &model.requests()[1].messages;
    assert_eq!(messages[1].content, [Block::Text("I write".into())]);
}

#[tokio::test]
async fn a_refused_turn_leaves_the_conversation() {
    let model = Scripted::new([
        answer([text("ok"), stop(StopReason::EndTurn)]),
        answer([call("a", "echo", "x"), stop(StopReason::ToolUse)]),
        answer([text("I can't"), stop(StopReason::Refusal)]),
    ]);
    let mut bench = Bench::new(model, [reads("echo", Does::Echo)]);
    bench.ask("fine").await;
    let before = bench.conversation.clone();
    assert!(matches!(bench.ask("not fine").await, Outcome::Failed(_)));
    assert_eq!(bench.conversation, before);
}

#[tokio::test]
async fn a_paused_answer_goes_back_unchanged_and_continues() {
    let thinking = Block::Thinking {
        text: "hm".into(),
        signature: "s".into(),
    };
    let paused = answer([
        vec![Step::Event(ModelEvent::Block(thinking.clone()))],
        text("so"),
        stop(StopReason::Pause),
    ]);
    let model = Scripted::new([
        paused,
        answer([call("a", "echo", "x"), stop(StopReason::ToolUse)]),
        answer([text("ok"), stop(StopReason::EndTurn)]),
    ]);
    let mut bench = Bench::new(model.clone(), [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    let messages = &model.requests()[2].messages;
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[1].content[..2], [thinking, Block::Text("so".into())]);
}

#[tokio::test]
async fn what_was_shown_before_a_retry_is_void() {
    let retrying = Step::Event(ModelEvent::Retrying {
        reason: "the connection broke; trying again".into(),
    });
    let broken = answer([text("half"), call("a", "echo", "x"), vec![retrying]]);
    let model = Scripted::new([answer([broken, text("whole"), stop(StopReason::EndTurn)])]);
    let mut bench = Bench::new(model, [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("go").await, Outcome::Finished);
    assert_eq!(bench.conversation.messages()[1].content, [Block::Text("whole".into())]);
    assert!(
        bench
            .told()
            .contains(&"note the connection broke; trying again; the answer above does not count".to_owned())
    );
}

#[tokio::test]
async fn a_failed_answer_leaves_its_text_and_the_next_turn_works() {
    let delta = Step::Event(ModelEvent::TextDelta("ha".into()));
    for last in [vec![Step::Fail("the connection broke")], vec![]] {
        let model = Scripted::new([
            answer([text("one"), call("a", "echo", "x"), vec![delta.clone()], last]),
            answer([text("ok"), stop(StopReason::EndTurn)]),
        ]);
        let mut bench = Bench::new(model.clone(), [reads("echo", Does::Echo)]);
        assert!(matches!(bench.ask("go").await, Outcome::Failed(_)));
        assert_eq!(bench.ask("again").await, Outcome::Finished);
        let expected = [Block::Text("one".into()), Block::Text("ha".into())];
        assert_eq!(model.requests()[1].messages[1].content, expected);
    }
}

/// A turn that is cancelled as soon as something in it says that it began.
async fn cancelled(bench: &mut Bench, began: Arc<Notify>) -> Outcome {
    let cancel = bench.control.cancel.clone();
    let outcome = tokio::join!(bench.ask("go"), async {
        began.notified().await;
        cancel.cancel();
    });
    bench.control.cancel = tokio_util::sync::CancellationToken::new();
    outcome.0
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_cancelled_wherever_it_is() {
    let began = Arc::new(Notify::new());
    let hang = || vec![Step::Hang(began.clone())];
    let delta = vec![Step::Event(ModelEvent::TextDelta("ha".into()))];
    let calls = |name| {
        answer([
            text("so"),
            call("a", name, "x"),
            call("b", "echo", "y"),
            stop(StopReason::ToolUse),
        ])
    };
    let user = |text: &str| Block::Text(text.into());
    let not_run = result("b", "not run: cancelled by the person", true);
    // What the model did, and the blocks behind the first prompt that the next turn sends.
    let cases = [
        (hang(), vec![user("next")]),
        (answer([delta, hang()]), vec![user("ha"), user("next")]),
        (
            answer([text("so"), call("a", "echo", "x"), hang()]),
            vec![user("so"), user("next")],
        ),
        (
            answer([
                text("so"),
                call("a", "hang", "x"),
                call("b", "write", "y"),
                stop(StopReason::ToolUse),
            ]),
            vec![
                result("a", "cancelled by the person", true),
                not_run.clone(),
                user("next"),
            ],
        ),
        (
            calls("end"),
            vec![result("a", "done", false), not_run.clone(), user("next")],
        ),
        (
            calls("stuck"),
            vec![
                result(
                    "a",
                    "cancelled by the person; it may have changed something: read the file again",
                    true,
                ),
                not_run,
                user("next"),
            ],
        ),
    ];
    for (response, expected) in cases {
        let model = Scripted::new([response, answer([text("ok"), stop(StopReason::EndTurn)])]);
        let tools = [
            reads("echo", Does::Echo),
            reads("hang", Does::Hang(began.clone())),
            writes("write", Does::Echo),
            writes("end", Does::EndOnCancel(began.clone())),
            writes("stuck", Does::Hang(began.clone())),
        ];
        let mut bench = Bench::new(model.clone(), tools);
        assert_eq!(cancelled(&mut bench, began.clone()).await, Outcome::Cancelled);
        assert!(bench.told().last().unwrap().starts_with("ended Cancelled"));
        assert_eq!(bench.ask("next").await, Outcome::Finished);
        let blocks: Vec<_> = model.requests()[1]
            .messages
            .iter()
            .flat_map(|m| m.content.clone())
            .collect();
        assert!(
            blocks.ends_with(&expected),
            "{blocks:#?} does not end with {expected:#?}"
        );
    }
}

#[tokio::test]
async fn a_turn_that_is_cancelled_before_it_starts_asks_nobody() {
    let model = Scripted::new([]);
    let mut bench = Bench::new(model.clone(), []);
    bench.control.cancel.cancel();
    assert_eq!(bench.ask("go").await, Outcome::Cancelled);
    assert_eq!(bench.told().len(), 2);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn an_empty_prompt_asks_nobody() {
    let model = Scripted::new([]);
    let mut bench = Bench::new(model.clone(), []);
    assert!(matches!(bench.ask(" \n").await, Outcome::Failed(message) if message.contains("write a prompt")));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_conversation_that_the_model_can_not_read_any_more_is_shortened_and_goes_on() {
    let long = "x".repeat(5_000);
    let full = [
        answer([stop(StopReason::ContextFull)]),
        // An endpoint that refuses the request says the same.
        vec![Step::TooLong],
    ];
    for full in full {
        let model = Scripted::new([
            answer([text(&long), stop(StopReason::EndTurn)]),
            full,
            answer([text("a summary"), stop(StopReason::EndTurn)]),
            answer([text("done"), stop(StopReason::EndTurn)]),
        ]);
        let mut bench = Bench::new(model.clone(), []);
        bench.ask("first").await;
        assert_eq!(bench.ask("second").await, Outcome::Finished);
        let requests = model.requests();
        let asked = format!("{:?}", requests[2].messages);
        assert!(
            asked.len() < 4_000 && asked.contains("[cut]") && !asked.contains("second"),
            "{asked}"
        );
        let texts = requests[3].messages[0].content.iter().map(|block| match block {
            Block::Text(text) => text.as_str(),
            other => panic!("{other:?}"),
        });
        let texts: Vec<_> = texts.collect();
        assert_eq!(texts[0], "[summary of the conversation so far]\na summary");
        assert_eq!(texts.last(), Some(&"second"), "the person's words stay as they are");
        let told = bench.told().join("\n");
        assert!(told.contains("note the conversation was long"), "{told}");
    }

    // Where the message itself is too long, or no summary helps, it says so.
    let model = Scripted::new([vec![Step::TooLong]]);
    let outcome = format!("{:?}", Bench::new(model, []).ask("x").await);
    assert!(
        outcome.contains("begin a new one with /clear") && outcome.contains("200001 tokens > 200000"),
        "{outcome}"
    );
    let model = Scripted::new([
        answer([text("one"), stop(StopReason::EndTurn)]),
        vec![Step::TooLong],
        answer([text("a summary"), stop(StopReason::EndTurn)]),
        vec![Step::TooLong],
    ]);
    let mut bench = Bench::new(model, []);
    bench.ask("first").await;
    let outcome = bench.ask("second").await;
    assert!(
        matches!(&outcome, Outcome::Limited(why) if why.contains("/clear")),
        "{outcome:?}"
    );
}
