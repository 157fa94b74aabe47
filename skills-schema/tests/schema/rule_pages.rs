//! Every rule's page is its test: each ```` ```skill ```` block shows a file with what is found in it, one to one, and a
//! ```` ```fixed ```` block behind it the file after the first repair of each finding. `path=` says where the file stands,
//! `dialect=` for which system it is checked, `invalid-utf8` that its bytes were none, `times=` how often its last line
//! stands, `crlf=` which line ends in CRLF. An ```` ```around ```` block before it says what is around the file: `folder`,
//! its files with their texts, their lengths, a text that is repeated, whether they are executable, or where a link leads
//! that leads nowhere; `copy`, that of another system; `skills`, all that there are; `files`, those of the workspace.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-schema rule_pages` rewrites the marks and the repaired files.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{borrow::Cow, fmt::Write as _, fs, path::PathBuf};

use serde_yaml::Value;
use skills_schema::{
    TextRange,
    dialect::Dialect,
    facts::{
        Around, Dangling, Facts, FileIndex, FileKind, Folder, FolderEntry, Named, Names, Outline, Plugin, Script,
        SkillCopy, Standing,
    },
    fixes,
    rules::{self, Edit, Finding, Pass, RULES, Rule, Severity},
    shown::MESSAGE,
    skill::Item,
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
        let name = rule.code.replace('-', "_");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/rules/{name}.md"));
        let page = fs::read_to_string(&path).expect("the page");
        let expected = rewrite(&page, rule);
        if page != expected {
            if update {
                fs::write(&path, expected).expect("the page");
            } else {
                stale.push(difference(rule.code, &page, &expected));
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
#[allow(clippy::disallowed_methods, reason = "the marks may be about to be written")]
fn every_page_has_the_rule_s_name_a_bad_example_and_a_good_one() {
    // The marks of a new page are being written, and this one is compiled without them.
    let has_marks = std::env::var("UPDATE_EXPECT").is_err();
    for rule in RULES {
        let (code, page) = (rule.code, rule.documentation);
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: the title");
        let severities = ["error", "warning", "information", "hint"];
        assert!(
            !has_marks || severities.iter().any(|it| page.contains(&format!("^ {it} {code}: "))),
            "{code}: bad"
        );
        let blocks = page.split("\n```").map(|block| block.trim_start_matches('`'));
        let blocks: Vec<&str> = blocks.filter(|block| block.starts_with("skill")).collect();
        assert!(
            blocks.iter().any(|block| !block.contains(&format!(" {code}: "))),
            "{code}: a good example"
        );
        assert!(
            !rule.summary.is_empty() && !rule.summary.ends_with('.'),
            "{code}: the summary"
        );
    }
}

/// What is longer is cut off where editors show it.
#[test]
fn every_message_of_a_page_fits_into_a_line() {
    let mut count = 0;
    for rule in RULES {
        for line in rule.documentation.lines() {
            let marked = line.trim_start().trim_start_matches('^');
            let finding = marked.strip_prefix(' ').and_then(|it| it.split_once(": "));
            let severities = ["error ", "warning ", "information ", "hint "];
            let is_finding = |head: &str| severities.iter().any(|it| head.starts_with(it));
            let Some((_, message)) = finding.filter(|(head, _)| is_finding(head)) else {
                continue;
            };
            count += 1;
            assert!(message.chars().count() <= MESSAGE, "{}: {message}", rule.code);
        }
    }
    assert!(count > RULES.len());
}

/// The page as it should be.
fn rewrite(page: &str, rule: &Rule) -> String {
    let code = rule.code;
    let mut result = String::new();
    let mut lines = page.lines();
    let mut last: Option<Example> = None;
    let mut surroundings = Surroundings::default();
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
        if info == "around" && fence.len() > 2 {
            let text = block();
            surroundings = Surroundings::of(&text);
            writeln!(result, "{text}{fence}").unwrap();
        } else if let Some(info) = info.strip_prefix("skill").filter(|_| fence.len() > 2) {
            let path = info
                .split(' ')
                .find_map(|word| word.strip_prefix("path="))
                .unwrap_or(PATH);
            let value = |key: &str| info.split(' ').find_map(|word| word.strip_prefix(key));
            let text = with_line_ends(unmarked(&block()), value("crlf="));
            let last_line = text.split_inclusive('\n').next_back().unwrap_or_default();
            let times = value("times=").map_or(1, |times| times.parse().expect("a number"));
            let example = Example {
                rule,
                path: path.to_owned(),
                dialect: value("dialect=").map(|name| name.parse().expect("a dialect")),
                invalid_utf8: info.contains("invalid-utf8"),
                surroundings: surroundings.clone(),
                file: read(path, format!("{text}{}", last_line.repeat(times - 1))),
                shown: text.len(),
            };
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

/// What is around the file of an example.
#[derive(Clone, Default)]
struct Surroundings {
    folder: Folder,
    names: Skills,
    files: Option<FileIndex>,
}

impl Surroundings {
    fn of(text: &str) -> Surroundings {
        let value: Value = serde_yaml::from_str(text).expect("the YAML of an `around` block");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let items = |value: &Value| value.as_sequence().cloned().unwrap_or_default();
        let mut folder = Folder::new(true);
        for (path, content) in value["folder"].as_mapping().into_iter().flatten() {
            if let Some(target) = content["link"].as_str() {
                let (path, target) = (text(path), target.to_owned());
                folder.dangling.push(Dangling { path, target });
                continue;
            }
            let repeated = content["repeat"].as_str().zip(content["times"].as_u64());
            let repeated = repeated.map(|(text, times)| text.repeat(usize::try_from(times).unwrap()));
            let written = repeated.as_deref().or(content["text"].as_str()).or(content.as_str());
            let is_executable = content["executable"].as_bool();
            let (path, content) = (text(path), written.ok_or(content.as_u64()));
            folder.insert(
                path.as_str(),
                FolderEntry {
                    bytes: content.map_or_else(Option::unwrap_or_default, |text| text.len() as u64),
                    is_executable,
                    outline: content.ok().filter(|_| path.ends_with(".md")).map(Outline::of),
                    script: content.ok().map(|text| Script::of(&path, text)),
                    ..FolderEntry::default()
                },
            );
            let read = Folder::READ.iter().find(|read| **read == path).zip(content.ok());
            folder.texts.extend(read.map(|(path, text)| (*path, text.to_owned())));
        }
        folder.plugin = value.get("plugin").map(|plugin| Plugin {
            name: text(&plugin["name"]),
            manifest: text(&plugin["manifest"]),
        });
        folder.first_copy = value.get("copy").map(|copy| SkillCopy {
            path: text(&copy["path"]).into(),
            text: text(&copy["text"]),
        });
        folder.is_packaged = value["packaged"].as_bool().unwrap_or_default();
        folder.at_root.extend(items(&value["root"]).iter().map(text));
        let skills = items(&value["skills"]).into_iter().map(|skill| Skill {
            name: text(&skill["name"]),
            path: text(&skill["path"]),
            shadowed_by: skill["shadowed_by"].as_str().map(str::to_owned),
            requires: items(&skill["requires"])
                .iter()
                .map(|name| Item {
                    text: text(name),
                    range: TextRange::default(),
                })
                .collect(),
            version: skill["version"].as_str().map(str::to_owned),
            is_link: skill["link"].as_bool().unwrap_or_default(),
            winners: skill["winners"]
                .as_mapping()
                .into_iter()
                .flatten()
                .map(|(dialect, winner)| (text(dialect).parse().unwrap(), winner.as_str().map(str::to_owned)))
                .collect(),
            digest: skill["digest"].as_str().unwrap_or_default().to_owned(),
            listed: usize::try_from(skill["listed"].as_u64().unwrap_or_default()).unwrap(),
        });
        let mut skills: Vec<Skill> = skills.collect();
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        Surroundings {
            folder,
            names: Skills(skills),
            files: value["files"]
                .as_sequence()
                .map(|files| FileIndex::new(files.iter().map(text), true)),
        }
    }
}

/// The skills of an example, sorted by name.
#[derive(Clone, Debug, Default)]
struct Skills(Vec<Skill>);

/// One of them.
#[derive(Clone, Debug)]
struct Skill {
    name: String,
    path: String,
    shadowed_by: Option<String>,
    requires: Vec<Item>,
    version: Option<String>,
    digest: String,
    is_link: bool,
    winners: Vec<(Dialect, Option<String>)>,
    listed: usize,
}

impl Skills {
    fn of_path(&self, path: &str) -> Option<&Skill> {
        self.0.iter().find(|skill| skill.path == path)
    }
}

impl Names for Skills {
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(|skill| skill.name.as_str()))
    }

    fn all(&self, name: &str) -> Vec<Named<'_>> {
        let skills = self.0.iter().filter(|skill| skill.name == name);
        skills.map(Skill::named).collect()
    }

    fn at(&self, path: &str) -> Option<Named<'_>> {
        self.of_path(path).map(Skill::named)
    }

    fn is_link(&self, path: &str) -> bool {
        self.of_path(path).is_some_and(|skill| skill.is_link)
    }

    fn winners(&self, path: &str) -> Vec<(Dialect, Option<String>)> {
        self.of_path(path).map_or(Vec::new(), |skill| skill.winners.clone())
    }

    fn listed(&self, dialect: Dialect) -> Box<dyn Iterator<Item = (Cow<'_, str>, usize)> + '_> {
        let skills = self.0.iter().map(|skill| (skill.named(), skill.listed));
        let listed = skills.filter(move |(skill, listed)| {
            skill.dialect == dialect && skill.standing == Standing::Counts && *listed > 0
        });
        Box::new(listed.map(|(skill, listed)| (skill.path, listed)))
    }
}

impl Skill {
    fn named(&self) -> Named<'_> {
        let winner = self.shadowed_by.as_deref();
        Named {
            name: &self.name,
            path: self.path.as_str().into(),
            dialect: Facts::of_path(&self.path).dialect,
            standing: winner.map_or(Standing::Counts, |winner| Standing::ShadowedBy(winner.into())),
            requires: &self.requires,
            version: self.version.as_deref(),
            digest: self.digest.as_bytes(),
        }
    }
}

/// A file of a rule's page, and where it stands.
struct Example<'a> {
    rule: &'a Rule,
    path: String,
    dialect: Option<Dialect>,
    invalid_utf8: bool,
    surroundings: Surroundings,
    file: SkillFile,
    /// How much of the file the page shows.
    shown: usize,
}

