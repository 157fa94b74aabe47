//! What the built program and its parts promise. One program, because linking a dozen takes longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod agents;
mod attach;
mod check_formats;
mod command_line;
mod demo_picture;
mod listen;
mod place;
mod process;
mod protocol_document;
mod pump;
mod readers;
mod recording;
mod run;
mod sessions;

/// The fuzz target builds, and starts from something true.
#[path = "../../fuzz/src/lib.rs"]
mod target;
