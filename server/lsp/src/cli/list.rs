//! `skills-ls list`: the skills that are found here, and which of them a file activates.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use skills_agent::catalog::{Catalog, Discovery, Listed};

use super::output;
use crate::document::resolved;
use crate::environment::Environment;
use crate::printable::printable;

/// What to list.
#[derive(Debug, Args)]
pub struct Options {
    /// Tell which skills this file activates; it need not exist.
    #[arg(long = "for", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tell why each skill is active, or why not.
    #[arg(long)]
    why: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists them.
pub fn run(options: &Options) -> Result<ExitCode> {
    let here = std::env::current_dir()
        .context("the current folder can't be read")?
        .canonicalize()?;
    let file = options.file.as_ref().map(|file| resolved(&here.join(file)));
    let discovery = Discovery {
        folders: vec![here],
        home: Environment::of_process().home,
        follow_outside: false,
        open: BTreeMap::new(),
    };
    let catalog = discovery.run();
    let listed = catalog.list(file.as_deref());
    if options.json {
        output::json(&report(&catalog, &listed))?;
    } else {
        print(&catalog, &listed, options.why)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a file activates the skill, in a word.
fn state(listed: &Listed) -> &'static str {
    if listed.why.is_empty() {
        listed.skill.state.name()
    } else {
        "active"
    }
}

fn report(catalog: &Catalog, listed: &[Listed]) -> Value {
    let skills = listed.iter().map(|listed| {
        let skill = &listed.skill;
        let why = listed.why.iter().map(|why| {
            json!({
                "kind": why.kind.name(),
                "text": why.text,
                "matched": why.matched,
                "range": output::range(&skill.text, why.range),
            })
        });
        json!({
            "name": skill.name,
            "path": skill.path.as_deref().map(Path::to_string_lossy),
            "description": skill.description,
            "dialect": skill.dialect.name(),
            "source": skill.source.name(),
            "state": state(listed),
            "active": !listed.why.is_empty(),
            "why": why.collect::<Vec<_>>(),
            "whyNot": listed.why_not,
            "shadowedBy": skill.shadowed_by.as_deref().map(Path::to_string_lossy),
            "aliases": skill.aliases.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "errors": skill.errors,
        })
    });
    let errors = catalog
        .errors
        .iter()
        .map(|error| json!({"path": error.path.to_string_lossy(), "message": error.message}));
    json!({"skills": skills.collect::<Vec<_>>(), "errors": errors.collect::<Vec<_>>()})
}

fn print(catalog: &Catalog, listed: &[Listed], why: bool) -> Result<()> {
    let mut out = output::stdout();
    for listed in listed {
        let skill = &listed.skill;
        let path = skill
            .path
            .as_ref()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        let name = printable(&skill.name);
        writeln!(
            out,
            "{name:<24} {:<8} {:<8} {}",
            state(listed),
            skill.source.name(),
            printable(&path)
        )?;
        for error in &skill.errors {
            writeln!(out, "    {}", printable(error))?;
        }
        if !why {
            continue;
        }
        for why in &listed.why {
            let (pattern, matched) = (printable(&why.text), printable(&why.matched));
            writeln!(out, "    {} pattern {pattern} matches {matched}", why.kind.name())?;
        }
        if let Some(reason) = &listed.why_not {
            writeln!(out, "    {}", printable(reason))?;
        }
    }
    for error in &catalog.errors {
        let path = error.path.display().to_string();
        writeln!(out, "error: {}: {}", printable(&path), printable(&error.message))?;
    }
    if listed.is_empty() {
        writeln!(
            out,
            "no skills found here or in the home folder; they lie in .claude/skills and .agents/skills"
        )?;
    }
    Ok(out.flush()?)
}
