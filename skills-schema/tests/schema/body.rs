//! What stands in the body, and exactly where.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use skills_schema::{
    TextRange,
    dialect::Dialect,
    syntax::{BlockKind, CommandForm, Guard, LinkKind, MentionKind, PlaceholderKind, SkillFile},
};

fn parse(body: &str) -> SkillFile {
    SkillFile::parse(format!("---\nname: déploy\n---\n{body}").into())
}

#[test]
fn destinations_are_found_to_the_character() {
    use LinkKind::{Autolink, Html, Inline, Reference};
    type Expected<'a> = &'a [(LinkKind, &'a str, &'a str)];
    let cases: &[(&str, Expected)] = &[
        (
            "[notes](references/notes.md)",
            &[(Inline, "references/notes.md", "references/notes.md")],
        ),
        ("[é](<a b.md> \"title\") x", &[(Inline, "a b.md", "a b.md")]),
        ("[a](\u{b}b.md)", &[(Inline, "b.md", "b.md")]),
        ("[x](a(b)c 'a](b')", &[(Inline, "a(b)c", "a(b)c")]),
        (r"[a\](b](c\)d)", &[(Inline, r"c\)d", "c)d")]),
        ("[`](x)`](y)", &[(Inline, "y", "y")]),
        ("[*a*  **b**](y?a=1&amp;b)", &[(Inline, "y?a=1&amp;b", "y?a=1&b")]),
        (
            "[](empty.md) []()",
            &[(Inline, "empty.md", "empty.md"), (Inline, "", "")],
        ),
        (
            "![alt](i.png) ![](j.png)",
            &[(Inline, "i.png", "i.png"), (Inline, "j.png", "j.png")],
        ),
        (
            "[![i](i.png)](l.md)",
            &[(Inline, "l.md", "l.md"), (Inline, "i.png", "i.png")],
        ),
        ("> [a\n> b](\n> c.md\n> 'd')", &[(Inline, "c.md", "c.md")]),
        (
            "[a][R] [r][] [r]\n\n[r]: <d e> 't'",
            &[
                (Reference, "d e", "d e"),
                (Reference, "d e", "d e"),
                (Reference, "d e", "d e"),
            ],
        ),
        ("[r\\]]\n\n[r\\]]:\n  x.md", &[(Reference, "x.md", "x.md")]),
        (
            "<https://a.b/c> <me@x.org>",
            &[
                (Autolink, "https://a.b/c", "https://a.b/c"),
                (Autolink, "me@x.org", "mailto:me@x.org"),
            ],
        ),
        (
            "see <a href='x.md'>x</a> <IMG alt=\"a > b\" src=y.png>",
            &[(Html, "x.md", "x.md"), (Html, "y.png", "y.png")],
        ),
        ("<div>\n<a\n href=\"x\">\n</div>", &[(Html, "x", "x")]),
        ("| a |\n|---|\n| [x](y\\|z) |", &[(Inline, "y\\|z", "y|z")]),
        (
            "`[x](y)` and\n\n    [x](y)\n\n```\n[x](y)\n```\n<!-- [x](y) <a href=z> -->\n\\[x](y) [x] (y)",
            &[],
        ),
    ];
    for (body, expected) in cases {
        for end in ["\n", "\r\n"] {
            let file = parse(&body.replace('\n', end));
            let found: Vec<_> = file
                .markdown()
                .links
                .iter()
                .map(|it| (it.kind, file.slice(it.destination.range), it.destination.text.as_str()))
                .collect();
            assert_eq!(found, *expected, "{body}");
        }
    }
}

