//! Files whose names say that they are more than texts.

use std::path::Path;

/// Folders whose files configure programs or agents: an edit there can make something run.
const PROTECTED_FOLDERS: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".vscode",
    ".idea",
    ".cursor",
    ".claude",
    ".codex",
    ".helix",
    ".zed",
    ".cargo",
    ".github",
    ".circleci",
    ".husky",
    ".devcontainer",
    ".skills-ls",
];

/// The same for single files. `SKILL.md` is here because a skill must not widen its own rights.
const PROTECTED_FILES: &[&str] = &[
    "skill.md",
    "skills-ls.yaml",
    "skills-ls.yml",
    ".mcp.json",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".lvimrc",
    ".envrc",
    ".editorconfig",
    ".gitattributes",
    ".gitmodules",
    ".gitconfig",
    ".gitlab-ci.yml",
    ".travis.yml",
    "jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".pre-commit-config.yaml",
    "package.json",
    "build.rs",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".git",
];

const PROTECTED_ENDINGS: &[&str] = &[".code-workspace"];

const SECRET_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube"];

const SECRET_FILES: &[&str] = &[
    ".env",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    "credentials",
    "credentials.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "secrets.toml",
    ".vault-token",
];

const SECRET_ENDINGS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".ppk"];

/// `.env.NAME` is a secret, except where the name says that it is a pattern to copy.
const HARMLESS_ENVIRONMENTS: &[&str] = &["example", "sample", "template", "dist", "defaults"];

/// Whether a write asks each time.
pub(super) fn is_protected(path: &Path) -> bool {
    has(path, PROTECTED_FOLDERS, PROTECTED_FILES, PROTECTED_ENDINGS)
}

/// Whether a read asks.
pub(super) fn is_secret(path: &Path) -> bool {
    let environment = names(path).last().is_some_and(|name| {
        let harmless = |rest: &str| HARMLESS_ENVIRONMENTS.iter().any(|end| rest.ends_with(end));
        name.strip_prefix(".env.").is_some_and(|rest| !harmless(rest))
    });
    environment || has(path, SECRET_FOLDERS, SECRET_FILES, SECRET_ENDINGS)
}

fn has(path: &Path, folders: &[&str], files: &[&str], endings: &[&str]) -> bool {
    let names = names(path);
    let Some((file, parents)) = names.split_last() else {
        return false;
    };
    parents.iter().any(|name| folders.contains(&name.as_str()))
        || files.contains(&file.as_str())
        || endings.iter().any(|ending| file.ends_with(ending))
}

/// The path's names as a careless file system compares them: case, dots and blanks at the end, streams and
/// invisible characters make no difference.
fn names(path: &Path) -> Vec<String> {
    path.components()
        .map(|part| {
            let name: String = part
                .as_os_str()
                .to_string_lossy()
                .chars()
                .filter(|char| !is_ignorable(*char))
                .collect();
            let name = name
                .split(':')
                .next()
                .unwrap_or_default()
                .trim_end_matches(['.', ' '])
                .to_lowercase();
            name.replace('\u{ff0e}', ".")
        })
        .collect()
}

fn is_ignorable(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_ask() {
        for (path, protected, secret) in [
            ("src/main.rs", false, false),
            (".vscode/settings.json", true, false),
            (".VSCode/Settings.json", true, false),
            ("a/.git/hooks/pre-commit", true, false),
            (".git. /config", true, false),
            (".git\u{200c}/config", true, false),
            ("sub/.git", true, false),
            ("x.code-workspace", true, false),
            ("skills/deploy/SKILL.md", true, false),
            ("package.json", true, false),
            ("package.json:$DATA", true, false),
            (".env", false, true),
            (".env.local", false, true),
            (".env.example", false, false),
            ("environment.ts", false, false),
            ("home/.ssh/known_hosts", false, true),
            ("server.PEM", false, true),
            ("keyboard.rs", false, false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (is_protected(path), is_secret(path)),
                (protected, secret),
                "{}",
                path.display()
            );
        }
    }
}
