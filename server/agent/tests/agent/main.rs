//! What a turn promises, through the crate's public surface.

// Helpers outside of test functions may panic too: that is how a test fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answering;
mod anthropic;
mod configuration;
mod editor_model;
mod endpoint;
mod fakes;
mod forks;
mod guarding;
mod hooks;
mod knowledge;
mod openai_chat;
mod openai_responses;
mod sessions;
mod skills;
mod turns;
mod wire;
