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
    /// `/name` or `$name` in the instructions, `/name` in the text that a model chooses the skill by.
    Mentioned,
}

/// The fields that list skills: those of a Wolffish skill, and those of an agent of Claude Code.
pub const LISTS: [&str; 2] = ["requires", "skills"];

/// The texts that a model chooses a skill by.
const PROSE: [&str; 2] = ["description", "when_to_use"];

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
        } else if PROSE.contains(&key) && entry.value.as_scalar().is_some() {
            found.extend(mentions(
                file.slice(entry.value.range),
                &["/"],
                entry.value.range.start(),
            ));
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

/// `/name` and `$name` in the instructions. In code only where a line or a span begins with it: elsewhere it is a path or
/// a variable.
fn mentioned(file: &SkillFile, found: &mut Vec<SkillName>) {
    let text = file.slice(file.body.range);
    let base = file.body.range.start();
    let tree = file.markdown();
    found.extend(mentions(text, &["/", "$"], base).filter(|it| {
        let sign = usize::from(it.range.start() - base) - 1;
        let (before, is_variable) = (&text[..sign], text[sign..].starts_with('$'));
        if tree.in_code(it.range.start()) {
            let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
            return !is_variable && (line.trim().is_empty() || before.ends_with('`'));
        }
        let at = tree
            .placeholders
            .partition_point(|placeholder| placeholder.range.end() <= it.range.start());
        let placeholder = tree.placeholders.get(at);
        !(is_variable && placeholder.is_some_and(|placeholder| placeholder.range.contains_range(it.range)))
    }));
}

/// The words behind one of the signs that stand alone; the text begins at an offset.
fn mentions<'a>(text: &'a str, signs: &'a [&'a str], offset: TextSize) -> impl Iterator<Item = SkillName> + 'a {
    let starts = text.match_indices(['/', '$']).filter(|(_, sign)| signs.contains(sign));
    starts.filter_map(move |(at, _)| {
        let name = name(&text[at + 1..]);
        let is_alone = !goes_on(&text[at + 1 + name.len()..]) && !is_escaped_or_inside(&text[..at]);
        let start = usize::from(offset) + at + 1;
        (is_alone && !name.is_empty()).then(|| SkillName {
            range: range_of(start, start + name.len()),
            name: name.to_owned(),
            kind: SkillNameKind::Mentioned,
        })
    })
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
        let described = names("---\ndescription: 'Use after /deploy, not $ship or a/b.'\nwhen_to_use: >\n  /x\n---\n");
        assert_eq!(
            described,
            ["deploy", "x"].map(|name| (name.to_owned(), SkillNameKind::Mentioned))
        );
    }
}
