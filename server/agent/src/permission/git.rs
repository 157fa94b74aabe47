//! What git runs because of where it runs: hooks, monitors and filters that a repository's own files name.
//!
//! A folder with `HEAD`, `objects` and `refs` is a repository to git, without any `.git`; its `config` can name programs.
//! The agent may write such files, so that no rule covers a command there.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::command_line;
use crate::changes::ChangeLog;

mod config;
pub(crate) mod state;

pub(crate) use config::{is_harmless as is_harmless_config, named_by};

/// The longest file of git's that is looked through, in bytes; git's own limit for a file `.git`.
const MAX_BYTES: u64 = 1 << 20;

/// Subcommands that only read, so that nobody misses the hooks; `git status` runs some of them.
pub(super) const READING: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "var",
    "version",
    "whatchanged",
];

/// Options of git itself whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// Files of a work tree that decide what git does with it.
const DECIDING: &[&str] = &[".gitattributes", ".gitmodules", ".lfsconfig"];

/// What git is told by the environment of every command that only a rule let through. It reaches the git that other
/// programs start, and goes before all configuration files.
///
/// No monitor of the file system is run, no folder counts as a bare repository by its look (git 2.38), and remotes are no
/// programs. Commands that only read run no hooks. Twice, because git before 2.31 knows the other way alone.
#[must_use]
pub fn git_environment(argv: &[String]) -> Vec<(String, String)> {
    let mut settings = vec![
        ("core.fsmonitor", "false"),
        ("safe.bareRepository", "explicit"),
        ("protocol.ext.allow", "never"),
    ];
    if only_reads(argv) {
        settings.push(("core.hooksPath", "/dev/null"));
    }
    let parameters: Vec<String> = settings.iter().map(|(key, value)| format!("'{key}={value}'")).collect();
    let mut variables = vec![
        ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()),
        ("GIT_CONFIG_PARAMETERS".to_owned(), parameters.join(" ")),
    ];
    for (number, (key, value)) in settings.into_iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{number}"), key.to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
    }
    variables
}

/// Whether all that a command line runs is git, with subcommands that only read.
fn only_reads(argv: &[String]) -> bool {
    let line = command_line::read(argv);
    let reads = |words: &Vec<String>| {
        Invocation::of(words, Path::new("")).is_some_and(|git| git.subcommand.is_some_and(|it| READING.contains(&it)))
    };
    !line.commands.is_empty() && line.inside.is_empty() && line.commands.iter().all(|command| reads(&command.words))
}

/// Whether a command is git with a subcommand that only reads, or one that writes only into the repository itself.
pub(super) fn leaves_files_alone(words: &[String]) -> bool {
    // However much `--output` is shortened.
    let writes = |word: &String| word.starts_with("--o") || word.starts_with("-o");
    let git = Invocation::of(words, Path::new(""));
    git.filter(|git| !git.named.iter().any(writes))
        .and_then(|git| git.subcommand)
        .is_some_and(|subcommand| READING.contains(&subcommand) || matches!(subcommand, "add" | "commit" | "push"))
}

/// Why no rule covers commands that run here: the folder is a bare repository, or the agent wrote what git reads there.
pub(super) fn why_to_ask<'a>(
    commands: impl Iterator<Item = &'a Vec<String>>,
    cwd: &Path,
    changes: &ChangeLog,
) -> Option<String> {
    if let Some(why) = why_not_in(cwd, changes, false) {
        return Some(why);
    }
    for words in commands {
        let Some(git) = Invocation::of(words, cwd) else {
            continue;
        };
        let mut found = match &git.repository {
            Some(repository) if is_bare(repository) => Some(bare_reason(repository)),
            Some(repository) => why_not_of(repository, None, changes),
            None => why_not_in(&git.folder, changes, true),
        };
        if let Some(tree) = &git.work_tree {
            found = found.or_else(|| written(changes, tree, &|path| is_deciding(path)));
        }
        // What it is pointed at, as `git push ./lib` is; git finds `lib.git` by `lib`.
        let named = git.named.iter().flat_map(|word| command_line::parts(word, false));
        let mut named = named.flat_map(|word| [git.folder.join(word), git.folder.join(format!("{word}.git"))]);
        let bare = || named.find(|path| is_bare(path)).map(|path| bare_reason(&path));
        if let Some(why) = found.or_else(bare) {
            return Some(why);
        }
    }
    None
}

