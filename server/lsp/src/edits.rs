//! Edits that are believed only when the text proves them.
//!
//! Editors answer "applied" when they did nothing, apply edits to other text than they were made for, and tell of the
//! change before or after the answer. So an edit is made for one version of one document, sent alone, and waited for
//! until the document's own text shows it; until then it is located again in whatever the text has become.

mod closed;
mod saving;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ropey::Rope;
use skills_agent::changes::edits::minimal;
use skills_agent::changes::{Observed, eol, observe};
use skills_agent::host::{Applied, ApplyError};
use skills_agent::workspace::Workspace;
use tokio::time::Instant;
use tower_lsp::ls_types::request::ApplyWorkspaceEdit;
use tower_lsp::ls_types::{
    ApplyWorkspaceEditParams, ApplyWorkspaceEditResponse, DocumentChanges, MessageType, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::document::{Document, Texts, resolved};
use crate::position::Encoding;
use crate::state::Shared;

pub use self::saving::save_all;

/// How often a text that moved is tried again: a person who types without a pause moves it many times.
const ATTEMPTS: usize = 40;
/// How long an editor may take to answer before the person is told that it is waited for.
const ANSWER: Duration = Duration::from_secs(20);
/// Longer than any session.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How long after the answer the text may take to show the edit; Neovim reports changes up to 150 ms late.
const PROOF: Duration = Duration::from_secs(2);
/// How long after the answer a text that moved without the edit is waited on before the edit counts as refused.
const REFUSED: Duration = Duration::from_millis(250);

/// Makes the new text of whatever the file holds now; `None` is a file that does not exist.
pub type Plan<'a> = &'a (dyn Fn(Option<&str>) -> Result<Option<String>, ApplyError> + Send + Sync);

/// Applies a plan to a file, given with links resolved: to its buffer where it is open, else as `closed` says. A plan that
/// changes nothing is done at once.
///
/// Once started it is not to be dropped, or an edit that arrived would go unrecorded. For the same reason it waits for
/// an editor that does not answer: until it does, shows the edit, or closes the document.
pub async fn apply(
    shared: &Shared,
    workspace: &Arc<Workspace>,
    path: &Path,
    label: &str,
    plan: Plan<'_>,
) -> Result<Applied, ApplyError> {
    let _writer = shared.file_locks.lock(path).await;
    // What was allowed was this file: a link that was put there since may lead to a buffer outside the workspace.
    if resolved(path) != path {
        return Err(ApplyError::Stale(format!(
            "{} leads somewhere else since it was checked; try again",
            path.display()
        )));
    }
    for _ in 0..ATTEMPTS {
        let Some((document, texts)) = watched(shared, path) else {
            match closed::apply(shared, workspace, path, label, plan).await? {
                Some(applied) => return Ok(applied),
                None => continue,
            }
        };
        match apply_to_buffer(shared, document, texts, label, plan, Unanswered::Waits).await? {
            Attempt::Applied(applied) => return Ok(applied),
            // The protocol can't close a buffer: what goes is the file, whose text is the one that is shown.
            Attempt::Removal => return closed::remove(workspace, path, plan).await,
            Attempt::Moved => {}
        }
    }
    Err(ApplyError::Stale(format!(
        "{} keeps changing while it is edited; read it again and try once more",
        path.display()
    )))
}

/// The buffer of a file as it is, and every text that it has from then on.
fn watched(shared: &Shared, path: &Path) -> Option<(Document, Texts)> {
    let mut state = shared.state();
    let document = state.documents.of_path(path)?.clone();
    let texts = state.documents.watch(&document.uri);
    Some((document, texts))
}

/// How one attempt on an open buffer ended.
enum Attempt {
    /// The text shows the edit.
    Applied(Applied),
    /// The text moved away under the edit, which did not arrive.
    Moved,
    /// The plan is to remove the file.
    Removal,
}

/// What happens to an edit that the editor does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unanswered {
    /// It may still arrive, and would have to be recorded: it is waited for.
    Waits,
    /// Nobody records it: another one is sent later.
    Fails,
}

