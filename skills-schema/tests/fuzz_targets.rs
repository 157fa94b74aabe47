//! The fuzz targets hold for the pages of the rules, so that they build and start from something true.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use skills_schema::rules::RULES;

#[test]
fn what_the_fuzz_targets_ask_for_holds_for_every_example() {
    for rule in RULES {
        for example in rule.documentation.split("```").filter(|it| it.starts_with("skill")) {
            let (_, text) = example.split_once('\n').expect("a block has lines");
            for target in [targets::frontmatter, targets::body, targets::file, targets::fixes] {
                target(text.as_bytes());
            }
        }
    }
}

/// What a target found once: its first byte chooses the reader.
#[test]
fn what_was_found_is_mended() {
    let frontmatter: [&[u8]; 2] = [b"!: : M: :\x94\x94\x94\x94\x94\x94\x94\x94\x94", b"+"];
    frontmatter.into_iter().for_each(targets::frontmatter);
    targets::file(b":\n  -\n    -   : |\n   a\n  b\n c\nx: True\n---\n# B\n");
    let fixes: [&[u8]; 10] = [
        b" \xf9: ----",
        b" :----\0\0\x02:\n ",
        b"-:\n----\0\0\x02\xfd--:\n ",
        b"name:n`me: *a\n---\xf6\xe5 B\n",
        b"name:n`me: *a\n---\nB\n",
        b"\n\t\n=*=\tI: \n\n--- \n",
        b"\xef\xbb\xbf:  \xc1a\0\0\0\0name: ok\ndescription: d\n---\nB\n",
        b"nam-- e:   \n\n--- ",
        b".`?: : .\r&.0!`\r--- ",
        b"  hhhh:\n \x11\0:\xfe\n \xd5\t[=r\t[: =\n---",
    ];
    fixes.into_iter().for_each(targets::fixes);
}
