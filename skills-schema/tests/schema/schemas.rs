//! The JSON Schemas in `schema/` and the reference `FIELDS.md` are written from the table of fields, and the readers in
//! the extension's settings from those that there are.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-schema schemas` rewrites them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use skills_schema::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fields::reference,
    rules::{self, Finding, RULES, Severity},
    schema::json_schema,
    syntax::SkillFile,
};

#[test]
fn the_committed_schemas_and_the_reference_are_those_of_the_table() {
    for dialect in Dialect::ALL {
        holds(
            &format!("schema/{dialect}.json"),
            &format!("{:#}\n", json_schema(dialect)),
        );
    }
    holds("FIELDS.md", &reference());
}

#[test]
#[allow(clippy::disallowed_methods, reason = "what is compared are files")]
fn the_extension_s_settings_name_every_reader() {
    let name = "../editors/vscode/package.json";
    let mut text = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    // Our own reading is no other system.
    let others: Vec<Dialect> = Dialect::ALL.into_iter().filter(|it| *it != Dialect::Unified).collect();
    let settings = [
        ("\"skills.dialects\"", &Dialect::ALL[..]),
        ("\"skills.readers\"", &others),
    ];
    for (setting, choices) in settings {
        let at = text.find(setting).unwrap();
        let start = at + text[at..].find("\"enum\": [").unwrap() + "\"enum\": [".len();
        let end = start + text[start..].find(']').unwrap();
        text.replace_range(start..end, &lines(choices));
    }
    holds(name, &text);
}

/// Names as lines of an array in the extension's manifest.
fn lines(readers: &[Dialect]) -> String {
    let indent = "\n              ";
    let mut text = String::new();
    let mut column = usize::MAX;
    for (index, reader) in readers.iter().enumerate() {
        let comma = if index + 1 < readers.len() { "," } else { "" };
        let word = format!("\"{reader}\"{comma}");
        if column.saturating_add(1 + word.len()) > 120 {
            text += indent;
            column = indent.len() - 1;
        } else {
            text += " ";
            column += 1;
        }
        text += &word;
        column += word.len();
    }
    text + "\n            "
}

/// A file that is written from the table; rewritten where that is asked for.
#[allow(clippy::disallowed_methods, reason = "what is compared are files")]
fn holds(name: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var("UPDATE_EXPECT").is_ok() {
        fs::write(&path, expected).expect("the file");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name} is stale: run this test with UPDATE_EXPECT=1");
}

#[test]
fn a_schema_takes_what_its_reader_takes() {
    use Dialect::{AgentSkills, Claude, Copilot, Crush, OpenHands, Thndrs, Unified, Wolffish};
    let minimal = json!({"name": "deploy", "description": "Ships."});
    let with = |key: &str, value: Value| {
        let mut it = minimal.clone();
        it[key] = value;
        it
    };
    let cases: Vec<(Value, &[Dialect], &[Dialect])> = vec![
        (minimal.clone(), &Dialect::ALL, &[]),
        (
            json!({}),
            &[Claude, OpenHands],
            &[AgentSkills, Thndrs, Wolffish, Unified],
        ),
        (
            with("paths", json!("src/**")),
            &[Claude, OpenHands, Unified],
            &[AgentSkills, Thndrs],
        ),
        (with("paths", json!(["a", "b"])), &[Claude, OpenHands, Unified], &[]),
        // Most take a number for the text that it was written as.
        (with("paths", json!(1)), &[Claude, Unified], &[OpenHands]),
        (with("background", json!("yes")), &[Claude, Unified], &[]),
        (with("background", json!("perhaps")), &[], &[Claude, Unified]),
        (with("license", json!(null)), &Dialect::ALL, &[]),
        (
            with("description", json!(null)),
            &[Claude, OpenHands],
            &[AgentSkills, Thndrs, Unified],
        ),
        (
            with("name", json!("De ploy")),
            &[Claude, Wolffish, Unified],
            &[AgentSkills, OpenHands, Thndrs],
        ),
        (
            with("name", json!("déploie")),
            &[AgentSkills, Claude],
            &[OpenHands, Thndrs],
        ),
        (with("context", json!("spoon")), &[OpenHands], &[Claude, Unified]),
        (with("effort", json!(2000)), &[Claude, Unified], &[]),
        (
            with("triggers", json!("ship")),
            &[Claude],
            &[OpenHands, Wolffish, Unified],
        ),
        (with("allowed_tools", json!(true)), &[Claude, Unified], &[OpenHands]),
        (with("description", json!("x".repeat(1025))), &[], &[AgentSkills]),
        (with("inputs", json!([{"name": ["x"]}])), &[], &[OpenHands]),
        (with("inputs", json!([{"name": "x"}])), &[Claude, Unified], &[OpenHands]),
        (
            with("inputs", json!([{"name": "x", "description": "y"}])),
            &[OpenHands, Unified],
            &[],
        ),
        (with("inputs", json!(null)), &[Claude, Unified], &[OpenHands]),
        (with("triggers", json!(null)), &[Wolffish], &[OpenHands]),
        (with("triggers", json!([null])), &[Wolffish], &[OpenHands]),
        (with("name", json!(null)), &[Claude], &[OpenHands, Thndrs, Wolffish]),
        (with("metadata", json!(null)), &[OpenHands, Thndrs], &[]),
        (
            with("allowed-tools", json!(5)),
            &[Claude, Unified],
            &[OpenHands, Thndrs],
        ),
        (with("allowed-tools", json!(["a", "b"])), &[OpenHands, Thndrs], &[]),
        (with("allowed-tools", json!(null)), &[OpenHands, Thndrs], &[]),
        (with("references", json!([1])), &[Unified], &[Thndrs]),
        (with("references", json!([])), &[Unified], &[Thndrs]),
        (with("references", json!([""])), &[Unified], &[Thndrs]),
        (with("references", json!(["../a"])), &[Unified], &[Thndrs]),
        (with("references", json!(["/a"])), &[Unified], &[Thndrs]),
        (with("references", json!(["./a.md", "b/..c"])), &[Thndrs, Unified], &[]),
        (with("references", json!(null)), &[Thndrs, Unified], &[]),
        (with("name", json!("my--deploy")), &[Copilot, Claude], &[Crush]),
        (with("name", json!("déploie")), &[], &[Copilot]),
        (
            with("disable-model-invocation", json!("yes")),
            &[OpenHands, Claude],
            &[Copilot],
        ),
        (with("danger_patterns", json!([null])), &[Unified], &[Wolffish]),
        (with("danger_patterns", json!(["rm"])), &[Wolffish, Unified], &[]),
    ];
    for dialect in Dialect::ALL {
        let validator = jsonschema::validator_for(&json_schema(dialect)).expect("a schema");
        for (value, taken, refused) in &cases {
            if taken.contains(&dialect) {
                assert!(validator.is_valid(value), "{dialect} refuses {value}");
            }
            if refused.contains(&dialect) {
                assert!(!validator.is_valid(value), "{dialect} takes {value}");
            }
        }
    }
}

