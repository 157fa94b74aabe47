//! What a command line runs, as far as that can be known without running it.

use std::borrow::Cow;

use super::shell_syntax;

/// Above this many commands nothing is allowed by rule.
pub(super) const MAX_ALLOWED_COMMANDS: usize = 50;
/// Above this many nothing runs: somebody hides something.
const MAX_COMMANDS: usize = 5_000;
const MAX_DEPTH: usize = 8;

/// The most letters of short options before a value in the same word.
const MAX_LETTERS: usize = 8;

/// The most values in one another that are looked at: `a=b=c`.
const MAX_VALUES: usize = 16;

/// What a command line runs.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    /// The commands that rules of all kinds see.
    pub(super) commands: Vec<Command>,
    /// What may run inside of them: only rules that forbid or ask see it.
    pub(super) inside: Vec<Vec<String>>,
    /// The files that redirections write.
    pub(super) written: Vec<String>,
    /// Whether there is too much to be looked through.
    pub(super) is_endless: bool,
}

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// How well it is known.
    pub(super) certainty: Certainty,
}

/// How well it is known what a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It runs what it says.
    Plain,
    /// It runs something that its arguments name: allowed only by a rule without any wildcard.
    Wrapped,
    /// More may happen than it says: no rule allows it.
    Unknown,
}

const SHELLS: &[&str] = &[
    "sh", "bash", "rbash", "dash", "zsh", "ksh", "ash", "mksh", "yash", "fish", "csh", "tcsh", "nu", "elvish", "xonsh",
];

/// Those that read words otherwise: in fish `\\'` ends no quote.
const OTHER_SHELLS: &[&str] = &["fish", "csh", "tcsh", "nu", "elvish", "xonsh"];

/// Programs that run the rest of their words unchanged, with how many words stand before.
const TRANSPARENT: &[(&str, usize)] = &[
    ("nice", 0),
    ("nohup", 0),
    ("time", 0),
    ("timeout", 1),
    ("command", 0),
    ("env", 0),
    ("setsid", 0),
];

/// Programs that run what some of their words say.
const WRAPPERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "runuser",
    "pkexec",
    "xargs",
    "parallel",
    "watch",
    "ssh",
    "script",
    "flock",
    "chroot",
    "unshare",
    "nsenter",
    "ionice",
    "chrt",
    "taskset",
    "stdbuf",
    "strace",
    "ltrace",
    "gdb",
    "busybox",
    "toybox",
    "builtin",
    "exec",
    "systemd-run",
    "tmux",
    "screen",
    "coproc",
    "entr",
    "cmd",
    "powershell",
    "pwsh",
    "npx",
    "bunx",
    "bwrap",
    "caffeinate",
    "choom",
    "chpst",
    "dbus-run-session",
    "fakeroot",
    "faketime",
    "firejail",
    "hyperfine",
    "linux32",
    "linux64",
    "numactl",
    "perf",
    "prlimit",
    "proot",
    "rlwrap",
    "runcon",
    "setarch",
    "setpriv",
    "sg",
    "uclampset",
    "unbuffer",
    "valgrind",
    "xvfb-run",
    // Of zsh.
    "repeat",
    "-",
];

/// Subcommands that run what stands behind them. A rule that names one allows it; one that forbids sees what it runs.
const RUNNING_SUBCOMMANDS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("conda", "run"),
    ("direnv", "exec"),
    ("git", "bisect"),
    ("git", "submodule"),
    ("hatch", "run"),
    ("mise", "exec"),
    ("mise", "x"),
    ("nix", "develop"),
    ("nix", "shell"),
    ("npm", "exec"),
    ("npm", "x"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("rustup", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
];

/// Options that make a program run something, or delete.
const RUNNING_OPTIONS: &[(&str, &[&str])] = &[
    (
        "find",
        &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
        ],
    ),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    (
        "git",
        &[
            "-c",
            "--config-env",
            "--exec-path",
            "--upload-pack",
            "--receive-pack",
            "--ext-diff",
            "--exec",
            "--open-files-in-pager",
            "-x",
            "-O",
        ],
    ),
    ("rg", &["--pre", "--hostname-bin"]),
    (
        "tar",
        &["--to-command", "--checkpoint-action", "-I", "--use-compress-program"],
    ),
    ("sed", &["-i", "--in-place"]),
    ("sort", &["-o", "--compress-program"]),
];

