//! The repository of git that a folder lies in.

use std::path::{Path, PathBuf};

use super::read;

/// The root of the repository that a folder lies in: where `.git` is.
pub(super) fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The checkout that a linked worktree of git belongs to. Both must name the other: a file in a folder that somebody
/// made must not lead to other people's repositories.
pub(super) fn main_checkout(worktree: &Path) -> Option<PathBuf> {
    let leads = |file: &Path| Some(read::read(file).ok()?.text.trim().to_owned());
    let link = worktree.join(".git");
    let text = leads(&link)?;
    // MAIN/.git/worktrees/NAME
    let own = worktree.join(text.strip_prefix("gitdir:")?.trim());
    let (worktrees, back) = (own.parent()?, own.join(leads(&own.join("gitdir"))?));
    let is_named_back = back.canonicalize().ok()? == link.canonicalize().ok()?;
    let git = worktrees.parent().filter(|_| worktrees.ends_with("worktrees"))?;
    let main = git.parent().filter(|_| is_named_back && git.ends_with(".git"))?;
    main.canonicalize().ok()
}
