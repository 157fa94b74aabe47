//! What a word of the frontmatter means.

use std::fmt::Write as _;

use text_size::{TextRange, TextSize};

use crate::{
    facts::Facts,
    fields::{Field, Place},
    syntax::{Entry, Node, NodeKind, SkillFile},
    verdict,
};

/// An explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it explains.
    pub range: TextRange,
    /// The explanation.
    pub markdown: String,
}

/// Explains the key or the value at a byte offset; on the first line of the frontmatter, which systems load the file.
pub fn hover(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    let opening = file.frontmatter.as_ref().map(|it| it.open);
    if let Some(range) = opening.filter(|it| it.contains_inclusive(offset)) {
        return Some(Hover {
            range,
            markdown: verdict::table(&verdict::verdicts(file, facts)),
        });
    }
    entries(file.entries(), Place::TOP, facts, offset)
}

/// A field in Markdown: what it is, what it holds, who reads it to what effect.
pub fn documentation(field: &Field) -> String {
    let mut markdown = format!("**{}**: {}\n\n{}", field.name, field.type_name(), field.documentation);
    if let Some(instead) = field.deprecated {
        let _ = write!(markdown, "\n\nOut of use: write `{instead}`.");
    }
    if !field.readers.is_empty() {
        markdown.push('\n');
    }
    for reader in field.readers {
        let required = if reader.required { ", **required**" } else { "" };
        let _ = write!(
            markdown,
            "\n- {}{required}: {}",
            capitalized(reader.dialect.title()),
            reader.effect
        );
    }
    markdown
}

fn entries(all: &[Entry], place: Place, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    let entry = all.iter().find(|entry| entry.range.contains_inclusive(offset))?;
    let place = place.step(&entry.key.value)?;
    if entry.key.range.contains_inclusive(offset) {
        return Some(Hover {
            range: entry.key.range,
            markdown: documentation(place.field?),
        });
    }
    node(&entry.value, place, facts, offset)
}

fn node(value: &Node, place: Place, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    match &value.kind {
        NodeKind::Mapping(nested) => entries(nested, place, facts, offset),
        NodeKind::Sequence(items) => {
            let item = items.iter().find(|item| item.range.contains_inclusive(offset))?;
            node(item, place, facts, offset)
        }
        NodeKind::Scalar(scalar) if scalar.range.contains_inclusive(offset) => {
            let (word, documentation) = place.field?.choices().find(|(word, _)| *word == scalar.value)?;
            let markdown = format!("`{word}`: {documentation}");
            (!documentation.is_empty()).then_some(Hover {
                range: scalar.range,
                markdown,
            })
        }
        _ => None,
    }
}

fn capitalized(text: &str) -> String {
    let text = text.strip_prefix("the ").unwrap_or(text);
    text.to_owned()
}