/// Words of the shell that change what the commands after them mean, or run a text.
const BUILT_INS: &[&str] = &[
    "eval",
    "source",
    ".",
    "export",
    "typeset",
    "declare",
    "local",
    "readonly",
    "alias",
    "unalias",
    "set",
    "unset",
    "trap",
    "cd",
    "pushd",
    "popd",
    "shopt",
    "setopt",
    "enable",
    "hash",
    "bind",
    "umask",
    "ulimit",
    "exit",
    "compgen",
    "complete",
    "fc",
    "jobs",
    "mapfile",
    "readarray",
    // What they set, or are given, is reckoned with: `read x`, then `test -v 'a[x]'`.
    "break",
    "continue",
    "getopts",
    "let",
    "logout",
    "print",
    "read",
    "return",
    "shift",
    // Of zsh.
    "autoload",
    "emulate",
    "functions",
    "sched",
    "vared",
    "zle",
    "zmodload",
    "zpty",
    "zstyle",
];

/// Whether a word of the shell reckons with a word that it is given.
type Reckons = fn(&str) -> bool;

/// Words of the shell that reckon with some of what they are given: what stands in the brackets of an index is run then,
/// quoted or not (`test -v 'a[$(x)]'`), and of a name its value is (`_` is the last word of the command before).
const RECKONING: &[(&str, Reckons)] = &[
    ("printf", |word| word.starts_with("-v") || has_number(word)),
    ("test", |word| word.contains('[') || COMPARING.contains(&word)),
    ("wait", |word| !word.bytes().all(|byte| byte.is_ascii_digit())),
];

/// What `test` reckons with, in ksh and zsh.
const COMPARING: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-t"];

const KEYWORDS: &[&str] = &[
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "function",
    "select",
    "!",
    "{",
    "}",
    "[[",
    "]]", // Of zsh and fish.
    "always",
    "and",
    "begin",
    "end",
    "foreach",
    "nocorrect",
    "noglob",
    "not",
    "or",
];

/// Where systems keep their own programs.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
];

/// Looks through a program with its arguments.
pub(super) fn read(argv: &[String]) -> CommandLine {
    let mut line = CommandLine::default();
    line.expand(argv.to_vec(), Certainty::Plain, 0);
    line
}

/// The words as a person would type them, so that a space inside a word is none between words.
pub(crate) fn quoted(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The program's name without its folder.
pub(super) fn program(word: &str) -> Cow<'_, str> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let lower = name.to_lowercase();
    match lower.strip_suffix(".exe") {
        Some(stem) => Cow::Owned(stem.to_owned()),
        None if lower == name => Cow::Borrowed(name),
        None => Cow::Owned(lower),
    }
}

/// The parts of a word that may be paths: all of it, values behind `=`, `:` or `@`, and behind the letters of an option,
/// as in `-tdir`, `--file=dir`, `HEAD:file`, `-d@file`.
pub(super) fn parts(word: &str, is_program: bool) -> Vec<&str> {
    let mut parts = vec![word];
    parts.extend(word.split(['=', ':', '@', ',']).skip(1));
    let values = word.match_indices(['=', ':', '@']).take(MAX_VALUES);
    parts.extend(values.map(|(at, _)| &word[at + 1..]));
    if word.starts_with('-') && !word.starts_with("--") {
        parts.extend(word.char_indices().skip(2).take(MAX_LETTERS).map(|(at, _)| &word[at..]));
    }
    if is_program {
        let is_between = |c: char| c.is_whitespace() || "'\"`()[]{}<>|&;,".contains(c);
        parts.extend(word.split(is_between));
    }
    parts.retain(|part| !part.is_empty());
    parts
}

impl CommandLine {
    fn expand(&mut self, mut words: Vec<String>, mut certainty: Certainty, depth: usize) {
        loop {
            if depth > MAX_DEPTH || self.commands.len() + self.inside.len() > MAX_COMMANDS {
                self.is_endless = true;
                return;
            }
            let Some(first) = words.first() else { return };
            let name = program(first).into_owned();
            if !is_of_system(first) && is_seen_through(&name) {
                // Whoever made it knows what it is.
                return self.wrapped(words, certainty, depth);
            }
            if is_assignment(first) || KEYWORDS.contains(&name.as_str()) {
                // What is assigned can change what every program does.
                certainty = Certainty::Unknown;
                words.remove(0);
                if words.is_empty() {
                    self.push(vec![name], certainty);
                }
            } else if SHELLS.contains(&name.as_str()) {
                return self.shell(words, certainty, depth);
            } else if let Some((_, operands)) = TRANSPARENT.iter().find(|(known, _)| *known == name) {
                let begins = 1 + operands;
                let is_plain = words.len() > begins && words[1..=begins].iter().all(|word| !word.starts_with('-'));
                if !is_plain {
                    return self.wrapped(words, certainty, depth);
                }
                words.drain(..begins);
            } else if BUILT_INS.contains(&name.as_str()) || reckons(&name, &words) {
                let script = shell_syntax::split(&words[1..].join(" "));
                self.inside.extend(script.commands);
                self.written.extend(script.written);
                return self.push(words, Certainty::Unknown);
            } else if name == "git" && words.iter().any(|word| word.contains("alias.")) {
                self.aliases(&words, depth);
                return self.wrapped(words, certainty, depth);
            } else if WRAPPERS.contains(&name.as_str()) || runs_by_option(&name, &words) {
                return self.wrapped(words, certainty, depth);
            } else {
                let subcommand = words.get(1).map(String::as_str).unwrap_or_default();
                if RUNNING_SUBCOMMANDS.contains(&(&name, subcommand)) {
                    self.look_inside(&words, certainty, depth);
                }
                return self.push(words, certainty);
            }
        }
    }

