//! What `.gitignore` and its like name.

use std::path::Path;

use ignore::gitignore::Gitignore;

use super::ignoring;
use super::repository::repository;

/// The rules that hold in a folder, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    files: Vec<Gitignore>,
}

/// The file of rules that git reads.
pub(super) const GITIGNORE: &str = ".gitignore";

impl Ignored {
    /// The rules of the folders above one, up to the root of its repository.
    pub(super) fn above(folder: &Path) -> Self {
        let mut ignored = Self::default();
        let Some(root) = repository(folder) else {
            // Without a repository the rules beside the folder still say what the person wants to be passed over.
            folder
                .ancestors()
                .skip(1)
                .take(2)
                .for_each(|folder| ignored.enter(folder));
            ignored.files.reverse();
            return ignored;
        };
        let exclude = root.join(".git/info/exclude");
        if exclude.is_file() {
            ignored.files.push(ignoring::rules(root, &exclude));
        }
        let mut folders: Vec<_> = folder
            .ancestors()
            .skip(1)
            .take_while(|it| it.starts_with(root))
            .collect();
        folders.reverse();
        folders.into_iter().for_each(|folder| ignored.enter(folder));
        ignored
    }

    /// Adds a folder's own rules.
    pub(super) fn enter(&mut self, folder: &Path) {
        self.enter_with(folder, &[GITIGNORE]);
    }

    /// Adds the rules of a folder in the files of these names.
    pub(super) fn enter_with(&mut self, folder: &Path, names: &[&str]) {
        for file in names.iter().map(|name| folder.join(name)).filter(|file| file.is_file()) {
            self.files.push(ignoring::rules(folder, &file));
        }
    }

    /// How many files of rules hold.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Takes back what was entered since there were so many.
    pub(super) fn leave(&mut self, length: usize) {
        self.files.truncate(length);
    }

    /// Whether a path itself is named; the folders above it are not asked.
    pub(super) fn names(&self, path: &Path, is_folder: bool) -> bool {
        let decisions = self.files.iter().rev().map(|file| file.matched(path, is_folder));
        decisions
            .into_iter()
            .find(|decision| !decision.is_none())
            .is_some_and(|decision| decision.is_ignore())
    }
}
