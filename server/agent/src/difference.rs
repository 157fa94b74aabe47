//! How one text becomes another, by the algorithm of Myers.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Compact, Replace, myers};
pub use similar::{DiffOp, DiffTag};

/// How long a difference may be refined; then it gets coarser, not wrong.
const TIMEOUT: Duration = Duration::from_millis(200);

/// What to keep, take out, put in and replace to make one list of texts of another, in order.
pub fn ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    capture(old, new).into_ops()
}

/// The same in groups: what differs, and so many texts around it.
pub fn grouped(old: &[&str], new: &[&str], around: usize) -> Vec<Vec<DiffOp>> {
    capture(old, new).into_grouped_ops(around)
}

fn capture(old: &[&str], new: &[&str]) -> Capture {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Some(Instant::now() + TIMEOUT);
    let Ok(()) = myers::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), deadline);
    found.into_inner().into_inner()
}

/// How much of two texts is alike, from 0 to 1, by their characters.
pub fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (characters(a), characters(b));
    let same = ops(&a, &b).into_iter().filter(|op| op.tag() == DiffTag::Equal);
    let same: usize = same.map(|op| op.old_range().len()).sum();
    let all = a.len() + b.len();
    if all == 0 { 1.0 } else { 2.0 * same as f64 / all as f64 }
}

/// The characters of a text, a text each.
fn characters(text: &str) -> Vec<&str> {
    text.split("").filter(|it| !it.is_empty()).collect()
}

/// The lines of a part of a text, their ends included: `\n`, `\r\n` or `\r`.
pub fn lines(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = range.start;
    for at in range.clone() {
        let ends = bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        if ends {
            lines.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < range.end {
        lines.push(start..range.end);
    }
    lines
}

/// The lines of a text, their ends included.
pub fn lines_of(text: &str) -> Vec<&str> {
    let ranges = lines(text, 0..text.len());
    ranges.into_iter().map(|range| &text[range]).collect()
}
