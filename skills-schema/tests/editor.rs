//! Completion and hover as an editor sees them. `$0` is the cursor.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use skills_schema::{
    TextSize,
    completion::{self, Completion},
    facts::Facts,
    fixes::{self, Edit},
    hover,
    syntax::SkillFile,
};

const CLAUDE: &str = ".claude/skills/deploy/SKILL.md";

fn at_cursor(text: &str) -> (SkillFile, TextSize) {
    let at = text.find("$0").expect("a cursor");
    (
        SkillFile::parse(text.replacen("$0", "", 1).into()),
        TextSize::try_from(at).unwrap(),
    )
}

fn complete(path: &str, text: &str) -> Vec<Completion> {
    let (file, offset) = at_cursor(text);
    completion::complete(&file, &Facts::of_path(path), offset)
}

fn labels(path: &str, text: &str) -> Vec<String> {
    complete(path, text).into_iter().map(|it| it.label).collect()
}

/// The text after choosing a proposal.
fn chosen(path: &str, text: &str, label: &str) -> String {
    let found = complete(path, text);
    let it = found
        .iter()
        .find(|it| it.label == label)
        .unwrap_or_else(|| panic!("{label} in {found:#?}"));
    fixes::apply(
        &text.replacen("$0", "", 1),
        &[Edit::replace(it.replace, it.insert.clone())],
    )
}

#[test]
fn fields_are_proposed_that_the_reader_knows_and_the_file_lacks() {
    let found = labels(CLAUDE, "---\nname: deploy\n$0\n---\n");
    for field in [
        "description",
        "paths",
        "allowed-tools",
        "context",
        "hooks",
        "when_to_use",
    ] {
        assert!(found.iter().any(|it| it == field), "{field} in {found:?}");
    }
    for field in ["name", "triggers", "danger_patterns", "references"] {
        assert!(!found.iter().any(|it| it == field), "{field} in {found:?}");
    }
    assert!(labels(".agents/skills/x/SKILL.md", "---\n$0\n---\n").contains(&"triggers".to_owned()));
    assert!(
        complete(CLAUDE, "---\n$0\n---\n")
            .iter()
            .all(|it| !it.documentation.is_empty() && !it.detail.is_empty())
    );
}

#[test]
fn a_proposal_replaces_the_word_at_the_cursor() {
    let cases = [
        ("---\ndesc$0\n---\n", "description", "---\ndescription: \n---\n"),
        (
            "---\nde$0sc: Ships.\n---\n",
            "description",
            "---\ndescription: Ships.\n---\n",
        ),
        ("---\ncontext: f$0\n---\n", "fork", "---\ncontext: fork\n---\n"),
        ("---\ncontext:$0\n---\n", "fork", "---\ncontext: fork\n---\n"),
        ("---\nmodel: opus$0\n---\n", "inherit", "---\nmodel: inherit\n---\n"),
        ("---\nname: $0\n---\n", "deploy", "---\nname: deploy\n---\n"),
        ("---\nuser-invocable: $0", "false", "---\nuser-invocable: false"),
        (
            "---\nhooks:\n  Pre$0\n---\n",
            "PreToolUse",
            "---\nhooks:\n  PreToolUse:\n  - \n---\n",
        ),
    ];
    for (text, label, expected) in cases {
        assert_eq!(chosen(CLAUDE, text, label), expected);
    }
}

#[test]
fn nested_fields_are_proposed_in_their_place() {
    let cases = [
        ("---\nhooks:\n  PreToolUse:\n    - $0\n---\n", "matcher"),
        (
            "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      $0\n---\n",
            "hooks",
        ),
        (
            "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: $0\n---\n",
            "command",
        ),
        ("---\nmetadata:\n  dialect: $0\n---\n", "openhands"),
        ("---\ninputs:\n- name: x\n  req$0\n---\n", "required"),
        ("---\ntrigger:\n  type: $0\n---\n", "keyword"),
        ("---\nmcp_tools:\n  mcpServers:\n    files:\n      $0\n---\n", "command"),
        ("---\nbroken: [a\ninputs:\n  - $0\n---\n", "description"),
    ];
    for (text, label) in cases {
        let found = labels("skills/x/SKILL.md", text);
        assert!(found.iter().any(|it| it == label), "{label} in {found:?} at {text}");
    }
}

#[test]
fn nothing_is_proposed_in_text_comments_and_the_body() {
    let texts = [
        "---\nname: deploy\n---\n$0\n",
        "---\ndescription: Use when $0\n---\n",
        "---\n# com$0\n---\n",
        "---\ndescription: >\n  some$0\n---\n",
        "$0---\nname: deploy\n---\n",
        "# Deploy\n$0",
        "---\nunknown:\n  $0\n---\n",
    ];
    for text in texts {
        assert_eq!(labels(CLAUDE, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_empty_file_is_offered_its_frontmatter() {
    for text in ["$0", "-$0", "---$0", "\n$0"] {
        let found = complete(CLAUDE, text);
        assert!(
            found
                .first()
                .is_some_and(|it| it.snippet && it.insert.contains("name: ${1:deploy}")),
            "{text:?}: {found:?}"
        );
    }
}

#[test]
fn a_field_that_is_never_closed_is_completed_too() {
    assert!(labels(CLAUDE, "---\nname: deploy\nallow$0").contains(&"allowed-tools".to_owned()));
    assert!(labels(CLAUDE, "---\r\nname: deploy\r\nallow$0\r\n---\r\n").contains(&"allowed-tools".to_owned()));
}

fn hover_at(text: &str) -> Option<(String, String)> {
    let (file, offset) = at_cursor(text);
    let it = hover::hover(&file, &Facts::of_path(CLAUDE), offset)?;
    Some((file.slice(it.range).to_owned(), it.markdown))
}

#[test]
fn a_key_says_what_it_is_and_who_reads_it() {
    let (word, markdown) = hover_at("---\npa$0ths: src/**\n---\n").unwrap();
    assert_eq!(word, "paths");
    assert!(
        markdown.contains("text or a list of text")
            && markdown.contains("Claude Code")
            && markdown.contains("OpenHands")
    );
    let (word, markdown) = hover_at("---\nbroken: a: b\ninputs:\n  - na$0me: x\n---\n").unwrap();
    assert_eq!(word, "name");
    assert!(markdown.contains("name of the input"), "{markdown}");
}

#[test]
fn a_word_of_a_choice_says_what_it_does() {
    let (word, markdown) = hover_at("---\ncontext: fo$0rk\n---\n").unwrap();
    assert_eq!(word, "fork");
    assert!(markdown.contains("agent of its own"));
    for text in [
        "---\nname: de$0ploy\n---\n",
        "---\nmine: $0x\n---\n",
        "---\nname: x\n---\nbo$0dy\n",
        "$0",
    ] {
        assert_eq!(hover_at(text), None, "{text}");
    }
}
