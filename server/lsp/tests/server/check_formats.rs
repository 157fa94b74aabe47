//! `check` for machines: the formats that other programs read, several systems at once, and text from stdin.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use skills_schema::dialect::Dialect;

use crate::place::{Place, Ran, assert_holds};

const CLEAN: &str = "---\nname: deploy\ndescription: Ships the service. Use when a release is due.\n---\nShip it.\n";
const COLON: &str = "---\nname: deploy\ndescription: 🦀 Use when: a release is due\n---\nShip it.\n";
const TWICE: &str = "---\r\nname: deploy\r\ndescription: a\r\ndescription: b\r\n---\r\nShip it.\r\n";

impl Place {
    /// Runs with a text on stdin.
    fn run_on(&self, arguments: &[&str], text: &str) -> Ran {
        let mut command = self.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        Ran::of(child.wait_with_output().unwrap())
    }
}

/// The text after a SARIF fix, with columns that count characters.
fn apply(text: &str, fix: &Value) -> String {
    let offset = |line: &Value, column: &Value| {
        let line = usize::try_from(line.as_u64().unwrap() - 1).unwrap();
        let column = usize::try_from(column.as_u64().unwrap() - 1).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = &text[start..];
        start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
    };
    let mut result = text.to_owned();
    for it in fix["artifactChanges"][0]["replacements"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
    {
        let region = &it["deletedRegion"];
        let range =
            offset(&region["startLine"], &region["startColumn"])..offset(&region["endLine"], &region["endColumn"]);
        result.replace_range(range, it["insertedContent"]["text"].as_str().unwrap());
    }
    result
}

#[test]
fn sarif_is_valid_and_its_places_and_fixes_are_exact() {
    let place = Place::new(&[
        ("my skills/é#1/deploy/SKILL.md", COLON),
        ("twice/deploy/SKILL.md", TWICE),
        ("clean/deploy/SKILL.md", CLEAN),
    ]);
    let ran = place.run(&["check", "--format", "sarif", ".", "missing"]);
    let log = ran.json();
    // Two of its patterns close a bracket twice, which makes them no regular expressions.
    let schema = include_str!("sarif/schema-2.1.0.json").replace("{2}]?$", "{2}?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(ran.code, 2, "a path is missing");

    let run = &log["runs"][0];
    assert_holds(
        run,
        &json!({
            "tool": {"driver": {"name": "skills-ls", "version": env!("CARGO_PKG_VERSION")}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": false}],
        }),
    );
    let base = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap();
    assert!(base.starts_with("file:///") && base.ends_with("/workspace/"), "{base}");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{results:#?}");
    assert_holds(
        &results[0],
        &json!({
            "ruleId": "unquoted-colon",
            "level": "error",
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "my%20skills/%C3%A9%231/deploy/SKILL.md", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "startColumn": 20, "endLine": 3, "endColumn": 25},
            }}],
        }),
    );
    assert_holds(
        &results[1],
        &json!({
            "ruleId": "duplicate-key",
            "level": "warning",
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "twice/deploy/SKILL.md", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 4},
            }}],
            "relatedLocations": [{"physicalLocation": {"region": {"startLine": 3}}}, {}],
        }),
    );
    let readers = results[1]["relatedLocations"][1]["message"]["text"].as_str().unwrap();
    assert!(
        readers.starts_with("not loaded by the Agent Skills validator, thndrs"),
        "{readers}"
    );
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &run["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("# "), "{rule}");
    }
    assert_eq!(
        apply(COLON, &results[0]["fixes"][0]),
        COLON.replace("🦀 Use when: a release is due", "\"🦀 Use when: a release is due\"")
    );
}

#[test]
fn what_is_named_may_lie_anywhere_in_sarif() {
    let place = Place::new(&[("deploy/SKILL.md", COLON), ("other/x", "")]);
    let path = place.root.join("deploy/SKILL.md");
    let mut command = place.command(&["check", "--format", "sarif", path.to_str().unwrap()]);
    let ran = Ran::of(command.current_dir(place.root.join("other")).output().unwrap());
    let location = &ran.json()["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uriBaseId"], Value::Null);
    assert!(location["uri"].as_str().unwrap().starts_with("file:///"), "{location}");
}

