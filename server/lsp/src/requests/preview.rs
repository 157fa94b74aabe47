//! `skills/preview`: what a skill would say to the model, with each command as what would run. Nothing runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::render::{self, Invocation, Origin};
use skills_schema::dialect::runtime::Runtime;
use skills_schema::facts::Facts;
use skills_schema::skill;
use skills_schema::syntax::SkillFile;

use crate::protocol::{PreviewAnswer, PreviewCommand, PreviewQuery};
use crate::refusal::Refusal;
use crate::state::previews::{ShownBy, Source};
use crate::state::{Shared, State};

/// What is previewed: all that is needed beside the disk.
struct Previewed {
    name: String,
    source: Source,
    runtime: &'static Runtime,
    folder: Option<PathBuf>,
    project: PathBuf,
}

/// The preview of an open document or of a skill by its name; the error says what is missing. Reads the files of
/// `references` from the disk, on a thread that may block. Who shows it is told when it would be another text.
pub async fn preview(shared: &Arc<Shared>, query: PreviewQuery, by: ShownBy) -> Result<PreviewAnswer, Refusal> {
    let shared = shared.clone();
    let work = move || {
        let previewed = {
            let mut state = shared.state();
            let previewed = previewed(&state, &query)?;
            state.follow_preview(by, &query, &previewed.source);
            previewed
        };
        let text = match previewed.source {
            Source::Open(text) => text,
            Source::Of(skill) => skill.text()?,
        };
        let invocation = Invocation {
            name: &previewed.name,
            file: &SkillFile::parse(text),
            runtime: previewed.runtime,
            arguments: &query.arguments,
            folder: previewed.folder.as_deref(),
            project: &previewed.project,
            session: None,
            effort: None,
            origin: Origin::Untrusted,
        };
        let rendered = render::preview(&invocation);
        let files = rendered.references.iter().map(|reference| reference.path.clone());
        shared.state().preview_has(by, &query, files);
        Ok(PreviewAnswer {
            text: rendered.text,
            missing: rendered.missing.into_iter().map(|input| input.name).collect(),
            commands: (rendered.commands.into_iter())
                .map(|command| PreviewCommand {
                    text: command.text,
                    refused: command.refused,
                })
                .collect(),
            name: previewed.name,
            sha256: rendered.sha256,
            bytes: rendered.bytes,
        })
    };
    let answer = tokio::task::spawn_blocking(work).await;
    answer.unwrap_or_else(|error| Err(format!("the preview failed: {error}").into()))
}

fn previewed(state: &State, query: &PreviewQuery) -> Result<Previewed, Refusal> {
    let source = Source::of(state, query)?;
    let first = || state.folder_paths().into_iter().next().unwrap_or_default();
    let document = query.uri.as_ref().and_then(|uri| state.documents.get(uri));
    if let (Source::Open(_), Some(document)) = (&source, document) {
        let path = document.slash_path();
        let facts = Facts::of_path(&path);
        let file = SkillFile::parse(document.text().clone());
        let known = document.path.as_deref().and_then(|path| state.catalog.at(path));
        let own = skill::dialect(&file).unwrap_or(facts.dialect);
        let place = document.path.clone().unwrap_or_default();
        let runtime = state.catalog.view_at(&place, own).runtime();
        return Ok(Previewed {
            name: facts.folder.unwrap_or("this skill").to_owned(),
            runtime: known.map_or(runtime, |skill| skill.runtime),
            folder: document.path.as_deref().and_then(Path::parent).map(Path::to_owned),
            project: known.map_or_else(first, |skill| skill.root.to_path_buf()),
            source,
        });
    }
    let Source::Of(skill) = &source else {
        return Err("the document was closed".into());
    };
    Ok(Previewed {
        name: skill.name.clone(),
        runtime: skill.runtime,
        folder: skill.path.as_deref().and_then(Path::parent).map(Path::to_owned),
        project: if skill.root.as_os_str().is_empty() {
            first()
        } else {
            skill.root.to_path_buf()
        },
        source,
    })
}
