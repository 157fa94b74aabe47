//! What a skill says to the model when it is invoked.
//!
//! A [`preview`] runs nothing. [`render`] runs the skill's commands, for an invocation that somebody really wants, where
//! the skill lies on this machine and is trusted, and a [`Gate`] lets each of them through.

mod interpreter;
mod process;
mod references;

use std::path::Path;

use futures_util::future::BoxFuture;
use skills_schema::TextRange;
use skills_schema::arguments::{self, Filled, Input, Language, Piece, Values};
use skills_schema::dialect::runtime::{OnError, Runtime};
use skills_schema::skill::Metadata;
use skills_schema::syntax::SkillFile;
use tokio_util::sync::CancellationToken;

use crate::catalog::{Skill, Source};
use crate::digest::Digest;
use crate::process::commands::Confined;
use interpreter::{Interpreter, NoInterpreter};
use process::Ended;

pub use references::Reference;

/// A skill that is invoked.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// What it is called by.
    pub name: &'a str,
    /// Its file.
    pub file: &'a SkillFile,
    /// How it is read.
    pub runtime: &'static Runtime,
    /// What was typed behind its name.
    pub arguments: &'a str,
    /// The folder that it lies in; `None` where it has no file.
    pub folder: Option<&'a Path>,
    /// The project's folder, in which its commands run.
    pub project: &'a Path,
    /// The session's identifier.
    pub session: Option<&'a str>,
    /// The effort of the model.
    pub effort: Option<&'a str>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a skill comes from, as far as its commands are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A folder that the person trusts.
    Trusted,
    /// A folder of this machine that nobody trusts yet: its commands stop the invocation.
    Untrusted,
    /// A server: its commands stay text, and it is told nothing of this machine.
    Remote,
}

impl Origin {
    /// That of a skill of the catalog.
    pub fn of(skill: &Skill) -> Self {
        match skill.source {
            Source::Mcp | Source::Synced => Self::Remote,
            _ if skill.is_trusted => Self::Trusted,
            _ => Self::Untrusted,
        }
    }
}

/// Decides on each command before it runs.
pub trait Gate: Send + Sync {
    /// Whether this command, with its values in it, may run.
    fn decide<'a>(&'a self, command: &'a str) -> BoxFuture<'a, Decision>;
}

/// What happens to a command.
#[derive(Debug, Clone)]
pub enum Decision {
    /// It runs, held by this.
    Run(Box<Confined>),
    /// It does not, and the invocation ends with this reason.
    Refuse(String),
    /// The person has turned off all of them: a note stands in its place.
    Disabled,
}

/// A skill's text for the model, and what went into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Each declared argument with its value.
    pub arguments: Vec<(String, String)>,
    /// What a person must be asked for before the skill can run.
    pub missing: Vec<Input>,
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// The files that came with it, and those that did not.
    pub references: Vec<Reference>,
    /// The SHA-256 of the skill's file, in hexadecimal.
    pub sha256: String,
    /// The bytes of the skill's file.
    pub bytes: usize,
}

/// A command of the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command with its values in it, for a person to read.
    pub text: String,
    /// All of it in the skill's file.
    pub range: TextRange,
    /// It was run.
    pub ran: bool,
    /// What stands in its place; `None` where it was not run.
    pub output: Option<String>,
    /// Why it can't be run whatever anybody says.
    pub refused: Option<String>,
}

/// Why a skill was not invoked. Nothing of its text was used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A command ended with an error.
    #[error("Shell command failed for pattern \"{pattern}\": {reason}")]
    Failed {
        /// The command as it stands in the file.
        pattern: String,
        /// How it ended, and what it said.
        reason: String,
    },
    /// A command may not run.
    #[error("Shell command permission check failed for pattern \"{pattern}\": {reason}")]
    Denied {
        /// The command as it stands in the file.
        pattern: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// There is no program for its commands.
    #[error("the skill {skill} can't run its commands: {reason}")]
    Interpreter {
        /// The skill's name.
        skill: String,
        /// What is missing.
        reason: String,
    },
    /// The turn was stopped.
    #[error("the invocation was cancelled")]
    Cancelled,
}

