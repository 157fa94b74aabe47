//! `textDocument/completion` in skill files.

use skills_schema::completion::complete;
use tower_lsp::ls_types::{CompletionParams, CompletionResponse};

use super::current;
use crate::state::Snapshot;
use crate::{from_proto, to_proto};

/// The fields and values that fit at the cursor.
pub fn completion(snapshot: &Snapshot, params: &CompletionParams) -> Option<CompletionResponse> {
    let position = &params.text_document_position;
    let (document, analysis) = current(snapshot)?;
    let encoding = snapshot.client.encoding;
    let offset = from_proto::offset(document, encoding, position.position);
    let mut items = complete(&analysis.file, &analysis.facts(), offset);
    if !snapshot.client.snippets {
        items.retain(|item| !item.snippet);
    }
    let items = items
        .into_iter()
        .map(|item| to_proto::completion(document, encoding, item));
    Some(CompletionResponse::Array(items.collect()))
}
