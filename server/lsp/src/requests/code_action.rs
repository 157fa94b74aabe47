//! `textDocument/codeAction`: the fixes of findings, and the agent's entries.
//!
//! Editors ask at every move of the cursor: nothing here waits, reads a file or asks a model.

use serde_json::json;
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Command,
};

use crate::document::Document;
use crate::printable::printable;
use crate::protocol::OptionKind;
use crate::state::Snapshot;
use crate::{commands, from_proto, to_proto};

/// What can be done at a place: repairs of the findings there, the skills that are active for the document, and the
/// agent.
pub fn code_action(snapshot: &Snapshot, params: &CodeActionParams) -> Option<CodeActionResponse> {
    let document = snapshot.document.as_ref()?;
    let mut actions = Vec::new();
    let wanted = |kind: &CodeActionKind| {
        let only = params.context.only.as_deref();
        only.is_none_or(|only| only.iter().any(|wanted| is_kind(kind, wanted)))
    };
    if wanted(&CodeActionKind::QUICKFIX) {
        actions.extend(
            fixes(snapshot, document, params)
                .into_iter()
                .map(CodeActionOrCommand::CodeAction),
        );
    }
    // Commands have no kind: they are offered where the client asked for no kind in particular.
    if params.context.only.is_none() {
        actions.extend(agent(snapshot, params).into_iter().map(CodeActionOrCommand::Command));
    }
    Some(actions)
}

/// Kinds are hierarchical: `quickfix.a` is a `quickfix`.
fn is_kind(kind: &CodeActionKind, wanted: &CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(wanted.as_str());
    wanted.as_str().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn fixes(snapshot: &Snapshot, document: &Document, params: &CodeActionParams) -> Vec<CodeAction> {
    let Some(analysis) = document.current_analysis() else {
        return Vec::new();
    };
    let encoding = snapshot.client.encoding;
    // The cursor rests at a line's start or end more often than on the characters that are wrong.
    let asked = from_proto::lines(document, encoding, params.range);
    let here = analysis
        .findings
        .iter()
        .filter(|finding| finding.range.intersect(asked).is_some());
    here.flat_map(|finding| {
        let diagnostic = to_proto::diagnostic(document, encoding, finding);
        finding.fixes.iter().map(move |fix| CodeAction {
            title: fix.title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic.clone()]),
            edit: Some(to_proto::workspace_edit(to_proto::document_edit(
                document, encoding, &fix.edits,
            ))),
            is_preferred: Some(fix.safe),
            ..CodeAction::default()
        })
    })
    .collect()
}

/// Plain commands: Helix would block on resolving an action that has a command and no edit.
fn agent(snapshot: &Snapshot, params: &CodeActionParams) -> Vec<Command> {
    let uri = &params.text_document.uri;
    let place = json!({"uri": uri, "range": params.range});
    let command = |title: String, id: &str, arguments| Command {
        title,
        command: id.to_owned(),
        arguments: Some(arguments),
    };
    let mut entries = Vec::new();
    for question in &snapshot.questions {
        for choice in &question.options {
            let title = format!("{} {}", question.title, choice.name);
            let id = match choice.kind {
                OptionKind::AllowOnce => commands::APPROVE,
                OptionKind::AllowAlways => commands::APPROVE_ALWAYS,
                OptionKind::RejectOnce | OptionKind::RejectAlways => commands::REJECT,
            };
            entries.push(command(title, id, vec![json!(question.request_id)]));
        }
    }
    for skill in snapshot.active.get(uri).into_iter().flatten() {
        let title = format!("Run skill: {}", printable(&skill.name));
        entries.push(command(
            title,
            commands::RUN,
            vec![json!(skill.name), json!(""), place.clone()],
        ));
    }
    if snapshot.turn_is_running {
        entries.push(command("Stop the agent".to_owned(), commands::CANCEL, Vec::new()));
    } else {
        entries.push(command(
            "Ask the agent…".to_owned(),
            commands::ASK,
            vec![json!(""), place],
        ));
    }
    if snapshot.has_undoable_turn {
        entries.push(command(
            "Undo the agent's last turn".to_owned(),
            commands::UNDO_TURN,
            Vec::new(),
        ));
    }
    entries
}
