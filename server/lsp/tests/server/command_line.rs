//! The command line as scripts and people meet it: the built program, with a home folder of its own.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use skills_ls::framing::encode;

use crate::place::{Place, Ran, assert_holds};

const CLEAN: &str = "---\nname: deploy\ndescription: Ships the service. Use when a release is due.\n---\nShip it.\n";
const COLON: &str = "---\nname: deploy\ndescription: Use when: a release is due\n---\nShip it.\n";
const UNKNOWN_FIELD: &str = "---\nname: deploy\ndescription: Ships it.\nmodle: sonnet\n---\nShip it.\n";
const NO_FRONTMATTER: &str = "# Deploy\n";

/// The files of a JSON report, relative to the workspace.
fn files(place: &Place, report: &Value) -> Vec<String> {
    let files = report["files"].as_array().unwrap().iter();
    let names = files.map(|file| {
        Path::new(file["path"].as_str().unwrap())
            .strip_prefix(&place.root)
            .unwrap()
    });
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn check_exits_by_the_worst_finding() {
    let place = Place::new(&[
        ("clean/deploy/SKILL.md", CLEAN),
        ("warning/deploy/SKILL.md", UNKNOWN_FIELD),
        ("error/deploy/SKILL.md", COLON),
        ("hint/deploys/SKILL.md", CLEAN),
        ("none/deploy/SKILL.md", NO_FRONTMATTER),
    ]);
    let cases: &[(&[&str], i32)] = &[
        (&["clean"], 0),
        (&["clean", "--fail-on", "hint"], 0),
        (&["error"], 1),
        (&["none"], 1),
        (&["clean", "error"], 1),
        (&["warning"], 0),
        (&["warning", "--fail-on", "warning"], 1),
        (&["warning", "--fail-on", "hint"], 1),
        (&["hint"], 0),
        (&["hint", "--fail-on", "information"], 0),
        (&["hint", "--fail-on", "hint"], 1),
        // A name unlike its folder's is against the open specification, whose strict reader is asked here.
        (&["hint", "--dialect", "agentskills"], 1),
        (&["missing"], 2),
        (&["clean", "--fail-on", "never"], 2),
        (&["clean", "--dialect", "emacs"], 2),
        (&["clean", "--format", "xml"], 2),
    ];
    for (arguments, code) in cases {
        let ran = place.run(&[&["check"], *arguments].concat());
        assert_eq!(ran.code, *code, "{arguments:?}: {ran:?}");
        assert_eq!(ran.err.is_empty(), *code != 2, "{arguments:?}: {ran:?}");
    }
}

#[test]
fn check_shows_a_finding_at_its_place() {
    let place = Place::new(&[("skills/deploy/SKILL.md", COLON)]);
    let ran = place.run(&["check"]);
    let expected = "\
error[unquoted-colon]: unquoted `: ` starts a new key in YAML; quote the value
 --> skills/deploy/SKILL.md:3:18
  |
3 | description: Use when: a release is due
  |                  ^^^^^
  |
  = note: not loaded by the Agent Skills validator, OpenHands, …
help: Quote the value

1 file checked: 1 error
1 can be repaired with `--fix`
";
    // The first readers: further ones come and go.
    let readers = ran.out.lines().find(|line| line.contains("note: ")).unwrap();
    let (first, _) = readers.split_once("thndrs").unwrap();
    assert_eq!(ran.out.replace(readers, &format!("{first}…")), expected);
    let expected = "\
1  error        [*]  unquoted-colon  a value with `: ` and no quotes
1 file checked: 1 error
[*] 1 can be repaired with `--fix`
";
    assert_eq!(place.run(&["check", "--statistics"]).out, expected);
    let links: String = (0..60).map(|at| format!("[a](b{at}.md)\n")).collect();
    let many = format!("---\nname: many\ndescription: Ships. Use when asked to.\n---\n{links}");
    place.write("many/SKILL.md", many.as_bytes());
    let out = place.run(&["check"]).out;
    assert!(
        out.ends_with("\n`--statistics` counts them by rule, `skills-ls explain RULE` says more\n"),
        "{out}"
    );
    assert_eq!(Place::new(&[]).run(&["check"]).out, "no skill found\n");
}

#[test]
fn check_prints_one_json_document() {
    let place = Place::new(&[
        (".claude/skills/deploy/SKILL.md", &UNKNOWN_FIELD.replace('\n', "\r\n")),
        ("skills/deploy/SKILL.md", CLEAN),
    ]);
    let ran = place.run(&["check", "--format", "json"]);
    let range = json!({"start": 43, "end": 48, "line": 4, "column": 1});
    let deploy = place.root.join(".claude/skills/deploy/SKILL.md");
    let expected = json!({
        "files": [
            {
                "path": deploy,
                "dialect": "claude",
                "findings": [{
                    "code": "unknown-field",
                    "severity": "warning",
                    "range": range,
                    "fixes": [{"safe": false, "edits": [{"range": range, "newText": "model"}]}],
                }],
            },
            {"path": place.root.join("skills/deploy/SKILL.md"), "dialect": "unified", "findings": []},
        ],
        "summary": {"files": 2, "errors": 0, "warnings": 1, "information": 0, "hints": 0},
    });
    assert_holds(&ran.json(), &expected);
    let finding = &ran.json()["files"][0]["findings"][0];
    assert!(finding["message"].as_str().unwrap().contains("model"), "{finding}");
    assert!(finding["fixes"][0]["title"].is_string(), "{finding}");
    assert_eq!(
        place.run(&["check", "--json"]).out,
        ran.out,
        "--json is short for --format json"
    );
}

#[test]
fn check_finds_skills_where_they_lie() {
    let place = Place::new(&[
        (".claude/agents/reviewer.md", CLEAN),
        (".claude/commands/git/push.md", CLEAN),
        (".claude/skills/deploy/.mcp.json", "{\"mcpServers\": {}}"),
        (".claude/skills/deploy/SKILL.md", CLEAN),
        (".git/SKILL.md", CLEAN),
        (".gitignore", "ignored/\n"),
        (".mcp.json", "{}"),
        (".openhands/microagents/repo.md", CLEAN),
        ("CLAUDE.md", "@missing.md\n"),
        ("README.md", NO_FRONTMATTER),
        ("ignored/deploy/SKILL.md", CLEAN),
        ("packages/site/.agents/skills/deploy/SKILL.md", CLEAN),
    ]);
    // Ignore files count where there is a repository.
    fs::create_dir_all(place.root.join(".git")).unwrap();
    let found = |arguments: &[&str]| files(&place, &place.run(&[&["check", "--json"], arguments].concat()).json());
    let claude = ".claude/skills/deploy/SKILL.md";
    let command = ".claude/commands/git/push.md";
    let microagent = ".openhands/microagents/repo.md";
    let package = "packages/site/.agents/skills/deploy/SKILL.md";
    let beside = [
        ".claude/agents/reviewer.md",
        ".claude/skills/deploy/.mcp.json",
        "CLAUDE.md",
    ];
    assert_eq!(
        found(&[]),
        [beside[0], command, beside[1], claude, microagent, beside[2], package]
    );
    assert_eq!(
        found(&[".claude/skills", claude, "./packages/../.claude/skills"]),
        [beside[1], claude],
        "each file once"
    );
    assert_eq!(
        found(&["ignored/deploy/SKILL.md"]),
        ["ignored/deploy/SKILL.md"],
        "what is named is checked"
    );
    assert_eq!(found(&["README.md"]), ["README.md"]);
}

#[test]
fn check_goes_on_past_what_it_cannot_read() {
    let place = Place::new(&[("a/deploy/SKILL.md", CLEAN), ("c/deploy/SKILL.md", COLON)]);
    let ran = place.run(&["check", "--json", "a", "missing", "c"]);
    assert_eq!(ran.code, 2);
    assert_eq!(files(&place, &ran.json()), ["a/deploy/SKILL.md", "c/deploy/SKILL.md"]);
    assert!(ran.err.contains("error: missing can't be read"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_skill_that_is_a_link_to_nothing_is_a_finding() {
    let place = Place::new(&[("a/deploy/SKILL.md", CLEAN)]);
    fs::create_dir_all(place.root.join("b")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", place.root.join("b/SKILL.md")).unwrap();
    let ran = place.run(&["check", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let report = ran.json();
    assert_eq!(files(&place, &report), ["a/deploy/SKILL.md", "b/SKILL.md"]);
    let finding = &report["files"][1]["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["severity"]),
        (&json!("dangling-link"), &json!("error"))
    );
    assert!(
        finding["message"].as_str().unwrap().contains("/nowhere/at/all"),
        "{finding}"
    );
    place.write("skills-ls.yaml", b"rules: {dangling-link: off}\n");
    assert_eq!(place.run(&["check"]).code, 0);
    assert_eq!(place.run(&["check", "--fix"]).code, 0);
}

#[test]
fn check_repairs_what_changes_no_meaning_and_nothing_else() {
    let place = Place::new(&[("deploy/SKILL.md", COLON), ("a/deploy/SKILL.md", CLEAN)]);
    let read = |name: &str| fs::read_to_string(place.root.join(name)).unwrap();
    let ran = place.run(&["check", "--diff", "--dialect", "claude"]);
    assert_eq!((ran.code, read("deploy/SKILL.md").as_str()), (1, COLON));
    assert!(
        ran.out.starts_with("--- deploy/SKILL.md\n+++ deploy/SKILL.md\n@@"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("+description: \""), "{}", ran.out);
    let ran = place.run(&["check", "--fix", "--dialect", "claude"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let repaired = read("deploy/SKILL.md");
    assert!(repaired.contains("description: \"") && repaired.ends_with(&COLON[COLON.rfind("---").unwrap()..]));
    assert_eq!(read("a/deploy/SKILL.md"), CLEAN);
    let again = place.run(&["check", "--diff", "--dialect", "claude"]);
    assert_eq!((again.code, again.out.as_str()), (0, ""));
    assert_eq!(read("deploy/SKILL.md"), repaired);
}

#[test]
fn check_repairs_what_only_the_files_around_tell() {
    let text = CLEAN.to_owned() + "\nSee [all](references/Api.md) and [more](references/Api.md#b).\n";
    let place = Place::new(&[
        ("deploy/SKILL.md", &text),
        ("deploy/references/api.md", "# A\n\n## B\n"),
    ]);
    let ran = place.run(&["check", "--diff"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out
            .contains("+See [all](references/api.md) and [more](references/api.md#b)."),
        "{}",
        ran.out
    );
    assert_eq!(place.run(&["check", "--fix"]).code, 0);
    let repaired = fs::read_to_string(place.root.join("deploy/SKILL.md")).unwrap();
    assert_eq!(repaired, text.replace("Api.md", "api.md"));
    assert_eq!(place.run(&["check", "--diff"]).out, "");
}

#[cfg(unix)]
#[test]
fn a_repair_keeps_links_and_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[("real/deploy/SKILL.md", COLON), ("linked/deploy/x", "")]);
    let (real, link) = (
        place.root.join("real/deploy/SKILL.md"),
        place.root.join("linked/deploy/SKILL.md"),
    );
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    place.run(&["check", "--fix", "--dialect", "claude", "linked"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(fs::read_to_string(&real).unwrap(), COLON);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn explain_shows_a_rule_s_page_and_lists_all() {
    let place = Place::new(&[]);
    let all = place.run(&["explain"]);
    assert_eq!(all.code, 0);
    assert!(
        all.out.lines().any(|line| line.starts_with("unquoted-colon ")),
        "{}",
        all.out
    );
    assert!(
        place
            .run(&["explain", "unquoted-colon"])
            .out
            .starts_with("# unquoted-colon\n")
    );
    let unknown = place.run(&["explain", "nothing-such"]);
    assert_eq!(unknown.code, 2);
    let field = place.run(&["explain", "trigger.keywords"]).out;
    assert!(
        field.starts_with("# trigger.keywords\n") && field.contains("Holds a list of text"),
        "{field}"
    );
    assert!(unknown.err.contains("`skills-ls explain` lists all"), "{}", unknown.err);
}

/// A repository brings its own rules and its own configuration.
#[test]
fn nothing_beside_the_files_ends_or_delays_the_program() {
    let braces = format!("{}a{}\n", "{".repeat(100_000), "}".repeat(100_000));
    let nested = format!("checks: {}", "{a: ".repeat(200_000));
    for (name, text) in [
        (".gitignore", &braces),
        ("skills/.ignore", &braces),
        ("skills-ls.yaml", &nested),
    ] {
        let place = Place::new(&[("deploy/SKILL.md", CLEAN), (name, text)]);
        for command in ["check", "list"] {
            let ran = place.run(&[command]);
            assert_eq!(ran.code, 0, "{name} {command}: {}", ran.err);
        }
        assert!(place.run(&["check"]).out.contains("1 file"), "{name}");
    }
}

#[test]
fn check_reads_any_bytes() {
    let place = Place::new(&[]);
    place.write(
        "deploy/SKILL.md",
        b"---\nname: deploy\ndescription: caf\xe9 and \x1b[31mred\n---\n",
    );
    let ran = place.run(&["check", "--json"]);
    let findings = ran.json()["files"][0]["findings"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_holds(
        findings
            .iter()
            .find(|finding| finding["code"] == "invalid-utf8")
            .unwrap(),
        &json!({"code": "invalid-utf8", "severity": "error", "range": {"start": 33, "line": 3, "column": 17}}),
    );
    assert_eq!(ran.code, 1);
    let text = place.run(&["check"]).out;
    assert!(text.contains("invalid-utf8") && !text.contains('\x1b'), "{text:?}");

    for (text, lines) in [(COLON.to_owned(), "\n"), (COLON.replace('\n', "\r\n"), "\r\n")] {
        place.write("deploy/SKILL.md", text.as_bytes());
        let ran = place.run(&["check", "--json"]);
        let finding = &ran.json()["files"][0]["findings"][0];
        assert_holds(
            finding,
            &json!({"code": "unquoted-colon", "range": {"line": 3, "column": 18}}),
        );
        assert_eq!(
            ran.json()["files"][0]["findings"].as_array().unwrap().len(),
            1,
            "{lines:?}"
        );
    }
}

#[test]
fn list_tells_which_skills_a_file_activates_and_why() {
    let by_path = "---\nname: NAME\ndescription: Checks NAME.\npaths: src/**/*.ts\n---\nLook.\n";
    let long = "a-name-that-is-longer-than-any-column-was-made-for";
    let place = Place::new(&[
        (".claude/skills/refunds/SKILL.md", &by_path.replace("NAME", "refunds")),
        (
            &format!(".agents/skills/{long}/SKILL.md"),
            &CLEAN.replace("deploy", long),
        ),
        (".claude/skills/broken/SKILL.md", NO_FRONTMATTER),
        ("src/pay/refund.ts", "export {}\n"),
    ]);
    let ran = place.run(&["list", "--for", "src/pay/refund.ts", "--why", "--json"]);
    let skill = |name: &str| {
        let report = ran.json();
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|skill| skill["name"] == name).cloned().unwrap()
    };
    let refunds = json!({
        "path": place.root.join(".claude/skills/refunds/SKILL.md"),
        "dialect": "claude",
        "source": "project",
        "state": "active",
        "active": true,
        "why": [{
            "kind": "path",
            "text": "src/**/*.ts",
            "matched": "src/pay/refund.ts",
            "range": {"start": 54, "end": 65, "line": 4, "column": 8},
        }],
        "shadowedBy": null,
        "aliases": [],
        "errors": [],
    });
    assert_holds(&skill("refunds"), &refunds);
    assert_holds(
        &skill(long),
        &json!({"dialect": "unified", "state": "listed", "active": false, "why": []}),
    );
    assert_eq!(ran.json()["errors"], json!([]));
    assert_eq!(ran.code, 0);

    let text = place.run(&["list", "--for", "src/pay/refund.ts", "--why"]).out;
    assert!(
        text.contains("src/pay/refund.ts matches the pattern src/**/*.ts"),
        "{text}"
    );
    // Whatever the names' lengths, the paths stand below each other.
    let rows = text
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.contains("  bundled  "));
    let rows: Vec<_> = rows.collect();
    let starts: Vec<_> = rows
        .iter()
        .map(|row| row.find(".claude/").or(row.find(".agents/")).unwrap())
        .collect();
    assert_eq!(rows.len(), 3, "{text}");
    assert!(rows[0].starts_with("refunds"), "what is active stands first: {text}");
    assert!(starts.iter().all(|start| *start == starts[0]), "{text}");

    // The file need not exist, and another one activates nothing.
    assert!(place.run(&["list", "--for", "src/new.ts"]).out.contains("active"));
    assert!(!place.run(&["list", "--for", "docs/new.md"]).out.contains("active"));
    assert!(Place::new(&[]).run(&["list"]).out.contains("only bundled skills found"));
}

/// The skills of a report that lie in files.
fn on_disk(report: &Value) -> Vec<&Value> {
    let skills = report["skills"].as_array().unwrap().iter();
    skills.filter(|skill| skill["source"] != "bundled").collect()
}

#[test]
fn list_knows_the_home_folder_and_what_is_compiled_in() {
    let place = Place::new(&[]);
    place.write("../home/.agents/skills/deploy/SKILL.md", CLEAN.as_bytes());
    let report = place.run(&["list", "--json"]).json();
    let [skill] = on_disk(&report)[..] else {
        panic!("{report:#}")
    };
    assert_holds(
        skill,
        &json!({"name": "deploy", "source": "user", "state": "listed", "trusted": true}),
    );
    let skills = report["skills"].as_array().unwrap();
    let simplify = skills.iter().find(|skill| skill["name"] == "simplify").unwrap();
    assert_holds(
        simplify,
        &json!({"source": "bundled", "path": null, "state": "listed", "errors": []}),
    );
}

#[test]
fn list_shows_what_one_system_finds() {
    let place = Place::new(&[
        (
            ".claude/skills/deploy/SKILL.md",
            &CLEAN.replace("name: deploy", "name: other"),
        ),
        (".agents/skills/deploy/SKILL.md", CLEAN),
        (".agents/skills/flat.md", "Just words.\n"),
        ("extra/skills/more/SKILL.md", &CLEAN.replace("deploy", "more")),
        ("AGENTS.md", "Be kind.\n"),
    ]);
    let of = |dialect: &str| place.run(&["list", "--json", "--dialect", dialect]).json();
    let states = |report: &Value| {
        let state = |skill: &&Value| format!("{} {} {}", skill["name"], skill["kind"], skill["state"]).replace('"', "");
        on_disk(report).iter().map(state).collect::<Vec<_>>()
    };
    assert_eq!(states(&of("claude")), ["deploy skill listed"]);
    assert_eq!(states(&of("openhands")), ["deploy skill listed", "flat flat listed"]);
    let thndrs = of("thndrs");
    assert_eq!(states(&thndrs), ["deploy skill listed", "deploy skill broken"]);
    let broken = on_disk(&thndrs)[1];
    assert_holds(
        &broken["verdicts"],
        &json!({"claude": {"loads": true}, "thndrs": {"loads": false}}),
    );
    let unified = of("unified");
    assert_eq!(
        states(&unified),
        ["deploy skill listed", "deploy skill shadowed", "flat flat listed"]
    );
    let (winner, loser) = (on_disk(&unified)[0], on_disk(&unified)[1]);
    assert_eq!(winner["shadows"], json!([loser["path"]]));
    assert_eq!(loser["shadowedBy"], winner["path"]);
    assert_holds(
        &unified["alwaysOn"],
        &json!([{"name": "agents", "scope": null, "errors": []}]),
    );
    let more = place.run(&["list", "--json", "--directory", "extra/skills"]).json();
    assert!(states(&more).contains(&"more skill listed".to_owned()), "{more:#}");
    let text = place.run(&["list"]).out;
    assert!(text.contains("shadowed by .agents/skills/deploy/SKILL.md"), "{text}");
    assert!(text.contains("agents  for always  AGENTS.md"), "{text}");
}

#[test]
fn doctor_says_what_is_fine_and_what_is_not() {
    let place = Place::new(&[(".agents/skills/deploy/SKILL.md", CLEAN)]);
    let ran = place.run(&["doctor", "--json"]);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap().iter();
    let mut topics: Vec<_> = checks.map(|check| &check["topic"]).collect();
    // Of root a line more is said.
    topics.dedup();
    assert_eq!(topics, ["folders", "trust", "watching", "commands"]);
    assert_eq!(ran.code, 0, "{report:#}");
    let folder = json!(place.root.join(".agents/skills"));
    let folders = report["folders"].as_array().unwrap();
    let folder = folders.iter().find(|it| it["path"] == folder).unwrap();
    assert_holds(folder, &json!({"source": "project", "found": true, "trusted": false}));

    place.write(".claude/skills/deploy/SKILL.md", CLEAN.as_bytes());
    place.write(".agents/skills/bad/SKILL.md", NO_FRONTMATTER.as_bytes());
    place.write("../home/.claude/plugins/installed_plugins.json", b"{");
    place.write("../state/skills-ls/trust.json", b"{");
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    for expected in [
        "problem: skills: .agents/skills/bad/SKILL.md: bad is not loaded: ",
        "ok: clashes: .claude/skills/deploy/SKILL.md: deploy is shadowed by .agents/skills/deploy/SKILL.md",
        "problem: trust: The trust record",
        "problem: configuration: ",
        "not there (project): .claude/commands, ",
    ] {
        assert!(ran.out.contains(expected), "no {expected:?} in {}", ran.out);
    }
}

#[test]
fn schema_is_a_json_schema_for_each_reader() {
    let place = Place::new(&[]);
    for dialect in ["agentskills", "claude", "openhands", "thndrs", "wolffish", "unified"] {
        let schema = place.run(&["schema", "--dialect", dialect]).json();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["properties"]["description"].is_object(), "{dialect}");
    }
    assert_eq!(
        place.run(&["schema"]).out,
        place.run(&["schema", "--dialect", "unified"]).out
    );
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    // More than a pipe holds, so the program can't be done before the reader goes away.
    let fields: String = (0..2_000).map(|number| format!("field-{number}: {number}\n")).collect();
    let text = CLEAN.replace("---\nShip", &format!("{fields}---\nShip"));
    let place = Place::new(&[("deploy/SKILL.md", &text)]);
    for format in ["text", "json"] {
        let mut command = place.command(&["check", "--fail-on", "hint", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
        reader.read_line(&mut first).unwrap();
        drop(reader);
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}: {first}");
    }
}

#[test]
#[cfg(unix)]
fn nothing_that_a_file_says_reaches_the_terminal_as_a_command() {
    let escape = "\x1b[31m";
    let folder = format!("skills/{escape}red");
    let place = Place::new(&[(
        &format!("{folder}/SKILL.md"),
        &format!("---\nname: {escape}\nname: x\ndescription: {escape}\nmodel{escape}: 1\nfoo: [{escape}\n---\n"),
    )]);
    for arguments in [
        &["check", "--fail-on", "hint"][..],
        &["check", "--dialect", "agentskills"],
        &["check", &folder, &format!("{folder}/missing")],
        &["check", "--json"],
        &["list", "--for", escape, "--why"],
    ] {
        let ran = place.run(arguments);
        assert!(
            !format!("{}{}", ran.out, ran.err).contains('\x1b'),
            "{arguments:?}: {ran:?}"
        );
    }
}

#[test]
fn the_demo_runs_to_its_end() {
    let ran = Place::new(&[]).run(&["demo"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let steps = [
        "unquoted-colon",
        "+ description: \"Use when: a refund is written or changed\"",
        "refund-checks is active",
        "+ // TODO: partial refunds",
        "code action: Run skill: refund-checks",
        "+   if (!(amount > 0 && amount <= payment.amount)) {",
        "-   if (!(amount > 0 && amount <= payment.amount)) {",
        "That was all of it",
    ];
    let mut rest = ran.out.as_str();
    for step in steps {
        let at = rest.find(step).unwrap_or_else(|| panic!("no {step:?} in {rest}"));
        rest = &rest[at + step.len()..];
    }
    assert!(!ran.out.contains('\x1b'), "no colours where there is no terminal");
}

#[test]
fn the_server_ends_with_its_client() {
    let place = Place::new(&[]);
    let shutdown = json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}},
    });
    let cases: &[(&[&str], &[&Value], i32)] = &[
        (&["lsp"], &[], 1),
        (&["lsp", "--stdio"], &[], 1),
        (&["--stdio"], &[&initialize, &shutdown, &exit], 0),
        (&[], &[], 1),
        (&["lsp"], &[&initialize], 1),
        (&["lsp"], &[&initialize, &exit], 1),
        (&["lsp"], &[&initialize, &shutdown, &exit], 0),
        (&[], &[&initialize, &shutdown], 0),
    ];
    for (arguments, messages, code) in cases {
        let mut command = place.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for message in *messages {
            input.write_all(&encode(message.to_string().as_bytes())).unwrap();
        }
        drop(input);
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, *code, "{arguments:?} {messages:?}: {ran:?}");
        // Everything on stdout is protocol, and nothing is said without need.
        assert_eq!(
            ran.out.matches("Content-Length").count(),
            messages.iter().filter(|it| it["id"] != Value::Null).count()
        );
        assert_eq!(ran.err, "");
    }
}

#[test]
fn what_is_not_understood_is_said_and_exits_with_2() {
    let place = Place::new(&[]);
    for arguments in [
        &["chekc"][..],
        &["check", "--nothing"],
        &["lsp", "extra"],
        &["list", "--why"],
        &["schema", "--dialect", "vim"],
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {ran:?}");
    }
    assert_eq!(place.run(&["--help"]).code, 0);
    assert!(place.run(&["--version"]).out.starts_with("skills-ls "));
}

const TASK: &str = "---\nname: fix\ndescription: Fixes it.\ntriggers: [bug]\nrequires: [deploy]\ninputs:\n  - name: what\n---\n\
                    Fix ${what} for !`printf '%s!' $ARGUMENTS`.\n";

#[test]
fn render_shows_what_a_skill_says_and_runs_nothing_unasked() {
    let place = Place::new(&[
        (".agents/skills/fix/SKILL.md", TASK),
        (
            ".thndrs/skills/notes/SKILL.md",
            "---\nname: notes\ndescription: x\nreferences: [a.md, b.md]\n---\nBody.\n",
        ),
        (".thndrs/skills/notes/a.md", "A.\n"),
    ]);
    let ran = place.run(&["render", "fix", "--json", "a; touch ran"]);
    let report = ran.json();
    assert_holds(
        &report,
        &json!({
            "text": "Fix a; touch ran for [would run: printf '%s!' a; touch ran].",
            "arguments": {"what": "a; touch ran"},
            "missing": [],
            "commands": [{"text": "printf '%s!' a; touch ran", "ran": false, "output": null, "range": {"line": 9}}],
            "references": [],
            "bytes": TASK.len(),
        }),
    );
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));

    let ran = place.run(&["render", ".agents/skills/fix", "a;", "touch ran", "--allow-shell"]);
    assert_eq!(ran.out, "Fix a; touch ran for a;!touch ran!.\n", "{ran:?}");
    assert!(!place.root.join("ran").exists());
    let ran = place.run(&["render", "fix", "--", "--allow-shell"]);
    assert_eq!(
        ran.out, "Fix --allow-shell for [would run: printf '%s!' --allow-shell].\n",
        "{ran:?}"
    );
    let ran = place.run(&["render", "verify", "the build"]);
    assert!(
        ran.out.starts_with("# Verify a change\n\nthe build\n"),
        "what is compiled in too: {ran:?}"
    );

    // Whatever a service put into the home stays text.
    place.write(
        "../home/.claude/skills/synced/cloud/SKILL.md",
        b"---\ndescription: x\n---\n!`touch ran`\n",
    );
    let ran = place.run(&["render", "cloud", "--allow-shell"]);
    assert_eq!(ran.out, "!`touch ran`\n", "{ran:?}");
    assert!(!place.root.join("ran").exists());

    let ran = place.run(&["render", "fix"]);
    assert_eq!(ran.err, "note: missing input what\n");
    let ran = place.run(&["render", "fix", "--dialect", "openhands"]);
    assert!(ran.out.contains("ask the user to provide them first"), "{ran:?}");

    let ran = place.run(&["render", ".thndrs/skills/notes/SKILL.md", "--json"]);
    assert_holds(
        &ran.json(),
        &json!({"references": [{"bytes": 3, "stopped": null}, {"bytes": 0, "stopped": "reference path does not exist"}]}),
    );
    for arguments in [
        &["render", "nothing"][..],
        &["render", "./nothing"],
        &["render", "fix", "--dialect", "wolffish@1"],
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    }
}

#[test]
fn a_command_that_fails_ends_the_invocation() {
    let place = Place::new(&[(
        ".claude/skills/x/SKILL.md",
        "---\ndescription: x\n---\nNever !`exit 3`.\n",
    )]);
    let ran = place.run(&["render", "x", "--allow-shell"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err
            .starts_with("error: Shell command failed for pattern \"!`exit 3`\""),
        "{ran:?}"
    );
}

const GIT: &str = "---\nname: git\ndescription: Does git.\ntriggers: [git]\ntools:\n  - name: git_log\n    \
                   description: Shows it.\n---\nAlways status.\n";

#[test]
fn the_account_of_a_system_that_is_configured_counts_wherever_none_is_named() {
    let skill = "---\nname: git\ndescription: Does git. Use it when the history is to be read.\n\
                 trigger: {type: keyword, keywords: [history]}\n---\nRead.\n";
    let numbered = "---\ndescription: Says what it is given, when somebody asks.\nargument-hint: '[words]'\n\
                    user-invocable: false\n---\nSays $0.\n";
    let place = Place::new(&[
        (".openhands/skills/git/SKILL.md", skill),
        (".claude/skills/say/SKILL.md", numbered),
    ]);
    let configure = |openhands: &str, claude: &str| {
        let text = format!("dialectProfiles: {{openhands: {openhands}, claude: \"{claude}\"}}\n");
        place.write("skills-ls.yaml", text.as_bytes());
    };
    let is_active = |arguments: &[&str]| {
        let list = [&["list", "--json", "--message", "the history"], arguments].concat();
        let report = place.run(&list).json();
        let skills = report["skills"].as_array().unwrap().clone();
        let git = skills.into_iter().find(|skill| skill["name"] == "git").unwrap();
        git["active"] == true
    };
    let warns = |arguments: &[&str]| {
        let ran = place.run(&[&["check", ".openhands"], arguments].concat());
        ran.out.contains("deprecated-field")
    };
    let as_current = "openhands@current";
    let as_documented = "openhands@documented";

    let list = place.run(&["list", "--json"]).json();
    let skills = list["skills"].as_array().unwrap();
    let say = skills.iter().find(|skill| skill["name"] == "say").unwrap();
    assert_holds(say, &json!({"argumentHint": "[words]", "userInvocable": false}));

    // Skills work as documented, and what is said of the file is what the product does.
    assert!(is_active(&[]) && is_active(&["--dialect", "openhands"]) && !is_active(&["--dialect", as_current]));
    assert!(warns(&[]) && !warns(&["--dialect", as_documented]));
    assert_eq!(place.run(&["render", "say"]).out, "Says $0.\n");

    configure("current", "2.1.209");
    assert!(!is_active(&[]) && !is_active(&["--dialect", "openhands"]));
    // Who names an account is given it.
    assert!(is_active(&["--dialect", as_documented]));
    assert!(warns(&[]) && !warns(&["--dialect", as_documented]));
    assert_eq!(place.run(&["render", "say"]).out, "Says .\n");
    assert_eq!(place.run(&["render", "say", "--dialect", "claude"]).out, "Says .\n");
    assert_eq!(
        place.run(&["render", "say", "--dialect", "claude@current"]).out,
        "Says $0.\n"
    );

    configure("documented", "current");
    assert!(is_active(&[]) && !is_active(&["--dialect", as_current]));
    assert!(!warns(&[]) && !warns(&["--dialect", "openhands"]) && warns(&["--dialect", as_current]));
}

#[test]
fn the_file_of_configuration_counts_for_list_render_and_doctor() {
    let by_path = "---\ndescription: x\npaths: '*.rs'\n---\n$0\n";
    let place = Place::new(&[
        (".claude/skills/rust/SKILL.md", by_path),
        ("extra/skills/more/SKILL.md", &CLEAN.replace("deploy", "more")),
        ("elsewhere/SKILL.md", CLEAN),
        (
            "skills-ls.yaml",
            "paths: {flavour: gitignore}\ndirectories: [extra/skills]\nbundled: {disabled: [stuck]}\n\
             dialects: {'.claude/**': openhands}\n",
        ),
    ]);
    let report = place.run(&["list", "--for", "deep/main.rs", "--json"]).json();
    let skill = |report: &Value, name: &str| {
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|skill| skill["name"] == name).cloned()
    };
    assert_holds(
        &skill(&report, "rust").unwrap(),
        &json!({"dialect": "openhands", "active": true, "why": [{"matched": "deep/main.rs"}]}),
    );
    assert_holds(&skill(&report, "more").unwrap(), &json!({"source": "configured"}));
    assert_eq!(skill(&report, "stuck"), None);
    // OpenHands replaces no argument.
    assert_eq!(place.run(&["render", "rust", "x"]).out, "$0\n\nARGUMENTS: x\n");
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        ran.out.contains("ok: configuration: skills-ls.yaml: is in use"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("ok: trust: .: is not trusted"), "{}", ran.out);

    // A folder's file can't lead out of the folder, the person's own can.
    place.write(
        "skills-ls.yaml",
        b"directories: [../other, /etc, ~/mine]\npaths: {flavour: rust}\n",
    );
    place.write("../other/a/SKILL.md", CLEAN.as_bytes());
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    for expected in [
        "`directories`: ../other lies outside of this folder",
        "`directories`: /etc lies outside of this folder",
        "`directories`: ~/mine lies outside of this folder",
        "it must be claude, openhands or gitignore",
    ] {
        assert!(ran.out.contains(expected), "no {expected:?} in {}", ran.out);
    }
    assert!(!ran.out.contains("found    /etc"), "{}", ran.out);
    let ran = place.run(&["list"]);
    assert!(ran.err.contains("../other lies outside of this folder"), "{ran:?}");
    place.write("../home/.config/skills-ls/skills-ls.yaml", b"directories: [~/mine]\n");
    place.write(
        "../home/mine/own/SKILL.md",
        &CLEAN.replace("deploy", "own").into_bytes(),
    );
    assert!(skill(&place.run(&["list", "--json"]).json(), "own").is_some());
}

#[test]
fn list_tells_what_a_message_activates_and_what_the_model_is_told() {
    let place = Place::new(&[
        (".agents/skills/fix/SKILL.md", TASK),
        (".agents/skills/deploy/SKILL.md", CLEAN),
        (".claude/skills/task/SKILL.md", TASK),
        (
            ".agents/skills/broken/SKILL.md",
            "---\nname: broken\n---\nText of a broken one.\n",
        ),
        (
            ".claude/skills/rust/SKILL.md",
            "---\ndescription: For Rust.\npaths: \"*.rs\"\n---\nSecret text.\n",
        ),
    ]);
    let skill = |report: &Value, name: &str| {
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|skill| skill["name"] == name).unwrap().clone()
    };
    let report = place.run(&["list", "--message", "a BUG here", "--json"]).json();
    assert_holds(
        &skill(&report, "fix"),
        &json!({"active": true, "why": [{"kind": "task", "text": "bug", "matched": "BUG", "range": {"line": 4}}]}),
    );
    assert_holds(
        &skill(&report, "deploy"),
        &json!({"active": true, "why": [{"kind": "required-by", "text": "fix"}]}),
    );
    let text = place.run(&["list", "--message", "a BUG here", "--why"]).out;
    for expected in [
        "the message has \"BUG\", which starts this task",
        "the skill fix needs it",
        "it has no trigger; it waits for a file that matches *.rs",
        "it has no trigger; only a person may choose it",
    ] {
        assert!(text.contains(expected), "no {expected:?} in {text}");
    }
    place.write(
        ".agents/skills/needy/SKILL.md",
        b"---\nname: needy\ndescription: x\nrequires: [deplyo, needy]\n---\nx\n",
    );
    let report = place.run(&["list", "--json"]).json();
    let problems = skill(&report, "needy")["problems"].clone();
    assert!(
        problems[0].as_str().unwrap().contains("did you mean `deploy`?"),
        "{problems}"
    );
    assert!(
        problems[1].as_str().unwrap().contains("needy \u{2192} needy"),
        "{problems}"
    );

    let report = place.run(&["list", "--message", "debugger", "--json"]).json();
    let fix = skill(&report, "fix");
    assert_eq!(fix["active"], false);
    assert!(
        fix["whyNot"].as_str().unwrap().contains("only inside `debugger`"),
        "{fix}"
    );
    let ran = place.run(&["list", "--message", "bug", "--why", "--dialect", "claude"]);
    assert!(ran.out.contains("Claude Code does not read triggers"), "{ran:?}");

    let told = place.run(&["list", "--as-prompt"]).out;
    assert!(
        told.contains("- deploy: Ships") && told.contains("- fix: Fixes it."),
        "{told}"
    );
    for hidden in ["broken", "rust", "Secret", "${what}", "Ship it."] {
        assert!(!told.contains(hidden), "{hidden} in {told}");
    }
    let told = place
        .run(&["list", "--as-prompt", "--for", "main.rs", "--dialect", "thndrs"])
        .out;
    assert!(told.contains("<name>deploy</name>"), "{told}");
    assert!(!told.contains("<name>rust</name>"), "thndrs refuses its fields: {told}");
    place.write("brain/cerebellum/git/SKILL.md", GIT.as_bytes());
    place.write(
        "brain/cerebellum/plan/SKILL.md",
        b"---\nname: plan\ndescription: Plans.\ntriggers: ['*']\n---\nThink.\n",
    );
    let told = place
        .run(&["list", "--as-prompt", "--dialect", "wolffish", "--message", "git it"])
        .out;
    assert_eq!(
        told,
        "- git (1 tool) \u{2014} Does git.\n- plan (guide) \u{2014} Plans.\n\n\
         <tools>\n- git_log: Shows it. (can't be called here: its plugin is not installed)\n</tools>\n\n\
         <skills>\n<source path=\"brain/cerebellum/plan/SKILL.md\">\nThink.\n</source>\n</skills>\n",
        "neither section depends on the other"
    );
    let told = place.run(&["list", "--as-prompt"]).out;
    assert!(told.ends_with("</tools>\n") && !told.contains("<skills>"), "{told}");

    let ran = place.run(&["list", "--as-prompt", "--context-window", "1000"]);
    assert!(
        ran.out.contains("- deploy\n") && ran.err.starts_with("note: "),
        "{ran:?}"
    );
}

#[test]
fn a_repositorys_file_of_variables_changes_nothing() {
    let place = Place::new(&[]);
    let before = place.run(&["doctor"]);
    let elsewhere = place.root.join("evil").display().to_string();
    place.write("evil/skills-ls/skills-ls.yaml", b"rules:\n  empty-body: \"off\"\n");
    for name in [".env", ".envrc", ".env.local"] {
        let text = format!(
            "HOME={elsewhere}\nXDG_CONFIG_HOME={elsewhere}\nXDG_STATE_HOME={elsewhere}\nSKILLS_LS_MODEL_PROVIDER=openai\n\
             SKILLS_LS_MODEL_BASE_URL=http://evil.example\nANTHROPIC_BASE_URL=http://evil.example\n"
        );
        place.write(name, text.as_bytes());
    }
    let after = place.run(&["doctor"]);
    assert_eq!(
        (before.code, before.out, before.err),
        (after.code, after.out, after.err)
    );
}
