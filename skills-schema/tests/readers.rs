//! What nine agents make of a file, as the original programs did.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "the page is a file")]

use serde_json::{Value, json};
use skills_schema::{
    facts::Facts,
    rules::{self, Pass, Severity},
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
    verdicts(&file, &facts)
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
/// file: the outcome, and the name, the description and the reason where they were written down.
#[test]
fn the_original_programs_agree() {
    let mut wrong = Vec::new();
    for line in include_str!("readers.jsonl").lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| recorded[key].as_str().unwrap();
        for verdict in judge(text("text"), text("folder")) {
            let Some(expected) = recorded.get(verdict.dialect.name()).and_then(Value::as_object) else {
                continue;
            };
            for (key, value) in expected {
                let ours = match key.as_str() {
                    "outcome" => json!(outcome(&verdict)),
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
fn a_skill_that_the_model_is_not_told_of_says_why() {
    let text = "---\nname: ok\ndescription: d\ndisable-model-invocation: true\n---\n# B\n";
    let hidden: Vec<&str> = judge(text, "ok")
        .iter()
        .filter(|it| it.loads && !it.listed && it.reason.is_some())
        .map(|it| it.dialect.name())
        .collect();
    assert_eq!(
        hidden,
        ["claude", "openhands", "copilot", "vscode", "pi", "crush", "cursor"]
    );
}

#[test]
fn a_finding_names_the_readers_of_its_folder_that_do_not_load_the_file() {
    let file = SkillFile::parse("---\nname: ok\ndescription: Use this: now\n---\n# B\n".into());
    for (path, severity, named, silent) in [
        (
            ".github/skills/ok/SKILL.md",
            Severity::Error,
            "not loaded by Copilot CLI, which reads this folder, nor by the Agent Skills validator",
            "Codex",
        ),
        (
            ".claude/skills/ok/SKILL.md",
            Severity::Warning,
            "Copilot CLI, pi, goose and Crush",
            "Codex",
        ),
        (".gemini/skills/ok/SKILL.md", Severity::Hint, "", "Crush"),
    ] {
        let findings = rules::report(&file, &Facts::of_path(path), Pass::Text);
        let found = findings.iter().find(|it| it.code == "unquoted-colon");
        let words = found.iter().map(|it| &it.message);
        let related: String = words
            .chain(found.iter().flat_map(|it| it.related.iter().map(|it| &it.message)))
            .map(String::as_str)
            .collect();
        assert!(found.is_none_or(|it| it.severity == severity), "{path}: {found:?}");
        assert_eq!(found.is_some(), severity < Severity::Hint, "{path}");
        assert!(
            related.contains(named) && !related.contains(silent),
            "{path}: {related}"
        );
    }
}
