//! Frontmatter that strict readers drop, as people wrote it, and what `--fix` makes of it: the shapes of 911 files, from the
//! histories of public repositories and a collection of broken skills.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_yaml::Value;
use skills_schema::{
    facts::{Facts, FileKind},
    rules::{self, Pass},
    syntax::SkillFile,
};

/// The fields as they are broken, and as the repair leaves them.
const REPAIRED: &[(&str, &str)] = &[
    // Hints side by side, alternatives, and words in quotes.
    ("argument-hint: [a] [b]", "argument-hint: \"[a] [b]\""),
    (
        "argument-hint: [scope] | --unit | --e2e",
        "argument-hint: \"[scope] | --unit | --e2e\"",
    ),
    (
        "argument-hint: [--amend] | [message]",
        "argument-hint: \"[--amend] | [message]\"",
    ),
    (
        "argument-hint: [agent:name] [type:a|b, c]",
        "argument-hint: \"[agent:name] [type:a|b, c]\"",
    ),
    ("argument-hint: [@agent] [task]", "argument-hint: \"[@agent] [task]\""),
    ("argument-hint: [file", "argument-hint: \"[file\""),
    (
        "argument-hint: \"[a] for [b]\" or \"[a]\"",
        "argument-hint: '\"[a] for [b]\" or \"[a]\"'",
    ),
    (
        "argument-hint: \"a b\" | \"what's new\"",
        "argument-hint: '\"a b\" | \"what''s new\"'",
    ),
    ("description: Ships: now", "description: \"Ships: now\""),
    ("description: Ships: issue #3", "description: \"Ships: issue #3\""),
    ("description: Ships \"it\": now", "description: 'Ships \"it\": now'"),
    ("description: @me ships", "description: \"@me ships\""),
    (
        "description: \"Ships \"it\", \"that\" and all",
        "description: \"Ships \\\"it\\\", \\\"that\\\" and all\"",
    ),
    (
        "description: \"Says \"it\" to all\"",
        "description: \"Says \\\"it\\\" to all\"",
    ),
    (
        "description: 'Ships what's ready'",
        "description: 'Ships what''s ready'",
    ),
    (
        "description: \"Ships all that is ready.\" Use it",
        "description: \"Ships all that is ready. Use it\"",
    ),
    (
        "description: 'Ships all that is ready.\n\n  '. Use it now.",
        "description: 'Ships all that is ready.\n\n  . Use it now.'",
    ),
    (
        "description: \"Ships what is ready.",
        "description: \"Ships what is ready.\"",
    ),
    (
        "description: \"Ships \\d+ files\"",
        "description: \"Ships \\\\d+ files\"",
    ),
    (
        "description: > Ships what\n  is ready",
        "description: >\n  Ships what\n  is ready",
    ),
    ("description: > 90 of all", "description: \"> 90 of all\""),
    (
        "description:\n  Mends all of \"type\": \"module\"\n  there is",
        "description:\n  'Mends all of \"type\": \"module\"\n  there is'",
    ),
    // Text that goes on below.
    (
        "description: Ships what is ready\nand lands it.",
        "description: Ships what is ready\n  and lands it.",
    ),
    (
        "description: |\nShips what is ready.\nAll of it.",
        "description: |\n  Ships what is ready.\n  All of it.",
    ),
    (
        "description: Ships what is ready: all\nand lands it.",
        "description: |-\n  Ships what is ready: all\n  and lands it.",
    ),
    (
        "description: Ships what is ready: all\n\n<example>\nContext: One\nuser: \"Ship\"\n</example>\nlicense: MIT",
        "description: |-\n  Ships what is ready: all\n\n  <example>\n  Context: One\n  user: \"Ship\"\n  </example>\nlicense: \
         MIT",
    ),
    (
        "description: Ships what is ready: all\n  # Output\n  One line",
        "description: |-\n  Ships what is ready: all\n    # Output\n    One line",
    ),
    // Lists.
    ("tags: [@a/b>=1, c, @d/e]", "tags: [\"@a/b>=1\", c, \"@d/e\"]"),
    (
        "metadata:\n  tags: [a, b]      - name",
        "metadata:\n  tags: [a, b]      # - name",
    ),
    ("metadata:\n  tags: [a, b]      -", "metadata:\n  tags: [a, b]"),
    ("allowed-tools: [Read, Grep", "allowed-tools: [Read, Grep]"),
    (
        "metadata:\n  tags:\n    - a\n  - b",
        "metadata:\n  tags:\n    - a\n    - b",
    ),
    ("metadata:\n  a: b\n c: d\n  e: f", "metadata:\n  a: b\n  c: d\n  e: f"),
    ("license: MIT\n  version: 1", "license: MIT\nversion: 1"),
    // What a chat leaves.
    ("[cite_start]license: MIT", "license: MIT"),
    (
        "metadata:\n  [cite_start]version: \"1\" [cite: 4]",
        "metadata:\n  version: \"1\"",
    ),
    ("license：MIT", "license: MIT"),
    ("license:MIT", "license: MIT"),
    ("metadata:\n\ta: b", "metadata:\n  a: b"),
];

/// What only a person knows: nothing is changed.
const LEFT: &[&str] = &[
    // goose ends the frontmatter there, and loads what stands before.
    "description: Ships --- now: all",
    "description: Ships what is ready\nlicense MIT",
    "description: Ships\nand lands it.",
    "description: Ships what is ready\nlic",
    "description: Ships what is ready\n<<<<<<< HEAD\nlicense: MIT\n=======\nlicense: BSD\n>>>>>>> other",
    "description: Ships: all # or nothing",
    "allowed-tools: [Read, Grep] Bash",
    "description: \"Ships\\nC:\\path\"",
    "description: Ships what is ready\nowner: me\nand lands: it\nnow or later",
];

fn repaired(fields: &str) -> (String, String) {
    let head = if fields.contains("description") {
        ""
    } else {
        "description: Ships.\n"
    };
    let text = format!("---\nname: deploy\n{head}{fields}\n---\n# Deploy\n");
    let facts = Facts::of_path(".agents/skills/deploy/SKILL.md");
    let mut after = text.clone();
    for _ in 0..10 {
        let file = FileKind::Skill.parse(after.as_str().into());
        let findings = rules::report(&file, &facts, Pass::Text);
        after = rules::repaired(&file, &facts, &findings);
    }
    let is_same = |text: &str| {
        let end = text.strip_suffix("\n---\n# Deploy\n")?;
        Some(end.strip_prefix(&format!("---\nname: deploy\n{head}"))?.to_owned())
    };
    let fields = is_same(&after).unwrap();
    (fields, after)
}

#[test]
fn what_every_strict_reader_drops_is_repaired() {
    let mut wrong = Vec::new();
    for (broken, expected) in REPAIRED {
        let (fields, text) = repaired(broken);
        let yaml = text.split("---\n").nth(1).unwrap_or_default();
        let reads = serde_yaml::from_str::<Value>(text.split("\n---\n").next().unwrap().trim_start_matches("---\n"));
        if fields != *expected {
            wrong.push(format!("{broken}\n  is now {fields}\n  and not {expected}"));
        } else if let Err(error) = reads {
            wrong.push(format!("{broken}: {error}: {yaml}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_may_mean_several_things_is_left() {
    for fields in LEFT {
        assert_eq!(repaired(fields).0, **fields);
        let text = format!("---\nname: deploy\n{fields}\n---\n");
        let file = SkillFile::parse(text.as_str().into());
        assert!(!file.errors().is_empty(), "{fields}");
    }
}
