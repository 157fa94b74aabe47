//! Placeholders, skills, files and headings in the instructions.

use text_size::{TextRange, TextSize};

use super::{Completion, Completions, Kind, Wanted, What, folder_of};
use crate::{
    arguments,
    facts::{Facts, FileKind},
    links,
    syntax::SkillFile,
    vocabulary::VARIABLES,
};

/// How many arguments are counted through where none are declared.
const POSITIONS: usize = 3;

/// The proposals at an offset behind the frontmatter.
pub(super) fn complete(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Completions {
    let end = usize::from(offset);
    let start = file.text[..end].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = LineBefore {
        text: &file.text[start..end],
        after: &file.text[end..],
        offset,
    };
    let in_code_block = || {
        let mut blocks = file.markdown().code_blocks.iter();
        blocks.any(|block| block.range.start() < offset && offset <= block.range.end())
    };
    if let Some(found) = placeholder(file, facts, &line) {
        found
    } else if let Some(path) = line.behind_variable() {
        files(&line, path, false)
    } else if let Some(destination) = line.destination().filter(|_| !in_code_block()) {
        match destination.split_once('#') {
            Some((path, typed)) => headings(file, &line, path, typed),
            None => files(&line, destination, true),
        }
    } else if let Some(path) = line.path().filter(|_| !in_code_block()) {
        files(&line, path, false)
    } else if let Some(name) = line.mention().filter(|_| !in_code_block()) {
        skills(line.range(name.len(), is_name))
    } else {
        Completions::default()
    }
}

/// The line up to the cursor.
struct LineBefore<'a> {
    text: &'a str,
    after: &'a str,
    offset: TextSize,
}

impl<'a> LineBefore<'a> {
    /// The word around the cursor: what is typed of it, and what goes on behind the cursor.
    fn range(&self, typed: usize, goes_on: impl Fn(char) -> bool) -> TextRange {
        let start = TextSize::of(&self.text[self.text.len() - typed..]);
        let rest = self.after.find(|c| !goes_on(c)).unwrap_or(self.after.len());
        TextRange::new(self.offset - start, self.offset + TextSize::of(&self.after[..rest]))
    }

    /// What is typed of the destination of a link.
    fn destination(&self) -> Option<&'a str> {
        let is_open = |typed: &&str| !typed.contains([')', '>', ' ', '\t', '"', '\'']);
        let inline = self.text.rfind("](").map(|at| &self.text[at + 2..]);
        let definition = || {
            let label = self.text.trim_start().starts_with('[').then_some(self.text)?;
            label.split_once("]: ").map(|(_, typed)| typed)
        };
        let attribute = || {
            let openings = ["src=\"", "href=\""].iter();
            openings
                .filter_map(|it| self.text.rfind(it).map(|at| at + it.len()))
                .max()
                .map(|at| &self.text[at..])
        };
        inline
            .filter(is_open)
            .or_else(|| definition().filter(is_open))
            .or_else(|| attribute().filter(is_open))
    }

    /// What is typed of a path behind `${CLAUDE_SKILL_DIR}/`.
    fn behind_variable(&self) -> Option<&'a str> {
        let (_, typed) = self.text.rsplit_once(links::SKILL_FOLDER)?;
        let path = typed.strip_prefix('"').unwrap_or(typed).strip_prefix('/')?;
        path.chars().all(is_path).then_some(path)
    }

    /// What is typed of a path behind `@`, or in backticks below a folder of the skill.
    fn path(&self) -> Option<&'a str> {
        let start = self
            .text
            .rfind(|c: char| !is_path(c))
            .map_or(0, |at| at + next(self.text, at));
        let (typed, before) = (&self.text[start..], self.text[..start].chars().next_back());
        if let Some(path) = typed.strip_prefix('@') {
            let starts = before.is_none_or(|c| c.is_whitespace() || c == '(');
            return starts.then_some(path);
        }
        let in_folder = links::FOLDERS.iter().any(|folder| typed.starts_with(folder));
        (before == Some('`') && in_folder).then_some(typed)
    }

    /// What is typed of a skill's name behind a `/`.
    fn mention(&self) -> Option<&'a str> {
        let (before, name) = self.text.rsplit_once('/')?;
        let starts = before
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || "(`\"'".contains(c));
        (starts && name.chars().all(is_name)).then_some(name)
    }
}

