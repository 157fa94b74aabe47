//! `personal-path`

use std::collections::HashSet;

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{
        Report, Rule,
        example::{is_example, is_in_other_block, line_before},
    },
    syntax::{SkillFile, range_of},
};

/// A path that exists on one computer.
pub(super) const RULE: Rule = Rule {
    code: "personal-path",
    summary: "a path that exists on one person's machine only",
    outcome: |_| Outcome::Tolerates,
    documentation: include_str!("personal_path.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let text = &*file.text;
    let mut told = HashSet::new();
    for (root, separator) in ROOTS {
        for at in memchr::memmem::find_iter(text.as_bytes(), root.as_bytes()) {
            let rest = &text[at + root.len()..];
            let length = rest
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-')))
                .unwrap_or(rest.len());
            let name = &rest[..length];
            // Part of a longer path or an address, or a name that stands for any.
            let is_inside =
                text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | '*'));
            let is_path = rest[length..].starts_with(*separator) && !name.is_empty() && !is_inside;
            let range = range_of(at, at + root.len() + length);
            if is_path
                && !told.contains(&(root, name))
                && (is_run(file, range) || leads_to_skills(rest))
                && !is_set_down(file, range)
                && !is_anybody(&name.to_lowercase())
                && !is_in_other_block(file, range)
                && !is_example(file, range)
            {
                told.insert((root, name));
                let message = format!("`{root}{name}` exists on one machine only; use `~` or a relative path");
                report.add(range, message);
            }
        }
    }
}

/// Where homes are, and what follows a person's name there.
const ROOTS: &[(&str, char)] = &[("/Users/", '/'), ("/home/", '/'), ("C:\\Users\\", '\\')];

/// Whether a path is in a block of commands.
fn is_run(file: &SkillFile, range: TextRange) -> bool {
    file.markdown().code_block_at(range.start()).is_some()
}

/// Whether a path leads to skills, which a relative one does too. What else a text names of somebody's computer was put
/// there on purpose, mostly: notes, settings, the folder of a project.
fn leads_to_skills(rest: &str) -> bool {
    let end = rest.find(|c: char| c.is_whitespace() || "`\"'|)>,;".contains(c));
    let path = &rest[..end.unwrap_or(rest.len()).min(rest.floor_char_boundary(LONGEST))];
    path.split(['/', '\\'])
        .any(|part| part == "skills" || part.ends_with("-skills"))
}

/// How many bytes of a path are looked at.
const LONGEST: usize = 400;

/// Whether a path is written down for the person alone: in the frontmatter, as `- Label: path`, or as the value of an option.
fn is_set_down(file: &SkillFile, range: TextRange) -> bool {
    if !file.body.range.contains_range(range) {
        return true;
    }
    let line = line_before(file, range.start()).trim();
    let line = line.trim_end_matches(['`', '"', '\'']).trim_end();
    let label = line
        .strip_prefix(['-', '*'])
        .and_then(|item| item.trim_end_matches('*').strip_suffix(':'));
    let is_label = label.is_some_and(|label| !label.contains([':', '(', '`']));
    let option = line.rsplit(' ').next().unwrap_or_default();
    is_label || option.starts_with("--")
}

/// Whether a name stands for any.
fn is_anybody(name: &str) -> bool {
    ANYBODY.contains(&name) || name.contains("user") || name.ends_with("name")
}

/// Names that stand for any, and those of images and services.
const ANYBODY: &[&str] = &[
    "you",
    "your",
    "me",
    "someone",
    "alice",
    "bob",
    "john",
    "jane",
    "jdoe",
    "johndoe",
    "foo",
    "example",
    "test",
    "dev",
    "developer",
    "admin",
    "runner",
    "node",
    "ubuntu",
    "vscode",
    "app",
    "www-data",
    "linuxbrew",
    "shared",
    "public",
    "default",
    "agent",
    "claude",
    "codespace",
    "coder",
    "jovyan",
    "pi",
    "git",
    "root",
    "sandbox",
    "oai",
    "gitpod",
    "docker",
    "...",
    "xxx",
];
