use std::ffi::OsString;
use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::respond;
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::model::ToolSpec;
use crate::permission::{CommandRequest, shown_command};
use crate::process;
use crate::process::attended::{Attended, Others};
use crate::process::capture::{Capture, Captured};
use crate::process::commands::{Confined, Shell};
use crate::process::launcher::Launch;
use crate::process::output::OutputFile;
use crate::process::redact_output::redacted;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// How long output is waited for that a process holds which left the group.
const LEFT_OVER: Duration = Duration::from_millis(500);
/// The most lines of each half of a stream: 200 in all, as in thndrs 0.1.
const HALF_LINES: usize = 100;
/// The most unsaved files that a question names.
const MAX_NAMED: usize = 20;

/// What programs do without a person at a terminal.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Runs a program in the workspace.
pub(super) struct RunShell(pub(super) Shell);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(alias = "command")]
    argv: Option<Vec<String>>,
    program: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    cwd: Option<String>,
    timeout_ms: Option<u64>,
    timeout_secs: Option<u64>,
    #[serde(default)]
    background: bool,
    #[serde(default)]
    network: bool,
    #[serde(default)]
    unsandboxed: bool,
}

/// What programs say whom the sandbox refused a file or a socket.
const REFUSED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "read-only file",
    "device or resource busy",
];

/// What programs say that found no network.
const UNREACHABLE: &[&str] = &[
    "network is unreachable",
    "enetunreach",
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "eai_again",
    "enotfound",
    "no address associated",
    "dns error",
    "no route to host",
];

/// How a run ended.
enum Ended {
    Exit(i32),
    TimedOut,
    Cancelled,
}

/// What is run, and where.
struct Run<'a> {
    argv: &'a [String],
    cwd: &'a Path,
    /// What holds it.
    confined: Confined,
}

impl Tool for RunShell {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "run_shell",
            description: "Runs a program with arguments in the workspace, for builds, tests and formatters; prefer the \
                narrower tools to find, search, read and edit files. There is no shell: for its syntax give argv such \
                as [\"sh\", \"-c\", \"…\"]. It has no input and no terminal. It may write only to the workspace and to \
                temporary folders, and reaches no network but a loopback interface that all commands share; network \
                asks the person for the network, unsandboxed for a run without any limits. background returns at once \
                and lets it run on.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "argv": {
                        "type": "array",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "description": "The program and its arguments.",
                    },
                    "cwd": {"type": "string", "description": "A folder of the workspace; default: the first."},
                    "timeout_ms": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "After this many milliseconds it is killed; default 120000.",
                    },
                    "background": {"type": "boolean", "description": "Let it run on; its output goes to a file."},
                    "network": {"type": "boolean", "description": "Ask for the network, such as to install packages."},
                    "unsandboxed": {"type": "boolean", "description": "Ask for a run without the sandbox."},
                },
                "required": ["argv"],
                "additionalProperties": false,
            }),
        }
    }

    fn summary(&self, input: &Value) -> String {
        let list = |name: &str| input[name].as_array().cloned().unwrap_or_default();
        let words = [
            list("argv"),
            list("command"),
            vec![input["program"].clone()],
            list("args"),
        ]
        .concat();
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        redacted(&words.join(" "))
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let arguments: Arguments = arguments::parse(&self.spec(), input)?;
            let (argv, timeout) = (argv(&arguments)?, timeout(&arguments)?);
            let place = |context: &ToolContext| {
                let found = match &arguments.cwd {
                    Some(cwd) => context.workspace.resolve_folder(cwd).map_err(respond)?,
                    None => (0, context.workspace.folders()[0].path.clone()),
                };
                Ok::<_, ToolError>(found)
            };
            let (folder, cwd) = place(context)?;
            let note = match arguments.unsandboxed {
                true => "",
                false => self.0.note().await,
            };
            // Nothing is saved for a command that can't run.
            let checked = context.permissions.check_command(&context.turn, &argv);
            checked.map_err(respond)?;
            let detail = format!("{note}{}", unsaved(context).await);
            let request = CommandRequest {
                argv: &argv,
                folder: &context.workspace.folders()[folder],
                cwd: &cwd,
                detail: &detail,
                is_sandboxed: !arguments.unsandboxed,
                wants_network: arguments.network,
                changes: &context.changes,
                skill: None,
            };
            let asked = context.permissions.before_command(context.asking(), request).await;
            let leave = asked.map_err(respond)?;
            if leave.asked && place(context)?.1 != cwd {
                return Err(respond(
                    "the folder became another one while the person was asked; try again",
                ));
            }
            if context.cancel.is_cancelled() {
                return Err(respond("command cancelled"));
            }
            let run = Run {
                argv: &argv,
                cwd: &cwd,
                confined: match arguments.unsandboxed {
                    true => self.0.unconfined(&context.workspace, leave),
                    false => {
                        let access = context.permissions.path_rules(&context.turn, &context.workspace);
                        let others = Others::new(&context.host, &context.changes, &context.turn);
                        self.0.confine(&context.workspace, &argv, leave, access, others).await
                    }
                },
            };
            match arguments.background {
                true => self.background(&run).await,
                false => self.one_shot(context, &run, timeout).await,
            }
        }
        .boxed()
    }
}

