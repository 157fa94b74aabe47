//! Completion and hover as an editor sees them. `$0` is the cursor.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use skills_schema::{
    TextRange, TextSize,
    completion::{self, Completion, FolderEntry, Wanted, What},
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
    completion::complete(&file, &Facts::of_path(path), offset).items
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
            "---\nhooks:\n  PreToolUse:\n    - \n---\n",
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
                .is_some_and(|it| it.insert.contains("name: deploy")
                    && it.snippet.as_ref().unwrap().contains("name: ${1:deploy}")),
            "{text:?}: {found:?}"
        );
    }
}

#[test]
fn a_field_that_is_never_closed_is_completed_too() {
    assert!(labels(CLAUDE, "---\nname: deploy\nallow$0").contains(&"allowed-tools".to_owned()));
    assert!(labels(CLAUDE, "---\r\nname: deploy\r\nallow$0\r\n---\r\n").contains(&"allowed-tools".to_owned()));
}

#[test]
fn a_used_key_is_not_proposed_again_at_any_depth() {
    let cases = [
        (
            "---\ninputs:\n  - name: x\n    $0\n    required: true\n---\n",
            "description",
            ["name", "required"],
        ),
        (
            "---\ninputs:\n  - $0\n    name: x\n    type: y\n---\n",
            "required",
            ["name", "type"],
        ),
        ("---\ninputs:\n  - name: x\n  - $0\n---\n", "name", ["-", "-"]),
        (
            "---\n$0\nname: x\nallowed_tools: y\n---\n",
            "description",
            ["name", "allowed-tools"],
        ),
        (
            "---\nshell:\n  interpreter: x\n  $0\npaths: y\n---\n",
            "timeout",
            ["interpreter", "paths"],
        ),
    ];
    for (text, label, used) in cases {
        let found = labels("skills/x/SKILL.md", text);
        assert!(found.iter().any(|it| it == label), "{label} in {found:?} at {text}");
        assert!(
            !found.iter().any(|it| used.contains(&it.as_str())),
            "{found:?} at {text}"
        );
    }
}

#[test]
fn fields_come_with_placeholders_for_clients_that_have_them() {
    let snippet = |text: &str, label: &str| {
        let found = complete("skills/x/SKILL.md", text);
        found.into_iter().find(|it| it.label == label).unwrap().snippet.unwrap()
    };
    for (text, label, expected) in [
        ("---\n$0\n---\n", "user-invocable", "user-invocable: ${1|true,false|}"),
        ("---\n$0\n---\n", "paths", "paths: ${1:src/**/*.ts}"),
        ("---\n$0\n---\n", "requires", "requires:\n  - ${1:shell}"),
        ("---\n$0\n---\n", "inputs", "inputs:\n  - name: $1\n    description: $2"),
        ("---\n$0\n---\n", "hooks", "hooks:\n  $1"),
        (
            "---\nhooks:\n  $0\n---\n",
            "PostToolUse",
            "PostToolUse:\n  - matcher: ${1:Bash}\n    hooks:\n      - type: ${2|command,http,mcp_tool,prompt,agent|}\n        command: $3",
        ),
        (
            "---\nhooks:\n  Stop:\n  - $0\n---\n",
            "hooks",
            "hooks:\n    - type: ${1|command,http,mcp_tool,prompt,agent|}\n      command: $2",
        ),
    ] {
        assert_eq!(snippet(text, label), expected);
    }
}

