//! How many files of the workspace the patterns of a skill match.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use skills_schema::facts::FileIndex;
use skills_schema::glob::{Flavour, PathMatcher};
use skills_schema::skill::Metadata;

use super::{Surroundings, View};
use crate::analysis::Analysis;

/// How many files of the workspace match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// Each pattern, with the files that it matches alone in each flavour, in the order of [`Flavour::ALL`].
    pub patterns: Vec<(String, [usize; 3])>,
    /// The files that activate the skill, as its own reader reads the patterns; `None` where it reads none.
    pub files: Option<usize>,
}

/// The files of a folder, and what was counted in them.
#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) files: Arc<FileIndex>,
    /// By the patterns of a skill, a line each.
    counts: Mutex<HashMap<String, [usize; 3]>>,
}

impl Indexed {
    pub(super) fn new(files: FileIndex) -> Arc<Self> {
        Arc::new(Self {
            files: Arc::new(files),
            counts: Mutex::default(),
        })
    }

    /// How many files patterns match together, in each flavour. Counted once.
    fn count(&self, patterns: &[&str]) -> [usize; 3] {
        let key = patterns.join("\n");
        if let Some(counts) = self.counts.lock().get(&key) {
            return *counts;
        }
        let counts = Flavour::ALL.map(|flavour| {
            let matcher = PathMatcher::of(flavour, patterns.iter().copied());
            self.files.count(|path| matcher.matches(path).is_some())
        });
        self.counts.lock().insert(key, counts);
        counts
    }
}

impl Surroundings {
    /// How many files the patterns of a skill match; `None` for one without patterns. Reads the disk.
    pub fn matches(&self, path: &Path, analysis: &Analysis, view: &View) -> Option<Matches> {
        let patterns = Metadata::of(&analysis.file).paths;
        let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.text.as_str()).collect();
        if patterns.is_empty() {
            return None;
        }
        let indexes = self.indexes(path, view);
        let count = |patterns: &[&str]| {
            let counts = indexes.iter().map(|index| index.count(patterns));
            counts.fold([0; 3], |sum, counts| std::array::from_fn(|at| sum[at] + counts[at]))
        };
        let flavour = match view.catalog.as_ref().and_then(|catalog| catalog.at(path)) {
            Some(skill) => skill.flavour,
            None => analysis.facts().runtime().paths.map(|paths| paths.flavour),
        };
        let all = count(&patterns);
        let own = |flavour| Flavour::ALL.into_iter().position(|it| it == flavour);
        Some(Matches {
            files: flavour.and_then(own).map(|at| all[at]),
            patterns: patterns.iter().map(|it| ((*it).to_owned(), count(&[*it]))).collect(),
        })
    }
}

impl Matches {
    /// How many files one pattern matches, in a sentence; with the flavours where they differ.
    pub fn words(&self, pattern: &str) -> Option<String> {
        let (_, counts) = self.patterns.iter().find(|(text, _)| text == pattern)?;
        let [first, rest @ ..] = counts;
        if rest.iter().all(|count| count == first) {
            return Some(format!("Matches {} of the workspace.", files(*first)));
        }
        let each = Flavour::ALL.map(Flavour::title).into_iter().zip(counts);
        let each: Vec<String> = each
            .map(|(title, count)| format!("{} as {title} reads it", files(*count)))
            .collect();
        Some(format!("Matches {}.", each.join(", ")))
    }
}

fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}
