//! Differences as people and models read them.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};
use skills_schema::shown::{end_lines, ends};

use super::eol;
use super::excerpt::MAX_LINE_CHARS;

/// The most lines of a diff (as in thndrs 0.1).
pub const MAX_DIFF_LINES: usize = 120;

/// How long a diff may be refined; then it gets coarser, not wrong.
pub(super) const TIMEOUT: Duration = Duration::from_millis(200);

/// A unified diff with three lines of context, at most [`MAX_DIFF_LINES`] lines, and whether it was cut. What is
/// left out is counted between the first and the last lines: padding at the start hides nothing at the end.
///
/// Line ends are left out of it; a missing file is an empty text.
pub fn unified(before: Option<&str>, after: Option<&str>) -> (String, bool) {
    let (before, after) = (
        eol::to_lf(before.unwrap_or_default()),
        eol::to_lf(after.unwrap_or_default()),
    );
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(&*before, &*after);
    let text = diff
        .unified_diff()
        .context_radius(3)
        .missing_newline_hint(false)
        .header("before", "after")
        .to_string();
    let lines: Vec<String> = text
        .lines()
        .map(|line| ends(line, MAX_LINE_CHARS).into_owned())
        .collect();
    let is_cut = lines.len() > MAX_DIFF_LINES;
    (end_lines(lines, MAX_DIFF_LINES).join("\n"), is_cut)
}

/// What makes one text of the other, whole, as tools take a patch; `name` is the file's.
pub fn patch(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(name, name).to_string()
}

/// The lines that differ and one around them, each with what it is: `-` gone, `+` new, a space the same.
pub fn marked(before: &str, after: &str) -> Vec<(char, String)> {
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(1);
    let changes = groups.iter().flatten().flat_map(|op| diff.iter_changes(op));
    let mark = |tag| match tag {
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
        ChangeTag::Equal => ' ',
    };
    changes
        .map(|change| (mark(change.tag()), change.value().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
