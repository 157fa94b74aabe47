//! The language model that the client lends: requests go out as `skills/lm/request`, their answers come in parts.

use std::sync::{Arc, Weak};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use skills_agent::event::random_id;
use skills_agent::model::ModelError;
use skills_agent::model::editor::{LanguageModel, LentRequest, Part};
use tokio::sync::mpsc::unbounded_channel;

use crate::protocol::{LmCancel, LmCancelParams, LmChunkParams, LmEndParams, LmParams, LmRequest};
use crate::state::Shared;

/// The client as the agent's model. Weak, because the state keeps the models that it was asked for.
pub struct Lender(Weak<Shared>);

impl Lender {
    /// The client at the other end of a connection.
    pub fn of(shared: &Arc<Shared>) -> Arc<dyn LanguageModel> {
        Arc::new(Self(Arc::downgrade(shared)))
    }
}

/// Takes a part of an answer; one that nobody awaits is dropped.
pub fn take_chunk(shared: &Shared, params: LmChunkParams) {
    if let Some(sender) = shared.state().agent.lent.get(&params.request_id) {
        // The receiver is gone where the turn was stopped a moment ago.
        let _ = sender.send(Ok(params.part));
    }
}

/// Takes the end of an answer.
pub fn take_end(shared: &Shared, params: LmEndParams) {
    let sender = shared.state().agent.lent.remove(&params.request_id);
    if let (Some(sender), Some(error)) = (sender, params.error) {
        let message = format!("the editor's model failed: {error}; ask again, or set another model.provider");
        let _ = sender.send(Err(ModelError::new(message)));
    }
}

impl LanguageModel for Lender {
    fn ask(&self, request: LentRequest) -> BoxStream<'static, Result<Part, ModelError>> {
        let Some(shared) = self.0.upgrade() else {
            return stream::empty().boxed();
        };
        let request_id = random_id();
        let (sender, receiver) = unbounded_channel();
        shared.state().agent.lent.insert(request_id.clone(), sender);
        let params = LmParams {
            request_id: request_id.clone(),
            request,
        };
        let awaited = Awaited {
            shared: shared.clone(),
            request_id: request_id.clone(),
        };
        tokio::spawn(async move {
            let error = match shared.client.send_request::<LmRequest>(params).await {
                Ok(answer) if answer.accepted => return,
                Ok(_) => "it was not allowed, or there is no such model".to_owned(),
                Err(error) => error.message.into_owned(),
            };
            take_end(
                &shared,
                LmEndParams {
                    request_id,
                    error: Some(error),
                },
            );
        });
        stream::unfold((receiver, awaited), |(mut receiver, awaited)| async move {
            let part = receiver.recv().await?;
            Some((part, (receiver, awaited)))
        })
        .boxed()
    }
}

/// An answer that is awaited; dropped before its end, the client is told.
struct Awaited {
    shared: Arc<Shared>,
    request_id: String,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if self.shared.state().agent.lent.remove(&self.request_id).is_none() {
            return;
        }
        let params = LmCancelParams {
            request_id: std::mem::take(&mut self.request_id),
        };
        let shared = self.shared.clone();
        tokio::spawn(async move { shared.client.send_notification::<LmCancel>(params).await });
    }
}
