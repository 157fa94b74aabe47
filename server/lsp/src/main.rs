//! `skills-ls`: the language server and its command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A server runs this program again for each command of an agent.
    skills_agent::process::sandbox::enter().unwrap_or_else(skills_ls::cli::run)
}
