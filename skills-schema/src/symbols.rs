//! The outline of a skill: its fields as one group, its headings as a tree.

use text_size::TextRange;

use crate::{
    shown::shortened,
    syntax::{Entry, SkillFile},
};

/// One line of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it is called; never empty.
    pub name: String,
    /// More about it: the beginning of a field's value.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All that belongs to it.
    pub range: TextRange,
    /// Its name, inside `range`.
    pub name_range: TextRange,
    /// What stands below it.
    pub children: Vec<Symbol>,
}

/// What a line of the outline stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// The frontmatter.
    Frontmatter,
    /// A field of it.
    Field,
    /// A section of the body.
    Section,
}

/// A value is shown up to this many characters.
const LONGEST_DETAIL: usize = 80;

/// The outline, in the order of the text. Fields are shown to the second level: `metadata.version`.
pub fn symbols(file: &SkillFile) -> Vec<Symbol> {
    let group = file.frontmatter.as_ref().map(|frontmatter| Symbol {
        name: "Frontmatter".to_owned(),
        detail: String::new(),
        kind: SymbolKind::Frontmatter,
        range: frontmatter.range,
        name_range: frontmatter.open,
        children: fields(&frontmatter.entries, 2),
    });
    group.into_iter().chain(sections(file)).collect()
}

fn fields(entries: &[Entry], levels: usize) -> Vec<Symbol> {
    let shown = entries
        .iter()
        .filter(|entry| levels > 0 && !entry.key.value.trim().is_empty());
    let field = |entry: &Entry| Symbol {
        name: entry.key.value.clone(),
        detail: entry.value.as_str().map_or(String::new(), detail),
        kind: SymbolKind::Field,
        range: entry.range,
        name_range: entry.key.range,
        children: fields(entry.value.entries(), levels - 1),
    };
    shown.map(field).collect()
}

fn detail(value: &str) -> String {
    let line = value.trim().lines().next().unwrap_or("");
    shortened(line, LONGEST_DETAIL).into_owned()
}

/// A heading belongs to the last one before it that is of a higher level.
fn sections(file: &SkillFile) -> Vec<Symbol> {
    let tree = file.markdown();
    let mut top = Vec::new();
    // The sections that are open, with their levels: never more than there are levels.
    let mut open: Vec<(u8, Symbol)> = Vec::new();
    let close = |open: &mut Vec<(u8, Symbol)>, top: &mut Vec<Symbol>| {
        if let Some((_, section)) = open.pop() {
            open.last_mut()
                .map_or(top, |(_, outer)| &mut outer.children)
                .push(section);
        }
    };
    for (index, heading) in tree.headings.iter().enumerate() {
        while open.last().is_some_and(|(level, _)| *level >= heading.level) {
            close(&mut open, &mut top);
        }
        // Editors refuse an outline with an empty name.
        let is_named = !heading.text.trim().is_empty();
        open.push((
            heading.level,
            Symbol {
                name: if is_named {
                    heading.text.trim().to_owned()
                } else {
                    "(no title)".to_owned()
                },
                detail: String::new(),
                kind: SymbolKind::Section,
                range: tree.section(index, file),
                name_range: heading.range,
                children: Vec::new(),
            },
        ));
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}