    fn shell(&mut self, words: Vec<String>, certainty: Certainty, depth: usize) {
        let is_option = |word: &&String| word.starts_with(['-', '+']) && word.len() > 1;
        let options = words[1..].iter().take_while(is_option).count();
        let commands = |word: &String| !word.starts_with("--") && word.contains('c');
        if options == 0 {
            return self.push(words, certainty);
        }
        let script = words
            .get(1 + options)
            .filter(|_| words[1..=options].iter().any(commands));
        let Some(script) = script else {
            return self.wrapped(words, certainty, depth);
        };
        // Behind others the script may be another word: `-oc posix SCRIPT`.
        if options > 1 || !words[1].trim_start_matches('-').chars().all(|c| "celux".contains(c)) {
            return self.wrapped(words, certainty, depth);
        }
        let script = shell_syntax::split(script);
        self.written.extend(script.written);
        let certainty = if script.is_uncertain || OTHER_SHELLS.contains(&&*program(&words[0])) {
            Certainty::Unknown
        } else {
            certainty
        };
        if script.commands.is_empty() {
            return self.push(words, certainty);
        }
        for command in script.commands {
            self.expand(command, certainty, depth + 1);
        }
    }

    /// What git runs by names that are made on its own command line: `-c alias.x=push`.
    fn aliases(&mut self, words: &[String], depth: usize) {
        for word in words {
            let Some((_, meaning)) = word.split_once("alias.").and_then(|(_, rest)| rest.split_once('=')) else {
                continue;
            };
            let script = match meaning.strip_prefix('!') {
                Some(script) => script.to_owned(),
                None => format!("git {meaning}"),
            };
            let mut inner = Self::default();
            inner.shell(
                vec!["sh".to_owned(), "-c".to_owned(), script],
                Certainty::Unknown,
                depth + 1,
            );
            self.is_endless |= inner.is_endless;
            self.inside.extend(inner.inside);
            self.inside
                .extend(inner.commands.into_iter().map(|command| command.words));
        }
    }

    /// Any of the words may begin what really runs.
    fn wrapped(&mut self, words: Vec<String>, certainty: Certainty, depth: usize) {
        self.look_inside(&words, certainty, depth);
        self.push(words, certainty.max(Certainty::Wrapped));
    }

    fn look_inside(&mut self, words: &[String], certainty: Certainty, depth: usize) {
        for begin in 1..words.len() {
            if self.inside.len() > MAX_COMMANDS {
                self.is_endless = true;
                break;
            }
            let rest = &words[begin..];
            self.inside.push(rest.to_vec());
            // A whole command line in one word, or a shell with its own.
            let nested = if SHELLS.contains(&&*program(&rest[0])) {
                let mut inner = Self::default();
                inner.shell(rest.to_vec(), certainty, depth + 1);
                self.is_endless |= inner.is_endless;
                self.written.append(&mut inner.written);
                inner
                    .inside
                    .into_iter()
                    .chain(inner.commands.into_iter().map(|command| command.words))
                    .collect()
            } else if rest[0].contains(|c: char| c.is_whitespace() || c == ';') {
                let value = option_value(&rest[0]);
                let texts = [Some(rest[0].as_str()), value].into_iter().flatten();
                let mut commands = Vec::new();
                for script in texts.map(shell_syntax::split) {
                    commands.extend(script.commands);
                    self.written.extend(script.written);
                }
                commands
            } else {
                Vec::new()
            };
            self.inside.extend(nested);
        }
    }

    fn push(&mut self, words: Vec<String>, certainty: Certainty) {
        self.commands.push(Command { words, certainty });
    }
}

