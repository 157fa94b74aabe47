//! Edits that are shown to the person before they are made, in editors that can show them, and in terminals beside them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ropey::Rope;
use skills_agent::changes::diff;
use skills_agent::changes::edits::hunks;
use skills_agent::event::random_id;
use skills_agent::host::{Answer, Choice, ChoiceKind, Proposal, Question, Reviewed};
use tower_lsp::ls_types::Uri;

use super::questions;
use crate::printable::printable;
use crate::protocol::{EditReview, PermissionResolved, PermissionResolvedParams, ReviewHunk, ReviewParams};
use crate::state::Shared;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The answers of a terminal that accept one change alone, and how many changes are offered so.
const SINGLE: [&str; 9] = [
    "change1", "change2", "change3", "change4", "change5", "change6", "change7", "change8", "change9",
];
const REJECT: &str = "reject";
const ALL: &str = "all";

/// Shows an edit and waits for the decisions; `None` where the client can't show it. Dropped, it is withdrawn. Whoever
/// decides first, in the editor or in a terminal, decides.
pub async fn review(shared: &Arc<Shared>, session: &str, proposal: Proposal) -> Option<Reviewed> {
    let (count, question) = asked(&proposal);
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
    let asking = tokio::time::timeout(PATIENCE, shared.client.send_request::<EditReview>(params));
    let in_terminal = questions::ask_terminals(shared, session, question);
    let answered = tokio::select! {
        answered = asking => answered,
        answer = in_terminal => return Some(decided(answer, count)),
    };
    let answer = match answered {
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

/// The same for a terminal: the difference, and how many changes it has.
fn asked(proposal: &Proposal) -> (u32, Question) {
    let (before, after) = (proposal.before.as_deref(), proposal.after.as_deref());
    let changes = hunks(before.unwrap_or_default(), after.unwrap_or_default()).len();
    let option = |id: &'static str, label: String, kind| Choice { id, label, kind };
    let mut choices = vec![
        option(REJECT, "Reject".to_owned(), ChoiceKind::RejectOnce),
        option(ALL, "Make the edit".to_owned(), ChoiceKind::AllowOnce),
    ];
    if (2..=SINGLE.len()).contains(&changes) {
        let single = (1..=changes).zip(SINGLE);
        choices.extend(
            single.map(|(number, id)| option(id, format!("Make change {number} alone"), ChoiceKind::AllowOnce)),
        );
    }
    let question = Question {
        title: proposal.title.clone(),
        detail: diff::unified(before, after).0,
        choices,
        rules: String::new(),
        takes_text: false,
    };
    (u32::try_from(changes).unwrap_or(u32::MAX), question)
}

/// What a terminal's answer accepts; anything but an offered answer accepts nothing.
fn decided(answer: Answer, changes: u32) -> Reviewed {
    let (id, message) = match answer {
        Answer::Chosen(id) => (id, None),
        Answer::Replied { id, text } => (id, Some(text)),
        Answer::Dismissed => (REJECT, None),
    };
    let accepted = match (id, SINGLE.iter().position(|single| *single == id)) {
        (ALL, _) => (1..=changes).collect(),
        (_, Some(index)) => u32::try_from(index + 1).into_iter().collect(),
        _ => BTreeSet::new(),
    };
    Reviewed { accepted, message }
}

/// Takes what is shown back, whatever happened to it.
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
