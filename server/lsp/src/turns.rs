//! Turns in the editor: started by commands, run beside the handlers, told as they go.

pub mod lent_model;
pub mod models;

mod host;
mod questions;
mod reviewing;
mod teller;
mod transcript;

use std::path::Path;
use std::sync::Arc;

use skills_agent::catalog::Skill;
use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::event::{InvokedSkill, TurnId};
use skills_agent::model::Choice;
use skills_agent::model::choice::Chooser;
use skills_agent::permission::{Grants, Permissions, TrustStore};
use skills_agent::process::jobs::Jobs;
use skills_agent::render::{self, Invocation, Origin};
use skills_agent::session::Session;
use skills_agent::tools::{self, Shell};
use skills_agent::turn::{Engine, Limits, TurnInput};
use skills_agent::workspace::Workspace;
use skills_schema::syntax::SkillFile;
use tower_lsp::ls_types::{MessageType, ProgressToken, ShowDocumentParams, Uri};

use self::host::EditorHost;
use self::questions::Questions;
use self::transcript::TranscriptFile;
use crate::commands::Place;
use crate::state::{Shared, State};
use crate::{document, review};

pub use self::questions::answer;

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

    /// The turn that runs.
    pub fn running(&self) -> Option<TurnId> {
        self.session.running()
    }

    /// The recorded edits of the conversation.
    pub fn changes(&self) -> Arc<ChangeLog> {
        self.session.changes.clone()
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

/// Takes back the edits of a turn, the last one where none is named; gives the turn. What it did is told when it is done.
pub fn undo(shared: &Arc<Shared>, turn: Option<&str>) -> Result<String, String> {
    let changes = shared.state().agent.changes();
    let turn = match turn {
        Some(turn) => TurnId(turn.into()),
        None => changes
            .last_turn()
            .ok_or("the agent has made no edits that can be taken back")?,
    };
    let selection = Selection::Turn(turn.clone());
    if changes.undecided(&selection).is_empty() && !changes.is_pending(&turn) {
        return Err(format!("turn {turn} has no edits that can be taken back"));
    }
    review::undo(shared, selection)?;
    Ok(turn.to_string())
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
            let skill = find_skill(state, name, prompt.place.uri.as_ref())?;
            choices.push(Choice {
                by: Chooser::Skill(skill.name.clone()),
                model: skill.metadata.model.clone(),
                effort: skill.metadata.effort.clone(),
            });
            (String::new(), Some(invocation(&skill, &prompt.text)?))
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

/// The skill that is meant: the one of that name which is active for the document, else the one that wins.
fn find_skill(state: &State, name: &str, uri: Option<&Uri>) -> Result<Arc<Skill>, String> {
    let active = uri
        .and_then(|uri| state.active.get(uri))
        .into_iter()
        .flatten()
        .find(|skill| skill.name == name);
    let active = active.and_then(|skill| state.catalog.at(Path::new(skill.path.as_deref()?)));
    active.or_else(|| state.catalog.get(name)).cloned().ok_or_else(|| {
        let broken = state.catalog.skills.iter().find(|skill| skill.name == name);
        match broken {
            Some(skill) => format!("the skill {name} is not loaded: {}", skill.errors.join("; ")),
            None => {
                let known: Vec<_> = state.catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
                format!("there is no skill {name:?}; known are: {}", known.join(", "))
            }
        }
    })
}

/// The skill as it is told to the model, with its identity for the record. Its commands are not run.
fn invocation(skill: &Skill, arguments: &str) -> Result<(InvokedSkill, String), String> {
    let text = skill.text()?;
    let rendered = render::preview(&Invocation {
        name: &skill.name,
        file: &SkillFile::parse(text),
        runtime: skill.dialect.runtime(),
        arguments,
        folder: skill.path.as_deref().and_then(Path::parent),
        project: &skill.root,
        session: None,
        effort: None,
        origin: Origin::Untrusted,
    });
    let invoked = InvokedSkill {
        name: skill.name.clone(),
        path: skill.path.clone(),
        sha256: rendered.sha256,
        bytes: rendered.bytes,
    };
    Ok((invoked, rendered.text))
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
