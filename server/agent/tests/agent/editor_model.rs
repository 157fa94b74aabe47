//! A model that the editor lends: what it is asked, and what its parts mean.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::json;
use skills_agent::model::editor::{Editor, LanguageModel, LentRequest, Part};
use skills_agent::model::{Block, Message, ModelError, Role, ToolSpec, ToolUse};

use crate::endpoint::{request, told};

/// An editor that answers with what a test wrote down, and keeps what it was asked.
struct Lender {
    parts: Vec<Result<Part, ModelError>>,
    asked: Mutex<Vec<LentRequest>>,
}

impl LanguageModel for Lender {
    fn ask(&self, request: LentRequest) -> BoxStream<'static, Result<Part, ModelError>> {
        self.asked.lock().unwrap().push(request);
        stream::iter(self.parts.clone()).boxed()
    }
}

fn lender(parts: impl IntoIterator<Item = Result<Part, ModelError>>) -> Arc<Lender> {
    Arc::new(Lender {
        parts: parts.into_iter().collect(),
        asked: Mutex::default(),
    })
}

fn text(text: &str) -> Result<Part, ModelError> {
    Ok(Part::Text { text: text.into() })
}

fn call(id: &str, input: serde_json::Value) -> Result<Part, ModelError> {
    Ok(Part::ToolCall {
        call_id: id.into(),
        name: "echo".into(),
        input,
    })
}

#[tokio::test]
async fn parts_become_an_answer() {
    let failure = Err(ModelError::new("the person did not consent"));
    let cases = [
        (vec![], vec!["EndTurn 0 0"]),
        (
            vec![text("he"), text("llo"), Ok(Part::Unknown)],
            vec!["delta he", "delta llo", "text hello", "EndTurn 0 0"],
        ),
        (
            vec![
                text("so"),
                call("a", json!({"x": 1})),
                call("b", json!(null)),
                call("c", json!([1])),
            ],
            vec![
                "delta so",
                "text so",
                "ToolStarted { name: \"echo\" }",
                "Block(ToolUse(ToolUse { id: \"a\", name: \"echo\", input: Ok(Object {\"x\": Number(1)}) }))",
                "ToolStarted { name: \"echo\" }",
                "Block(ToolUse(ToolUse { id: \"b\", name: \"echo\", input: Ok(Object {}) }))",
                "ToolStarted { name: \"echo\" }",
                "Block(ToolUse(ToolUse { id: \"c\", name: \"echo\", input: Err(\"[1]\") }))",
                "ToolUse 0 0",
            ],
        ),
        (
            vec![text("half"), failure, text("never")],
            vec!["delta half", "error: the person did not consent"],
        ),
    ];
    for (parts, expected) in cases {
        assert_eq!(told(&Editor::new(lender(parts), None), request()).await, expected);
    }
    let flood = (0..33).map(|_| text(&"x".repeat(1 << 20)));
    let told = told(&Editor::new(lender(flood), None), request()).await;
    assert_eq!(told.len(), 33);
    assert!(told[32].contains("answered with more than 32 MiB"));
}

#[tokio::test]
async fn a_request_holds_what_such_models_know() {
    let lender = lender([]);
    let mut request = request();
    request.system = "You help.".into();
    request.tools = vec![ToolSpec {
        name: "echo",
        description: "d",
        input_schema: json!({"type": "object"}),
    }];
    request.messages.push(Message {
        role: Role::Assistant,
        content: vec![
            Block::RedactedThinking { data: "x".into() },
            Block::ToolUse(ToolUse {
                id: "a".into(),
                name: "echo".into(),
                input: Ok(json!({"x": 1})),
            }),
        ],
    });
    request.messages.push(Message {
        role: Role::User,
        content: vec![Block::ToolResult {
            id: "a".into(),
            content: "out".into(),
            is_error: true,
        }],
    });
    told(&Editor::new(lender.clone(), Some("gpt-5".into())), request).await;
    let asked = lender.asked.lock().unwrap().remove(0);
    assert_eq!(
        serde_json::to_value(asked).unwrap(),
        json!({
            "model": "gpt-5",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "You help."}, {"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [
                    {"type": "tool_call", "callId": "a", "name": "echo", "input": {"x": 1}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "callId": "a", "content": "out", "isError": true}]},
            ],
            "tools": [{"name": "echo", "description": "d", "inputSchema": {"type": "object"}}],
            "toolMode": "auto",
        })
    );
}
