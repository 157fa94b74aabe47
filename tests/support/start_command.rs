//! Starts commands for the tests' servers in memory, as `skills-ls` does for itself.

use std::process::ExitCode;

fn main() -> ExitCode {
    skills_agent::process::sandbox::enter().unwrap_or(ExitCode::FAILURE)
}
