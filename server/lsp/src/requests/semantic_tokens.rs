//! `textDocument/semanticTokens/full` in skill files.

use skills_schema::semantic_tokens::tokens;
use tower_lsp::ls_types::{SemanticTokens, SemanticTokensParams, SemanticTokensResult};

use super::current;
use crate::state::Snapshot;
use crate::to_proto;

/// What the file's reader replaces, runs or loads.
pub fn semantic_tokens(snapshot: &Snapshot, _: &SemanticTokensParams) -> Option<SemanticTokensResult> {
    let (document, analysis) = current(snapshot)?;
    let tokens = tokens(&analysis.file, &analysis.facts(), |name| {
        snapshot.catalog.get(name).is_some()
    });
    Some(SemanticTokensResult::Tokens(SemanticTokens {
        result_id: None,
        data: to_proto::semantic_tokens(document, snapshot.client.encoding, &tokens),
    }))
}
