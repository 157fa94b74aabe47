//! Differences as people and models read them.

use std::ops::Range;

use skills_schema::shown::{end_lines, ends};

use super::eol;
use super::excerpt::MAX_LINE_CHARS;
use crate::difference::{DiffOp, DiffTag, grouped, lines_of};

/// The most lines of a diff (as in thndrs 0.1).
pub const MAX_DIFF_LINES: usize = 120;

/// A unified diff with three lines of context, at most [`MAX_DIFF_LINES`] lines, and whether it was cut. What is
/// left out is counted between the first and the last lines: padding at the start hides nothing at the end.
///
/// Line ends are left out of it; a missing file is an empty text.
pub fn unified(before: Option<&str>, after: Option<&str>) -> (String, bool) {
    let (before, after) = (
        eol::to_lf(before.unwrap_or_default()),
        eol::to_lf(after.unwrap_or_default()),
    );
    let text = hunks(("before", "after"), &before, &after, "");
    let lines: Vec<String> = text
        .lines()
        .map(|line| ends(line, MAX_LINE_CHARS).into_owned())
        .collect();
    let is_cut = lines.len() > MAX_DIFF_LINES;
    (end_lines(lines, MAX_DIFF_LINES).join("\n"), is_cut)
}

/// What makes one text of the other, whole, as tools take a patch; `name` is the file's.
pub fn patch(name: &str, before: &str, after: &str) -> String {
    hunks((name, name), before, after, "\\ No newline at end of file\n")
}

/// The lines that differ and one around them, each with what it is: `-` gone, `+` new, a space the same.
pub fn marked(before: &str, after: &str) -> Vec<(char, String)> {
    let (old, new) = (lines_of(before), lines_of(after));
    let groups = grouped(&old, &new, 1);
    let marked = groups.iter().flatten().flat_map(|op| marks(op, &old, &new));
    marked.map(|(mark, line)| (mark, line.to_owned())).collect()
}

/// A unified diff with three lines of context; nothing where the texts are the same. `unended` is put behind a line that
/// has no end.
fn hunks(names: (&str, &str), before: &str, after: &str, unended: &str) -> String {
    let (old, new) = (lines_of(before), lines_of(after));
    let mut text = String::new();
    for group in grouped(&old, &new, 3) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        if text.is_empty() {
            text = format!("--- {}\n+++ {}\n", names.0, names.1);
        }
        let old_lines = place(first.old_range().start..last.old_range().end);
        let new_lines = place(first.new_range().start..last.new_range().end);
        text.push_str(&format!("@@ -{old_lines} +{new_lines} @@\n"));
        for (mark, line) in group.iter().flat_map(|op| marks(op, &old, &new)) {
            text.push(mark);
            text.push_str(line);
            if !line.ends_with(['\n', '\r']) {
                text.push('\n');
                text.push_str(unended);
            }
        }
    }
    text
}

/// The lines of a hunk as its head has them: the first, counted from 1, and how many where it is not one.
fn place(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// The lines of both texts that an operation is about, each with what it is.
fn marks<'a>(op: &DiffOp, old: &'a [&str], new: &'a [&str]) -> Vec<(char, &'a str)> {
    let (tag, from, to) = op.as_tag_tuple();
    let all = |mark, lines: &'a [&str]| lines.iter().map(move |line| (mark, *line));
    match tag {
        DiffTag::Equal => all(' ', &old[from]).collect(),
        _ => all('-', &old[from]).chain(all('+', &new[to])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_as_other_tools_write_it() {
        for (before, after, expected) in [
            ("a\n", "a\n", ""),
            ("", "a\n", "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n"),
            ("a\nb\n", "", "--- f\n+++ f\n@@ -1,2 +0,0 @@\n-a\n-b\n"),
            (
                "a",
                "b",
                "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            ),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
                "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
            ),
        ] {
            assert_eq!(patch("f", before, after), expected, "{before:?} to {after:?}");
        }
        assert_eq!(
            marked("a\nb\nc\n", "a\nB\nc\n"),
            [(' ', "a\n"), ('-', "b\n"), ('+', "B\n"), (' ', "c\n")].map(|(mark, line)| (mark, line.to_owned()))
        );
    }

    #[test]
    fn three_lines_of_context_and_a_cap() {
        let (text, cut) = unified(Some("a\nb\nc\n"), Some("A\nb\nc\n"));
        assert_eq!(
            (text.as_str(), cut),
            ("--- before\n+++ after\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n c", false)
        );
        let (text, cut) = unified(None, Some(&"x\n".repeat(500)));
        assert!(cut && text.contains("+x\n… 383 more lines …\n+x"), "{text}");
        let (text, _) = unified(None, Some(&format!("{}payload\n", "x\n".repeat(500))));
        assert!(text.ends_with("\n+payload"), "{text}");
        let (text, _) = unified(None, Some(&format!("{}payload\n", "x".repeat(5_000))));
        assert!(text.ends_with("xpayload"), "{text}");
    }
}
