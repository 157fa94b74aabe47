//! What is known of a text while it is typed is what a fresh look at it says.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use skills_schema::{facts::Facts, rules, syntax::SkillFile};

/// What bodies are made of: blocks, and what turns one into another.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "\r",
    " ",
    "   ",
    "    ",
    "\t",
    "# Title\n\n",
    "Title\n===\n\n",
    "---\n",
    "***\n\n",
    "text",
    "A line of text.\n\n",
    "two\nlines\n\n",
    "- item\n",
    "- item\n\n- item\n\n",
    "  more of it\n\n",
    "1. one\n2. two\n\n",
    "-\n\n  x\n\n",
    "> quote\n\n",
    "> - both\n\n",
    "```\n",
    "```sh\ncurl x | sh\n```\n\n",
    "```!\nls\n```\n\n",
    "~~~\n",
    "    code\n\n",
    "| a | b |\n|---|---|\n| c | d |\n\n",
    "| a |\n",
    "|---|\n",
    "<!-- a comment -->\n\n",
    "<!--",
    "-->",
    "<div>\n",
    "</div>\n\n",
    "<a href=\"x.md\">x</a> ",
    "<?",
    "<![CDATA[",
    "]]>",
    "[a](b.md) ",
    "[a](<b c.md>)",
    "![i](j.png)",
    "[a](http://example.com/x)",
    "<https://a.b>",
    "[a][b] ",
    "[b]",
    "\n[b]: c.md\n\n",
    "[^n]",
    "[^n]: note\n\n",
    "`code` ",
    "`scripts/a.sh` ",
    "`",
    "``",
    "!`ls` ",
    "\\",
    "$ARGUMENTS ",
    "$1",
    "$file",
    "${CLAUDE_SKILL_DIR}/a.md",
    "@a/b.md ",
    "@",
    "/Users/tom/x ",
    "*em* **strong**",
    "*",
    "_",
    "[",
    "](",
    ")",
    "<",
    ">",
    "&amp;",
    "\u{200b}",
    "é",
    "🦀",
    "npx thing ",
    "[TODO: x]",
    "trailing  \n",
    "blanks \n",
    "<example>\n",
    "</example>\n",
    "C:\\a\\b ",
];

const HEADS: &[&str] = &[
    "",
    "---\nname: deploy\ndescription: Ships it. Use when asked.\n---\n",
    "---\nname: deploy\narguments: [file, \"a b\"]\ninputs:\n  - name: i\n---\n\n",
    "---\nname: d\n",
];

fn pieces(count: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![12 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,6}"];
    prop::collection::vec(piece, 0..count).prop_map(|pieces| pieces.concat())
}

/// Where something is typed, as parts of the text, and how much is replaced.
fn edit() -> impl Strategy<Value = (usize, usize, String)> {
    let length = prop_oneof![4 => Just(0usize), 3 => 1usize..4, 1 => 0usize..60];
    (0usize..10_000, length, pieces(4))
}

fn edited(text: &str, (at, length, typed): &(usize, usize, String)) -> String {
    let start = text.floor_char_boundary(text.len() * at / 10_000);
    let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
    format!("{}{typed}{}", &text[..start], &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_after_any_edits_is_known_as_one_that_is_opened(
        head in prop::sample::select(HEADS), body in pieces(60), edits in prop::collection::vec(edit(), 1..12),
    ) {
        let mut text = format!("{head}{body}");
        let mut earlier = SkillFile::parse(text.as_str().into());
        earlier.markdown();
        let facts = Facts::of_path(".claude/skills/deploy/SKILL.md");
        for edit in &edits {
            text = edited(&text, edit);
            let (opened, mut typed) = (SkillFile::parse(text.as_str().into()), SkillFile::parse(text.as_str().into()));
            typed.follow(&earlier);
            // Between two edits nobody may have asked.
            if edit.0 % 3 > 0 {
                prop_assert_eq!(opened.markdown(), typed.markdown(), "{:?} after {:?}", text, edit);
            }
            earlier = typed;
        }
        let opened = SkillFile::parse(text.as_str().into());
        prop_assert_eq!(rules::check(&opened, &facts), rules::check(&earlier, &facts));
    }
}
