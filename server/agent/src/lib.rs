//! What an agent's turn is: a conversation with a model whose tools read the editor's buffers and whose
//! edits go through a [`host::Host`].
//!
//! The crate has effects (files, network) and knows no editor: no type of the protocol crosses its border,
//! and it writes no file of the workspace by itself.

pub mod catalog;
pub mod changes;
pub mod event;
pub mod host;
pub mod model;
pub mod permission;
pub mod render;
pub mod session;
pub mod tools;
pub mod transcript;
pub mod turn;
pub mod workspace;
