//! The seam to language models: a request in, a stream of events out. One file a wire.

pub mod anthropic;
pub mod choice;
pub mod config;
pub mod editor;
pub mod key;
pub mod openai_chat;
pub mod openai_responses;
pub mod remote;
pub mod replay;
pub mod sse;
pub mod wire;
pub mod wires;

mod base_url;
mod effort;
mod http;
mod listing;
mod price;
mod refusal;
mod retry;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde_json::{Map, Value};

pub use choice::Choice;
pub use config::ModelSettings;
pub use effort::Effort;
pub use listing::ModelInfo;
pub use price::{Price, Prices};
pub use retry::Patience;

/// A model behind some wire.
pub trait Model: Send + Sync {
    /// What the person sees, such as `anthropic claude-sonnet-4-5` or `replay (recorded, no model)`.
    fn label(&self) -> String;

    /// What the person must do before it can answer, where that is known without asking it: such as to set a key.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Starts a response. Dropping the stream closes the connection.
    ///
    /// Events come in the order of the wire; after `Err` nothing more comes.
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>>;

    /// The models that are there beside this one. Fails where nothing can list them.
    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelInfo>, ModelError>> {
        let label = self.label();
        let refusal = ModelError::new(format!("{label} has no list of models: set model.name by hand"));
        std::future::ready(Err(refusal)).boxed()
    }
}

/// One request: the whole conversation, because wires keep no state.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The system text; stable over a session so that the wire can cache it.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools offered, sorted by name; stable over a session.
    pub tools: Vec<ToolSpec>,
    /// The most tokens of an answer.
    pub max_tokens: u32,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person, the workspace, and tool results.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
}

/// A part of a message. What a wire sent is kept whole and sent back unchanged.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Plain text.
    Text(String),
    /// Thinking, with the signature that the wire wants back.
    Thinking {
        /// The visible thinking; may be empty.
        text: String,
        /// The signature as received.
        signature: String,
    },
    /// Thinking that only the provider can read.
    RedactedThinking {
        /// The data as received.
        data: String,
    },
    /// Reasoning of the other wires, which goes back to where it came from and nowhere else.
    Reasoning {
        /// The provider that it came from, as `model.provider` names it.
        provider: String,
        /// As received.
        item: Value,
    },
    /// A call of a tool.
    ToolUse(ToolUse),
    /// The result of a call.
    ToolResult {
        /// The call's identifier.
        id: String,
        /// The text that the model reads.
        content: String,
        /// Whether the call failed.
        is_error: bool,
    },
}

/// A call as the model asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The call's identifier.
    pub id: String,
    /// The tool's name; may be one that does not exist.
    pub name: String,
    /// The arguments, or the text that was no JSON.
    pub input: Result<Value, String>,
}

impl ToolUse {
    /// Reads arguments as a wire sends them, in a text. None at all are an empty object.
    pub(crate) fn read_arguments(text: String) -> Result<Value, String> {
        if text.trim().is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        serde_json::from_str(&text).map(Value::Object).map_err(|_| text)
    }

    /// The arguments as they go back to a wire, which wants an object: a text that was none goes inside one, so that the
    /// model sees its slip.
    pub(crate) fn arguments(&self) -> Value {
        match &self.input {
            Ok(input) => input.clone(),
            Err(text) => Value::Object(Map::from_iter([("INVALID_JSON".to_owned(), text.clone().into())])),
        }
    }
}

/// A tool as a model is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// One event of a response.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More text, to be shown at once.
    TextDelta(String),
    /// More thinking, to be shown at once.
    ThinkingDelta(String),
    /// A tool call begins; its arguments are still to come.
    ToolStarted {
        /// The tool's name.
        name: String,
    },
    /// A block is complete: what goes into the conversation.
    Block(Block),
    /// The connection failed and is tried again; what was shown of this response is void.
    Retrying {
        /// Why, and in how long.
        reason: String,
    },
    /// The response ended.
    Stop {
        /// Why.
        reason: StopReason,
        /// What it cost.
        usage: Usage,
    },
}

/// Why a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The answer was cut: an unfinished call is never run.
    MaxTokens,
    /// The conversation fills what the model can read: the answer was cut, an unfinished call is never run.
    ContextFull,
    /// The wire pauses a long turn: send the conversation back unchanged.
    Pause,
    /// The model declined.
    Refusal,
    /// Something newer than this program.
    Other(String),
}

/// Tokens of one or several responses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read, without those from a cache.
    pub input: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens answered.
    pub output: u64,
}

impl ModelError {
    /// A failure that a shorter conversation does not mend.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_too_long: false,
        }
    }
}

impl Usage {
    /// All tokens, from wherever they came.
    pub fn total(&self) -> u64 {
        self.input + self.cache_write + self.cache_read + self.output
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cache_write += other.cache_write;
        self.cache_read += other.cache_read;
        self.output += other.output;
    }
}

/// Why a response failed. Each message names the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What happened and what to do.
    pub message: String,
    /// Whether the conversation is more than the model can read: a shorter one would go through.
    pub is_too_long: bool,
}