/// A call of git, as far as it says which repository it is about.
struct Invocation<'a> {
    /// Where it works.
    folder: PathBuf,
    /// What it is told to take for the repository.
    repository: Option<PathBuf>,
    work_tree: Option<PathBuf>,
    subcommand: Option<&'a str>,
    /// The words behind the subcommand.
    named: &'a [String],
}

impl<'a> Invocation<'a> {
    fn of(words: &'a [String], cwd: &Path) -> Option<Self> {
        let (first, mut rest) = words.split_first()?;
        let program = command_line::program(first);
        let is_git = program == "git" || program.starts_with("git-");
        if !is_git {
            return None;
        }
        let mut git = Self {
            folder: cwd.to_owned(),
            repository: None,
            work_tree: None,
            subcommand: None,
            named: rest,
        };
        while let Some((word, behind)) = rest.split_first() {
            rest = behind;
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if word.starts_with("--") => (option, Some(value)),
                _ if WITH_VALUE.contains(&word.as_str()) => match rest.split_first() {
                    Some((value, behind)) => {
                        rest = behind;
                        (word.as_str(), Some(value.as_str()))
                    }
                    None => (word.as_str(), None),
                },
                _ => (word.as_str(), None),
            };
            match (option, value) {
                ("-C", Some(value)) => git.folder = git.folder.join(value),
                ("--git-dir", Some(value)) => git.repository = Some(git.folder.join(value)),
                ("--work-tree", Some(value)) => git.work_tree = Some(git.folder.join(value)),
                (option, _) if option.starts_with('-') => {}
                (subcommand, _) => {
                    git.subcommand = Some(subcommand);
                    git.named = rest;
                    break;
                }
            }
        }
        Some(git)
    }
}

/// Finds the repository as git does: in the folder itself, then in those above it.
fn why_not_in(folder: &Path, changes: &ChangeLog, is_git: bool) -> Option<String> {
    let folder = folder.canonicalize().unwrap_or_else(|_| flat(folder));
    for folder in folder.ancestors() {
        let inner = folder.join(".git");
        if inner.is_dir() && is_repository(&inner) {
            return why_not_of(&inner, is_git.then_some(folder), changes);
        }
        if let Some(linked) = linked(&inner) {
            return why_not_of(&linked, is_git.then_some(folder), changes);
        }
        if is_repository(folder) {
            return Some(bare_reason(folder));
        }
    }
    None
}

fn bare_reason(folder: &Path) -> String {
    format!(
        "{} is a bare repository to git, whose files can run programs.\n",
        folder.display()
    )
}

/// Why a repository is not as the person left it.
fn why_not_of(repository: &Path, work_tree: Option<&Path>, changes: &ChangeLog) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| flat(path));
    let repository = real(repository);
    let common = text_of(&repository.join("commondir")).and_then(|text| said(&text));
    let common = common.map(|path| real(&repository.join(path)));
    let mut places = vec![repository];
    places.extend(common);
    let mut named: Vec<PathBuf> = Vec::new();
    for file in places
        .iter()
        .flat_map(|place| [place.join("config"), place.join("config.worktree")])
    {
        named_by(&file, work_tree, &mut named);
    }
    let is_read = |path: &Path| {
        let is_below = |place: &PathBuf| path.starts_with(place);
        places.iter().chain(&named).any(is_below)
    };
    written(changes, Path::new(""), &is_read)
        .or_else(|| work_tree.and_then(|tree| written(changes, tree, &|path| is_deciding(path))))
}

fn written(changes: &ChangeLog, below: &Path, test: &dyn Fn(&Path) -> bool) -> Option<String> {
    let below = below.canonicalize().unwrap_or_else(|_| below.to_owned());
    let path = changes.written(|path| path.starts_with(&below) && test(path))?;
    Some(format!(
        "The agent wrote {} in this session, which git reads there.\n",
        path.display()
    ))
}

