//! `skills-ls doctor --agent NAME`: the configuration with which an agent starts this server, and what is missing of it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Value, json};
use skills_schema::dialect::Dialect;

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
    /// Its program, and the system whose reading of skills is recorded.
    program: &'static str,
    dialect: Dialect,
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
            program: "opencode",
            dialect: Dialect::OpenCode,
            tried: "opencode 1.18.33, by a test",
            text: include_str!("../../../../editors/agents/opencode/opencode.json"),
            how: "write this to opencode.json of the project, or add its entry `skills-ls` to what is there",
            project: &["opencode.json", ".opencode/opencode.json"],
            home: &[".config/opencode/opencode.json", ".config/opencode/config.json"],
            plugins: None,
            servers: "/lsp",
        },
        Agent::Crush => Setup {
            title: "Crush",
            program: "crush",
            dialect: Dialect::Crush,
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
            program: "claude",
            dialect: Dialect::Claude,
            tried: "Claude Code 2.1.330, by hand: after its model wrote a skill, the next request to the model held the finding",
            text: include_str!("../../../../editors/agents/claude/.lsp.json"),
            how: "write this to .lsp.json of a plugin: the folder editors/agents/claude of this project is one",
            project: &[],
            home: &[],
            plugins: Some(".claude/plugins"),
            servers: "",
        },
        Agent::Copilot => Setup {
            title: "Copilot CLI",
            program: "copilot",
            dialect: Dialect::Copilot,
            tried: "Copilot CLI 1.0.102, by hand: it takes the configuration and offers its model the tool `lsp` for it (definitions, hover, symbols, rename); no finding reached its model",
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
struct AgentCheck {
    is_fine: bool,
    message: String,
}

/// How long an agent may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// Prints the configuration and what is missing. Exits with 1 where something is. Asks the agent's own program for its
/// version, and runs nothing else.
pub fn run(agent: Agent, json: bool) -> Result<ExitCode> {
    let setup = setup(agent);
    let environment = Environment::of_process();
    let checks = [
        program(&environment),
        configuration(&setup, &environment),
        version(&setup, &environment),
    ];
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
fn program(environment: &Environment) -> AgentCheck {
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let found = on_path(environment, "skills-ls");
    let is_own = |path: &Path| path.canonicalize().ok() == own;
    let shown = |path: &Option<PathBuf>| path.as_deref().map(output::path).unwrap_or_default();
    match &found {
        Some(path) if is_own(path) => AgentCheck {
            is_fine: true,
            message: format!("skills-ls is {}", output::path(path)),
        },
        Some(path) => AgentCheck {
            is_fine: true,
            message: format!(
                "skills-ls is {}, another one than this, {}",
                output::path(path),
                shown(&own)
            ),
        },
        None => AgentCheck {
            is_fine: false,
            message: format!("skills-ls is not on the PATH: put {} there", shown(&own)),
        },
    }
}

/// Whether what is recorded of the agent is what is installed. A version that nobody has looked at is no fault of the
/// person's: it is said, and nothing more.
fn version(setup: &Setup, environment: &Environment) -> AgentCheck {
    let recorded = setup.dialect.reader().recorded;
    let told = on_path(environment, setup.program).map(|program| (ask(&program), program));
    let message = match told {
        None => format!(
            "{} is not on the PATH; what it makes of skills is told as recorded from {recorded}",
            setup.program
        ),
        Some((None, program)) => format!(
            "{} does not say its version, so whether it still does what was recorded from {recorded} is unknown",
            output::path(&program)
        ),
        Some((Some(version), _)) if recorded.split(' ').any(|word| word == version) => {
            format!(
                "{} {version} is the version whose reading of skills is recorded",
                setup.title
            )
        }
        Some((Some(version), _)) => format!(
            "{} {version} is installed; what it makes of skills is told as recorded from {recorded}, and unknown where \
             {version} differs",
            setup.title
        ),
    };
    AgentCheck { is_fine: true, message }
}

/// The version that a program says when it is asked: the first word that begins with a number and a dot.
fn ask(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (sender, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = output.take(MAX_OUTPUT).read_to_end(&mut text);
        // Nobody listens any more where it took too long.
        let _ = sender.send(read.map(|_| text));
    });
    let text = said.recv_timeout(PATIENCE);
    // It has said what it was asked for, or too late.
    let _ = child.kill();
    let _ = child.wait();
    version_in(&String::from_utf8_lossy(&text.ok()?.ok()?))
}

/// As much of what a program says of its version as is read, in bytes.
const MAX_OUTPUT: u64 = 64 << 10;

fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+'));
    let plain = words.map(|word| word.trim_start_matches('v').trim_end_matches('.'));
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u64>().is_ok());
        is_number(parts.next()) && is_number(parts.next())
    };
    plain.into_iter().find(is_version).map(str::to_owned)
}

/// Whether the agent is told about the server.
fn configuration(setup: &Setup, environment: &Environment) -> AgentCheck {
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
        return AgentCheck {
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
    AgentCheck {
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
