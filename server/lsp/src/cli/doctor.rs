//! `skills-ls doctor`: what is wrong with a set-up, and what is fine.

mod helix;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use skills_agent::catalog::{Catalog, Location, SkillState};
use tokio::sync::mpsc::unbounded_channel;

use super::agents::{self, Agent};
use super::output;
use crate::checks;
use crate::discovery::from_here;
use crate::environment::Environment;
use crate::printable::printable;
use crate::watching::{self, Watches};

/// What to say.
#[derive(Debug, Args)]
pub struct Options {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the entries of Helix's languages.toml instead, for these languages or for common ones.
    #[arg(long, value_name = "LANGUAGE", num_args = 0.., conflicts_with = "json")]
    helix: Option<Vec<String>>,
    /// Print how this agent is told about the server, and what is missing for that.
    #[arg(long, value_name = "NAME")]
    agent: Option<Agent>,
}

/// One thing that was looked at.
struct SetUpCheck {
    /// What it is about, for programs.
    topic: &'static str,
    is_fine: bool,
    message: String,
    path: Option<PathBuf>,
}

/// Looks, and says. Exits with 1 where something is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    if let Some(languages) = &options.helix {
        return helix::run(languages);
    }
    if let Some(agent) = options.agent {
        return agents::run(agent, options.json);
    }
    let here = std::env::current_dir()
        .context("the current folder can't be read")?
        .canonicalize()?;
    let environment = Environment::of_process();
    let (discovery, problems) = from_here(here, &environment);
    let (locations, catalog) = (discovery.locations(), discovery.run());
    let mut checks = folders(&locations, &catalog);
    checks.extend(clashes(&catalog));
    checks.extend(trust(&discovery.folders, &discovery.trusted, &environment));
    checks.push(watchers(&locations));
    checks.extend(commands(&environment)?);
    checks.extend(configuration(&discovery.folders, problems, &environment));
    checks.extend(plugins(&environment));
    if options.json {
        output::json(&report(&locations, &checks))?;
    } else {
        print(&locations, &checks, environment.home.as_deref())?;
    }
    let is_fine = checks.iter().all(|check| check.is_fine);
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What could not be looked at, and skills that nobody gets.
fn folders(locations: &[Location], catalog: &Catalog) -> Vec<SetUpCheck> {
    let found = locations.iter().filter(|location| location.path.is_dir()).count();
    let skills = catalog.skills.iter().filter(|skill| skill.path.is_some());
    let mut checks = vec![SetUpCheck {
        topic: "folders",
        is_fine: true,
        message: format!("{} skills in {found} of {} folders", skills.count(), locations.len()),
        path: None,
    }];
    checks.extend(catalog.errors.iter().map(|error| SetUpCheck {
        topic: "folders",
        is_fine: false,
        message: error.message.clone(),
        path: Some(error.path.clone()),
    }));
    let broken = catalog.skills.iter().filter(|skill| skill.state == SkillState::Broken);
    checks.extend(broken.map(|skill| SetUpCheck {
        topic: "skills",
        is_fine: false,
        message: format!("{} is not loaded: {}", skill.name, skill.errors.join("; ")),
        path: skill.path.clone(),
    }));
    let counting = catalog
        .skills
        .iter()
        .filter(|skill| !matches!(skill.state, SkillState::Broken | SkillState::Shadowed));
    checks.extend(counting.flat_map(|skill| {
        skill.unreadable().into_iter().map(|problem| SetUpCheck {
            topic: "skills",
            is_fine: false,
            message: format!("{}: {problem}", skill.name),
            path: skill.path.clone(),
        })
    }));
    let always_on = catalog.always_on.iter();
    checks.extend(always_on.flat_map(|file| {
        file.errors.iter().map(|error| SetUpCheck {
            topic: "instructions",
            is_fine: false,
            message: error.clone(),
            path: Some(file.path.clone()),
        })
    }));
    checks
}

/// Names that several skills have. One of them counts, as it should; the person may not know.
fn clashes(catalog: &Catalog) -> Vec<SetUpCheck> {
    let losers = catalog
        .skills
        .iter()
        .filter(|skill| skill.state == SkillState::Shadowed);
    let check = |skill: &std::sync::Arc<skills_agent::catalog::Skill>| {
        let winner = skill.shadowed_by.as_deref().map(output::path);
        let winner = winner.unwrap_or_else(|| "the bundled one".to_owned());
        SetUpCheck {
            topic: "clashes",
            is_fine: true,
            message: format!("{} is shadowed by {winner}", skill.name),
            path: skill.path.clone(),
        }
    };
    losers.map(check).collect()
}

fn trust(folders: &[PathBuf], trusted: &[PathBuf], environment: &Environment) -> Vec<SetUpCheck> {
    let record = environment.trust();
    let problem = record.as_ref().and_then(|record| record.problem());
    let mut checks: Vec<SetUpCheck> = folders
        .iter()
        .map(|folder| {
            let message = if trusted.contains(folder) {
                "is trusted"
            } else {
                "is not trusted: agents ask before the first edit, and links out are not followed"
            };
            SetUpCheck {
                topic: "trust",
                is_fine: true,
                message: message.to_owned(),
                path: Some(folder.clone()),
            }
        })
        .collect();
    checks.extend(problem.map(|message| SetUpCheck {
        topic: "trust",
        is_fine: false,
        message,
        path: None,
    }));
    checks
}

