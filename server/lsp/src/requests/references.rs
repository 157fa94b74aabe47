//! `textDocument/references` in skill files: where a skill is named, and where an argument is used.

use skills_schema::TextRange;
use skills_schema::skill_names::{SkillNameKind, skill_names};
use skills_schema::subject::{Subject, UseKind, subject, uses};
use tower_lsp::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

use super::subject::{file, place, skill};
use crate::sources::Sources;
use crate::state::Snapshot;
use crate::to_proto;

/// All places that mean what stands at the cursor: an argument in its file, a skill in all files that name skills.
pub async fn references(snapshot: &Snapshot, sources: Sources, params: &ReferenceParams) -> Option<Vec<Location>> {
    let (document, analysis, offset) = place(snapshot, params.text_document_position.position)?;
    let encoding = snapshot.client.encoding;
    let declarations = params.context.include_declaration;
    match subject(&analysis.file, offset)? {
        Subject::Parameter(parameter) => {
            let uses = uses(&analysis.file, parameter).into_iter();
            let wanted = uses.filter(|it| declarations || it.kind != UseKind::Declared);
            let location = |range| Location::new(document.uri.clone(), to_proto::range(document, encoding, range));
            Some(wanted.map(|it| location(it.range)).collect())
        }
        Subject::Skill(named) => {
            let skill = skill(snapshot, document, &named)?;
            let (own, name) = (file(&skill), skill.name.clone());
            let search = move || {
                let mut found = Vec::new();
                for source in sources.with(&name, own.as_deref()) {
                    let is_own = own.is_some() && source.document.path == own;
                    let names = skill_names(&source.file).into_iter().filter(|it| match it.kind {
                        SkillNameKind::Own => is_own && declarations,
                        SkillNameKind::Listed | SkillNameKind::Mentioned => it.name == name,
                    });
                    found.extend(names.map(|it| {
                        let range = to_proto::range(&source.document, encoding, it.range);
                        Location::new(source.document.uri.clone(), range)
                    }));
                }
                found
            };
            tokio::task::spawn_blocking(search).await.ok()
        }
        Subject::Link(_) => None,
    }
}

/// The places of this file that mean what stands at the cursor.
pub fn document_highlight(snapshot: &Snapshot, params: &DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> {
    let (document, analysis, offset) = place(snapshot, params.text_document_position_params.position)?;
    let highlight = |range: TextRange, kind| DocumentHighlight {
        range: to_proto::range(document, snapshot.client.encoding, range),
        kind: Some(kind),
    };
    match subject(&analysis.file, offset)? {
        Subject::Parameter(parameter) => {
            let kind = |it: UseKind| match it {
                UseKind::Declared => DocumentHighlightKind::WRITE,
                UseKind::Named | UseKind::Numbered | UseKind::Hinted => DocumentHighlightKind::READ,
            };
            let uses = uses(&analysis.file, parameter).into_iter();
            Some(uses.map(|it| highlight(it.range, kind(it.kind))).collect())
        }
        Subject::Skill(named) => {
            // A path looks like a skill's name; what nobody knows is none.
            skill(snapshot, document, &named)?;
            let names = skill_names(&analysis.file)
                .into_iter()
                .filter(|it| it.name == named.name);
            Some(
                names
                    .map(|it| highlight(it.range, DocumentHighlightKind::READ))
                    .collect(),
            )
        }
        Subject::Link(_) => None,
    }
}
