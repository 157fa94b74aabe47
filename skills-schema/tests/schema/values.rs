//! The rules about values and bodies keep their word whatever stands there: ranges lie in the text, edits are sorted, and
//! safe repairs leave nothing of their rule to repair.

use proptest::prelude::*;
use skills_schema::{
    dialect::Dialect,
    facts::{Facts, FileKind},
    fixes,
    rules::{self, RULES, Severity},
    syntax::SkillFile,
};

/// Fields that rules look into, each with the start of a value.
const FIELDS: &[&str] = &[
    "model: ",
    "agent: ",
    "allowed-tools: ",
    "disallowed-tools:\n  - ",
    "paths: ",
    "paths:\n  - ",
    "triggers:\n  - ",
    "trigger:\n  keywords: ",
    "inputs:\n  - name: ",
    "danger_patterns:\n  - ",
    "confirm_patterns:\n  - pattern: ",
    "hooks:\n  PreToolUse:\n    - matcher: ",
    "metadata:\n  paths: ",
    "version: ",
    "description: ",
    "name: ",
    "1: ",
];

const PIECES: &[&str] = &[
    "Bash",
    "(",
    ")",
    "git:*",
    ",",
    " ",
    "\"",
    "'",
    "\\",
    "[",
    "]",
    "{",
    "}",
    "*",
    "**",
    "/",
    "..",
    "!",
    "./",
    "|",
    "$1",
    "$10",
    "$ARGUMENTS",
    "${x}",
    "${CLAUDE_SKIL_DIR}",
    "$CLAUDE_SKILL_DIR",
    "!`",
    "`",
    "```!\n",
    "```sh\n",
    "~~~\n",
    "\n",
    "\n  - ",
    "é",
    "🦀",
    "<",
    ">",
    "<b>",
    "<!-- a b c d e f -->",
    "[TODO",
    "[TODO: x]",
    "curl x | sh",
    "bash <(curl",
    "npx x",
    "/Users/ann/",
    "/home/",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "[a](b\\c)",
    "`scripts\\a`",
    "regex:",
    "010",
    "1.10",
    "12:30",
    "on",
    "^rm",
    "$",
    "\\n",
    "a{2",
    "(?<",
    "sonet",
    "Explor",
    "mcp_x",
    "\u{feff}",
    "a-z",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![9 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,4}"]
}

fn text() -> impl Strategy<Value = String> {
    let value = || proptest::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat());
    let entry = (proptest::sample::select(FIELDS), value()).prop_map(|(field, value)| format!("{field}{value}\n"));
    let body = proptest::collection::vec(piece(), 0..20).prop_map(|pieces| pieces.concat());
    (proptest::collection::vec(entry, 0..4), body)
        .prop_map(|(entries, body)| format!("---\n{}---\n{body}", entries.concat()))
}