/// One attempt on an open buffer.
async fn apply_to_buffer(
    shared: &Shared,
    document: Document,
    mut texts: Texts,
    label: &str,
    plan: Plan<'_>,
    unanswered: Unanswered,
) -> Result<Attempt, ApplyError> {
    let path = document.path.clone().unwrap_or_default();
    let name = path.display();
    let is_new = document.is_new_file();
    let before = (!is_new).then(|| document.text().clone());
    let expected = match plan(before.as_deref())? {
        Some(expected) => expected,
        None if path.exists() => return Ok(Attempt::Removal),
        // A file that was never saved is its buffer alone.
        None => String::new(),
    };
    if expected == **document.text() {
        let after = before.clone();
        return Ok(Attempt::Applied(Applied::alone(before, after)));
    }
    if !shared.state().client.applies_edits {
        return Err(ApplyError::Rejected(format!(
            "{name} is open and this editor takes no edits; close it first"
        )));
    }
    if document.version == 0 && shared.state().client.ignores_version_zero {
        return touch(shared, &document, texts, label).await.map(|()| Attempt::Moved);
    }
    let encoding = shared.state().client.encoding;
    let edits = text_edits(encoding, &document.rope, document.text(), &expected);
    let base = comparable(document.text());
    let wanted = comparable(&expected);
    let mut now = document.clone();
    let mut answer = std::pin::pin!(send(shared, document.uri.clone(), Some(document.version), label, edits));
    let mut received: Option<Result<(), String>> = None;
    let mut answered: Option<Result<(), String>> = None;
    let mut version_at_answer = document.version;
    let mut deadline = Instant::now() + ANSWER;
    loop {
        // The messages are read on another thread: what was told before the answer may come to be seen after it.
        if let Some(result) = received.take_if(|_| texts.is_empty()) {
            answered = Some(result);
            version_at_answer = now.version;
            deadline = Instant::now() + PROOF;
        }
        let text = comparable(now.text());
        let moved = now.version != document.version;
        let seen = if moved {
            observe(&base, &wanted, &text)
        } else {
            Observed::NotApplied
        };
        match (seen, &answered) {
            (Observed::Applied, _) | (Observed::Within, Some(Ok(()))) => {
                let applied = Applied::observed(before, expected.into(), now.text().clone());
                return Ok(Attempt::Applied(applied));
            }
            (Observed::NotApplied, Some(Err(_))) if moved => return Ok(Attempt::Moved),
            (Observed::NotApplied, Some(Err(reason))) => {
                return Err(ApplyError::Rejected(format!(
                    "the editor refused the edit of {name}: {reason}"
                )));
            }
            // A change that was told after the answer would show the edit. The best moment for the next attempt is
            // right after a change: then the editor has nothing left to tell.
            (Observed::NotApplied, Some(Ok(()))) if now.version > version_at_answer => return Ok(Attempt::Moved),
            (Observed::NotApplied, Some(Ok(()))) if moved => deadline = deadline.min(Instant::now() + REFUSED),
            // Where the editor refused it the person has typed the same.
            (Observed::Diverged, Some(_)) | (Observed::Within, Some(Err(_))) => {
                return Err(ApplyError::Diverged(format!(
                    "{name} was changed in the same place while it was edited; read it again before another edit"
                )));
            }
            _ => {}
        }
        tokio::select! {
            biased;
            text = texts.recv() => match text.flatten() {
                Some(text) => now = text,
                None => {
                    let reason = format!("{name} was closed while it was edited; read it again");
                    return Err(ApplyError::Diverged(reason));
                }
            },
            result = &mut answer, if received.is_none() && answered.is_none() => received = Some(result),
            () = tokio::time::sleep_until(deadline) => {
                if moved && answered.is_some() {
                    return Ok(Attempt::Moved);
                }
                if seen == Observed::Within && answered.is_none() {
                    let applied = Applied::observed(before, expected.into(), now.text().clone());
                    return Ok(Attempt::Applied(applied));
                }
                if answered.is_none() && unanswered == Unanswered::Waits {
                    let message = format!(
                        "skills: the editor does not answer an edit of {name}; it is waited for. Close the file to go \
                         on without it."
                    );
                    shared.client.show_message(MessageType::WARNING, message).await;
                    // The next word is the editor's.
                    deadline += FOR_EVER;
                    continue;
                }
                let reason = match answered {
                    None => "the editor did not answer",
                    Some(_) => "the editor said that it was applied, but the text did not change",
                };
                return Err(ApplyError::Rejected(format!("{name} was not edited: {reason}")));
            }
        }
    }
}

