//! What git is in the midst of: files of a repository that it reads when the person goes on, and that can make it run
//! something. Commands may write them, because git does, as long as nothing new is run.
//!
//! Read off `sequencer.c`, `builtin/rebase.c`, `builtin/am.c` and `merge.c` of git 2.51, and the scripts that older ones have
//! in their place. What is not here is data: `sequencer/todo` takes no `exec`, `BISECT_RUN` is what a run printed, and
//! `AUTO_MERGE`, `MERGE_*`, `autostash` and `apply-opt` name no program.

use std::path::{Path, PathBuf};

use super::config;

/// What git may run because of a text: nothing where git itself would write it so.
type Runs = fn(&[u8]) -> Vec<&[u8]>;

/// The files, by their places in a repository.
const FILES: &[(&str, Runs)] = &[
    ("rebase-merge/git-rebase-todo", commands),
    ("rebase-merge/strategy", |text| {
        all_unless(is_strategy(line_of(text)), text)
    }),
    ("rebase-merge/strategy_opts", |text| all_unless(are_options(text), text)),
    ("sequencer/opts", |text| all_unless(are_choices(text), text)),
    // Scripts of older versions take these for a part of themselves.
    ("rebase-merge/author-script", |text| all_unless(is_quoted(text), text)),
    ("rebase-apply/author-script", |text| all_unless(is_quoted(text), text)),
    ("BISECT_NAMES", |text| all_unless(is_quoted(text), text)),
];

/// Strategies that git brings along. Any other is a program: `git-merge-NAME`, also below the work tree if there is a slash in
/// it.
const STRATEGIES: &[&str] = &["recursive", "resolve", "ort", "octopus", "ours", "subtree"];

/// Options of strategies; a value may follow behind `=`.
const OPTIONS: &[&str] = &[
    "diff-algorithm",
    "find-renames",
    "histogram",
    "ignore-all-space",
    "ignore-cr-at-eol",
    "ignore-space-at-eol",
    "ignore-space-change",
    "minimal",
    "no-renames",
    "no-renormalize",
    "ours",
    "patience",
    "rename-threshold",
    "renormalize",
    "subtree",
    "theirs",
];

/// Keys of `sequencer/opts`, beside the strategy and its options.
const CHOICES: &[&str] = &[
    "allow-empty",
    "allow-empty-message",
    "allow-ff",
    "allow-rerere-auto",
    "default-msg-cleanup",
    "drop-redundant-commits",
    "edit",
    "gpg-sign",
    "keep-redundant-commits",
    "mainline",
    "no-commit",
    "record-origin",
    "signoff",
];

/// The places of such files in a repository.
pub(crate) fn places(repository: &Path) -> impl Iterator<Item = PathBuf> {
    FILES.iter().map(|(file, _)| repository.join(file))
}

/// What git may run because of one of these files, a line or a text each.
pub(crate) fn runs<'a>(place: &Path, text: &'a [u8]) -> Vec<&'a [u8]> {
    let of = FILES.iter().find(|(file, _)| place.ends_with(file));
    of.map_or_else(|| vec![text], |(_, runs)| runs(text))
}

fn all_unless(is_harmless: bool, text: &[u8]) -> Vec<&[u8]> {
    if is_harmless { Vec::new() } else { vec![text] }
}

/// The commands in a list of what git is to do: `exec LINE`, or `x LINE`.
fn commands(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let is_command = |line: &&[u8]| {
        let word = line.split(u8::is_ascii_whitespace).next();
        word.is_some_and(|word| word == b"exec" || word == b"x")
    };
    lines.filter(is_command).collect()
}