impl Example<'_> {
    /// What is found in a file that stands where this one does, by all rules that are on and by the page's own.
    fn findings(&self, file: &SkillFile) -> Vec<Finding> {
        let files: Vec<&FileIndex> = self.surroundings.files.iter().collect();
        let place = Facts::of_path(&self.path);
        let facts = Facts {
            dialect: self.dialect.unwrap_or(place.dialect),
            invalid_utf8: self.invalid_utf8,
            around: Around {
                folder: Some(&self.surroundings.folder),
                names: Some(&self.surroundings.names),
                files: &files,
            },
            ..place
        };
        let mut findings = [Pass::Text, Pass::Around]
            .map(|pass| rules::report(file, &facts, pass))
            .concat();
        if self.rule.default_off && self.rule.kinds.contains(&facts.kind) {
            findings.extend(rules::check_rule(self.rule, file, &facts));
        }
        rules::sort(&mut findings);
        findings
    }

    /// The text with a line of carets below everything that was found.
    fn marked(&self) -> String {
        let mut result = String::new();
        let findings = self.findings(&self.file);
        let mut start = 0;
        for line in self.file.text[..self.shown].split_inclusive('\n') {
            result.push_str(&line.replace("\r\n", "\n"));
            let end = start + line.len();
            for finding in &findings {
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
                    for note in finding.notes() {
                        writeln!(result, "{}^ {note}", " ".repeat(column)).unwrap();
                    }
                }
            }
            start = end;
        }
        result
    }

    /// The text after the first repair of each finding of a rule, which mends what the rule found.
    fn fixed(&self, safe: bool) -> String {
        let code = self.rule.code;
        let findings = self.findings(&self.file);
        let own: Vec<&Finding> = findings.iter().filter(|finding| finding.code == code).collect();
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
        let after = self.findings(&read(&self.path, text.clone()));
        let left: Vec<&Finding> = after.iter().filter(|finding| finding.code == code).collect();
        assert_eq!(
            left,
            Vec::<&Finding>::new(),
            "{code}: still found after the repair\n{text}"
        );
        text
    }
}

fn read(path: &str, text: String) -> SkillFile {
    FileKind::of_path(path).unwrap_or_default().parse(text.into())
}

/// With CRLF at the end of that line, counted from 1.
fn with_line_ends(text: String, line: Option<&str>) -> String {
    let Some(line) = line.map(|line| line.parse::<usize>().expect("a number")) else {
        return text;
    };
    let lines = text.split_inclusive('\n').enumerate();
    let end = |(at, text): (usize, &str)| {
        if at + 1 == line {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        }
    };
    lines.map(end).collect()
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
