//! Whether each system loads a file, as the original programs decided.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use skills_schema::{
    dialect::Dialect,
    facts::Facts,
    syntax::SkillFile,
    verdict::{Verdict, verdicts},
};

fn judge(text: &str, folder: &str) -> Vec<Verdict> {
    let file = SkillFile::parse(text.into());
    let facts = Facts {
        folder: Some(folder),
        // A replacement character can't be told from one that was written; the caller knows the bytes.
        invalid_utf8: text.contains('\u{fffd}'),
        ..Facts::default()
    };
    let mut verdicts = verdicts(&file, &facts);
    verdicts.truncate(5);
    verdicts
}

fn outcome(verdicts: &[Verdict]) -> String {
    let mark = |verdict: &Verdict| match (verdict.loads, verdict.metadata) {
        (false, _) => 'x',
        (true, true) => '+',
        (true, false) => 'o',
    };
    verdicts.iter().map(mark).collect()
}

/// `{x*3}` stands for `xxx`.
fn expand(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{').filter(|(_, rest)| rest.contains('*')) else {
        return text.to_owned();
    };
    let (count, after) = rest.split_once('}').unwrap();
    let (unit, times) = count.split_once('*').unwrap();
    format!("{before}{}{after}", unit.repeat(times.parse().unwrap()))
}

