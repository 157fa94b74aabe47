//! `textDocument/inlayHint` in skill files.

use skills_schema::hints::hints;
use tower_lsp::ls_types::{InlayHint, InlayHintParams};

use super::current;
use crate::state::Snapshot;
use crate::{from_proto, to_proto};

/// The names of arguments that stand there by number, and what the instructions cost; none where they are turned off.
pub fn inlay_hint(snapshot: &Snapshot, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let (document, analysis) = current(snapshot).filter(|_| snapshot.settings.inlay_hints)?;
    let encoding = snapshot.client.encoding;
    let lines = from_proto::lines(document, encoding, params.range);
    let hints = hints(&analysis.file, &analysis.facts()).into_iter();
    let shown = hints.filter(|hint| lines.contains_inclusive(hint.at));
    Some(
        shown
            .map(|hint| to_proto::inlay_hint(document, encoding, hint))
            .collect(),
    )
}
