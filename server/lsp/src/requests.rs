//! What the client asks: functions over a snapshot, without input or output.

pub mod active;
pub mod code_action;
pub mod completion;
pub mod diagnostic;
pub mod document_link;
pub mod document_symbol;
pub mod folding_range;
pub mod hover;
pub mod selection_range;
pub mod semantic_tokens;

use skills_schema::facts::FileKind;

use crate::analysis::Analysis;
use crate::document::Document;
use crate::state::Snapshot;

/// The document and what is known of exactly its text; `None` for one that has no skill's frontmatter, or is still being
/// analysed.
fn current(snapshot: &Snapshot) -> Option<(&Document, &Analysis)> {
    let document = snapshot.document.as_ref()?;
    let analysis = document.current_analysis()?;
    FileKind::SKILLS
        .contains(&analysis.kind())
        .then_some((document, analysis))
}
