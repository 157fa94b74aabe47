//! A conversation that is about to fill what the model can read is replaced by a summary of it.

use futures_util::StreamExt;
use serde_json::json;

use super::{Conversation, Running, SYSTEM};
use crate::activation::known::{self, INSTRUCTIONS, Known};
use crate::event::{EventKind, Outcome};
use crate::model::{Block, Message, ModelEvent, Request, Role, StopReason};

/// How full a context may be before it is compacted, in percent.
const FULL: u64 = 80;
/// The most of one text that is attached again, in bytes: 5,000 tokens of four bytes, as Claude Code 2.1 documents.
const TEXT_BYTES: usize = 20_000;
/// The most of all texts together, in bytes: 25,000 tokens, as Claude Code 2.1 documents.
const TEXTS_BYTES: usize = 100_000;
/// The most of one text and of one result that a shortened conversation keeps for its summary, in bytes.
const KEPT: usize = 2_000;
/// The most tokens of a summary.
const SUMMARY_TOKENS: u32 = 8_000;

const ASK: &str = "Summarise this conversation for yourself: it is replaced by what you write now. Say what the person \
                   wants, what was decided and why, which files were read and changed, what was found out, and what is \
                   still to do. Call no tool.";

/// How much of a conversation its summary is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// All of it.
    Whole,
    /// Its texts and results cut, because the model can't read the whole.
    Shortened,
}

impl Running<'_> {
    /// Compacts the conversation where its last answer filled most of what the model can read.
    pub(super) async fn compact_if_full(&mut self, conversation: &mut Conversation) -> Result<(), Outcome> {
        let is_full = |window: u64| self.filled.saturating_mul(100) > window.saturating_mul(FULL);
        if self.answering.context_tokens().is_some_and(is_full) {
            self.compact(conversation, Length::Whole).await?;
        }
        Ok(())
    }

    /// Replaces the conversation by the model's summary of it and by the instructions and skills in it, and says so.
    pub(super) async fn compact(&mut self, conversation: &mut Conversation, length: Length) -> Result<(), Outcome> {
        conversation.answer_open_calls("not run: the conversation was too long");
        let trigger = json!({"trigger": "auto"});
        let said = self.hook("PreCompact", &["auto"], trigger.clone()).await;
        if let Some(why) = said.stopped {
            return Err(Outcome::Failed(why));
        }
        let mut messages = conversation.messages().to_vec();
        if length == Length::Shortened {
            messages
                .iter_mut()
                .flat_map(|message| &mut message.content)
                .for_each(shorten);
        }
        let ask = Block::Text(ASK.to_owned());
        match messages.last_mut() {
            Some(last) if last.role == Role::User => last.content.push(ask),
            _ => messages.push(Message {
                role: Role::User,
                content: vec![ask],
            }),
        }
        let mut events = self.answering.model().stream(Request {
            system: SYSTEM.to_owned(),
            messages,
            tools: self.tools.iter().map(|(spec, _)| spec.clone()).collect(),
            max_tokens: SUMMARY_TOKENS,
        });
        let mut summary = String::new();
        loop {
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(Outcome::Cancelled),
                event = events.next() => event,
            };
            match event {
                Some(Ok(ModelEvent::Block(Block::Text(text)))) => summary.push_str(&text),
                Some(Ok(ModelEvent::Retrying { reason })) => {
                    self.emit(EventKind::Note(reason));
                    summary.clear();
                }
                Some(Ok(ModelEvent::Stop { usage, reason })) => {
                    self.spend(usage);
                    if reason == StopReason::ContextFull {
                        summary.clear();
                    }
                    break;
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Outcome::Failed(error.message)),
                None => break,
            }
        }
        if summary.trim().is_empty() {
            // Without a summary nothing is taken away; the model itself says where it is full.
            if length == Length::Shortened {
                return Err(Outcome::Limited(
                    "the conversation fills what the model can read, and the model gave no summary of it; begin a new \
                     one with /clear"
                        .into(),
                ));
            }
            self.emit(EventKind::Note(
                "the conversation is long, and the model gave no summary of it".into(),
            ));
            return Ok(());
        }
        let mut content = vec![Block::Text(format!("[summary of the conversation so far]\n{summary}"))];
        content.extend(standing(conversation.messages()).into_iter().map(Block::Text));
        content.push(Block::Text("Go on from here.".to_owned()));
        conversation.replace(vec![Message {
            role: Role::User,
            content,
        }]);
        self.follow(conversation);
        self.filled = 0;
        self.hook("PostCompact", &["auto"], trigger).await;
        self.emit(EventKind::Note(
            "the conversation was long: from here on the model has a summary of it, and the instructions and skills in it"
                .into(),
        ));
        Ok(())
    }
}

/// Leaves the beginning of a text or a result. Calls and thinking stay as they are: their wires want them whole.
fn shorten(block: &mut Block) {
    if let Block::Text(text) | Block::ToolResult { content: text, .. } = block
        && cut(text, KEPT)
    {
        text.push_str("\n[cut]");
    }
}

/// Leaves the first bytes of a text; tells whether there were more.
fn cut(text: &mut String, bytes: usize) -> bool {
    let is_longer = text.len() > bytes;
    if is_longer {
        text.truncate(text.floor_char_boundary(bytes));
    }
    is_longer
}

/// The instructions that the conversation holds and then its skills, each with why it is there; of both the newest first,
/// cut.
fn standing(messages: &[Message]) -> Vec<String> {
    let mut known = known::known(messages);
    known.reverse();
    known.sort_by_key(|known| known.kind != INSTRUCTIONS);
    let mut bytes = 0;
    let mut kept = Vec::new();
    for Known { mut block, reason, .. } in known {
        let close = block.rfind("\n</").map(|at| block[at..].to_owned()).unwrap_or_default();
        if cut(&mut block, TEXT_BYTES) {
            block.push_str("\n[cut]");
            block.push_str(&close);
        }
        bytes += block.len();
        if bytes > TEXTS_BYTES {
            break;
        }
        kept.extend([block, reason].into_iter().filter(|text| !text.is_empty()));
    }
    kept
}
