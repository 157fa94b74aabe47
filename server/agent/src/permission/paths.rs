//! Rules about paths, as commands meet them: `Read(s/**)` means `cat s/t.txt` too.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::command_line::{self, CommandLine};
use super::rule::{Call, Called, Rule, Subject};
use super::{Permissions, git};
use crate::event::TurnId;
use crate::tool_names::Does;
use crate::workspace::{Folder, Workspace, slashed};

/// What rules leave a command of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Whether it may read the file, or what is in the folder.
    pub read: bool,
    /// Whether it may write there.
    pub write: bool,
}

impl Access {
    /// No rule forbids anything.
    pub(crate) const ALL: Self = Self {
        read: true,
        write: true,
    };
}

/// The person's rules about files, as commands meet them.
#[derive(Debug)]
pub struct PathRules {
    rules: Vec<Rule>,
    workspace: Arc<Workspace>,
}

impl PathRules {
    /// What they leave a command of a file or a folder, by its absolute path.
    pub fn access(&self, path: &Path) -> Access {
        let is_free = |does| !self.closes(path, does, false);
        Access {
            read: is_free(&[Does::Read]),
            write: is_free(&[Does::Edit]),
        }
    }

    /// Whether a rule with a pattern keeps a file from the model, by its absolute path. What comes by itself, as instructions
    /// do, comes in spite of rules about all reading: those are about tools.
    pub(crate) fn keep_back(&self, path: &Path) -> bool {
        self.closes(path, &[Does::Read], true)
    }

    fn closes(&self, path: &Path, does: &'static [Does], by_pattern: bool) -> bool {
        let inner = self.workspace.folders().iter().find_map(|folder| {
            let inner = path.strip_prefix(&folder.path).ok()?;
            Some(folder.shown(inner).into_owned())
        });
        let absolute = slashed(path);
        let spellings: Vec<&str> = inner.as_deref().into_iter().chain([&*absolute]).collect();
        let mut rules = self.rules.iter();
        rules.any(|rule| is_about_path(rule, does, &spellings, by_pattern))
    }
}

impl PartialEq for PathRules {
    /// Whether they say the same of every path.
    fn eq(&self, other: &Self) -> bool {
        let folders = |rules: &Self| -> Vec<_> {
            let folders = rules.workspace.folders().iter();
            folders
                .map(|folder| (folder.path.clone(), folder.shown(Path::new("")).into_owned()))
                .collect()
        };
        self.rules == other.rules && folders(self) == folders(other)
    }
}

/// What rules say of a path that a command names.
pub(super) enum Named {
    /// The command does not run: a message for the model.
    Denied(String),
    /// A person decides, because the program may write: a line for the question.
    Asks(String),
}

/// Programs that only read the files which they name, but for options that make them run something.
const READERS: &[&str] = &[
    "[",
    "basename",
    "bat",
    "cat",
    "cksum",
    "cmp",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "fd",
    "fgrep",
    "find",
    "grep",
    "head",
    "hexdump",
    "ls",
    "md5sum",
    "more",
    "nl",
    "od",
    "printf",
    "readlink",
    "realpath",
    "rg",
    "sha1sum",
    "sha256sum",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "wc",
];

/// Whether a program changes none of the files that it names.
pub(super) fn only_reads(program: &str) -> bool {
    READERS.contains(&program)
}

/// Programs that write the files which they name.
const WRITERS: &[&str] = &[
    "chgrp", "chmod", "chown", "dd", "mkdir", "mkfifo", "mv", "patch", "rm", "rmdir", "shred", "tee", "touch",
    "truncate", "unlink",
];

/// Programs that write the last of the files which they name, or the one that `-t` names.
const COPYING: &[&str] = &["cp", "install", "ln", "rsync", "scp"];

/// Programs of which a word may be a program: paths are looked for inside of it.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bun",
    "deno",
    "ed",
    "gawk",
    "jq",
    "lua",
    "mawk",
    "node",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sed",
];

/// The most parts of a command line that are compared with rules.
const MAX_PARTS: usize = 2_000;

impl Permissions {
    /// What rules leave commands of the files and folders of the workspace, by their absolute paths; `None` where they leave
    /// all. A folder is closed where a rule closes all that is in it.
    ///
    /// Rules of the person without a pattern count too. Such rules of skills are about tools alone: those with
    /// `disallowed-tools: Edit` still build and test.
    pub fn path_rules(&self, turn: &TurnId, workspace: &Arc<Workspace>) -> Option<Arc<PathRules>> {
        let is_about = |rule: &&Rule| rule.is_called(Called::Doing(&[Does::Read, Does::Edit]));
        let mut rules: Vec<Rule> = self.rules.deny.iter().filter(is_about).cloned().collect();
        if let Some(of_turn) = self.of_turn.lock().get(turn) {
            let with_pattern = of_turn.deny.iter().filter(is_about).filter(|rule| !rule.is_whole());
            rules.extend(with_pattern.cloned());
        }
        let workspace = workspace.clone();
        (!rules.is_empty()).then(|| Arc::new(PathRules { rules, workspace }))
    }

