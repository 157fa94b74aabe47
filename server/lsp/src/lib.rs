//! The language server: everything that speaks the protocol, or to a terminal.
//!
//! A message comes in through [`framing`] and [`pump`], reaches a handler of [`server`], and touches [`state`] once.
//! What it asks for is answered by [`requests`] from a snapshot; what it tells changes the state in [`notifications`],
//! and what follows from that is done by [`effects`]; [`discovery`] keeps the catalog of skills true. [`commands`] start
//! [`turns`], whose edits go through [`edits`].
//! The [command line](cli) uses the same parts without a client.
//!
//! Three things hold everywhere:
//!
//! - **One state, short locks.** [`state::State`] is behind one mutex. A handler takes it before its first `.await`, changes
//!   it or takes a [`state::Snapshot`], and lets go. As [`pump`] polls each handler once before it reads on, messages take
//!   effect in their order.
//! - **No handler waits for the client.** Only a turn does, in a task of its own.
//! - **Two languages, one border.** Only [`from_proto`] and [`to_proto`] translate between the protocol's types and the
//!   other crates'; positions become byte offsets there, by [`position`].
//!
//! CONTRIBUTING.md says where a change goes. Features that many editors share belong to `skills-schema`, in byte ranges;
//! here they are translated.

pub mod analysis;
pub mod attached;
pub mod authority;
pub mod capabilities;
pub mod checks;
pub mod cli;
pub mod commands;
pub mod discovery;
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
mod paths;
pub mod position;
mod printable;
pub mod protocol;
pub mod pump;
pub mod refusal;
pub mod requests;
pub mod review;
pub mod server;
pub mod settings;
mod showing;
mod sources;
pub mod state;
pub mod surroundings;
pub mod to_proto;
pub mod turns;
pub mod unreviewed;
mod uri;
pub mod watching;