/// Whether an option makes a program run something, or delete.
pub(super) fn runs_by_option(name: &str, words: &[String]) -> bool {
    let options = RUNNING_OPTIONS.iter().find(|(known, _)| *known == name);
    options.is_some_and(|(_, options)| {
        let is_one = |word: &String| {
            let is_glued = |option: &&str| option.len() == 2 && word.starts_with(*option) && *option != "-X";
            let name = word.split('=').next().unwrap_or(word);
            // Programs take the beginning of a long option for all of it.
            let is_begun = |option: &&str| name.len() > 3 && option.starts_with("--") && option.starts_with(name);
            options.contains(&name) || options.iter().any(|option| is_glued(option) || is_begun(option))
        };
        words[1..].iter().any(is_one)
    })
}

/// Whether a program is found by its name, or in a folder of the system. What lies elsewhere, as `./env`, can be anything.
fn is_of_system(word: &str) -> bool {
    let folder = word.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
    folder.is_none_or(|folder| SYSTEM_FOLDERS.contains(&folder))
}

/// Whether a program is taken for what it runs.
fn is_seen_through(name: &str) -> bool {
    SHELLS.contains(&name) || TRANSPARENT.iter().any(|(known, _)| *known == name)
}

/// Whether a word of the shell may run what is in its arguments.
fn reckons(name: &str, words: &[String]) -> bool {
    let known = RECKONING.iter().find(|(known, _)| *known == name);
    known.is_some_and(|(_, is_reckoned)| {
        let mut given = words[1..].iter();
        given.any(|word| word.contains(['$', '`']) || is_reckoned(word))
    })
}

/// Whether a format may take anything but texts.
fn has_number(format: &str) -> bool {
    let plain = format.replace("%%", "");
    let mut kinds = plain.split('%').skip(1).map(|kind| {
        let behind = |c: char| c.is_ascii_digit() || "-+ .#'".contains(c);
        kind.trim_start_matches(behind)
    });
    kinds.any(|kind| !kind.starts_with(['s', 'b', 'c', 'q']))
}

/// The value that stands in one word with its option: `--name=value`, `-nvalue`.
fn option_value(word: &str) -> Option<&str> {
    if word.starts_with("--") {
        return word.split_once('=').map(|(_, value)| value);
    }
    word.strip_prefix('-')?.get(1..)
}

/// Whether it sets a variable; `env` takes any name.
fn is_assignment(word: &str) -> bool {
    word.contains('=') && !word.starts_with('-')
}

