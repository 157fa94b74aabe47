//! The fuzz targets hold for the pages of the rules, so that they build and start from something true.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use skills_schema::rules::RULES;

#[test]
fn what_the_fuzz_targets_ask_for_holds_for_every_example() {
    for rule in RULES {
        for example in rule.documentation().split("```").filter(|it| it.starts_with("skill")) {
            let (_, text) = example.split_once('\n').expect("a block has lines");
            for target in [targets::frontmatter, targets::body, targets::file, targets::fixes] {
                target(text.as_bytes());
            }
        }
    }
}
