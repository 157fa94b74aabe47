//! `skills-ls run`: a skill in the terminal. The same server as an editor's, in this process, with a client that asks in
//! the terminal and has no open files, so that edits go to the disk.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use skills_schema::arguments;

use super::conversation::{Conversation, Ways};
use super::keys::{self, Keys};
use super::output;
use crate::attached::{self, AttachParams};
use crate::authority::Tokens;
use crate::discovery::from_here;
use crate::environment::Environment;
use crate::headless::Editor;
use crate::protocol::commands;
use crate::state::Shared;
use crate::turns::skills::Listed;
use crate::{pump, server, turns};

/// What to run.
#[derive(Debug, Args)]
#[command(override_usage = "skills-ls run [OPTIONS] <SKILL> [--] [ARG]...")]
pub struct Options {
    /// The skill's name.
    skill: String,
    /// The model; the environment says which provider (SKILLS_LS_MODEL_PROVIDER) and has its key.
    #[arg(long)]
    model: Option<String>,
    /// How much the model is to think: low, medium, high, xhigh, max or a number of tokens.
    #[arg(long)]
    effort: Option<String>,
    /// Print what happens as JSON, an update a line.
    #[arg(long)]
    json: bool,
    /// What is typed behind the skill's name; behind `--` where one begins with a hyphen.
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
}

/// How much fits between the client and the server, in bytes.
const PIPE: usize = 64 << 10;

/// Runs it; 1 where it did not end well.
pub fn run(options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let code = runtime.block_on(turn(options));
    // What still runs is dropped, and its child processes end with it.
    runtime.shutdown_background();
    code
}

async fn turn(options: &Options) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current folder can't be read")?;
    let here = here.canonicalize()?;
    let environment = Environment::of_process();
    let (client, end) = tokio::io::duplex(PIPE);
    let (service, socket, death) = server::service(environment.clone());
    let shared = service.inner().shared();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(end);
        pump::serve(reader, writer, service, socket, death.wait()).await
    });
    let (reader, writer) = tokio::io::split(client);
    let mut editor = Editor::new(reader, writer);
    let capabilities = json!({"workspace": {"applyEdit": true}});
    editor.initialize(&here, capabilities, json!({})).await?;
    tokio::spawn(async move {
        // It has no files open; what it is told is shown by the terminal that is attached.
        while editor.receive().await.is_ok() {
            drop(editor.unread());
        }
    });

    // The skills are needed now; the server's own search would come a moment later.
    let catalog = from_here(here, &environment).0.run();
    // Nothing of the terminal follows from a catalog.
    drop(shared.state().set_catalog(catalog));

    let typed = match options.arguments.as_slice() {
        [typed] => typed.clone(),
        words => arguments::join(words.iter().map(String::as_str)),
    };
    let (near, far) = tokio::io::duplex(PIPE);
    let tokens = Tokens::random();
    let params = AttachParams {
        token: tokens.person.clone(),
        session_id: None,
    };
    let server = shared.clone();
    tokio::spawn(async move { attached::converse(&server, far, &tokens).await });
    let is_terminal = std::io::stdin().is_terminal();
    let ways = Ways {
        as_json: options.json,
        can_answer: is_terminal,
        ends_with_turn: true,
    };
    let mut conversation = Conversation::join(near, params, ways).await?;
    if !options.json {
        let skills = Listed::of(&shared.state(), Some(&options.skill));
        skills.lines().iter().for_each(|line| output::note(line));
    }
    let place = json!({"model": options.model, "effort": options.effort});
    conversation
        .execute(commands::RUN, json!([options.skill, typed, place]))
        .await?;
    tokio::spawn(stop_on_interrupt(shared));
    let keys = if is_terminal { Keys::read() } else { Keys::none() };
    conversation.follow(keys).await
}

/// Ctrl+C stops the turn, whose end is then told; a second one ends the program.
async fn stop_on_interrupt(shared: Arc<Shared>) {
    while tokio::signal::ctrl_c().await.is_ok() {
        if !turns::cancel(&shared, None).unwrap_or_default() {
            keys::restore();
            std::process::exit(130);
        }
    }
}
