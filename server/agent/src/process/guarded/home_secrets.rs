//! The secrets of a home folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::disk::entries;
use crate::workspace::sensitive::is_secret;

/// Where programs keep what is theirs, each in a folder of its own.
const OF_PROGRAMS: &[&str] = &[".config", ".local/share", ".cache/huggingface"];

/// The keys and passwords that programs keep in a home folder: its hidden files, those of its hidden folders, and those of
/// each program in `.config` and `.local/share`; also what such a folder has links to, as those have who keep such files in a
/// repository of their own.
pub(crate) fn secrets_of(home: &Path) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let is_of_programs = |inner: &Path| OF_PROGRAMS.iter().any(|folder| inner == Path::new(folder));
    let real_home = home.canonicalize().ok();
    let target = |path: &Path| path.canonicalize().ok().filter(|target| target != path);
    let is_at_home = |target: &PathBuf| {
        real_home
            .as_ref()
            .is_some_and(|home| target.starts_with(home) && target != home)
    };
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = entries(home).filter(is_hidden).collect();
    while let Some(path) = waiting.pop() {
        let inner = path.strip_prefix(home).unwrap_or(&path);
        if is_secret(inner) && fs::symlink_metadata(&path).is_ok() {
            found.extend(target(&path));
            let links = entries(&path).filter(|inner| inner.is_symlink());
            found.extend(links.filter_map(|link| target(&link)).filter(is_at_home));
            found.push(path);
        } else if inner.components().count() == 1 || is_of_programs(inner) || inner.parent().is_some_and(is_of_programs)
        {
            waiting.extend(entries(&path));
        }
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_of_the_home_folder_are_found() {
        let home = tempfile::tempdir().unwrap();
        let secrets = [
            ".ssh",
            ".aws",
            ".netrc",
            ".git-credentials",
            ".bash_history",
            ".claude/.credentials.json",
            ".codex/auth.json",
            ".config/gh",
            ".config/gcloud",
            ".docker",
            ".m2/settings.xml",
            ".gradle/gradle.properties",
            ".mozilla",
            ".local/share/keyrings",
            ".local/share/fish/fish_history",
            ".config/BraveSoftware",
            ".config/containers/auth.json",
            ".cache/huggingface/token",
            ".cargo/credentials.toml",
            ".pypirc",
            ".kube",
            ".azure",
            ".password-store",
            ".gnupg",
            ".var/app",
        ];
        for secret in secrets {
            fs::create_dir_all(home.path().join(secret).parent().unwrap()).unwrap();
            fs::write(home.path().join(secret), "").unwrap();
        }
        for other in [".bashrc", ".config/git/config", "work/.env"] {
            fs::create_dir_all(home.path().join(other).parent().unwrap()).unwrap();
            fs::write(home.path().join(other), "").unwrap();
        }
        // As programs do that keep such files in a repository.
        let kept = home.path().canonicalize().unwrap().join("dotfiles/aws");
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        fs::write(&kept, "").unwrap();
        fs::remove_file(home.path().join(".aws")).unwrap();
        fs::create_dir(home.path().join(".aws")).unwrap();
        std::os::unix::fs::symlink("../dotfiles/aws", home.path().join(".aws/credentials")).unwrap();
        std::os::unix::fs::symlink("/usr/bin/env", home.path().join(".aws/helper")).unwrap();
        let found: BTreeSet<_> = secrets_of(home.path()).into_iter().collect();
        let expected = secrets.iter().map(|secret| home.path().join(secret));
        assert_eq!(found, expected.chain([kept]).collect());
    }
}
