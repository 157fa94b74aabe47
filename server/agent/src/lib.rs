//! What an agent's turn is: a conversation with a model whose tools read the editor's buffers and whose
//! edits go through a [`host::Host`].
//!
//! The crate has effects (files, network) and knows no editor: no type of the protocol crosses its border,
//! and it writes no file of the workspace by itself.
//!
//! A [`session::Session`] runs one [`turn`] at a time. A turn sends the conversation to a [`model`], runs the [`tools`] that
//! the answer calls, and goes on until there are none; whatever happens is an [`event`], of which clients are told and the
//! [`transcript`] is made. A tool finds its files by the [`workspace`], asks the [`permission`] rules, reads the open
//! buffers and writes an intent to the host, which locates it in the text of that moment; the result is recorded in
//! [`changes`], so that it can be taken back. [`catalog`] finds the skills and says which a file activates,
//! [`activation`] which a message does and what the model learns of them; [`render`] makes a skill's text into a prompt.
//!
//! CONTRIBUTING.md says where a change goes.

pub mod activation;
pub mod catalog;
pub mod changes;
pub mod conversation;
mod difference;
pub mod digest;
pub mod event;
pub mod hooks;
pub mod host;
pub mod model;
mod network;
pub mod permission;
pub mod process;
mod record;
pub mod redaction;
pub mod render;
pub mod session;
mod tool_names;
pub mod tools;
pub mod transcript;
pub mod turn;
pub mod workspace;
