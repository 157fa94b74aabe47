//! What an editor shows in the files beside skills that are data: `agents/openai.yaml`, `plugin.json`, `mcp.json`.
//! `|` is the cursor.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use skills_schema::{
    TextSize,
    completion::{Completion, complete},
    facts::{Facts, FileKind},
    fixes::{self, Edit},
    hover::hover,
    manifest::Manifest,
    rules,
    syntax::SkillFile,
};

const OPENAI: &str = ".agents/skills/deploy/agents/openai.yaml";
const PLUGIN: &str = "pack/plugin.json";
const MCP: &str = "pack/mcp.json";
const SCHEMA: &str = r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json""#;

fn read(path: &str, text: &str) -> SkillFile {
    FileKind::of_path(path).unwrap().parse(text.into())
}

fn proposals(path: &str, marked: &str) -> (String, Vec<Completion>) {
    let at = marked.find('|').expect("a cursor");
    let text = marked.replacen('|', "", 1);
    let found = complete(
        &read(path, &text),
        &Facts::of_path(path),
        TextSize::try_from(at).unwrap(),
    );
    (text, found.items)
}

#[test]
fn what_can_be_written_at_a_place_comes_from_the_file_s_table() {
    let server = |rest: &str| format!("{SCHEMA}, \"mcpServers\": {{\"db\": {{{rest}");
    let cases = [
        (OPENAI, "|", "interface policy dependencies"),
        (OPENAI, "policy:\n  |", "allow_implicit_invocation products"),
        (OPENAI, "policy:\n  allow_implicit_invocation: |", "true false"),
        (OPENAI, "policy:\n  products: []\n  all|", "allow_implicit_invocation"),
        (
            OPENAI,
            "dependencies:\n  tools:\n    - ty|",
            "type value description transport command url",
        ),
        (
            PLUGIN,
            "{\"$schema\": \"|\"}",
            "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
        ),
        (
            PLUGIN,
            "{\"author\": {|}, \"$schema\": \"agent-plugins.org\"}",
            "name email url",
        ),
        (
            PLUGIN,
            "{\"author\": {\"name\": \"a\", |}, \"$schema\": \"agent-plugins.org\"}",
            "email url",
        ),
        (
            PLUGIN,
            "{\"author\": {\"email\" |}, \"$schema\": \"agent-plugins.org\"}",
            "",
        ),
        (PLUGIN, "{\"type\": \"panel\", |", ""),
        (MCP, &server("|"), "type command args env cwd url headers"),
        (MCP, &server("\"ty|"), "type command args env cwd url headers"),
        (
            MCP,
            &server("\"ty|\", \"command\": \"é\"}}}"),
            "type args env cwd url headers",
        ),
        (MCP, &server("\"type\": |"), "stdio streamable-http sse"),
        (MCP, &server("\"type\": \"s|"), "stdio streamable-http sse"),
        (MCP, &server("\"type\": \"stdio\"|"), ""),
        (MCP, &server("\"env\": {|"), ""),
    ];
    for (path, marked, expected) in cases {
        let (_, items) = proposals(path, marked);
        let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
        assert_eq!(labels.join(" "), expected, "{path} {marked}");
    }
}

#[test]
fn a_proposal_makes_json_of_what_is_typed() {
    let cases = [
        ("{|}", "name", "{\"name\": \"\"}"),
        ("{na|}", "name", "{\"name\": \"\"}"),
        ("{\"na|}", "name", "{\"name\": \"\""),
        ("{\"na|\"}", "name", "{\"name\": \"\"}"),
        (
            "{\"|\": \"x\", \"$schema\": \"agent-plugins.org\"}",
            "name",
            "{\"name\": \"x\", \"$schema\": \"agent-plugins.org\"}",
        ),
        (
            "{\"$schema\": \"agent-plugins.org\", |}",
            "keywords",
            "{\"$schema\": \"agent-plugins.org\", \"keywords\": []}",
        ),
    ];
    for (marked, label, expected) in cases {
        let (text, items) = proposals(PLUGIN, marked);
        let item = items.iter().find(|item| item.label == label).expect(marked);
        let after = fixes::apply(&text, &[Edit::replace(item.replace, item.insert.as_str())]);
        assert_eq!(after, expected, "{marked}");
    }
}

#[test]
fn hover_explains_a_field_and_a_word() {
    let cases = [
        (
            OPENAI,
            "policy:\n  allow_implicit_|invocation: false\n",
            "`$name` still starts it",
        ),
        (
            PLUGIN,
            "{\"na|me\": \"x\", \"$schema\": \"agent-plugins.org\"}",
            "1 to 64 lower-case letters",
        ),
        (
            MCP,
            "{\"$schema\": \"agent-plugins.org\", \"mcpServers\": {\"x\": {\"type\": \"s|se\"}}}",
            "in the older way",
        ),
    ];
    for (path, marked, expected) in cases {
        let at = marked.find('|').unwrap();
        let file = read(path, &marked.replacen('|', "", 1));
        let found = hover(&file, &Facts::of_path(path), TextSize::try_from(at).unwrap()).expect(marked);
        assert!(found.markdown.contains(expected), "{marked}: {}", found.markdown);
    }
    let file = read(PLUGIN, "{\"name\": \"Clock\", \"type\": \"panel\"}");
    assert_eq!(
        hover(&file, &Facts::of_path(PLUGIN), 3.into()),
        None,
        "another program's"
    );
}

/// Cuts and odd bytes at every place: nothing panics, and every range lies inside.
#[test]
fn broken_files_are_data() {
    let whole = format!(
        "{SCHEMA}, \"mcpServers\": {{\"é\\\"\": {{\"type\": \"stdio\", \"args\": [\"${{X}}\"], \"env\": {{}}}}}}}}"
    );
    let yaml = "interface:\n  display_name: 'é'\npolicy: {allow_implicit_invocation: false}\n";
    let deep = "[".repeat(5_000);
    let cut =
        |text: &str, at: usize, put: &str| text.get(..at).zip(text.get(at..)).map(|(a, b)| format!("{a}{put}{b}"));
    let mut texts = vec![
        String::new(),
        deep.clone(),
        format!("{{\"mcpServers\": {deep}"),
        "\u{feff}{}".to_owned(),
    ];
    for text in [whole.as_str(), yaml] {
        for at in 0..text.len() {
            texts.extend(text.get(..at).map(str::to_owned));
            texts.extend(["\"", "\\", "{", "\t", "é"].iter().filter_map(|put| cut(text, at, put)));
        }
    }
    for manifest in Manifest::all() {
        let path = [OPENAI, PLUGIN, MCP]
            .into_iter()
            .find(|path| FileKind::of_path(path) == Some(manifest.kind));
        let facts = Facts::of_path(path.expect("an example of every kind"));
        for text in &texts {
            let file = manifest.kind.parse(text.as_str().into());
            for finding in rules::check(&file, &facts) {
                assert!(
                    text.get(std::ops::Range::<usize>::from(finding.range)).is_some(),
                    "{text}"
                );
            }
            for at in (0..=text.len()).step_by(7) {
                let at = TextSize::try_from(at).unwrap();
                let items = complete(&file, &facts, at).items;
                assert!(
                    items
                        .iter()
                        .all(|item| text.get(std::ops::Range::<usize>::from(item.replace)).is_some())
                );
            }
        }
    }
}
