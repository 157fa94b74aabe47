//! Starts commands for this crate's tests, as `skills-ls` does for itself.

use std::process::ExitCode;

fn main() -> ExitCode {
    skills_agent::process::sandbox::enter().unwrap_or(ExitCode::FAILURE)
}
