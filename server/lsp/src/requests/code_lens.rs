//! `textDocument/codeLens`: above a skill what the systems make of it, which open files activate it, and ways to run it
//! and to see what it says; above each change of the agent a way to keep it and to take it back.
//!
//! Every lens has a command of the server, so that it works in a client that knows nothing of skills. Nothing here
//! reads a file.

use serde_json::json;
use skills_agent::catalog::SkillState;
use skills_schema::verdict;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Range};

use super::current;
use crate::printable::printable;
use crate::protocol::commands;
use crate::state::Snapshot;
use crate::unreviewed;

/// The lenses of a document.
pub fn code_lens(snapshot: &Snapshot, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let mut lenses = of_skill(snapshot, params).unwrap_or_default();
    lenses.extend(of_changes(snapshot));
    (!lenses.is_empty()).then_some(lenses)
}

fn of_changes(snapshot: &Snapshot) -> Vec<CodeLens> {
    let Some(document) = snapshot.document.as_ref().filter(|_| !snapshot.client.agent.changes) else {
        return Vec::new();
    };
    let mut lenses = Vec::new();
    for mark in unreviewed::marks(&snapshot.changes, document) {
        let start = snapshot.client.encoding.position(&document.rope, mark.range.start);
        for (title, command) in [("Keep the agent's change", commands::KEEP), ("Undo it", commands::UNDO)] {
            lenses.push(CodeLens {
                range: Range { start, end: start },
                command: Some(Command {
                    title: title.to_owned(),
                    command: command.to_owned(),
                    arguments: Some(vec![json!(mark.change), json!([mark.hunk])]),
                }),
                data: None,
            });
        }
    }
    lenses
}

/// The lenses above a skill's first line.
fn of_skill(snapshot: &Snapshot, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let (document, analysis) = current(snapshot)?;
    let uri = json!(params.text_document.uri);
    let lens = |title: String, command: &str, arguments| CodeLens {
        range: Range::default(),
        command: Some(Command {
            title,
            command: command.to_owned(),
            arguments: Some(arguments),
        }),
        data: None,
    };
    let verdicts = verdict::verdicts(&analysis.file, &analysis.facts());
    let summary = verdict::summary(&verdicts, &analysis.facts());
    let mut lenses = vec![lens(summary, commands::EXPLAIN, vec![uri.clone()])];
    let skill = document.path.as_deref().and_then(|path| snapshot.catalog.at(path));
    if let Some(skill) = skill.filter(|skill| matches!(skill.state, SkillState::Listed | SkillState::Hidden)) {
        if skill.metadata.user_invocable {
            let title = format!("Run {}", printable(&skill.name));
            lenses.push(lens(title, commands::RUN, vec![json!(skill.name), json!("")]));
        }
        if !skill.metadata.paths.is_empty() {
            let matches = document.around.as_deref().and_then(|around| around.matches.as_ref());
            let title = match (snapshot.activating(document).len(), matches.and_then(|it| it.files)) {
                (0, None) => "Active: no open file matches".to_owned(),
                (0, Some(1)) => "Would match 1 file".to_owned(),
                (0, Some(files)) => format!("Would match {files} files"),
                (1, _) => "Active: 1 open file matches".to_owned(),
                (count, _) => format!("Active: {count} open files match"),
            };
            lenses.push(lens(title, commands::EXPLAIN, vec![uri.clone()]));
        }
        let title = "Preview what it says".to_owned();
        lenses.push(lens(title, commands::PREVIEW, vec![json!({"uri": uri})]));
    }
    Some(lenses)
}
