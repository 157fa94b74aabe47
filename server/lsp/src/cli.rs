//! The command line. Without a command it is the language server.

mod agents;
#[cfg(unix)]
mod attach;
mod check;
mod conversation;
mod demo;
mod doctor;
mod explain;
mod keys;
mod list;
mod lsp;
mod output;
mod readers;
mod render;
mod run;
mod schema;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// The language server for agent skills, and its checks for the terminal and for CI.
#[derive(Debug, Parser)]
#[command(
    name = "skills-ls",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    server: lsp::Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak the Language Server Protocol on stdin and stdout; what happens without a command.
    Lsp(lsp::Options),
    /// Check skill files. Exits with 1 if an error is found (see --fail-on), with 2 if something can't be read.
    Check(check::Options),
    /// List the skills of this workspace and of the home folder.
    List(list::Options),
    /// Print what a skill says to the model when it is invoked. Nothing runs, unless --allow-shell is given.
    Render(render::Options),
    /// Show what each system makes of a skill: whether it loads, what the model and a person see of it, and why not.
    Readers(readers::Options),
    /// Run a skill: the agent works in the current folder, edits its files and asks in the terminal. Exits with 1 if the
    /// turn does not end well.
    Run(run::Options),
    /// Join a session of a running server: see what happens, say something, answer questions, stop the turn.
    #[cfg(unix)]
    Attach(attach::Options),
    /// Say what is wrong with the set-up: folders, clashes, trust, watching, files of configuration.
    Doctor(doctor::Options),
    /// Print the JSON Schema of the frontmatter.
    Schema(schema::Options),
    /// Explain a rule (what it finds, which systems it concerns, how to fix it) or a field.
    Explain(explain::Options),
    /// See it all at work in a temporary workspace.
    Demo(demo::Options),
}

/// What is logged unless `SKILLS_LS_LOG` says otherwise. Something that is still told to a client that is gone is no
/// error, so the framework writes nothing to it.
const LOGGED: &str = "warn,tower_lsp_server::service::client=off,tower_lsp_server::service::client::pending=warn";

/// Runs what the arguments say.
pub fn run() -> ExitCode {
    // Most editors give none, and wait: the description of all commands is not built for that.
    let command = if std::env::args_os().len() > 1 {
        let Arguments { command, server } = Arguments::parse();
        command.unwrap_or(Command::Lsp(server))
    } else {
        Command::Lsp(lsp::Options::default())
    };
    let filter = EnvFilter::try_from_env("SKILLS_LS_LOG").unwrap_or_else(|_| EnvFilter::new(LOGGED));
    // Logs go to stderr: stdout is the protocol, or what was asked for.
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    let result = match command {
        Command::Lsp(options) => lsp::run(&options),
        Command::Check(options) => check::run(&options),
        Command::List(options) => list::run(&options),
        Command::Render(options) => render::run(&options),
        Command::Readers(options) => readers::run(&options),
        Command::Run(options) => run::run(&options),
        #[cfg(unix)]
        Command::Attach(options) => attach::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Schema(options) => schema::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Demo(options) => demo::run(&options),
    };
    result.unwrap_or_else(|error| {
        // A reader that closed the pipe, such as `head`, has what it wanted.
        if output::is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        output::error(&error);
        ExitCode::from(2)
    })
}
