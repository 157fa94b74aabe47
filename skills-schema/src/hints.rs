//! What a reader of the text would have to count or look up, shown beside it.

use text_size::TextSize;

use crate::{
    arguments,
    facts::Facts,
    shown::{estimated_tokens, grouped},
    syntax::{PlaceholderKind, SkillFile},
};

/// A few words that are shown in the text and do not belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Where they are shown.
    pub at: TextSize,
    /// The words.
    pub label: String,
    /// A sentence about them.
    pub tooltip: String,
    /// They name an argument.
    pub is_argument: bool,
}

/// The hints of a file in the order of the text: what its instructions cost, and the names of arguments that stand
/// there by number.
pub fn hints(file: &SkillFile, facts: &Facts<'_>) -> Vec<Hint> {
    let mut found: Vec<Hint> = size(file).into_iter().collect();
    if facts.dialect.runtime().arguments.are_replaced {
        let declared = arguments::declared(file);
        let hinted = if declared.is_empty() {
            arguments::hinted(file).names
        } else {
            Vec::new()
        };
        let placeholders = file.markdown().placeholders.iter().filter(|it| !it.is_escaped);
        found.extend(placeholders.filter_map(|it| {
            let PlaceholderKind::Index(index) = it.kind else {
                return None;
            };
            let (name, place) = match declared.get(index) {
                Some(argument) => (argument.name.as_str(), "declared under `arguments`"),
                None => (hinted.get(index)?.as_str(), "named in `argument-hint`"),
            };
            Some(Hint {
                at: it.range.end(),
                label: format!(": {name}"),
                tooltip: format!("The argument `{name}`, which is {place}."),
                is_argument: true,
            })
        }));
    }
    found.sort_by_key(|hint| hint.at);
    found
}

/// What the instructions cost, at their first heading or behind the frontmatter.
fn size(file: &SkillFile) -> Option<Hint> {
    let instructions = file.slice(file.body.range).trim();
    if instructions.is_empty() {
        return None;
    }
    let heading = file.markdown().headings.first().map(|heading| heading.range.end());
    let close = file
        .frontmatter
        .as_ref()
        .and_then(|it| it.close)
        .map(|close| close.end());
    Some(Hint {
        at: heading.or(close)?,
        label: format!("≈ {} tokens", grouped(estimated_tokens(instructions))),
        tooltip: "What the instructions take of the model's context while the skill is loaded; an estimate of one \
                  token for four characters."
            .to_owned(),
        is_argument: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, text: &str) -> String {
        let file = SkillFile::parse(text.into());
        let mut shown = text.to_owned();
        for hint in hints(&file, &Facts::of_path(path)).into_iter().rev() {
            shown.insert_str(hint.at.into(), &format!("«{}»", hint.label));
        }
        shown
    }

    #[test]
    fn numbers_have_names_and_the_text_a_size() {
        let text = "---\narguments: file target\n---\n# Title\n\n$0 $ARGUMENTS[1] $2 \\$0 $file\n";
        let claude = ".claude/skills/x/SKILL.md";
        assert_eq!(
            shown(claude, text),
            "---\narguments: file target\n---\n# Title«≈ 10 tokens»\n\n$0«: file» $ARGUMENTS[1]«: target» $2 \\$0 $file\n"
        );
        for (hint, expected) in [
            ("\"[file] ...\"", "$0«: file» $1"),
            ("'<file> [issue number]'", "$0«: file» $1«: issue number»"),
            ("[file]", "$0«: file» $1"),
            ("\"[file] [rest...]\"", "$0«: file» $1"),
            ("\"[--all] [file]\"", "$0 $1"),
            ("\"[a|b] [file]\"", "$0«: a|b» $1«: file»"),
            ("\"[file [target]]\"", "$0 $1"),
            ("\"[file\"", "$0 $1"),
            ("what to do", "$0 $1"),
        ] {
            let found = shown(claude, &format!("---\nargument-hint: {hint}\n---\n$0 $1\n"));
            assert!(found.ends_with(&format!("\n{expected}\n")), "{found}");
        }
        assert!(!shown(".openhands/skills/x/SKILL.md", text).contains(": file»"));
        assert_eq!(
            shown(claude, "---\nname: x\n---\nab"),
            "---\nname: x\n---«≈ 1 tokens»\nab"
        );
        for empty in ["", "---\nname: x\n---\n", "---\nname: x\n", "text"] {
            assert_eq!(shown(claude, empty), empty);
        }
        assert_eq!(
            ["0", "999", "1,000", "12,345,678"],
            [0, 999, 1_000, 12_345_678]
                .map(grouped)
                .each_ref()
                .map(|it| it.as_str())
        );
    }
}
