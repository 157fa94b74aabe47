//! `textDocument/selectionRange` in skill files.

use skills_schema::selection::selections;
use tower_lsp::ls_types::{SelectionRange, SelectionRangeParams};

use super::current;
use crate::state::Snapshot;
use crate::{from_proto, to_proto};

/// What a selection at each position grows to.
pub fn selection_range(snapshot: &Snapshot, params: &SelectionRangeParams) -> Option<Vec<SelectionRange>> {
    let (document, analysis) = current(snapshot)?;
    let encoding = snapshot.client.encoding;
    let steps = params.positions.iter().filter_map(|position| {
        let offset = from_proto::offset(document, encoding, *position);
        to_proto::selection_range(document, encoding, &selections(&analysis.file, offset))
    });
    Some(steps.collect())
}
