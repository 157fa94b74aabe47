//! Turns in the editor: started by commands, run beside the handlers, told as they go.

pub mod lent_model;
pub mod models;

mod host;
mod questions;
mod skills;
mod teller;
mod transcript;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use skills_agent::changes::undo::undo_all;
use skills_agent::event::TurnId;
use skills_agent::model::Choice;
use skills_agent::model::choice::Chooser;
use skills_agent::permission::{Grants, Permissions, TrustStore};
use skills_agent::process::jobs::Jobs;
use skills_agent::session::Session;
use skills_agent::tools::{self, Shell};
use skills_agent::turn::{Engine, Invoke, Limits, TurnInput};
use skills_agent::workspace::Workspace;
use tower_lsp::ls_types::{MessageType, ProgressToken, ShowDocumentParams, Uri};

use self::host::EditorHost;
use self::questions::Questions;
use self::transcript::TranscriptFile;
use crate::commands::Place;
use crate::state::{Shared, State};
use crate::{document, edits};

pub use self::questions::answer;
pub use self::skills::find as find_skill;

/// The agent's part of the state: one conversation and what is waited for in it.
pub struct Agent {
    session: Arc<Session>,
    /// What was told of the session so far.
    told: Arc<tokio::sync::Mutex<Told>>,
    /// The models of the last turns and what the person chose.
    models: models::Models,
    /// Requests to the model that the client lends.
    lent: lent_model::Requests,
    /// What the person allowed for the session.
    grants: Option<Arc<Grants>>,
    /// Commands that run in the background.
    jobs: Arc<Jobs>,
    /// Questions that wait for an answer.
    pub questions: Questions,
}

impl Default for Agent {
    fn default() -> Self {
        let session = Session::new();
        let told = Told {
            transcript: TranscriptFile::new(&session.id),
            updates: 0,
        };
        Self {
            session,
            told: Arc::new(tokio::sync::Mutex::new(told)),
            models: models::Models::default(),
            lent: lent_model::Requests::default(),
            grants: None,
            jobs: Arc::default(),
            questions: Questions::default(),
        }
    }
}

impl Agent {
    /// Whether a turn runs.
    pub fn is_running(&self) -> bool {
        self.session.running().is_some()
    }

    /// Whether a turn has edits that can be taken back.
    pub fn has_undoable_turn(&self) -> bool {
        !self.is_running() && self.session.changes.last_turn().is_some()
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("session", &self.session.id)
            .finish_non_exhaustive()
    }
}

/// What was told of a session: told by one turn at a time.
pub struct Told {
    transcript: TranscriptFile,
    /// How many updates clients were sent.
    updates: u64,
}

/// What a person asks of the agent.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The prompt, or the arguments of the skill.
    pub text: String,
    /// The skill to run.
    pub skill: Option<String>,
    /// Where it was asked.
    pub place: Place,
}

/// Starts a turn and returns at once; an error is for the person.
pub fn start(shared: &Arc<Shared>, prompt: Prompt) -> Result<TurnId, String> {
    let (folders, settings, session, told, (mut input, choices)) = {
        let state = shared.state();
        let folders = state.folder_paths();
        let (session, told) = (state.agent.session.clone(), state.agent.told.clone());
        (folders, state.settings.clone(), session, told, input(&state, &prompt)?)
    };
    if folders.is_empty() {
        return Err("no folder is open: the agent works inside the workspace's folders only; open one".to_owned());
    }
    let workspace = Workspace::open(&folders).map_err(|error| format!("the workspace can't be opened: {error}"))?;
    let workspace = Arc::new(workspace);
    let chosen = models::chosen(shared, &choices)?;
    input.notes = chosen.notes;
    let trust = TrustStore::new(shared.environment.state_folder()?);
    let (grants, shell) = {
        let mut state = shared.state();
        let folder = shared.environment.state_folder()?;
        let grants = state
            .agent
            .grants
            .get_or_insert_with(|| Arc::new(Grants::new(folder)))
            .clone();
        let shell = Shell {
            jobs: state.agent.jobs.clone(),
            output_folder: Some(folder.join("output")),
            writable: settings.shell_writable.clone(),
            is_sandboxed: settings.shell_sandbox,
        };
        (grants, shell)
    };
    let permissions = Permissions::new(settings.permission_mode, settings.trust_workspace, trust)
        .with_rules(settings.permission_rules.clone(), grants);
    let id = input.id.clone();
    let started = session.start(input).map_err(|busy| busy.to_string())?;
    let (events, telling) = teller::start(shared.clone(), session.id.clone(), told);
    let host = EditorHost::new(shared.clone(), workspace.clone(), session.id.clone(), events);
    let engine = Engine {
        model: chosen.model,
        price: chosen.price,
        tools: tools::all(&shell),
        workspace,
        host: Arc::new(host),
        ledger: session.ledger.clone(),
        changes: session.changes.clone(),
        permissions: Arc::new(permissions),
        skills: skills::of(shared, settings.model.context_window, &session)?,
        limits: Limits::default(),
    };
    tokio::spawn(async move {
        started.run(&engine).await;
        // The last sender goes with the engine; then everything has been told.
        drop(engine);
        if let Err(error) = telling.await {
            tracing::error!("telling of the turn failed: {error}");
        }
    });
    Ok(id)
}

/// Stops the running turn; tells whether there was one.
pub fn cancel(shared: &Shared) -> bool {
    shared.state().agent.session.cancel(None)
}

