//! What the agent changed in a document and nobody decided about yet, as it is shown there.

use std::ops::Range;

use skills_agent::changes::undo::places;
use skills_agent::changes::{ChangeLog, Selection};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};

use crate::capabilities::Client;
use crate::document::Document;
use crate::protocol::{ChangedHunk, ChangesParams};
use crate::to_proto;

/// The code of the diagnostics that show changes.
pub const UNREVIEWED: &str = "unreviewed-change";

/// How many of the lines that stood there before are shown.
pub const SHOWN_LINES: usize = 5;

/// A hunk of the agent where it stands in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The change.
    pub change: u64,
    /// The hunk, counted from 1.
    pub hunk: u32,
    /// Its bytes in the document; empty where it only removed.
    pub range: Range<usize>,
    /// The lines that stood there before.
    pub before: String,
}

/// What nobody decided about in a document, in the order of the text. Looks at texts alone.
pub fn marks(changes: &ChangeLog, document: &Document) -> Vec<Mark> {
    let Some(path) = document.path.clone() else {
        return Vec::new();
    };
    let undecided = changes.undecided(&Selection::File(path));
    let mut marks = Vec::new();
    for undecided in undecided.values().flatten() {
        let change = undecided.change.id;
        marks.extend(places(undecided, document.text()).into_iter().map(|place| Mark {
            change,
            hunk: place.hunk,
            range: place.range,
            before: place.before,
        }));
    }
    marks.sort_by_key(|mark| (mark.range.start, mark.change));
    marks
}

/// The same as diagnostics, for clients that have no other way to show it.
pub fn diagnostics(changes: &ChangeLog, document: &Document, client: &Client) -> Vec<Diagnostic> {
    if client.agent.changes {
        return Vec::new();
    }
    let marks = marks(changes, document).into_iter();
    let diagnostics = marks.map(|mark| {
        let lines: Vec<&str> = mark.before.lines().collect();
        let mut message = match lines.len() {
            0 => "The agent put this here.".to_owned(),
            _ => "The agent changed this. Before:".to_owned(),
        };
        for line in lines.iter().take(SHOWN_LINES) {
            message.push('\n');
            message.push_str(line);
        }
        if lines.len() > SHOWN_LINES {
            message.push_str(&format!("\n…({} more lines)", lines.len() - SHOWN_LINES));
        }
        let rope = &document.rope;
        let end = rope.byte_to_line(mark.range.end);
        let start = rope.byte_to_line(mark.range.start);
        // The line end of the last line would let the next line look changed.
        let shown_end = if end > start && rope.line_to_byte(end) == mark.range.end {
            mark.range.end - 1
        } else {
            mark.range.end
        };
        Diagnostic {
            range: client.encoding.range(rope, mark.range.start..shown_end),
            severity: Some(DiagnosticSeverity::INFORMATION),
            code: Some(NumberOrString::String(UNREVIEWED.to_owned())),
            source: Some(to_proto::SOURCE.to_owned()),
            message,
            ..Diagnostic::default()
        }
    });
    diagnostics.collect()
}

/// The same for clients that show it by themselves.
pub fn params(changes: &ChangeLog, document: &Document, client: &Client) -> ChangesParams {
    let hunk = |mark: Mark| ChangedHunk {
        change_id: mark.change,
        hunk_id: mark.hunk,
        range: client.encoding.range(&document.rope, mark.range),
        old_text: mark.before,
    };
    ChangesParams {
        uri: document.uri.clone(),
        version: document.version,
        hunks: marks(changes, document).into_iter().map(hunk).collect(),
    }
}
