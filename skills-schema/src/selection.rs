//! What is selected when a selection grows step by step.

use text_size::{TextRange, TextSize};

use crate::syntax::{Entry, NodeKind, Scalar, SkillFile};

/// A selection grows through no more steps than this: nobody presses a key more often.
const MOST_STEPS: usize = 64;

/// What contains a place, from the innermost to the whole file: a link's destination, the link, its paragraph, its
/// list, its section. Each range is larger than the one before it and contains it.
pub fn selections(file: &SkillFile, offset: TextSize) -> Vec<TextRange> {
    let whole = TextRange::up_to(TextSize::of(&*file.text));
    let mut around = Vec::new();
    match &file.frontmatter {
        Some(frontmatter) if offset < file.body.range.start() => {
            around.extend([frontmatter.range, frontmatter.content]);
            entries(&frontmatter.entries, offset, &mut around);
        }
        _ => body(file, offset, &mut around),
    }
    around.retain(|range| range.contains_inclusive(offset) && !range.is_empty());
    around.sort_by_key(|range| (range.len(), range.start()));
    // Where two overlap, as at the seam of two words, the inner one decides.
    let mut steps: Vec<TextRange> = Vec::new();
    for range in around.into_iter().chain([whole]) {
        let grows = steps
            .last()
            .is_none_or(|last| range.contains_range(*last) && range != *last);
        if grows && (steps.len() < MOST_STEPS || range == whole) {
            steps.push(range);
        }
    }
    steps
}

fn entries(all: &[Entry], offset: TextSize, around: &mut Vec<TextRange>) {
    let here = all.iter().filter(|entry| entry.range.contains_inclusive(offset));
    for entry in here {
        around.extend([entry.range, entry.key.range, entry.value.range]);
        node(&entry.value.kind, offset, around);
    }
}

fn node(kind: &NodeKind, offset: TextSize, around: &mut Vec<TextRange>) {
    match kind {
        NodeKind::Scalar(it) => around.push(Scalar::inner(it)),
        NodeKind::Mapping(nested) => entries(nested, offset, around),
        NodeKind::Sequence(items) => {
            for item in items.iter().filter(|item| item.range.contains_inclusive(offset)) {
                around.push(item.range);
                node(&item.kind, offset, around);
            }
        }
        _ => {}
    }
}

fn body(file: &SkillFile, offset: TextSize, around: &mut Vec<TextRange>) {
    let tree = file.markdown();
    around.push(file.body.range);
    around.extend((0..tree.headings.len()).map(|index| tree.section(index, file)));
    around.extend(tree.headings.iter().map(|it| it.text_range));
    around.extend(tree.blocks.iter().map(|it| it.range));
    around.extend(tree.links.iter().flat_map(|it| [it.range, it.destination.range]));
    around.extend(tree.definitions.iter().flat_map(|it| [it.range, it.destination.range]));
    around.extend(tree.code_blocks.iter().map(|it| it.content));
    around.extend(tree.code_spans.iter().flat_map(|it| [it.range, it.content]));
    around.extend(&tree.comments);
    around.extend(tree.placeholders.iter().map(|it| it.range));
    around.extend(tree.commands.iter().flat_map(|it| [it.range, it.text]));
    around.extend(tree.mentions.iter().map(|it| it.range));
    around.extend(word(&file.text, file.body.range, offset));
}

/// The word at a place.
fn word(text: &str, within: TextRange, offset: TextSize) -> Option<TextRange> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(within.start().into()..offset.into())?;
    let after = text.get(offset.into()..within.end().into())?;
    let start = before.trim_end_matches(is_word);
    let end = after.len() - after.trim_start_matches(is_word).len();
    let start = within.start() + TextSize::of(start);
    Some(TextRange::new(start, offset + TextSize::of(&after[..end])))
}
