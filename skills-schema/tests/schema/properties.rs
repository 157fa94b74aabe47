//! What holds for every text, however broken.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use crate::targets;
use proptest::prelude::*;
use skills_schema::{
    TextSize,
    dialect::Dialect,
    facts::Facts,
    fixes,
    rules::{self, RULES, Rule},
    syntax::{Node, NodeKind, SkillFile, Style},
};

/// Pieces from which hostile frontmatter is made.
const PIECES: &[&str] = &[
    "---\n",
    "---",
    "...\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\t",
    "name",
    "name: ",
    "name:",
    "description: ",
    "paths:\n",
    "- ",
    "- a\n",
    "  - b: c\n",
    "metadata:\n",
    "  key: ",
    "key: value\n",
    ": ",
    ":",
    "#",
    " # c",
    "\"",
    "'",
    "''",
    "\\",
    "\\x",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|",
    "|-\n",
    ">",
    ">2\n",
    "&a",
    "*a",
    "*",
    "!t ",
    "!!str ",
    "%",
    "@",
    "`",
    "? ",
    "<<: ",
    "é",
    "語",
    "🦀",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "text",
    "Use when: x",
    "1.0",
    "true",
    "null",
    "~",
    "：",
    "hooks:\n",
    "  PreToolUse:\n",
    "tools:\n",
    "\n\n",
    "```\n",
    "# Title\n",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![8 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,6}"];
    let text = proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    prop_oneof![1 => ".{0,200}", 2 => text.clone(), 4 => text.prop_map(|text| format!("---\n{text}\n---\nBody\n"))]
}

fn facts() -> Vec<Facts<'static>> {
    let all = |dialect| Facts {
        dialect,
        folder: Some("deploy"),
        ..Facts::default()
    };
    let mut facts: Vec<Facts<'static>> = Dialect::ALL.into_iter().map(all).collect();
    facts.push(Facts::of_path(".agents/skills/déploie/SKILL.md"));
    facts.push(Facts::of_path("AGENTS.md"));
    facts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_ranges_inside_it_and_no_feature_panics(text in hostile(), at in 0usize..400) {
        let file = SkillFile::parse(text.as_str().into());
        targets::tree(&file);
        targets::judged(&file, &Facts::of_path("deploy/SKILL.md"));
        for facts in facts() {
            targets::findings(&file, &facts);
            targets::features(&file, &facts, TextSize::try_from(at.min(text.len())).unwrap());
        }
    }

    #[test]
    fn a_text_that_is_typed_reads_as_one_that_is_opened(text in hostile(), at in 0usize..400, typed in hostile()) {
        let earlier = SkillFile::parse(text.as_str().into());
        earlier.markdown();
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let arguments = text.replacen("---\n", "---\narguments: [file]\n", 1);
        for new in [format!("{}{typed}{}", &text[..at], &text[at..]), arguments, text[..at].to_owned()] {
            let (opened, mut typed) = (SkillFile::parse(new.as_str().into()), SkillFile::parse(new.into()));
            typed.follow(&earlier);
            prop_assert_eq!(opened.markdown(), typed.markdown());
        }
    }

    #[test]
    fn safe_repairs_leave_nothing_of_their_rule_to_repair(text in hostile()) {
        let file = SkillFile::parse(text.as_str().into());
        for rule in RULES {
            let (mut text, mut next, mut rounds) = (text.clone(), repaired(&file, rule), 0);
            // One finding may hide another; each round mends at least one.
            while next != text {
                prop_assert!(rounds < 40, "{} does not come to rest: {text:?}", rule.code);
                rounds += 1;
                text = next;
                next = repaired(&SkillFile::parse(text.as_str().into()), rule);
            }
        }
    }

    #[test]
    fn frontmatter_that_is_yaml_reads_as_serde_yaml_reads_it(text in hostile()) {
        let file = SkillFile::parse(text.as_str().into());
        let Some(it) = file.frontmatter.as_ref().filter(|it| it.close.is_some() && it.errors.is_empty()) else {
            return Ok(());
        };
        if is_beyond_the_oracle(&file) {
            return Ok(());
        }
        let Ok(serde_yaml::Value::Mapping(oracle)) = serde_yaml::from_str(file.slice(it.content)) else { return Ok(()) };
        prop_assert_eq!(it.entries.len(), oracle.len(), "{:?}", file.slice(it.content));
        for (entry, (key, value)) in it.entries.iter().zip(&oracle) {
            if let Some(key) = key.as_str() {
                prop_assert_eq!(&entry.key.value, key);
            }
            prop_assert!(same(&entry.value, value), "{:?} is {:?}", entry.value, value);
        }
    }
}

fn repaired(file: &SkillFile, rule: &Rule) -> String {
    let findings = rules::check_rule(
        rule,
        file,
        &Facts {
            folder: Some("deploy"),
            ..Facts::default()
        },
    );
    let fixes = findings.iter().filter_map(|it| it.fixes.iter().find(|fix| fix.safe));
    fixes::apply(&file.text, fixes.flat_map(|fix| &fix.edits))
}

