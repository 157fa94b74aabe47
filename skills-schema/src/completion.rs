//! What can be written at a place.

mod body;
mod frontmatter;
mod json;
mod snippet;

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind, normal},
    fields::Place,
    links,
    manifest::Manifest,
    syntax::{SkillFile, range_of},
    template,
};

/// The proposals at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// What the text and the tables alone give, the best first.
    pub items: Vec<Completion>,
    /// What else fits, but stands in other files.
    pub wanted: Option<Wanted>,
}

/// One proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows, and what is compared with the word that is typed.
    pub label: String,
    /// What it is.
    pub kind: Kind,
    /// What it replaces: the word at the cursor.
    pub replace: TextRange,
    /// What it puts there, as plain text.
    pub insert: String,
    /// The same with placeholders, in the syntax of the Language Server Protocol, where there is something to fill in.
    /// Its lines are indented as if the cursor's line were not.
    pub snippet: Option<String>,
    /// A few words beside the label: the type, and who reads it.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A key.
    Field,
    /// A value.
    Value,
    /// A tool, or a pattern of its calls.
    Tool,
    /// Something that is replaced when the skill runs.
    Placeholder,
    /// A heading.
    Heading,
    /// A skill.
    Skill,
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// What is to be looked up in other files to complete a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What a proposal replaces.
    pub replace: TextRange,
    /// What is wanted.
    pub what: What,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The names of skills.
    Skills,
    /// What lies in a folder of the skill.
    Files {
        /// The folder, relative to that of the skill; empty or with a `/` at its end, with `..` only at its start.
        folder: String,
        /// It is the address of a link, in which spaces and brackets are escaped.
        is_address: bool,
    },
    /// The headings of a file.
    Headings {
        /// Its path, relative to the folder of the skill.
        file: String,
    },
    /// The folders and the endings of the files in a folder of the project.
    Globs {
        /// The folder, relative to the project's; empty or with a `/` at its end, without `..`.
        folder: String,
    },
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// It is no folder: folders come first.
    pub is_file: bool,
    /// Its name.
    pub name: String,
}

/// The proposals at a byte offset, for text that may be broken anywhere.
pub fn complete(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Completions {
    let text = &*file.text;
    if offset > TextSize::of(text) || !text.is_char_boundary(offset.into()) {
        return Completions::default();
    }
    let is_above = offset <= file.body.range.start();
    if file.is_too_long() && is_above {
        return Completions::default();
    }
    if let Some(manifest) = Manifest::of(facts.kind) {
        return match manifest.is_meant(file) {
            true if manifest.is_json => json::complete(text, manifest.place(), offset),
            true => frontmatter::complete(
                file,
                facts,
                manifest.place(),
                TextRange::up_to(TextSize::of(text)),
                offset,
            ),
            false => Completions::default(),
        };
    }
    match file.frontmatter.as_ref().filter(|_| text.trim() != "---") {
        Some(frontmatter) => {
            let behind = frontmatter.close.map_or(TextSize::of(text), |close| close.start());
            if offset < frontmatter.content.start() {
                Completions::default()
            } else if offset <= behind {
                let content = TextRange::new(frontmatter.content.start(), behind);
                frontmatter::complete(file, facts, Place::top(facts.kind), content, offset)
            } else {
                body::complete(file, facts, offset)
            }
        }
        None => {
            let is_skill = FileKind::SKILLS.contains(&facts.kind);
            let new = is_skill.then(|| new_file(file, facts, offset));
            let new = new.filter(|new| !new.items.is_empty());
            new.unwrap_or_else(|| body::complete(file, facts, offset))
        }
    }
}

impl Wanted {
    /// A skill as a proposal.
    pub fn skill(&self, name: &str, hint: Option<&str>, documentation: &str) -> Completion {
        Completion {
            detail: hint.unwrap_or_default().to_owned(),
            ..Completion::new(name, Kind::Skill, self.replace, documentation)
        }
    }

    /// What lies in the folder as proposals.
    pub fn entries(&self, entries: &[FolderEntry]) -> Vec<Completion> {
        match &self.what {
            What::Skills | What::Headings { .. } => Vec::new(),
            What::Files { is_address, .. } => entries.iter().map(|entry| self.file(entry, *is_address)).collect(),
            What::Globs { .. } => self.globs(entries),
        }
    }

    /// The headings of a file as proposals.
    pub fn headings(&self, file: &SkillFile) -> Vec<Completion> {
        let mut anchors: Vec<(String, TextRange)> = links::anchors(file).into_iter().collect();
        anchors.sort_by_key(|(_, range)| range.start());
        let named = anchors.iter().filter(|(anchor, _)| !anchor.is_empty());
        let proposed = named.map(|(anchor, range)| Completion {
            detail: file.slice(*range).trim_start_matches('#').trim().to_owned(),
            ..Completion::new(anchor, Kind::Heading, self.replace, "")
        });
        proposed.collect()
    }

    fn file(&self, entry: &FolderEntry, is_address: bool) -> Completion {
        let (kind, end) = if entry.is_file {
            (Kind::File, "")
        } else {
            (Kind::Folder, "/")
        };
        let label = format!("{}{end}", entry.name);
        let insert = if is_address { address(&label) } else { label.clone() };
        Completion {
            insert,
            ..Completion::new(&label, kind, self.replace, "")
        }
    }

    /// The folders, and a pattern for each ending that files have there.
    fn globs(&self, entries: &[FolderEntry]) -> Vec<Completion> {
        let folders = entries.iter().filter(|entry| !entry.is_file);
        let mut found: Vec<Completion> = folders.map(|entry| self.file(entry, false)).collect();
        let mut endings: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.is_file)
            .filter_map(|entry| entry.name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()))
            .map(|(_, ending)| ending)
            .collect();
        endings.sort_unstable();
        endings.dedup();
        for ending in endings {
            let here = format!("*.{ending}");
            let below = format!("**/*.{ending}");
            found.push(Completion::new(
                &here,
                Kind::Value,
                self.replace,
                "Files of this folder alone.",
            ));
            found.push(Completion::new(
                &below,
                Kind::Value,
                self.replace,
                "Files of this folder and all below it.",
            ));
        }
        found.push(Completion::new(
            "**",
            Kind::Value,
            self.replace,
            "Everything below this folder.",
        ));
        found
    }
}

