//! What was said so far, always in a form that a wire accepts, and written down as it grows.

pub mod entry;
pub mod log;
pub mod store;

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{Block, Message, Role};

use self::entry::{Entry, StoredMessage};
use self::log::Log;

/// The messages of a session, oldest first. The roles alternate, and every call of a tool has its result in the
/// message that follows, whatever ended a turn.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    messages: Vec<Message>,
    /// How many tokens it had with its last answer; 0 where that is unknown.
    pub(crate) tokens: u64,
    /// Where each change is written down.
    log: Option<Arc<Log>>,
}

impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

impl Conversation {
    /// The messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The same conversation, which writes each change down from now on.
    pub(crate) fn logged(mut self, log: Arc<Log>) -> Self {
        self.log = Some(log);
        self
    }

    /// Does again what a log says was done.
    pub(crate) fn replay(&mut self, entry: &Entry) {
        match entry {
            Entry::Message(message) => {
                let Message { role, content } = message.clone().message();
                self.join(role, content);
            }
            Entry::Rewind { messages, blocks } => self.cut(Mark {
                messages: *messages,
                blocks: *blocks,
            }),
            Entry::Replaced { messages } => {
                self.messages = messages.iter().cloned().map(StoredMessage::message).collect();
            }
            _ => {}
        }
    }

    /// Replaces all that was said.
    pub(crate) fn replace(&mut self, messages: Vec<Message>) {
        let stored = messages
            .iter()
            .map(|message| StoredMessage::of(message.role, &message.content));
        self.write(|| Entry::Replaced {
            messages: stored.collect(),
        });
        self.messages = messages;
        self.tokens = 0;
    }

    /// Adds what the person and the workspace say. After an interrupted turn it joins the message that had no answer.
    pub(crate) fn push_user(&mut self, content: Vec<Block>) {
        self.push(Role::User, content);
    }

    /// Adds a complete answer of the model and gives the calls' identifiers the uniqueness that the wire demands.
    /// A paused answer is continued in the same message.
    pub(crate) fn push_assistant(&mut self, mut content: Vec<Block>) {
        let mut known: HashSet<String> = self
            .messages
            .iter()
            .flat_map(|m| &m.content)
            .filter_map(call_id)
            .collect();
        for block in &mut content {
            if let Block::ToolUse(call) = block
                && (call.id.is_empty() || !known.insert(call.id.clone()))
            {
                call.id = (1..)
                    .map(|n| format!("call_{n}"))
                    .find(|id| !known.contains(id))
                    .unwrap_or_default();
                known.insert(call.id.clone());
            }
        }
        self.push(Role::Assistant, content);
    }

    /// Adds what remains of an answer that broke off: its text. Calls in it never ran, and unfinished thinking has no
    /// signature, so neither may go back to the wire.
    pub(crate) fn push_broken(&mut self, mut content: Vec<Block>) {
        content.retain(|block| matches!(block, Block::Text(text) if !text.trim().is_empty()));
        self.push(Role::Assistant, content);
    }

    /// Gives each call of the last message that has no result an error result. Nothing happens where there is none.
    pub(crate) fn answer_open_calls(&mut self, reason: &str) {
        let Some(Message {
            role: Role::Assistant,
            content,
        }) = self.messages.last()
        else {
            return;
        };
        let open = content.iter().filter_map(call_id);
        let results = open
            .map(|id| Block::ToolResult {
                id,
                content: reason.to_owned(),
                is_error: true,
            })
            .collect();
        self.push(Role::User, results);
    }

    /// The conversation's length, to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            messages: self.messages.len(),
            blocks: self.messages.last().map_or(0, |message| message.content.len()),
        }
    }

    /// Forgets what was said since the mark.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.write(|| Entry::Rewind {
            messages: mark.messages,
            blocks: mark.blocks,
        });
        self.cut(mark);
    }

    fn cut(&mut self, mark: Mark) {
        self.messages.truncate(mark.messages);
        if let Some(last) = self.messages.last_mut() {
            last.content.truncate(mark.blocks);
        }
    }

    fn push(&mut self, role: Role, content: Vec<Block>) {
        if !content.is_empty() {
            self.write(|| Entry::Message(StoredMessage::of(role, &content)));
        }
        self.join(role, content);
    }

    fn write(&self, entry: impl FnOnce() -> Entry) {
        if let Some(log) = &self.log {
            log.append(entry());
        }
    }

    fn join(&mut self, role: Role, content: Vec<Block>) {
        match self.messages.last_mut() {
            _ if content.is_empty() => {}
            Some(last) if last.role == role => last.content.extend(content),
            _ => self.messages.push(Message { role, content }),
        }
    }
}

/// A place in a conversation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    messages: usize,
    blocks: usize,
}

fn call_id(block: &Block) -> Option<String> {
    match block {
        Block::ToolUse(call) => Some(call.id.clone()),
        _ => None,
    }
}
