//! `textDocument/documentLink` in skill files.

use skills_schema::links::links;
use tower_lsp::ls_types::{DocumentLink, DocumentLinkParams};

use super::current;
use crate::state::Snapshot;
use crate::to_proto;

/// What can be followed. Whether a file is there is not asked: a link to one that is missing offers to make it.
pub fn document_link(snapshot: &Snapshot, _: &DocumentLinkParams) -> Option<Vec<DocumentLink>> {
    let (document, analysis) = current(snapshot)?;
    let links = links(&analysis.file).into_iter();
    Some(
        links
            .filter_map(|link| to_proto::document_link(document, snapshot.client.encoding, link))
            .collect(),
    )
}