    /// What rules say of the paths that a command line names.
    pub(super) fn named_paths(&self, turn: &TurnId, line: &CommandLine, folder: &Folder, cwd: &Path) -> Option<Named> {
        // Most people have no such rule.
        let is_about = |rule: &Rule| rule.is_called(Called::Doing(&[Does::Read, Does::Edit]));
        if !self.rules.ask.iter().any(is_about) {
            self.denying(turn, is_about)?;
        }
        let target = |word: &String| vec!["tee".to_owned(), word.clone()];
        let targets: Vec<Vec<String>> = line.written.iter().map(target).collect();
        let (mut asks, mut looked) = (None, 0);
        for words in line.all().chain(&targets) {
            let Some(first) = words.first() else { continue };
            let program = command_line::program(first);
            let writes = Writes::of(&program, words);
            for (at, word) in words.iter().enumerate() {
                for part in command_line::parts(word, INTERPRETERS.contains(&&*program)) {
                    looked += 1;
                    if looked > MAX_PARTS {
                        return Some(Named::Asks("It names more files than can be looked at.\n".to_owned()));
                    }
                    let spellings = spellings(folder, cwd, part);
                    let spellings: Vec<&str> = spellings.iter().map(String::as_str).collect();
                    // Any word could be a file: rules about all files need one that is there.
                    let is_there = cwd.join(part).exists();
                    if let Some(by) = self.closing(turn, &[Does::Read], &spellings, !is_there) {
                        return Some(Named::Denied(format!(
                            "reading `{part}` is denied by {by}; do without it"
                        )));
                    }
                    asks = asks.or_else(|| self.asking_about(&[Does::Read], &spellings, !is_there));
                    if at == 0 && is_there || writes == Writes::Nothing {
                        continue;
                    }
                    let is_written = writes.is_meant(at, words.len());
                    let by_pattern = !is_there && !is_written;
                    match self.closing(turn, &[Does::Edit], &spellings, by_pattern) {
                        Some(by) if is_written => {
                            return Some(Named::Denied(format!(
                                "writing `{part}` is denied by {by}; do without it"
                            )));
                        }
                        Some(by) if writes == Writes::Unknown => {
                            asks = Some(format!("It names {part}, and edits there are denied by {by}.\n"));
                        }
                        _ if is_written || writes == Writes::Unknown => {
                            asks = asks.or_else(|| self.asking_about(&[Does::Edit], &spellings, by_pattern));
                        }
                        _ => {}
                    }
                }
            }
        }
        asks.map(Named::Asks)
    }

    /// The rule that closes a path by one of its spellings; on demand, only by a pattern.
    fn closing(&self, turn: &TurnId, does: &'static [Does], spellings: &[&str], by_pattern: bool) -> Option<String> {
        let covers = |rule: &Rule| is_about_path(rule, does, spellings, by_pattern);
        self.denying_apart(turn, covers, |rule| !rule.is_whole() && covers(rule))
    }

    /// Why a person is asked about a path.
    fn asking_about(&self, does: &'static [Does], spellings: &[&str], by_pattern: bool) -> Option<String> {
        let mut asking = self.rules.ask.iter();
        let rule = asking.find(|rule| is_about_path(rule, does, spellings, by_pattern))?;
        Some(format!("The rule {} asks (setting permissions.ask).\n", rule.text()))
    }
}

fn is_about_path(rule: &Rule, does: &'static [Does], spellings: &[&str], by_pattern: bool) -> bool {
    let (tool, subject) = (Called::Doing(does), Subject::Path(spellings));
    !(by_pattern && rule.is_whole()) && rule.covers(Call { tool, subject })
}

/// Which of the files that it names a program writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    Nothing,
    All,
    Last,
    Unknown,
}

impl Writes {
    fn of(program: &str, words: &[String]) -> Self {
        let is_option = |word: &String| word.starts_with('-');
        // The last word is the target, unless options stand behind the first file, or name it.
        let options = words[1..].iter().take_while(|word| is_option(word)).count();
        let is_target = |word: &String| word.starts_with("-t") || word.starts_with("--target");
        let is_mixed = words.iter().any(is_target) || words[1 + options..].iter().any(is_option);
        match () {
            () if READERS.contains(&program) && !command_line::runs_by_option(program, words) => Self::Nothing,
            () if git::leaves_files_alone(words) => Self::Nothing,
            () if WRITERS.contains(&program) => Self::All,
            () if COPYING.contains(&program) && is_mixed => Self::All,
            () if COPYING.contains(&program) => Self::Last,
            () => Self::Unknown,
        }
    }

    fn is_meant(self, at: usize, words: usize) -> bool {
        match self {
            Self::All => true,
            Self::Last => at + 1 == words,
            Self::Nothing | Self::Unknown => false,
        }
    }
}

/// A path as rules may name it: from the workspace's folder, as tools show it, and absolute; with and without links.
fn spellings(folder: &Folder, cwd: &Path, word: &str) -> Vec<String> {
    let word = match word.strip_prefix("~/").zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest),
        None => PathBuf::from(word),
    };
    let path = git::flat(&cwd.join(word));
    let mut paths = vec![path.clone()];
    // Of what is not there yet, the folder may be a link.
    let there = path
        .ancestors()
        .find_map(|there| Some((there, there.canonicalize().ok()?)));
    if let Some((there, real)) = there
        && let Ok(rest) = path.strip_prefix(there)
        && real.components().all(|part| part != Component::ParentDir)
    {
        paths.push(real.join(rest));
    }
    paths.dedup();
    let inner = paths.iter().filter_map(|path| path.strip_prefix(&folder.path).ok());
    let inner = inner.flat_map(|inner| [slashed(inner).into_owned(), folder.shown(inner).into_owned()]);
    let absolute = paths.iter().map(|path| slashed(path).into_owned());
    inner.chain(absolute).collect()
}
