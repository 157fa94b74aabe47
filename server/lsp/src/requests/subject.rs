//! What the word at a position stands for, with the skill that it names.

use std::path::PathBuf;
use std::sync::Arc;

use skills_agent::catalog::Skill;
use skills_schema::TextSize;
use skills_schema::skill_names::{SkillName, SkillNameKind};

use crate::analysis::Analysis;
use crate::document::Document;
use crate::from_proto;
use crate::state::Snapshot;
use tower_lsp::ls_types::Position;

/// The open file that may name skills, and the offset of a position in it.
pub(super) fn place(snapshot: &Snapshot, position: Position) -> Option<(&Document, &Analysis, TextSize)> {
    let (document, analysis) = super::with_names(snapshot)?;
    let offset = from_proto::offset(document, snapshot.client.encoding, position);
    Some((document, analysis, offset))
}

/// The open file that may name skills or whose fields are known, and the offset of a position in it.
pub(super) fn place_of_fields(snapshot: &Snapshot, position: Position) -> Option<(&Document, &Analysis, TextSize)> {
    let (document, analysis) = super::with_fields(snapshot)?;
    let offset = from_proto::offset(document, snapshot.client.encoding, position);
    Some((document, analysis, offset))
}

/// The skill that is named; `None` where there is none of that name.
pub(super) fn skill(snapshot: &Snapshot, document: &Document, name: &SkillName) -> Option<Arc<Skill>> {
    let skill = match name.kind {
        SkillNameKind::Own => snapshot.catalog.at(document.path.as_deref()?),
        SkillNameKind::Listed | SkillNameKind::Mentioned => snapshot.catalog.get(&name.name),
    };
    skill.cloned()
}

/// The file of a skill, with links resolved as documents have it.
pub(super) fn file(skill: &Skill) -> Option<PathBuf> {
    skill.path.as_deref().map(crate::document::resolved)
}