#[test]
fn headings_say_their_words_and_divide_the_body() {
    let file = parse("# One *and* `two` #\n\ntext\n\nThree\n  more\n===\n\n## Four\n### \n> # no\n\n- # no\n");
    let found: Vec<_> = file
        .markdown()
        .headings
        .iter()
        .map(|it| {
            (
                it.level,
                it.text.as_str(),
                file.slice(it.range),
                file.slice(it.text_range),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (1, "One and two", "# One *and* `two` #", "One *and* `two`"),
            (1, "Three more", "Three\n  more\n===", "Three\n  more"),
            (2, "Four", "## Four", "Four"),
            (3, "", "###", ""),
        ]
    );
    assert!(file.slice(file.markdown().section(0, &file)).ends_with("text\n\n"));
    assert!(file.slice(file.markdown().section(1, &file)).ends_with("no\n"));
    assert!(file.slice(file.markdown().section(2, &file)).ends_with("- # no\n"));
}

#[test]
fn code_knows_its_fences_and_its_text() {
    let file = parse(
        "```sh -x\nls\n```\n~~~~\n~~~\n~~~~\n- x\n\n  ```rust\n  a\n\n  b\n  ```\n\n1. y\n\n       indented\n\n`` a`b `` `c`\n\n```\nopen\n",
    );
    let found: Vec<_> = file
        .markdown()
        .code_blocks
        .iter()
        .map(|it| (it.is_fenced, file.slice(it.info), file.slice(it.content)))
        .collect();
    assert_eq!(
        found,
        [
            (true, "sh -x", "ls"),
            (true, "", "~~~"),
            (true, "rust", "a\n\n  b"),
            (false, "", "indented"),
            (true, "", "open"),
        ]
    );
    let spans: Vec<_> = file
        .markdown()
        .code_spans
        .iter()
        .map(|it| file.slice(it.content))
        .collect();
    assert_eq!(spans, [" a`b ", "c"]);
    let blocks = &file.markdown().blocks;
    let lists: Vec<_> = blocks
        .iter()
        .filter(|it| it.kind == BlockKind::List)
        .map(|it| file.slice(it.range))
        .collect();
    assert_eq!(
        lists,
        ["- x\n\n  ```rust\n  a\n\n  b\n  ```", "1. y\n\n       indented"]
    );
}

#[test]
fn placeholders_are_those_of_claude_code() {
    use PlaceholderKind::{Arguments, Index, Input, Named, Undeclared, Variable};
    let file = SkillFile::parse(
        "---\narguments: issue a-b a\ninputs:\n  - name: city\n---\n\
         $ARGUMENTS $ARGUMENTS[2] $0 $1st $issue $issues $a-b $a. $issue[0] \\$0 \\\\$0 ${CLAUDE_SKILL_DIR} ${city} ${HOME} \
         \\${CLAUDE_X} `$1` $ARGUMENTS_FILE $ARGUMENTS[x]\n```\n$é $99999999999999999999\n```\n"
            .into(),
    );
    let found: Vec<_> = file
        .markdown()
        .placeholders
        .iter()
        .map(|it| (file.slice(it.range), it.kind, it.is_escaped))
        .collect();
    assert_eq!(
        found,
        [
            ("$ARGUMENTS", Arguments, false),
            ("$ARGUMENTS[2]", Index(2), false),
            ("$0", Index(0), false),
            ("$issue", Named(0), false),
            ("$issues", Undeclared, false),
            ("$a-b", Named(1), false),
            ("$a", Named(2), false),
            ("$issue", Undeclared, false),
            ("$0", Index(0), true),
            ("$0", Index(0), false),
            ("${CLAUDE_SKILL_DIR}", Variable, false),
            ("${city}", Input(0), false),
            ("${CLAUDE_X}", Variable, false),
            ("$1", Index(1), false),
            ("$ARGUMENTS", Arguments, false),
            ("$99999999999999999999", Index(usize::MAX), false),
        ]
    );
    let names = parse("$HOME $file $ARGUMENTS").markdown().placeholders.len();
    assert_eq!(names, 1, "without declared arguments a word is a shell's variable");
}

#[test]
fn commands_run_where_their_reader_runs_them() {
    const C: &[Dialect] = &[Dialect::Claude];
    const O: &[Dialect] = &[Dialect::OpenHands];
    const CO: &[Dialect] = &[Dialect::Claude, Dialect::OpenHands];
    const COU: &[Dialect] = &[Dialect::Claude, Dialect::OpenHands, Dialect::Unified];
    const CU: &[Dialect] = &[Dialect::Claude, Dialect::Unified];
    use Guard::{Backslash, CodeBlock, CodeSpan, Comment};
    type Expected<'a> = &'a [(&'a str, Option<Guard>, &'a [Dialect])];
    let cases: &[(&str, Expected)] = &[
        ("!`git status`", &[("git status", None, COU)]),
        ("- PR: !`gh pr view`", &[("gh pr view", None, COU)]),
        ("KEY=!`cmd`", &[("cmd", None, O)]),
        ("a !`b` !`c`", &[("b", None, COU), ("c", None, COU)]),
        ("!`` !` `", &[(" ", None, CU)]),
        (r"\!`echo`", &[("echo", Some(Backslash), &[])]),
        ("`!`cmd`", &[("cmd", Some(CodeSpan), &[])]),
        ("`` !`cmd` ``", &[("cmd", Some(CodeSpan), C)]),
        ("```\n!`cmd`\n```", &[("cmd", Some(CodeBlock), C)]),
        ("~~~\n!`cmd`\n~~~", &[("cmd", Some(CodeBlock), CO)]),
        ("    !`cmd`", &[("cmd", Some(CodeBlock), CO)]),
        ("<!-- !`cmd` -->", &[("cmd", Some(Comment), CO)]),
        ("x <!-- y !`cmd` --> z", &[("cmd", Some(Comment), CO)]),
        ("```\nopen\n!`cmd`\n", &[("cmd", Some(CodeBlock), C)]),
        ("````\n```\n!`cmd`\n```\n````", &[("cmd", Some(CodeBlock), CO)]),
        ("a ` b !`cmd` c", &[("cmd", Some(CodeSpan), C)]),
        ("!`a\nb`", &[("a\nb", None, COU)]),
        ("```!\nls\n```", &[("ls", None, CU)]),
        ("- x\n\n  ```! sh\n  ls\n  ```\n", &[("ls", None, CU)]),
        ("````md\n```!\nls\n```\n````", &[("ls", Some(CodeBlock), C)]),
        ("text ```! x", &[]),
        ("wow! `x` and !\n`y`", &[]),
    ];
    for (body, expected) in cases {
        let file = parse(body);
        let found: Vec<_> = file
            .markdown()
            .commands
            .iter()
            .map(|it| {
                let readers: Vec<Dialect> = Dialect::ALL
                    .into_iter()
                    // opencode runs each that is written between backticks, whatever stands around it.
                    .filter(|dialect| *dialect != Dialect::OpenCode && dialect.runs(it))
                    .collect();
                assert_eq!(Dialect::OpenCode.runs(it), it.form == CommandForm::Inline, "{body}");
                (file.slice(it.text), it.guard, readers)
            })
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(text, guard, readers)| (*text, *guard, readers.as_slice()))
            .collect();
        assert_eq!(found, *expected, "{body}");
    }
    let file = parse("!`a`\n\n```!\nb\n```\n");
    let found: Vec<_> = file
        .markdown()
        .commands
        .iter()
        .map(|it| (it.form, file.slice(it.range)))
        .collect();
    assert_eq!(
        found,
        [(CommandForm::Inline, "!`a`"), (CommandForm::Block, "```!\nb\n```")]
    );
}

