//! The handlers of `skills/session/*`. Each changes the state before its first wait.

use std::sync::Arc;

use skills_agent::event::TurnId;
use tower_lsp::jsonrpc::{Error, Result};

use super::{Server, refused};
use crate::authority::Authority;
use crate::protocol::SessionUpdate;
use crate::protocol::commands::PromptPlace;
use crate::protocol::session::{
    self, CancelParams, ConfigAnswer, ContentBlock, DequeueAnswer, DequeueParams, ListAnswer, ListParams, NewParams,
    Opened, PromptAnswer, PromptParams, ReplayFrom, ResumeParams, SessionParams, SetConfigOptionParams,
};
use crate::refusal::Refusal;
use crate::state::Shared;
use crate::state::agent::sessions::Prompt;
use crate::turns::delivery::{self, Request};
use crate::turns::{models, sessions};

impl Server {
    /// What the handlers share, for a client that may send this message.
    pub(crate) fn allowed(&self, method: &str) -> Result<Arc<Shared>> {
        let shared = self.shared();
        shared.state().agent.may(method).map_err(refused)?;
        Ok(shared)
    }

    pub(crate) async fn session_new(&self, _: NewParams) -> Result<Opened> {
        let shared = self.allowed(session::NEW)?;
        let opened = sessions::new(&shared).map_err(refused)?;
        models::tell(&shared).await;
        Ok(opened)
    }

    pub(crate) async fn session_list(&self, _: ListParams) -> Result<ListAnswer> {
        sessions::list(&self.allowed(session::LIST)?).map_err(refused)
    }

    pub(crate) async fn session_resume(&self, params: ResumeParams) -> Result<Opened> {
        let shared = self.allowed(session::RESUME)?;
        let opened = sessions::resume(&shared, &params.session_id).map_err(refused)?;
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
            .map_err(refused)
    }

    pub(crate) async fn session_delete(&self, params: SessionParams) -> Result<()> {
        sessions::delete(&self.allowed(session::DELETE)?, &params.session_id).map_err(refused)
    }

    pub(crate) async fn session_fork(&self, params: SessionParams) -> Result<Opened> {
        let shared = self.allowed(session::FORK)?;
        let fork = sessions::store(&shared)
            .and_then(|store| store.fork(&params.session_id).map_err(Refusal::of))
            .map_err(refused)?;
        sessions::resume(&shared, &fork).map_err(refused)
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
            place: PromptPlace {
                uri,
                range,
                ..PromptPlace::default()
            },
        };
        let request = Request {
            session: params.session_id,
            prompt,
            delivery: params.delivery,
            expected: params.expected_turn_id.map(|turn| TurnId(turn.into())),
            is_plain: shared.state().agent.authority() < Authority::Person,
        };
        delivery::deliver(&shared, request).map_err(refused)
    }

    pub(crate) async fn session_dequeue(&self, params: DequeueParams) -> Result<DequeueAnswer> {
        let turn = TurnId(params.turn_id.into());
        let removed =
            delivery::dequeue(&self.allowed(session::DEQUEUE)?, Some(&params.session_id), &turn).map_err(refused)?;
        Ok(DequeueAnswer { removed })
    }

    pub(crate) async fn session_set_config_option(&self, params: SetConfigOptionParams) -> Result<ConfigAnswer> {
        let shared = self.allowed(session::SET_CONFIG_OPTION)?;
        let value = params.value.as_str().map(ToOwned::to_owned);
        let value = value.ok_or_else(|| refused("the value must be a text".into()))?;
        models::set_option(&shared, &params.session_id, &params.config_id, value).map_err(refused)?;
        let state = shared.state();
        let config_options = sessions::config_options(&state, &params.session_id).map_err(refused)?;
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
