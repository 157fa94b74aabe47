//! What happened in a turn as updates for clients, in the shapes of the Agent Client Protocol.

use serde_json::{Value, json};
use skills_agent::conversation::entry::{Entry, Happened, Record};

/// The updates of one event; `message` numbers what the model says between two calls of tools.
pub fn of(turn: &str, happened: &Happened, message: &mut u64) -> Vec<Value> {
    let said = |id: &str, kind: &str, text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        json!({"sessionUpdate": kind, "messageId": format!("{turn}-{id}"), "content": content})
    };
    match happened {
        Happened::Started { prompt, .. } => vec![
            said("prompt", "user_message", prompt),
            json!({"sessionUpdate": "state_update", "state": "running"}),
        ],
        Happened::Text { text } => vec![json!({
            "sessionUpdate": "agent_message_chunk", "messageId": format!("{turn}-{message}"),
            "content": {"type": "text", "text": text},
        })],
        Happened::Steered { text } => {
            *message += 1;
            vec![said(&format!("{message}-steering"), "user_message", text)]
        }
        Happened::ToolStarted {
            call,
            name,
            summary,
            arguments,
        } => {
            *message += 1;
            vec![json!({
                "sessionUpdate": "tool_call_update", "toolCallId": call, "title": summary, "name": name,
                "status": "in_progress", "rawInput": arguments,
            })]
        }
        Happened::ToolFinished {
            call,
            ok,
            summary,
            output,
            truncated,
            milliseconds,
        } => vec![json!({
            "sessionUpdate": "tool_call_update", "toolCallId": call,
            "status": if *ok { "completed" } else { "failed" },
            "content": [{"type": "content", "content": {"type": "text", "text": summary}}],
            "rawOutput": output,
            "_meta": {"skills": {"truncated": truncated, "milliseconds": milliseconds}},
        })],
        Happened::Changed {
            call,
            change,
            path,
            operation,
        } => vec![json!({
            "sessionUpdate": "tool_call_update", "toolCallId": call,
            "content": [{"type": "diff", "changes": [{"operation": operation, "path": path}]}],
            "_meta": {"skills": {"changeId": change}},
        })],
        Happened::Note { text } => vec![json!({"sessionUpdate": "_skills_note", "text": text})],
        Happened::Ended {
            outcome,
            message,
            input_tokens,
            output_tokens,
            cost,
        } => {
            let reason = match outcome.as_str() {
                "finished" => "end_turn",
                "cancelled" => "cancelled",
                "limited" => "max_turn_requests",
                _ => "_failed",
            };
            vec![json!({
                "sessionUpdate": "state_update", "state": "idle", "stopReason": reason,
                "_meta": {"skills": {
                    "message": message, "inputTokens": input_tokens, "outputTokens": output_tokens, "cost": cost,
                }},
            })]
        }
        Happened::Unknown => Vec::new(),
    }
}

/// The updates of a log, each with its turn.
pub fn of_records(records: &[Record]) -> Vec<(String, Value)> {
    let (mut last, mut message) = (String::new(), 0);
    let mut updates = Vec::new();
    for record in records {
        if let Entry::Turn { turn, happened } = &record.entry {
            if *turn != last {
                (last, message) = (turn.clone(), 0);
            }
            updates.extend(
                of(turn, happened, &mut message)
                    .into_iter()
                    .map(|update| (turn.clone(), update)),
            );
        }
    }
    updates
}
