//! `textDocument/foldingRange` in skill files.

use skills_schema::folding::folds;
use tower_lsp::ls_types::{FoldingRange, FoldingRangeParams};

use super::current;
use crate::state::Snapshot;
use crate::to_proto;

/// The lines that can be folded away.
pub fn folding_range(snapshot: &Snapshot, _: &FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    let (document, analysis) = current(snapshot)?;
    let folds = folds(&analysis.file).into_iter();
    Some(
        folds
            .map(|fold| to_proto::folding_range(document, snapshot.client.encoding, fold))
            .collect(),
    )
}