/// The length of the character at an index.
fn next(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || "/._-+@".contains(c)
}

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':')
}

/// What stands for something else when the skill runs; and skills, whose names may follow a `$` too.
fn placeholder(file: &SkillFile, facts: &Facts<'_>, line: &LineBefore<'_>) -> Option<Completions> {
    let at = line.text.rfind('$')?;
    let typed = &line.text[at + 1..];
    let is_typed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '{' | '[');
    if !typed.chars().all(is_typed) || line.text[..at].ends_with('\\') {
        return None;
    }
    let mut replace = line.range(typed.len() + 1, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let behind = &file.text[usize::from(replace.end())..];
    if (typed.starts_with('{') && behind.starts_with('}')) || (typed.contains('[') && behind.starts_with(']')) {
        replace = TextRange::new(replace.start(), replace.end() + TextSize::from(1));
    }
    let mut found = Completions::default();
    let is_filled = FileKind::SKILLS.contains(&facts.kind);
    let replaced = facts.dialect.runtime().arguments;
    let mut add = |label: String, detail: &str, documentation: &str| {
        found.items.push(Completion {
            detail: detail.to_owned(),
            ..Completion::new(&label, Kind::Placeholder, replace, documentation)
        });
    };
    if is_filled && replaced.are_replaced {
        let declared = arguments::declared(file);
        for argument in &declared {
            add(format!("${}", argument.name), "argument", "The argument of that name.");
        }
        add(
            "$ARGUMENTS".to_owned(),
            "arguments",
            "All that is typed behind the skill's name.",
        );
        for index in 0..declared.len().clamp(POSITIONS, 9) {
            let detail = declared.get(index).map_or("argument", |argument| &argument.name);
            add(
                format!("${index}"),
                detail,
                "The argument at that place, counted from 0.",
            );
        }
        add(
            "$ARGUMENTS[0]".to_owned(),
            "argument",
            "The argument at that place, counted from 0.",
        );
        for (name, documentation) in VARIABLES {
            add(format!("${{{name}}}"), "variable", documentation);
        }
    }
    if is_filled && (replaced.asks_for_inputs || replaced.inputs_are_replaced) {
        for input in arguments::inputs(file) {
            add(
                format!("${{{}}}", input.name),
                "input",
                "What the person gives for that input.",
            );
        }
    }
    if typed.chars().all(is_name) {
        found.wanted = skills(line.range(typed.len(), is_name)).wanted;
    }
    Some(found)
}

fn skills(replace: TextRange) -> Completions {
    Completions {
        items: Vec::new(),
        wanted: Some(Wanted {
            replace,
            what: What::Skills,
        }),
    }
}

fn files(line: &LineBefore<'_>, typed: &str, is_address: bool) -> Completions {
    let wanted = folder_of(&links::decoded(typed)).map(|(folder, _)| {
        let name = typed.rsplit('/').next().unwrap_or(typed);
        Wanted {
            replace: line.range(name.len(), |c| c.is_alphanumeric() || "._-+%".contains(c)),
            what: What::Files { folder, is_address },
        }
    });
    Completions {
        items: Vec::new(),
        wanted,
    }
}

/// The headings of this file, or of the one at a path.
fn headings(file: &SkillFile, line: &LineBefore<'_>, path: &str, typed: &str) -> Completions {
    let replace = line.range(typed.len(), |c| c.is_alphanumeric() || "-_".contains(c));
    let path = links::decoded(path);
    let own = Wanted {
        replace,
        what: What::Headings { file: path.clone() },
    };
    if path.is_empty() {
        return Completions {
            items: own.headings(file),
            wanted: None,
        };
    }
    let wanted = folder_of(&path).filter(|_| !path.ends_with('/')).map(|_| own);
    Completions {
        items: Vec::new(),
        wanted,
    }
}