/// Two things that the oracle reads in another way: tags and aliases are applied by it, not by us.
fn is_beyond_the_oracle(file: &SkillFile) -> bool {
    let content = file.frontmatter.as_ref().map_or("", |it| file.slice(it.content));
    content.contains(['&', '*', '!', '\u{feff}', '\u{85}', '\u{2028}', '\0'])
}

fn same(ours: &Node, oracle: &serde_yaml::Value) -> bool {
    use serde_yaml::Value;
    match (&ours.kind, oracle) {
        (_, Value::Null) => ours.is_null(),
        (NodeKind::Scalar(scalar), Value::String(text)) => scalar.value == *text,
        (NodeKind::Scalar(scalar), Value::Bool(_) | Value::Number(_)) => scalar.style == Style::Plain,
        (NodeKind::Sequence(items), Value::Sequence(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(item, other)| same(item, other))
        }
        (NodeKind::Mapping(entries), Value::Mapping(others)) => {
            entries.len() == others.len()
                && entries
                    .iter()
                    .zip(others)
                    .all(|(entry, (_, other))| same(&entry.value, other))
        }
        _ => false,
    }
}

/// Ways to break one line that leave its neighbours alone.
const BREAKS: &[&str] = &[
    "broken: Use when: this",
    "broken:x",
    "broken",
    "broken: \"open",
    "broken: 'open",
    "broken: [a, b",
    "broken: {a: b",
    "broken: @x",
    "broken: `x`",
    "broken: *x y",
    "broken: \"a\" b",
    "broken: > text",
    "broken: \"C:\\path\"",
    "broken:\n\tx: y",
    "broken:\n  a: b: c\n  d: e",
    "broken:\n  - a: b: c",
    "broken: ]",
    "broken: 'a' b: c",
    "broken: \"a: b",
    "%broken",
    "@broken: x",
];

#[test]
fn what_the_fuzz_targets_ask_for_holds_for_every_example() {
    for rule in RULES {
        for example in rule.documentation.split("```").filter(|it| it.starts_with("skill")) {
            let (_, text) = example.split_once('\n').expect("a block has lines");
            for target in [targets::frontmatter, targets::body, targets::file, targets::fixes] {
                target(text.as_bytes());
            }
        }
    }
}

/// What a target found once: its first byte chooses the reader.
#[test]
fn what_was_found_is_mended() {
    let frontmatter: [&[u8]; 2] = [b"!: : M: :\x94\x94\x94\x94\x94\x94\x94\x94\x94", b"+"];
    frontmatter.into_iter().for_each(targets::frontmatter);
    targets::file(b":\n  -\n    -   : |\n   a\n  b\n c\nx: True\n---\n# B\n");
    let fixes: [&[u8]; 13] = [
        b" \xf9: ----",
        b" :----\0\0\x02:\n ",
        b"-:\n----\0\0\x02\xfd--:\n ",
        b"name:n`me: *a\n---\xf6\xe5 B\n",
        b"name:n`me: *a\n---\nB\n",
        b"\n\t\n=*=\tI: \n\n--- \n",
        b"\xef\xbb\xbf:  \xc1a\0\0\0\0name: ok\ndescription: d\n---\nB\n",
        b"nam-- e:   \n\n--- ",
        b"-:\n !!-  :[\t} :\nname: zzzzzzz\xc7zzzzr-:\n -:\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\n  U]\xad2\xa3\\]]\n---\n \x89\x8b\x89\xff\xff\x01\0\0\x8ezzzzzzzzzzz\0zzZzzzzzzzzzzz\": ':\\\r\t\":\xff\xff\xec\xec\n\0zz\x84",
        b"\n-\0\0- :\n- c: :- :\n- c: :\n---",
        b"!~~~~\niB.:\xa0@<!\xfe@\\-::\n---",
        b".`?: : .\r&.0!`\r--- ",
        b"  hhhh:\n \x11\0:\xfe\n \xd5\t[=r\t[: =\n---",
    ];
    fixes.into_iter().for_each(targets::fixes);
}

