//! What an editor shows of a skill and lets one follow: outline, folds, selections, links and tokens.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use proptest::prelude::*;
use skills_schema::{
    TextRange, TextSize,
    facts::Facts,
    folding::folds,
    links::{Target, links},
    selection::selections,
    semantic_tokens::{TokenKind, tokens},
    symbols::{Symbol, symbols},
    syntax::SkillFile,
};

const SKILL: &str = "---
name: deploy
metadata:
  version: \"1.2\"
  author:
    name: me
description: Ships.
---

# Deploy

Intro with [notes](references/notes.md#part), [up](#before-you-go) and `scripts/run.sh`.

## Before you go!

- one
- two
- three
- four
- five

```sh
ls
```

### Deeper

<!-- a
comment -->

# Before you go
";

fn parse(text: &str) -> SkillFile {
    SkillFile::parse(text.into())
}

#[test]
fn the_outline_has_the_fields_and_the_headings_as_a_tree() {
    fn show(symbols: &[Symbol], depth: usize, out: &mut String) {
        for it in symbols {
            writeln!(out, "{}{:?} {} {}", "  ".repeat(depth), it.kind, it.name, it.detail).unwrap();
            show(&it.children, depth + 1, out);
        }
    }
    let mut outline = String::new();
    show(&symbols(&parse(SKILL)), 0, &mut outline);
    let outline: Vec<&str> = outline.lines().map(str::trim_end).collect();
    assert_eq!(
        outline,
        [
            "Frontmatter Frontmatter",
            "  Field name deploy",
            "  Field metadata",
            "    Field version 1.2",
            "    Field author",
            "  Field description Ships.",
            "Section Deploy",
            "  Section Before you go!",
            "    Section Deeper",
            "Section Before you go",
        ]
    );
    let names: Vec<_> = symbols(&parse("###\n# \n## x\n"))
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["(no title)", "(no title)"]);
    assert_eq!(symbols(&parse("")), []);
}

#[test]
fn long_things_fold() {
    let file = parse(SKILL);
    let found: Vec<_> = folds(&file)
        .into_iter()
        .map(|fold| {
            let mut lines = file.slice(fold.range).lines();
            (lines.next().unwrap(), lines.next_back().unwrap(), fold.is_comment)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("---", "---", false),
            ("metadata:", "    name: me", false),
            ("# Deploy", "comment -->", false),
            ("## Before you go!", "comment -->", false),
            ("- one", "- five", false),
            ("```sh", "```", false),
            ("### Deeper", "comment -->", false),
            ("<!-- a", "comment -->", true),
        ]
    );
}

