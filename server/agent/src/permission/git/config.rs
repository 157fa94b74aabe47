//! Git's configuration files, read as git reads them (git-config(1), `config.c`): another reading would look at other files
//! than git does.

use std::path::{Path, PathBuf};

use super::{flat, path_of, text_of};

/// Keys of a configuration that can't make git run anything, whatever their values are; `*` stands for any name.
const HARMLESS_KEYS: &[&str] = &[
    "branch.*.description",
    "branch.*.merge",
    "branch.*.pushremote",
    "branch.*.rebase",
    "branch.*.remote",
    "color.ui",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.symlinks",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.refstorage",
    "fetch.prune",
    "init.defaultbranch",
    "merge.conflictstyle",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "rebase.autosquash",
    "rebase.autostash",
    "remote.*.fetch",
    "remote.*.mirror",
    "remote.*.partialclonefilter",
    "remote.*.promisor",
    "remote.*.prune",
    "remote.*.push",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "rerere.enabled",
    "submodule.*.active",
    "submodule.*.branch",
    "submodule.*.url",
    "submodule.active",
    "user.email",
    "user.name",
];

/// The ends of keys whose values say where a remote is. One that is `x::y` is a program, and what begins with a dash is an
/// option of one; a branch may name an address in the place of a remote.
const REMOTES: &[&str] = &["url", ".remote", ".pushremote"];

/// How deep configurations include others; git stops there too.
const MAX_DEPTH: usize = 10;

/// One line of a configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The section and the key, in small letters, with `*` for a quoted name between them.
    pub(super) key: String,
    /// The quoted name.
    name: Vec<u8>,
    /// Nothing where there is no `=`.
    pub(super) value: Vec<u8>,
}

/// What a configuration says, up to the first mistake; whether there is none. Git stops at a mistake.
pub(super) fn entries(text: &[u8]) -> (Vec<Entry>, bool) {
    let mut reader = Reader {
        text: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text),
        at: 0,
    };
    let mut entries = Vec::new();
    let is_whole = reader.read(&mut entries).is_some();
    (entries, is_whole)
}