impl RunShell {
    async fn one_shot(&self, context: &ToolContext, run: &Run<'_>, limit: Duration) -> Result<ToolOutput, ToolError> {
        let began = Instant::now();
        let mut child = run.start().await?;
        let folder = self.0.output_folder.as_deref();
        let (mut output, mut errors) = (Capture::new(folder), Capture::new(folder));
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let ended = {
            let mut reading = pin!(async { tokio::join!(output.read(stdout), errors.read(stderr)) });
            let mut too_long = pin!(tokio::time::sleep(limit));
            let mut is_read = false;
            let ended = loop {
                tokio::select! {
                    biased;
                    () = context.cancel.cancelled() => break Ended::Cancelled,
                    () = &mut too_long => break Ended::TimedOut,
                    _ = &mut reading, if !is_read => is_read = true,
                    status = child.wait() => break Ended::Exit(status.map_or(-1, process::exit_code)),
                }
            };
            // Whatever still runs holds the pipes.
            child.stop().await;
            if !is_read {
                // Whoever left the group is not waited for.
                let _ = tokio::time::timeout(LEFT_OVER, reading).await;
            }
            ended
        };
        let took = began.elapsed().as_millis();
        let taken_back = child.settle().await;
        let (state, failure) = match ended {
            Ended::Exit(0) => ("ok", None),
            Ended::Exit(code) => ("failed", Some(format!("command failed (exit {code})"))),
            Ended::TimedOut => (
                "timed out",
                Some(format!("command timed out after {}ms", limit.as_millis())),
            ),
            Ended::Cancelled => ("cancelled", Some("command cancelled".to_owned())),
        };
        let shown = redacted(&shown_command(run.argv));
        let head = format!("$ {shown} [one-shot {state} {took}ms]");
        let (mut body, truncated) = streams(&output.finish(), &errors.finish());
        for line in taken_back {
            body.push_str(&format!("\n[{line}]"));
        }
        match failure {
            None => Ok(ToolOutput {
                text: format!("{head}{body}"),
                summary: head,
                truncated,
            }),
            Some(failure) => Err(ToolError::Respond(format!(
                "{failure}\n{head}{body}{}",
                run.hint(&body)
            ))),
        }
    }

    async fn background(&self, run: &Run<'_>) -> Result<ToolOutput, ToolError> {
        let folder = self.0.output_folder.as_deref();
        let folder =
            folder.ok_or_else(|| respond("nothing can run in the background here; run it without `background`"))?;
        if !self.0.jobs.has_room() {
            return Err(respond(
                "too many commands run in the background; wait for one, or have the person stop one with /bg",
            ));
        }
        let failed = |error: std::io::Error| respond(format!("the file for the output could not be made: {error}"));
        let file = OutputFile::of_job(folder).map_err(failed)?;
        let path = file.path().display().to_string();
        let child = run.start().await?;
        let shown = redacted(&shown_command(run.argv));
        let id = self.0.jobs.add(child, shown.clone(), file);
        let text = format!("$ {shown} [background job {id}]\nits output goes to {path}");
        Ok(ToolOutput {
            summary: format!("$ {shown} [background job {id}]"),
            text,
            truncated: false,
        })
    }
}

