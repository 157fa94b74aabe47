//! The handlers of `skills/session/*`. Each changes the state before its first wait.

use std::sync::Arc;

use serde_json::json;
use skills_agent::event::TurnId;
use skills_agent::permission::Mode;
use skills_agent::session::Session;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use super::delivery::{self, Refusal, Request};
use super::sessions::{self, Open};
use super::{Prompt, models};
use crate::authority::Authority;
use crate::commands::Place;
use crate::protocol::SessionUpdate;
use crate::protocol::session::{
    self, CancelParams, ConfigAnswer, ConfigOption, ContentBlock, DequeueAnswer, DequeueParams, ListAnswer, ListParams,
    ListedSession, NewParams, Opened, PromptAnswer, PromptParams, ReplayFrom, ResumeParams, SessionParams,
    SetConfigOptionParams,
};
use crate::server::Server;
use crate::state::{Shared, State};

/// The standard's code for a request that was right and could not be done.
const REQUEST_FAILED: i64 = -32803;

const MODES: &[(&str, Mode)] = &[
    ("acceptEdits", Mode::AcceptEdits),
    ("ask", Mode::Ask),
    ("readOnly", Mode::ReadOnly),
];

impl Server {
    /// What the handlers share, for a client that may send this message.
    pub(crate) fn allowed(&self, method: &str) -> Result<Arc<Shared>> {
        let shared = self.shared();
        shared.state().agent.may(method).map_err(failed)?;
        Ok(shared)
    }

    pub(crate) async fn session_new(&self, _: NewParams) -> Result<Opened> {
        let shared = self.allowed(session::NEW)?;
        let opened = new(&shared).map_err(failed)?;
        models::tell(&shared).await;
        Ok(opened)
    }

    pub(crate) async fn session_list(&self, _: ListParams) -> Result<ListAnswer> {
        list(&self.allowed(session::LIST)?).map_err(failed)
    }

    pub(crate) async fn session_resume(&self, params: ResumeParams) -> Result<Opened> {
        let shared = self.allowed(session::RESUME)?;
        let opened = resume(&shared, &params.session_id).map_err(failed)?;
        models::tell(&shared).await;
        let from = match params.replay_from {
            None => return Ok(opened),
            Some(ReplayFrom::Start) => 0,
            Some(ReplayFrom::Seq { seq }) => seq,
        };
        let updates = match shared.state().agent.sessions.get(Some(&params.session_id)) {
            Ok(open) => open.since(from).0,
            Err(_) => Vec::new(),
        };
        for update in updates {
            shared.client.send_notification::<SessionUpdate>(update).await;
        }
        Ok(opened)
    }

    pub(crate) async fn session_close(&self, params: SessionParams) -> Result<()> {
        self.allowed(session::CLOSE)?
            .state()
            .agent
            .sessions
            .close(&params.session_id)
            .map_err(failed)
    }

    pub(crate) async fn session_delete(&self, params: SessionParams) -> Result<()> {
        delete(&self.allowed(session::DELETE)?, &params.session_id).map_err(failed)
    }

    pub(crate) async fn session_fork(&self, params: SessionParams) -> Result<Opened> {
        let shared = self.allowed(session::FORK)?;
        let fork = sessions::store(&shared)
            .and_then(|store| store.fork(&params.session_id).map_err(|error| error.to_string()))
            .map_err(failed)?;
        resume(&shared, &fork).map_err(failed)
    }

    pub(crate) async fn session_prompt(&self, params: PromptParams) -> Result<PromptAnswer> {
        let shared = self.allowed(session::PROMPT)?;
        let texts = params.prompt.into_iter().map(|ContentBlock::Text { text }| text);
        let text = texts.collect::<Vec<_>>().join("\n");
        if text.trim().is_empty() {
            return Err(Error::invalid_params("the prompt is empty"));
        }
        let (uri, range) = params
            .context
            .map_or((None, None), |context| (Some(context.text_document.uri), context.range));
        let prompt = Prompt {
            id: params.turn_id.map_or_else(TurnId::random, |turn| TurnId(turn.into())),
            text,
            skills: Vec::new(),
            place: Place {
                uri,
                range,
                ..Place::default()
            },
        };
        let request = Request {
            session: params.session_id,
            prompt,
            delivery: params.delivery,
            expected: params.expected_turn_id.map(|turn| TurnId(turn.into())),
            is_plain: shared.state().agent.authority() < Authority::Person,
        };
        delivery::deliver(&shared, request).map_err(|refusal| {
            let reason = match &refusal {
                Refusal::Busy(_) => Some("busy"),
                Refusal::TurnMismatch(_) => Some("turnMismatch"),
                Refusal::Other(_) => None,
            };
            Error {
                data: reason.map(|reason| json!({"reason": reason})),
                ..failed(refusal.message())
            }
        })
    }