/// Stops the turn that a progress belongs to.
pub fn cancel_by_token(shared: &Shared, token: &ProgressToken) {
    if let ProgressToken::String(turn) = token {
        shared.state().agent.session.cancel(Some(&TurnId(turn.as_str().into())));
    }
}

/// Takes back the edits of a turn where they still stand; what it did is told when it is done.
pub fn undo(shared: &Arc<Shared>, turn: Option<&str>) -> Result<String, String> {
    let (session, folders) = {
        let state = shared.state();
        (state.agent.session.clone(), state.folder_paths())
    };
    if let Some(running) = session.running() {
        return Err(format!("turn {running} is still running: stop it first"));
    }
    let turn = match turn {
        Some(turn) => TurnId(turn.into()),
        None => session
            .changes
            .last_turn()
            .ok_or("the agent has made no edits that can be taken back")?,
    };
    let changes = session.changes.of_turn(&turn);
    if changes.is_empty() {
        return Err(format!("turn {turn} has no edits that can be taken back"));
    }
    let workspace = Workspace::open(&folders).map_err(|error| format!("the workspace can't be opened: {error}"))?;
    let shared = shared.clone();
    let undone = turn.to_string();
    tokio::spawn(async move {
        let mut problems = Vec::new();
        let mut taken_back = 0;
        for (path, changes) in &changes {
            let told = Mutex::new((Vec::new(), Vec::new()));
            let plan = |current: Option<&str>| {
                let undone = undo_all(changes, current);
                *told.lock().unwrap_or_else(PoisonError::into_inner) = (undone.changes, undone.kept);
                Ok(undone.text)
            };
            match edits::apply(&shared, &workspace, path, "skills: undo", &plan).await {
                Ok(_) => {
                    let (gone, kept) = told.into_inner().unwrap_or_else(PoisonError::into_inner);
                    taken_back += usize::from(!gone.is_empty());
                    problems.extend(kept);
                    session.changes.mark_undone(&gone);
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
        let files = if taken_back == 1 {
            "1 file".to_owned()
        } else {
            format!("{taken_back} files")
        };
        let (kind, message) = match problems.is_empty() {
            true => (
                MessageType::INFO,
                format!("skills: took back the turn's edits of {files}"),
            ),
            false => {
                let problems = problems.join("\n");
                (
                    MessageType::WARNING,
                    format!("skills: took back edits of {files}; what stays:\n{problems}"),
                )
            }
        };
        shared.client.show_message(kind, message).await;
    });
    Ok(undone)
}

/// Opens the transcript beside the work.
pub fn open_transcript(shared: &Arc<Shared>) -> Result<(), String> {
    let (told, shows) = {
        let state = shared.state();
        (state.agent.told.clone(), state.client.shows_documents)
    };
    let path = TranscriptFile::path(&shared.environment, &shared.state().agent.session.id)?;
    if !shows {
        return Err(format!(
            "this editor can't be told to open a file: open {} yourself",
            path.display()
        ));
    }
    let uri = Uri::from_file_path(&path).ok_or_else(|| format!("{} has no URI", path.display()))?;
    let shared = shared.clone();
    tokio::spawn(async move {
        if let Err(error) = told.lock().await.transcript.flush(&shared).await {
            tracing::warn!("the transcript could not be written: {error}");
        }
        let params = ShowDocumentParams {
            uri,
            external: None,
            take_focus: Some(true),
            selection: None,
        };
        if !shared.client.show_document(params).await.unwrap_or_default() {
            let message = format!("skills: the editor did not open {}", path.display());
            shared.client.show_message(MessageType::WARNING, message).await;
        }
    });
    Ok(())
}

/// Records whether a folder is trusted.
pub fn trust(shared: &Shared, folder: &str, trusted: bool) -> Result<(), String> {
    let path = match folder.parse::<Uri>().ok().and_then(|uri| document::file_path(&uri)) {
        Some(path) => path,
        None => document::resolved(Path::new(folder)),
    };
    if !shared.state().folders.iter().any(|open| open.path == path) {
        return Err(format!("{} is no folder of this workspace", path.display()));
    }
    TrustStore::new(shared.environment.state_folder()?)
        .set(&path, trusted)
        .map_err(|error| error.to_string())?;
    // What links lead to, and what skills may ask for, depends on it.
    shared.rescan.notify_one();
    Ok(())
}

/// Stops everything that runs: the connection ends.
pub fn stop_all(shared: &Shared) {
    cancel(shared);
}

/// What the model is given of a prompt, and which model the skill and the person ask for.
fn input(state: &State, prompt: &Prompt) -> Result<(TurnInput, Vec<Choice>), String> {
    let mut choices = Vec::new();
    let (text, skill) = match &prompt.skill {
        None => (prompt.text.clone(), None),
        Some(name) => {
            let skill = skills::find(state, name, prompt.place.uri.as_ref())?;
            choices.push(Choice {
                by: Chooser::Skill(skill.name.clone()),
                model: skill.metadata.model.clone(),
                effort: skill.metadata.effort.clone(),
            });
            let arguments = prompt.text.clone();
            (String::new(), Some(Invoke { skill, arguments }))
        }
    };
    let Place { model, effort, .. } = prompt.place.clone();
    choices.push(Choice::by_person(model, effort));
    let input = TurnInput {
        id: TurnId::random(),
        prompt: text,
        skill,
        context: context(state, &prompt.place),
        notes: Vec::new(),
    };
    Ok((input, choices))
}

/// What the person looks at: the file and the lines that are selected in it.
fn context(state: &State, place: &Place) -> Vec<String> {
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
