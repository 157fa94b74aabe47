//! `skills-ls list`: the skills that are found here, and which of them a file or a message activates.

mod message;
mod prompt;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use skills_agent::activation;
use skills_agent::catalog::{Catalog, Discovery, Listed, Skill, SkillState, Source, Why, WhyKind};
use skills_schema::dialect::{Dialect, View};

use super::output;
use crate::discovery::from_here;
use crate::document::resolved;
use crate::environment::Environment;
use crate::printable::printable;

/// What to list.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("about").args(["file", "message"]).multiple(true)))]
pub struct Options {
    /// Tell which skills this file activates; it need not exist.
    #[arg(long = "for", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tell which skills this message of a person activates.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Tell why each skill is active, or why not.
    #[arg(long, requires = "about")]
    why: bool,
    /// Read all skills as this system does: claude, codex, copilot or another of `skills-ls readers`, if wanted with
    /// @current for what its newest product does.
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<View>,
    /// Print what the model is told about the skills that it may choose, and on stderr what was cut.
    #[arg(long)]
    as_prompt: bool,
    /// How many tokens the model's context window has; the listing takes a hundredth of it.
    #[arg(long, value_name = "TOKENS", requires = "as_prompt")]
    context_window: Option<u64>,
    /// Look in this folder too: one of skills, of a project or of a plugin. May be given several times.
    #[arg(long = "directory", value_name = "FOLDER")]
    directories: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists them.
pub fn run(options: &Options) -> Result<ExitCode> {
    let here = std::env::current_dir()
        .context("the current folder can't be read")?
        .canonicalize()?;
    let project = here.clone();
    let file = options.file.as_ref().map(|file| resolved(&here.join(file)));
    let environment = Environment::of_process();
    let directories = options.directories.iter().map(|folder| resolved(&here.join(folder)));
    let directories: Vec<_> = directories.collect();
    let (discovery, problems) = from_here(here, &environment);
    problems.iter().for_each(|problem| output::note(problem));
    let discovery = Discovery {
        directories: [discovery.directories.as_slice(), &directories].concat(),
        // Skills beside the file count as if it were open.
        touched: file.iter().cloned().collect(),
        reader: options.dialect,
        ..discovery
    };
    let catalog = discovery.run();
    let mut listed = catalog.list(file.as_deref());
    if let Some(message) = &options.message {
        message::add(&catalog, &mut listed, message, file.is_some());
    }
    if options.as_prompt {
        let budget = environment.listing_budget(options.context_window);
        let uses = environment.usage().map(|usage| usage.read()).unwrap_or_default();
        let reader = options.dialect.unwrap_or(Dialect::Unified.into());
        let reader = catalog.view_at(&project, reader).runtime();
        let mut listing = prompt::listing(&catalog, &listed, reader, budget, &uses);
        if let Some(message) = &options.message {
            prompt::add_texts(&mut listing, &catalog, reader, message);
        }
        return prompt::print(&listing, reader, options.json);
    }
    // What else decides over a skill there, which the files here don't tell.
    let notes = options.dialect.map_or(&[][..], |view| view.dialect.search().notes);
    if options.json {
        let mut report = report(&catalog, &listed);
        report["notes"] = json!(notes);
        output::json(&report)?;
    } else {
        print(&catalog, &listed, options.why)?;
        notes.iter().for_each(|note| output::note(note));
    }
    Ok(ExitCode::SUCCESS)
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
        let paths = |paths: &[PathBuf]| {
            paths
                .iter()
                .map(|path| path.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
        };
        let text = if listed.why.is_empty() { None } else { skill.text().ok() };
        let why = listed.why.iter().map(|why| {
            json!({
                "kind": why.kind.name(),
                "text": why.text,
                "matched": why.matched,
                "range": text.as_deref().map(|text| output::range(text, why.range)),
            })
        });
        json!({
            "name": skill.name,
            "path": skill.path.as_deref().map(Path::to_string_lossy),
            "description": skill.description,
            "argumentHint": skill.metadata.argument_hint,
            "userInvocable": skill.metadata.user_invocable,
            "dialect": skill.dialect.name(),
            "source": skill.source.name(),
            "state": state(listed),
            "active": !listed.why.is_empty(),
            "why": why.collect::<Vec<_>>(),
            "whyNot": listed.why_not,
            "shadowedBy": skill.shadowed_by.as_deref().map(Path::to_string_lossy),
            "shadows": paths(&shadowed(catalog, skill)),
            "aliases": paths(&skill.aliases),
            "errors": skill.errors,
            "problems": problems(catalog, skill),
            "kind": skill.kind.name(),
            "nestedIn": skill.nested_in,
            "trusted": skill.is_trusted,
            "unsaved": skill.is_unsaved,
            "sha256": skill.sha256.to_string(),
            "bytes": skill.bytes,
            "verdicts": (skill.state == SkillState::Broken).then(|| verdicts(skill)),
        })
    });
    let errors = catalog
        .errors
        .iter()
        .map(|error| json!({"path": error.path.to_string_lossy(), "message": error.message}));
    let always_on = catalog.always_on.iter().map(|file| {
        json!({
            "name": file.name,
            "path": file.path.to_string_lossy(),
            "scope": file.scope,
            "aliases": file.aliases.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "imports": file.imports.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "errors": file.errors,
            "trusted": file.is_trusted,
            "sha256": file.sha256.map(|digest| digest.to_string()),
            "bytes": file.bytes,
        })
    });
    json!({
        "skills": skills.collect::<Vec<_>>(),
        "alwaysOn": always_on.collect::<Vec<_>>(),
        "errors": errors.collect::<Vec<_>>(),
    })
}

