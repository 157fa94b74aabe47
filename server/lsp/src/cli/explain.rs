//! `skills-ls explain`: what a rule finds, and why.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use skills_schema::rules::{self, RULES};

use super::output;

/// Which rule.
#[derive(Debug, Args)]
pub struct Options {
    /// The rule's code, such as unquoted-colon; without it, all rules are listed.
    code: Option<String>,
}

/// Prints the rule's page, or the list of all rules.
pub fn run(options: &Options) -> Result<ExitCode> {
    let mut out = output::stdout();
    match &options.code {
        None => {
            let width = RULES.iter().map(|rule| rule.code().len()).max().unwrap_or_default();
            for rule in RULES {
                writeln!(out, "{:<width$}  {}", rule.code(), rule.summary())?;
            }
        }
        Some(code) => match rules::find(code) {
            Some(rule) => write!(out, "{}", rule.documentation())?,
            None => bail!("there is no rule {code:?}; `skills-ls explain` lists all"),
        },
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
