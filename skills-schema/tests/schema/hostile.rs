//! Texts that are made to cost: each family of the benchmark is survived, and what has a bound keeps to it. How long they
//! take is measured by `cargo bench -p skills-schema --bench hostile`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use crate::{families, targets};
use skills_schema::{
    TextSize,
    arguments::{self, MOST_ARGUMENTS},
    completion::complete,
    facts::{Facts, FileKind},
    rules::{self, Finding, MAX_FINDINGS, Pass, Severity},
    skill::Metadata,
    subject::{Parameter, parameter_at, uses},
    syntax::{MAX_FRONTMATTER, PlaceholderKind, SkillFile},
    verdict,
};

const PATH: &str = ".claude/skills/deploy/SKILL.md";

fn found(text: &str) -> (SkillFile, Vec<Finding>) {
    let file = SkillFile::parse(text.into());
    let findings = rules::report(&file, &Facts::of_path(PATH), Pass::Text);
    (file, findings)
}

#[test]
fn every_family_is_survived() {
    for family in families::families() {
        eprintln!("{} in {}", family.name, family.path);
        let text = family.text(1_500);
        let facts = Facts::of_path(family.path);
        let file = FileKind::of_path(family.path)
            .unwrap_or_default()
            .parse(text.as_str().into());
        targets::tree(&file);
        targets::findings(&file, &facts);
        targets::judged(&file, &facts);
        let middle = text.floor_char_boundary(text.len() / 2);
        targets::features(&file, &facts, TextSize::try_from(middle).unwrap());
    }
}

#[test]
fn a_frontmatter_that_is_too_long_is_one_finding_and_no_system_is_said_to_load_it() {
    let keys = |bytes: usize| {
        let keys: String = (0..bytes / 12).map(|n| format!("key{n:06}: x\n")).collect();
        format!(
            "---\nname: deploy\ndescription: Ships it.\n{}\n---\nShip $x it.\n",
            &keys[..bytes.min(keys.len())]
        )
    };
    let (file, findings) = found(&keys(2 * MAX_FRONTMATTER));
    let messages: Vec<_> = findings.iter().map(|it| (it.severity, it.message.as_str())).collect();
    let expected = "the frontmatter is over 32 KiB, so nothing of it is read; move text to the body";
    assert_eq!(messages, [(Severity::Error, expected)]);
    assert!(file.is_too_long() && file.entries().is_empty());
    let facts = Facts::of_path(PATH);
    assert_eq!(rules::errors(&file, &facts).len(), 1);
    for verdict in verdict::verdicts(&file, &facts) {
        assert!(
            !verdict.loads && verdict.reason.unwrap().contains("32 KiB"),
            "{:?}",
            verdict.dialect
        );
    }
    assert!(complete(&file, &facts, TextSize::from(100)).items.is_empty());
    assert_eq!(Metadata::of(&file).name, None);
    // The longest that is read is read whole.
    let (file, _) = found(&keys(MAX_FRONTMATTER - 100));
    assert!(file.entries().len() > 2_000 && !file.is_too_long());
}

#[test]
fn arguments_beyond_the_most_are_reported_once_and_taken_for_nothing_else() {
    let with = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("arg{n:04}")).collect();
        let uses: String = names
            .iter()
            .map(|name| format!("Take ${name} and ${{{name}}}.\n"))
            .collect();
        let list = names.join(", ");
        format!("---\nname: deploy\ndescription: Ships it. Use when asked.\narguments: [{list}]\n---\n{uses}")
    };
    let of_arguments = |findings: &[Finding]| -> Vec<String> {
        let codes = ["unused-argument", "undeclared-argument", "unusable-argument"];
        let all = findings.iter().filter(|it| codes.contains(&it.code));
        all.map(|it| it.message.clone()).collect()
    };
    let (file, findings) = found(&with(2_000));
    assert_eq!(of_arguments(&findings), ["more than 64 arguments; combine some"]);
    assert_eq!(arguments::declared(&file).len(), MOST_ARGUMENTS);
    // All that are read are used, and those in braces are reported.
    let (file, findings) = found(&with(MOST_ARGUMENTS));
    assert!(of_arguments(&findings).iter().all(|it| it.contains("is not replaced")));
    let named = |it: &&_| matches!(**it, PlaceholderKind::Named(_));
    let kinds: Vec<_> = file.markdown().placeholders.iter().map(|it| it.kind).collect();
    assert_eq!(kinds.iter().filter(named).count(), MOST_ARGUMENTS);
    // Each is found where it stands.
    for index in [0, 1, MOST_ARGUMENTS - 1] {
        for place in uses(&file, Parameter::Argument(index)) {
            let (parameter, at) = parameter_at(&file, place.range.start()).unwrap();
            assert_eq!((parameter, at), (Parameter::Argument(index), place));
        }
    }
}

#[test]
fn the_longest_of_the_declared_names_is_meant() {
    let text = "---\narguments: [a, a-b, ab, a]\n---\n$a $a-b $ab $abc $a-c $a[0] $A\n";
    let file = SkillFile::parse(text.into());
    let found = file.markdown().placeholders.iter();
    let found: Vec<_> = found.map(|it| (file.slice(it.range), it.kind)).collect();
    use PlaceholderKind::{Named, Undeclared};
    let expected = [
        ("$a", Named(0)),
        ("$a-b", Named(1)),
        ("$ab", Named(2)),
        ("$abc", Undeclared),
        ("$a", Named(0)),
        ("$a", Undeclared),
        ("$A", Undeclared),
    ];
    assert_eq!(found, expected);
}

#[test]
fn more_findings_than_are_shown_are_counted_and_not_kept() {
    let (_, findings) = found(&format!(
        "---\nname: deploy\ndescription: Ships it. Use when asked.\n{}---\nShip it.\n",
        "name: x\n".repeat(3_000)
    ));
    assert_eq!(findings.len(), MAX_FINDINGS + 1);
    let told = &findings[0];
    assert!(
        told.code == "too-many-findings" && told.message.starts_with("20"),
        "{}",
        told.message
    );
    let (_, findings) = found(&format!(
        "---\nname: deploy\ndescription: Ships it. Use when asked.\n---\n{}",
        "a\u{202e}b ".repeat(50_000)
    ));
    assert_eq!(findings.len(), MAX_FINDINGS + 1);
    assert_eq!(findings[0].message, "many more findings are not shown; fix these first");
}

/// A list in one text has its parts where they are written, also where that is not as it reads.
#[test]
fn parts_of_a_text_stand_where_they_are_written() {
    for (written, expected) in [
        ("'a, it''s, b'", ["a", "it''s", "b"]),
        (r#""a, \u0062\x63, d""#, ["a", r"\u0062\x63", "d"]),
        ("a, é🦀, c", ["a", "é🦀", "c"]),
    ] {
        let file = SkillFile::parse(format!("---\npaths: {written}\n---\n").into());
        let paths = Metadata::of(&file).paths;
        let parts: Vec<_> = paths.iter().map(|it| file.slice(it.range)).collect();
        assert_eq!(parts, expected);
    }
}