#[test]
fn one_broken_entry_leaves_the_others_as_they_are() {
    let entries = [
        "name: deploy",
        "description: >-\n  Ships: what\n  is ready",
        "paths:\n  - src/**\n  - \"*.rs\"",
        "metadata: {a: [1, 2]}",
        "tags:\n- a\n- b",
    ];
    for breakage in BREAKS {
        for at in 0..=entries.len() {
            let mut lines = entries.to_vec();
            lines.insert(at, breakage);
            for end in ["\n", "\r\n"] {
                let text = format!("---\n{}\n---\nbody\n", lines.join("\n")).replace('\n', end);
                let file = SkillFile::parse(text.as_str().into());
                assert!(!file.errors().is_empty(), "{breakage}");
                for entry in entries {
                    let key = entry.split(':').next().unwrap();
                    let alone = SkillFile::parse(format!("---\n{entry}\n---\n").replace('\n', end).into());
                    let (alone, found) = (
                        alone.entry(key).unwrap(),
                        file.entry(key).unwrap_or_else(|| panic!("{key} after {breakage}")),
                    );
                    assert_eq!(value(&alone.value), value(&found.value), "{key} beside {breakage}");
                    let source = entry.replace('\n', end);
                    assert_eq!(file.slice(found.range), source, "{key} beside {breakage}");
                }
                for error in file.errors() {
                    let start = text.find(&breakage.replace('\n', end)).unwrap();
                    let range = start..=start + breakage.replace('\n', end).len();
                    assert!(range.contains(&error.range.start().into()), "{breakage}: {error:?}");
                }
            }
        }
    }
}

/// A value without its place.
fn value(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(scalar) => format!("{:?} {:?}", scalar.style, scalar.value),
        NodeKind::Sequence(items) => format!("{:?}", items.iter().map(value).collect::<Vec<_>>()),
        NodeKind::Mapping(entries) => {
            format!(
                "{:?}",
                entries
                    .iter()
                    .map(|entry| (&entry.key.value, value(&entry.value)))
                    .collect::<Vec<_>>()
            )
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn line_ends_and_byte_order_marks_move_no_range() {
    let plain =
        "---\nname: déploy 🦀 # note\ndescription: >-\n  Ships 語\n  now\npaths: [\"é/**\", 'x']\n---\nBody 🦀\n";
    for (mark, end) in [
        ("", "\n"),
        ("", "\r\n"),
        ("", "\r"),
        ("\u{feff}", "\n"),
        ("\u{feff}", "\r\n"),
    ] {
        let text = format!("{mark}{}", plain.replace('\n', end));
        let file = SkillFile::parse(text.as_str().into());
        assert_eq!(file.errors(), [], "{text:?}");
        let source = |key: &str| file.slice(file.entry(key).unwrap().value.range).replace(end, "\n");
        assert_eq!(source("name"), "déploy 🦀");
        assert_eq!(source("description"), ">-\n  Ships 語\n  now");
        let items: Vec<&str> = file
            .entry("paths")
            .unwrap()
            .value
            .items()
            .iter()
            .map(|it| file.slice(it.range))
            .collect();
        assert_eq!(items, ["\"é/**\"", "'x'"]);
        let frontmatter = file.frontmatter.as_ref().unwrap();
        assert_eq!(
            frontmatter
                .comments
                .iter()
                .map(|it| file.slice(*it))
                .collect::<Vec<_>>(),
            ["# note"]
        );
        assert_eq!(file.slice(file.body.range).replace(end, "\n"), "Body 🦀\n");
    }
}

#[test]
fn nothing_expands_and_nothing_is_nested_without_end() {
    let laughs: String = (1..40)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}]\n", n - 1))
        .collect();
    let file = SkillFile::parse(format!("---\na0: &a0 lol\n{laughs}---\n").into());
    assert_eq!((file.entries().len(), file.errors().len()), (40, 0));
    let item = &file.entry("a39").unwrap().value.items()[0];
    assert!(matches!(&item.kind, NodeKind::Alias(alias) if alias.resolved));

    let deep =
        |open: &str, close: &str| format!("---\nname: x\na: {}{}\n---\n", open.repeat(5_000), close.repeat(5_000));
    let steps: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    for text in [
        deep("[", "]"),
        deep("{a: ", "}"),
        deep("- ", ""),
        format!("---\nname: x\n{steps}---\n"),
    ] {
        let file = SkillFile::parse(text.into());
        assert_eq!(file.entry("name").unwrap().value.as_str(), Some("x"));
        assert!(!file.errors().is_empty());
        rules::check(&file, &Facts::default());
    }
}

#[test]
fn of_endless_findings_the_most_severe_are_kept_and_the_rest_is_counted() {
    let text = format!("---\ncolour: red\n{}description: d\n---\n", "name: x\n".repeat(2000));
    let file = SkillFile::parse(text.into());
    let findings = rules::check(&file, &Facts::of_path("/w/.claude/skills/x/SKILL.md"));
    assert_eq!(findings.len(), rules::MAX_FINDINGS + 1);
    assert_eq!(findings[0].code, "too-many-findings");
    assert!(
        findings[0].message.contains("more findings are not shown"),
        "{}",
        findings[0].message
    );
    let all: Vec<_> = findings[1..].iter().map(|finding| finding.range.start()).collect();
    assert!(all.is_sorted(), "in the order of the text");
    assert_eq!(
        findings
            .iter()
            .filter(|finding| finding.code == "duplicate-key")
            .count(),
        rules::MAX_FINDINGS
    );
}