#[test]
fn github_commands_are_escaped() {
    let folder = "50%,a:b/deploy";
    let place = Place::new(&[
        (&format!("{folder}/SKILL.md"), COLON),
        ("tabs/deploy/SKILL.md", "# no frontmatter\n"),
    ]);
    let ran = place.run(&["check", "--format", "github"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(
        lines[0].starts_with(
            "::error file=50%25%2Ca%3Ab/deploy/SKILL.md,line=3,endLine=3,col=20,endColumn=25,title=unquoted-colon::"
        ),
        "{}",
        ran.out
    );
    assert_eq!(lines.len(), 2, "one command a finding, and nothing else: {}", ran.out);
    assert_eq!(ran.code, 1);
}

#[test]
fn a_text_on_stdin_is_checked_as_if_it_stood_in_the_file() {
    let place = Place::new(&[(".claude/skills/deploy/SKILL.md", CLEAN)]);
    let name = ".claude/skills/deploy/SKILL.md";
    let ran = place.run_on(&["check", "--stdin-path", name, "--json"], COLON);
    assert_holds(
        &ran.json(),
        &json!({
            "files": [{
                "path": place.root.join(name),
                "dialect": "claude",
                "findings": [{"code": "unquoted-colon", "severity": "warning"}],
            }],
            "summary": {"files": 1, "warnings": 1},
        }),
    );
    // The file need not exist, and is never written.
    let ran = place.run_on(&["check", "--stdin-path", "new/deploy/SKILL.md"], COLON);
    assert!(ran.out.contains("--> new/deploy/SKILL.md:3:20"), "{}", ran.out);
    assert_eq!(ran.code, 1);
    let ran = place.run_on(&["check", "--stdin-path", name, "--fix"], COLON);
    assert_eq!(
        ran.out,
        COLON.replace("🦀 Use when: a release is due", "\"🦀 Use when: a release is due\"")
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, "1 file checked: nothing found\n"));
    assert_eq!(fs::read_to_string(place.root.join(name)).unwrap(), CLEAN);
    // What has nothing to repair comes back as it is.
    assert_eq!(
        place.run_on(&["check", "--stdin-path", name, "--fix"], TWICE).out,
        TWICE
    );
    assert!(
        place
            .run_on(&["check", "--stdin-path", name, "--diff"], COLON)
            .out
            .starts_with("--- .claude/")
    );
}

#[test]
fn several_systems_are_asked_and_each_cause_is_reported_once() {
    let place = Place::new(&[
        (".claude/skills/deploy/SKILL.md", COLON),
        (".claude/skills/other/SKILL.md", CLEAN),
    ]);
    let findings = |arguments: &[&str]| {
        let report = place.run(&[&["check", "--json"], arguments].concat()).json();
        let all = report["files"].as_array().unwrap().iter();
        let all = all.flat_map(|file| file["findings"].as_array().unwrap().clone());
        all.map(|it| format!("{} {}", it["severity"].as_str().unwrap(), it["code"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    let claude = ["warning unquoted-colon", "warning name-folder"];
    let both = ["error unquoted-colon", "error name-folder"];
    assert_eq!(findings(&[]), claude);
    assert_eq!(findings(&["--dialect", "claude@documented"]), claude);
    assert_eq!(findings(&["--dialect", "claude", "--dialect", "thndrs@current"]), both);
    assert_eq!(findings(&["--portable"]), both);
    let file = &place.run(&["check", "--json", "--portable"]).json()["files"][0];
    let names: Vec<_> = Dialect::agents().map(Dialect::name).collect();
    assert!(names.len() > 5);
    assert_eq!(file["dialects"], json!(names));
}

#[test]
fn options_that_exclude_each_other_or_mean_nothing_are_refused() {
    let place = Place::new(&[("deploy/SKILL.md", CLEAN)]);
    let cases: &[&[&str]] = &[
        &["--json", "--format", "text"],
        &["--statistics", "--diff"],
        &["--statistics", "--json"],
        &["--diff", "--json"],
        &["--diff", "--format", "sarif"],
        &["--portable", "--dialect", "claude"],
        &["--stdin-path", "SKILL.md", "deploy"],
        &["--dialect", "claude@2019"],
        &["--color", "green"],
    ];
    for arguments in cases {
        let ran = place.run(&[&["check"], *arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let place = Place::new(&[("deploy/SKILL.md", COLON)]);
    for (arguments, variable, coloured) in [
        (&["check"][..], None, false),
        (&["check", "--color", "always"], Some("NO_COLOR"), true),
        (&["check"], Some("CLICOLOR_FORCE"), true),
        (&["check", "--color", "never"], Some("CLICOLOR_FORCE"), false),
    ] {
        let mut command = place.command(arguments);
        let ran = Ran::of(command.envs(variable.map(|name| (name, "1"))).output().unwrap());
        assert_eq!(ran.out.contains('\x1b'), coloured, "{arguments:?} {variable:?}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_no_exit_status() {
    // More than a pipe holds.
    let text = format!("---\nname: deploy\n{}---\n", "a: b: c\n".repeat(900));
    let place = Place::new(&[("deploy/SKILL.md", &text)]);
    for format in ["text", "json", "sarif", "github"] {
        let mut command = place.command(&["check", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{format}");
    }
}
