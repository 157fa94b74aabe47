//! `skills-ls render`: what a skill says to the model when it is invoked.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use skills_agent::catalog::{Catalog, Skill};
use skills_agent::process::commands::Confined;
use skills_agent::process::launcher::Launcher;
use skills_agent::render::{self, Decision, Gate, Invocation, Origin, Rendered};
use skills_agent::workspace::slashed;
use skills_schema::arguments;
use skills_schema::dialect::View;
use skills_schema::dialect::runtime::Runtime;
use skills_schema::facts::Facts;
use skills_schema::skill;
use skills_schema::syntax::SkillFile;
use tokio_util::sync::CancellationToken;

use super::output;
use crate::discovery::from_here;
use crate::environment::Environment;
use crate::printable::{printable, printable_lines};

/// What to render.
#[derive(Debug, Args)]
#[command(override_usage = "skills-ls render [OPTIONS] <SKILL> [--] [ARG]...")]
pub struct Options {
    /// The name of a skill, or the path of its folder or file.
    skill: String,
    /// Read it as this system does: claude, codex, copilot or another of `skills-ls readers`, if wanted with
    /// @current for what its newest product does.
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<View>,
    /// Run the commands in the skill's text. Without this, nothing runs.
    #[arg(long)]
    allow_shell: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// What is typed behind the skill's name; behind `--` where one begins with a hyphen.
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
}

/// Renders it.
pub fn run(options: &Options) -> Result<ExitCode> {
    let here = std::env::current_dir()
        .context("the current folder can't be read")?
        .canonicalize()?;
    let catalog = catalog(&here);
    let target = Target::of(&options.skill, &here, &catalog)?;
    let file = SkillFile::parse(target.text);
    let typed = arguments::join(options.arguments.iter().map(String::as_str));
    let invocation = Invocation {
        name: &target.name,
        file: &file,
        runtime: options
            .dialect
            .map_or(target.runtime, |view| catalog.view_at(&here, view).runtime()),
        // One word is what was typed: its quotes are part of it.
        arguments: match options.arguments.as_slice() {
            [typed] => typed,
            _ => &typed,
        },
        folder: target.folder.as_deref(),
        project: &here,
        session: None,
        effort: None,
        origin: target.origin,
    };
    let rendered = if options.allow_shell {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        runtime.block_on(execute(&invocation))?
    } else {
        render::preview(&invocation)
    };
    if options.json {
        output::json(&report(&file, &rendered))?;
    } else {
        print(&rendered)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the commands until they end or the person presses Ctrl+C.
async fn execute(invocation: &Invocation<'_>) -> Result<Rendered> {
    let cancel = CancellationToken::new();
    let interrupted = async {
        // Where the signal can't be had, the program ends by it and the commands with it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        cancel.cancel();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        rendered = render::render(invocation, &Allowed, &cancel) => Ok(rendered?),
        () = interrupted => bail!("the invocation was cancelled"),
    }
}

/// The person said yes on the command line.
struct Allowed;

impl Gate for Allowed {
    fn decide<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Decision> {
        let confined = Confined::free(Launcher::default());
        Box::pin(std::future::ready(Decision::Run(Box::new(confined))))
    }
}

/// A skill that is rendered.
struct Target {
    name: String,
    text: Arc<str>,
    runtime: &'static Runtime,
    folder: Option<PathBuf>,
    origin: Origin,
}

impl Target {
    /// The skill at a path, else of a name.
    fn of(skill: &str, here: &Path, catalog: &Catalog) -> Result<Self> {
        let Some(path) = file(skill, here)? else {
            return Self::known(named(skill, here, catalog)?);
        };
        match catalog.at(&path) {
            Some(known) => Self::known(known),
            None => Self::elsewhere(&path, catalog),
        }
    }

    fn known(skill: &Skill) -> Result<Self> {
        Ok(Self {
            name: skill.name.clone(),
            text: skill.text().map_err(anyhow::Error::msg)?,
            runtime: skill.runtime,
            folder: skill.path.as_deref().and_then(Path::parent).map(Path::to_owned),
            origin: match Origin::of(skill) {
                Origin::Remote => Origin::Remote,
                // Who names a skill of this machine and lets it run commands trusts it.
                Origin::Untrusted | Origin::Trusted => Origin::Trusted,
            },
        })
    }

    /// A skill where no system looks.
    fn elsewhere(path: &Path, catalog: &Catalog) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        let shown = slashed(path);
        let facts = Facts::of_path(&shown);
        let own = skill::dialect(&SkillFile::parse(text.clone()));
        Ok(Self {
            name: facts.folder.unwrap_or_default().to_owned(),
            runtime: catalog.view_at(path, own.unwrap_or(facts.dialect)).runtime(),
            folder: path.parent().map(Path::to_owned),
            origin: Origin::Trusted,
            text,
        })
    }
}

/// The file of a skill: by its path, else by its name.
pub(super) fn find(skill: &str, here: &Path) -> Result<PathBuf> {
    if let Some(path) = file(skill, here)? {
        return Ok(path);
    }
    let catalog = catalog(here);
    let found = named(skill, here, &catalog)?;
    let path = found.path.clone();
    path.with_context(|| format!("the skill {skill} is compiled in and has no file"))
}

/// The skills that are found from here.
fn catalog(here: &Path) -> Catalog {
    let (discovery, problems) = from_here(here.to_owned(), &Environment::of_process());
    problems.iter().for_each(|problem| output::note(problem));
    discovery.run()
}

/// The file that a path names, by itself or by its folder.
fn file(skill: &str, here: &Path) -> Result<Option<PathBuf>> {
    let path = here.join(skill);
    let named = [path.join("SKILL.md"), path].into_iter().find(|path| path.is_file());
    Ok(named.map(|path| path.canonicalize()).transpose()?)
}

/// The skill of a name.
fn named<'a>(skill: &str, here: &Path, catalog: &'a Catalog) -> Result<&'a Arc<Skill>> {
    let is_path = skill.contains(['/', '\\', '.']);
    match (catalog.get(skill), catalog.named(skill).first()) {
        (Some(found), _) => Ok(found),
        (None, Some(broken)) => bail!("the skill {skill} is not loaded: {}", broken.errors.join("; ")),
        (None, None) if is_path => bail!("there is no skill at {}", here.join(skill).display()),
        (None, None) => bail!("there is no skill {skill:?}; {}", known(catalog)),
    }
}

