//! Files whose names say that they are more than texts: what makes something run, and what holds keys.
//!
//! One table says what they are, why, how an edit asks, and what commands that nobody was asked about can't touch.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

use table::ROWS;

mod table;

/// One kind of file, by its name or place.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// What names it: `name`, `folder/` with all that is in it, `folder/name`, and `*` for any text in the last name or
    /// `**` for any folders between. At any depth; letter case makes no difference.
    pub at: &'static str,
    /// What it does, after "it": `runs on each build`.
    pub why: &'static str,
    /// How an edit asks; `None` where it does not.
    pub asks: Option<Asks>,
    /// Whether it may hold keys or passwords, so that a read asks.
    pub secret: bool,
    /// Whether a command that no person was asked about must not change it: opening a folder or a file is enough for it to
    /// count, and no tool rewrites it all day.
    pub held: bool,
}

/// How an edit of a file asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    /// The first edit of a session, for all files of its kind: people edit it all day.
    OncePerSession,
    /// Each edit.
    Always,
}

/// What a name says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Why an edit asks; of several reasons the strongest.
    pub protection: Option<&'static Row>,
    /// Why a read asks.
    pub secret: Option<&'static Row>,
}

impl Found {
    /// What either of two names of one file says.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            protection: [self.protection, other.protection]
                .into_iter()
                .flatten()
                .max_by_key(strength),
            secret: self.secret.or(other.secret),
        }
    }
}

/// What the name of a file or a folder says, whether it is there or not. The path starts at a folder of the workspace, or is
/// absolute; a folder counts like what is in it.
pub fn find(path: &Path) -> Found {
    let parts: Vec<Cow<'_, str>> = path.components().map(|part| folded(part.as_os_str())).collect();
    let parts: Vec<&str> = parts.iter().map(|part| trimmed(part)).collect();
    let mut found = Found::default();
    for row in TABLE.rows(&parts) {
        if row.asks.is_some() {
            found.protection = found.protection.into_iter().chain([row]).max_by_key(strength);
        }
        if row.secret && found.secret.is_none() {
            found.secret = Some(row);
        }
    }
    found
}

/// Why an edit asks, and how; of several reasons the strongest.
pub fn protection(path: &Path) -> Option<&'static Row> {
    find(path).protection
}

/// Whether a read asks.
pub fn is_secret(path: &Path) -> bool {
    find(path).secret.is_some()
}

/// Whether a command that no person was asked about must not change it.
pub fn is_held(path: &Path) -> bool {
    protection(path).is_some_and(|row| row.held)
}

fn strength(row: &&'static Row) -> (bool, Option<Asks>) {
    (row.held, row.asks)
}

/// The table, ordered for a search that asks for every file.
static TABLE: LazyLock<Table> = LazyLock::new(Table::default);

struct Table {
    /// The rows without a star in their last name, by its length.
    named: Vec<Vec<Pattern>>,
    /// The others.
    starred: Vec<Pattern>,
}

struct Pattern {
    row: &'static Row,
    /// The folders above the last name, from the nearest.
    above: Vec<&'static str>,
    last: &'static str,
    is_folder: bool,
}

impl Default for Table {
    fn default() -> Self {
        let mut table = Self {
            named: Vec::new(),
            starred: Vec::new(),
        };
        for row in ROWS {
            let is_folder = row.at.ends_with('/');
            let mut names = row.at.trim_end_matches('/').rsplit('/');
            let pattern = Pattern {
                row,
                last: names.next().unwrap_or_default(),
                above: names.collect(),
                is_folder,
            };
            let length = pattern.last.len();
            if pattern.last.contains('*') {
                table.starred.push(pattern);
                continue;
            }
            if table.named.len() <= length {
                table.named.resize_with(length + 1, Vec::new);
            }
            table.named[length].push(pattern);
        }
        table
    }
}

impl Table {
    fn rows<'a>(&'a self, parts: &'a [&'a str]) -> impl Iterator<Item = &'static Row> + 'a {
        let named = (0..parts.len()).flat_map(move |at| {
            let candidates = self.named.get(parts[at].len()).into_iter().flatten();
            candidates.filter(move |pattern| {
                (pattern.is_folder || at + 1 == parts.len())
                    && pattern.last.eq_ignore_ascii_case(parts[at])
                    && is_above(&pattern.above, &parts[..at])
            })
        });
        let starred = parts.split_last().into_iter().flat_map(|(name, above)| {
            let candidates = self.starred.iter();
            candidates.filter(|pattern| {
                pattern
                    .last
                    .split_once('*')
                    .is_some_and(|(start, end)| has_ends(name, start, end))
                    && is_above(&pattern.above, above)
                    && !(pattern.last == ENVIRONMENTS && is_harmless(name))
            })
        });
        named.chain(starred).map(|pattern| pattern.row)
    }
}

/// Whether these folders, from the nearest, stand at the end of a path.
fn is_above(folders: &[&str], path: &[&str]) -> bool {
    match (folders.split_first(), path.split_last()) {
        (None, _) => true,
        (Some((&"**", rest)), nearest) => {
            is_above(rest, path) || nearest.is_some_and(|(_, above)| is_above(folders, above))
        }
        (Some((folder, rest)), Some((nearest, above))) => {
            (*folder == "*" || folder.eq_ignore_ascii_case(nearest)) && is_above(rest, above)
        }
        (Some(_), None) => false,
    }
}

/// `.env.NAME` is a secret, except where the name says that it is a pattern to copy.
const ENVIRONMENTS: &str = ".env.*";

fn is_harmless(name: &str) -> bool {
    let ends = ["example", "sample", "template", "dist", "defaults", "schema"];
    ends.iter().any(|end| has_ends(name, "", end))
}