/// What would be said, with each command as what would run. Runs nothing; reads the files of `references`.
pub fn preview(invocation: &Invocation<'_>) -> Rendered {
    let mut rendered = Rendered::of(invocation);
    let language = interpreter(invocation).map_or(Language::Posix, |it| it.language);
    for piece in filled(invocation, language).pieces {
        match piece {
            Piece::Text(text) => rendered.text.push_str(&text),
            Piece::Command(command) => {
                rendered.text.push_str(&match &command.script {
                    Ok(_) => format!("[would run: {}]", command.shown),
                    Err(reason) => format!("[would not run: {}: {reason}]", command.shown),
                });
                rendered.commands.push(Command {
                    text: command.shown,
                    range: command.range,
                    ran: false,
                    output: None,
                    refused: command.script.err().map(|error| error.to_string()),
                });
            }
        }
    }
    rendered.with_references(invocation)
}

/// What is said. Runs the commands that the skill's reader runs, one after the other, and stops all of them when
/// `cancel` is cancelled or the future is dropped.
///
/// # Errors
/// Where a command fails and the reader gives up then, may not run, or can't be made safe; see [`RenderError`].
pub async fn render(
    invocation: &Invocation<'_>,
    gate: &dyn Gate,
    cancel: &CancellationToken,
) -> Result<Rendered, RenderError> {
    let mut rendered = Rendered::of(invocation);
    let interpreter = interpreter(invocation);
    let language = interpreter.as_ref().map_or(Language::Posix, |it| it.language);
    for piece in filled(invocation, language).pieces {
        let command = match piece {
            Piece::Text(text) => {
                rendered.text.push_str(&text);
                continue;
            }
            Piece::Command(command) => command,
        };
        let pattern = invocation.file.slice(command.range);
        let denied = |reason: &str| RenderError::Denied {
            pattern: pattern.to_owned(),
            reason: reason.to_owned(),
        };
        if invocation.origin == Origin::Remote {
            rendered.text.push_str(pattern);
            continue;
        }
        if invocation.origin == Origin::Untrusted {
            return Err(denied(
                "its folder is not trusted; trust it first, or take the command out",
            ));
        }
        let script = command.script.as_ref().map_err(|reason| denied(&reason.to_string()))?;
        let decision = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(RenderError::Cancelled),
            decision = gate.decide(&command.shown) => decision,
        };
        let ran = matches!(decision, Decision::Run(_));
        let output = match decision {
            Decision::Refuse(reason) => return Err(denied(&reason)),
            Decision::Disabled => "[shell command execution disabled by policy]".to_owned(),
            Decision::Run(confined) => {
                let interpreter = interpreter.as_ref().map_err(|reason| RenderError::Interpreter {
                    skill: invocation.name.to_owned(),
                    reason: reason.to_string(),
                })?;
                let (ended, taken_back) = interpreter.run(script, invocation.project, &confined, cancel).await;
                let output = outcome(interpreter, &command.shown, pattern, ended)?;
                taken_back
                    .iter()
                    .fold(output, |output, line| format!("{output}\n[{line}]"))
            }
        };
        rendered.text.push_str(&output);
        rendered.commands.push(Command {
            text: command.shown,
            range: command.range,
            ran,
            output: Some(output),
            refused: None,
        });
    }
    Ok(rendered.with_references(invocation))
}

impl Rendered {
    /// Nothing said yet.
    fn of(invocation: &Invocation<'_>) -> Self {
        let values = Values::of(invocation.file, invocation.arguments);
        let text = &invocation.file.text;
        Self {
            text: String::new(),
            missing: values.missing().into_iter().cloned().collect(),
            arguments: values.named(),
            commands: Vec::new(),
            references: Vec::new(),
            sha256: Digest::of(text.as_bytes()).to_string(),
            bytes: text.len(),
        }
    }

    fn with_references(mut self, invocation: &Invocation<'_>) -> Self {
        let names = metadata(invocation).references;
        if let (Some(policy), Some(folder), false) =
            (invocation.runtime.references, invocation.folder, names.is_empty())
        {
            let loaded = references::load(folder, policy, names.iter().map(|name| name.text.as_str()));
            self.text.push_str(&loaded.text);
            self.references = loaded.references;
        }
        self
    }
}