fn is_deciding(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| DECIDING.contains(&name.as_str()))
}

/// The repository that a file `.git` leads to, as git reads it: nothing but line ends is taken off.
pub(crate) fn linked(file: &Path) -> Option<PathBuf> {
    let path = said(text_of(file)?.strip_prefix(b"gitdir: ")?)?;
    Some(file.parent()?.join(path))
}

/// Whether a file `.git` leads into a repository that is looked after in one of these folders, as those of submodules and work
/// trees do. No part of the way may be a link, or be left again: another command could have it lead elsewhere.
pub(crate) fn leads_inside(file: &Path, roots: &[PathBuf]) -> bool {
    let path = text_of(file).and_then(|text| said(text.strip_prefix(b"gitdir: ")?));
    let Some((path, folder)) = path.zip(file.parent()) else {
        return false;
    };
    let is_down = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let goes_down = path
        .components()
        .skip_while(|part| !is_down(part))
        .all(|part| is_down(&part));
    let target = flat(&folder.join(&path));
    let names: Vec<_> = target.components().map(|part| part.as_os_str()).collect();
    let is_looked_after = names
        .windows(3)
        .any(|names| names[0] == ".git" && (names[1] == "modules" || names[1] == "worktrees"));
    !file.is_symlink()
        && goes_down
        && is_looked_after
        && roots.iter().any(|root| target.starts_with(root))
        && target.canonicalize().is_ok_and(|real| real == target)
}

/// Whether a file `commondir` says what git writes into those of work trees.
pub(crate) fn is_of_work_tree(commondir: &Path) -> bool {
    let folder = commondir.ancestors().nth(2);
    folder.is_some_and(|folder| folder.ends_with(".git/worktrees"))
        && text_of(commondir)
            .and_then(|text| said(&text))
            .is_some_and(|path| path == Path::new("../.."))
        && !commondir.is_symlink()
}

/// The path in a file of one line, which ends where C's texts do.
fn said(text: &[u8]) -> Option<PathBuf> {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    let path = text[..=end].split(|byte| *byte == 0).next()?;
    (!path.is_empty()).then(|| path_of(path))
}

/// A path as the system takes it.
fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// What git reads of a file; a pipe that comes in its place would be waited for.
fn text_of(file: &Path) -> Option<Vec<u8>> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    // Opening some devices does something; git opens none.
    let opened = file.is_file().then(|| options.open(file).ok())??;
    let metadata = opened.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut text = Vec::new();
    let is_read = metadata.len() <= MAX_BYTES && opened.take(MAX_BYTES).read_to_end(&mut text).is_ok();
    is_read.then_some(text)
}

/// Whether git takes a folder for a repository.
pub(crate) fn is_repository(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

fn is_bare(folder: &Path) -> bool {
    folder.file_name().is_none_or(|name| name != ".git") && is_repository(folder)
}

/// Without `.` and `..`; links are not followed.
pub(super) fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(flat.pop()),
            Component::CurDir => {}
            part => flat.push(part),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_read_run_no_hooks() {
        for (line, expected) in [
            ("git status", true),
            ("git -C x --no-pager log -p", true),
            ("git commit -m x", false),
            ("git stash list", false),
            ("cargo build", false),
            ("git -c a=b status", false),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let has_hooks = !git_environment(&argv)
                .iter()
                .any(|(_, value)| value == "core.hooksPath");
            assert_eq!(!has_hooks, expected, "{line}");
        }
        let script = ["sh", "-c", "git status && git diff"].map(str::to_owned);
        assert!(only_reads(&script));
    }

    /// Nothing is waited for that a text of the workspace names.
    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own file")]
    fn a_pipe_in_the_place_of_a_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(".git");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(linked(&pipe), None);
        let config = folder.path().join("config");
        std::fs::write(&config, "[include]\npath = .git\n").unwrap();
        let mut found = Vec::new();
        named_by(&config, None, &mut found);
        assert_eq!(found, [pipe.canonicalize().unwrap()]);
    }
}
