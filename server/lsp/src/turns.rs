//! Turns in the editor: started by commands, run beside the handlers, told as they go.

pub mod delivery;
pub mod lent_model;
pub mod models;
pub mod requests;
pub mod sessions;

mod host;
mod questions;
mod reviewing;
mod schedule;
pub mod skills;
mod teller;
pub mod transcript;
mod updates;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::event::TurnId;
use skills_agent::model::Choice;
use skills_agent::model::choice::Chooser;
use skills_agent::permission::{Grants, Permissions, TrustStore};
use skills_agent::process::output;
use skills_agent::session::Session;
use skills_agent::tools::{self, Shell};
use skills_agent::turn::{Engine, Invoke, Limits, TurnInput};
use skills_agent::workspace::Workspace;
use tokio::sync::watch;
use tower_lsp::ls_types::{MessageType, ProgressToken, ShowDocumentParams, Uri};

use self::host::EditorHost;
use self::questions::Questions;
use self::sessions::Sessions;
use self::transcript::TranscriptFile;
use crate::authority::{Authority, Caller, Tokens};
use crate::commands::Place;
use crate::printable::{printable, printable_lines};
use crate::state::{Shared, State};
use crate::{document, review};

pub use self::questions::{answer, choose};
pub use self::skills::{find as find_skill, known as known_skill};

/// The agent's part of the state: the conversations and what is waited for in them.
#[derive(Default)]
pub struct Agent {
    /// The open sessions.
    pub sessions: Sessions,
    /// The models of the last turns.
    models: models::Models,
    /// Requests to the model that the client lends.
    lent: lent_model::Requests,
    /// Questions that wait for an answer.
    pub questions: Questions,
    /// Whom the client speaks for.
    authority: Authority,
    /// What a client must show one of before the agent does anything for it.
    tokens: Option<Tokens>,
    /// Whether the client came by an address, and is not the person's own process.
    is_remote: bool,
    /// Marked as changed when there is something new to tell of any session.
    pub told: watch::Sender<()>,
}

impl Agent {
    /// Has the client show one of these tokens before it may do anything: it came by an address.
    pub fn ask_for(&mut self, tokens: Tokens) {
        self.authority = Authority::Nobody;
        self.tokens = Some(tokens);
        self.is_remote = true;
    }

    /// Takes the token that a client showed. The first one counts.
    pub fn show_token(&mut self, token: Option<&str>) {
        if let Some(tokens) = self.tokens.take() {
            self.authority = token.map_or(Authority::Nobody, |token| tokens.authority(token));
        }
    }

    /// Whom the client speaks for.
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// Whether the client came by an address.
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Whether the client may send a command or a message; an error is for the person.
    pub fn may(&self, name: &str) -> Result<(), String> {
        self.authority.may(name)
    }

    /// Whether a turn runs in the current session.
    pub fn is_running(&self) -> bool {
        self.sessions
            .get(None)
            .is_ok_and(|open| open.session.running().is_some())
    }

    /// The session that a selection of changes is of: the one that made the turn, else the current one; an error is for
    /// the person.
    pub fn session_of(&self, selection: &Selection) -> Result<Arc<Session>, String> {
        let made = |session: &Session| match selection {
            Selection::Turn(turn) => {
                session.changes.is_pending(turn) || !session.changes.undecided(selection).is_empty()
            }
            _ => false,
        };
        let open = self.sessions.iter().find(|open| made(&open.session));
        let session = open.map_or_else(|| self.sessions.get(None), Ok)?;
        Ok(session.session.clone())
    }

    /// The recorded edits of the current session.
    pub fn changes(&self) -> Arc<ChangeLog> {
        let current = self.sessions.get(None);
        current.map(|open| open.session.changes.clone()).unwrap_or_default()
    }

    /// Whether a turn of the current session has edits that can be taken back.
    pub fn has_undoable_turn(&self) -> bool {
        let last = self
            .sessions
            .get(None)
            .ok()
            .and_then(|open| open.session.changes.last_turn());
        !self.is_running() && last.is_some()
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.sessions.iter().map(|open| &open.session.id).collect();
        f.debug_struct("Agent").field("sessions", &ids).finish_non_exhaustive()
    }
}

/// What was told of a session: told by one turn at a time.
pub struct Told {
    transcript: TranscriptFile,
}

/// What a person asks of the agent.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The turn that it becomes.
    pub id: TurnId,
    /// The prompt, or the arguments of the skill.
    pub text: String,
    /// The skills to run, in the order in which they were typed; all are given the text.
    pub skills: Vec<String>,
    /// Where it was asked.
    pub place: Place,
}

impl Default for Prompt {
    fn default() -> Self {
        Self {
            id: TurnId::random(),
            text: String::new(),
            skills: Vec::new(),
            place: Place::default(),
        }
    }
}

/// Starts a turn of an open session and returns at once; an error is for the person.
fn start(shared: &Arc<Shared>, session: &str, prompt: Prompt) -> Result<TurnId, String> {
    let repeat = schedule::wanted(&shared.state(), &prompt);
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
        return Err("no folder is open: the agent works inside the workspace's folders only; open one".to_owned());
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
    session
        .keep(&sessions::store(shared)?, folders)
        .map_err(|error| error.to_string())?;
    let id = input.id.clone();
    let started = session.start(input).map_err(|busy| busy.to_string())?;
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
pub fn cancel(shared: &Shared, session: Option<&str>) -> Result<bool, String> {
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
pub fn undo(shared: &Arc<Shared>, turn: Option<&str>) -> Result<String, String> {
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
        return Err(format!("turn {turn} has no edits that can be taken back"));
    }
    review::undo(shared, selection)?;
    Ok(turn.to_string())
}

/// Opens the transcript beside the work.
pub fn open_transcript(shared: &Arc<Shared>) -> Result<(), String> {
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
    let path = TranscriptFile::path(&shared.environment, &id)?;
    let uri = Uri::from_file_path(&path).ok_or_else(|| format!("{} has no URI", path.display()))?;
    let shared = shared.clone();
    tokio::spawn(async move {
        let transcript = &mut told.lock().await.transcript;
        let written = match transcript.offer_prompt(&shared, &listed) {
            Ok(()) => transcript.flush(&shared).await,
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
pub fn trust(shared: &Arc<Shared>, caller: Caller, folder: &str, trusted: bool) -> Result<(), String> {
    let path = match folder.parse::<Uri>().ok().and_then(|uri| document::file_path(&uri)) {
        Some(path) => path,
        None => document::resolved(Path::new(folder)),
    };
    {
        let state = shared.state();
        if !state.folders.iter().any(|open| open.path == path) {
            return Err(format!("{} is no folder of this workspace", path.display()));
        }
        if trusted && state.editor_trust.get(&path) == Some(&false) {
            return Err(format!(
                "your editor does not trust {}, which stands above this: trust it there",
                path.display()
            ));
        }
    }
    // First, whatever becomes of the record.
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
fn input(state: &State, prompt: &Prompt) -> Result<(TurnInput, Vec<Choice>), String> {
    let mut choices = Vec::new();
    let mut skills = Vec::new();
    for name in &prompt.skills {
        let skill = skills::find(state, name, prompt.place.uri.as_ref())?;
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
    let Place { model, effort, .. } = prompt.place.clone();
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
