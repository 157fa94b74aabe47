//! `skills-ls readers`: what each system makes of a skill.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use skills_agent::workspace::slashed;
use skills_schema::dialect::Dialect;
use skills_schema::verdict;

use super::{output, render};
use crate::analysis::Analysis;
use crate::printable::printable;

/// Which skill.
#[derive(Debug, Args)]
pub struct Options {
    /// The name of a skill, or the path of its folder or file.
    skill: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Prints a line for each system; those that read the skill's folder have a mark.
pub fn run(options: &Options) -> Result<ExitCode> {
    let path = render::find(&options.skill, &output::current_folder())?;
    let bytes = std::fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let shown = slashed(&path);
    let analysis = Analysis::of_bytes(&bytes, &shown, None);
    let facts = analysis.facts();
    let verdicts = verdict::verdicts_of(Dialect::ALL, &analysis.file, &facts);
    if options.json {
        let places = output::Places::of(&analysis.file.text);
        let readers: Vec<Value> = verdicts
            .iter()
            .map(|verdict| {
                json!({
                    "reader": verdict.dialect.name(),
                    "title": verdict.dialect.title(),
                    "recorded": verdict.dialect.reader().recorded,
                    "readsPlace": facts.is_read_by(verdict.dialect),
                    "outcome": verdict.outcome(),
                    "loads": verdict.loads,
                    "listed": verdict.listed,
                    "metadata": verdict.metadata,
                    "name": verdict.name,
                    "description": verdict.description,
                    "command": verdict.command(),
                    "listing": verdict.listing(&shown),
                    "reason": verdict.reason,
                    "range": verdict.range.map(|range| places.range(range)),
                })
            })
            .collect();
        output::json(&json!({"path": shown, "readers": readers}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    writeln!(
        out,
        "{}. `*` reads skills of this folder.\n",
        verdict::summary(&verdicts, &facts)
    )?;
    for verdict in &verdicts {
        let mark = if facts.is_read_by(verdict.dialect) { '*' } else { ' ' };
        let command = verdict.command().unwrap_or_default();
        let line = format!(
            "{mark} {:<12} {:<31} {:<24}",
            verdict.dialect.name(),
            verdict.outcome(),
            printable(&command)
        );
        let reason = verdict.reason.as_deref().unwrap_or_default();
        let reason: Vec<&str> = reason.split_whitespace().collect();
        let line = format!("{line} {}", printable(&reason.join(" ")));
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