#[test]
fn tools_and_their_patterns_are_proposed_in_every_spelling() {
    let cases = [
        (
            "---\nallowed-tools: Re$0\n---\n",
            "Read",
            "---\nallowed-tools: Read\n---\n",
        ),
        (
            "---\nallowed-tools: Read, Gr$0\n---\n",
            "Grep",
            "---\nallowed-tools: Read, Grep\n---\n",
        ),
        (
            "---\nallowed-tools: Read Gr$0 Edit\n---\n",
            "Grep",
            "---\nallowed-tools: Read Grep Edit\n---\n",
        ),
        (
            "---\nallowed-tools: Bash(git$0\n---\n",
            "Bash(git *)",
            "---\nallowed-tools: Bash(git *)\n---\n",
        ),
        (
            "---\nallowed-tools: Read, Bash(git a$0), Edit\n---\n",
            "Bash(git add *)",
            "---\nallowed-tools: Read, Bash(git add *), Edit\n---\n",
        ),
        (
            "---\nallowed-tools: [Read, B$0]\n---\n",
            "Bash",
            "---\nallowed-tools: [Read, Bash]\n---\n",
        ),
        (
            "---\nallowed-tools: [\"Read\", \"B$0\"]\n---\n",
            "Bash",
            "---\nallowed-tools: [\"Read\", \"Bash\"]\n---\n",
        ),
        (
            "---\nallowed-tools:\n  - Read\n  - $0\n---\n",
            "Bash(git *)",
            "---\nallowed-tools:\n  - Read\n  - Bash(git *)\n---\n",
        ),
        (
            "---\nallowed-tools:\n- 'E$0'\n---\n",
            "Edit",
            "---\nallowed-tools:\n- 'Edit'\n---\n",
        ),
        (
            "---\nhooks:\n  PreToolUse:\n    - matcher: Edit|W$0\n---\n",
            "Write",
            "---\nhooks:\n  PreToolUse:\n    - matcher: Edit|Write\n---\n",
        ),
        ("---\nagent: E$0\n---\n", "Explore", "---\nagent: Explore\n---\n"),
    ];
    for (text, label, expected) in cases {
        assert_eq!(chosen(CLAUDE, text, label), expected);
    }
    let matcher = labels(CLAUDE, "---\nhooks:\n  PreToolUse:\n  - matcher: $0\n---\n");
    assert!(
        matcher.iter().any(|it| it == "Bash") && !matcher.iter().any(|it| it.contains('(')),
        "a matcher takes names: {matcher:?}"
    );
    let matcher_of = |event| labels(CLAUDE, &format!("---\nhooks:\n  {event}:\n  - matcher: $0\n---\n"));
    assert_eq!(matcher_of("PreCompact"), ["manual", "auto"]);
    assert_eq!(
        matcher_of("SessionStart"),
        ["startup", "resume", "clear", "compact", "fork"]
    );
    assert_eq!(matcher_of("Stop"), [""; 0], "it passes over a matcher");
    assert_eq!(
        labels(CLAUDE, "---\nallowed-tools: \"Read\" $0\n---\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_list_in_brackets_may_go_over_several_lines() {
    for (text, expected) in [
        (
            "---\nallowed-tools: [Read,\n  Gl$0",
            "---\nallowed-tools: [Read,\n  Glob",
        ),
        (
            "---\nallowed-tools: [\n  Read,\n  Gl$0,\n]\n---\n",
            "---\nallowed-tools: [\n  Read,\n  Glob,\n]\n---\n",
        ),
        (
            "---\nallowed-tools:\n  [Read, 'Gl$0']\n---\n",
            "---\nallowed-tools:\n  [Read, 'Glob']\n---\n",
        ),
        (
            "---\nallowed-tools: [Read,\nGl$0\n]\nname: x\n---\n",
            "---\nallowed-tools: [Read,\nGlob\n]\nname: x\n---\n",
        ),
    ] {
        assert_eq!(chosen(CLAUDE, text, "Glob"), expected);
    }
    let nothing = "---\nallowed-tools: [Read]\nname: Gl$0\n---\n";
    assert!(!labels(CLAUDE, nothing).contains(&"Glob".to_owned()));
}

#[test]
fn a_list_that_nobody_closed_ends_at_the_next_field() {
    let cases = [
        ("---\nallowed-tools: [Read\neffort: $0\n---\n", "high", "effort: high"),
        ("---\nallowed-tools: [Read,\neffort: h$0\n---\n", "high", "effort: high"),
        ("---\nallowed-tools: [Read\neff$0\n---\n", "effort", "[Read\neffort: "),
        ("---\nallowed-tools: [Read\n$0\n---\n", "effort", "[Read\neffort: "),
        ("---\nallowed-tools:\neff$0\n---\n", "effort", "\neffort: "),
    ];
    for (text, label, expected) in cases {
        let found = chosen(CLAUDE, text, label);
        assert!(found.contains(expected), "{found}");
        assert!(!labels(CLAUDE, text).contains(&"Glob".to_owned()), "{text}");
    }
}

#[test]
fn a_subagent_names_skills_and_has_no_fields_of_a_skill() {
    let wanted = |text: &str| {
        let (text, offset) = at_last_cursor(text);
        let file = SkillFile::parse(text.into());
        let found = completion::complete(&file, &Facts::of_path(".claude/agents/rev.md"), offset);
        assert_eq!(found.items, [], "{}", file.text);
        found.wanted.map(|it| file.slice(it.replace).to_owned())
    };
    let cases = [
        ("---\nskills: [al$0]\n---\n", Some("al")),
        ("---\nskills:\n  - al$0\n---\n", Some("al")),
        ("---\nskills: a, al$0\n---\n", Some("al")),
        ("---\nname: rev\n---\nUse /al$0.\n", Some("al")),
        ("---\nname: rev\n---\nUse $al$0.\n", Some("al")),
        ("---\nname: rev\nal$0\n---\n", None),
        ("---\nname: rev\neffort: $0\n---\n", None),
        ("$0", None),
    ];
    for (text, expected) in cases {
        assert_eq!(wanted(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn placeholders_are_proposed_where_the_reader_replaces_them() {
    let text = "---\narguments: file\ninputs:\n- name: what\n---\nRun $0 now\n";
    let at = |typed: &str| text.replace("$0", &format!("{typed}$0"));
    let cases = [
        ("$f", "$file", "Run $file now"),
        ("$", "$ARGUMENTS", "Run $ARGUMENTS now"),
        ("$", "$0", "Run $0 now"),
        ("${CLAUDE_S", "${CLAUDE_SKILL_DIR}", "Run ${CLAUDE_SKILL_DIR} now"),
        ("$ARGUMENTS[", "$ARGUMENTS[0]", "Run $ARGUMENTS[0] now"),
    ];
    for (typed, label, expected) in cases {
        let found = chosen_at_last(CLAUDE, &at(typed), label);
        assert!(found.contains(expected), "{found}");
    }
    let of = |path: &str| labels_at_last(path, &at("$"));
    assert!(of("x/SKILL.md").contains(&"${what}".to_owned()));
    assert!(!of(CLAUDE).contains(&"${what}".to_owned()));
    assert_eq!(of(".openhands/skills/x/SKILL.md"), ["${what}"]);
    assert_eq!(of(".thndrs/skills/x/SKILL.md"), Vec::<String>::new());
    assert_eq!(labels_at_last(CLAUDE, &at("\\$")), Vec::<String>::new(), "an escape");
}

/// Text with placeholders has `$0` of its own: the cursor is the last one.
fn at_last_cursor(text: &str) -> (String, TextSize) {
    let at = text.rfind("$0").unwrap();
    (
        format!("{}{}", &text[..at], &text[at + 2..]),
        TextSize::try_from(at).unwrap(),
    )
}

fn labels_at_last(path: &str, text: &str) -> Vec<String> {
    let (text, offset) = at_last_cursor(text);
    let file = SkillFile::parse(text.into());
    let found = completion::complete(&file, &Facts::of_path(path), offset).items;
    found.into_iter().map(|it| it.label).collect()
}

fn chosen_at_last(path: &str, text: &str, label: &str) -> String {
    let (text, offset) = at_last_cursor(text);
    let file = SkillFile::parse(text.as_str().into());
    let found = completion::complete(&file, &Facts::of_path(path), offset).items;
    let it = found
        .iter()
        .find(|it| it.label == label)
        .unwrap_or_else(|| panic!("{label} in {found:#?}"));
    fixes::apply(&text, &[Edit::replace(it.replace, it.insert.clone())])
}

#[test]
fn skills_files_and_globs_are_asked_for_where_they_belong() {
    let wanted = |text: &str| {
        let (file, offset) = at_cursor(text);
        let it = completion::complete(&file, &Facts::of_path("skills/x/SKILL.md"), offset).wanted?;
        Some((file.slice(it.replace).to_owned(), it.what))
    };
    let files = |folder: &str, is_address| What::Files {
        folder: folder.to_owned(),
        is_address,
    };
    let headings = |file: &str| What::Headings { file: file.to_owned() };
    let globs = |folder: &str| What::Globs {
        folder: folder.to_owned(),
    };
    let cases = [
        ("---\nrequires:\n  - sh$0\n---\n", "sh", What::Skills),
        ("---\nrequires: [a, \"sh$0ell\"]\n---\n", "shell", What::Skills),
        ("---\nskills: $0\n---\n", "", What::Skills),
        ("---\n---\nRun /de$0ploy.\n", "deploy", What::Skills),
        ("---\n---\nRun `/de$0`\n", "de", What::Skills),
        ("---\n---\nRun $de$0\n", "de", What::Skills),
        ("---\nreferences:\n  - $0\n---\n", "", files("", false)),
        (
            "---\nreferences:\n  - a/b/no$0tes.md\n---\n",
            "notes.md",
            files("a/b/", false),
        ),
        ("---\n---\nSee [x](./refs/no$0) now\n", "no", files("refs/", true)),
        ("---\n---\nSee ![x]($0\n", "", files("", true)),
        ("---\n---\n[x]: a%20b/$0\n", "", files("a b/", true)),
        ("---\n---\n<img src=\"$0\">\n", "", files("", true)),
        ("---\n---\nSee @docs/$0\n", "", files("docs/", false)),
        ("---\n---\nSee `references/$0`\n", "", files("references/", false)),
        ("---\n---\n[x](../$0)\n", "", files("../", true)),
        ("---\n---\n[x](../b/./../c/n$0)\n", "n", files("../c/", true)),
        ("---\n---\n[x](a/b.md#$0)\n", "", headings("a/b.md")),
        ("---\n---\n[x](../a%20b.md#se$0c)\n", "sec", headings("../a b.md")),
        (
            "---\n---\nRun `${CLAUDE_SKILL_DIR}/scripts/h$0`\n",
            "h",
            files("scripts/", false),
        ),
        (
            "---\n---\n```sh\n\"${CLAUDE_SKILL_DIR}\"/$0\n```\n",
            "",
            files("", false),
        ),
        ("---\n---\n[x](${CLAUDE_SKILL_DIR}/$0)\n", "", files("", false)),
        ("---\npaths: src/$0\n---\n", "", globs("src/")),
        ("---\npaths: \"a, src/co$0\"\n---\n", "co", globs("src/")),
        ("---\npaths:\n  - /$0\n---\n", "", globs("")),
    ];
    for (text, word, what) in cases {
        assert_eq!(wanted(text), Some((word.to_owned(), what)), "{text}");
    }
    let nothing = [
        "---\n---\n[x](https://a.b/#$0)\n",
        "---\n---\n[x](a/#$0)\n",
        "---\n---\n${CLAUDE_SKILL_DIR} /a $0\n",
        "---\n---\n[x](/etc/$0)\n",
        "---\n---\n[x](https://$0)\n",
        "---\nreferences:\n  - a/../../$0\n---\n",
        "---\npaths: src/**/$0\n---\n",
        "---\n---\n```sh\nls /u$0\n```\n",
        "---\n---\na/b$0\n",
        "---\n---\nplain$0\n",
    ];
    for text in nothing {
        assert_eq!(wanted(text), None, "{text}");
    }
}

#[test]
fn headings_complete_the_link_to_one() {
    let text = "# First thing\n\n[x](#fi$0)\n";
    assert_eq!(
        chosen(CLAUDE, text, "first-thing"),
        "# First thing\n\n[x](#first-thing)\n"
    );
}

#[test]
fn a_folder_s_files_become_proposals() {
    let entry = |name: &str, is_file| FolderEntry {
        is_file,
        name: name.to_owned(),
    };
    let entries = [
        entry("sub dir", false),
        entry("a (1).md", true),
        entry("b.ts", true),
        entry(".env", true),
    ];
    let of = |what| {
        let wanted = Wanted {
            replace: TextRange::default(),
            what,
        };
        let found = wanted.entries(&entries);
        found.into_iter().map(|it| (it.label, it.insert)).collect::<Vec<_>>()
    };
    let pairs = |all: &[(&str, &str)]| {
        all.iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect::<Vec<_>>()
    };
    let folder = String::new();
    assert_eq!(
        of(What::Files {
            folder: folder.clone(),
            is_address: true
        }),
        pairs(&[
            ("sub dir/", "sub%20dir/"),
            ("a (1).md", "a%20%281%29.md"),
            ("b.ts", "b.ts"),
            (".env", ".env")
        ])
    );
    let globs: Vec<String> = of(What::Globs { folder }).into_iter().map(|(label, _)| label).collect();
    assert_eq!(globs, ["sub dir/", "*.md", "**/*.md", "*.ts", "**/*.ts", "**"]);
}

fn hover_at(text: &str) -> Option<(String, String)> {
    hover_in(CLAUDE, text)
}

fn hover_in(path: &str, text: &str) -> Option<(String, String)> {
    let (file, offset) = at_cursor(text);
    let it = hover::hover(&file, &Facts::of_path(path), offset)?;
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

#[test]
fn values_and_what_the_body_replaces_are_explained() {
    let cases = [
        (
            "---\nallowed-tools: Read, Bash(git $0add *)\n---\n",
            "Bash(git add *)",
            "start with it and a space",
        ),
        (
            "---\nallowed-tools:\n  - \"We$0bFetch\"\n---\n",
            "WebFetch",
            "a page of the web",
        ),
        ("---\npaths: src/**, $0*.md\n---\n", "*.md", "the project's own folder"),
        ("---\nagent: Exp$0lore\n---\n", "Explore", "changes nothing"),
        ("---\narguments: a b\n---\nx $b$0\n", "$b", "number 1"),
        ("---\n---\n$ARGU$0MENTS\n", "$ARGUMENTS", "All that is typed"),
        (
            "---\n---\n${CLAUDE_SKILL$0_DIR}\n",
            "${CLAUDE_SKILL_DIR}",
            "folder of this skill",
        ),
        (
            "---\n---\n!`gi$0t status`\n",
            "!`git status`",
            "Claude Code and OpenHands would run this when the skill is invoked, opencode when a person invokes it by name.",
        ),
    ];
    for (text, word, expected) in cases {
        let (found, markdown) = hover_at(text).unwrap_or_else(|| panic!("nothing at {text}"));
        assert_eq!(found, word, "{text}");
        assert!(markdown.contains(expected), "{markdown}");
    }
}

#[test]
fn a_placeholder_means_what_its_reader_makes_of_it() {
    let (open_code, goose, pi) = (
        ".opencode/skills/a/SKILL.md",
        ".goose/skills/a/SKILL.md",
        ".pi/skills/a/SKILL.md",
    );
    for (path, placeholder, expected) in [
        (open_code, "$$0ARGUMENTS", "All that is typed"),
        (
            open_code,
            "$$02",
            "number 2, counted from 1. The highest number takes all that is left.",
        ),
        (
            open_code,
            "$$00",
            "The word `undefined`: opencode counts arguments from 1.",
        ),
        (
            open_code,
            "${CLAUDE_SKILL$0_DIR}",
            "opencode does not replace it; Claude Code would.",
        ),
        (goose, "$$01", "The argument number 1, counted from 1."),
        (pi, "$$0ARGUMENTS", "pi does not replace it; Claude Code would."),
    ] {
        let text = format!("---\nname: a\ndescription: b\n---\nx {placeholder} y\n");
        let (_, markdown) = hover_in(path, &text).unwrap_or_else(|| panic!("nothing at {text}"));
        assert!(markdown.contains(expected), "{path}: {placeholder}: {markdown}");
    }
}
