//! What the tools promise a model and a person, on real folders and with hostile paths.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod asking;
mod commands;
mod host;
mod meanwhile;
mod permission;
mod reading;
mod records;
mod rules;
mod running;
mod sandbox;
mod searching;
mod skills;
mod workspace;
mod writing;
