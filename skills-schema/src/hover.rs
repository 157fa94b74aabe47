//! What a word means.

mod body;
mod glob;
mod permission;

use std::fmt::Write as _;

use text_size::{TextRange, TextSize};

pub(crate) use permission::words as permission;

use crate::{
    facts::{Facts, FileKind},
    fields::{Field, Holds, Place, Type},
    manifest::Manifest,
    skill::Metadata,
    syntax::{Entry, Node, NodeKind, Scalar, SkillFile},
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

/// Explains the word at a byte offset, as far as the text and the tables know it; on the first line of the frontmatter,
/// which systems load the file. Nothing runs.
pub fn hover(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    if let Some(manifest) = Manifest::of(facts.kind) {
        let place = manifest.is_meant(file).then(|| manifest.place())?;
        return entries(file, file.entries(), place, facts, offset);
    }
    // A subagent's fields are not in the table, and nothing is filled in or run in its text.
    if !FileKind::SKILLS.contains(&facts.kind) {
        return None;
    }
    let opening = file.frontmatter.as_ref().map(|it| it.open);
    if let Some(range) = opening.filter(|it| it.contains_inclusive(offset)) {
        return Some(Hover {
            range,
            markdown: verdict::table(&verdict::verdicts(file, facts), facts),
        });
    }
    if file.body.range.contains_inclusive(offset) {
        return body::hover(file, facts, offset);
    }
    let pattern = Metadata::of(file).paths.into_iter();
    if let Some(pattern) = pattern.into_iter().find(|it| it.range.contains_inclusive(offset)) {
        return Some(Hover {
            range: pattern.range,
            markdown: format!("`{}`: {}", pattern.text, glob::words(&pattern.text, facts.dialect)),
        });
    }
    entries(file, file.entries(), Place::TOP, facts, offset)
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
    for (dialect, reads) in field.readers {
        let required = if reads.required { ", **required**" } else { "" };
        let _ = write!(
            markdown,
            "\n- {}{required}: {}",
            capitalized(dialect.title()),
            reads.effect
        );
    }
    markdown
}

fn entries(file: &SkillFile, all: &[Entry], place: Place, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    let entry = all.iter().find(|entry| entry.range.contains_inclusive(offset))?;
    let place = place.step(&entry.key.value)?;
    if entry.key.range.contains_inclusive(offset) {
        return Some(Hover {
            range: entry.key.range,
            markdown: documentation(place.field?),
        });
    }
    node(file, &entry.value, place, facts, offset)
}

fn node(file: &SkillFile, value: &Node, place: Place, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    match &value.kind {
        NodeKind::Mapping(nested) => entries(file, nested, place, facts, offset),
        NodeKind::Sequence(items) => {
            let item = items.iter().find(|item| item.range.contains_inclusive(offset))?;
            node(file, item, place, facts, offset)
        }
        NodeKind::Scalar(scalar) if scalar.range.contains_inclusive(offset) => word(file, scalar, place.field?, offset),
        _ => None,
    }
}

/// A value, or the word of it at an offset.
fn word(file: &SkillFile, scalar: &Scalar, field: &'static Field, offset: TextSize) -> Option<Hover> {
    if field.holds == Holds::Tools {
        let (range, rule) = permission::at(file, scalar, offset)?;
        let markdown = permission(&rule);
        return (!markdown.is_empty()).then_some(Hover { range, markdown });
    }
    let (word, documentation) = choices(field.types).find(|(word, _)| *word == scalar.value)?;
    let markdown = format!("`{word}`: {documentation}");
    (!documentation.is_empty()).then_some(Hover {
        range: scalar.range,
        markdown,
    })
}

fn choices(types: &'static [Type]) -> impl Iterator<Item = (&'static str, &'static str)> {
    types.iter().flat_map(|it| match it {
        Type::Choice(choices) => choices
            .iter()
            .map(|it| (it.value, it.documentation))
            .collect::<Vec<_>>(),
        Type::List(items) => choices(items).collect(),
        _ => Vec::new(),
    })
}

fn capitalized(text: &str) -> String {
    let text = text.strip_prefix("the ").unwrap_or(text);
    text.to_owned()
}
