//! `skills-ls doctor --agent NAME`: the configuration with which an agent starts this server, and what is missing of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::output;
use crate::environment::Environment;
use crate::printable::printable;

/// An agent that starts language servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    /// opencode.
    Opencode,
    /// Crush.
    Crush,
    /// Claude Code.
    Claude,
    /// GitHub Copilot CLI.
    Copilot,
}

/// How an agent is configured.
struct Setup {
    title: &'static str,
    /// Which version of it was tried with this server.
    tried: &'static str,
    /// Its configuration.
    text: &'static str,
    /// What to do with that.
    how: &'static str,
    /// The files that may hold it, in the project and in the home folder.
    project: &'static [&'static str],
    home: &'static [&'static str],
    /// A folder of the home in which plugins may hold it.
    plugins: Option<&'static str>,
    /// Where its servers stand, as a JSON pointer.
    servers: &'static str,
}

const NOT_TRIED: &str = "not tried: written from its documentation";

fn setup(agent: Agent) -> Setup {
    match agent {
        Agent::Opencode => Setup {
            title: "opencode",
            tried: "opencode 1.18.33",
            text: include_str!("../../../../editors/agents/opencode/opencode.json"),
            how: "write this to opencode.json of the project, or add its entry `skills-ls` to what is there",
            project: &["opencode.json", ".opencode/opencode.json"],
            home: &[".config/opencode/opencode.json", ".config/opencode/config.json"],
            plugins: None,
            servers: "/lsp",
        },
        Agent::Crush => Setup {
            title: "Crush",
            tried: NOT_TRIED,
            text: include_str!("../../../../editors/agents/crush/crush.json"),
            how: "write this to crush.json of the project, or add its entry `skills-ls` to what is there",
            project: &["crush.json", ".crush.json"],
            home: &[".config/crush/crush.json"],
            plugins: None,
            servers: "/lsp",
        },
        Agent::Claude => Setup {
            title: "Claude Code",
            tried: NOT_TRIED,
            text: include_str!("../../../../editors/agents/claude/.lsp.json"),
            how: "write this to .lsp.json of a plugin: the folder editors/agents/claude of this project is one",
            project: &[],
            home: &[],
            plugins: Some(".claude/plugins"),
            servers: "",
        },
        Agent::Copilot => Setup {
            title: "Copilot CLI",
            tried: NOT_TRIED,
            text: include_str!("../../../../editors/agents/copilot/lsp.json"),
            how: "write this to .github/lsp.json of the project, or add its entry `skills-ls` to what is there",
            project: &[".github/lsp.json", "lsp.json"],
            home: &[".copilot/lsp-config.json"],
            plugins: None,
            servers: "/lspServers",
        },
    }
}

/// Something that was looked at.
struct Check {
    is_fine: bool,
    message: String,
}

/// Prints the configuration and what is missing. Exits with 1 where something is. Runs nothing.
pub fn run(agent: Agent, json: bool) -> Result<ExitCode> {
    let setup = setup(agent);
    let environment = Environment::of_process();
    let checks = [program(&environment), configuration(&setup, &environment)];
    if json {
        let checks = checks
            .iter()
            .map(|check| json!({"ok": check.is_fine, "message": check.message}));
        output::json(&json!({
            "agent": setup.title,
            "tried": setup.tried,
            "how": setup.how,
            "configuration": serde_json::from_str::<Value>(setup.text)?,
            "checks": checks.collect::<Vec<_>>(),
        }))?;
    } else {
        let mut out = output::stdout();
        writeln!(out, "{} (tried: {}): {}\n", setup.title, setup.tried, setup.how)?;
        writeln!(out, "{}", setup.text)?;
        for check in &checks {
            let mark = if check.is_fine { "ok" } else { "problem" };
            writeln!(out, "{mark}: {}", printable(&check.message))?;
        }
        out.flush()?;
    }
    let is_fine = checks.iter().all(|check| check.is_fine);
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Whether the agent would find the server.
fn program(environment: &Environment) -> Check {
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let found = on_path(environment, "skills-ls");
    let is_own = |path: &Path| path.canonicalize().ok() == own;
    let shown = |path: &Option<PathBuf>| path.as_deref().map(output::path).unwrap_or_default();
    match &found {
        Some(path) if is_own(path) => Check {
            is_fine: true,
            message: format!("skills-ls is {}", output::path(path)),
        },
        Some(path) => Check {
            is_fine: true,
            message: format!(
                "skills-ls is {}, another one than this, {}",
                output::path(path),
                shown(&own)
            ),
        },
        None => Check {
            is_fine: false,
            message: format!("skills-ls is not on the PATH: put {} there", shown(&own)),
        },
    }
}

/// Whether the agent is told of the server.
fn configuration(setup: &Setup, environment: &Environment) -> Check {
    let home = environment.home.clone().unwrap_or_default();
    let mut files: Vec<PathBuf> = setup
        .project
        .iter()
        .map(|path| output::current_folder().join(path))
        .collect();
    files.extend(setup.home.iter().map(|path| home.join(path)));
    if let Some(plugins) = setup.plugins {
        below(&home.join(plugins), 6, &mut files);
    }
    let mut problem = None;
    for file in files.iter().filter(|file| file.is_file()) {
        let shown = output::path(file);
        let read = std::fs::read(file).map_err(anyhow::Error::from);
        let value: Value = match read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?)) {
            Ok(value) => value,
            Err(error) => {
                problem.get_or_insert(format!(
                    "{shown} can't be read as JSON, so what it says is not known: {error}"
                ));
                continue;
            }
        };
        let Some(entry) = value
            .pointer(setup.servers)
            .and_then(|servers| servers.get("skills-ls"))
        else {
            continue;
        };
        // Either a list, or a text beside its arguments.
        let command = entry["command"].as_str().or_else(|| entry["command"][0].as_str());
        let is_there = command.is_some_and(|command| on_path(environment, command).is_some());
        return Check {
            is_fine: is_there && entry["disabled"] != true,
            message: match (command, is_there, entry["disabled"] == true) {
                (_, _, true) => format!("{shown} has the entry skills-ls, and turns it off: remove `disabled`"),
                (Some(_), true, _) => format!("{shown} has the entry skills-ls"),
                (Some(command), ..) => format!("{shown} starts {command}, which is not there"),
                (None, ..) => format!("{shown} has the entry skills-ls without a `command`"),
            },
        };
    }
    let places: Vec<&str> = setup
        .project
        .iter()
        .chain(setup.home)
        .copied()
        .chain(setup.plugins)
        .collect();
    Check {
        is_fine: false,
        message: problem
            .unwrap_or_else(|| format!("no configuration names skills-ls: looked at {}", places.join(", "))),
    }
}

/// The program of that name or path that would be started.
fn on_path(environment: &Environment, name: &str) -> Option<PathBuf> {
    if name.contains(std::path::MAIN_SEPARATOR) {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = environment.variable("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file())
}

/// The files `.lsp.json` of the plugins in a folder.
fn below(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    files.push(folder.join(".lsp.json"));
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    // What can't be read holds no plugin that the agent could load.
    let folders = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for entry in folders.filter(|_| depth > 0) {
        below(&entry.path(), depth - 1, files);
    }
}
