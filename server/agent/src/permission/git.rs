//! What git runs because of where it runs: hooks, monitors and filters that a repository's own files name.
//!
//! A folder with `HEAD`, `objects` and `refs` is a repository to git, without any `.git`; its `config` can name programs.
//! The agent may write such files, so that no rule covers a command there.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::{command, paths};
use crate::changes::ChangeLog;

/// The longest configuration that is looked through, in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

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

/// Whether nothing in a repository's configuration can make git run a program: only keys that can't are there, and all
/// of the text is understood.
#[must_use]
pub fn is_harmless_git_config(text: &str) -> bool {
    let mut section = String::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with('\\') || line.contains(|c: char| c.is_control() && c != '\t') {
            return false;
        }
        if let Some(header) = line.strip_prefix('[') {
            match header.strip_suffix(']').and_then(section_pattern) {
                Some(found) => section = found,
                None => return false,
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = format!("{section}.{}", key.trim().to_lowercase());
        // A remote `x::y` is a program, and what begins with a dash is an option of one.
        let value = value.trim().trim_matches('"').trim();
        let is_program = key.ends_with("url") && (value.contains("::") || value.starts_with('-'));
        if is_program || !HARMLESS_KEYS.contains(&key.as_str()) {
            return false;
        }
    }
    true
}

/// `remote "origin"` is `remote.*`.
fn section_pattern(header: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let Some((name, rest)) = header.split_once([' ', '\t']) else {
        return is_name(header).then(|| header.to_lowercase());
    };
    let inner = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !inner.contains(['"', '\\', '[', ']']);
    (is_name(name) && is_plain).then(|| format!("{}.*", name.to_lowercase()))
}

/// Whether all that a command line runs is git, with subcommands that only read.
fn only_reads(argv: &[String]) -> bool {
    let line = command::read(argv);
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
        let named = git.named.iter().flat_map(|word| paths::parts(word, false));
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
        let program = command::program(first);
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
    let common = std::fs::read_to_string(repository.join("commondir")).ok();
    let common = common.map(|path| real(&repository.join(path.trim_end())));
    let mut places = vec![repository];
    places.extend(common);
    let mut named: Vec<PathBuf> = Vec::new();
    for file in places
        .iter()
        .flat_map(|place| [place.join("config"), place.join("config.worktree")])
    {
        named_by(&file, work_tree, &mut named, 0);
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

/// The files that a configuration includes, and the folder of its hooks.
pub(crate) fn named_by(config: &Path, work_tree: Option<&Path>, found: &mut Vec<PathBuf>, depth: usize) {
    const MAX_DEPTH: usize = 10;
    let (Some(text), Some(folder)) = (text_of(config), config.parent()) else {
        return;
    };
    for line in text.lines() {
        // A section may stand before the key, on its line.
        let Some((key, value)) = line.rsplit(']').next().and_then(|line| line.split_once('=')) else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        let value = match value.strip_prefix("~/").zip(std::env::home_dir()) {
            Some((rest, home)) => home.join(rest),
            None => PathBuf::from(value),
        };
        let from = |folder: &Path| {
            let path = folder.join(&value);
            path.canonicalize().unwrap_or_else(|_| flat(&path))
        };
        match key.trim().to_lowercase().as_str() {
            "path" => {
                let included = from(folder);
                if depth < MAX_DEPTH && !found.contains(&included) {
                    found.push(included.clone());
                    named_by(&included, work_tree, found, depth + 1);
                }
            }
            "hookspath" => found.extend([work_tree, Some(folder)].into_iter().flatten().map(from)),
            _ => {}
        }
    }
}

/// The repository that a file `.git` leads to.
pub(crate) fn linked(file: &Path) -> Option<PathBuf> {
    let text = text_of(file)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(path))
}

/// What git reads of a file; a pipe would be waited for.
fn text_of(file: &Path) -> Option<String> {
    let mut text = Vec::new();
    let opened = file.is_file().then(|| File::open(file).ok())??;
    opened.take(MAX_CONFIG_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
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
            ("[remote \"o\"]\n\turl = --upload-pack=x\n", false),
            ("[remote \"o\"]\n\tuploadpack = x\n", false),
            ("[remote.o]\n\turl = x\n", false),
            ("bare = true\n", false),
            ("[core]\u{0}\n", false),
            ("[core\n", false),
        ] {
            assert_eq!(is_harmless_git_config(text), expected, "{text}");
        }
    }

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
        named_by(&config, None, &mut found, 0);
        assert_eq!(found, [pipe.canonicalize().unwrap()]);
    }
}
