//! Turns in the editor: started by commands, run beside the handlers, told as they go.

pub mod delivery;
pub mod lent_model;
pub mod models;
pub mod sessions;

mod host;
mod questions;
mod reviewing;
mod schedule;
pub mod skills;
mod teller;
pub mod transcript;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use skills_agent::changes::Selection;
use skills_agent::event::TurnId;
use skills_agent::model::Choice;
use skills_agent::model::choice::Chooser;
use skills_agent::permission::{Grants, Permissions, TrustStore};
use skills_agent::process::output;
use skills_agent::tools::{self, Shell};
use skills_agent::turn::{Engine, Invoke, Limits, TurnInput};
use skills_agent::workspace::Workspace;
use tower_lsp::ls_types::{MessageType, ProgressToken, ShowDocumentParams, Uri};

use self::host::EditorHost;
use crate::authority::Caller;
use crate::printable::{printable, printable_lines};
use crate::protocol::commands::PromptPlace;
use crate::refusal::Refusal;
use crate::state::agent::sessions::Prompt;
use crate::state::{self, Shared, State};
use crate::{document, review};

pub use self::questions::{answer, choose};

/// Starts a turn of an open session and returns at once; an error is for the person.
fn start(shared: &Arc<Shared>, session: &str, prompt: Prompt) -> Result<TurnId, Refusal> {
    let repeat = state::agent::repeats::wanted(&shared.state(), &prompt);
    let (folders, settings, said_trust, session, told, mode, (mut input, choices)) = {
        let state = shared.state();
        let open = state.agent.sessions.get(Some(session))?;
        let mode = open.mode.unwrap_or(state.settings.permission_mode);
        let (session, told) = (open.session.clone(), open.told.clone());
        let input = input(&state, &prompt)?;
        let said_trust = state.said_trust();
        (
            state.folder_paths(),
            state.settings.clone(),
            said_trust,
            session,
            told,
            mode,
            input,
        )
    };
    if folders.is_empty() {
        return Err("no folder is open: the agent works inside the workspace's folders only; open one".into());
    }
    let workspace = Workspace::open(&folders).map_err(|error| format!("the workspace can't be opened: {error}"))?;
    let workspace = Arc::new(workspace);
    let chosen = models::chosen(shared, Some(&session.id), &choices)?;
    input.notes = chosen.notes;
    let trust = TrustStore::new(shared.environment.state_folder()?);
    let (grants, shell) = {
        let mut state = shared.state();
        let folder = shared.environment.state_folder()?;
        let open = state.agent.sessions.get_mut(Some(&session.id))?;
        let jobs = open.jobs.clone();
        let output_folder = folder.join("output");
        let grants = open.grants.get_or_insert_with(|| {
            let output_folder = output_folder.clone();
            tokio::task::spawn_blocking(move || output::prune(&output_folder));
            Arc::new(Grants::new(folder))
        });
        let grants = grants.clone();
        let shell = Shell {
            jobs,
            launcher: shared.environment.launcher(),
            output_folder: Some(output_folder),
            taken_folder: Some(folder.join("taken")),
            home: shared.environment.home.clone(),
            private: shared.environment.private_folders(),
            writable: settings.shell_writable.clone(),
            is_sandboxed: settings.shell_sandbox,
        };
        (grants, shell)
    };
    let permissions = Permissions::new(mode, said_trust, trust).with_rules(settings.permission_rules.clone(), grants);
    session.keep(&sessions::store(shared)?, folders).map_err(Refusal::of)?;
    let id = input.id.clone();
    let started = session.start(input)?;
    let (events, telling) = teller::start(shared.clone(), session.clone(), told);
    let host = EditorHost::new(shared.clone(), workspace.clone(), session.id.clone(), events);
    let engine = Engine {
        model: chosen.model,
        price: chosen.price,
        models: models::of_skills(shared, &session.id, choices),
        tools: tools::all(&shell),
        shell,
        workspace,
        host: Arc::new(host),
        ledger: session.ledger.clone(),
        changes: session.changes.clone(),
        hooks: session.hooks.clone(),
        permissions: Arc::new(permissions),
        skills: skills::of(shared, chosen.context_window, &session)?,
        limits: Limits {
            context_tokens: chosen.context_window,
            ..Limits::default()
        },
    };
    if let Some(variable) = &settings.model.api_key_env {
        session.hooks.withhold(variable);
    }
    if let Some(repeat) = repeat {
        schedule::start(shared, &session.id, repeat);
    }
    let shared = shared.clone();
    tokio::spawn(async move {
        let (outcome, late) = started.run(&engine).await;
        // The last sender goes with the engine; then everything has been told.
        drop(engine);
        if let Err(error) = telling.await {
            tracing::error!("telling of the turn failed: {error}");
        }
        delivery::ended(&shared, &session.id, &outcome, late);
    });
    Ok(id)
}

