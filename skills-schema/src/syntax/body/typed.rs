//! The tree of a body that was typed from an earlier one: only the blocks that the typing touches are read again.
//!
//! Between two blocks with an empty line between them no list, quote or code is open, so what comes behind reads as it
//! would by itself: as before, where its text is as before. Only definitions and footnotes count in the whole body.

use text_size::{TextRange, TextSize};

use super::{
    BlockKind, Body, Markdown,
    markdown::{END, Shift},
};
use crate::difference::Difference;
use crate::syntax::{
    SkillFile,
    lines::{is_blank, size},
};

/// How many seams behind the typing are tried as the end of what is read again: what is typed may join the next blocks.
const TRIES: [usize; 2] = [0, 8];

impl Markdown {
    /// The tree of a file that was typed from an earlier one, given the tree and the text of that one's body; `None` where all of it must be read.
    pub(crate) fn typed(tree: &Markdown, old: &str, earlier: Body, file: &SkillFile) -> Option<Markdown> {
        let (new, base) = (file.slice(file.body.range), earlier.range.start());
        let body = file.body.range.start();
        if old == new {
            let all = tree.part(TextRange::up_to(END), Shift::between(base, body));
            return Some(all.placed(file));
        }
        if !tree.is_local() {
            return None;
        }
        let typed = Difference::between(old, new);
        let seams = tree.seams(old, base);
        // One block before the first that is touched: that may now belong to it.
        let touched = seams.partition_point(|seam| *seam <= typed.start);
        let start = touched.checked_sub(2).map_or(0, |before| seams[before]);
        let behind = seams.partition_point(|seam| *seam < typed.old_end);
        TRIES.iter().find_map(|&further| {
            let now = |place| typed.moved(place);
            let (piece, end) = match seams.get(behind + further) {
                Some(&seam) => {
                    // What ends the block before the seam is its own first line, so that has to be read too.
                    let until = seams.get(behind + further + 1).map_or(new.len(), |next| now(*next));
                    let text = &new[start..until];
                    let piece = Markdown::read(text);
                    if !is_seam(new, now(seam)) || !piece.begins_block(text, now(seam) - start) {
                        return None;
                    }
                    (piece, base + size(seam))
                }
                None => (Markdown::read(&new[start..]), END),
            };
            if !piece.is_local() {
                return None;
            }
            let (zero, start) = (TextSize::new(0), size(start));
            let behind = Shift::between(base + size(typed.old_end), body + size(typed.new_end));
            let piece_end = if end == END { END } else { behind.of(end) - body - start };
            let mut all = tree.part(TextRange::up_to(base + start), Shift::between(base, body));
            all.extend(piece.part(TextRange::up_to(piece_end), Shift::between(zero, body + start)));
            all.extend(tree.part(TextRange::new(end, END), behind));
            Some(all.placed(file))
        })
    }

    /// Whether each block reads as it would by itself: nothing in one says what stands in another.
    fn is_local(&self) -> bool {
        self.definitions.is_empty() && !self.blocks.iter().any(|block| block.kind == BlockKind::Footnote)
    }

    /// Where a line starts a block that stands in no other, behind an empty line; counted from the start of the body.
    fn seams(&self, body: &str, base: TextSize) -> Vec<usize> {
        let mut end = base;
        let mut seams = Vec::new();
        for block in &self.blocks {
            if block.range.start() >= end {
                end = block.range.end();
                let start = usize::from(block.range.start() - base);
                seams.extend(line_start(body, start).filter(|line| is_seam(body, *line)));
            }
        }
        seams
    }

    /// Whether a block that stands in no other begins in the line that starts there. The ranges count from the text's start.
    fn begins_block(&self, text: &str, at: usize) -> bool {
        let mut end = TextSize::new(0);
        for block in &self.blocks {
            if block.range.start() < end {
                continue;
            }
            end = block.range.end();
            let start = usize::from(block.range.start());
            if start >= at {
                return line_start(text, start) == Some(at);
            }
            if usize::from(end) > at {
                return false;
            }
        }
        false
    }
}

/// Where the line starts that a block begins in; `None` where more than spaces stand before it.
fn line_start(body: &str, block: usize) -> Option<usize> {
    let before = &body[..block];
    let start = memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |end| end + 1);
    is_blank(&before[start..]).then_some(start)
}

/// Whether a line starts there, behind an empty one or at the start of the text.
fn is_seam(body: &str, line: usize) -> bool {
    let before = &body[..line];
    let Some(before) = before.strip_suffix('\n') else {
        return before.is_empty();
    };
    let before = before.strip_suffix('\r').unwrap_or(before);
    let start = memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map(|end| end + 1);
    start.is_some_and(|start| is_blank(&before[start..]))
}
