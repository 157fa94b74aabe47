//! `skills-ls run`: a skill in the terminal. The same server as an editor's, in this process, with a client that asks in
//! the terminal and has no open files, so that edits go to the disk.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use skills_schema::arguments;

use super::output;
use crate::commands;
use crate::discovery::discovery;
use crate::environment::Environment;
use crate::headless::Editor;
use crate::printable::{printable, printable_lines};
use crate::protocol::{PermissionOption, PermissionParams};
use crate::settings::Settings;
use crate::state::Shared;
use crate::{pump, server, turns};

/// What to run.
#[derive(Debug, Args)]
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
    /// What is typed behind the skill's name.
    #[arg(value_name = "ARG", trailing_var_arg = true)]
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
    editor.answer = |method, params| (method == "skills/permission/request").then(|| ask(params));
    let capabilities = json!({
        "workspace": {"applyEdit": true},
        "experimental": {"skillsAgent": {"version": 1, "sessionUpdate": {}, "permission": {}}},
    });
    editor.initialize(&here, capabilities, json!({})).await?;

    // The skills are needed now; the server's own search would come a moment later.
    let catalog = discovery(vec![here], &Settings::default(), &environment).run();
    if !options.json {
        let loaded = catalog.skills.iter().filter(|skill| skill.errors.is_empty());
        let names: Vec<_> = loaded.map(|skill| printable(&skill.name)).collect();
        output::note(&format!("skills: {}", names.join(", ")));
    }
    // Nothing of the terminal follows from a catalog.
    drop(shared.state().set_catalog(catalog));

    let typed = match options.arguments.as_slice() {
        [typed] => typed.clone(),
        words => arguments::join(words.iter().map(String::as_str)),
    };
    let place = json!({"model": options.model, "effort": options.effort});
    let params = json!({"command": commands::RUN, "arguments": [options.skill, typed, place]});
    editor.request("workspace/executeCommand", params).await?;
    tokio::spawn(stop_on_interrupt(shared));
    follow(&mut editor, options.json).await
}

/// Ctrl+C stops the turn, whose end is then told; a second one ends the program.
async fn stop_on_interrupt(shared: Arc<Shared>) {
    while tokio::signal::ctrl_c().await.is_ok() {
        if !turns::cancel(&shared, None).unwrap_or_default() {
            std::process::exit(130);
        }
    }
}

/// Shows the turn until it ends: the answer on stdout, all else on stderr.
async fn follow(editor: &mut Editor, as_json: bool) -> Result<ExitCode> {
    loop {
        let params = editor.wait_for("skills/session/update").await?;
        let mut out = output::stdout();
        if as_json {
            writeln!(out, "{params}")?;
        }
        let update = &params["update"];
        let text = |value: &Value| printable(value.as_str().unwrap_or_default());
        let note = |line: String| {
            if !as_json {
                output::note(&line);
            }
        };
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") if !as_json => {
                let text = update["content"]["text"].as_str().unwrap_or_default();
                write!(out, "{}", printable_lines(text))?;
            }
            Some("tool_call_update") if update["status"] == "in_progress" => {
                note(format!("{} {}", text(&update["name"]), text(&update["title"])));
            }
            Some("tool_call_update") if update["status"] == "failed" => {
                note(format!("failed: {}", text(&update["content"][0]["content"]["text"])));
            }
            Some("_skills_note") => note(text(&update["text"])),
            Some("state_update") if update["state"] == "idle" => {
                if !as_json {
                    writeln!(out)?;
                }
                out.flush()?;
                let about = &update["_meta"]["skills"];
                note(format!(
                    "{} tokens read, {} written",
                    about["inputTokens"], about["outputTokens"]
                ));
                if let Some(problem) = about["message"].as_str() {
                    note(printable(problem));
                }
                return Ok(ExitCode::from(u8::from(update["stopReason"] != "end_turn")));
            }
            _ => {}
        }
        out.flush()?;
    }
}

/// Asks in the terminal. Where nobody can answer, or the answer is none of those offered, nothing is allowed.
fn ask(params: &Value) -> Value {
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    let Ok(question) = serde_json::from_value::<PermissionParams>(params.clone()) else {
        return cancelled;
    };
    let mut options = question.options;
    options.sort_by_key(|option| option.kind);
    std::iter::once(question.title.as_str())
        .chain(question.description.lines())
        .for_each(output::note);
    if !std::io::stdin().is_terminal() {
        output::note("not allowed: there is no terminal to answer in");
        return cancelled;
    }
    for (number, PermissionOption { name, .. }) in options.iter().enumerate() {
        output::note(&format!("  {}: {}", number + 1, printable(name)));
    }
    let mut line = String::new();
    let answered = std::io::stdin().lock().read_line(&mut line).is_ok();
    let chosen = line.trim().parse::<usize>().ok().filter(|_| answered);
    match chosen.and_then(|number| options.get(number.checked_sub(1)?)) {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option.option_id}}),
        None => cancelled,
    }
}