/// Stops the running turn of a session, the current one by default; tells whether there was one.
pub fn cancel(shared: &Shared, session: Option<&str>) -> Result<bool, Refusal> {
    Ok(shared.state().agent.sessions.get(session)?.session.cancel(None))
}

/// Stops the turn that a progress belongs to.
pub fn cancel_by_token(shared: &Shared, token: &ProgressToken) {
    if let ProgressToken::String(turn) = token {
        let turn = TurnId(turn.as_str().into());
        for open in shared.state().agent.sessions.iter() {
            open.session.cancel(Some(&turn));
        }
    }
}

/// Takes back the edits of a turn, the last one where none is named; gives the turn. What it did is told when it is done.
pub fn undo(shared: &Arc<Shared>, turn: Option<&str>) -> Result<String, Refusal> {
    let named = |turn: &str| Selection::Turn(TurnId(turn.into()));
    let session = {
        let state = shared.state();
        state.agent.session_of(&turn.map_or(Selection::Session, named))?
    };
    let changes = &session.changes;
    let turn = match turn {
        Some(turn) => TurnId(turn.into()),
        None => changes
            .last_turn()
            .ok_or("the agent has made no edits that can be taken back")?,
    };
    let selection = Selection::Turn(turn.clone());
    if changes.undecided(&selection).is_empty() && !changes.is_pending(&turn) {
        return Err(format!("turn {turn} has no edits that can be taken back").into());
    }
    review::undo(shared, selection)?;
    Ok(turn.to_string())
}

/// Opens the transcript beside the work.
pub fn open_transcript(shared: &Arc<Shared>) -> Result<(), Refusal> {
    let (told, id, shows, listed) = {
        let state = shared.state();
        let open = state.agent.sessions.get(None)?;
        let listed = skills::Listed::of(&state, None).markdown();
        (
            open.told.clone(),
            open.session.id.clone(),
            state.client.shows_documents,
            listed,
        )
    };
    let path = transcript::path_of(&shared.environment, &id)?;
    let uri = Uri::from_file_path(&path).ok_or_else(|| Refusal::NoUri(path.clone()))?;
    let shared = shared.clone();
    tokio::spawn(async move {
        let mut told = told.lock().await;
        let written = match transcript::offer_prompt(&mut told, &shared, &listed) {
            Ok(()) => transcript::flush(&mut told, &shared).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::warn!("the transcript could not be written: {error}");
        }
        let params = ShowDocumentParams {
            uri,
            external: None,
            take_focus: Some(true),
            selection: None,
        };
        if !shows || !shared.client.show_document(params).await.unwrap_or_default() {
            // Some editors can't be told to, but the person can; their line for messages is short.
            let home = shared.environment.home.as_deref();
            let shown = match home.and_then(|home| path.strip_prefix(home).ok()) {
                Some(below) => format!("~/{}", below.display()),
                None => path.display().to_string(),
            };
            let message = printable(&format!("skills: open {shown}"));
            shared.client.show_message(MessageType::INFO, message).await;
        }
    });
    Ok(())
}

/// How long a command waits for a record that another server writes: no message is read meanwhile.
const RECORD: Duration = Duration::from_millis(250);