impl Run<'_> {
    async fn start(&self) -> Result<Attended, ToolError> {
        let variable = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let launch = Launch {
            argv: self.argv,
            cwd: self.cwd,
            environment: ENVIRONMENT.iter().map(variable).collect(),
            input: None,
        };
        let started = self.confined.start(launch).await;
        let program = self.argv.first().map_or("", String::as_str);
        started.map_err(|error| respond(format!("failed to spawn '{program}': {error}")))
    }

    /// Where it looks as if the sandbox stopped it: what to do about it.
    fn hint(&self, output: &str) -> String {
        let Some(sandbox) = &self.confined.sandbox else {
            return String::new();
        };
        let output = output.to_lowercase();
        let says = |signs: &[&str]| signs.iter().any(|sign| output.contains(sign));
        let mut hint = String::new();
        if says(REFUSED) {
            let folders: Vec<_> = sandbox
                .writable
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            hint.push_str(&format!(
                "\n[the sandbox lets commands write only below {}, and open no sockets of other programs; if that \
                 stopped it, call it again with unsandboxed: true, which asks the person]",
                folders.join(", ")
            ));
        }
        if !sandbox.network && says(UNREACHABLE) {
            hint.push_str(
                "\n[commands have no network; call it again with network: true, which asks the person, who can also \
                 allow it by a rule run_shell_network(…)]",
            );
        }
        hint
    }
}

fn argv(arguments: &Arguments) -> Result<Vec<String>, ToolError> {
    let words = match (&arguments.argv, &arguments.program) {
        (Some(argv), None) => [argv.as_slice(), &arguments.args].concat(),
        (None, Some(program)) => [std::slice::from_ref(program), &arguments.args].concat(),
        _ => Vec::new(),
    };
    if words.first().is_none_or(String::is_empty) {
        return Err(respond(
            "argv is empty; give the program and its arguments, such as [\"cargo\", \"test\"]",
        ));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(respond(
            "an argument contains a NUL character, which no program can take",
        ));
    }
    Ok(words)
}

fn timeout(arguments: &Arguments) -> Result<Duration, ToolError> {
    let seconds = arguments.timeout_secs.map(|seconds| seconds.saturating_mul(1000));
    match arguments.timeout_ms.or(seconds) {
        Some(0) => Err(respond("'timeout_ms' must be greater than zero")),
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds).min(MAX_TIMEOUT)),
        None => Ok(DEFAULT_TIMEOUT),
    }
}

fn streams(output: &Captured, errors: &Captured) -> (String, bool) {
    let (output, output_cut) = output.text(HALF_LINES);
    let (errors, errors_cut) = errors.text(HALF_LINES);
    let mut text = String::new();
    for (name, stream) in [("stdout", output), ("stderr", errors)] {
        if !stream.is_empty() {
            text.push_str(&format!("\n── {name} ──\n{}", redacted(&stream)));
        }
    }
    (text, output_cut || errors_cut)
}

/// Has the open files saved whose text a command would not see; those that stay unsaved are a line for the question.
async fn unsaved(context: &ToolContext) -> String {
    let left = context.host.save().await;
    let names = left
        .iter()
        .filter_map(|path| Some(context.workspace.resolve_path(path).ok()?.relative));
    let names: Vec<_> = names.take(MAX_NAMED).collect();
    match left.len() {
        0 => String::new(),
        all if all > names.len() => format!(
            "It will not see what is unsaved in {} and {} more files.\n",
            names.join(", "),
            all - names.len()
        ),
        _ => format!("It will not see what is unsaved in {}.\n", names.join(", ")),
    }
}
