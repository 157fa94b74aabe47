//! Where a text names skills: its own name, lists of others, and mentions in the instructions.

use text_size::{TextRange, TextSize};

use crate::syntax::{Node, NodeKind, SkillFile, range_of};

/// A place that names a skill, if there is one of that name: in running text any word behind a `/` looks like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillName {
    /// The name alone, without quotes, `/` or `$`.
    pub range: TextRange,
    /// The name.
    pub name: String,
    /// How it is named.
    pub kind: SkillNameKind,
}

/// How a skill is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillNameKind {
    /// `name` of the file itself, whatever its folder is called.
    Own,
    /// In a list of skills, or in a permission such as `Skill(name)`.
    Listed,
    /// `/name` or `$name` in the instructions.
    Mentioned,
}

/// The fields that list skills: those of a Wolffish skill, and those of an agent of Claude Code.
pub const LISTS: [&str; 2] = ["requires", "skills"];

/// The fields that hold permissions.
const PERMISSIONS: [&str; 3] = ["allowed-tools", "allowed_tools", "disallowed-tools"];

/// The places that name skills, in the order of the text.
pub fn skill_names(file: &SkillFile) -> Vec<SkillName> {
    let mut found = Vec::new();
    for entry in file.entries() {
        let key = entry.key.value.as_str();
        if key == "name" {
            found.extend(named(file, &entry.value, SkillNameKind::Own));
        } else if LISTS.contains(&key) {
            listed(file, &entry.value, &mut found);
        } else if PERMISSIONS.contains(&key) {
            permitted(file, entry.value.range, &mut found);
        }
    }
    mentioned(file, &mut found);
    found
}

/// The place that names a skill at an offset.
pub fn skill_name_at(file: &SkillFile, offset: TextSize) -> Option<SkillName> {
    let holds = |it: &SkillName| {
        let before = TextSize::from(u32::from(it.kind == SkillNameKind::Mentioned));
        it.range.start() <= offset + before && offset <= it.range.end()
    };
    skill_names(file).into_iter().find(holds)
}

fn named(file: &SkillFile, node: &Node, kind: SkillNameKind) -> Option<SkillName> {
    let scalar = node.as_scalar().filter(|scalar| !scalar.is_null())?;
    let range = scalar.inner();
    // A name that is not written as it reads can be neither found nor renamed.
    (file.slice(range) == scalar.value).then(|| SkillName {
        range,
        name: scalar.value.clone(),
        kind,
    })
}

/// The items of a list, or the words of a text.
fn listed(file: &SkillFile, node: &Node, found: &mut Vec<SkillName>) {
    if let NodeKind::Sequence(items) = &node.kind {
        found.extend(items.iter().filter_map(|item| named(file, item, SkillNameKind::Listed)));
        return;
    }
    let Some(all) = named(file, node, SkillNameKind::Listed) else {
        return;
    };
    for word in all.name.split([',', ' ']).filter(|word| !word.is_empty()) {
        let at = word.as_ptr() as usize - all.name.as_ptr() as usize;
        let start = usize::from(all.range.start()) + at;
        found.push(SkillName {
            range: range_of(start, start + word.len()),
            name: word.to_owned(),
            kind: SkillNameKind::Listed,
        });
    }
}

fn permitted(file: &SkillFile, range: TextRange, found: &mut Vec<SkillName>) {
    let opening = "Skill(";
    let text = file.slice(range);
    for (at, _) in text.match_indices(opening) {
        let start = at + opening.len();
        let name = name(&text[start..]);
        let begins_word = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if begins_word && !name.is_empty() {
            let start = usize::from(range.start()) + start;
            found.push(SkillName {
                range: range_of(start, start + name.len()),
                name: name.to_owned(),
                kind: SkillNameKind::Listed,
            });
        }
    }
}

/// `/name` and `$name`. In code only where a line or a span begins with it: elsewhere it is a path or a variable.
fn mentioned(file: &SkillFile, found: &mut Vec<SkillName>) {
    let text = file.slice(file.body.range);
    let base = usize::from(file.body.range.start());
    for (at, sign) in text.match_indices(['/', '$']) {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let name = name(after);
        if name.is_empty() || goes_on(&after[name.len()..]) || is_escaped_or_inside(before) {
            continue;
        }
        let range = range_of(base + at + 1, base + at + 1 + name.len());
        let tree = file.markdown();
        if tree.in_code(range.start()) {
            let begins_line = before
                .rsplit(['\n', '\r'])
                .next()
                .is_some_and(|line| line.trim().is_empty());
            let begins = begins_line || before.ends_with('`');
            if sign == "$" || !begins {
                continue;
            }
        }
        let at = tree.placeholders.partition_point(|it| it.range.end() <= range.start());
        let is_placeholder = tree
            .placeholders
            .get(at)
            .is_some_and(|it| it.range.contains_range(range));
        if sign == "$" && is_placeholder {
            continue;
        }
        found.push(SkillName {
            range,
            name: name.to_owned(),
            kind: SkillNameKind::Mentioned,
        });
    }
}

/// The name of a skill, with that of its plugin, at the start of a text; empty where there is none.
fn name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let name = text[..length].trim_end_matches(['-', ':']);
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 129 {
        name
    } else {
        ""
    }
}

/// Whether a path or a word goes on behind a name.
fn goes_on(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('.') => chars.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || matches!(c, '_' | '/' | '\\'),
        None => false,
    }
}

/// Whether what stands before a `/` or `$` makes it a part of something else: a word, a path, a link.
fn is_escaped_or_inside(before: &str) -> bool {
    before.ends_with("](")
        || before
            .chars()
            .next_back()
            .is_some_and(|c| !c.is_whitespace() && !"`(\"'“‘[,;:—–".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, SkillNameKind)> {
        let file = SkillFile::parse(text.into());
        let found = skill_names(&file);
        for it in &found {
            assert_eq!(file.slice(it.range), it.name);
        }
        found.into_iter().map(|it| (it.name, it.kind)).collect()
    }

    #[test]
    fn skills_are_named_by_name_in_lists_and_in_permissions() {
        use SkillNameKind::{Listed, Own};
        let found = names(
            "---\nname: 'deploy'\nrequires:\n  - shell\n  - \"git\"\nskills: a, b c\n\
             allowed-tools: Bash(x *), Skill(ship *) MySkill(no)\n---\n",
        );
        let expected = [
            ("deploy", Own),
            ("shell", Listed),
            ("git", Listed),
            ("a", Listed),
            ("b", Listed),
            ("c", Listed),
            ("ship", Listed),
        ];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }

    #[test]
    fn a_mention_stands_alone() {
        let cases: &[(&str, &[&str])] = &[
            ("Run /deploy, then /ship.", &["deploy", "ship"]),
            (
                "`/deploy prod` and (/ship) and \"/a-b:c\"",
                &["deploy", "ship", "a-b:c"],
            ),
            ("Use $deploy here", &["deploy"]),
            ("src/deploy /usr/bin /deploy.md ./deploy **/deploy </deploy> a/b", &[]),
            ("[x](/deploy) https://a.b/deploy \\/deploy", &[]),
            ("```\n/deploy prod\nls /tmp $home\n```\n", &["deploy"]),
            ("`ls /tmp` `$home`", &[]),
            ("/Deploy /1 / /-", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = names(text).into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, *expected, "{text}");
        }
        assert_eq!(names("---\narguments: deploy\n---\n$deploy").len(), 0, "an argument");
    }
}
