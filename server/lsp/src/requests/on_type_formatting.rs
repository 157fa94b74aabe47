//! `textDocument/onTypeFormatting` in skill files: what YAML would refuse in a line is repaired when one goes on to the
//! next.

use skills_schema::TextRange;
use tower_lsp::ls_types::{DocumentOnTypeFormattingParams, TextEdit};

use super::current;
use crate::state::Snapshot;
use crate::to_proto;

/// The rules whose repairs are made: they concern one line, and change nothing that a person sees.
const REPAIRED: &[&str] = &["unquoted-colon", "missing-space-after-colon", "reserved-character"];

/// The repairs of the line above the cursor.
pub fn on_type_formatting(snapshot: &Snapshot, params: &DocumentOnTypeFormattingParams) -> Option<Vec<TextEdit>> {
    let (document, analysis) = current(snapshot)?;
    let line = usize::try_from(params.text_document_position.position.line).ok()?;
    let rope = &document.rope;
    let above = line.checked_sub(1).filter(|_| line < rope.len_lines())?;
    let line = rope.line_to_byte(above)..rope.line_to_byte(above + 1);
    let is_inside = |range: TextRange| line.start <= range.start().into() && usize::from(range.end()) <= line.end;
    let findings = analysis.findings.iter().filter(|it| REPAIRED.contains(&it.code));
    let mut fixes = findings
        .filter_map(|finding| finding.fixes.first())
        .filter(|fix| fix.safe && fix.edits.iter().all(|edit| is_inside(edit.range)));
    let edits = fixes.next()?.edits.iter().map(|edit| TextEdit {
        range: to_proto::range(document, snapshot.client.encoding, edit.range),
        new_text: edit.new_text.clone(),
    });
    Some(edits.collect())
}
