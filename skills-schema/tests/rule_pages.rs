//! Every rule's page is its test: each ```` ```skill ```` block shows a file with what is found in it, one to one, and a
//! ```` ```fixed ```` block behind it the file after the first repair of each finding. `path=` says where the file stands,
//! `dialect=` for which system it is checked, `invalid-utf8` that its bytes were none, `times=` how often its last line
//! stands.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-schema --test rule_pages` rewrites the marks and the repaired files.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{fmt::Write as _, fs, path::PathBuf};

use skills_schema::{
    facts::Facts,
    fixes,
    rules::{self, Edit, Finding, RULES, Rule, Severity},
    syntax::SkillFile,
};

/// Where the example of a page stands unless it says otherwise with `path=`.
const PATH: &str = "skills/deploy/SKILL.md";

#[test]
#[allow(clippy::disallowed_methods, reason = "the pages are files")]
fn every_page_shows_exactly_what_its_rule_finds() {
    let update = std::env::var("UPDATE_EXPECT").is_ok();
    let mut stale = Vec::new();
    for rule in RULES {
        let name = rule.code().replace('-', "_");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/rules/{name}.md"));
        let page = fs::read_to_string(&path).expect("the page");
        let expected = rewrite(&page, *rule);
        if page != expected {
            if update {
                fs::write(&path, expected).expect("the page");
            } else {
                stale.push(difference(rule.code(), &page, &expected));
            }
        }
    }
    assert!(
        stale.is_empty(),
        "{}\nIf this is right, rewrite the pages with UPDATE_EXPECT=1.",
        stale.join("\n")
    );
}

#[test]
fn every_page_has_the_rule_s_name_a_bad_example_and_a_good_one() {
    for rule in RULES {
        let (code, page) = (rule.code(), rule.documentation());
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: the title");
        let severities = ["error", "warning", "information", "hint"];
        assert!(
            severities.iter().any(|it| page.contains(&format!("^ {it} {code}: "))),
            "{code}: bad"
        );
        let blocks = page.split("\n```").map(|block| block.trim_start_matches('`'));
        let blocks: Vec<&str> = blocks.filter(|block| block.starts_with("skill")).collect();
        assert!(
            blocks.iter().any(|block| !block.contains(&format!(" {code}: "))),
            "{code}: a good example"
        );
        assert!(
            !rule.summary().is_empty() && !rule.summary().ends_with('.'),
            "{code}: the summary"
        );
    }
}

/// The page as it should be.
fn rewrite(page: &str, rule: &dyn Rule) -> String {
    let code = rule.code();
    let mut result = String::new();
    let mut lines = page.lines();
    let mut last: Option<Example> = None;
    while let Some(line) = lines.next() {
        // An example that holds fences stands between longer ones.
        let info = line.trim_start_matches('`');
        let fence = &line[..line.len() - info.len()];
        let mut block = || {
            lines
                .by_ref()
                .take_while(|line| *line != fence)
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        writeln!(result, "{line}").unwrap();
        if let Some(info) = info.strip_prefix("skill").filter(|_| fence.len() > 2) {
            let path = info
                .split(' ')
                .find_map(|word| word.strip_prefix("path="))
                .unwrap_or(PATH);
            let place = Facts::of_path(path);
            let dialect = info.split(' ').find_map(|word| word.strip_prefix("dialect="));
            let facts = Facts {
                dialect: dialect.map_or(place.dialect, |name| name.parse().expect("a dialect")),
                invalid_utf8: info.contains("invalid-utf8"),
                ..place
            };
            let times = info.split(' ').find_map(|word| word.strip_prefix("times="));
            let times = times.map_or(1, |times| times.parse().expect("a number"));
            let example = Example::new(rule, facts, &unmarked(&block()), times);
            writeln!(result, "{}{fence}", example.marked()).unwrap();
            last = Some(example);
        } else if let Some(info) = info.strip_prefix("fixed").filter(|_| fence.len() > 2) {
            block();
            let example = last
                .take()
                .unwrap_or_else(|| panic!("{code}: a repaired file without a broken one"));
            writeln!(result, "{}{fence}", example.fixed(info.trim() == "safe")).unwrap();
        }
    }
    result
}

/// What is found by all rules that are on, and by the page's own.
fn check(rule: &dyn Rule, file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings = rules::check(file, facts);
    if rule.default_off() {
        findings.extend(rules::check_rule(rule, file, facts));
        findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
    }
    findings
}

/// A file and what is found in it.
struct Example<'a> {
    rule: &'a dyn Rule,
    facts: Facts<'a>,
    file: SkillFile,
    findings: Vec<Finding>,
    /// How much of the file the page shows.
    shown: usize,
}

