//! `textDocument/hover` in skill files.

use tower_lsp::ls_types::{Hover, HoverParams};

use super::current;
use crate::state::Snapshot;
use crate::{from_proto, to_proto};

/// What the thing under the cursor means.
pub fn hover(snapshot: &Snapshot, params: &HoverParams) -> Option<Hover> {
    let position = &params.text_document_position_params;
    let (document, analysis) = current(snapshot)?;
    let encoding = snapshot.client.encoding;
    let offset = from_proto::offset(document, encoding, position.position);
    let hover = skills_schema::hover::hover(&analysis.file, &analysis.facts(), offset)?;
    Some(to_proto::hover(document, encoding, hover))
}