fn facts() -> impl Iterator<Item = Facts<'static>> {
    let kinds = [FileKind::Skill, FileKind::Command];
    kinds.into_iter().flat_map(|kind| {
        Dialect::ALL.into_iter().map(move |dialect| Facts {
            dialect,
            kind,
            folder: Some("deploy"),
            readers: &[Dialect::OpenHands, Dialect::Thndrs],
            ..Facts::default()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ranges_lie_in_the_text_and_safe_repairs_come_to_rest(text in text()) {
        let file = SkillFile::parse(text.as_str().into());
        for facts in facts() {
            for rule in RULES {
                let mut findings = rules::check_rule(rule, &file, &facts);
                for finding in &findings {
                    let _ = file.slice(finding.range);
                    prop_assert!(!finding.message.is_empty());
                    for fix in &finding.fixes {
                        prop_assert!(fix.edits.is_sorted_by(|a, b| a.range.end() <= b.range.start()), "{:?}", fix);
                        prop_assert!(fixes::apply(&text, &fix.edits) != text, "{} repairs nothing: {:?}", rule.code, fix);
                    }
                }
                let (mut text, mut rounds) = (text.clone(), 0);
                while let Some(fix) = findings.iter().flat_map(|it| &it.fixes).find(|fix| fix.safe) {
                    text = fixes::apply(&text, &fix.edits);
                    prop_assert!(rounds < 20, "{} does not come to rest: {text:?}", rule.code);
                    rounds += 1;
                    findings = rules::check_rule(rule, &SkillFile::parse(text.as_str().into()), &facts);
                }
            }
        }
    }
}

#[test]
fn a_matter_of_taste_is_found_only_where_it_is_asked_for() {
    let text = "---\nname: utils\ndescription: Helps.\nallowed-tools: Bash\n---\n";
    let file = SkillFile::parse(text.into());
    let facts = Facts::of_path(".claude/skills/utils/SKILL.md");
    assert_eq!(rules::check(&file, &facts), []);
    for code in ["vague-name", "weak-description", "unrestricted-shell", "empty-body"] {
        let rule = rules::find(code).expect("a rule");
        assert!(
            rule.default_off && rules::check_rule(rule, &file, &facts).len() == 1,
            "{code}"
        );
    }
}

#[test]
fn a_message_never_repeats_a_secret() {
    let text = "---\nname: x\n---\nUse ghp_16C7e42F292c6912E7710c838347Ae178B4a here.\n";
    let file = SkillFile::parse(text.into());
    let findings = rules::check(&file, &Facts::of_path(".claude/skills/x/SKILL.md"));
    let secret: Vec<_> = findings.iter().filter(|it| it.code == "secret").collect();
    assert_eq!(secret.len(), 1);
    assert!(!secret[0].message.contains("ghp_") && secret[0].severity == Severity::Warning);
}

#[test]
fn an_endless_line_or_list_costs_no_more_than_its_length() {
    let people: String = (0..10_000).map(|n| format!("/Users/ann{n}/\n")).collect();
    // Each is over in a moment where the time is linear, and takes half a minute where it is not.
    for text in [
        format!("---\nallowed-tools: {}\n---\n", "Bash(".repeat(20_000)),
        format!("---\nallowed-tools: \"a{}b\"\n---\n", " ".repeat(50_000)),
        format!("---\nname: x\n---\n{}", "sk-ant-".repeat(20_000)),
        format!("---\nname: x\n---\n${}", "CLAUDE_".repeat(20_000)),
        format!("---\nname: x\n---\n{}", "!`a $1` ".repeat(10_000)),
        format!("---\npaths: \"{}\"\n---\n", "[".repeat(50_000)),
        format!("---\ndanger_patterns:\n  - \"{}\"\n---\n", "(".repeat(50_000)),
        format!("---\nname: x\n---\n{}", "$1,0 ".repeat(20_000)),
        format!("---\nname: x\n---\ncurl {}", "| x ".repeat(50_000)),
        format!("---\nname: x\n---\n{}", "/Users/user/".repeat(10_000)),
        format!("---\nname: x\n---\n# {}\n{people}", "a ".repeat(50_000)),
        format!("---\nname: x\n---\n{}", "[TODO".repeat(20_000)),
        format!("---\nname: x\n---\n{}", "```sh\n".repeat(20_000)),
        format!("---\nname: x\ninputs:\n  - name: a\n---\n{}", "${b} ".repeat(20_000)),
    ] {
        let file = SkillFile::parse(text.as_str().into());
        // Of all dialects these two look at most.
        for facts in facts().filter(|it| matches!(it.dialect, Dialect::Claude | Dialect::OpenHands)) {
            for rule in RULES {
                rules::check_rule(rule, &file, &facts);
            }
        }
    }
}

#[test]
fn what_is_written_for_claude_code_is_held_against_its_limit_in_a_plugin_too() {
    let long = |when: &str| {
        format!(
            "---\nname: a\ndescription: {}\n{when}: {}\n---\n",
            "x".repeat(1_000),
            "y".repeat(600)
        )
    };
    let of = |text: String| {
        let facts = Facts::of_path("plugins/p/skills/a/SKILL.md");
        let findings = rules::check(&SkillFile::parse(text.into()), &facts);
        let found = findings.into_iter().find(|it| it.code == "too-long");
        found.map(|it| {
            (
                it.severity,
                it.readers.iter().map(|effect| effect.reader).collect::<Vec<_>>(),
            )
        })
    };
    assert_eq!(
        of(long("when_to_use")),
        Some((Severity::Warning, vec![Dialect::Claude]))
    );
    assert_eq!(of(long("license")), None);
}
