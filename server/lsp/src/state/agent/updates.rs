//! What happened in a turn as updates for clients.

use skills_agent::conversation::entry::{Entry, Happened, Record};

use crate::protocol::session::ContentBlock;
use crate::protocol::update::{
    ChangedFile, Ended, Meta, StateUpdate, StopReason, ToolCallUpdate, ToolContent, ToolMeta, ToolStatus, TurnState,
    Update,
};

/// The updates of one event; `message` numbers what the model says between two calls of tools.
pub fn of(turn: &str, happened: &Happened, message: &mut u64) -> Vec<Update> {
    let said = |id: &str, said: &str| Update::UserMessage {
        message_id: format!("{turn}-{id}"),
        content: vec![text(said)],
    };
    match happened {
        Happened::Started { prompt, .. } => vec![
            said("prompt", prompt),
            Update::StateUpdate(StateUpdate {
                state: TurnState::Running,
                stop_reason: None,
                meta: None,
            }),
        ],
        Happened::Text { text: said } => vec![Update::AgentMessageChunk {
            message_id: format!("{turn}-{message}"),
            content: text(said),
        }],
        Happened::Steered { text } => {
            *message += 1;
            vec![said(&format!("{message}-steering"), text)]
        }
        Happened::ToolStarted {
            call,
            name,
            summary,
            arguments,
        } => {
            *message += 1;
            vec![Update::ToolCallUpdate(ToolCallUpdate {
                tool_call_id: call.clone(),
                title: Some(summary.clone()),
                name: Some(name.clone()),
                status: Some(ToolStatus::InProgress),
                raw_input: Some(arguments.clone()),
                ..ToolCallUpdate::default()
            })]
        }
        Happened::ToolFinished {
            call,
            ok,
            summary,
            output,
            truncated,
            milliseconds,
        } => vec![Update::ToolCallUpdate(ToolCallUpdate {
            tool_call_id: call.clone(),
            status: Some(if *ok { ToolStatus::Completed } else { ToolStatus::Failed }),
            content: vec![ToolContent::Content { content: text(summary) }],
            raw_output: Some(output.clone()),
            meta: Some(Meta {
                skills: ToolMeta {
                    change_id: None,
                    milliseconds: Some(*milliseconds),
                    truncated: Some(*truncated),
                },
            }),
            ..ToolCallUpdate::default()
        })],
        Happened::Changed {
            call,
            change,
            path,
            operation,
        } => vec![Update::ToolCallUpdate(ToolCallUpdate {
            tool_call_id: call.clone(),
            content: vec![ToolContent::Diff {
                changes: vec![ChangedFile {
                    operation: operation.clone(),
                    path: path.clone(),
                }],
            }],
            meta: Some(Meta {
                skills: ToolMeta {
                    change_id: Some(*change),
                    ..ToolMeta::default()
                },
            }),
            ..ToolCallUpdate::default()
        })],
        Happened::Note { text } => vec![Update::note(text)],
        Happened::Ended {
            outcome,
            message,
            input_tokens,
            output_tokens,
            cost,
        } => vec![Update::StateUpdate(StateUpdate {
            state: TurnState::Idle,
            stop_reason: Some(match outcome.as_str() {
                "finished" => StopReason::EndTurn,
                "cancelled" => StopReason::Cancelled,
                "limited" => StopReason::MaxTurnRequests,
                _ => StopReason::Failed,
            }),
            meta: Some(Meta {
                skills: Ended {
                    message: message.clone(),
                    input_tokens: *input_tokens,
                    output_tokens: *output_tokens,
                    cost: *cost,
                },
            }),
        })],
        Happened::Unknown => Vec::new(),
    }
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text { text: text.to_owned() }
}

/// The updates of a log, each with its turn.
pub fn of_records(records: &[Record]) -> Vec<(String, Update)> {
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
