//! A conversation that is about to fill what the model can read is replaced by a summary of it.

use futures_util::StreamExt;

use super::{Conversation, Running, SYSTEM};
use crate::event::{EventKind, Outcome};
use crate::model::{Block, Message, ModelEvent, Request, Role};

/// How full a context may be before it is compacted, in percent.
const FULL: u64 = 80;
/// The most of one skill that is attached again, in bytes: 5,000 tokens of four bytes, as Claude Code 2.1 documents.
const SKILL_BYTES: usize = 20_000;
/// The most of all skills together, in bytes: 25,000 tokens, as Claude Code 2.1 documents.
const SKILLS_BYTES: usize = 100_000;
/// The most tokens of a summary.
const SUMMARY_TOKENS: u32 = 8_000;

const ASK: &str = "Summarise this conversation for yourself: it is replaced by what you write now. Say what the person \
                   wants, what was decided and why, which files were read and changed, what was found out, and what is \
                   still to do. Call no tool.";

impl Running<'_> {
    /// Compacts the conversation where its last answer filled most of what the model can read.
    pub(super) async fn compact_if_full(&mut self, conversation: &mut Conversation) -> Result<(), Outcome> {
        let is_full = |window: u64| self.filled.saturating_mul(100) > window.saturating_mul(FULL);
        if self.engine.limits.context_tokens.is_some_and(is_full) {
            self.compact(conversation).await?;
        }
        Ok(())
    }

    /// Replaces the conversation by the model's summary of it and by the skills that were invoked, and says so.
    async fn compact(&mut self, conversation: &mut Conversation) -> Result<(), Outcome> {
        let mut messages = conversation.messages().to_vec();
        let ask = Block::Text(ASK.to_owned());
        match messages.last_mut() {
            Some(last) if last.role == Role::User => last.content.push(ask),
            _ => messages.push(Message {
                role: Role::User,
                content: vec![ask],
            }),
        }
        let mut events = self.engine.model.stream(Request {
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
                Some(Ok(ModelEvent::Retrying { .. })) => summary.clear(),
                Some(Ok(ModelEvent::Stop { usage, .. })) => {
                    self.usage += usage;
                    break;
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Outcome::Failed(error.message)),
                None => break,
            }
        }
        if summary.trim().is_empty() {
            // Without a summary nothing is taken away; the model itself says where it is full.
            self.emit(EventKind::Note(
                "the conversation is long, and the model gave no summary of it".into(),
            ));
            return Ok(());
        }
        let mut content = vec![Block::Text(format!("[summary of the conversation so far]\n{summary}"))];
        content.extend(skills(conversation.messages()).into_iter().map(Block::Text));
        content.push(Block::Text("Go on from here.".to_owned()));
        conversation.replace(vec![Message {
            role: Role::User,
            content,
        }]);
        self.filled = 0;
        self.emit(EventKind::Note(
            "the conversation was long: from here on the model has a summary of it and the skills that were invoked"
                .into(),
        ));
        Ok(())
    }
}

/// The skills that were invoked, the newest first, each once and cut.
fn skills(messages: &[Message]) -> Vec<String> {
    let said = messages.iter().rev().filter(|message| message.role == Role::User);
    let texts = said.flat_map(|message| message.content.iter().rev());
    let mut kept: Vec<String> = Vec::new();
    let mut bytes = 0;
    for block in texts {
        let Block::Text(text) = block else { continue };
        let Some(tag) = text.strip_prefix('<').and_then(|text| text.split([' ', '>']).next()) else {
            continue;
        };
        if !tag.starts_with("skill-") || kept.iter().any(|kept| kept.starts_with(&format!("<{tag}"))) {
            continue;
        }
        let mut text = text.clone();
        if text.len() > SKILL_BYTES {
            let end = (0..=SKILL_BYTES).rev().find(|end| text.is_char_boundary(*end));
            text.truncate(end.unwrap_or_default());
            text.push_str(&format!("\n[cut]\n</{tag}>"));
        }
        bytes += text.len();
        if bytes > SKILLS_BYTES {
            break;
        }
        kept.push(text);
    }
    kept
}