/// Records whether a folder is trusted. What runs by a trust that is taken back is stopped.
pub fn trust(shared: &Arc<Shared>, caller: Caller, folder: &str, trusted: bool) -> Result<(), Refusal> {
    let path = match folder.parse::<Uri>().ok().and_then(|uri| document::file_path(&uri)) {
        Some(path) => path,
        None => document::resolved(Path::new(folder)),
    };
    {
        let state = shared.state();
        if !state.folders.iter().any(|open| open.path == path) {
            return Err(format!("{} is no folder of this workspace", path.display()).into());
        }
        if trusted && state.editor_trust.get(&path) == Some(&false) {
            return Err(format!(
                "your editor does not trust {}, which stands above this: trust it there",
                path.display()
            )
            .into());
        }
    }
    // First, whatever happens to the record.
    if !trusted {
        shared.state().agent.sessions.revoke();
    }
    TrustStore::new(shared.environment.state_folder()?)
        .set_within(&path, trusted, RECORD)
        .map_err(|error| format!("the folder's trust could not be kept: {error}"))?;
    if trusted && (caller.is_terminal || shared.state().agent.is_remote()) {
        questions::from_elsewhere(shared, true, &format!("trust the folder {}", path.display()));
    }
    // What links lead to, and what skills may ask for, depends on it.
    shared.rescan.notify_one();
    Ok(())
}

/// Tells the hooks of all sessions that a skill is new, changed or gone.
pub fn skill_changed(shared: &Arc<Shared>, path: PathBuf) {
    let sessions: Vec<_> = {
        let state = shared.state();
        state.agent.sessions.iter().map(|open| open.session.clone()).collect()
    };
    let shared = shared.clone();
    tokio::spawn(async move {
        for session in sessions {
            let input = json!({"session_id": session.id, "source": "skills", "file_path": path});
            for note in session.hooks.tell("ConfigChange", "skills", input).await {
                let note = printable_lines(&format!("skills: {note}"));
                shared.client.show_message(MessageType::INFO, note).await;
            }
        }
    });
}

/// Stops everything that runs: the connection ends.
pub fn stop_all(shared: &Shared) {
    for open in shared.state().agent.sessions.iter() {
        open.session.cancel(None);
    }
}

/// What the model is given of a prompt, and which model the skill and the person ask for.
fn input(state: &State, prompt: &Prompt) -> Result<(TurnInput, Vec<Choice>), Refusal> {
    let mut choices = Vec::new();
    let mut skills = Vec::new();
    for name in &prompt.skills {
        let skill = state::skills::find(state, name, prompt.place.uri.as_ref())?;
        choices.push(Choice {
            by: Chooser::Skill(skill.name.clone()),
            model: skill.metadata.model.clone(),
            effort: skill.metadata.effort.clone(),
        });
        let arguments = prompt.text.clone();
        skills.push(Invoke { skill, arguments });
    }
    let text = if skills.is_empty() {
        prompt.text.clone()
    } else {
        String::new()
    };
    let PromptPlace { model, effort, .. } = prompt.place.clone();
    choices.push(Choice::by_person(model, effort));
    let input = TurnInput {
        id: prompt.id.clone(),
        prompt: text,
        skills,
        context: context(state, &prompt.place),
        notes: Vec::new(),
    };
    Ok((input, choices))
}

/// What the person looks at: the file and the lines that are selected in it.
fn context(state: &State, place: &PromptPlace) -> Vec<String> {
    let Some(document) = place.uri.as_ref().and_then(|uri| state.documents.get(uri)) else {
        return Vec::new();
    };
    let Some(path) = &document.path else { return Vec::new() };
    let relative = state
        .folders
        .iter()
        .find_map(|folder| path.strip_prefix(&folder.path).ok());
    let name = relative.unwrap_or(path).display();
    let lines = match place.range {
        Some(range) if range.start != range.end => {
            format!(
                ", with lines {} to {} selected",
                range.start.line + 1,
                range.end.line + 1
            )
        }
        Some(range) => format!(", with the cursor in line {}", range.start.line + 1),
        None => String::new(),
    };
    vec![format!("The person is looking at {name}{lines}.")]
}
