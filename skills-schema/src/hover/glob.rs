//! A glob in words.

use crate::{
    dialect::Dialect,
    glob::{Flavour, PathMatcher},
};

/// What a glob of `paths` matches, in a sentence.
pub(super) fn words(pattern: &str, dialect: Dialect) -> String {
    if pattern == "**" {
        return "Every file: a skill with this pattern has no condition.".to_owned();
    }
    if !PathMatcher::new([pattern]).is_valid(0) {
        return "Can't be read, so it matches nothing.".to_owned();
    }
    let path = pattern.strip_prefix('/').unwrap_or(pattern);
    let parts: Vec<&str> = path.split('/').collect();
    let (folders, last) = match parts.split_last() {
        // A slash at the end means what is below.
        Some((&"", folders)) => (folders, "**"),
        Some((last, folders)) => (folders, *last),
        None => (&[][..], ""),
    };
    let what = files(last);
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let plain = folders.iter().take_while(|part| is_plain(part)).count();
    let start = folders[..plain].join("/");
    let paths = dialect.runtime().paths;
    let is_anywhere = paths.is_some_and(|it| it.flavour == Flavour::OpenHands);
    let place = match (&folders[plain..], start.as_str(), last) {
        ([], "", "**") => "in the project".to_owned(),
        ([], start, "**") | (["**"], start, "**") => format!("below `{start}`"),
        ([], "", _) if is_anywhere => "in every folder of the project".to_owned(),
        ([], "", _) => "in the project's own folder, not in those below it".to_owned(),
        ([], start, _) => format!("in `{start}`, not in the folders below it"),
        (["**"], "", _) => "in every folder of the project".to_owned(),
        (["**"], start, _) => format!("in `{start}` and every folder below it"),
        (_, _, "**") => format!("below folders like `{}`", folders.join("/")),
        _ => format!("in folders like `{}`", folders.join("/")),
    };
    format!("{what} {place}.")
}

/// The last part of a glob: which files of a folder.
fn files(part: &str) -> String {
    let is_plain = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
    let ending = part.strip_prefix('*').filter(|ending| !ending.is_empty());
    let choices = ending.and_then(|ending| {
        let (before, rest) = ending.split_once('{')?;
        let (inner, after) = rest.split_once('}')?;
        let all = inner.split(',').map(|choice| format!("{before}{choice}{after}"));
        Some(all.collect::<Vec<_>>()).filter(|all| all.len() > 1 && all.iter().all(|it| is_plain(it)))
    });
    match (part, ending, choices) {
        ("*" | "**", ..) => "Every file".to_owned(),
        (_, _, Some(endings)) => {
            let endings: Vec<String> = endings.iter().map(|ending| format!("`{ending}`")).collect();
            format!("Files that end with {}", endings.join(" or "))
        }
        (_, Some(ending), _) if is_plain(ending) => format!("Files that end with `{ending}`"),
        (name, ..) if is_plain(name) => format!("Files named `{name}`"),
        (name, ..) => format!("Files with names like `{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_said_in_words() {
        let cases = [
            ("**", "Every file: a skill with this pattern has no condition."),
            (
                "*.md",
                "Files that end with `.md` in the project's own folder, not in those below it.",
            ),
            ("**/*.ts", "Files that end with `.ts` in every folder of the project."),
            (
                "src/**/*.{ts,tsx}",
                "Files that end with `.ts` or `.tsx` in `src` and every folder below it.",
            ),
            (
                "src/api/*.rs",
                "Files that end with `.rs` in `src/api`, not in the folders below it.",
            ),
            ("/src/", "Every file below `src`."),
            ("src/**", "Every file below `src`."),
            ("src/*", "Every file in `src`, not in the folders below it."),
            ("src/*/test/**", "Every file below folders like `src/*/test`."),
            (
                "Makefile",
                "Files named `Makefile` in the project's own folder, not in those below it.",
            ),
            (
                "**/test_?.py",
                "Files with names like `test_?.py` in every folder of the project.",
            ),
            ("src/[ab", "Can't be read, so it matches nothing."),
        ];
        for (pattern, expected) in cases {
            assert_eq!(words(pattern, Dialect::Claude), expected, "{pattern}");
        }
        let expected = "Files that end with `.md` in every folder of the project.";
        assert_eq!(words("*.md", Dialect::OpenHands), expected);
    }
}