/// Without the line's end, as git reads a file of one line.
fn line_of(text: &[u8]) -> &[u8] {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn is_strategy(name: &[u8]) -> bool {
    name.is_empty() || STRATEGIES.iter().any(|known| known.as_bytes() == name)
}

fn is_option(option: &[u8]) -> bool {
    let option = option.strip_prefix(b"--").unwrap_or(option);
    let at = option.iter().position(|byte| *byte == b'=').unwrap_or(option.len());
    let (name, value) = option.split_at(at);
    OPTIONS.iter().any(|known| known.as_bytes() == name) && value.iter().all(is_of_value)
}

/// What no shell makes anything else of.
fn is_of_value(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"=%./_-".contains(byte)
}

/// Options on a line, each perhaps in quotes.
fn are_options(text: &[u8]) -> bool {
    let words = line_of(text)
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    words.map(|word| unquoted(word).unwrap_or(word)).all(is_option)
}

fn unquoted(word: &[u8]) -> Option<&[u8]> {
    let quote = word.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
    word[1..].strip_suffix(&[*quote])
}

fn are_choices(text: &[u8]) -> bool {
    let (entries, is_whole) = config::entries(text);
    is_whole
        && entries.iter().all(|entry| match entry.key.strip_prefix("options.") {
            Some("strategy") => is_strategy(&entry.value),
            Some("strategy-option") => is_option(&entry.value),
            Some(key) => CHOICES.contains(&key),
            None => false,
        })
}

/// Whether a text is only words in single quotes, each perhaps behind `NAME=`, so that no shell runs anything of it. A quote
/// in a word is written as git writes it: `'\''`, and an exclamation mark as `'\!'`.
fn is_quoted(text: &[u8]) -> bool {
    let mut rest = text;
    let mut is_inside = false;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'\'' => is_inside = !is_inside,
            _ if is_inside => {}
            b'\\' => match rest.split_first() {
                Some((b'\'' | b'!', behind)) => rest = behind,
                _ => return false,
            },
            b' ' | b'\n' | b'_' | b'=' | b'A'..=b'Z' => {}
            _ => return false,
        }
    }
    !is_inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_itself_writes_runs_nothing() {
        for (place, text, expected) in [
            ("rebase-merge/git-rebase-todo", "pick abc exec\nlabel x\n", true),
            ("rebase-merge/git-rebase-todo", "pick abc\n \tx touch ran\n", false),
            ("rebase-merge/strategy", "ort\n", true),
            ("rebase-merge/strategy", "subtree", true),
            ("rebase-merge/strategy", "ort \n", false),
            ("rebase-merge/strategy", "x/evil\n", false),
            ("rebase-merge/strategy", "ours\n\n", false),
            ("rebase-merge/strategy_opts", " --ours --find-renames=50%\n", true),
            ("rebase-merge/strategy_opts", " '--patience' \"ours\"\n", true),
            ("rebase-merge/strategy_opts", "--index-output=x\n", false),
            ("rebase-merge/strategy_opts", "--ours;touch ran\n", false),
            ("rebase-merge/strategy_opts", "--subtree=$(x)\n", false),
            ("sequencer/opts", "[options]\n\tsignoff = true\n\tmainline = 1\n", true),
            (
                "sequencer/opts",
                "[options]\n\tstrategy = recursive\n\tstrategy-option = ours\n",
                true,
            ),
            ("sequencer/opts", "[options]\n\tstrategy = x/evil\n", false),
            ("sequencer/opts", "[options]\n\tstrategy = \"or\"t\n", true),
            ("sequencer/opts", "[options]\n\tstrategy-option = x\n", false),
            ("sequencer/opts", "[options]\n\tother = x\n", false),
            ("sequencer/opts", "[options\n", false),
            (
                "rebase-merge/author-script",
                "GIT_AUTHOR_NAME='A'\\''B $(x)'\nGIT_AUTHOR_DATE='@1 +0000'\n",
                true,
            ),
            ("rebase-apply/author-script", "GIT_AUTHOR_NAME='A'; touch ran\n", false),
            ("rebase-merge/author-script", "GIT_AUTHOR_NAME=$(touch ran)\n", false),
            ("BISECT_NAMES", " 'src' 'a b'\n", true),
            ("BISECT_NAMES", "$(touch ran)\n", false),
            ("BISECT_NAMES", "'a", false),
        ] {
            let place = Path::new("w/.git").join(place);
            assert_eq!(
                runs(&place, text.as_bytes()).is_empty(),
                expected,
                "{}: {text}",
                place.display()
            );
        }
    }
}
