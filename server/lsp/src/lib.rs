//! The language server: everything that speaks the protocol, or to a terminal.
//!
//! A message comes in through [`framing`] and [`pump`], reaches a handler of [`server`], and touches [`state`] once.
//! What it asks for is answered by [`requests`] from a snapshot; what it tells changes the state in [`notifications`],
//! and what follows from that is done by [`effects`]. [`commands`] start [`turns`], whose edits go through [`edits`].

pub mod analysis;
pub mod capabilities;
pub mod cli;
pub mod commands;
pub mod document;
pub mod edits;
pub mod effects;
pub mod environment;
pub mod framing;
pub mod from_proto;
pub mod headless;
pub mod notifications;
mod outgoing;
pub mod parent;
pub mod position;
mod printable;
pub mod protocol;
pub mod pump;
pub mod requests;
pub mod server;
pub mod settings;
pub mod state;
pub mod to_proto;
pub mod turns;
mod uri;