/// Whether the folders could be watched now.
fn watchers(locations: &[Location]) -> SetUpCheck {
    let (sender, _receiver) = unbounded_channel();
    let wanted = watching::wanted(locations, &[]);
    let count = wanted.len();
    let problem = Watches::new(sender).set(wanted);
    SetUpCheck {
        topic: "watching",
        is_fine: problem.is_none(),
        message: problem.unwrap_or_else(|| format!("{count} folders can be watched for changes")),
        path: None,
    }
}

/// What the kernel holds the agent's commands by, found out by trying.
fn commands(environment: &Environment) -> Result<Vec<SetUpCheck>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let holds = runtime.block_on(environment.launcher().holds());
    let message = match (holds.files, holds.namespaces) {
        (true, true) => "the kernel keeps files, processes and the network from them",
        (true, false) => "without namespaces secrets stay readable, and rights of other files can change",
        (false, _) if cfg!(target_os = "linux") => {
            "nothing is kept from them but sockets and the network: turn on Landlock"
        }
        (false, _) => "nothing is kept from them: there is no sandbox on this system",
    };
    let said = |is_fine, message: &str| SetUpCheck {
        topic: "commands",
        is_fine,
        message: message.to_owned(),
        path: None,
    };
    let mut checks = vec![said(holds.files || !cfg!(target_os = "linux"), message)];
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        checks.push(said(
            true,
            "root can undo much of what the kernel keeps: use another user",
        ));
    }
    Ok(checks)
}

/// Our own files of configuration, and what in them is not understood.
fn configuration(folders: &[PathBuf], problems: Vec<String>, environment: &Environment) -> Vec<SetUpCheck> {
    let of_folders = folders.iter().map(|folder| checks::project_of(folder));
    let files = of_folders.chain(environment.configuration_folder());
    let found = files
        .map(|folder| folder.join(checks::FILE))
        .filter(|file| file.exists());
    let is_fine = |file: &PathBuf| {
        !problems
            .iter()
            .any(|problem| problem.starts_with(&*file.to_string_lossy()))
    };
    let fine = found.filter(is_fine).map(|file| SetUpCheck {
        topic: "configuration",
        is_fine: true,
        message: "is in use".to_owned(),
        path: Some(file),
    });
    let mut checks: Vec<SetUpCheck> = fine.collect();
    checks.extend(problems.into_iter().map(|message| SetUpCheck {
        topic: "configuration",
        is_fine: false,
        message,
        path: None,
    }));
    checks
}

/// The files of other systems' configuration that say where skills lie.
fn plugins(environment: &Environment) -> Option<SetUpCheck> {
    let record = environment
        .home
        .as_ref()?
        .join(".claude/plugins/installed_plugins.json");
    let text = std::fs::read(&record).ok()?;
    let error = serde_json::from_slice::<Value>(&text).err();
    Some(SetUpCheck {
        topic: "configuration",
        is_fine: error.is_none(),
        message: match error {
            Some(error) => format!("is no JSON, so no installed plugin is found: {error}"),
            None => "names the installed plugins".to_owned(),
        },
        path: Some(record),
    })
}

fn report(locations: &[Location], checks: &[SetUpCheck]) -> Value {
    let folders = locations.iter().map(|location| {
        json!({
            "path": location.path.to_string_lossy(),
            "source": location.source.name(),
            "found": location.path.is_dir(),
            "trusted": location.is_trusted,
        })
    });
    let checks = checks.iter().map(|check| {
        json!({
            "topic": check.topic,
            "ok": check.is_fine,
            "message": check.message,
            "path": check.path.as_ref().map(|path| path.to_string_lossy()),
        })
    });
    json!({"folders": folders.collect::<Vec<_>>(), "checks": checks.collect::<Vec<_>>()})
}

/// What is wrong comes first, then what was found; the many folders that nobody has come last, on one line each.
fn print(locations: &[Location], checks: &[SetUpCheck], home: Option<&Path>) -> Result<()> {
    let mut out = output::stdout();
    let (fine, wrong): (Vec<_>, Vec<_>) = checks.iter().partition(|check| check.is_fine);
    for check in wrong.into_iter().chain(fine) {
        let mark = if check.is_fine { "ok" } else { "problem" };
        let message = printable(&check.message);
        match &check.path {
            Some(path) => writeln!(out, "{mark}: {}: {}: {message}", check.topic, output::path(path))?,
            None => writeln!(out, "{mark}: {}: {message}", check.topic)?,
        }
    }
    let (found, missing): (Vec<_>, Vec<_>) = locations.iter().partition(|location| location.path.is_dir());
    for (title, locations) in [("found", found), ("not there", missing)] {
        let mut by_source: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for location in locations {
            let paths = by_source.entry(location.source).or_default();
            paths.push(output::path_from(home, &location.path));
        }
        for (source, paths) in by_source {
            writeln!(out, "{title} ({}): {}", source.name(), paths.join(", "))?;
        }
    }
    Ok(out.flush()?)
}
