//! Text that goes on below its value without belonging to it.

use text_size::{TextRange, TextSize};

use crate::{
    fields::{Field, Place},
    fixes::{self, Edit, Fix},
    rules::distance,
    syntax::{Entry, Line, NodeKind, SkillFile, SyntaxErrorKind as Kind, key_length, lines, value_colon},
};

/// The repair that takes the lines of `stray` into the value above them.
pub(super) fn into_value(file: &SkillFile, stray: TextRange) -> Vec<Fix> {
    let text = &*file.text;
    let is_safe = above(file, stray).is_some_and(|entry| is_prose(before(file, entry, stray), &text[stray]));
    let indented = Fix {
        title: "Indent the line into the value above".to_owned(),
        safe: is_safe,
        edits: indented(
            text,
            TextRange::new(fixes::line_start(text, stray.start()), stray.end()),
        ),
        file: None,
    };
    block(file, stray).into_iter().chain([indented]).collect()
}

/// The same for the value that holds an error, where its lines go on below it, or where one starts like a comment.
pub(super) fn of_value(file: &SkillFile, value: TextRange) -> Option<Fix> {
    let text = &*file.text;
    let rest = TextRange::new(fixes::line_end(text, value.start()).min(value.end()), value.end());
    let starts_with_hash = |line: Line| line.text(text).trim_start().starts_with('#');
    if lines(text, rest).any(starts_with_hash) {
        return Some(as_block(text, value.start(), rest, true));
    }
    let strays = file.errors().iter().filter(|error| error.kind == Kind::MissingColon);
    let mut below = strays.filter(|error| error.subject.start() >= value.end());
    let stray = below.next()?.subject;
    let is_above = above(file, stray).is_some_and(|entry| entry.value.range.contains_range(value));
    is_above.then(|| block(file, stray))?
}

/// The value above and all text below it as a block, where the text has lines that YAML takes for something else.
fn block(file: &SkillFile, stray: TextRange) -> Option<Fix> {
    let text = &*file.text;
    let entry = above(file, stray)?;
    let start = value_start(entry, text);
    let value = before(file, entry, stray);
    let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#', '@', '`', '%']);
    if !is_plain || value.trim().is_empty() || !is_prose(value, &text[stray]) {
        return None;
    }
    let first = fixes::line_end(text, start);
    let region = TextRange::new(first, last_stray(file, stray).max(first));
    let is_key = |line: &Line| key_length(line.text(text)).is_some() || value_colon(line.text(text)).is_some();
    let has_colon = value_colon(&text[TextRange::new(start, region.start())]).is_some();
    if !has_colon && !lines(text, region).any(|line| is_key(&line)) {
        return None;
    }
    let mut keys = file.entries().iter().filter(|it| region.contains(it.key.range.start()));
    Some(as_block(text, start, region, keys.all(is_spoken)))
}

/// The text from `start` on as a block, with the lines below it.
fn as_block(text: &str, start: TextSize, below: TextRange, safe: bool) -> Fix {
    let mut edits = vec![Edit::insert(start, "|-\n  ")];
    edits.extend(indented(text, below));
    Fix {
        title: "Write the value as a block".to_owned(),
        safe,
        edits,
        file: None,
    }
}

/// The field that stands above a place, at the left; the lines of a dialogue are none.
fn above(file: &SkillFile, stray: TextRange) -> Option<&Entry> {
    let before = |entry: &&Entry| entry.key.range.start() < stray.start() && entry.colon.is_some() && !is_spoken(entry);
    let entry = file.entries().iter().rfind(before)?;
    let is_left = fixes::line_start(&file.text, entry.key.range.start()) == entry.key.range.start();
    let is_open = matches!(
        entry.value.kind,
        NodeKind::Scalar(_) | NodeKind::Null | NodeKind::Invalid
    );
    (is_left && is_open).then_some(entry)
}

/// `user: "Ship it"`: what somebody says in an example of a description.
fn is_spoken(entry: &Entry) -> bool {
    let key = entry.key.value.to_lowercase();
    ["context", "user", "assistant", "commentary"].contains(&key.as_str())
}

/// What stands between a key and the lines that belong nowhere.
fn before<'a>(file: &'a SkillFile, entry: &Entry, stray: TextRange) -> &'a str {
    &file.text[TextRange::new(value_start(entry, &file.text).min(stray.start()), stray.start())]
}

/// Where the value starts, on the line of its key.
fn value_start(entry: &Entry, text: &str) -> TextSize {
    let colon = entry.colon.map_or(entry.key.range.end(), TextRange::end);
    let rest = &text[usize::from(colon)..];
    colon + TextSize::of(&rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()])
}

/// The value above is text of some words, or the head of a block; what follows is neither a field that lost its colon nor
/// the mark of a conflict.
fn is_prose(value: &str, stray: &str) -> bool {
    let is_head = matches!(value.trim(), "|" | ">" | "|-" | ">-" | "|+" | ">+");
    let first = stray.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_near = |name: &str| name.len() > 4 && distance(&first, name, 1).is_some();
    let is_field = |field: &Field| field.name == first || is_near(field.name);
    let is_mark = ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|it| stray.starts_with(it));
    (is_head || value.split_whitespace().count() > 2)
        && stray.trim().contains([' ', '>'])
        && !Place::TOP.fields().iter().any(is_field)
        && !is_mark
}

/// Where the last line ends that belongs nowhere, before the next known field.
fn last_stray(file: &SkillFile, stray: TextRange) -> TextSize {
    let content = file.frontmatter.as_ref().map_or(stray, |it| it.content);
    let below = TextRange::new(stray.start(), content.end().max(stray.end()));
    let is_known = |line: &Line| {
        let content = line.text(&file.text);
        key_length(content).is_some_and(|length| Field::find(Place::TOP.fields(), content[..length].trim()).is_some())
    };
    let next = lines(&file.text, below).find(is_known);
    let limit = next.map_or(below.end(), |line| line.range.start());
    let strays = file.errors().iter().filter(|error| error.kind == Kind::MissingColon);
    let ends = strays.map(|error| error.subject.end()).filter(|end| *end <= limit);
    ends.max().unwrap_or(stray.end()).max(stray.end())
}

/// Two spaces before every line.
fn indented(text: &str, whole: TextRange) -> Vec<Edit> {
    lines(text, whole)
        .filter(|line| !line.is_blank(text))
        .map(|line| Edit::insert(line.range.start(), "  "))
        .collect()
}
