//! Which files a skill's `paths` match.

use globset::{GlobBuilder, GlobMatcher};

/// The patterns of one skill, as Claude Code matches them: from the project's root, so `*.md` matches only there and
/// `**/*.ts` everywhere.
///
/// A pattern that cannot be read matches nothing; the others keep working. All patterns of a list share one budget of
/// 1,000 expanded braces and 4 MiB; one beyond it stays literal and matches nothing.
#[derive(Clone, Debug, Default)]
pub struct PathMatcher {
    patterns: Vec<Option<GlobMatcher>>,
    unconditional: bool,
}

/// Expanded patterns of one list.
const MAX_EXPANSIONS: usize = 1_000;
/// Bytes of the expanded patterns of one list.
const MAX_EXPANDED_BYTES: usize = 4 << 20;

impl PathMatcher {
    /// Compiles patterns; their order is that of the indices which [`matches`](PathMatcher::matches) gives.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> PathMatcher {
        let mut budget = Budget {
            expansions: MAX_EXPANSIONS,
            bytes: MAX_EXPANDED_BYTES,
        };
        let mut matcher = PathMatcher::default();
        for pattern in patterns {
            matcher.unconditional |= pattern == "**";
            matcher.patterns.push(compile(pattern, &mut budget));
        }
        matcher
    }

    /// Whether the skill applies to every file: it has the pattern `**`.
    pub fn is_unconditional(&self) -> bool {
        self.unconditional
    }

    /// The index of the first pattern that matches a path relative to the project's root, with `/` separators.
    pub fn matches(&self, path: &str) -> Option<usize> {
        self.patterns
            .iter()
            .position(|pattern| pattern.as_ref().is_some_and(|it| it.is_match(path)))
    }

    /// Whether the pattern of that index can be read.
    pub fn is_valid(&self, index: usize) -> bool {
        self.patterns.get(index).is_some_and(Option::is_some)
    }
}

/// What is left for the patterns to come.
struct Budget {
    expansions: usize,
    bytes: usize,
}

fn compile(pattern: &str, budget: &mut Budget) -> Option<GlobMatcher> {
    let (translated, count) = translate(pattern)?;
    if count > 1 {
        let bytes = count.checked_mul(pattern.len())?;
        budget.expansions = budget.expansions.checked_sub(count)?;
        budget.bytes = budget.bytes.checked_sub(bytes)?;
    }
    // A leading slash says what is so anyway; a trailing one means what is below, as in `.gitignore`.
    let mut pattern = translated.strip_prefix('/').unwrap_or(&translated).to_owned();
    if pattern.ends_with('/') {
        pattern.push_str("**");
    }
    let glob = GlobBuilder::new(&pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .ok()?;
    Some(glob.compile_matcher())
}

/// Braces without a comma are plain characters; the matcher would take them for a choice of one. Gives how many
/// patterns the braces stand for too.
fn translate(pattern: &str) -> Option<(String, usize)> {
    let groups = brace_groups(pattern);
    if groups.len() > MAX_EXPANSIONS {
        return None;
    }
    let mut result = String::with_capacity(pattern.len());
    // The product and sums of the choices: one frame a group, of finished choices and the current one.
    let mut counts: Vec<(usize, usize)> = vec![(0, 1)];
    let mut escaped = false;
    for (at, c) in pattern.char_indices() {
        let is_group = groups.iter().any(|&(open, close)| at == open || at == close);
        match c {
            _ if escaped => {}
            '{' if is_group => counts.push((0, 1)),
            '}' if is_group => {
                let (sum, current) = counts.pop()?;
                let choices = sum.checked_add(current)?;
                let last = counts.last_mut()?;
                last.1 = last.1.checked_mul(choices)?;
            }
            '{' | '}' => result.push('\\'),
            ',' if counts.len() > 1 => {
                let last = counts.last_mut()?;
                *last = (last.0.checked_add(last.1)?, 1);
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        result.push(c);
    }
    let (_, count) = *counts.first()?;
    (count <= MAX_EXPANSIONS).then_some((result, count))
}

/// The places of matching braces that hold a comma of their own.
fn brace_groups(pattern: &str) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut groups = Vec::new();
    let mut escaped = false;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => {}
            '{' => open.push((at, false)),
            ',' => {
                if let Some(group) = open.last_mut() {
                    group.1 = true;
                }
            }
            '}' => {
                if let Some((start, true)) = open.pop() {
                    groups.push((start, at));
                }
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, path: &str) -> bool {
        PathMatcher::new([pattern]).matches(path).is_some()
    }

    #[test]
    fn patterns_start_at_the_root() {
        let cases = [
            ("*.md", "README.md", true),
            ("*.md", "docs/README.md", false),
            ("**/*.ts", "a.ts", true),
            ("**/*.ts", "src/deep/a.ts", true),
            ("src/components/*.tsx", "src/components/a.tsx", true),
            ("src/components/*.tsx", "src/components/x/a.tsx", false),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "lib/src/a.rs", false),
            ("/src/**", "src/a.rs", true),
            ("src/", "src/a/b.rs", true),
            ("**", "anything/at/all", true),
            ("src/[ab].rs", "src/b.rs", true),
            ("src/[!ab].rs", "src/c.rs", true),
            ("*.{ts,tsx}", "a.tsx", true),
            ("src/{a,b/{c,d}}/*.rs", "src/b/d/x.rs", true),
            ("{a}.rs", "{a}.rs", true),
            ("{a}.rs", "a.rs", false),
            ("a{,.test}.ts", "a.ts", true),
            (r"\[x\].md", "[x].md", true),
            ("*.rs", ".hidden.rs", true),
            ("A.md", "a.md", false),
            ("", "a.md", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(is_match(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_pattern_that_cannot_be_read_leaves_the_others_working() {
        let matcher = PathMatcher::new(["src/[ab", "**/*.rs", "{a,b"]);
        assert_eq!(matcher.matches("src/main.rs"), Some(1));
        assert!(!matcher.is_valid(0) && matcher.is_valid(1));
        assert_eq!(matcher.matches("src/[ab"), None);
    }

    #[test]
    fn two_stars_alone_mean_always() {
        assert!(PathMatcher::new(["src/*", "**"]).is_unconditional());
        assert!(!PathMatcher::new(["src/**"]).is_unconditional());
    }

    #[test]
    fn braces_beyond_the_budget_match_nothing_and_cost_nothing() {
        let bomb = "{a,b}".repeat(10);
        assert!(!is_match(&bomb, "aaaaaaaaaa"), "1,024 expansions");
        assert!(is_match(&"{a,b}".repeat(9), "aaaaaaaaa"), "512 expansions");
        let huge = "{a,b}".repeat(5_000);
        assert!(!is_match(&huge, "a"));
        let deep = format!("{}a,b{}", "{".repeat(5_000), "}".repeat(5_000));
        assert!(!is_match(&deep, "a"));
        let half = "{a,b}".repeat(9);
        let matcher = PathMatcher::new([half.as_str(), half.as_str(), "*.md"]);
        assert!(
            matcher.is_valid(0) && !matcher.is_valid(1) && matcher.is_valid(2),
            "one budget for the list"
        );
    }
}