fn quote(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,^~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn commands_and_how_well_they_are_known() {
        use Certainty::{Plain, Unknown, Wrapped};
        for (words, expected) in [
            (&["cargo", "test"][..], &[("cargo test", Plain)][..]),
            (&["echo", "$(rm x)"], &[("echo '$(rm x)'", Plain)]),
            (&["sh", "-c", "a && b c"], &[("a", Plain), ("b c", Plain)]),
            (&["/bin/bash", "-lc", "a"], &[("a", Plain)]),
            (
                &["bash", "--rcfile", "x", "-c", "a"],
                &[("bash --rcfile x -c a", Wrapped)],
            ),
            (&["sh", "build.sh"], &[("sh build.sh", Plain)]),
            (&["timeout", "5", "nice", "make"], &[("make", Plain)]),
            (&["nice", "-n", "5", "make"], &[("nice -n 5 make", Wrapped)]),
            (&["env", "A=b", "git", "status"], &[("git status", Unknown)]),
            (&["sh", "-c", "A=b git status"], &[("git status", Unknown)]),
            (&["sudo", "ls"], &[("sudo ls", Wrapped)]),
            (&["find", ".", "-name", "x"], &[("find . -name x", Plain)]),
            (
                &["find", ".", "-exec", "rm", "{}", ";"],
                &[("find . -exec rm '{}' ';'", Wrapped)],
            ),
            (
                &["git", "-c", "core.pager=x", "log"],
                &[("git -c core.pager=x log", Wrapped)],
            ),
            (
                &["git", "-ccore.pager=x", "log"],
                &[("git -ccore.pager=x log", Wrapped)],
            ),
            (
                &["sh", "-c", "export A=b; git status"],
                &[("export A=b", Unknown), ("git status", Plain)],
            ),
            (&["sh", "-c", "sh -c 'sh -c a'"], &[("a", Plain)]),
            (&["git", "-calias.x=push", "x"], &[("git -calias.x=push x", Wrapped)]),
            (&["./env", "git", "status"], &[("./env git status", Wrapped)]),
            (&["bin/sh", "-c", "a"], &[("bin/sh -c a", Wrapped)]),
            (&["/usr/bin/env", "git", "status"], &[("git status", Plain)]),
            (&["fish", "-c", "a"], &[("a", Unknown)]),
            (&["sh", "-c", "test -f a"], &[("test -f a", Plain)]),
            (
                &["sh", "-c", "printf -v 'a[$(b)]' c"],
                &[("printf -v 'a[$(b)]' c", Unknown)],
            ),
            (
                &["sh", "-c", "echo 'x[$(b)]'; test -v 'a[_]'"],
                &[("echo 'x[$(b)]'", Plain), ("test -v 'a[_]'", Unknown)],
            ),
            (
                &["sh", "-c", "printf -v x 'a[\\044(b)]'"],
                &[("printf -v x 'a[\\044(b)]'", Unknown)],
            ),
            (&["sh", "-c", "test _ -eq 1"], &[("test _ -eq 1", Unknown)]),
            (&["sh", "-c", "printf %5d _"], &[("printf %5d _", Unknown)]),
            (
                &["sh", "-c", "printf '%-9s 100%%\\n' a"],
                &[("printf '%-9s 100%%\\n' a", Plain)],
            ),
            (&["sh", "-c", "read x"], &[("read x", Unknown)]),
            (&["sh", "-c", "wait"], &[("wait", Plain)]),
            (&["bash", "-oc", "posix", "a b"], &[("bash -oc posix 'a b'", Wrapped)]),
            (&["csh", "-c", "a"], &[("a", Unknown)]),
            (&["env", "a-b=c", "d"], &[("d", Unknown)]),
            (&["uv", "run", "pytest"], &[("uv run pytest", Plain)]),
        ] {
            let line = read(&argv(words));
            let found: Vec<_> = line
                .commands
                .iter()
                .map(|it| (quoted(&it.words), it.certainty))
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|(text, certainty)| ((*text).to_owned(), *certainty))
                .collect();
            assert_eq!(found, expected, "{words:?}");
        }
    }

    #[test]
    fn what_runs_inside_is_found_for_rules_that_forbid() {
        for words in [
            &["sudo", "-u", "x", "rm", "y"][..],
            &["xargs", "-n", "1", "rm", "y"],
            &["find", ".", "-exec", "rm", "y", ";"],
            &["sudo", "sh", "-c", "a; rm y"],
            &["watch", "rm y"],
            &["sh", "-c", "eval 'rm y'"],
            &["ssh", "host", "rm y"],
            &["git", "-c", "alias.x=!rm y", "x"],
            &["env", "-Srm y"],
            &["env", "--split-string=rm y"],
            &["./env", "rm", "y"],
            &["./sh", "-c", "rm y"],
            &["sh", "-c", "test -v 'a[$(rm y)]'"],
            &["zsh", "-c", "repeat 3 rm y"],
            &["bash", "-oc", "posix", "rm y"],
            &["setarch", "x86_64", "rm", "y"],
            &["uv", "run", "rm", "y"],
            &["git", "submodule", "foreach", "rm y"],
        ] {
            let line = read(&argv(words));
            assert!(
                line.inside.iter().any(|words| words.starts_with(&argv(&["rm", "y"]))),
                "{words:?}: {:?}",
                line.inside
            );
        }
    }

    #[test]
    fn endless_nesting_ends() {
        let many = vec!["a;"; MAX_COMMANDS + 10].join(" ");
        assert!(read(&argv(&["sh", "-c", &many])).is_endless);
        let deep = (0..10).fold("rm".to_owned(), |inner, _| {
            format!("sh -c {}", quote(&inner).into_owned())
        });
        if deep.len() < 1 << 20 {
            let line = read(&argv(&["sh", "-c", &deep]));
            assert!(line.is_endless);
        }
    }

    #[test]
    fn a_path_is_found_inside_of_a_word() {
        for (word, is_program, part) in [
            ("s/t", false, "s/t"),
            ("--output=s/t", false, "s/t"),
            ("-os/t", false, "s/t"),
            ("-rts/t", false, "s/t"),
            ("of=s/t", false, "s/t"),
            ("HEAD:s/t", false, "s/t"),
            ("-d@s/t", false, "s/t"),
            ("a=b=s/t", false, "s/t"),
            ("open('s/t')", true, "s/t"),
            ("w s/t", true, "s/t"),
        ] {
            assert!(parts(word, is_program).contains(&part), "{word}");
        }
        assert!(!parts("fix s/t again", false).contains(&"s/t"));
    }
}
