//! Files whose names say that they are more than texts.

use std::borrow::Cow;
use std::ffi::OsStr;
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
    ".agents",
    ".openhands",
    ".thndrs",
    ".pi",
    // Where a home folder keeps what programs are told, our own record of trust among it.
    ".config",
    ".local",
    // The short name that Windows gives `.git`.
    "git~1",
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
    "git~1",
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
pub(crate) fn is_protected(path: &Path) -> bool {
    has(path, PROTECTED_FOLDERS, PROTECTED_FILES, PROTECTED_ENDINGS)
}

/// Whether a read asks.
pub(crate) fn is_secret(path: &Path) -> bool {
    let environment = path.file_name().is_some_and(|name| {
        let name = folded(name);
        let rest = trimmed(&name)
            .get(..5)
            .filter(|start| start.eq_ignore_ascii_case(".env."));
        let harmless = || HARMLESS_ENVIRONMENTS.iter().any(|end| ends_with(trimmed(&name), end));
        rest.is_some() && !harmless()
    });
    environment || has(path, SECRET_FOLDERS, SECRET_FILES, SECRET_ENDINGS)
}

fn has(path: &Path, folders: &[&str], files: &[&str], endings: &[&str]) -> bool {
    let mut parts = path.components().rev().map(|part| folded(part.as_os_str()));
    let Some(file) = parts.next() else { return false };
    let file = trimmed(&file);
    let is_in = |list: &[&str], name: &str| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_in(files, file)
        || endings.iter().any(|ending| ends_with(file, ending))
        || parts.any(|name| is_in(folders, trimmed(&name)))
}

fn ends_with(name: &str, ending: &str) -> bool {
    let end = name.len().checked_sub(ending.len()).and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// The name as a careless file system compares it: case, width and invisible characters make no difference. ASCII stays
/// as it is, to be compared without its case: a search asks for every file.
fn folded(name: &OsStr) -> Cow<'_, str> {
    let name = name.to_string_lossy();
    if name.is_ascii() {
        return name;
    }
    let visible = name.chars().filter(|char| !is_ignorable(*char)).map(narrow);
    // There and back, because some characters are only alike in capitals, such as the long s.
    Cow::Owned(
        visible
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .collect(),
    )
}

/// Without streams, and without dots and blanks at the end.
fn trimmed(name: &str) -> &str {
    name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' '])
}

/// The ASCII character that a wide one is a form of.
fn narrow(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        other => other,
    }
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
            (".git::$INDEX_ALLOCATION/config", true, false),
            ("GIT~1/config", true, false),
            ("\u{ff0e}git/config", true, false),
            (".\u{ff47}\u{ff49}\u{ff54}/config", true, false),
            (".v\u{17f}code/settings.json", true, false),
            ("\u{212a}eys/.\u{212a}ube/config", false, true),
            (".e\u{301}git/config", false, false),
            (".config/skills-ls/skills-ls.yaml", true, false),
            (".local/state/skills-ls/trust.json", true, false),
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
