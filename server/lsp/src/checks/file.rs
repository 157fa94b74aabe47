//! `skills-ls.yaml`: what it says, and where in it something is wrong.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use skills_schema::TextRange;
use skills_schema::syntax::{Entry, SkillFile};

use super::{Checks, FILE, SETTINGS, Wrong};
use crate::settings;

/// The longest file that is read, in bytes: what is nested takes as long as the square of its length.
const MAX_BYTES: u64 = 64 << 10;

/// A configuration file that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// Where it lies, or would lie.
    pub path: PathBuf,
    /// Its text; empty where it is not there or can't be read.
    pub text: Arc<str>,
    /// What is wrong in it.
    pub problems: Vec<Problem>,
}

/// What is wrong in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The key that it is about, or the place where YAML ends.
    pub range: TextRange,
    /// What is wrong, for the person.
    pub message: String,
}

impl Read {
    /// Its problems in sentences that name the file.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let problems = self.problems.iter();
        problems.map(|problem| format!("{}: {}", self.path.display(), problem.message))
    }
}

/// What the file of a folder says; nothing where there is none. One of a workspace names folders inside of it alone.
pub fn read(folder: &Path, is_workspace: bool) -> (Checks, Read) {
    let path = folder.join(FILE);
    let text = match text(&path) {
        Ok(text) => text.unwrap_or_default(),
        Err(Wrong { message, .. }) => {
            let problem = Problem {
                range: TextRange::default(),
                message,
            };
            let problems = vec![problem];
            let read = Read {
                path,
                problems,
                ..Read::default()
            };
            return (Checks::default(), read);
        }
    };
    let (mut checks, mut problems) = of_yaml(&text);
    if is_workspace {
        let outside = checks.keep_inside(folder).into_iter();
        problems.extend(outside.map(|wrong| problem(&text, "directories", wrong)));
    }
    let text = text.into();
    (checks, Read { path, text, problems })
}

/// What a text says, and what could not be understood of it.
pub fn of_yaml(text: &str) -> (Checks, Vec<Problem>) {
    let mut checks = Checks::default();
    let at = |range: TextRange, message: String| vec![Problem { range, message }];
    if text.len() as u64 > MAX_BYTES {
        return (checks, at(TextRange::default(), too_long()));
    }
    let value: Value = match serde_yaml::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let place = error.location().map_or(0, |location| location.index());
            return (checks, at(line(text, place), format!("it is no YAML: {error}")));
        }
    };
    if value.is_null() {
        return (checks, Vec::new());
    }
    if !value.is_object() {
        let message = "it must hold `key: value` lines".to_owned();
        return (checks, at(line(text, 0), message));
    }
    let mut members = Vec::new();
    settings::flatten(&value, "", &mut members);
    let mut problems = Vec::new();
    for (key, value) in members {
        let wrong = match SETTINGS.iter().find(|(name, _)| *name == key) {
            Some((_, take)) => take(&mut checks, value),
            None => {
                let names: Vec<_> = SETTINGS.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                vec![Wrong::new(format!(
                    "`{key}` is no setting of this file, which takes {names}"
                ))]
            }
        };
        problems.extend(wrong.into_iter().map(|wrong| problem(text, &key, wrong)));
    }
    (checks, problems)
}

fn too_long() -> String {
    format!("it is longer than {MAX_BYTES} bytes and not read")
}

fn text(path: &Path) -> Result<Option<String>, Wrong> {
    // Asked before it is opened: a pipe of that name would block for ever.
    let Some(metadata) = path.metadata().ok().filter(std::fs::Metadata::is_file) else {
        return Ok(None);
    };
    if metadata.len() > MAX_BYTES {
        return Err(too_long().into());
    }
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // It went away meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("it can't be read: {error}").into()),
    }
}

/// A problem at the key that it is about.
fn problem(text: &str, key: &str, wrong: Wrong) -> Problem {
    // The tree is that of a skill, whose frontmatter this text is.
    const OPENING: &str = "---\n";
    let added = if text.starts_with(OPENING) { "" } else { OPENING };
    let file = SkillFile::parse(format!("{added}{text}\n---\n").into());
    let range = find(file.entries(), key).map(|entry| {
        let below = wrong
            .below
            .as_deref()
            .and_then(|below| find(entry.value.entries(), below));
        below.unwrap_or(entry).key.range
    });
    let offset = u32::try_from(added.len()).unwrap_or_default();
    let range = range.and_then(|range| range.checked_sub(offset.into()));
    Problem {
        range: range.unwrap_or_else(|| line(text, 0)),
        message: wrong.message,
    }
}

/// The entry of a dotted key: `paths.flavour` is written like that, or in two steps.
fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries.iter().find_map(|entry| {
        let rest = key.strip_prefix(entry.key.value.as_str())?;
        match rest.strip_prefix('.') {
            Some(rest) => find(entry.value.entries(), rest),
            None => rest.is_empty().then_some(entry),
        }
    })
}

/// The line around a byte of the text, without its end; the last that says something where the text is over there.
fn line(text: &str, at: usize) -> TextRange {
    let bytes = text.as_bytes();
    let at = at.min(text.trim_end().len());
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let start = bytes[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(is_end).map_or(text.len(), |end| at + end);
    let (start, end) = (
        u32::try_from(start).unwrap_or_default(),
        u32::try_from(end).unwrap_or_default(),
    );
    TextRange::new(start.into(), end.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stands_at_the_key_that_it_is_about() {
        let cases = [
            ("rules: {brokn-link: off}\n", "brokn-link"),
            ("readers: [claude]\r\nrules:\r\n  broken-link: loud\r\n", "broken-link"),
            ("# é\npaths:\n  flavour: rust\n", "flavour"),
            ("paths.flavour: rust\n", "paths.flavour"),
            ("---\ndialectProfiles:\n  claude: newest\n", "claude"),
            ("model: {name: x}\n", "name"),
            ("ignore: [{rules: [too-long]}]\n", "ignore"),
            ("rules: [a]\n", "rules"),
            ("- a\n", "- a"),
            ("readers: [claude]\na: [\n", "a: ["),
        ];
        for (text, expected) in cases {
            let problems = of_yaml(text).1;
            let [problem] = problems.as_slice() else {
                panic!("{text}: {problems:?}")
            };
            assert_eq!(&text[std::ops::Range::<usize>::from(problem.range)], expected, "{text}");
        }
    }
}