/// Sixty-two files that were given to skills-ref 0.1.1, OpenHands SDK 1.58.0, thndrs 0.1.0 and Wolffish 1.0.263; Claude
/// Code by its documentation. A row is the case, the folder, the text, and the outcomes in the order agentskills,
/// claude, openhands, thndrs, wolffish: `+` loads, `o` loads without its frontmatter, `x` refused.
#[test]
#[rustfmt::skip]
fn the_original_programs_agree() {
    for (case, folder, text, expected) in [
        ("minimal", "ok", "---\nname: ok\ndescription: d\n---\n# B\n", "+++++"),
        ("no frontmatter", "ok", "# B\n", "xooxx"),
        ("empty file", "ok", "", "xooxx"),
        ("leading blank line", "ok", "\n---\nname: ok\ndescription: d\n---\n# B\n", "xo+xx"),
        ("BOM", "ok", "\u{feff}---\nname: ok\ndescription: d\n---\n# B\n", "x+o+x"),
        ("CRLF", "ok", "---\r\nname: ok\r\ndescription: d\r\n---\r\n# B\r\n", "+++++"),
        ("opening '--- ' (space)", "ok", "--- \nname: ok\ndescription: d\n---\n# B\n", "+++++"),
        ("opening '----'", "ok", "----\nname: ok\ndescription: d\n---\n# B\n", "xo+xx"),
        ("closing '...'", "ok", "---\nname: ok\ndescription: d\n...\n# B\n", "xooxx"),
        ("unclosed", "ok", "---\nname: ok\ndescription: d\n# B\n", "xooxx"),
        ("closing at EOF, no newline", "ok", "---\nname: ok\ndescription: d\n---", "+++++"),
        ("`a --- b` inside description", "ok", "---\nname: ok\ndescription: a --- b\n---\n# B\n", "+++++"),
        ("`  ---` line inside a block scalar", "ok", "---\nname: ok\ndescription: |\n  a\n  ---\n  b\n---\n# B\n", "+++++"),
        ("unquoted colon", "ok", "---\nname: ok\ndescription: Use this: now\n---\n# B\n", "x+xxx"),
        ("quoted colon", "ok", "---\nname: ok\ndescription: \"Use this: now\"\n---\n# B\n", "+++++"),
        ("folded scalar", "ok", "---\nname: ok\ndescription: >\n  a\n  b\n---\n# B\n", "+++++"),
        ("tab indentation", "ok", "---\nname: ok\ndescription: d\nmetadata:\n\ta: b\n---\n# B\n", "xoxxx"),
        ("duplicate key", "ok", "---\nname: ok\ndescription: d\ndescription: e\n---\n# B\n", "x++xx"),
        ("anchor/alias", "ok", "---\nname: ok\ndescription: &a d\nlicense: *a\n---\n# B\n", "x++++"),
        ("YAML comment line", "ok", "---\n# c\nname: ok\ndescription: d\n---\n# B\n", "+++++"),
        ("list as frontmatter", "ok", "---\n- a\n- b\n---\n# B\n", "xooxx"),
        ("empty frontmatter", "ok", "---\n---\n# B\n", "xooxx"),
        ("name missing", "ok", "---\ndescription: d\n---\n# B\n", "x++xx"),
        ("description missing", "ok", "---\nname: ok\n---\n# B\n", "x++x+"),
        ("description blank", "ok", "---\nname: ok\ndescription: \"  \"\n---\n# B\n", "x++x+"),
        ("description null", "ok", "---\nname: ok\ndescription:\n---\n# B\n", "x++x+"),
        ("description number", "ok", "---\nname: ok\ndescription: 5\n---\n# B\n", "++x++"),
        ("name number", "5", "---\nname: 5\ndescription: d\n---\n# B\n", "+++++"),
        ("name bool-like 'on'", "on", "---\nname: on\ndescription: d\n---\n# B\n", "++x++"),
        ("name 'null'", "null", "---\nname: null\ndescription: d\n---\n# B\n", "++xxx"),
        ("name != dir", "ok", "---\nname: other\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name uppercase", "Ok", "---\nname: Ok\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name underscore", "o_k", "---\nname: o_k\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name a--b", "a--b", "---\nname: a--b\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name -a", "-a", "---\nname: -a\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name 64", "{a*64}", "---\nname: {a*64}\ndescription: d\n---\n# B\n", "+++++"),
        ("name 65", "{a*65}", "---\nname: {a*65}\ndescription: d\n---\n# B\n", "x+xx+"),
        ("name 技能", "技能", "---\nname: 技能\ndescription: d\n---\n# B\n", "++xx+"),
        ("name with colon a:b", "a:b", "---\nname: a:b\ndescription: d\n---\n# B\n", "x+xx+"),
        ("description 1024 ascii", "ok", "---\nname: ok\ndescription: {x*1024}\n---\n# B\n", "+++++"),
        ("description 1025 ascii", "ok", "---\nname: ok\ndescription: {x*1025}\n---\n# B\n", "x++x+"),
        ("description 600 'é' (1200 B)", "ok", "---\nname: ok\ndescription: {é*600}\n---\n# B\n", "+++x+"),
        ("description with <tag>", "ok", "---\nname: ok\ndescription: use <tag> here\n---\n# B\n", "+++++"),
        ("compatibility 501", "ok", "---\nname: ok\ndescription: d\ncompatibility: {x*501}\n---\n# B\n", "x++++"),
        ("license number", "ok", "---\nname: ok\ndescription: d\nlicense: 5\n---\n# B\n", "++x++"),
        ("metadata number value", "ok", "---\nname: ok\ndescription: d\nmetadata:\n  a: 1\n---\n# B\n", "+++++"),
        ("metadata list", "ok", "---\nname: ok\ndescription: d\nmetadata:\n  - a\n---\n# B\n", "++x++"),
        ("metadata flow map", "ok", "---\nname: ok\ndescription: d\nmetadata: {a: b}\n---\n# B\n", "x++++"),
        ("allowed-tools string", "ok", "---\nname: ok\ndescription: d\nallowed-tools: Read Grep\n---\n# B\n", "+++++"),
        ("allowed-tools comma", "ok", "---\nname: ok\ndescription: d\nallowed-tools: Read, Grep\n---\n# B\n", "+++++"),
        ("allowed-tools flow list", "ok", "---\nname: ok\ndescription: d\nallowed-tools: [Read, Grep]\n---\n# B\n", "x++++"),
        ("allowed-tools block list", "ok", "---\nname: ok\ndescription: d\nallowed-tools:\n  - Read\n  - Grep\n---\n# B\n", "+++++"),
        ("allowed-tools number", "ok", "---\nname: ok\ndescription: d\nallowed-tools: 5\n---\n# B\n", "++xx+"),
        ("unknown: version", "ok", "---\nname: ok\ndescription: d\nversion: 1.0.0\n---\n# B\n", "x++x+"),
        ("unknown: paths", "ok", "---\nname: ok\ndescription: d\npaths: src/**\n---\n# B\n", "x++x+"),
        ("unknown: triggers list", "ok", "---\nname: ok\ndescription: d\ntriggers:\n  - a\n---\n# B\n", "x++x+"),
        ("triggers string", "ok", "---\nname: ok\ndescription: d\ntriggers: a\n---\n# B\n", "x+xx+"),
        ("references list", "ok", "---\nname: ok\ndescription: d\nreferences:\n  - a.md\n---\n# B\n", "x++++"),
        ("references string", "ok", "---\nname: ok\ndescription: d\nreferences: a.md\n---\n# B\n", "x++x+"),
        ("body empty", "ok", "---\nname: ok\ndescription: d\n---\n", "+++++"),
        ("invalid UTF-8 body", "ok", "---\nname: ok\ndescription: d\n---\n# B\n\u{fffd}\n", "x+xx+"),
        ("NUL in body", "ok", "---\nname: ok\ndescription: d\n---\n# B\n\0\n", "+++++"),
    ] {
        let verdicts = judge(&expand(text), &expand(folder));
        assert_eq!(outcome(&verdicts), expected, "{case}");
        for (verdict, dialect) in verdicts.iter().zip(Dialect::ALL) {
            assert_eq!(verdict.dialect, dialect, "{case}");
            assert_eq!(verdict.name.is_some(), verdict.loads, "{case}: {verdict:?}");
            assert!(verdict.loads || verdict.reason.is_some(), "{case}: {verdict:?}");
        }
    }
}