#[test]
fn files_and_skills_are_known_where_they_are_only_named() {
    use MentionKind::{Attachment, Path, Skill};
    let file = parse(
        "See `references/notes.md`, `scripts/run.sh -x`, `src/**/*.rs`, `/deploy`, `/plugin:deploy`, `/usr/bin`, `and/or`, \
         `https://a.b/c.md` and `@scope/x.js`.\nRead @docs/guide.md, @README.md. (@~/notes.txt) but not me@x.org, @someone, \
         @scope/package or `x @y.md`.\n",
    );
    let found: Vec<_> = file
        .markdown()
        .mentions
        .iter()
        .map(|it| (it.kind, file.slice(it.range)))
        .collect();
    assert_eq!(
        found,
        [
            (Path, "references/notes.md"),
            (Skill, "deploy"),
            (Skill, "plugin:deploy"),
            (Attachment, "docs/guide.md"),
            (Attachment, "README.md"),
            (Attachment, "~/notes.txt"),
        ]
    );
}

/// Pieces from which hostile bodies are made.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "# ",
    "## x\n",
    "===\n",
    "---\n",
    "- ",
    "1. ",
    "> ",
    "* ",
    "```",
    "```\n",
    "```!",
    "~~~\n",
    "`",
    "``",
    "!",
    "!`",
    "!`ls`",
    "\\",
    "[",
    "]",
    "](",
    ")",
    "(",
    "<",
    ">",
    "[a](b)",
    "![a](b)",
    "[a]",
    "[a]: ",
    "[a]: b\n",
    "<x y>",
    "\"t\"",
    "<a href=",
    "<img src='",
    "</a>",
    "<!--",
    "-->",
    "<div>\n",
    "https://a.b",
    "<https://a.b>",
    "<m@x.y>",
    "&amp;",
    "&",
    "\\)",
    "| a | b |\n",
    "|---|---|\n",
    "$",
    "$ARGUMENTS",
    "$ARGUMENTS[",
    "$0",
    "$é",
    "$a",
    "${",
    "${CLAUDE_X}",
    "}",
    "@",
    "@a/b.md",
    "`/x`",
    "`a/b.c`",
    "[^1]",
    "[^1]: x\n",
    "*",
    "_",
    "**",
    "é",
    "語",
    "🦀",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{a0}",
    "\0",
    "text ",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![10 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,6}"];
    let body = proptest::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat());
    let front =
        proptest::sample::select(&["", "---\narguments: [a, é]\n---\n", "\u{feff}---\r\nname: x\r\n---\r\n"][..]);
    (front, body).prop_map(|(front, body)| format!("{front}{body}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_range_lies_in_what_it_belongs_to(text in hostile()) {
        let file = SkillFile::parse(text.as_str().into());
        let (tree, body) = (file.markdown(), file.body.range);
        let inside = |outer: TextRange, inner: TextRange| {
            let _ = file.slice(inner);
            assert!(outer.contains_range(inner), "{inner:?} in {outer:?}");
        };
        let sorted = |ranges: &mut dyn Iterator<Item = TextRange>| {
            let ranges: Vec<_> = ranges.collect();
            assert!(ranges.is_sorted_by_key(|it| it.start()), "{ranges:?}");
            assert!(ranges.iter().all(|it| body.contains_range(*it)), "{ranges:?}");
            ranges
        };
        let disjoint = |ranges: &mut dyn Iterator<Item = TextRange>| {
            let ranges = sorted(ranges);
            assert!(ranges.windows(2).all(|pair| pair[0].end() <= pair[1].start()), "{ranges:?}");
        };
        disjoint(&mut tree.headings.iter().map(|it| it.range));
        disjoint(&mut tree.code_blocks.iter().map(|it| it.range));
        disjoint(&mut tree.code_spans.iter().map(|it| it.range));
        disjoint(&mut tree.comments.iter().copied());
        disjoint(&mut tree.placeholders.iter().map(|it| it.range));
        disjoint(&mut tree.definitions.iter().map(|it| it.range));
        disjoint(&mut tree.mentions.iter().map(|it| it.range));
        sorted(&mut tree.commands.iter().map(|it| it.range));
        sorted(&mut tree.links.iter().map(|it| it.range));
        tree.headings.iter().for_each(|it| inside(it.range, it.text_range));
        for it in &tree.code_blocks {
            inside(it.range, it.content);
            inside(it.range, it.info);
        }
        tree.code_spans.iter().for_each(|it| inside(it.range, it.content));
        tree.commands.iter().for_each(|it| inside(it.range, it.text));
        for it in tree.links.iter().filter(|it| it.kind != LinkKind::Reference) {
            inside(it.range, it.destination.range);
        }
        tree.definitions.iter().for_each(|it| inside(it.range, it.destination.range));
        for it in &tree.placeholders {
            assert!(file.slice(it.range).starts_with('$'));
        }
        let mut open: Vec<TextRange> = Vec::new();
        for it in sorted(&mut tree.blocks.iter().map(|it| it.range)) {
            while open.last().is_some_and(|last| last.end() <= it.start() && !it.is_empty()) {
                open.pop();
            }
            if let Some(outer) = open.last() {
                inside(*outer, it);
            }
            open.push(it);
        }
        for index in 0..tree.headings.len() {
            inside(body, tree.section(index, &file));
        }
    }

    #[test]
    fn a_destination_reads_as_its_link_says(text in hostile()) {
        let file = SkillFile::parse(text.as_str().into());
        for link in &file.markdown().links {
            let written = file.slice(link.destination.range);
            match link.kind {
                LinkKind::Html => assert_eq!(written, link.destination.text),
                LinkKind::Autolink => assert_eq!(written, link.destination.text.trim_start_matches("mailto:")),
                LinkKind::Inline | LinkKind::Reference => {
                    let reads = |link: String| {
                        let alone = SkillFile::parse(link.into());
                        alone.markdown().links.first().map(|it| it.destination.text.clone())
                    };
                    let read = [
                        reads(format!("[x]({written})")),
                        reads(format!("[x](<{written}>)")),
                        // A backslash at the end would escape the bracket.
                        reads(format!("[x]\n\n[x]: {written}\n")),
                    ];
                    assert!(read.contains(&Some(link.destination.text.clone())), "{written:?} in {link:?}");
                }
            }
        }
    }
}