/// Reads one character after another; a function gives `None` at a mistake.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn is_over(&self) -> bool {
        self.at > self.text.len()
    }

    /// The next character. A file ends with a line's end, whether it is there or not.
    fn next(&mut self) -> u8 {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += if rest.starts_with(b"\r\n") { 2 } else { 1 };
        match rest.first() {
            None => b'\n',
            Some(b'\r') if rest.starts_with(b"\r\n") => b'\n',
            Some(byte) => *byte,
        }
    }

    fn read(&mut self, entries: &mut Vec<Entry>) -> Option<()> {
        let (mut section, mut name) = (String::new(), Vec::new());
        let mut is_comment = false;
        while !self.is_over() {
            match self.next() {
                b'\n' => is_comment = false,
                _ if is_comment => {}
                byte if is_space(byte) => {}
                b'#' | b';' => is_comment = true,
                b'[' => (section, name) = self.section()?,
                byte if byte.is_ascii_alphabetic() => {
                    let (key, value) = self.pair(byte)?;
                    let key = format!("{section}.{key}");
                    let name = name.clone();
                    entries.push(Entry { key, name, value });
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// `remote "origin"` is `remote.*`, with its name.
    fn section(&mut self) -> Option<(String, Vec<u8>)> {
        let (mut section, mut name) = (String::new(), Vec::new());
        loop {
            match self.next() {
                b']' => return (!section.is_empty()).then_some((section, name)),
                b'\n' => return None,
                byte if is_space(byte) => break,
                byte if is_of_key(byte) || byte == b'.' => section.push(char::from(byte.to_ascii_lowercase())),
                _ => return None,
            }
        }
        while match self.next() {
            b'"' => false,
            b'\n' => return None,
            byte if is_space(byte) => true,
            _ => return None,
        } {}
        loop {
            match self.next() {
                b'"' => break,
                b'\n' => return None,
                b'\\' => name.push(Some(self.next()).filter(|byte| *byte != b'\n')?),
                byte => name.push(byte),
            }
        }
        (self.next() == b']').then(|| (format!("{section}.*"), name))
    }

    fn pair(&mut self, first: u8) -> Option<(String, Vec<u8>)> {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        let mut byte = self.next();
        while is_of_key(byte) {
            key.push(char::from(byte.to_ascii_lowercase()));
            byte = self.next();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        match byte {
            b'\n' => Some((key, Vec::new())),
            b'=' => self.value().map(|value| (key, value)),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // How long it is without what spaces stand at its end.
        let mut end = 0;
        let (mut is_quoted, mut is_comment) = (false, false);
        loop {
            match self.next() {
                b'\n' if is_quoted => return None,
                b'\n' => {
                    value.truncate(end);
                    return Some(value);
                }
                _ if is_comment => continue,
                byte if is_space(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'#' | b';' if !is_quoted => {
                    is_comment = true;
                    continue;
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.next() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'n' => value.push(b'\n'),
                    b'b' => value.push(8),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            end = value.len();
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Whether nothing in a repository's configuration can make git run a program: only keys that can't are there, and all
/// of the text is understood.
#[must_use]
pub(crate) fn is_harmless(text: &[u8]) -> bool {
    // Nobody writes these, and they are what readings differ in.
    let is_odd = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.ends_with(b"\\") || line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t')
    };
    let (entries, is_whole) = entries(text);
    let is_harmless = |entry: &Entry| {
        let is_program = REMOTES.iter().any(|end| entry.key.ends_with(end))
            && (entry.value.starts_with(b"-") || entry.value.windows(2).any(|pair| pair == b"::"));
        let is_plain = !entry.name.iter().any(|byte| matches!(byte, b'"' | b'\\' | b'[' | b']'));
        is_plain && !is_program && HARMLESS_KEYS.contains(&entry.key.as_str())
    };
    is_whole && !text.split(|byte| *byte == b'\n').any(is_odd) && entries.iter().all(is_harmless)
}

/// The files that a configuration includes, and the folder of its hooks.
pub(crate) fn named_by(config: &Path, work_tree: Option<&Path>, found: &mut Vec<PathBuf>) {
    named_at(config, work_tree, found, 0);
}

fn named_at(config: &Path, work_tree: Option<&Path>, found: &mut Vec<PathBuf>, depth: usize) {
    let (Some(text), Some(folder)) = (text_of(config), config.parent()) else {
        return;
    };
    for entry in entries(&text).0 {
        let value = entry.value.strip_prefix(b":(optional)").unwrap_or(&entry.value);
        if value.is_empty() {
            continue;
        }
        let value = match value.strip_prefix(b"~/").zip(std::env::home_dir()) {
            Some((rest, home)) => home.join(path_of(rest)),
            None => path_of(value),
        };
        let from = |folder: &Path| {
            let path = folder.join(&value);
            path.canonicalize().unwrap_or_else(|_| flat(&path))
        };
        match entry.key.as_str() {
            "include.path" | "includeif.*.path" => {
                let included = from(folder);
                if depth < MAX_DEPTH && !found.contains(&included) {
                    found.push(included.clone());
                    named_at(&included, work_tree, found, depth + 1);
                }
            }
            "core.hookspath" => found.extend([work_tree, Some(folder)].into_iter().flatten().map(from)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_git_takes_them_for() {
        for (text, expected) in [
            ("[a]\nb = c\n", &["a.b=c"][..]),
            ("\u{feff}[A \"B\"] C=d", &["a.*.c=d"]),
            ("[a]\nb = c # d\n", &["a.b=c"]),
            ("[a]\nb = \"c # d\" \n", &["a.b=c # d"]),
            ("[a]\nb = \"c \"\n", &["a.b=c "]),
            ("[a]\nb =  c\" \" \n", &["a.b=c "]),
            ("[a]\nb = e\"xt:\":x\n", &["a.b=ext::x"]),
            ("[a]\nb = c \\\n  d\n", &["a.b=c   d"]),
            ("[a]\nb = c\\td\\\\\r\n", &["a.b=c\td\\"]),
            ("[a] b = ]c=d\n", &["a.b=]c=d"]),
            ("[a]\nb\n; c\n#\nd=\n", &["a.b=", "a.d="]),
            ("[a]\nb = \"c\nd = e\n", &[]),
            ("[a]\nb = c\\x\n", &[]),
            ("[a]\nb = c\n%\nd = e\n", &["a.b=c"]),
        ] {
            let (found, _) = entries(text.as_bytes());
            let shown = |entry: &Entry| format!("{}={}", entry.key, String::from_utf8_lossy(&entry.value));
            let found: Vec<_> = found.iter().map(shown).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn configurations_that_can_run_nothing() {
        let fresh = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
            [remote \"origin\"]\r\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
            [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n# a comment\n[user]\n\tname = A \"B\" C\n";
        for (text, expected) in [
            ("", true),
            (fresh, true),
            ("[core]\n\tfsmonitor = x\n", false),
            ("[CORE]\n\tFsMonitor = x\n", false),
            ("[core] fsmonitor = x\n", false),
            ("[core]\nbare = false \\\nfsmonitor = x\n", false),
            ("[core]\n\thooksPath = x\n", false),
            ("[core]\n\tworktree = ../x\n", false),
            ("[core]\n\tsshCommand = x\n", false),
            ("[include]\n\tpath = x\n", false),
            ("[includeIf \"gitdir:x\"]\n\tpath = x\n", false),
            ("[filter \"x\"]\n\tclean = x\n", false),
            ("[diff \"x\"]\n\ttextconv = x\n", false),
            ("[alias]\n\tx = !y\n", false),
            ("[remote \"o\"]\n\turl = ext::sh -c x\n", false),
            ("[remote \"o\"]\n\turl = \"ext::sh -c x\"\n", false),
            ("[remote \"o\"]\n\turl = e\"xt:\":sh -c x\n", false),
            ("[remote \"o\"]\n\turl = ext:\\\n:sh\n", false),
            ("[remote \"o\"]\n\turl = --upload-pack=x\n", false),
            ("[remote \"o\"]\n\turl = \"\"--upload-pack=x\n", false),
            ("[branch \"main\"]\n\tremote = ext::sh -c x\n", false),
            ("[branch \"main\"]\n\tpushRemote = ext::sh -c x\n", false),
            ("[remote \"o\"]\n\tuploadpack = x\n", false),
            ("[remote.o]\n\turl = x\n", false),
            ("bare = true\n", false),
            ("[core]\u{0}\n", false),
            ("[core\n", false),
        ] {
            assert_eq!(is_harmless(text.as_bytes()), expected, "{text}");
        }
    }
}
