//! `skills-ls`: the language server and its command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    skills_ls::cli::run()
}