fn metadata(invocation: &Invocation<'_>) -> Metadata {
    Metadata::of(invocation.file)
}

/// The text with its values.
fn filled(invocation: &Invocation<'_>, language: Language) -> Filled {
    let folder = invocation.folder.map(Path::to_string_lossy).unwrap_or_default();
    let project = invocation.project.to_string_lossy();
    let known = [
        ("CLAUDE_SKILL_DIR", &*folder),
        ("SKILL_ROOT", &*folder),
        ("CLAUDE_PROJECT_DIR", &*project),
        ("CLAUDE_SESSION_ID", invocation.session.unwrap_or_default()),
        ("CLAUDE_EFFORT", invocation.effort.unwrap_or_default()),
    ];
    let is_remote = invocation.origin == Origin::Remote;
    let variables: Vec<_> = known
        .into_iter()
        .filter(|(_, value)| !value.is_empty() && !is_remote)
        .collect();
    let values = Values::of(invocation.file, invocation.arguments);
    arguments::fill(invocation.file, invocation.runtime, &values, &variables, language)
}

/// What runs the skill's commands; `Err` says what is missing.
fn interpreter(invocation: &Invocation<'_>) -> Result<Interpreter, NoInterpreter> {
    let policy = invocation.runtime.commands.ok_or(NoInterpreter::NotRun)?;
    Interpreter::of(policy, &metadata(invocation).shell)
}

/// What stands in the place of a command that ended.
fn outcome(interpreter: &Interpreter, shown: &str, pattern: &str, ended: Ended) -> Result<String, RenderError> {
    let seconds = interpreter.timeout.as_secs_f64();
    let (reason, marker) = match ended {
        Ended::Cancelled => return Err(RenderError::Cancelled),
        Ended::Exit { code, output, .. } if code == 0 || (code == 1 && interpreter::is_answer(shown)) => {
            return Ok(output);
        }
        Ended::Exit { code, output, errors } => {
            let said = if interpreter.policy.merges_stderr {
                &output
            } else {
                &errors
            };
            (
                format!("it exited with code {code}\n[stderr]\n{said}"),
                format!("[Error: Command `{shown}` exited with code {code}: {errors}]"),
            )
        }
        Ended::TimedOut => (
            format!("it took longer than {seconds} seconds"),
            format!("[Error: Command `{shown}` timed out after {seconds:?}s]"),
        ),
        Ended::NotStarted(error) => (
            format!("it could not be started: {error}"),
            format!("[Error: Failed to execute command `{shown}`: {error}]"),
        ),
    };
    match interpreter.policy.on_error {
        OnError::Marker => Ok(marker),
        OnError::Nothing => Ok(String::new()),
        OnError::Abort => Err(RenderError::Failed {
            pattern: pattern.to_owned(),
            reason,
        }),
    }
}

#[cfg(test)]
mod tests {
    use skills_schema::dialect::Dialect;
    use skills_schema::skill::Shell;

    use super::*;

    #[test]
    fn a_command_that_takes_too_long_is_noted_or_ends_the_invocation() {
        let of = |dialect: Dialect| {
            let policy = dialect.runtime().commands.unwrap();
            let interpreter = Interpreter::of(policy, &Shell::default()).unwrap();
            outcome(&interpreter, "sleep 99", "!`sleep 99`", Ended::TimedOut)
        };
        let note = "[Error: Command `sleep 99` timed out after 10.0s]";
        assert_eq!(of(Dialect::OpenHands).as_deref(), Ok(note));
        let error = of(Dialect::Claude).unwrap_err().to_string();
        assert!(
            error.ends_with("\"!`sleep 99`\": it took longer than 120 seconds"),
            "{error}"
        );
    }

    #[test]
    fn no_is_an_answer_of_some_commands() {
        for (script, expected) in [
            ("grep x f", true),
            ("cat f | grep x", true),
            ("git diff --quiet", true),
            ("git log", false),
            ("grep x f; false", false),
            ("[ -f x ]", true),
            ("", false),
        ] {
            assert_eq!(interpreter::is_answer(script), expected, "{script}");
        }
    }
}
