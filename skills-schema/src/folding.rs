//! What can be folded away.

use std::cmp::Reverse;

use text_size::{TextRange, TextSize};

use crate::syntax::{BlockKind, Node, NodeKind, SkillFile, lines};

/// Lines that can be folded: the first stays in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From the line that stays to the end of the last one that goes.
    pub range: TextRange,
    /// It is a comment, which editors fold together.
    pub is_comment: bool,
}

/// Lists and values are folded from this many lines on.
const LONG: usize = 5;

/// The frontmatter and its long values, sections, code, tables, comments and long lists, in the order of the text; of
/// those that start in one line the longest. Ranges are disjoint or inside each other.
pub fn folds(file: &SkillFile) -> Vec<Fold> {
    let tree = file.markdown();
    let whole = TextRange::up_to(TextSize::of(&*file.text));
    let starts: Vec<TextSize> = lines(&file.text, whole).map(|line| line.full.start()).collect();
    let line = |at: TextSize| starts.partition_point(|start| *start <= at);
    let is_long = |range: TextRange| line(range.end()) - line(range.start()) + 1 >= LONG;

    let mut found: Vec<(TextRange, bool)> = Vec::new();
    if let Some(frontmatter) = &file.frontmatter {
        let is_collection = |node: &Node| matches!(node.kind, NodeKind::Mapping(_) | NodeKind::Sequence(_));
        let entries = frontmatter.entries.iter();
        let long = entries.filter(|entry| is_collection(&entry.value) || is_long(entry.range));
        found.push((frontmatter.range, false));
        found.extend(long.map(|entry| (entry.range, false)));
    }
    found.extend((0..tree.headings.len()).map(|index| (tree.section(index, file), false)));
    found.extend(tree.blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Code | BlockKind::Table => Some((block.range, false)),
        BlockKind::List | BlockKind::Quote if is_long(block.range) => Some((block.range, false)),
        _ => None,
    }));
    found.extend(tree.comments.iter().map(|range| (*range, true)));

    let mut folds: Vec<Fold> = found
        .into_iter()
        .map(|(range, is_comment)| Fold {
            // Blank lines behind a section stay in sight.
            range: TextRange::at(range.start(), TextSize::of(file.slice(range).trim_end())),
            is_comment,
        })
        .filter(|fold| line(fold.range.start()) < line(fold.range.end()))
        .collect();
    folds.sort_by_key(|fold| (fold.range.start(), Reverse(fold.range.end())));
    folds.dedup_by_key(|fold| line(fold.range.start()));
    folds
}