/// What JSON Schema can say of what the rules say.
fn is_said_by_schema(finding: &Finding, dialect: Dialect, is_ascii: bool) -> bool {
    let counts_characters = is_ascii || !finding.message.contains(" bytes,");
    let is_found = finding.severity <= Severity::Warning && counts_characters;
    match finding.code {
        "missing-name" | "missing-description" | "name-format" | "too-long" | "wrong-type" => is_found,
        // Elsewhere only what looks misspelt is found.
        "unknown-field" => dialect.policy().unknown_field == Outcome::Drops && finding.severity == Severity::Error,
        _ => false,
    }
}

#[test]
fn each_schema_refuses_what_the_rules_find_in_their_examples() {
    let mut wrong = Vec::new();
    let mut compared = [0; 2];
    for dialect in Dialect::ALL {
        let validator = jsonschema::validator_for(&json_schema(dialect)).expect("a schema");
        for text in RULES.iter().flat_map(|rule| examples(rule.documentation)) {
            let file = SkillFile::parse(text.as_str().into());
            let content = file
                .frontmatter
                .as_ref()
                .filter(|it| it.errors.is_empty() && it.close.is_some());
            let content = content.map(|it| file.slice(it.content)).filter(|it| !it.contains("!!"));
            // No mapping, keys twice, tags: what is no JSON.
            let Some(Ok(value @ Value::Object(_))) = content.map(serde_yaml::from_str::<Value>) else {
                continue;
            };
            let facts = Facts {
                dialect,
                ..Facts::default()
            };
            let findings = rules::check(&file, &facts);
            let found: Vec<&Finding> = findings
                .iter()
                .filter(|it| is_said_by_schema(it, dialect, text.is_ascii()))
                .collect();
            compared[usize::from(found.is_empty())] += 1;
            // What a reader refuses may have been found by any rule.
            let is_refused = !found.is_empty() || findings.iter().any(|it| it.severity == Severity::Error);
            let is_valid = validator.is_valid(&value);
            if is_valid && !found.is_empty() || !is_valid && !is_refused {
                let error = validator.validate(&value).err().map(|error| error.to_string());
                wrong.push(format!("{dialect}: {error:?}, but {found:?} in {text}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared:?}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared.iter().all(|count| *count > 100), "{compared:?}");
}

/// The files that a page shows, without the marks.
fn examples(page: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let info = line.trim_start_matches('`');
        let fence = &line[..line.len() - info.len()];
        if fence.len() > 2 && info.starts_with("skill") {
            let block = lines.by_ref().take_while(|line| *line != fence);
            let shown = block.filter(|line| !line.trim_start_matches(' ').starts_with('^'));
            examples.push(shown.map(|line| format!("{line}\n")).collect());
        }
    }
    examples
}
