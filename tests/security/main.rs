//! Attacks: what commands try to get out of the sandbox, and a list of all cases with the tests that hold against each.

#[cfg(target_os = "linux")]
mod escapes;
#[cfg(target_os = "linux")]
mod injected;

use std::collections::BTreeMap;
use std::path::Path;

const CASES: &str = include_str!("cases.md");

/// How many cases there are.
const COUNT: usize = 44;

/// The tests of each case: file and name.
fn cases() -> BTreeMap<usize, Vec<(String, String)>> {
    let mut cases = BTreeMap::new();
    for line in CASES.lines() {
        let cells: Vec<_> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let (Some(Ok(number)), Some(tests)) = (cells.first().map(|cell| cell.parse()), cells.get(2)) else {
            continue;
        };
        let mut named = Vec::new();
        for group in tests.split(" · ") {
            let (file, names) = group.split_once("`: ").unwrap_or_else(|| panic!("{number}: {group}"));
            let file = file.trim_matches('`');
            named.extend(
                names
                    .split(", ")
                    .map(|name| (file.to_owned(), name.trim_matches('`').to_owned())),
            );
        }
        assert!(
            cases.insert(number, named).is_none(),
            "case {number} stands there twice"
        );
    }
    cases
}

/// Whether a file has a test of that name.
fn has_test(text: &str, name: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let is_test = line == "#[test]" || line.starts_with("#[tokio::test");
        let names_it = |line: &str| line.contains(&format!("fn {name}("));
        // Other attributes may stand between.
        if is_test
            && lines
                .by_ref()
                .find(|line| !line.starts_with("#["))
                .is_some_and(names_it)
        {
            return true;
        }
    }
    false
}

#[test]
fn every_case_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cases = cases();
    assert_eq!(
        cases.keys().copied().collect::<Vec<_>>(),
        (1..=COUNT).collect::<Vec<_>>()
    );
    for (number, tests) in cases {
        assert!(!tests.is_empty(), "case {number} has no test");
        for (file, name) in tests {
            let text = std::fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(has_test(&text, &name), "case {number}: {file} has no test {name}");
        }
    }
}
