//! Which files a skill's `paths` match.

mod braces;
mod gitignore;
mod pattern;

use std::fmt;

use braces::Budget;
use gitignore::Rule;
use pattern::{Pattern, Syntax};

pub use pattern::{Literals, MAX_PATH_BYTES};

/// How the patterns of `paths` are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// Claude Code 2.1: from the project's root, so `*.md` matches only there; braces and brackets.
    #[default]
    Claude,
    /// OpenHands 1.58: a pattern without a slash matches at any depth; only `*`, `**` and `?` are special.
    OpenHands,
    /// `.gitignore`: a pattern without a slash matches at any depth, and a folder matches all that is in it; brackets,
    /// and `!` takes back what an earlier pattern matched.
    Gitignore,
}

/// The patterns of one skill.
///
/// A pattern that can't be read matches nothing; the others keep working. All patterns of a list share one budget of
/// 1,000 expanded braces and 4 MiB; one beyond it matches nothing. A match takes time bounded by the square of the
/// path's length, whatever the pattern.
#[derive(Clone, Debug, Default)]
pub struct PathMatcher {
    globs: Vec<Result<Glob, GlobError>>,
    unconditional: bool,
}

/// The pattern that every file matches: where a match lists a skill, the same as no condition.
pub const EVERY_FILE: &str = "**";

/// Why a pattern can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError {
    /// The bytes of the pattern that are wrong.
    pub at: std::ops::Range<usize>,
    /// What is wrong, and what to write instead.
    pub message: String,
}

#[derive(Clone, Debug)]
enum Glob {
    /// What the braces stand for.
    Patterns(Vec<Pattern>),
    Rule(Rule),
}

impl Flavour {
    /// Every flavour.
    pub const ALL: [Flavour; 3] = [Flavour::Claude, Flavour::OpenHands, Flavour::Gitignore];

    /// Whose globs these are, in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Flavour::Claude => "Claude Code",
            Flavour::OpenHands => "OpenHands",
            Flavour::Gitignore => "`.gitignore`",
        }
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Claude => "claude",
            Flavour::OpenHands => "openhands",
            Flavour::Gitignore => "gitignore",
        }
    }

    /// The flavour of a setting's value.
    pub fn of(name: &str) -> Option<Flavour> {
        Flavour::ALL.into_iter().find(|flavour| flavour.name() == name)
    }
}

impl PathMatcher {
    /// Reads patterns as Claude Code does; see [`PathMatcher::of`].
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> PathMatcher {
        PathMatcher::of(Flavour::Claude, patterns)
    }

