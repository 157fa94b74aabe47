//! `textDocument/definition` in skill files.

use skills_schema::links::{self, Target};
use skills_schema::subject::{Subject, subject, uses};
use skills_schema::syntax::SkillFile;
use tower_lsp::ls_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, Range, Uri};

use super::subject::{place, skill};
use crate::document;
use crate::position::Encoding;
use crate::sources::Sources;
use crate::state::Snapshot;
use crate::{to_proto, uri};

/// Where the thing at the cursor is declared: the file of a skill, the target of a link, an argument's declaration.
pub async fn definition(
    snapshot: &Snapshot,
    sources: Sources,
    params: &GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let (document, analysis, offset) = place(snapshot, params.text_document_position_params.position)?;
    let encoding = snapshot.client.encoding;
    let here = |range| Location::new(document.uri.clone(), to_proto::range(document, encoding, range));
    let location = match subject(&analysis.file, offset)? {
        Subject::Skill(name) => {
            let skill = skill(snapshot, document, &name)?;
            Location::new(Uri::from_file_path(skill.path.as_ref()?)?, Range::default())
        }
        Subject::Parameter(parameter) => here(uses(&analysis.file, parameter).first()?.range),
        Subject::Link(link) => match link.target {
            Target::Address(_) => return None,
            Target::Heading(range) => here(range),
            Target::File { path, fragment } => {
                let target = uri::beside(&document.uri, &path, "")?;
                let found = tokio::task::spawn_blocking(move || in_file(&sources, target, &fragment, encoding)).await;
                found.unwrap_or_default()?
            }
        },
    };
    Some(GotoDefinitionResponse::Scalar(location))
}

/// The place of a heading in another file, or its start; of a skill's folder the skill. `None` where nothing is there.
fn in_file(sources: &Sources, target: Uri, fragment: &str, encoding: Encoding) -> Option<Location> {
    let path = document::file_path(&target)?;
    if path.is_dir() {
        let skill = path.join("SKILL.md");
        return skill
            .is_file()
            .then(|| Uri::from_file_path(skill))?
            .map(|uri| Location::new(uri, Range::default()));
    }
    let is_open = sources.open().any(|open| open == path);
    if !is_open && !path.is_file() {
        return None;
    }
    let heading = || {
        let document = sources.at(&path, &target).filter(|_| !fragment.is_empty())?;
        let file = SkillFile::parse(document.text().clone());
        Some(to_proto::range(&document, encoding, links::heading(&file, fragment)?))
    };
    let range = heading().unwrap_or_default();
    Some(Location::new(target, range))
}
