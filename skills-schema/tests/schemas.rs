//! The JSON Schemas in `schema/` are written from the table of fields.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-schema --test schemas` rewrites them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use skills_schema::{dialect::Dialect, schema::json_schema};

#[test]
#[allow(clippy::disallowed_methods, reason = "the schemas are files")]
fn the_committed_schemas_are_those_of_the_table() {
    for dialect in Dialect::ALL {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{dialect}.json"));
        let expected = format!("{:#}\n", json_schema(dialect));
        if std::env::var("UPDATE_EXPECT").is_ok() {
            fs::write(&path, &expected).expect("the schema");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{} is stale: run this test with UPDATE_EXPECT=1",
            path.display()
        );
    }
}

#[test]
fn a_schema_takes_what_its_reader_takes() {
    use Dialect::{AgentSkills, Claude, OpenHands, Thndrs, Unified, Wolffish};
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
        (with("paths", json!(1)), &[], &[Claude, OpenHands, Unified]),
        (with("context", json!("spoon")), &[OpenHands], &[Claude, Unified]),
        (with("effort", json!(2000)), &[Claude, Unified], &[]),
        (
            with("triggers", json!("ship")),
            &[Claude],
            &[OpenHands, Wolffish, Unified],
        ),
        (with("allowed_tools", json!(true)), &[Claude], &[OpenHands, Unified]),
        (with("description", json!("x".repeat(1025))), &[], &[AgentSkills]),
        (with("inputs", json!([{"name": ["x"]}])), &[], &[OpenHands]),
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
