//! `textDocument/hover` in skill files and manifests. Nothing runs.

use std::path::Path;

use skills_agent::catalog::{Skill, SkillState};
use skills_schema::hover::{Hover, hover as of_text};
use skills_schema::links::{Link, Target};
use skills_schema::manifest::Manifest;
use skills_schema::shown::{estimated_tokens, grouped};
use skills_schema::skill::Metadata;
use skills_schema::subject::{Subject, subject};
use skills_schema::{TextRange, TextSize};
use tower_lsp::ls_types as lsp;

use super::subject::{place_of_fields, skill};
use crate::analysis::Analysis;
use crate::document::{self, Document};
use crate::printable::printable;
use crate::sources::Sources;
use crate::state::Snapshot;
use crate::{to_proto, uri};

/// What the thing under the cursor means.
pub async fn hover(snapshot: &Snapshot, sources: Sources, params: &lsp::HoverParams) -> Option<lsp::Hover> {
    let (document, analysis, offset) = place_of_fields(snapshot, params.text_document_position_params.position)?;
    let noted = noted(document, offset);
    let found = match (meaning(snapshot, sources, document, analysis, offset).await, noted) {
        (Some(hover), Some(noted)) => Hover {
            markdown: format!("{}\n\n---\n\n{}", hover.markdown, noted.markdown),
            ..hover
        },
        (found, noted) => found.or(noted)?,
    };
    Some(to_proto::hover(document, snapshot.client.encoding, found))
}

/// What the word at an offset means.
async fn meaning(
    snapshot: &Snapshot,
    sources: Sources,
    document: &Document,
    analysis: &Analysis,
    offset: TextSize,
) -> Option<Hover> {
    match of_text(&analysis.file, &analysis.facts(), offset) {
        found if Manifest::of(analysis.kind()).is_some() => found,
        Some(mut hover) => {
            hover.markdown += &matching(snapshot, document, analysis, offset);
            Some(hover)
        }
        None => match subject(&analysis.file, offset)? {
            Subject::Skill(named) => Some(Hover {
                range: named.range,
                markdown: about(&*skill(snapshot, document, &named)?),
            }),
            Subject::Link(link) => linked(document, sources, link).await,
            Subject::Parameter(_) => None,
        },
    }
}

/// What readers make of the findings at an offset: an editor shows the message of a finding, and not all show more.
fn noted(document: &Document, offset: TextSize) -> Option<Hover> {
    let mut noted: Option<Hover> = None;
    for finding in document.findings() {
        let notes = finding.notes();
        if notes.is_empty() || !finding.range.contains_inclusive(offset) {
            continue;
        }
        let lines: String = notes.iter().map(|note| format!("\n- {}", printable(note))).collect();
        let about = format!("`{}`: {}\n{lines}", finding.code, printable(&finding.message));
        match &mut noted {
            Some(noted) => noted.markdown += &format!("\n\n{about}"),
            None => {
                noted = Some(Hover {
                    range: finding.range,
                    markdown: about,
                });
            }
        }
    }
    noted
}

/// A skill in Markdown: what it says of itself, where it lies, whether it counts.
pub fn about(skill: &Skill) -> String {
    let hint = skill
        .metadata
        .argument_hint
        .as_deref()
        .map_or(String::new(), |hint| format!(" {hint}"));
    let mut markdown = format!("**/{}**{}", printable(&skill.name), printable(&hint));
    if let Some(description) = &skill.description {
        markdown += &format!("\n\n{description}");
    }
    let state = match (skill.state, &skill.shadowed_by) {
        (SkillState::Listed | SkillState::Hidden, _) => skill.chooser(),
        (SkillState::Shadowed, Some(winner)) => format!("`{}` counts instead", winner.display()),
        (SkillState::Shadowed, None) => "another skill of this name counts instead".to_owned(),
        (SkillState::Broken, _) => format!("not loaded: {}", skill.errors.join("; ")),
    };
    let place = skill
        .path
        .as_deref()
        .map_or(String::new(), |path| format!("`{}`, ", path.display()));
    markdown + &format!("\n\n{place}read as by {}: {state}.", skill.dialect.title())
}

/// How many files the pattern at an offset matches, and which open ones.
fn matching(snapshot: &Snapshot, document: &Document, analysis: &Analysis, offset: TextSize) -> String {
    let patterns = Metadata::of(&analysis.file).paths;
    let Some(pattern) = patterns.iter().find(|it| it.range.contains_inclusive(offset)) else {
        return String::new();
    };
    let mut files: Vec<String> = snapshot
        .activating(document)
        .into_iter()
        .filter(|why| why.pattern.as_deref() == Some(&pattern.text))
        .filter_map(|why| Some(format!("`{}`", why.matched.as_deref()?)))
        .collect();
    files.sort();
    let matches = document.around.as_deref().and_then(|around| around.matches.as_ref());
    let counted = matches.and_then(|matches| matches.words(&pattern.text));
    let counted = counted.map_or(String::new(), |words| format!("\n\n{words}"));
    match files.is_empty() {
        true => format!("{counted}\n\nNo open file matches it first."),
        false => format!("{counted}\n\nOpen files that match it first: {}.", files.join(", ")),
    }
}

/// Where a link leads, and what is there.
async fn linked(document: &Document, sources: Sources, link: Link) -> Option<Hover> {
    let markdown = match link.target {
        // The editor shows an address by itself, and a heading is in sight.
        Target::Address(_) | Target::Heading(_) => return None,
        Target::File { path, .. } => {
            let target = uri::beside(&document.uri, &path, "")?;
            let folder = document.path.as_deref()?.parent()?.to_owned();
            let look = move || file_in_words(&sources, &document::file_path(&target)?, &folder, &target);
            tokio::task::spawn_blocking(look).await.ok()??
        }
    };
    let range: TextRange = link.range;
    Some(Hover { range, markdown })
}

/// What a file is, as far as it lies in the folder of the skill: as the editor has it, or as it lies on the disk, which
/// is read.
pub fn file_in_words(sources: &Sources, path: &Path, folder: &Path, uri: &lsp::Uri) -> Option<String> {
    let shown = printable(&path.display().to_string());
    if !path.starts_with(folder) {
        return Some(format!(
            "`{shown}` lies outside of the skill's folder: other machines won't have it there."
        ));
    }
    let metadata = std::fs::metadata(path).ok();
    if metadata.as_ref().is_some_and(std::fs::Metadata::is_dir) {
        return Some(format!("The folder `{shown}`."));
    }
    let text = sources.at(path, uri).map(|document| document.text().clone());
    let size = match (&text, metadata) {
        (Some(text), _) => format!(
            "{} bytes, ≈ {} tokens, {} lines",
            grouped(text.len()),
            grouped(estimated_tokens(text)),
            grouped(text.lines().count())
        ),
        (None, Some(metadata)) => {
            let bytes = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
            format!("{} bytes", grouped(bytes))
        }
        (None, None) => return Some(format!("`{shown}` is not there.")),
    };
    let title = text
        .as_deref()
        .and_then(|text| text.lines().find(|line| line.starts_with('#')));
    let title = title.map_or(String::new(), |title| {
        format!("\n\n{}", title.trim_start_matches('#').trim())
    });
    Some(format!("`{shown}`: {size}.{title}"))
}