    pub(crate) async fn session_dequeue(&self, params: DequeueParams) -> Result<DequeueAnswer> {
        let turn = TurnId(params.turn_id.into());
        let removed =
            delivery::dequeue(&self.allowed(session::DEQUEUE)?, Some(&params.session_id), &turn).map_err(failed)?;
        Ok(DequeueAnswer { removed })
    }

    pub(crate) async fn session_set_config_option(&self, params: SetConfigOptionParams) -> Result<ConfigAnswer> {
        let shared = self.allowed(session::SET_CONFIG_OPTION)?;
        set_config_option(&shared, &params).map_err(failed)?;
        let state = shared.state();
        let config_options = config_options(&state, &params.session_id).map_err(failed)?;
        Ok(ConfigAnswer { config_options })
    }

    pub(crate) async fn session_cancel(&self, params: CancelParams) {
        let Ok(shared) = self.allowed(session::CANCEL) else {
            return;
        };
        let turn = params.turn_id.map(|turn| TurnId(turn.into()));
        if let Ok(open) = shared.state().agent.sessions.get(Some(&params.session_id)) {
            open.session.cancel(turn.as_ref());
        }
    }
}

/// Begins a session, which is the current one from now on.
pub fn new(shared: &Arc<Shared>) -> std::result::Result<Opened, String> {
    let session = Session::new();
    let id = session.id.clone();
    let mut state = shared.state();
    state.agent.sessions.add(Open::of(session));
    opened(&state, &id)
}

/// The sessions of the workspace's folders, those that are open first.
pub fn list(shared: &Arc<Shared>) -> std::result::Result<ListAnswer, String> {
    let stored = sessions::store(shared)?.list();
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
pub fn resume(shared: &Arc<Shared>, id: &str) -> std::result::Result<Opened, String> {
    let store = sessions::store(shared)?;
    let mut state = shared.state();
    if !state.agent.sessions.choose(id) {
        drop(state);
        let (session, stored) = Session::resume(&store, id).map_err(|error| error.to_string())?;
        state = shared.state();
        let folders = state.folder_paths();
        // What was read and said there is of another workspace, whose trust and paths don't hold here.
        if !stored.folders.iter().any(|folder| folders.contains(folder)) {
            let folders: Vec<_> = stored
                .folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            return Err(format!(
                "session {id} belongs to {}; open that folder first",
                folders.join(", ")
            ));
        }
        state.agent.sessions.add(Open::resumed(session, &stored));
    }
    opened(&state, id)
}

/// Closes a session and removes it for good.
fn delete(shared: &Arc<Shared>, id: &str) -> std::result::Result<(), String> {
    let store = sessions::store(shared)?;
    {
        let mut state = shared.state();
        if let Ok(open) = state.agent.sessions.get(Some(id)) {
            if let Some(turn) = open.session.running() {
                return Err(format!("turn {turn} is still running: cancel it, or wait for its end"));
            }
            state.agent.sessions.close(id)?;
        }
    }
    store.delete(id).map_err(|error| error.to_string())
}

fn set_config_option(shared: &Arc<Shared>, params: &SetConfigOptionParams) -> std::result::Result<(), String> {
    let session = Some(params.session_id.as_str());
    let value = params.value.as_str().ok_or("the value must be a text")?.to_owned();
    match params.config_id.as_str() {
        "model" => models::choose(shared, session, Some(value), None).map(drop),
        "thought_level" => models::choose(shared, session, None, Some(value)).map(drop),
        "mode" => {
            let mode = Mode::of(&value).ok_or("the mode must be acceptEdits, ask or readOnly")?;
            shared.state().agent.sessions.get_mut(session)?.mode = Some(mode);
            tell_options(shared, session);
            Ok(())
        }
        other => Err(format!("{other} is no option; there are model, thought_level and mode")),
    }
}

fn opened(state: &State, id: &str) -> std::result::Result<Opened, String> {
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
        let update = json!({"sessionUpdate": "config_option_update", "configOptions": options});
        sessions::tell(shared, &id, update);
    }
    let shared = shared.clone();
    tokio::spawn(async move { models::tell(&shared).await });
}

fn config_options(state: &State, id: &str) -> std::result::Result<Vec<ConfigOption>, String> {
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

fn failed(message: String) -> Error {
    Error {
        code: ErrorCode::ServerError(REQUEST_FAILED),
        message: message.into(),
        data: None,
    }
}
