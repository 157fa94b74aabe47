//! What the client asks: functions over a snapshot. What must look at the disk does so on a thread that may block.

pub mod active;
pub mod code_action;
pub mod code_lens;
pub mod completion;
pub mod definition;
pub mod diagnostic;
pub mod document_link;
pub mod document_symbol;
pub mod folding_range;
pub mod hover;
pub mod inlay_hint;
pub mod on_type_formatting;
pub mod preview;
mod prompt;
pub mod readers;
pub mod references;
pub mod rename;
pub mod selection_range;
pub mod semantic_tokens;
mod subject;
pub mod workspace_symbol;

use skills_schema::facts::FileKind;
use skills_schema::manifest::Manifest;

use crate::analysis::Analysis;
use crate::document::Document;
use crate::state::Snapshot;

/// The document and what is known of exactly its text; `None` for one that has no skill's frontmatter, or is still being
/// analysed.
fn current(snapshot: &Snapshot) -> Option<(&Document, &Analysis)> {
    analysed(snapshot).filter(|(_, analysis)| FileKind::SKILLS.contains(&analysis.kind()))
}

/// The document and what is known of exactly its text, where it may name skills: a skill's or a subagent's.
fn with_names(snapshot: &Snapshot) -> Option<(&Document, &Analysis)> {
    analysed(snapshot).filter(|(_, analysis)| FileKind::WITH_FRONTMATTER.contains(&analysis.kind()))
}

/// The document and what is known of exactly its text, where it may name skills or its fields are known: also a
/// manifest's.
fn with_fields(snapshot: &Snapshot) -> Option<(&Document, &Analysis)> {
    let is_known = |kind| FileKind::WITH_FRONTMATTER.contains(&kind) || Manifest::of(kind).is_some();
    analysed(snapshot).filter(|(_, analysis)| is_known(analysis.kind()))
}

fn analysed(snapshot: &Snapshot) -> Option<(&Document, &Analysis)> {
    let document = snapshot.document.as_ref()?;
    Some((document, document.current_analysis()?))
}
