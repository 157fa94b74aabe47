//! `skills-ls explain`: what a rule finds, and why; what a field is.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use skills_schema::fields::{self, Field};
use skills_schema::rules::{self, RULES};

use super::output;

/// Which rule or field.
#[derive(Debug, Args)]
pub struct Options {
    /// A rule's code, such as unquoted-colon, or a field, such as allowed-tools or trigger.keywords; without it, all
    /// rules are listed.
    code: Option<String>,
}

/// Prints the page of a rule or a field, or the list of all rules.
pub fn run(options: &Options) -> Result<ExitCode> {
    let mut out = output::stdout();
    match &options.code {
        None => {
            let width = RULES.iter().map(|rule| rule.code.len()).max().unwrap_or_default();
            for rule in RULES {
                writeln!(out, "{:<width$}  {}", rule.code, rule.summary)?;
            }
        }
        Some(code) => match (rules::find(code), Field::at_path(code.split('.'))) {
            (Some(rule), _) => write!(out, "{}", rule.documentation)?,
            (None, Some(field)) => write!(out, "# {code}\n\n{}", fields::page_of(field, code))?,
            (None, None) => bail!("there is no rule and no field {code:?}; `skills-ls explain` lists all rules"),
        },
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