impl Completion {
    /// A skill that is called in a prompt, with what it takes to be filled in.
    pub fn call(name: &str, hint: Option<&str>, replace: TextRange) -> Completion {
        let call = format!("/{name}");
        Completion {
            snippet: hint.map(|hint| format!("{} ${{1:{}}}", template::escaped(&call), template::escaped(hint))),
            insert: format!("{call} "),
            detail: hint.unwrap_or_default().to_owned(),
            ..Completion::new(&call, Kind::Skill, replace, "")
        }
    }

    /// A proposal that inserts what it shows.
    fn new(label: &str, kind: Kind, replace: TextRange, documentation: &str) -> Completion {
        Completion {
            label: label.to_owned(),
            kind,
            replace,
            insert: label.to_owned(),
            snippet: None,
            detail: String::new(),
            documentation: documentation.to_owned(),
        }
    }
}

/// The folder of a path that is being typed, and the length of what stands behind its last `/`. `None` where it is no
/// plain path that starts in a folder. What leads out of that has its `..` at the start.
fn folder_of(typed: &str) -> Option<(String, TextSize)> {
    let (folder, name) = typed
        .rsplit_once('/')
        .map_or(("", typed), |(folder, name)| (folder, name));
    if typed.starts_with(['/', '~']) || typed.contains(['\\', ':', '$', '*', '?', '[', '{']) {
        return None;
    }
    let folder = match normal(folder) {
        folder if folder.is_empty() => folder,
        folder => folder + "/",
    };
    Some((folder, TextSize::of(name)))
}

/// A path as the address of a link.
fn address(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' => escaped.push_str("%20"),
            '%' => escaped.push_str("%25"),
            '(' => escaped.push_str("%28"),
            ')' => escaped.push_str("%29"),
            '#' => escaped.push_str("%23"),
            '?' => escaped.push_str("%3F"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// In an empty file the whole frontmatter; behind its first dashes, or in a line below them, what is left of it. What is
/// replaced stands in the cursor's line: editors drop a proposal that changes another one.
fn new_file(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Completions {
    let text = &*file.text;
    let typed = text.trim();
    if !typed.bytes().all(|byte| byte == b'-') || typed.len() > 3 {
        return Completions::default();
    }
    let at = usize::from(offset);
    let is_end = |c: char| matches!(c, '\n' | '\r');
    let start = text[..at].rfind(is_end).map_or(0, |end| end + 1);
    let end = text[at..].find(is_end).map_or(text.len(), |length| at + length);
    let (before, line) = (text[..start].trim(), text[start..end].trim());
    let is_open = before == "---";
    if line != typed && !is_open {
        return Completions::default();
    }
    let name = facts.folder.unwrap_or(template::NAME);
    let rest = |whole: String| match is_open {
        true => whole.trim_start_matches('-').trim_start().to_owned(),
        false => whole,
    };
    let item = Completion {
        insert: rest(template::skill(name)),
        snippet: Some(rest(template::snippet(name))),
        detail: "frontmatter of a new skill".to_owned(),
        ..Completion::new("---", Kind::Field, range_of(start, end), "")
    };
    Completions {
        items: vec![item],
        wanted: None,
    }
}