    /// Reads patterns; their order is that of the indices which the other methods take and give.
    pub fn of<'a>(flavour: Flavour, patterns: impl IntoIterator<Item = &'a str>) -> PathMatcher {
        let mut budget = Budget::default();
        let mut matcher = PathMatcher::default();
        for pattern in patterns {
            matcher.unconditional |= pattern == EVERY_FILE;
            matcher.globs.push(match flavour {
                Flavour::Claude => claude(pattern, &mut budget),
                Flavour::OpenHands => openhands(pattern),
                Flavour::Gitignore => Rule::new(pattern).map(Glob::Rule),
            });
        }
        matcher
    }

    /// Whether one of the patterns is `**`: where a match lists a skill, that is the same as no condition.
    pub fn is_unconditional(&self) -> bool {
        self.unconditional
    }

    /// The index of the pattern that a path matches: the first, or of `.gitignore`'s rules the last, which decides. The
    /// path is relative to the project's root and has `/` separators; one beyond [`MAX_PATH_BYTES`] matches nothing.
    pub fn matches(&self, path: &str) -> Option<usize> {
        if path.is_empty() || path.len() > MAX_PATH_BYTES {
            return None;
        }
        if self.globs.iter().any(|glob| matches!(glob, Ok(Glob::Rule(_)))) {
            return gitignore::decide(self.rules(), path);
        }
        self.globs.iter().position(|glob| match glob {
            Ok(Glob::Patterns(patterns)) => patterns.iter().any(|pattern| pattern.is_match(path)),
            _ => false,
        })
    }

    /// Whether the pattern of that index can be read.
    pub fn is_valid(&self, index: usize) -> bool {
        self.globs.get(index).is_some_and(Result::is_ok)
    }

    /// Why the pattern of that index can't be read.
    pub fn error(&self, index: usize) -> Option<&GlobError> {
        self.globs.get(index)?.as_ref().err()
    }

    /// What every path has that matches: a file that has nothing of any item can't match. For an index over many
    /// matchers; what it finds must still be asked of [`matches`](PathMatcher::matches).
    pub fn literals(&self) -> Vec<Literals> {
        let mut found = Vec::new();
        for glob in self.globs.iter().flatten() {
            match glob {
                Glob::Patterns(patterns) => found.extend(patterns.iter().map(Pattern::literals)),
                Glob::Rule(rule) => found.extend(rule.literals()),
            }
        }
        found
    }

    fn rules(&self) -> impl DoubleEndedIterator<Item = (usize, &Rule)> {
        let rule = |(index, glob)| match glob {
            &Ok(Glob::Rule(ref rule)) => Some((index, rule)),
            _ => None,
        };
        self.globs.iter().enumerate().filter_map(rule)
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GlobError {}

fn claude(source: &str, budget: &mut Budget) -> Result<Glob, GlobError> {
    // Read once as it is, so that an error has its place in what was written.
    Pattern::new(Syntax::Components, source)?;
    let expanded = braces::expand(source, budget)?;
    let compile = |text: &String| {
        // A leading slash says what is so anyway; a trailing one means what is below.
        let text = text.strip_prefix('/').unwrap_or(text);
        let below = if text.ends_with('/') { "**" } else { "" };
        Pattern::new(Syntax::Components, &format!("{text}{below}"))
    };
    expanded
        .iter()
        .map(compile)
        .collect::<Result<_, _>>()
        // Braces inside brackets may make what can't be read; the place in the source is gone then.
        .map_err(|error| GlobError {
            at: 0..source.len(),
            ..error
        })
        .map(Glob::Patterns)
}

fn openhands(source: &str) -> Result<Glob, GlobError> {
    let anywhere = if source.contains('/') || source.is_empty() {
        ""
    } else {
        "**/"
    };
    let pattern = Pattern::new(Syntax::Stars, &format!("{anywhere}{source}"))?;
    Ok(Glob::Patterns(vec![pattern]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(flavour: Flavour, pattern: &str, path: &str) -> bool {
        PathMatcher::of(flavour, [pattern]).matches(path).is_some()
    }

    #[track_caller]
    fn check(flavour: Flavour, cases: &[(&str, &str, bool)]) {
        for (pattern, path, expected) in cases {
            assert_eq!(is_match(flavour, pattern, path), *expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn patterns_of_claude_code_start_at_the_root() {
        check(
            Flavour::Claude,
            &[
                ("*.md", "README.md", true),
                ("*.md", "docs/README.md", false),
                ("**/*.ts", "a.ts", true),
                ("**/*.ts", "src/deep/a.ts", true),
                ("src/components/*.tsx", "src/components/a.tsx", true),
                ("src/components/*.tsx", "src/components/x/a.tsx", false),
                ("src/**/*.{ts,tsx}", "src/a.ts", true),
                ("src/**/*.{ts,tsx}", "src/a/b.tsx", true),
                ("src/**/*.{ts,tsx}", "src/a/b.js", false),
                ("src/**", "src/a/b.rs", true),
                ("src/**", "lib/src/a.rs", false),
                ("src/**", "srcx/a.rs", false),
                ("/src/**", "src/a.rs", true),
                ("src/", "src/a/b.rs", true),
                ("**", "anything/at/all", true),
                ("a/**/b", "a/b", true),
                ("a/**/b", "a/x/y/b", true),
                ("a/**/b", "ab", false),
                ("a**b", "axxb", true),
                ("a**b", "ax/xb", false),
                ("src/[ab].rs", "src/b.rs", true),
                ("src/[!ab].rs", "src/c.rs", true),
                ("src/[^a-c].rs", "src/b.rs", false),
                ("src/[]x].rs", "src/].rs", true),
                ("src[!a]x", "src/x", false),
                ("*.{ts,tsx}", "a.tsx", true),
                ("src/{a,b/{c,d}}/*.rs", "src/b/d/x.rs", true),
                ("{**/,}a.rs", "x/a.rs", true),
                ("{a}.rs", "{a}.rs", true),
                ("{a}.rs", "a.rs", false),
                ("a{,.test}.ts", "a.ts", true),
                (r"a\{b,c\}", "a{b,c}", true),
                (r"\[x\].md", "[x].md", true),
                ("photos [2024/**", "photos [2024/a", false),
                ("*.rs", ".hidden.rs", true),
                ("?.md", "é.md", true),
                ("A.md", "a.md", false),
                ("", "a.md", false),
            ],
        );
    }

    // Recorded from openhands-sdk 1.58.0.
    #[test]
    fn patterns_of_openhands_match_at_any_depth_without_a_slash() {
        check(
            Flavour::OpenHands,
            &[
                ("src/api/**/*.ts", "src/api/x.ts", true),
                ("*.ts", "a/b/x.ts", true),
                ("Makefile", "pkg/Makefile", true),
                ("src/*/x.ts", "src/api/v1/x.ts", false),
                ("src/**", "src/a", true),
                ("**/*.ts", "", false),
                ("a?.ts", "a/b.ts", false),
                ("*.b.ts", "a.b.ts", true),
                ("a+b.ts", "aaab.ts", false),
                ("a(b).ts", "a(b).ts", true),
                ("readme.md", "README.md", false),
                ("src/*", "src/.env", true),
                ("", "a", false),
                ("/src/**", "src/a", false),
                ("./src/**", "src/a", false),
                ("src/", "src/a", false),
                ("**", "a/b", true),
                ("*.{ts,tsx}", "x.ts", false),
                ("[a].ts", "[a].ts", true),
                ("[a].ts", "a.ts", false),
                ("a/**/c", "a/c", true),
                ("a**/c", "ab/c", true),
                ("*a**/c", "xaYa/c", true),
                ("*a**/c", "xaYac", true),
                ("a/**.ts", "a/b/c.ts", true),
                ("src/**/*", "src/y.ts", true),
                ("*.md", "docs/a.md", true),
                ("!a", "!a", true),
                ("?.md", "é.md", true),
                (r"a\*", r"a\b", true),
            ],
        );
    }

    #[test]
    fn patterns_of_gitignore_match_folders_with_all_that_is_in_them() {
        check(
            Flavour::Gitignore,
            &[
                ("*.md", "docs/README.md", true),
                ("/*.md", "docs/README.md", false),
                ("/*.md", "README.md", true),
                ("docs", "docs/a/b.md", true),
                ("docs", "a/docs/b.md", true),
                ("docs/", "a/docs/b.md", true),
                ("docs/", "a/docs", false),
                ("src/api", "src/api/v1/x.ts", true),
                ("src/api", "a/src/api/x.ts", false),
                ("**/api", "a/src/api/x.ts", true),
                ("src/**", "src/a/b", true),
                ("a/**/b", "a/b", true),
                ("*.{ts,tsx}", "x.ts", false),
                ("[ab].ts", "x/a.ts", true),
                ("# note", "# note", false),
                (r"\#a", "#a", true),
                (r"\!a", "!a", true),
                ("a  ", "a", true),
                (r"a\ ", "a ", true),
                ("", "a", false),
                ("!a", "a", false),
                ("/", "a", false),
            ],
        );
        let of =
            |path| PathMatcher::of(Flavour::Gitignore, ["*.rs", "!main.rs", "src/gen", "!src/gen/a.rs"]).matches(path);
        assert_eq!(of("lib.rs"), Some(0));
        assert_eq!(of("src/main.rs"), None, "the last pattern decides");
        assert_eq!(
            of("src/gen/a.rs"),
            Some(2),
            "what is in a folder that matches can't be taken back"
        );
    }

    #[test]
    fn a_pattern_that_cannot_be_read_names_its_character_and_leaves_the_others_working() {
        let matcher = PathMatcher::new(["src/[ab", "**/*.rs", "{a,b"]);
        assert_eq!(matcher.matches("src/main.rs"), Some(1));
        assert!(!matcher.is_valid(0) && matcher.is_valid(1) && matcher.is_valid(2));
        assert_eq!(matcher.matches("src/[ab"), None);
        let cases = [
            ("src/[ab", 4..5, "`[`"),
            ("é[z-a]", 3..6, "z-a"),
            (r"a\", 1..2, "backslash"),
            ("{a,b[}", 4..5, "`[`"),
        ];
        for (pattern, at, word) in cases {
            let matcher = PathMatcher::new([pattern]);
            let error = matcher.error(0).unwrap_or_else(|| panic!("{pattern} can be read"));
            assert_eq!(error.at, at, "{pattern}: {error}");
            assert!(error.message.contains(word), "{error}");
        }
        assert_eq!(matcher.error(1), None);
    }

    #[test]
    fn two_stars_alone_mean_always() {
        assert!(PathMatcher::new(["src/*", "**"]).is_unconditional());
        assert!(!PathMatcher::new(["src/**"]).is_unconditional());
    }

    #[test]
    fn braces_beyond_the_budget_match_nothing_and_cost_nothing() {
        let claude = |pattern: &str, path: &str| is_match(Flavour::Claude, pattern, path);
        let bomb = "{a,b}".repeat(10);
        assert!(!claude(&bomb, "aaaaaaaaaa"), "1,024 expansions");
        assert!(claude(&"{a,b}".repeat(9), "aaaaaaaaa"), "512 expansions");
        let huge = "{a,b}".repeat(5_000);
        assert!(!claude(&huge, "a"));
        let deep = format!("{}a,b{}", "{".repeat(5_000), "}".repeat(5_000));
        assert!(!claude(&deep, "a"));
        let nested = format!("{}b{}", "{a,".repeat(5_000), "}".repeat(5_000));
        assert!(!claude(&nested, "a"));
        let long = format!("{{{}}}{}", vec!["a"; 900].join(","), "x".repeat(5_000));
        let matcher = PathMatcher::new([long.as_str()]);
        assert!(!matcher.is_valid(0), "more than 4 MiB");
        let half = "{a,b}".repeat(9);
        let matcher = PathMatcher::new([half.as_str(), half.as_str(), "*.md"]);
        assert!(
            matcher.is_valid(0) && !matcher.is_valid(1) && matcher.is_valid(2),
            "one budget for the list"
        );
    }

    #[test]
    fn hostile_patterns_end_soon() {
        let path = "a/".repeat(1_500);
        for flavour in Flavour::ALL {
            for pattern in [
                "*a".repeat(20_000),
                "**/a".repeat(10_000),
                "**/".repeat(1_000) + "b",
                "?*".repeat(1_000),
            ] {
                assert!(!is_match(flavour, &pattern, &path), "{}", flavour.name());
            }
            assert!(!is_match(flavour, "**", &"a".repeat(MAX_PATH_BYTES + 1)));
        }
    }

    #[test]
    fn a_folder_that_every_match_goes_through_is_known() {
        let of = |flavour, pattern: &str| PathMatcher::of(flavour, [pattern]).literals()[0].folder.clone();
        use Flavour::{Claude, OpenHands};
        for (flavour, pattern, expected) in [
            (Claude, "[a-c]*/1234/*", Some("1234")),
            (Claude, "a/longer/*.ts", Some("longer")),
            (Claude, "**/lib/**/x?", Some("lib")),
            (Claude, "*/x*/y?", None),
            (Claude, "src*/a", None),
            (Claude, "a/b", Some("a")),
            (Claude, "README.md", None),
            (OpenHands, "src/**x/y", Some("src")),
            (OpenHands, "**x/y*", None),
            (OpenHands, "**/x/y*", Some("x")),
        ] {
            assert_eq!(of(flavour, pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn literals_are_what_every_match_has() {
        let of = |flavour, pattern: &str| {
            let found = PathMatcher::of(flavour, [pattern]).literals();
            let shown = found.iter().map(|it| {
                let (name, extension) = (it.name.as_deref(), it.extension.as_deref());
                format!("{}|{}|{}", it.prefix, name.unwrap_or("-"), extension.unwrap_or("-"))
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        use Flavour::{Claude, Gitignore, OpenHands};
        let cases = [
            (Claude, "src/api/**/*.{ts,tsx}", "src/api/|-|ts src/api/|-|tsx"),
            (Claude, "**/*.rs", "|-|rs"),
            (Claude, "/docs/README.md", "docs/README.md|README.md|md"),
            (Claude, "src/", "src/|-|-"),
            (Claude, "src/a*", "src/|-|-"),
            (Claude, "**/Makefile", "|Makefile|-"),
            (Claude, "*.test.ts", "|-|ts"),
            (Claude, "a*b.rs", "|-|rs"),
            (Claude, "a*rs", "|-|-"),
            (Claude, "**", "|-|-"),
            (Claude, "[", ""),
            (OpenHands, "*.md", "|-|md"),
            (OpenHands, "src/x.md", "src/x.md|x.md|md"),
            (OpenHands, "src/**x.md", "src/|-|md"),
            (Gitignore, "*.md", "|-|-"),
            (Gitignore, "/docs/api", "docs/|-|-"),
            (Gitignore, "!a", ""),
        ];
        for (flavour, pattern, expected) in cases {
            assert_eq!(of(flavour, pattern), expected, "{pattern}");
        }
    }
}
