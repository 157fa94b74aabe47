//! What is new and does no harm: as git makes it.

use std::path::{Path, PathBuf};

use super::disk::files;
use super::text::text;
use crate::permission::git;

/// Whether something new of a repository can make nothing run, as what `git clone` and `git init` make.
pub(super) fn is_harmless(place: &Path, roots: &[PathBuf]) -> bool {
    let name = place.file_name().unwrap_or_default();
    if name == "config" || name == "config.worktree" {
        return text(place).is_some_and(|text| git::is_harmless_git_config(&String::from_utf8_lossy(&text)));
    }
    if name == "commondir" {
        // As every work tree has it.
        let is_of_tree = place
            .ancestors()
            .nth(2)
            .is_some_and(|folder| folder.ends_with(".git/worktrees"));
        return is_of_tree && text(place).is_some_and(|text| text.trim_ascii() == b"../..");
    }
    if name == ".git" {
        // As submodules and work trees have it: it leads into a repository that is looked after.
        let leads_to = git::linked(place).filter(|_| !place.is_symlink());
        let is_known = |folder: &Path| {
            let names: Vec<_> = folder.components().map(|part| part.as_os_str()).collect();
            names
                .windows(2)
                .any(|pair| pair[0] == ".git" && (pair[1] == "modules" || pair[1] == "worktrees"))
        };
        return leads_to
            .and_then(|folder| folder.canonicalize().ok())
            .is_some_and(|folder| is_known(&folder) && roots.iter().any(|root| folder.starts_with(root)));
    }
    name == "hooks" && files(place).all(|file| file.extension().is_some_and(|it| it == "sample"))
}
