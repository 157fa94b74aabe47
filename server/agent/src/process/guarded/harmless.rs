//! What is new and does no harm: as git makes it.

use std::path::{Path, PathBuf};

use super::disk::files;
use super::text::text;
use crate::permission::git;

/// Whether something new of a repository can make nothing run, as what `git clone` and `git init` make.
pub(super) fn is_harmless(place: &Path, roots: &[PathBuf]) -> bool {
    let name = place.file_name().unwrap_or_default();
    if name == "config" || name == "config.worktree" {
        return text(place).is_some_and(|text| git::is_harmless_config(&text));
    }
    if name == "commondir" {
        return git::is_of_work_tree(place);
    }
    if name == ".git" {
        // As submodules and work trees have it: it leads into a repository that is looked after.
        return git::leads_inside(place, roots);
    }
    if name == "branches" || name == "remotes" {
        // Empty, as older versions make one of them.
        return files(place).next().is_none();
    }
    name == "hooks" && files(place).all(|file| file.extension().is_some_and(|it| it == "sample"))
}
