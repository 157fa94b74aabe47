//! What nine agents make of a file, as the original programs did.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "the page is a file")]

use serde_json::{Value, json};
use skills_schema::{
    dialect::Dialect,
    facts::Facts,
    fields::FIELDS,
    rules::{self, Fate, Pass, Severity},
    syntax::SkillFile,
    verdict::{self, Verdict, verdicts},
};

fn judge(text: &str, folder: &str) -> Vec<Verdict> {
    let file = SkillFile::parse(text.into());
    let facts = Facts {
        folder: Some(folder),
        // A replacement character can't be told from one that was written; the caller knows the bytes.
        invalid_utf8: text.contains('\u{fffd}'),
        ..Facts::default()
    };
    verdict::verdicts_of(Dialect::ALL, &file, &facts)
}

fn outcome(verdict: &Verdict) -> &'static str {
    match (verdict.loads, verdict.listed) {
        (false, _) => "not loaded",
        (true, false) => "command",
        (true, true) => "loads",
    }
}

/// Eighty files that were given to Codex CLI 0.169.0, GitHub Copilot CLI 1.0.102, Visual Studio Code 1.139.1, opencode
/// 1.18.33, pi 1.5.2, Gemini CLI 0.61.0, goose 1.52.0 and Crush (source of 2026-08-21). A line has what each made of the
/// file: the outcome, and the name, the description and the reason where they were written down, but for what YAML
/// libraries say. `trials.jsonl` has two hundred more, made for what differs between them (nesting, control characters,
/// line ends, tags, numbers, fences, keys): programs were run, and of pi and Gemini CLI the parsers with the libraries
/// that they name.
#[test]
fn the_original_programs_agree() {
    let mut wrong = Vec::new();
    let recorded = include_str!("readers.jsonl")
        .lines()
        .chain(include_str!("trials.jsonl").lines());
    for line in recorded {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| recorded[key].as_str().unwrap();
        for verdict in judge(text("text"), text("folder")) {
            let Some(expected) = recorded.get(verdict.dialect.name()).and_then(Value::as_object) else {
                continue;
            };
            for (key, value) in expected {
                let ours = match key.as_str() {
                    "outcome" => json!(outcome(&verdict)),
                    "loads" => json!(verdict.loads),
                    "name" => json!(verdict.name),
                    "description" => json!(verdict.description),
                    _ => json!(verdict.reason),
                };
                if ours != *value {
                    wrong.push(format!(
                        "{}: {} {key}: {ours}, not {value}",
                        text("case"),
                        verdict.dialect
                    ));
                }
            }
            assert_eq!(verdict.name.is_some(), verdict.loads, "{verdict:?}");
            assert!(verdict.loads || verdict.reason.is_some(), "{verdict:?}");
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_page_of_readers_is_that_of_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/READERS.md");
    let page = verdict::page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, page, "run the test with UPDATE_EXPECT=1");
}

#[test]
fn a_skill_that_the_model_does_not_learn_of_says_why() {
    let hidden = |field: &str| -> Vec<&str> {
        let text = format!("---\nname: ok\ndescription: d\n{field}\n---\n# B\n");
        let verdicts = judge(&text, "ok").into_iter();
        let hidden = verdicts.filter(|it| it.loads && !it.listed && it.reason.is_some());
        hidden.map(|it| it.dialect.name()).collect()
    };
    assert_eq!(
        hidden("disable-model-invocation: true"),
        ["claude", "openhands", "copilot", "vscode", "pi", "crush", "cursor"]
    );
    // OpenHands takes more words for true, and another spelling of the field.
    for field in [
        "disable-model-invocation: y",
        "disable-model-invocation: 'On'",
        "disable-model-invocation: 1",
        "disable_model_invocation: true",
    ] {
        assert!(hidden(field).contains(&"openhands"), "{field}: {:?}", hidden(field));
    }
    for field in [
        "disable-model-invocation: 'off'",
        "disable_model_invocation: n",
        "disable-model-invocation:",
    ] {
        assert!(!hidden(field).contains(&"openhands"), "{field}");
    }
}

#[test]
fn a_finding_names_the_readers_of_its_folder_that_do_not_load_the_file() {
    let file = SkillFile::parse("---\nname: ok\ndescription: Use this: now\n---\n# B\n".into());
    for (path, severity, named, silent) in [
        (
            ".github/skills/ok/SKILL.md",
            Severity::Error,
            &["not loaded by Copilot CLI, which reads this folder, nor by the Agent Skills validator"][..],
            "Codex",
        ),
        (
            ".claude/skills/ok/SKILL.md",
            Severity::Warning,
            &[
                "not loaded by thndrs, Copilot CLI",
                ", which read this folder, nor by the Agent Skills validator, OpenHands",
            ],
            "Codex",
        ),
        (
            ".agents/skills/ok/SKILL.md",
            Severity::Error,
            &[
                "not loaded by OpenHands, thndrs, Copilot CLI, pi",
                ", which read this folder",
            ],
            "Codex",
        ),
        (".gemini/skills/ok/SKILL.md", Severity::Hint, &[], "Crush"),
    ] {
        let findings = rules::report(&file, &Facts::of_path(path), Pass::Text);
        let found = findings.iter().find(|it| it.code == "unquoted-colon");
        let notes = found.map_or(Vec::new(), |it| it.notes());
        let said = notes.join("\n");
        assert!(found.is_none_or(|it| it.severity == severity), "{path}: {findings:#?}");
        assert_eq!(found.is_some(), severity < Severity::Hint, "{path}");
        let is_said = named.iter().all(|part: &&str| said.contains(part));
        assert!(is_said && !said.contains(silent), "{path}: {said}");
        let message = found.map_or("", |it| it.message.as_str());
        let is_named = |dialect: &Dialect| message.contains(dialect.title());
        assert!(!Dialect::ALL.iter().any(is_named), "{path}: {message}");
        // Each reader of the folder that stumbles says why, in its own words.
        let readers = found.map_or(&[][..], |it| &it.readers).iter();
        for effect in readers.filter(|it| it.is_here && it.fate == Fate::Refused && severity != Severity::Error) {
            let reason = effect.reason.as_deref().unwrap_or_default();
            assert!(["apping", "stated"].iter().any(|it| reason.contains(it)), "{effect:?}");
        }
    }
}

/// One cause is reported once, for all of its readers, and nothing is said about readers that never look there.
#[test]
fn what_a_reader_of_the_folder_makes_of_a_file_is_one_finding_a_cause() {
    let told = |path: &str, text: &str| -> Vec<String> {
        let file = SkillFile::parse(text.into());
        let findings = rules::report(&file, &Facts::of_path(path), Pass::Text);
        let loud = findings.iter().filter(|it| it.severity <= Severity::Warning);
        loud.map(|it| format!("{}: {}", it.code, it.summary())).collect()
    };
    let head = "---\nname: ok\ndescription: Ships. Use when asked.\n";
    let cases: &[(&str, String, &[&str])] = &[
        (
            ".agents/skills/ok/SKILL.md",
            format!("{head}argument-hint: \"[x]\"\n---\n"),
            &[],
        ),
        (
            ".agents/skills/ok/SKILL.md",
            format!("{head}argument-hint: [x]\n---\n"),
            &["refused-by-reader: argument-hint must be a string; not loaded by Copilot CLI"],
        ),
        // Copilot does not look there.
        (
            ".goose/skills/ok/SKILL.md",
            format!("{head}argument-hint: [x]\n---\n"),
            &[],
        ),
        (
            ".claude/skills/ok/SKILL.md",
            "---\nname: ok\ndescription: Ships --- all. Use when asked.\n---\n".to_owned(),
            &[
                "refused-by-reader: some readers see `description` without `--- all. Use when as…`; read otherwise by goose",
            ],
        ),
        // A description that is not there is not the fault of the name.
        (
            ".agents/skills/release/SKILL.md",
            "---\nname: release\n---\n# Release\n".to_owned(),
            &["missing-description: missing `description`; not loaded by thndrs, Codex,"],
        ),
        (
            ".agents/skills/release/SKILL.md",
            "---\nname: Release_it\n---\n# Release\n".to_owned(),
            &[
                "missing-description: missing `description`; not loaded by thndrs, Codex,",
                "name-format: `name` may have only lower-case letters, digits and hyphens; not loaded by OpenHands",
                "name-folder: `name` differs from folder `release`; not loaded by",
            ],
        ),
        (
            ".claude/skills/release/SKILL.md",
            "---\nname: release\n---\nShips.\n".to_owned(),
            &["missing-description: missing `description`; not loaded by thndrs,"],
        ),
        (
            ".codex/skills/ok/SKILL.md",
            format!("{head}metadata: [a]\n---\n"),
            &["wrong-type: `metadata` must be `key: value` lines"],
        ),
    ];
    for (path, text, expected) in cases {
        let found = told(path, text);
        let same = |(found, expected): (&String, &&str)| found.starts_with(expected);
        assert!(
            found.len() == expected.len() && found.iter().zip(*expected).all(same),
            "{path}: {found:#?}"
        );
    }
}

/// A command or a subagent is no skill: who does not read such files can't drop one.
#[test]
fn only_those_who_read_a_sort_of_files_are_named() {
    let text = "---\nname: Ok_it\ndescription: Use this: now\nname: b\n1: [x\n---\n# B\n";
    for (path, readers) in [
        (".claude/agents/ok.md", &[Dialect::Claude][..]),
        (".claude/commands/ok.md", &[Dialect::Claude, Dialect::Copilot]),
        (".agents/skills/ok.md", &[Dialect::OpenHands]),
    ] {
        let facts = Facts::of_path(path);
        let findings = rules::report(&facts.kind.parse(text.into()), &facts, Pass::Text);
        assert!(!findings.is_empty(), "{path}");
        let named = findings.iter().flat_map(|it| &it.readers);
        let wrong: Vec<_> = named.filter(|it| !readers.contains(&it.reader)).collect();
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
}

#[test]
fn one_repair_satisfies_all_readers() {
    let text = "---\nname: ok\ndescription: Ships. Use when asked.\nargument-hint: [x]\n---\n";
    let file = SkillFile::parse(text.into());
    let facts = Facts::of_path(".agents/skills/ok/SKILL.md");
    let findings = skills_schema::rules::check(&file, &facts);
    let finding = findings.iter().find(|it| it.code == "refused-by-reader").unwrap();
    let mended = skills_schema::fixes::apply(text, &finding.fixes[0].edits);
    let verdicts = verdicts(&SkillFile::parse(mended.as_str().into()), &facts);
    let readers = verdicts
        .iter()
        .filter(|it| facts.readers.contains(&it.dialect) && it.dialect.name() != "thndrs");
    assert!(readers.clone().all(|it| it.loads), "{mended}");
}

/// A file that its own reader does not load always has an error, whatever the tables of the rules say.
#[test]
fn rules_and_verdicts_agree() {
    let mut wrong = Vec::new();
    for line in include_str!("readers.jsonl").lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| recorded[key].as_str().unwrap();
        let file = SkillFile::parse(text("text").into());
        for (folder, name) in [
            (".codex", "codex"),
            (".opencode", "opencode"),
            (".pi", "pi"),
            (".gemini", "gemini"),
            (".goose", "goose"),
            (".crush", "crush"),
        ] {
            let path = format!("{folder}/skills/{}/SKILL.md", text("folder"));
            let facts = Facts {
                invalid_utf8: text("text").contains('\u{fffd}'),
                ..Facts::of_path(&path)
            };
            let all = verdicts(&file, &facts);
            let own = all.iter().find(|it| it.dialect.name() == name).unwrap();
            let has_error =
                (skills_schema::rules::check(&file, &facts).iter()).any(|it| it.severity == Severity::Error);
            if !own.loads && !has_error {
                wrong.push(format!("{}: {name} refuses it without an error", text("case")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Values of every sort, as people write them and as they don't.
const VALUES: &[&str] = &[
    "5",
    "1.0",
    "1e3",
    "0123",
    "12:30",
    "true",
    "yes",
    "y",
    "n",
    "2024-01-01",
    "null",
    "\"\"",
    "\" \"",
    "word",
    "!!str 5",
    "[]",
    "[a]",
    "[1]",
    "[y, yes]",
    "[null]",
    "[\"\"]",
    "[a, [b]]",
    "[{a: b}]",
    "{}",
    "{a: b}",
    "{type: foo}",
    "{a: null}",
    "&a x",
    "|\n  x",
    "[{name: a, description: b}, {name: c}]",
];

/// A rule of types is as loud as the reader: an error stands where it refuses the value, and nowhere else.
#[test]
fn a_value_is_an_error_where_the_own_reader_refuses_it() {
    let folders = [
        ".claude/skills",
        ".openhands/skills",
        ".thndrs/skills",
        "brain/cerebellum",
        ".codex/skills",
        ".copilot/skills",
        ".opencode/skills",
        ".pi/skills",
        ".gemini/skills",
        ".goose/skills",
        ".crush/skills",
    ];
    let of_types = [
        "wrong-type",
        "lossy-value",
        "missing-name",
        "missing-description",
        "empty-field",
    ];
    let mut wrong = Vec::new();
    let mut compared = [0; 2];
    for (folder, field, value) in folders.iter().flat_map(|folder| {
        let fields = FIELDS.iter().map(|field| field.name);
        fields.flat_map(move |field| VALUES.iter().map(move |value| (*folder, field, *value)))
    }) {
        let name = if field == "name" && value.len() == 1 {
            value
        } else {
            "deploy"
        };
        let mut fields = vec![("name", name), ("description", "Ships."), (field, value)];
        fields.dedup_by_key(|(key, _)| *key);
        if let Some(at) = fields[..fields.len() - 1].iter().position(|(key, _)| *key == field) {
            fields.remove(at);
        }
        let lines: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        let file = SkillFile::parse(format!("---\n{}---\nShip it.\n", lines.concat()).as_str().into());
        let path = format!("{folder}/{name}/SKILL.md");
        let facts = Facts::of_path(&path);
        let Some(own) = verdict::verdict_of(facts.dialect, &file, &facts) else {
            panic!("{folder} has no reader");
        };
        let errors = rules::errors(&file, &facts);
        compared[usize::from(own.loads)] += 1;
        if !own.loads && errors.is_empty() {
            wrong.push(format!(
                "{folder} {field}: {value} is refused without an error: {:?}",
                own.reason
            ));
        }
        let of_type = errors.iter().find(|it| of_types.contains(&it.code));
        if let Some(error) = of_type.filter(|_| own.loads && own.metadata) {
            wrong.push(format!(
                "{folder} {field}: {value} loads with an error: {} {}",
                error.code, error.message
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared:?}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared.iter().all(|count| *count > 1000), "{compared:?}");
}

/// The documents of the platform and of the protocol say more than a program that could be recorded.
#[test]
fn what_is_asked_on_request_goes_by_its_documents() {
    let head = |name: &str, rest: &str| format!("---\nname: {name}\ndescription: d\n{rest}---\n# B\n");
    let loads = |text: &str, folder: &str, reader: &str| {
        let verdicts = judge(text, folder);
        verdicts.iter().find(|it| it.dialect.name() == reader).unwrap().loads
    };
    for (name, is_taken) in [("ok", true), ("claude-notes", false), ("my-anthropic", false)] {
        assert_eq!(loads(&head(name, ""), name, "claude-ai"), is_taken, "{name}");
        assert!(loads(&head(name, ""), name, "mcp"), "{name}");
    }
    // The protocol passes on every field, and holds the name against the path.
    assert!(loads(&head("ok", "paths: a\n"), "ok", "mcp"));
    assert!(!loads(&head("ok", "paths: a\n"), "ok", "claude-ai"));
    assert!(!loads(&head("ok", ""), "other", "mcp"));
    assert!(!loads("---\nname: ok\n---\n# B\n", "ok", "mcp"));
    assert!(!loads("# B\n", "ok", "mcp"));
}

/// They say nothing where nobody named them.
#[test]
fn what_is_asked_on_request_is_silent_elsewhere() {
    let text = "---\nname: Claude_notes\npaths: '*.md'\n---\n# B\n";
    let file = SkillFile::parse(text.into());
    let facts = Facts::of_path(".claude/skills/Claude_notes/SKILL.md");
    let is_asked = |dialect: Dialect| dialect.reader().on_request;
    assert!(!verdicts(&file, &facts).iter().any(|it| is_asked(it.dialect)));
    let named = |facts: &Facts<'_>| {
        let findings = rules::check(&file, facts);
        findings
            .iter()
            .any(|it| it.readers.iter().any(|effect| is_asked(effect.reader)))
    };
    assert!(!named(&facts));
    let readers = &[Dialect::ClaudeAi];
    assert!(named(&Facts { readers, ..facts }));
}
