//! `skills-ls list`: the skills that are found here, and which of them a file or a message activates.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use skills_agent::activation;
use skills_agent::catalog::{Catalog, Discovery, Listed, Skill, State, Why, WhyKind};
use skills_schema::TextRange;
use skills_schema::dialect::Dialect;
use skills_schema::dialect::runtime::{Named, Runtime};
use skills_schema::listing::Budget;
use skills_schema::trigger::{Decision, MatchKind};

use super::output;
use crate::document::resolved;
use crate::environment::Environment;
use crate::printable::{printable, printable_lines};

/// What to list.
#[derive(Debug, Args)]
pub struct Options {
    /// Tell which skills this file activates; it need not exist.
    #[arg(long = "for", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tell which skills this message of a person activates.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Tell why each skill is active, or why not.
    #[arg(long)]
    why: bool,
    /// Read all skills as this system does: agentskills, claude, openhands, thndrs, wolffish or unified, if wanted with
    /// @current for what its newest product does.
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Named>,
    /// Print what the model is told of the skills that it may choose, and on stderr what was cut.
    #[arg(long)]
    as_prompt: bool,
    /// How many tokens the model's context window has; the listing takes a hundredth of it.
    #[arg(long, value_name = "TOKENS", requires = "as_prompt")]
    context_window: Option<u64>,
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
    let mut listed = catalog.list(file.as_deref());
    let reader = options.dialect.map(|named| named.0);
    if options.as_prompt {
        return prompt(options, &catalog, &listed, reader.unwrap_or(Dialect::Unified.runtime()));
    }
    let message = options.message.as_deref().unwrap_or_default();
    if options.message.is_some() {
        add_message(&catalog, &mut listed, message, reader, file.is_some());
    }
    if options.json {
        output::json(&report(&catalog, &listed))?;
    } else {
        print(&catalog, &listed, options.why)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the listing.
fn prompt(options: &Options, catalog: &Catalog, listed: &[Listed], reader: &'static Runtime) -> Result<ExitCode> {
    let is_active = |skill: &Skill| {
        let same = |listed: &&Listed| std::ptr::eq(&*listed.skill, skill);
        listed.iter().find(same).is_some_and(|listed| !listed.why.is_empty())
    };
    let budget = Budget::of_window(options.context_window);
    let listing = activation::prompt(catalog, reader, budget, is_active);
    if options.json {
        output::json(&json!({
            "text": listing.text,
            "used": listing.used,
            "wanted": listing.wanted,
            "budget": listing.budget,
            "dropped": listing.dropped,
            "shortened": listing.shortened,
        }))?;
    } else {
        let mut out = output::stdout();
        writeln!(out, "{}", printable_lines(&listing.text))?;
        out.flush()?;
        if let Some(notice) = listing.notice() {
            output::note(&notice);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds what a message activates, with the skills that those need.
fn add_message(
    catalog: &Catalog,
    listed: &mut [Listed],
    message: &str,
    reader: Option<&'static Runtime>,
    has_file: bool,
) {
    let decisions = activation::by_message(catalog, message, reader, |_| false);
    let mut needed: Vec<(String, String)> = Vec::new();
    for (listed, decision) in listed.iter_mut().zip(decisions) {
        match decision {
            Decision::Active(found) => {
                listed.why.push(Why {
                    kind: match found.kind {
                        MatchKind::Always => WhyKind::Always,
                        MatchKind::Keyword => WhyKind::Keyword,
                        MatchKind::Task => WhyKind::Task,
                    },
                    text: found.text,
                    range: found.range.unwrap_or_default(),
                    matched: message[found.matched].to_owned(),
                });
                listed.why_not = None;
                let requirements = activation::requirements(catalog, &listed.skill.name);
                needed.extend(
                    requirements
                        .names
                        .into_iter()
                        .map(|name| (name, listed.skill.name.clone())),
                );
            }
            Decision::Inactive(reason) if listed.why.is_empty() && listed.skill.errors.is_empty() => {
                listed.why_not = Some(match listed.why_not.take().filter(|_| has_file) {
                    Some(file) => format!("{file}; {reason}"),
                    None => reason,
                });
            }
            Decision::Inactive(_) => {}
        }
    }
    for (name, by) in needed {
        let counts = |listed: &&mut Listed| {
            listed.skill.name == name && matches!(listed.skill.state, State::Listed | State::Hidden)
        };
        if let Some(listed) = listed.iter_mut().find(counts) {
            listed.why.push(Why {
                kind: WhyKind::RequiredBy,
                text: by,
                range: TextRange::default(),
                matched: String::new(),
            });
            listed.why_not = None;
        }
    }
}

/// Whether something activates the skill, in a word.
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

/// A skill's row: its name, its state, where it comes from, and its file.
fn columns(listed: &Listed) -> [String; 4] {
    let skill = &listed.skill;
    let path = skill.path.as_deref().map(output::path).unwrap_or_default();
    [
        printable(&skill.name),
        state(listed).to_owned(),
        skill.source.name().to_owned(),
        path,
    ]
}

/// Why a skill is active, in a sentence.
fn reason(why: &Why) -> String {
    let (kind, text, matched) = (why.kind.name(), &why.text, &why.matched);
    match why.kind {
        WhyKind::Always => "always active".to_owned(),
        WhyKind::RequiredBy => format!("required by {text}"),
        WhyKind::Path => format!("{kind} pattern {text} matches {matched}"),
        _ => format!("{kind} {text} matches \"{matched}\""),
    }
}

/// The list for people: what is active stands first.
fn print(catalog: &Catalog, listed: &[Listed], why: bool) -> Result<()> {
    let mut out = output::stdout();
    let mut rows: Vec<_> = listed.iter().map(|listed| (listed, columns(listed))).collect();
    rows.sort_by_key(|(listed, _)| listed.why.is_empty());
    let width = |column: usize| {
        rows.iter()
            .map(|(_, row)| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let [names, states, sources] = [0, 1, 2].map(width);
    for (listed, [name, state, source, path]) in &rows {
        let skill = &listed.skill;
        writeln!(out, "{name:<names$}  {state:<states$}  {source:<sources$}  {path}")?;
        for error in &skill.errors {
            writeln!(out, "    {}", printable(error))?;
        }
        if !why {
            continue;
        }
        for why in &listed.why {
            writeln!(out, "    {}", printable(&reason(why)))?;
        }
        // Why a broken skill is not loaded was just said.
        if let Some(reason) = listed.why_not.as_ref().filter(|_| skill.errors.is_empty()) {
            writeln!(out, "    {}", printable(reason))?;
        }
    }
    for error in &catalog.errors {
        let message = printable(&error.message);
        writeln!(out, "error: {}: {message}", output::path(&error.path))?;
    }
    if listed.is_empty() {
        writeln!(
            out,
            "no skills found here or in the home folder; they lie in .claude/skills and .agents/skills"
        )?;
    }
    Ok(out.flush()?)
}
