//! What can be written at a place in the frontmatter.

use text_size::{TextRange, TextSize};

use crate::{
    facts::Facts,
    fields::{Field, Place, Type},
    fixes::scalar,
    hover,
    syntax::{Line, SkillFile, lines},
};

/// One proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows.
    pub label: String,
    /// Whether it is a field or a value.
    pub kind: Kind,
    /// What it replaces: the word at the cursor.
    pub replace: TextRange,
    /// What it puts there.
    pub insert: String,
    /// Whether `insert` is a snippet with placeholders, in the syntax of the Language Server Protocol.
    pub snippet: bool,
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
}

/// The proposals at a byte offset, the best first; none outside the frontmatter.
pub fn complete(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Vec<Completion> {
    let text = &*file.text;
    let Some(frontmatter) = file.frontmatter.as_ref().filter(|_| text.trim() != "---") else {
        return new_file(file, facts, offset);
    };
    let behind = frontmatter.close.map_or(TextSize::of(text), |close| close.start());
    if offset < frontmatter.content.start() || offset > behind || !text.is_char_boundary(offset.into()) {
        return Vec::new();
    }
    let all: Vec<Line> = lines(text, TextRange::new(frontmatter.content.start(), behind)).collect();
    let at = all.iter().rposition(|line| line.range.start() <= offset);
    let Some(line) = at.map(|at| all[at]).filter(|line| offset <= line.range.end()) else {
        // The empty line behind the last one.
        return fields(file, facts, Place::TOP, TextRange::empty(offset), "");
    };
    let cursor = Cursor::new(text, line, offset);
    if cursor.is_text || is_in_block(file, line) {
        return Vec::new();
    }
    let Some(place) = place(text, &all[..at.unwrap_or(0)], &cursor) else {
        return Vec::new();
    };
    match cursor.key {
        None => {
            let mut found = fields(file, facts, place, cursor.word, cursor.after);
            found.extend(if cursor.dash {
                values(place, cursor.word)
            } else {
                Vec::new()
            });
            found
        }
        Some(key) => {
            let is_name = key == "name" && place.field.is_none();
            let folder = facts.folder.filter(|_| is_name).map(scalar);
            let mut found: Vec<Completion> = folder
                .map(|name| value(&name, cursor.word, "The name of the folder: what every reader accepts."))
                .into_iter()
                .chain(place.step(key).map_or(Vec::new(), |place| values(place, cursor.word)))
                .collect();
            if text[..usize::from(cursor.word.start())].ends_with(':') {
                found.iter_mut().for_each(|it| it.insert.insert(0, ' '));
            }
            found
        }
    }
}

/// What stands at the cursor, by its line alone: works on text that is no YAML yet.
struct Cursor<'a> {
    /// The column of the key, behind dashes.
    column: usize,
    /// The line starts with `- `.
    dash: bool,
    /// The column of the first dash, or of the key.
    start: usize,
    /// The key before the cursor, where the cursor stands in its value.
    key: Option<&'a str>,
    /// The word that a proposal replaces.
    word: TextRange,
    /// What follows the word on the line.
    after: &'a str,
    /// The cursor is in a comment, or in text that has blanks.
    is_text: bool,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, line: Line, offset: TextSize) -> Cursor<'a> {
        let content = line.text(text);
        let (start, column) = columns(content);
        let cursor = usize::from(offset - line.range.start());
        let before = &content[column.min(cursor)..cursor];
        let (key, value_at) = match before.find(": ").or_else(|| before.strip_suffix(':').map(str::len)) {
            Some(colon) => {
                let blank = before[colon + 1..].len() - before[colon + 1..].trim_start().len();
                (Some(before[..colon].trim()), column + colon + 1 + blank)
            }
            None => (None, column.min(cursor)),
        };
        let typed = &content[value_at..cursor];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '"' | '\'');
        let rest = content[cursor..]
            .find(|c| !is_word(c))
            .unwrap_or(content.len() - cursor);
        let word = TextRange::new(
            line.range.start() + TextSize::of(&content[..value_at]),
            offset + TextSize::of(&content[cursor..cursor + rest]),
        );
        Cursor {
            column,
            dash: column > start,
            start,
            key,
            word,
            after: &content[cursor + rest..],
            is_text: before.starts_with('#') || before.contains(" #") || !typed.chars().all(is_word),
        }
    }
}

