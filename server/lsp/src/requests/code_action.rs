//! `textDocument/codeAction`: the fixes of findings, and the agent's entries.
//!
//! Editors ask at every move of the cursor: nothing here waits, reads a file or asks a model.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use skills_agent::catalog::Skill;
use skills_agent::changes::edits;
use skills_schema::TextRange;
use skills_schema::fixes::{Edit, Fix};
use skills_schema::rules::{self, Severity};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Command,
};

use super::prompt;
use crate::document::Document;
use crate::printable::printable;
use crate::protocol::{FIX_ALL, commands};
use crate::state::{Snapshot, skills};
use crate::{from_proto, to_proto, unreviewed};

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
    // An action on the whole file is for whoever asks for it, such as an editor that saves: no light bulb.
    if params.context.only.is_some() && wanted(&FIX_ALL) {
        actions.extend(fix_all(snapshot, document).map(CodeActionOrCommand::CodeAction));
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
    let client = &snapshot.client;
    // The cursor rests at a line's start or end more often than on the characters that are wrong.
    let asked = from_proto::lines(document, client.encoding, params.range);
    let mut actions = Vec::new();
    let mut allowances = Vec::new();
    for finding in document.findings() {
        if finding.range.intersect(asked).is_none() {
            continue;
        }
        let diagnostic = to_proto::diagnostic(document, client, &finding);
        let action = |fix: &Fix| {
            Some(CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(to_proto::repair(document, &snapshot.client, fix)?),
                is_preferred: Some(fix.safe),
                ..CodeAction::default()
            })
        };
        actions.extend(finding.fixes.iter().filter_map(action));
        // What its own reader refuses is mended, not allowed.
        let is_allowable = finding.severity != Severity::Error;
        let allowance = rules::allow(&analysis.file, &finding).filter(|_| is_allowable);
        allowances.extend(allowance.as_ref().and_then(action));
    }
    // Several findings of one rule and entry are allowed by one comment.
    allowances.dedup_by(|a, b| a.title == b.title);
    actions.extend(allowances);
    actions
}

/// All repairs that change no meaning, as one edit; `None` where there is none.
fn fix_all(snapshot: &Snapshot, document: &Document) -> Option<CodeAction> {
    let analysis = document.current_analysis()?;
    let around = document.around.as_deref();
    let around = around.filter(|around| Arc::ptr_eq(&around.text, document.text()));
    let repaired = analysis.repaired(around.map(|around| around.findings.as_slice()).unwrap_or_default())?;
    let edits: Option<Vec<Edit>> = edits::minimal(document.text(), &repaired)
        .into_iter()
        .map(|edit| {
            let (start, end) = (edit.range.start.try_into().ok()?, edit.range.end.try_into().ok()?);
            Some(Edit::replace(TextRange::new(start, end), edit.new_text))
        })
        .collect();
    let edit = to_proto::document_edit(document, snapshot.client.encoding, &edits?);
    Some(CodeAction {
        title: "Repair all that changes no meaning".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(to_proto::workspace_edit(edit)),
        ..CodeAction::default()
    })
}

/// What can be done about the agent's changes in these lines.
fn changes(snapshot: &Snapshot, params: &CodeActionParams) -> Vec<Command> {
    let Some(document) = &snapshot.document else {
        return Vec::new();
    };
    let lines = params.range.start.line..=params.range.end.line;
    let rope = &document.rope;
    let marks = unreviewed::marks(&snapshot.changes, document)
        .into_iter()
        .filter(|mark| {
            let last = mark.range.end.saturating_sub(1).max(mark.range.start);
            let line = |byte| u32::try_from(rope.byte_to_line(byte)).unwrap_or(u32::MAX);
            line(mark.range.start) <= *lines.end() && *lines.start() <= line(last)
        });
    let entry = |title: &str, id: &str, arguments| Command {
        title: title.to_owned(),
        command: id.to_owned(),
        arguments: Some(arguments),
    };
    let mut entries = Vec::new();
    for mark in marks {
        let arguments = vec![json!(mark.change), json!([mark.hunk])];
        entries.push(entry("Keep the agent's change here", commands::KEEP, arguments.clone()));
        entries.push(entry("Undo the agent's change here", commands::UNDO, arguments));
    }
    if !entries.is_empty() {
        let file = vec![json!({"uri": document.uri})];
        entries.push(entry(
            "Keep all changes of the agent in this file",
            commands::KEEP,
            file.clone(),
        ));
        entries.push(entry(
            "Undo all changes of the agent in this file",
            commands::UNDO,
            file,
        ));
    }
    entries
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
            let arguments = vec![json!(question.request_id), json!(choice.option_id)];
            entries.push(command(title, commands::ANSWER, arguments));
        }
    }
    if prompt::written(snapshot).is_some() {
        entries.push(command(
            "Send to the agent".to_owned(),
            commands::SEND,
            vec![json!({"uri": uri})],
        ));
    }
    if snapshot.turn_is_running {
        entries.push(command("Stop the agent".to_owned(), commands::CANCEL, Vec::new()));
    }
    let active = snapshot.active.get(uri).map(Vec::as_slice).unwrap_or_default();
    for skill in active {
        let known = skill
            .path
            .as_deref()
            .and_then(|path| snapshot.catalog.at(Path::new(path)));
        if known.is_some_and(|known| !known.metadata.user_invocable) {
            continue;
        }
        let title = format!("Run skill: {}", printable(&skill.name));
        entries.push(command(
            title,
            commands::RUN,
            vec![json!(skill.name), json!(""), place.clone()],
        ));
    }
    let is_active = |skill: &Skill| active.iter().any(|active| active.name == skill.name);
    if skills::runnable(&snapshot.catalog).any(|skill| !is_active(skill)) {
        let title = if active.is_empty() {
            "Run a skill…"
        } else {
            "Run another skill…"
        };
        let arguments = vec![json!(""), json!(""), place.clone()];
        entries.push(command(title.to_owned(), commands::RUN, arguments));
    }
    if super::current(snapshot).is_some() {
        let title = "Show who loads this skill".to_owned();
        entries.push(command(title, commands::EXPLAIN, vec![json!(uri)]));
    }
    entries.extend(changes(snapshot, params));
    if !snapshot.turn_is_running {
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