impl<'a> Example<'a> {
    fn new(rule: &'a dyn Rule, facts: Facts<'a>, text: &str, times: usize) -> Example<'a> {
        let last = text.split_inclusive('\n').next_back().unwrap_or_default();
        let file = SkillFile::parse(format!("{text}{}", last.repeat(times - 1)).into());
        let findings = check(rule, &file, &facts);
        Example {
            rule,
            facts,
            file,
            findings,
            shown: text.len(),
        }
    }

    /// The text with a line of carets below everything that was found.
    fn marked(&self) -> String {
        let mut result = String::new();
        let mut start = 0;
        for line in self.file.text[..self.shown].split_inclusive('\n') {
            result.push_str(line);
            let end = start + line.len();
            for finding in &self.findings {
                let (from, to) = (usize::from(finding.range.start()), usize::from(finding.range.end()));
                if (start..end).contains(&from) {
                    let column = line[..from - start].chars().count();
                    let length = self.file.text[from..to.min(end)]
                        .trim_end_matches('\n')
                        .chars()
                        .count()
                        .max(1);
                    let severity = match finding.severity {
                        Severity::Error => "error",
                        Severity::Warning => "warning",
                        Severity::Information => "information",
                        Severity::Hint => "hint",
                    };
                    let marks = format!("{}{}", " ".repeat(column), "^".repeat(length));
                    writeln!(result, "{marks} {severity} {}: {}", finding.code, finding.message).unwrap();
                }
            }
            start = end;
        }
        result
    }

    /// The text after the first repair of each finding of a rule, which mends what the rule found.
    fn fixed(&self, safe: bool) -> String {
        let code = self.rule.code();
        let own: Vec<&Finding> = self.findings.iter().filter(|finding| finding.code == code).collect();
        let fixes = own
            .iter()
            .filter_map(|finding| finding.fixes.first())
            .collect::<Vec<_>>();
        assert!(!fixes.is_empty(), "{code}: no repair\n{}", self.file.text);
        assert!(
            fixes.iter().all(|fix| fix.safe == safe),
            "{code}: is the repair safe?\n{}",
            self.file.text
        );
        let edits: Vec<&Edit> = fixes.iter().flat_map(|fix| &fix.edits).collect();
        let text = fixes::apply(&self.file.text, edits);
        let after = check(self.rule, &SkillFile::parse(text.as_str().into()), &self.facts);
        let left: Vec<&Finding> = after.iter().filter(|finding| finding.code == code).collect();
        assert_eq!(
            left,
            Vec::<&Finding>::new(),
            "{code}: still found after the repair\n{text}"
        );
        text
    }
}

/// Without the lines of carets.
fn unmarked(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !line.trim_start_matches(' ').starts_with('^'))
        .collect()
}

fn difference(code: &str, page: &str, expected: &str) -> String {
    let (line, (have, want)) = page
        .lines()
        .chain(std::iter::repeat(""))
        .zip(expected.lines())
        .enumerate()
        .find(|(_, (have, want))| have != want)
        .map_or((0, ("", "")), |(line, pair)| (line + 1, pair));
    format!("{code}, line {line}:\n  page:  {have}\n  found: {want}")
}
