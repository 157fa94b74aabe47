//! Differences as people and models read them.

use std::time::Duration;

use similar::TextDiff;

use super::eol;
use super::excerpt::clip;

/// The most lines of a diff (as in thndrs 0.1).
pub const MAX_DIFF_LINES: usize = 120;

/// How long a diff may be refined; then it gets coarser, not wrong.
pub(super) const TIMEOUT: Duration = Duration::from_millis(200);

/// A unified diff with three lines of context, at most [`MAX_DIFF_LINES`] lines, and whether it was cut.
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
    let total = text.lines().count();
    let mut lines: Vec<_> = text
        .lines()
        .take(MAX_DIFF_LINES)
        .map(|line| clip(line).into_owned())
        .collect();
    if total > MAX_DIFF_LINES {
        lines.push(format!("…({} more lines)", total - MAX_DIFF_LINES));
    }
    (lines.join("\n"), total > MAX_DIFF_LINES)
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
        assert!(cut && text.ends_with("+x\n…(383 more lines)"), "{text}");
    }
}
