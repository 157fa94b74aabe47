//! Edits that are shown to the person before they are made, in editors that can show them.

use std::sync::Arc;
use std::time::Duration;

use ropey::Rope;
use skills_agent::changes::edits::hunks;
use skills_agent::event::random_id;
use skills_agent::host::{Proposal, Reviewed};
use tower_lsp::ls_types::Uri;

use crate::printable::printable;
use crate::protocol::{EditReview, PermissionResolved, PermissionResolvedParams, ReviewHunk, ReviewParams};
use crate::state::Shared;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Shows an edit and waits for the decisions; `None` where the client can't show it. Dropped, it is withdrawn.
pub async fn review(shared: &Arc<Shared>, session: &str, proposal: Proposal) -> Option<Reviewed> {
    let params = {
        let state = shared.state();
        if !state.client.agent.review {
            return None;
        }
        let document = state.documents.of_path(&proposal.path);
        let before = proposal.before.as_deref().unwrap_or_default();
        let after = proposal.after.as_deref().unwrap_or_default();
        let rope = Rope::from_str(before);
        let encoding = state.client.encoding;
        let shown = (1..).zip(hunks(before, after)).map(|(hunk_id, hunk)| ReviewHunk {
            hunk_id,
            range: encoding.range(&rope, hunk.old.clone()),
            old_text: before[hunk.old].to_owned(),
            new_text: after[hunk.new].to_owned(),
        });
        ReviewParams {
            session_id: session.to_owned(),
            request_id: random_id(),
            title: printable(&proposal.title),
            uri: match document {
                Some(document) => document.uri.clone(),
                None => Uri::from_file_path(&proposal.path)?,
            },
            version: document
                .filter(|document| **document.text() == *before)
                .map(|document| document.version),
            hunks: shown.collect(),
        }
    };
    let _withdrawal = Withdrawal {
        shared: shared.clone(),
        request: params.request_id.clone(),
    };
    let asking = shared.client.send_request::<EditReview>(params);
    let answer = match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::warn!("the client could not show an edit: {error}");
            Default::default()
        }
        Err(_) => Default::default(),
    };
    let accepted = answer.decisions.iter().filter(|decision| decision.action == "accept");
    Some(Reviewed {
        accepted: accepted.map(|decision| decision.hunk_id).collect(),
        message: answer.message,
    })
}

/// Takes what is shown back, whatever became of it.
struct Withdrawal {
    shared: Arc<Shared>,
    request: String,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let params = PermissionResolvedParams {
            request_id: std::mem::take(&mut self.request),
            option_id: None,
        };
        let shared = self.shared.clone();
        tokio::spawn(async move { shared.client.send_notification::<PermissionResolved>(params).await });
    }
}
