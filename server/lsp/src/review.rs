//! What happens to the agent's changes: each is shown where it stands until the person keeps it or takes it back.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Deserialize;
use skills_agent::changes::undo::{Kept, lines, undo_all};
use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::event::TurnId;
use skills_agent::workspace::Workspace;
use skills_schema::shown::shortened;
use tower_lsp::ls_types::{MessageType, Uri};

use crate::document::file_path;
use crate::printable::printable;
use crate::protocol::{ListedChanges, ListedHunk, ResolveAction, ResolveAnswer, ResolveParams};
use crate::refusal::Refusal;
use crate::state::Shared;
use crate::unreviewed::SHOWN_LINES;
use crate::{edits, showing};

/// How many characters of a line a list shows.
const SHOWN_CHARS: usize = 200;

/// The most hunks that are listed at once.
const MAX_LISTED: usize = 200;

/// Which changes a client means: one by its number, those of a file or a turn, or all of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Which {
    /// One change.
    Change(u64),
    /// Those of a file.
    #[serde(rename_all = "camelCase")]
    File {
        /// The file.
        uri: Uri,
    },
    /// Those of a turn.
    #[serde(rename_all = "camelCase")]
    Turn {
        /// The turn.
        turn_id: String,
    },
    /// All of the conversation.
    #[default]
    All,
}

impl Which {
    /// The changes, or hunks of the one; the error says what is wrong.
    pub fn selection(self, hunks: Vec<u32>) -> Result<Selection, Refusal> {
        match self {
            Self::Change(id) => Ok(Selection::Change(id, hunks.into_iter().collect())),
            _ if !hunks.is_empty() => Err("hunks belong to one change: name it by its number".into()),
            Self::File { uri } => {
                let path = file_path(&uri).ok_or_else(|| format!("{} is no file", uri.as_str()))?;
                Ok(Selection::File(path))
            }
            Self::Turn { turn_id } => Ok(Selection::Turn(TurnId(turn_id.into()))),
            Self::All => Ok(Selection::Session),
        }
    }
}

/// Shows again what is undecided in these files, beside the caller.
pub fn show(shared: &Arc<Shared>, paths: Vec<PathBuf>) {
    let shared = shared.clone();
    tokio::spawn(async move {
        let effects = shared.state().show_changes(&paths);
        shared.perform(effects).await;
    });
}

/// Keeps changes: they are no longer shown, and can't be taken back any more. Gives the number of hunks.
pub fn keep(shared: &Arc<Shared>, selection: &Selection) -> Result<usize, Refusal> {
    let changes = shared.state().agent.changes();
    keep_in(shared, &changes, selection)
}

fn keep_in(shared: &Arc<Shared>, changes: &ChangeLog, selection: &Selection) -> Result<usize, Refusal> {
    let files: Vec<_> = changes.undecided(selection).into_keys().collect();
    if files.is_empty() {
        return Err(Refusal::NoChange("keep"));
    }
    let kept = changes.keep(selection);
    show(shared, files);
    Ok(kept)
}

/// Takes back changes beside the caller; what it did is told in a message, and beside that what it could not do as a
/// diff. Where it did nothing the message says so, and why.
pub fn undo(shared: &Arc<Shared>, selection: Selection) -> Result<(), Refusal> {
    let session = shared.state().agent.session_of(&selection)?;
    let changes = &session.changes;
    if let Some(running) = session.running()
        && !matches!(selection, Selection::Change(..) | Selection::File(_))
    {
        return Err(format!("turn {running} is still running: stop it first").into());
    }
    if changes.undecided(&selection).is_empty() && matches!(selection, Selection::Change(..) | Selection::File(_)) {
        return Err(Refusal::NoChange("take back"));
    }
    let shared = shared.clone();
    tokio::spawn(async move {
        let what = match &selection {
            Selection::Turn(_) => "the turn's edits",
            Selection::Session => "the agent's edits",
            Selection::Change(..) | Selection::File(_) => "the chosen edits",
        };
        let Undoing { files, left } = take_back(&shared, &session.changes, &selection).await;
        if files == 0 {
            let why = left.first().map_or("no change of the agent is left", Kept::why);
            let message = printable(&format!("skills: nothing was taken back: {why}"));
            shared.client.show_message(MessageType::WARNING, message).await;
            return;
        }
        let files = match files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        if left.is_empty() {
            let message = format!("skills: took back {what} of {files}");
            shared.client.show_message(MessageType::INFO, message).await;
            return;
        }
        let left = left.iter().map(Kept::to_string).collect::<Vec<_>>().join("\n");
        let message = format!("skills: took back edits of {files}; what stays:\n{left}");
        shared.client.show_message(MessageType::WARNING, message).await;
        showing::show(&shared, "left.diff", &left).await;
    });
    Ok(())
}

