//! `skills-ls schema`: the JSON Schema of the frontmatter.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use skills_schema::dialect::Dialect;
use skills_schema::schema::json_schema;

use super::output;

/// Which schema.
#[derive(Debug, Args)]
pub struct Options {
    /// The system that reads the file, such as claude; unified takes what any reads.
    #[arg(long, default_value = "unified")]
    dialect: Dialect,
}

/// Prints it.
pub fn run(options: &Options) -> Result<ExitCode> {
    output::json(&json_schema(options.dialect))?;
    Ok(ExitCode::SUCCESS)
}