/// The files of the skills that a skill counts instead of.
fn shadowed(catalog: &Catalog, skill: &Skill) -> Vec<PathBuf> {
    if matches!(skill.state, SkillState::Shadowed | SkillState::Broken) {
        return Vec::new();
    }
    let rivals = catalog.named(&skill.name).iter();
    let losers = rivals.filter(|rival| rival.state == SkillState::Shadowed);
    losers.filter_map(|loser| loser.path.clone()).collect()
}

/// What the systems make of a skill that its own refuses.
fn verdicts(skill: &Skill) -> Value {
    let verdicts = skill.verdicts().unwrap_or_default().into_iter().map(|verdict| {
        let seen = json!({
            "loads": verdict.loads,
            "metadata": verdict.metadata,
            "name": verdict.name,
            "description": verdict.description,
            "reason": verdict.reason,
        });
        (verdict.dialect.name().to_owned(), seen)
    });
    Value::Object(verdicts.collect())
}

/// A skill's row: its name, its state, where it comes from, and its file.
fn columns(listed: &Listed) -> [String; 4] {
    let skill = &listed.skill;
    let mut path = skill.path.as_deref().map(output::path).unwrap_or_default();
    if !skill.is_trusted && skill.source != Source::Project {
        path += " (never runs anything)";
    }
    [
        printable(&skill.name),
        state(listed).to_owned(),
        skill.source.name().to_owned(),
        path,
    ]
}

/// Why a skill is active, in a sentence.
fn reason(why: &Why) -> String {
    let (text, matched) = (&why.text, &why.matched);
    match why.kind {
        WhyKind::Path => format!("{matched} matches the pattern {text}"),
        WhyKind::RequiredBy => format!("the skill {text} needs it"),
        WhyKind::Always if text.is_empty() => "it counts for every message".to_owned(),
        WhyKind::Always => format!("its keyword {text} means every message"),
        WhyKind::Task => format!("the message has {matched:?}, which starts this task"),
        _ if text == matched => format!("the message has its keyword {text:?}"),
        _ => format!("the message has {matched:?}, which its keyword {text:?} means"),
    }
}

/// What a skill waits for and can't get: patterns that can't be read, skills that are missing.
fn problems(catalog: &Catalog, skill: &Skill) -> Vec<String> {
    if matches!(skill.state, SkillState::Shadowed | SkillState::Broken) {
        return Vec::new();
    }
    let mut problems = skill.unreadable();
    if !skill.metadata.requires.is_empty() {
        let needed = activation::requirements(catalog, &skill.name);
        problems.extend(needed.problems.iter().map(|problem| problem.message()));
    }
    problems
}

/// The list for people: what is active comes first, what is bundled last.
fn print(catalog: &Catalog, listed: &[Listed], why: bool) -> Result<()> {
    let mut out = output::stdout();
    let mut rows: Vec<_> = listed.iter().map(|listed| (listed, columns(listed))).collect();
    rows.sort_by_key(|(listed, _)| (listed.why.is_empty(), listed.skill.source == Source::Bundled));
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
        for problem in problems(catalog, skill) {
            writeln!(out, "    {}", printable(&problem))?;
        }
        if let Some(winner) = &skill.shadowed_by {
            writeln!(out, "    shadowed by {}", output::path(winner))?;
        }
        for alias in &skill.aliases {
            writeln!(out, "    found also at {}", output::path(alias))?;
        }
        if !why {
            continue;
        }
        for why in &listed.why {
            writeln!(out, "    {}", printable(&reason(why)))?;
        }
        // Why a broken or a shadowed skill does not count was just said.
        let is_said = !skill.errors.is_empty() || skill.shadowed_by.is_some();
        if let Some(reason) = listed.why_not.as_ref().filter(|_| !is_said) {
            writeln!(out, "    {}", printable(reason))?;
        }
    }
    for file in &catalog.always_on {
        let scope = file.scope.as_deref().unwrap_or("always");
        writeln!(
            out,
            "{}  for {}  {}",
            printable(&file.name),
            printable(scope),
            output::path(&file.path)
        )?;
        for error in &file.errors {
            writeln!(out, "    {}", printable(error))?;
        }
    }
    for error in &catalog.errors {
        let message = printable(&error.message);
        writeln!(out, "error: {}: {message}", output::path(&error.path))?;
    }
    if listed.iter().all(|listed| listed.skill.source == Source::Bundled) {
        writeln!(
            out,
            "only bundled skills found; add one as .agents/skills/NAME/SKILL.md"
        )?;
    }
    Ok(out.flush()?)
}
