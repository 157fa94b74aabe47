//! Sessions of the workspace: begun, opened again, listed, removed, and what is chosen for them.

use std::sync::Arc;

use skills_agent::conversation::store::Store;
use skills_agent::permission::Mode;
use skills_agent::session::Session;

use crate::document;
use crate::protocol::SessionUpdate;
use crate::protocol::session::{ConfigOption, ListAnswer, ListedSession, Opened};
use crate::protocol::update::Update;
use crate::refusal::Refusal;
use crate::state::agent::sessions::Open;
use crate::state::{Shared, State};

const MODES: &[(&str, Mode)] = &[
    ("acceptEdits", Mode::AcceptEdits),
    ("ask", Mode::Ask),
    ("readOnly", Mode::ReadOnly),
];

/// Begins a session, which is the current one from now on.
pub fn new(shared: &Arc<Shared>) -> Result<Opened, Refusal> {
    let session = Session::new();
    let id = session.id.clone();
    let mut state = shared.state();
    state.agent.sessions.add(Open::of(session));
    opened(&state, &id)
}

/// The sessions of the workspace's folders, those that are open first.
pub fn list(shared: &Arc<Shared>) -> Result<ListAnswer, Refusal> {
    let stored = store(shared)?.list();
    let state = shared.state();
    let folders = state.folder_paths();
    let mut listed = Vec::new();
    for open in state.agent.sessions.iter() {
        let kept = stored.iter().find(|summary| summary.id == open.session.id);
        let running = open.session.running().is_some();
        listed.push(ListedSession {
            session_id: open.session.id.clone(),
            title: kept.map(|summary| summary.title.clone()).unwrap_or_default(),
            updated_at: kept.map_or(0, |summary| summary.updated),
            state: if running { "running" } else { "idle" }.to_owned(),
        });
    }
    let is_open = |id: &str| state.agent.sessions.get(Some(id)).is_ok();
    let others = stored
        .iter()
        .filter(|summary| !is_open(&summary.id) && summary.folders.iter().any(|folder| folders.contains(folder)));
    listed.extend(others.map(|summary| ListedSession {
        session_id: summary.id.clone(),
        title: summary.title.clone(),
        updated_at: summary.updated,
        state: "closed".to_owned(),
    }));
    Ok(ListAnswer { sessions: listed })
}

/// Opens a session again, or makes an open one the current one.
pub fn resume(shared: &Arc<Shared>, id: &str) -> Result<Opened, Refusal> {
    let store = store(shared)?;
    let mut state = shared.state();
    if !state.agent.sessions.choose(id) {
        drop(state);
        let (session, stored) = Session::resume(&store, id).map_err(Refusal::of)?;
        state = shared.state();
        let folders = state.folder_paths();
        // What was read and said there is of another workspace, whose trust and paths don't hold here.
        if !stored.folders.iter().any(|folder| folders.contains(folder)) {
            let folders: Vec<_> = stored
                .folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            return Err(format!("session {id} belongs to {}; open that folder first", folders.join(", ")).into());
        }
        state.agent.sessions.add(Open::resumed(session, &stored));
    }
    opened(&state, id)
}

/// Closes a session and removes it for good.
pub fn delete(shared: &Arc<Shared>, id: &str) -> Result<(), Refusal> {
    let store = store(shared)?;
    {
        let mut state = shared.state();
        if let Ok(open) = state.agent.sessions.get(Some(id)) {
            if let Some(turn) = open.session.running() {
                return Err(format!("turn {turn} is still running: cancel it, or wait for its end").into());
            }
            state.agent.sessions.close(id)?;
        }
    }
    store.delete(id).map_err(Refusal::of)
}

fn opened(state: &State, id: &str) -> Result<Opened, Refusal> {
    Ok(Opened {
        session_id: id.to_owned(),
        config_options: config_options(state, id)?,
        last_seq: state.agent.sessions.get(Some(id))?.since(u64::MAX).1,
    })
}

/// Tells clients what is chosen for a session (the current one without) from now on.
pub(super) fn tell_options(shared: &Arc<Shared>, session: Option<&str>) {
    let options = {
        let state = shared.state();
        let open = state.agent.sessions.get(session).map(|open| open.session.id.clone());
        open.and_then(|id| Ok((config_options(&state, &id)?, id)))
    };
    if let Ok((options, id)) = options {
        let config_options = options;
        tell(shared, &id, Update::ConfigOptionUpdate { config_options });
    }
}

/// What can be chosen for an open session, and what is.
pub fn config_options(state: &State, id: &str) -> Result<Vec<ConfigOption>, Refusal> {
    let open = state.agent.sessions.get(Some(id))?;
    let choice = open.choice.as_ref();
    let mode = open.mode.unwrap_or(state.settings.permission_mode);
    let mode = MODES
        .iter()
        .find(|(_, known)| *known == mode)
        .map_or("", |(name, _)| name);
    let option = |id: &str, name: &str, value: Option<String>, options: &[&str]| ConfigOption {
        id: id.to_owned(),
        name: name.to_owned(),
        current_value: value.unwrap_or_else(|| "default".to_owned()),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
    };
    let modes: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
    Ok(vec![
        option("model", "Model", choice.and_then(|choice| choice.model.clone()), &[]),
        option(
            "thought_level",
            "Effort",
            choice.and_then(|choice| choice.effort.clone()),
            &["low", "medium", "high", "xhigh", "max"],
        ),
        option("mode", "Edits", Some(mode.to_owned()), &modes),
    ])
}

/// Tells clients of something in a session that is no event of a turn; one that was closed meanwhile tells nothing.
pub fn tell(shared: &Arc<Shared>, session: &str, update: Update) {
    let params = {
        let mut state = shared.state();
        let takes = state.client.agent.session_update;
        let Ok(open) = state.agent.sessions.get_mut(Some(session)) else {
            return;
        };
        let turn = open.session.running().map(|turn| turn.to_string()).unwrap_or_default();
        let params = open.update(&turn, update);
        state.agent.told.send_replace(());
        if !takes {
            return;
        }
        params
    };
    let shared = shared.clone();
    tokio::spawn(async move { shared.client.send_notification::<SessionUpdate>(params).await });
}

/// Where sessions are kept; an error is for the person.
pub fn store(shared: &Shared) -> Result<Store, Refusal> {
    Ok(Store::new(&document::resolved(shared.environment.state_folder()?)))
}
