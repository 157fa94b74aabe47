//! `skills/preview`: what a skill would say to the model, with each command as what would run. Nothing runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::catalog::Skill;
use skills_agent::render::{self, Invocation, Origin};
use skills_schema::dialect::runtime::Runtime;
use skills_schema::facts::Facts;
use skills_schema::skill::Metadata;
use skills_schema::syntax::SkillFile;

use crate::protocol::{PreviewAnswer, PreviewCommand, PreviewQuery};
use crate::state::{Shared, State};
use crate::turns;

/// What is previewed: all that is needed beside the disk.
struct Previewed {
    name: String,
    text: Text,
    runtime: &'static Runtime,
    folder: Option<PathBuf>,
    project: PathBuf,
}

/// The text of an open document, or of a skill, which may lie on the disk.
enum Text {
    Open(Arc<str>),
    Of(Arc<Skill>),
}

/// The preview of an open document or of a skill by its name; the error says what is missing. Reads the files of
/// `references` from the disk, on a thread that may block.
pub async fn preview(shared: &Arc<Shared>, query: PreviewQuery) -> Result<PreviewAnswer, String> {
    let shared = shared.clone();
    let work = move || {
        let previewed = previewed(&shared.state(), &query)?;
        let text = match previewed.text {
            Text::Open(text) => text,
            Text::Of(skill) => skill.text()?,
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
    answer.unwrap_or_else(|error| Err(format!("the preview failed: {error}")))
}

fn previewed(state: &State, query: &PreviewQuery) -> Result<Previewed, String> {
    let document = query.uri.as_ref().and_then(|uri| state.documents.get(uri));
    let first = || state.folder_paths().into_iter().next().unwrap_or_default();
    if let (None, Some(document)) = (&query.name, document) {
        let path = document.slash_path();
        let facts = Facts::of_path(&path);
        let file = SkillFile::parse(document.text().clone());
        let known = document.path.as_deref().and_then(|path| state.catalog.at(path));
        let own = Metadata::of(&file, &facts).dialect_override.unwrap_or(facts.dialect);
        let place = document.path.clone().unwrap_or_default();
        let runtime = state.catalog.view_at(&place, own).runtime();
        return Ok(Previewed {
            name: facts.folder.unwrap_or("this skill").to_owned(),
            runtime: known.map_or(runtime, |skill| skill.runtime),
            folder: document.path.as_deref().and_then(Path::parent).map(Path::to_owned),
            project: known.map_or_else(first, |skill| skill.root.to_path_buf()),
            text: Text::Open(document.text().clone()),
        });
    }
    let Some(name) = &query.name else {
        return Err("say what to preview: the `uri` of an open skill, or the `name` of one".to_owned());
    };
    let skill = turns::known_skill(state, name, query.uri.as_ref())?;
    Ok(Previewed {
        name: skill.name.clone(),
        runtime: skill.runtime,
        folder: skill.path.as_deref().and_then(Path::parent).map(Path::to_owned),
        project: if skill.root.as_os_str().is_empty() {
            first()
        } else {
            skill.root.to_path_buf()
        },
        text: Text::Of(skill),
    })
}