/// `skills/edit/resolve`: keeps or takes back hunks of one change, and answers when it is done.
pub async fn resolve(shared: &Arc<Shared>, params: ResolveParams) -> Result<ResolveAnswer, Refusal> {
    let changes = changes_of(shared, params.session_id.as_deref())?;
    let hunks: BTreeSet<u32> = params.hunk_ids.into_iter().collect();
    let selection = Selection::Change(params.change_id, hunks);
    let left = match params.action {
        ResolveAction::Keep => keep_in(shared, &changes, &selection).map(|_| Vec::new())?,
        ResolveAction::Undo => {
            if changes.undecided(&selection).is_empty() {
                return Err(Refusal::NoChange("take back"));
            }
            // A task of its own: a request may be cancelled, an edit that was sent must be noted.
            let (shared, changes, selection) = (shared.clone(), changes.clone(), selection.clone());
            let undoing = tokio::spawn(async move { take_back(&shared, &changes, &selection).await });
            undoing.await.map_err(Refusal::of)?.left
        }
    };
    let remaining = changes.undecided(&Selection::Change(params.change_id, BTreeSet::new()));
    let remaining = remaining.into_values().flatten().flat_map(|undecided| undecided.hunks);
    Ok(ResolveAnswer {
        applied: left.is_empty(),
        remaining: remaining.collect(),
        reason: left.first().map(|kept| printable(kept.why())),
    })
}

/// `skills.server.changes`: what the agent changed in a session, and nobody decided about yet.
pub fn list(shared: &Shared, session: Option<&str>) -> Result<ListedChanges, Refusal> {
    let mut listed = ListedChanges::default();
    for undecided in changes_of(shared, session)?
        .undecided(&Selection::Session)
        .into_values()
        .flatten()
    {
        // Beyond the cap they are counted, not compared again.
        if listed.hunks.len() + undecided.hunks.len() > MAX_LISTED {
            listed.more += undecided.hunks.len();
            continue;
        }
        let change = &undecided.change;
        listed
            .hunks
            .extend(lines(&undecided).into_iter().map(|hunk| ListedHunk {
                change_id: change.id,
                hunk_id: hunk.hunk,
                turn_id: change.turn.to_string(),
                path: change.path.display().to_string(),
                line: hunk.line,
                diff: signed('-', &hunk.before) + &signed('+', &hunk.after),
            }));
    }
    Ok(listed)
}

/// The first lines of a text, each behind a sign.
fn signed(sign: char, text: &str) -> String {
    let mut shown: String = text
        .lines()
        .take(SHOWN_LINES)
        .map(|line| format!("{sign} {}\n", shortened(line, SHOWN_CHARS)))
        .collect();
    let rest = text.lines().count().saturating_sub(SHOWN_LINES);
    if rest > 0 {
        shown.push_str(&format!("{sign} …({rest} more lines)\n"));
    }
    shown
}

fn changes_of(shared: &Shared, session: Option<&str>) -> Result<Arc<ChangeLog>, Refusal> {
    let state = shared.state();
    Ok(state.agent.sessions.get(session)?.session.changes.clone())
}

/// What taking back did.
struct Undoing {
    /// How many files were changed.
    files: usize,
    /// What stays.
    left: Vec<Kept>,
}

async fn take_back(shared: &Arc<Shared>, changes: &ChangeLog, selection: &Selection) -> Undoing {
    let folders = shared.state().folder_paths();
    let mut undoing = Undoing {
        files: 0,
        left: Vec::new(),
    };
    let workspace = match Workspace::open(&folders) {
        Ok(workspace) => Arc::new(workspace),
        Err(error) => {
            let reason = format!("the workspace can't be opened: {error}");
            undoing.left.push(Kept::File(reason));
            return undoing;
        }
    };
    // An edit that its turn did not wait for belongs to what is taken back.
    changes.settled().await;
    let selected = changes.undecided(selection);
    for (path, selected) in &selected {
        let told = Mutex::new((Vec::new(), Vec::new()));
        let plan = |current: Option<&str>| {
            let undone = undo_all(selected, current);
            *told.lock() = (undone.taken, undone.kept);
            Ok(undone.text)
        };
        match edits::apply(shared, &workspace, path, "skills: undo", &plan).await {
            Ok(_) => {
                let (taken, left) = told.into_inner();
                undoing.files += usize::from(!taken.is_empty());
                undoing.left.extend(left);
                for (change, hunks) in taken {
                    changes.decide(change, &hunks);
                }
            }
            Err(error) => undoing.left.push(Kept::File(error.to_string())),
        }
    }
    show(shared, selected.into_keys().collect());
    undoing
}
