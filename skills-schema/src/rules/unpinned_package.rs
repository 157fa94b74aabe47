//! `unpinned-package`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule},
    syntax::{SkillFile, lines, range_of},
};

/// A package that is run in whatever version is newest.
pub(super) const RULE: Rule = Rule {
    code: "unpinned-package",
    summary: "a package that runs without a version",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("unpinned_package.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    for line in lines(&file.text, file.body.range) {
        let text = line.text(&file.text);
        let words: Vec<&str> = text
            .split([' ', '\t', '`', '"', '(', ')'])
            .filter(|it| !it.is_empty())
            .collect();
        for (index, word) in words.iter().enumerate() {
            let skip = match (*word, words.get(index + 1)) {
                ("npx" | "bunx" | "uvx", _) => 1,
                ("pnpm" | "yarn", Some(&"dlx")) | ("pipx", Some(&"run")) => 2,
                _ => continue,
            };
            let package = words[index + skip..].iter().find(|it| !it.starts_with('-'));
            let Some(package) = package.filter(|it| is_unpinned(it)) else {
                continue;
            };
            let start = package.as_ptr() as usize - text.as_ptr() as usize + usize::from(line.range.start());
            let message = format!("no version of `{package}` named; pin one: `{package}@1.2.3`");
            report.add(range_of(start, start + package.len()), message);
        }
    }
}

/// A package's name without a version behind it.
fn is_unpinned(package: &str) -> bool {
    let name = package.strip_prefix('@').unwrap_or(package);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_./@=".contains(c));
    is_name && !name.contains('@') && !name.contains("==")
}
