//! What a turn promises, through the crate's public surface.

// Helpers outside of test functions may panic too: that is how a test fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod anthropic;
mod endpoint;
mod fakes;
mod sessions;
mod turns;
mod wire;