#[test]
fn nothing_takes_more_than_linear_time() {
    // Each is over in milliseconds where the time is linear, and takes minutes where it is not.
    let texts = [
        "- ".repeat(100_000),
        "> ".repeat(100_000),
        "[".repeat(200_000),
        "[a](".repeat(100_000),
        "[a]: x\n[a] ".repeat(50_000),
        format!("[a]: {}\n\n{}", "x".repeat(100_000), "[a] ".repeat(50_000)),
        "```!".repeat(100_000),
        "!`".repeat(200_000),
        "!`a".repeat(100_000),
        "\\!`a`".repeat(100_000),
        "<a href=\"".repeat(50_000),
        format!("<div>{}", "<a ".repeat(100_000)),
        format!("<div>{}", "<!--".repeat(100_000)),
        "$ARGUMENTS[".repeat(50_000),
        "\\$".repeat(100_000),
        "@a/".repeat(100_000),
        format!("{}\n", "- a\n".repeat(50_000)),
        "# a\n".repeat(50_000),
        format!(
            "---\narguments: {}\n---\n{}",
            "a b ".repeat(50_000),
            "$a".repeat(100_000)
        ),
    ];
    for text in texts {
        let file = SkillFile::parse(text.into());
        let tree = file.markdown();
        for index in 0..tree.headings.len() {
            tree.section(index, &file);
        }
    }
}