/// Sends an edit of nothing. Neovim takes version 0, which every document has until it is first changed, for "no
/// version" and would overwrite what was typed since; the change that this makes it report has a version above 0.
async fn touch(shared: &Shared, document: &Document, mut texts: Texts, label: &str) -> Result<(), ApplyError> {
    let name = document.uri.as_str();
    let nothing = TextEdit {
        range: Range::default(),
        new_text: String::new(),
    };
    let refused = send(
        shared,
        document.uri.clone(),
        Some(document.version),
        label,
        vec![nothing],
    )
    .await
    .err();
    // A refusal means that something was typed: then its change is on the way.
    match tokio::time::timeout(PROOF, texts.recv()).await {
        Ok(Some(Some(_))) => Ok(()),
        Ok(_) => Err(ApplyError::Diverged(format!(
            "{name} was closed while it was edited; read it again"
        ))),
        Err(_) => {
            let reason = refused.unwrap_or_else(|| "the editor reports no changes of it".to_owned());
            Err(ApplyError::Rejected(format!("{name} was not edited: {reason}")))
        }
    }
}

/// Sends edits of one version of one document, or of a closed file; an error is the editor's reason.
async fn send(
    shared: &Shared,
    uri: Uri,
    version: Option<i32>,
    label: &str,
    edits: Vec<TextEdit>,
) -> Result<(), String> {
    let identifier = OptionalVersionedTextDocumentIdentifier { uri, version };
    let edit = TextDocumentEdit {
        text_document: identifier,
        edits: edits.into_iter().map(OneOf::Left).collect(),
    };
    let params = ApplyWorkspaceEditParams {
        label: Some(label.to_owned()),
        edit: WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(vec![edit])),
            ..WorkspaceEdit::default()
        },
    };
    match shared.client.send_request::<ApplyWorkspaceEdit>(params).await {
        Ok(ApplyWorkspaceEditResponse { applied: true, .. }) => Ok(()),
        Ok(ApplyWorkspaceEditResponse { failure_reason, .. }) => {
            Err(failure_reason.unwrap_or_else(|| "the document has changed".to_owned()))
        }
        Err(error) => Err(error.message.into_owned()),
    }
}

/// The smallest edits that make a text another one, sorted and disjoint.
fn text_edits(encoding: Encoding, rope: &Rope, text: &str, expected: &str) -> Vec<TextEdit> {
    minimal(text, expected)
        .into_iter()
        .map(|edit| TextEdit {
            range: encoding.range(rope, edit.range),
            new_text: edit.new_text,
        })
        .collect()
}

/// A text as editors may change it on the way: line ends and the last one do not count.
fn comparable(text: &str) -> String {
    let mut text = eol::to_lf(eol::without_bom(text)).into_owned();
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Adds text to the end of an open buffer; what a person typed there stays before it.
pub async fn append(shared: &Shared, path: &Path, label: &str, addition: &str) -> Result<(), ApplyError> {
    let plan = |current: Option<&str>| Ok(Some(format!("{}{addition}", current.unwrap_or_default())));
    change(shared, path, label, &plan).await
}

/// Replaces the text of an open buffer that is the server's own.
pub async fn rewrite(shared: &Shared, path: &Path, label: &str, text: &str) -> Result<(), ApplyError> {
    change(shared, path, label, &|_| Ok(Some(text.to_owned()))).await
}

/// Applies a plan to an open buffer, which nobody records.
async fn change(shared: &Shared, path: &Path, label: &str, plan: Plan<'_>) -> Result<(), ApplyError> {
    let _writer = shared.file_locks.lock(path).await;
    for _ in 0..ATTEMPTS {
        let Some((document, texts)) = watched(shared, path) else {
            return Err(ApplyError::Diverged(format!("{} was closed", path.display())));
        };
        if let Attempt::Applied(_) = apply_to_buffer(shared, document, texts, label, plan, Unanswered::Fails).await? {
            return Ok(());
        }
    }
    Err(ApplyError::Stale(format!("{} keeps changing", path.display())))
}
