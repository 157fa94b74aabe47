//! The text that a new skill starts with. It passes every check.

use crate::fixes;

/// What a new skill is called where nobody says.
pub const NAME: &str = "my-skill";

/// A new skill; each part says what belongs there.
pub fn skill(name: &str) -> String {
    let title = title(name);
    format!(
        "---\nname: {}\ndescription: {DESCRIPTION}\n---\n\n# {title}\n\n{INSTRUCTIONS}\n",
        fixes::scalar(name)
    )
}

/// The same as a snippet in the syntax of the Language Server Protocol.
pub fn snippet(name: &str) -> String {
    format!(
        "---\nname: ${{1:{}}}\ndescription: ${{2:{}}}\n---\n\n# ${{3:{}}}\n\n$0",
        escaped(name),
        escaped(DESCRIPTION),
        escaped(&title(name))
    )
}

/// The file name of a skill.
pub const FILE_NAME: &str = "SKILL.md";

const DESCRIPTION: &str = "Says in one sentence what this skill does. Use when somebody asks for it.";

const INSTRUCTIONS: &str = "Write the steps here, as you would explain them to a colleague:\n\n\
                            1. What to look at first.\n\
                            2. What to do.\n\
                            3. How to check the result.";

/// A text as it stands in a snippet.
pub(crate) fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

/// `my-skill` as a heading.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.chars();
    chars
        .next()
        .map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dialect::Dialect, facts::Facts, rules, syntax::SkillFile, verdict};

    #[test]
    fn a_new_skill_passes_every_check_of_every_reader() {
        let file = SkillFile::parse(skill("release-notes").into());
        for dialect in Dialect::ALL {
            let facts = Facts {
                dialect,
                ..Facts::of_path(".agents/skills/release-notes/SKILL.md")
            };
            assert_eq!(rules::check(&file, &facts), [], "{dialect}");
            assert!(verdict::verdicts(&file, &facts).iter().all(|it| it.loads), "{dialect}");
        }
        assert!(file.text.contains("# Release notes\n"));
    }
}