#[test]
fn hovering_over_the_first_line_tells_the_verdicts() {
    let file = SkillFile::parse("---\nname: ok\ndescription: Use this: now\n---\n".into());
    let facts = Facts::of_path("ok/SKILL.md");
    let hover = skills_schema::hover::hover(&file, &facts, 1.into()).unwrap();
    let verdicts = verdicts(&file, &facts);
    let loading = verdicts.iter().filter(|it| it.loads).count();
    let counted = format!("Loads in {loading} of {} systems.", verdicts.len());
    assert!(hover.markdown.starts_with(&counted), "{}", hover.markdown);
    let row = hover.markdown.lines().find(|line| line.starts_with("| thndrs "));
    let cells: Vec<&str> = row.into_iter().flat_map(|row| row.split('|')).map(str::trim).collect();
    let reason = "invalid YAML frontmatter: mapping values are not allowed in this context";
    assert_eq!(cells[1..6], ["thndrs", "not loaded", "", "", ""], "{}", hover.markdown);
    assert!(cells[6].starts_with(reason), "{}", hover.markdown);
}

/// A thousand hostile files with what the original programs saw in them: `null` where the file was refused, else name and
/// description, and `"unseen"` behind them where the frontmatter was not seen.
#[test]
fn the_original_programs_agree_on_hostile_files() {
    let mut wrong = Vec::new();
    for (number, line) in include_str!("verdicts.jsonl").lines().enumerate() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let text = recorded["text"].as_str().unwrap();
        let file = SkillFile::parse(text.into());
        let facts = Facts {
            folder: recorded["folder"].as_str(),
            ..Facts::default()
        };
        for verdict in verdicts(&file, &facts) {
            // Claude Code and those that came later were not run.
            let Some(expected) = recorded.get(verdict.dialect.name()) else {
                continue;
            };
            let ours = match (verdict.loads, verdict.metadata) {
                (false, _) => Value::Null,
                (true, true) => json!([verdict.name, verdict.description]),
                (true, false) => json!([verdict.name, verdict.description, "unseen"]),
            };
            if ours != *expected {
                wrong.push(format!(
                    "line {}: {} saw {expected}, not {ours}, in {text:?}",
                    number + 1,
                    verdict.dialect
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is written and what a program shows are not always one.
#[test]
fn a_verdict_tells_what_the_program_sees() {
    let cases = [
        // skills-ref ends the frontmatter at any `---`.
        ("name: ok\ndescription: a --- b\n", Dialect::AgentSkills, "a"),
        ("name: ok\ndescription: a --- b\n", Dialect::Thndrs, "a --- b"),
        // PyYAML lets the last of two keys win.
        ("name: ok\ndescription: d\ndescription: e\n", Dialect::OpenHands, "e"),
        // Claude Code takes the first paragraph where there is no description, and reads colons as text.
        ("name: ok\n", Dialect::Claude, "First words."),
        ("description: Use this: now\n", Dialect::Claude, "Use this: now"),
        ("name: ok\ndescription: 0x10\n", Dialect::Wolffish, "16"),
        ("name: ok\n", Dialect::Wolffish, ""),
        // OpenHands takes what has no effect: no triggers, a number as metadata, a version.
        (
            "name: ok\ndescription: d\ntriggers: []\ninputs: []\n",
            Dialect::OpenHands,
            "d",
        ),
        ("name: ok\ndescription: d\ntriggers: ['']\n", Dialect::OpenHands, "d"),
        ("name: ok\ndescription: d\nmetadata: {a: 1}\n", Dialect::OpenHands, "d"),
        ("name: ok\ndescription: d\nversion: 2\n", Dialect::OpenHands, "d"),
    ];
    for (frontmatter, dialect, description) in cases {
        let text = format!("---\n{frontmatter}---\n# Title\n\nFirst words.\n");
        let verdict = judge(&text, "ok").into_iter().find(|it| it.dialect == dialect).unwrap();
        assert_eq!(verdict.description.as_deref(), Some(description), "{text}: {verdict:?}");
    }
}

/// As PyYAML 6.0.3 over libyaml and js-yaml 4.3 read these.
#[test]
fn bytes_merges_and_odd_line_ends_are_read_as_the_libraries_read_them() {
    use Dialect::{OpenHands, Wolffish};
    let cases = [
        ("description: !!binary aGVsbG8=", OpenHands, Some("hello")),
        ("description: !!binary aGVs*bG8=", OpenHands, Some("hello")),
        ("description: !!binary /w==", OpenHands, None),
        ("description: !!binary aGVsbG8", OpenHands, None),
        ("description: d\nlicense: !!binary a", OpenHands, None),
        ("description: !!binary aGVsbG8=", Wolffish, Some("104,101,108,108,111")),
        (
            "description: !!binary |\n  aGVs\n  bG8=",
            Wolffish,
            Some("104,101,108,108,111"),
        ),
        ("description: d\nlicense: !!binary aGVs bG8=", Wolffish, None),
        ("description: d\nlicense: !!binary", Wolffish, None),
        ("<<: {description: m}\n<<: {description: n}", OpenHands, Some("n")),
        ("<<: {description: m}\n<<: {description: n}", Wolffish, Some("m")),
        ("<<: [{description: m}, {description: n}]", OpenHands, Some("m")),
        ("<<: [[]]\ndescription: d", OpenHands, None),
        ("<<: [[], 2001-12-14]\ndescription: d", Wolffish, Some("d")),
        ("<<: [null]\ndescription: d", Wolffish, None),
        ("!!merge x: {description: m}", OpenHands, Some("m")),
        ("!!merge x: {description: m}", Wolffish, None),
        ("description: a\u{2028} b", OpenHands, Some("a\u{2028}b")),
        ("description: a \u{2029}\n  b", OpenHands, Some("a\u{2029}\nb")),
        ("description: \"a\u{2028}  b\"", OpenHands, Some("a\u{2028}b")),
        (
            "description: \"a \u{2028}  \u{2029} b\"",
            OpenHands,
            Some("a\u{2028}\u{2029}b"),
        ),
        ("description: a\u{2028} b", Wolffish, Some("a\u{2028} b")),
        // A tag is read where only a colon had to be recovered from.
        ("description: Use this: now\nlicense: !x y", Dialect::Claude, None),
    ];
    for (frontmatter, dialect, description) in cases {
        let verdicts = judge(&format!("---\nname: ok\n{frontmatter}\n---\n"), "ok");
        let verdict = verdicts.into_iter().find(|it| it.dialect == dialect).unwrap();
        let seen = verdict
            .description
            .as_deref()
            .filter(|_| verdict.loads && verdict.metadata);
        assert_eq!(seen, description, "{dialect}: {frontmatter:?}: {verdict:?}");
    }
}

#[test]
fn a_reason_is_in_the_words_of_the_program_and_points_at_its_cause() {
    let cases = [
        (
            "name: other\ndescription: d\n",
            Dialect::Thndrs,
            "name \"other\" must match parent directory \"ok\"",
            "other",
        ),
        (
            "name: ok\ndescription: d\nmodel: x\nversion: 1\n",
            Dialect::AgentSkills,
            "Unexpected fields in frontmatter: model, version. Only ['allowed-tools', 'compatibility', 'description', \
             'license', 'metadata', 'name'] are allowed.",
            "model",
        ),
        (
            "name: ok\ndescription: d\npaths: x\n",
            Dialect::Thndrs,
            "invalid YAML frontmatter: unknown field `paths`, expected one of `name`, `description`, `allowed-tools`, \
             `license`, `compatibility`, `metadata`, `references`",
            "paths",
        ),
        (
            "name: o_k\ndescription: d\n",
            Dialect::OpenHands,
            "Invalid skill name 'o_k': Name must be lowercase alphanumeric with single hyphens (e.g., 'my-skill', \
             'pdf-tools'); Name 'o_k' does not match directory 'ok'",
            "o_k",
        ),
        (
            "description: d\n",
            Dialect::Wolffish,
            "SKILL.md in ok/ missing required frontmatter (name)",
            "",
        ),
    ];
    for (frontmatter, dialect, reason, place) in cases {
        let text = format!("---\n{frontmatter}---\n");
        let verdict = judge(&text, "ok").into_iter().find(|it| it.dialect == dialect).unwrap();
        assert_eq!(verdict.reason.as_deref(), Some(reason), "{text}");
        assert_eq!(verdict.range.map_or("", |range| &text[range]), place, "{text}");
    }
}

/// The names that OpenHands SDK 1.58.0 takes and refuses: its expression ends before a last line end.
#[test]
fn openhands_takes_a_name_with_a_line_end_which_a_finding_names() {
    for (name, folder, reason) in [
        ("\"a\\n\"", "a\n", None),
        ("\"a\\nb\"", "a\nb", Some("Name must be lowercase")),
        ("\"\"", "ok", Some("Name cannot be empty")),
        ("\"\"", "", Some("Name cannot be empty")),
    ] {
        let text = format!("---\nname: {name}\ndescription: d\n---\nBody.\n");
        let verdicts = judge(&text, folder);
        let verdict = verdicts.iter().find(|it| it.dialect == Dialect::OpenHands).unwrap();
        assert_eq!(verdict.loads, reason.is_none(), "{text}: {verdict:?}");
        let said = verdict.reason.as_deref().unwrap_or_default();
        assert!(said.contains(reason.unwrap_or_default()), "{text}: {said}");
        let file = SkillFile::parse(text.as_str().into());
        let facts = Facts {
            dialect: Dialect::OpenHands,
            folder: Some(folder),
            ..Facts::default()
        };
        let findings = skills_schema::rules::report(&file, &facts, skills_schema::rules::Pass::Text);
        assert!(!findings.is_empty(), "{text}");
    }
}

/// Each of these makes a careless reader slow, huge or dead.
#[test]
fn hostile_texts_end_soon() {
    let many = 20_000;
    let laughs: String = (1..60)
        .map(|n| format!("a{n}: &a{n} [*a{m}, *a{m}]\n", m = n - 1))
        .collect();
    let merges: String = (1..3_000)
        .map(|n| format!("a{n}: &a{n} {{<<: *a{m}, k{n}: v}}\n", m = n - 1))
        .collect();
    let chain: String = (1..many).map(|n| format!("a{n}: &a{n} [*a{m}]\n", m = n - 1)).collect();
    let texts = [
        format!("a0: &a0 x\n{laughs}name: *a59\nmetadata: *a59\n"),
        format!("a0: &a0 {{k0: v}}\n{merges}name: ok\n"),
        format!("a0: &a0 x\n{chain}name: ok\n"),
        format!("name: ok\n# {}\n", "\t".repeat(many)),
        format!("name: \"{}\"\n", "\t".repeat(many)),
        format!("name: {}\n", "a\u{85}".repeat(many)),
        format!("name: {}\n", "[".repeat(many)),
        "name: \"a\nb\"\n".repeat(many),
        "- \n".repeat(many) + "\t\n",
        "k: v\n".repeat(many),
    ];
    for text in texts {
        judge(&format!("---\n{text}---\n"), "ok");
    }
}
