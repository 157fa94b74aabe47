//! `textDocument/documentSymbol` in skill files.

use skills_schema::symbols::symbols;
use tower_lsp::ls_types::{DocumentSymbolParams, DocumentSymbolResponse};

use super::current;
use crate::state::Snapshot;
use crate::to_proto;

/// The fields and the headings; as a list where the client shows no tree.
pub fn document_symbol(snapshot: &Snapshot, _: &DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let (document, analysis) = current(snapshot)?;
    let encoding = snapshot.client.encoding;
    let symbols = symbols(&analysis.file);
    Some(if snapshot.client.symbol_trees {
        let tree = symbols.into_iter().map(|it| to_proto::symbol(document, encoding, it));
        DocumentSymbolResponse::Nested(tree.collect())
    } else {
        let mut list = Vec::new();
        for symbol in symbols {
            to_proto::symbol_list(document, encoding, symbol, None, &mut list);
        }
        DocumentSymbolResponse::Flat(list)
    })
}