/// The column where a line starts, and the one behind its dashes.
fn columns(line: &str) -> (usize, usize) {
    let start = line.len() - line.trim_start_matches(' ').len();
    let mut column = start;
    while line[column..].starts_with("- ") {
        column += 2 + line[column + 2..].bytes().take_while(|&byte| byte == b' ').count();
    }
    (start, column)
}

/// Whether a line is inside a scalar of several lines.
fn is_in_block(file: &SkillFile, line: Line) -> bool {
    fn find(node: &crate::syntax::Node, line: Line) -> bool {
        match node.as_scalar() {
            Some(scalar) => scalar.range.start() < line.range.start() && line.range.start() < scalar.range.end(),
            None => {
                node.items().iter().any(|item| find(item, line))
                    || node.entries().iter().any(|entry| find(&entry.value, line))
            }
        }
    }
    file.entries()
        .iter()
        .any(|entry| entry.value.range.contains_range(line.range) && find(&entry.value, line))
}

/// Where the lines above lead: each line further left that ends a key is a parent.
fn place(text: &str, above: &[Line], cursor: &Cursor<'_>) -> Option<Place> {
    let mut path = Vec::new();
    // A key in the parent's column is the parent of a dash.
    let (mut column, mut dash) = if cursor.dash {
        (cursor.start, true)
    } else {
        (cursor.column, false)
    };
    for line in above.iter().rev().filter(|line| !line.is_blank(text)) {
        if column == 0 && !dash {
            break;
        }
        let content = line.text(text);
        let (start, own) = columns(content);
        let is_parent = own < column || (dash && own == column && own == start);
        if is_parent {
            path.push(content[own..].split(':').next()?.trim());
            (column, dash) = (start, own > start);
        } else if own == column && own > start {
            (column, dash) = (start, true);
        }
    }
    path.iter().rev().try_fold(Place::TOP, |place, key| place.step(key))
}

fn fields(file: &SkillFile, facts: &Facts<'_>, place: Place, word: TextRange, after: &str) -> Vec<Completion> {
    let is_top = place.field.is_none();
    let is_used = |field: &Field| {
        let mut entries = file.entries().iter();
        is_top && entries.any(|entry| entry.key.value == field.name && !entry.key.range.contains_range(word))
    };
    let has_colon = after.trim_start().starts_with(':');
    place
        .fields()
        .iter()
        .filter(|field| field.is_read_by(facts.dialect) && field.deprecated.is_none() && !is_used(field))
        .map(|field| Completion {
            label: field.name.to_owned(),
            kind: Kind::Field,
            replace: word,
            insert: if has_colon {
                field.name.to_owned()
            } else {
                format!("{}:{}", field.name, opening(field))
            },
            snippet: false,
            detail: field.type_name(),
            documentation: hover::documentation(field),
        })
        .collect()
}

/// What follows the colon, up to where one types on.
fn opening(field: &Field) -> &'static str {
    match field.types {
        [Type::List(items), ..] if !matches!(items, [Type::Any]) => "\n  - ",
        [Type::Mapping(..), ..] => "\n  ",
        _ => " ",
    }
}

fn values(place: Place, word: TextRange) -> Vec<Completion> {
    let choices = place.field.into_iter().flat_map(Field::choices);
    choices
        .map(|(choice, documentation)| value(choice, word, documentation))
        .collect()
}

fn value(text: &str, word: TextRange, documentation: &str) -> Completion {
    Completion {
        label: text.to_owned(),
        kind: Kind::Value,
        replace: word,
        insert: text.to_owned(),
        snippet: false,
        detail: String::new(),
        documentation: documentation.to_owned(),
    }
}

/// In an empty file, or behind the first dashes of one: the whole frontmatter.
fn new_file(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Vec<Completion> {
    let typed = file.text.trim();
    if !typed.bytes().all(|byte| byte == b'-') || typed.len() > 3 || offset > TextSize::of(&*file.text) {
        return Vec::new();
    }
    let name = facts.folder.unwrap_or("my-skill");
    vec![Completion {
        label: "---".to_owned(),
        kind: Kind::Field,
        replace: TextRange::up_to(TextSize::of(file.text.trim_end())),
        insert: format!("---\nname: ${{1:{name}}}\ndescription: ${{2:What it does. Use when …}}\n---\n\n$0"),
        snippet: true,
        detail: "frontmatter of a new skill".to_owned(),
        documentation: String::new(),
    }]
}
