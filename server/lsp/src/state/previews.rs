//! The previews that somebody looks at: who shows one is told when it would be another text.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use skills_agent::catalog::Skill;
use tower_lsp::ls_types::Uri;

use crate::protocol::PreviewQuery;
use crate::refusal::Refusal;

use super::{Effect, Effects, State, skills};

/// The most previews that are followed; of more, those that were asked for longest ago are not.
const MAX_FOLLOWED: usize = 32;

/// The previews that are followed, the newest last.
#[derive(Debug, Default)]
pub struct Previews(Vec<Shown>);

/// A preview that somebody looks at.
#[derive(Debug)]
pub struct Shown {
    /// Who shows it.
    pub by: ShownBy,
    /// What was asked for.
    pub query: PreviewQuery,
    /// The document, or the skill's file.
    pub uri: Uri,
    /// What it was made from.
    source: Source,
    /// The files of `references` that came with it.
    files: BTreeSet<PathBuf>,
}

/// Who shows a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownBy {
    /// The client, in its own way.
    Client,
    /// The server, as a document.
    Document,
}

/// Where the text of a skill comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// An open document.
    Open(Arc<str>),
    /// A skill, whose text may lie on the disk.
    Of(Arc<Skill>),
}

impl Source {
    /// Where the text comes from now; the error is for the person.
    pub fn of(state: &State, query: &PreviewQuery) -> Result<Self, Refusal> {
        let document = query.uri.as_ref().and_then(|uri| state.documents.get(uri));
        match (&query.name, document) {
            (None, Some(document)) => Ok(Self::Open(document.text().clone())),
            (Some(name), _) => skills::known(state, name, query.uri.as_ref()).map(Self::Of),
            (None, None) => Err("say what to preview: the `uri` of an open skill, or the `name` of one".into()),
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Open(text), Self::Open(other)) => Arc::ptr_eq(text, other) || text == other,
            (Self::Of(skill), Self::Of(other)) => skill.sha256 == other.sha256,
            _ => false,
        }
    }
}

impl State {
    /// Follows a preview that is made from this source now.
    pub fn follow_preview(&mut self, by: ShownBy, query: &PreviewQuery, source: &Source) {
        let uri = match source {
            Source::Open(_) => query.uri.clone(),
            Source::Of(skill) => skill.path.as_deref().and_then(Uri::from_file_path),
        };
        let is_heard = by == ShownBy::Document || self.client.agent.preview;
        let Some(uri) = uri.filter(|_| is_heard) else { return };
        let shown = &mut self.previews.0;
        // There is one document, and one preview of a skill.
        shown.retain(|shown| shown.by != by || (by == ShownBy::Client && shown.uri != uri));
        if shown.len() == MAX_FOLLOWED {
            shown.remove(0);
        }
        shown.push(Shown {
            by,
            query: query.clone(),
            uri,
            source: source.clone(),
            files: BTreeSet::new(),
        });
    }

    /// Notes the files that came with a preview, while it is followed.
    pub fn preview_has(&mut self, by: ShownBy, query: &PreviewQuery, files: impl Iterator<Item = PathBuf>) {
        let mut followed = self.previews.0.iter_mut();
        if let Some(shown) = followed.find(|shown| shown.by == by && shown.query == *query) {
            shown.files.extend(files);
        }
    }

    /// Tells of previews that would be another text by now, after files changed or a text did. They are followed no more.
    pub fn follow_previews(&mut self, changed: &[PathBuf]) -> Effects {
        if self.previews.0.is_empty() {
            return Effects::new();
        }
        let (same, other): (Vec<_>, Vec<_>) = std::mem::take(&mut self.previews.0).into_iter().partition(|shown| {
            // A document that is closed, and a skill that is gone, leave what is shown as it was.
            let is_same = Source::of(self, &shown.query).map_or(true, |now| now.is(&shown.source));
            is_same && !changed.iter().any(|path| shown.files.contains(path))
        });
        self.previews.0 = same;
        other.into_iter().map(Effect::PreviewChanged).collect()
    }
}