#[test]
fn a_selection_grows_from_the_word_to_the_file() {
    let steps = |text: &str| {
        let at = TextSize::try_from(text.find('§').unwrap()).unwrap();
        let file = parse(&text.replace('§', ""));
        let steps = selections(&file, at);
        steps
            .into_iter()
            .map(|range| file.slice(range).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        steps("# A\n\n- see [the no§tes](notes.md) now\n- b\n\n# B\n"),
        [
            "notes",
            "[the notes](notes.md)",
            "- see [the notes](notes.md) now",
            "- see [the notes](notes.md) now\n- b",
            "# A\n\n- see [the notes](notes.md) now\n- b\n\n",
            "# A\n\n- see [the notes](notes.md) now\n- b\n\n# B\n",
        ]
    );
    assert_eq!(
        steps("---\nmetadata:\n  tags: [a, \"b §c\"]\n---\nx"),
        [
            "b c",
            "\"b c\"",
            "[a, \"b c\"]",
            "tags: [a, \"b c\"]",
            "metadata:\n  tags: [a, \"b c\"]",
            "metadata:\n  tags: [a, \"b c\"]\n",
            "---\nmetadata:\n  tags: [a, \"b c\"]\n---",
            "---\nmetadata:\n  tags: [a, \"b c\"]\n---\nx",
        ]
    );
    assert_eq!(steps("§"), [""]);
}

#[test]
fn links_lead_to_files_addresses_and_headings() {
    let body = "[a](b%20c.md?x#d%C3%A9) [w](C:\\x) <https://a.b> [h](#my-title-1) [none](#no) [](x) [d](/abs.md) [r] ![i](./i.png)\n\
                `references/a.md` `src/main.rs` @docs/x.md @~/x.md <me@x.y> [p](//x/y) [v](${CLAUDE_SKILL_DIR}/x.md)\n\n\
                [r]: ../up.md \"t\"\n\n# My Title\n# My title!\n";
    let file = parse(body);
    let found: Vec<_> = links(&file)
        .into_iter()
        .map(|link| {
            let target = match link.target {
                Target::Address(address) => address,
                Target::File { path, fragment } => format!("{path}|{fragment}"),
                Target::Heading(range) => file.slice(range).to_owned(),
            };
            (file.slice(link.range).to_owned(), target)
        })
        .collect();
    let expected = [
        ("b%20c.md?x#d%C3%A9", "b c.md|dé"),
        ("C:\\x", "C:\\x|"),
        ("https://a.b", "https://a.b"),
        ("#my-title-1", "# My title!"),
        ("x", "x|"),
        ("/abs.md", "/abs.md|"),
        ("[r]", "../up.md|"),
        ("./i.png", "./i.png|"),
        ("references/a.md", "references/a.md|"),
        ("docs/x.md", "docs/x.md|"),
        ("me@x.y", "mailto:me@x.y"),
        ("x.md", "x.md|"),
        ("../up.md", "../up.md|"),
    ];
    let expected: Vec<_> = expected
        .map(|(range, target)| (range.to_owned(), target.to_owned()))
        .into();
    assert_eq!(found, expected);
}

#[test]
fn a_path_behind_the_variable_of_the_skill_s_folder_is_a_link() {
    let cases: &[(&str, &[&str])] = &[
        ("Run ${CLAUDE_SKILL_DIR}/scripts/h.sh.", &["scripts/h.sh"]),
        ("!`\"${CLAUDE_SKILL_DIR}\"/h.sh $0`", &["h.sh"]),
        ("```sh\npython ${CLAUDE_SKILL_DIR}/a/b.py --x\n```\n", &["a/b.py"]),
        ("${CLAUDE_SKILL_DIR} ${CLAUDE_PLUGIN_ROOT}/x", &[]),
        (
            "${CLAUDE_SKILL_DIR}/*.sh ${CLAUDE_SKILL_DIR}/$0 ${CLAUDE_SKILL_DIR}/",
            &[],
        ),
    ];
    for (body, expected) in cases {
        let file = parse(body);
        let found: Vec<String> = links(&file).iter().map(|it| file.slice(it.range).to_owned()).collect();
        assert_eq!(found, *expected, "{body}");
    }
}

#[test]
fn tokens_show_what_the_file_s_own_reader_replaces_and_runs() {
    use TokenKind::{Argument, Command, File, Skill, Variable};
    let text = "---\narguments: a\ninputs:\n- name: b\n---\n$a $c \\$0 ${b} ${CLAUDE_X}\n\n!`run $a\nnow` `/ship` `x/y.md`, then /beta or\n/gamma\n\n```\n!`ls`\n```\n";
    let shown = |path: &str| {
        let file = parse(text);
        let found = tokens(&file, &Facts::of_path(path), |name| name == "beta");
        found
            .into_iter()
            .map(|it| (it.kind, file.slice(it.range).to_owned()))
            .collect::<Vec<_>>()
    };
    let owned = |expected: &[(TokenKind, &str)]| {
        expected
            .iter()
            .map(|(kind, text)| (*kind, (*text).to_owned()))
            .collect::<Vec<_>>()
    };
    let run = [
        (Command, "!`run "),
        (Argument, "$a"),
        (Command, "now`"),
        (Skill, "ship"),
        (File, "x/y.md"),
        (Skill, "beta"),
    ];
    let claude = [
        &[(Argument, "$a"), (Variable, "${CLAUDE_X}")][..],
        &run,
        &[(Command, "!`ls`")],
    ]
    .concat();
    assert_eq!(shown(".claude/skills/x/SKILL.md"), owned(&claude));
    let unified = [
        &[(Argument, "$a"), (Argument, "${b}"), (Variable, "${CLAUDE_X}")][..],
        &run,
    ]
    .concat();
    assert_eq!(shown("x/SKILL.md"), owned(&unified));
    let openhands = [
        (Command, "!`run $a"),
        (Command, "now`"),
        (Skill, "ship"),
        (File, "x/y.md"),
        (Skill, "beta"),
    ];
    assert_eq!(shown(".openhands/skills/x/SKILL.md"), owned(&openhands));
    assert_eq!(shown(".thndrs/skills/x/SKILL.md"), owned(&openhands[2..]));
}

/// Pieces from which hostile files are made.
const PIECES: &[&str] = &[
    "---\n",
    "name: x\n",
    "a:\n  - b\n",
    "# A\n",
    "## \n",
    "- x\n",
    "  - ",
    "> ",
    "```\n",
    "\n",
    "\r\n",
    "<!-- ",
    "-->",
    "[a](b#c)",
    "[x](#a)",
    "!`a $0\n`",
    "$ARGUMENTS",
    "`/x`",
    "@a.b",
    "|a|\n|-|\n",
    "é",
    "🦀",
    "word ",
    "%E9",
    "\t",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_feature_answers_for_every_text(
        text in proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
    ) {
        fn outline(symbols: &[Symbol], within: TextRange) {
            for it in symbols {
                assert!(within.contains_range(it.range) && it.range.contains_range(it.name_range), "{it:?}");
                assert!(!it.name.is_empty());
                outline(&it.children, it.range);
            }
        }
        let file = parse(&text);
        let whole = TextRange::up_to(TextSize::of(&*text));
        outline(&symbols(&file), whole);
        for pair in folds(&file).windows(2) {
            let (a, b) = (pair[0].range, pair[1].range);
            assert!(a.end() <= b.start() || a.contains_range(b), "{a:?} {b:?}");
        }
        for (at, _) in text.char_indices() {
            let steps = selections(&file, TextSize::try_from(at).unwrap());
            assert_eq!(steps.last(), Some(&whole));
            assert!(steps.windows(2).all(|pair| pair[1].contains_range(pair[0]) && pair[0] != pair[1]));
            steps.iter().for_each(|range| _ = file.slice(*range));
        }
        links(&file).iter().for_each(|link| _ = file.slice(link.range));
        for path in [".claude/skills/x/SKILL.md", ".openhands/skills/x/SKILL.md", "x/SKILL.md"] {
            let found = tokens(&file, &Facts::of_path(path), |_| true);
            assert!(found.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()), "{found:?}");
            assert!(found.iter().all(|it| !it.range.is_empty() && !file.slice(it.range).contains(['\n', '\r'])));
        }
    }
}