/// Whether a name begins and ends so, letter case aside.
fn has_ends(name: &str, start: &str, end: &str) -> bool {
    let (name, start, end) = (name.as_bytes(), start.as_bytes(), end.as_bytes());
    name.len() >= start.len() + end.len()
        && name[..start.len()].eq_ignore_ascii_case(start)
        && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
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

/// Without streams, and without dots and spaces at the end.
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

    /// How edits ask (`E` each, `1` once a session), whether reads ask (`R`), and whether commands are kept off (`H`).
    fn flags(path: &str) -> String {
        let Found { protection, secret } = find(Path::new(path));
        let asks = protection.map(|row| match row.asks {
            Some(Asks::Always) => 'E',
            _ => '1',
        });
        let held = is_held(Path::new(path)).then_some('H');
        asks.into_iter().chain(secret.map(|_| 'R')).chain(held).collect()
    }

    #[test]
    fn names_that_ask() {
        for (path, expected) in [
            ("src/main.rs", ""),
            (".vscode/settings.json", "EH"),
            (".vscode", "EH"),
            (".VSCode/Settings.json", "EH"),
            ("x.code-workspace", "EH"),
            ("skills/deploy/SKILL.md", "EH"),
            ("docs/AGENTS.md", "EH"),
            ("a/CLAUDE.md", "EH"),
            ("opencode.json", "EH"),
            (".gemini/settings.json", "EH"),
            (".kiro/settings/mcp.json", "EH"),
            (".roo/rules/a.md", "EH"),
            (".roorules-code", "EH"),
            (".amazonq/mcp.json", "EH"),
            (".goose/config.yaml", "EH"),
            (".crush.json", "EH"),
            ("mcp.json", "EH"),
            ("plugin.json", "E"),
            ("x/agents/openai.yaml", "EH"),
            ("openai.yaml", ""),
            (".vimrc", "EH"),
            (".dir-locals.el", "EH"),
            ("mise.toml", "EH"),
            ("mise.local.toml", "EH"),
            ("lefthook.yml", "EH"),
            ("src/lefthook_test.go", ""),
            ("eslint.config.mjs", "EH"),
            (".markdownlint-cli2.cjs", "EH"),
            (".lintr", "EH"),
            ("web/tsconfig.build.json", "1"),
            // Of Git's own record only what runs is held: `git commit` writes the rest.
            (".git/hooks/pre-commit", "EH"),
            ("a/.git/hooks/pre-commit", "EH"),
            (".git/config", "EH"),
            (".git/config.worktree", "EH"),
            (".git/info/attributes", "EH"),
            (".git/modules/a/b/hooks/post-checkout", "EH"),
            (".git/modules/a/config", "EH"),
            (".git/worktrees/w/config.worktree", "EH"),
            (".git/index", "E"),
            (".git/refs/heads/config", "E"),
            (".git/info/exclude", "E"),
            ("sub/.git", "E"),
            ("config", ""),
            ("hooks/pre-commit", ""),
            // Names as careless file systems read them.
            (".git. /config", "EH"),
            (".git\u{200c}/config", "EH"),
            (".git::$INDEX_ALLOCATION/config", "EH"),
            ("GIT~1/config", "EH"),
            ("\u{ff0e}git/config", "EH"),
            (".\u{ff47}\u{ff49}\u{ff54}/config", "EH"),
            (".v\u{17f}code/settings.json", "EH"),
            (".e\u{301}git/config", ""),
            (".config/skills-ls/skills-ls.yaml", "EH"),
            (".local/state/skills-ls/trust.json", "EH"),
            // What people edit all day.
            ("package.json", "1"),
            ("package.json:$DATA", "1"),
            ("crates/a/Cargo.toml", "1"),
            ("build.rs", "1"),
            ("Makefile", "1"),
            ("src/CMakeLists.txt", "1"),
            ("build.gradle.kts", "1"),
            ("tests/conftest.py", "1"),
            ("Cargo.lock", ""),
            // Keys.
            (".env", "ER"),
            (".env.local", "ER"),
            (".env.example", ""),
            ("environment.ts", ""),
            (".npmrc", "ERH"),
            ("home/.ssh/known_hosts", "ERH"),
            (".ssh", "ERH"),
            ("server.PEM", "R"),
            ("\u{212a}eys/.\u{212a}ube/config", "ERH"),
            ("keyboard.rs", ""),
        ] {
            assert_eq!(flags(path), expected, "{path}");
        }
    }

    #[test]
    fn each_row_is_reached_by_its_own_name_and_says_why_in_a_few_words() {
        for row in ROWS {
            let path = row.at.replace("**/", "a/b/").replace("*/", "a/").replace('*', "x");
            let path = if row.at == "*.gitlab-ci.yml" {
                ".gitlab-ci.yml"
            } else {
                &path
            };
            let found = find(Path::new(path));
            let reached = [found.protection, found.secret].into_iter().flatten();
            assert!(reached.map(strength_of).max() >= Some(strength_of(row)), "{path}");
            let same: Vec<_> = ROWS.iter().filter(|other| other.at == row.at).collect();
            assert_eq!(same.len(), 1, "{}", row.at);
            assert!(row.why.len() <= 60 && !row.why.ends_with('.'), "{}", row.why);
            assert!(!row.held || row.asks == Some(Asks::Always), "{}", row.at);
            assert!(row.secret || row.asks.is_some(), "{}", row.at);
            assert_eq!(row.at, row.at.to_lowercase());
        }
    }

    fn strength_of(row: &'static Row) -> (bool, Option<Asks>) {
        strength(&row)
    }
}
