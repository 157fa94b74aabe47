//! `skills-ls attach`: joins a session of a running server.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use tokio::net::UnixStream;

use super::conversation::{Conversation, Ways};
use super::keys::Keys;
use super::output;
use crate::attached::AttachParams;
use crate::attached::socket;
use crate::environment::Environment;
use crate::printable::printable;

/// What to join.
#[derive(Debug, Args)]
pub struct Options {
    /// The session; without it the current one of the server that has this folder open, else of the newest server.
    session: Option<String>,
    /// Print what happens as JSON, an update a line.
    #[arg(long)]
    json: bool,
}

/// Joins it until the input ends, or the session does.
pub fn run(options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let code = runtime.block_on(attach(options));
    runtime.shutdown_background();
    code
}

async fn attach(options: &Options) -> Result<ExitCode> {
    let mut joined = join(options).await?;
    let session = printable(&joined.attached.session_id);
    let folders: Vec<_> = joined.attached.folders.iter().map(|folder| printable(folder)).collect();
    output::note(&format!("session {session} in {}", folders.join(", ")));
    if !options.json {
        joined.attached.skills.iter().for_each(|line| output::note(line));
        let model = &joined.attached.model;
        output::note(&format!("model: {}", model.problem.as_ref().unwrap_or(&model.label)));
    }
    output::note(
        "type to say something; Ctrl+T: at once or after the turn; Ctrl+R: keep or undo changes; Esc: stop; Ctrl+C: leave",
    );
    joined.follow(Keys::read()).await
}

/// The session of the server that fits best.
async fn join(options: &Options) -> Result<Conversation> {
    let environment = Environment::of_process();
    let state = environment.state_folder().map_err(anyhow::Error::msg)?;
    let ways = Ways {
        as_json: options.json,
        can_answer: true,
        ends_with_turn: false,
    };
    let here = output::current_folder();
    let mut newest = None;
    let mut refused = None;
    for (file, door) in socket::doors(state) {
        let Ok(stream) = UnixStream::connect(&door.socket).await else {
            socket::forget(&file, &door);
            continue;
        };
        let params = AttachParams {
            token: door.token,
            session_id: options.session.clone(),
        };
        match Conversation::join(stream, params, ways).await {
            Ok(joined) => {
                let is_here = |folder: &String| here.starts_with(PathBuf::from(folder));
                if options.session.is_some() || joined.attached.folders.iter().any(is_here) {
                    return Ok(joined);
                }
                newest.get_or_insert(joined);
            }
            Err(error) => refused = Some(error),
        }
    }
    match (newest, refused) {
        (Some(joined), _) => Ok(joined),
        (None, Some(error)) => Err(error),
        (None, None) => bail!("no server of yours is running: open a folder in your editor, or use skills-ls run"),
    }
}