/// The names that there are, as a sentence.
fn known(catalog: &Catalog) -> String {
    let mut names: Vec<&str> = catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
    names.dedup();
    match names.as_slice() {
        [] => "none is found here or in the home folder; give the path of its folder".to_owned(),
        names => format!("known are {}", printable(&names.join(", "))),
    }
}

fn report(file: &SkillFile, rendered: &Rendered) -> Value {
    let arguments: serde_json::Map<String, Value> = rendered
        .arguments
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let commands = rendered.commands.iter().map(|command| {
        json!({
            "text": command.text,
            "ran": command.ran,
            "output": command.output,
            "refused": command.refused,
            "range": output::range(&file.text, command.range),
        })
    });
    let references = rendered.references.iter().map(|reference| {
        json!({
            "path": reference.path.to_string_lossy(),
            "bytes": reference.bytes,
            "sha256": reference.sha256,
            "stopped": reference.stopped,
        })
    });
    json!({
        "text": rendered.text,
        "arguments": arguments,
        "missing": rendered.missing.iter().map(|input| &input.name).collect::<Vec<_>>(),
        "commands": commands.collect::<Vec<_>>(),
        "references": references.collect::<Vec<_>>(),
        "sha256": rendered.sha256,
        "bytes": rendered.bytes,
    })
}

/// The text, and on stderr what a person should know beside it.
fn print(rendered: &Rendered) -> Result<()> {
    let mut out = output::stdout();
    writeln!(out, "{}", printable_lines(&rendered.text))?;
    out.flush()?;
    for input in &rendered.missing {
        let colon = if input.description.is_empty() { "" } else { ": " };
        output::note(&format!("missing input {}{colon}{}", input.name, input.description));
    }
    for reference in &rendered.references {
        if let Some(reason) = &reference.stopped {
            output::note(&format!("{}: {reason}", reference.path.display()));
        }
    }
    Ok(())
}
