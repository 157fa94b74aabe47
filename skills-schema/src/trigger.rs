//! Which skills a message activates.

mod choice;
mod keyword;

use std::ops::Range;

use text_size::TextRange;

use crate::{
    arguments::{self, Input},
    dialect::runtime::Runtime,
    syntax::{Node, SkillFile, declared::Item},
};

pub use choice::decide;
pub use keyword::{KeywordError, check};

/// What a skill says about when it wants to be active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triggers {
    /// The words of `triggers`; one may be `regex:` and an expression.
    pub list: Vec<Item>,
    /// The words of `trigger: {keywords: […]}`, or of its `triggers`.
    pub mapping: Vec<Item>,
    /// What a person must give: a skill that has `inputs`, even empty ones, is a task.
    pub inputs: Option<Vec<Input>>,
}

/// A skill that takes part in the choice.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// What `/name` calls it by.
    pub name: &'a str,
    /// Its words.
    pub triggers: &'a Triggers,
    /// How its reader chooses.
    pub runtime: &'static Runtime,
    /// It defines no tools and its body says something.
    pub is_pure: bool,
    /// It is a flat file, or one that is always in the context.
    pub is_flat: bool,
    /// It waits for files.
    pub has_paths: bool,
    /// Its text is in this conversation already.
    pub was_told: bool,
}

/// Whether a message activates a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It does.
    Active(Match),
    /// It does not, for this reason.
    Inactive(String),
}

/// What activated a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The sort of trigger.
    pub kind: MatchKind,
    /// The keyword; empty where none was needed.
    pub text: String,
    /// Where the keyword stands in the skill's file; `None` where it is its own name, or none was needed.
    pub range: Option<TextRange>,
    /// The bytes of the message that matched; empty where the message does not matter.
    pub matched: Range<usize>,
    /// Its place among those that the message activates: the smaller comes first, and equal ones in the order of the
    /// skills. 0 where its reader ranks nothing.
    pub rank: usize,
}

/// The sort of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Every message.
    Always,
    /// A keyword.
    Keyword,
    /// A keyword or the name of a skill with inputs.
    Task,
}

impl Triggers {
    /// What the frontmatter says. Values of another type are passed over.
    pub fn of(file: &SkillFile) -> Triggers {
        let value = |name: &str| file.entry(name).map(|entry| &entry.value);
        let words = |node: Option<&Node>| node.map_or(Vec::new(), Item::list);
        let mapping = value("trigger");
        let nested = |name: &str| words(mapping.and_then(|node| node.get(name)));
        Triggers {
            list: words(value("triggers")),
            mapping: [nested("keywords"), nested("triggers")].concat(),
            inputs: value("inputs")
                .filter(|node| !node.is_null())
                .map(|_| arguments::asked(file)),
        }
    }

    /// The words that a reader compares.
    pub fn keywords(&self, runtime: &Runtime) -> impl Iterator<Item = &Item> {
        let policy = runtime.triggers;
        let list = policy.map_or(&[][..], |_| &self.list);
        let mapping = policy.filter(|it| it.reads_mapping).map_or(&[][..], |_| &self.mapping);
        list.iter().chain(mapping)
    }
}

impl MatchKind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            MatchKind::Always => "always",
            MatchKind::Keyword => "keyword",
            MatchKind::Task => "task",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, View};

    fn parse(frontmatter: &str) -> Triggers {
        Triggers::of(&SkillFile::parse(format!("---\n{frontmatter}\n---\n").into()))
    }

    fn words(keywords: &[&str]) -> Triggers {
        let item = |text: &&str| Item {
            text: (*text).to_owned(),
            range: TextRange::default(),
        };
        Triggers {
            list: keywords.iter().map(item).collect(),
            ..Triggers::default()
        }
    }

    fn candidate<'a>(name: &'a str, triggers: &'a Triggers, runtime: &'static Runtime) -> Candidate<'a> {
        Candidate {
            name,
            triggers,
            runtime,
            is_pure: true,
            is_flat: false,
            has_paths: false,
            was_told: false,
        }
    }

    fn reader(name: &str) -> &'static Runtime {
        name.parse::<View>().unwrap().runtime()
    }

    fn matched(runtime: &'static Runtime, keywords: &[&str], message: &str) -> Option<String> {
        matched_by(runtime, words(keywords), message)
    }

    fn matched_by(runtime: &'static Runtime, triggers: Triggers, message: &str) -> Option<String> {
        match decide(&[candidate("x", &triggers, runtime)], message).pop()? {
            Decision::Active(found) => Some(format!("{} at {}", found.text, &message[found.matched])),
            Decision::Inactive(_) => None,
        }
    }

    // Recorded from openhands-sdk 1.58.0.
    #[test]
    fn openhands_finds_whole_words() {
        let cases = [
            ("git", "GIT rocks", true),
            ("git", "(git)", true),
            ("git", "git:status", true),
            ("git", "use-git-now", true),
            ("git", "my_git_repo", true),
            ("git", "line1\ngit\nline2", true),
            ("git", "github", false),
            ("git", "github.com", false),
            ("git", "digit", false),
            ("git", "legitimate", false),
            ("git", "git2", false),
            ("git", "2git", false),
            ("git", "git_hub", true),
            ("issue", "tissue", false),
            ("/linear", "use /linear now", true),
            ("/linear", "src/linear.py", false),
            ("/linear", "linearization", false),
            ("/linear", "a/linear", false),
            ("k8s", "K8S cluster", true),
            ("machine learning", "Machine  Learning", false),
            ("machine learning", "machine\nlearning", false),
            ("pull request", "pullrequest", false),
            ("pull request", "pull requests", false),
            ("c++", "I like C++.", true),
            ("c++", "write c++ code", true),
            ("c++", "c++11", false),
            ("c++", "c++today", false),
            (".net", "use .NET now", true),
            (".net", "asp.net", false),
            ("a.b", "axb", false),
            ("é", "café", false),
            ("caf", "café", true),
            ("", "x", false),
            (" ", "a b", false),
            ("*", "anything *", true),
            ("*", "anything", false),
            ("日本", "日本語", true),
            ("straße", "STRASSE", false),
            ("a-a", "xa-a-a", true),
            ("İ", "x İ y", true),
        ];
        for (keyword, message, expected) in cases {
            let found = matched(reader("openhands@current"), &[keyword], message);
            assert_eq!(found.is_some(), expected, "{keyword} in {message}");
            let task = Triggers {
                inputs: Some(Vec::new()),
                ..words(&[keyword])
            };
            let found = matched_by(reader("openhands@current"), task, message);
            assert_eq!(found.is_some(), expected, "{keyword} in {message}, of a task");
        }
        assert_eq!(
            matched(reader("openhands"), &["alpha", "BETA"], "beta, Alpha").as_deref(),
            Some("alpha at Alpha"),
            "the first of the list, not of the message"
        );
    }

    // Recorded from Wolffish's last version with triggers.
    #[test]
    fn wolffish_scores_and_takes_three() {
        let keywords = [
            ("a-git", words(&["git"])),
            ("b-cb", words(&["commit", "branch"])),
            ("c-deploy", words(&["deploy"])),
            ("d-test", words(&["test"])),
            ("z-all", words(&["*"])),
        ];
        let active = |name: &str, message: &str| {
            let candidates: Vec<_> = keywords
                .iter()
                .map(|(skill, words)| candidate(skill, words, reader(name)))
                .collect();
            let decisions = decide(&candidates, message);
            let active = candidates
                .iter()
                .zip(decisions)
                .filter_map(|(it, decision)| match decision {
                    Decision::Active(found) => Some((found.rank, it.name)),
                    Decision::Inactive(_) => None,
                });
            let mut active: Vec<_> = active.collect();
            active.sort_by_key(|(rank, _)| *rank);
            active.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        for name in ["wolffish", "wolffish@2026-07"] {
            let message = "commit the branch and git deploy test";
            assert_eq!(active(name, message), ["z-all", "b-cb", "a-git", "c-deploy"]);
            assert_eq!(active(name, "the digit five"), ["z-all", "a-git"]);
            assert_eq!(active(name, ""), ["z-all"]);
        }
        assert_eq!(active("wolffish@current", "git"), Vec::<&str>::new());
        let wolffish = reader("wolffish");
        assert!(matched(wolffish, &[""], "hi").is_some());
        assert!(matched(wolffish, &["K8S"], "use k8s").is_some());
        assert_eq!(matched(wolffish, &["*", "git"], "nothing").as_deref(), Some("* at "));
    }

    #[test]
    fn a_keyword_that_is_listed_twice_counts_twice() {
        let (once, twice) = (words(&["a"]), words(&["b", "b"]));
        let mut candidates = vec![candidate("once", &once, reader("wolffish")); 3];
        candidates.push(candidate("twice", &twice, reader("wolffish")));
        let decisions = decide(&candidates, "a a a b");
        assert!(matches!(decisions[3], Decision::Active(_)));
        let Decision::Inactive(reason) = &decisions[2] else {
            panic!("four of three")
        };
        assert!(reason.contains("twice, once, once"), "{reason}");
    }

    #[test]
    fn skills_with_tools_take_places_only_in_the_old_version() {
        let go = words(&["go"]);
        let active = |name| {
            let mut candidates = vec![candidate("tool", &go, reader(name)); 3];
            candidates.iter_mut().for_each(|it| it.is_pure = false);
            candidates.push(candidate("pure", &go, reader(name)));
            let decisions = decide(&candidates, "go");
            decisions
                .iter()
                .map(|it| matches!(it, Decision::Active(_)))
                .collect::<Vec<_>>()
        };
        assert_eq!(active("wolffish"), [false, false, false, true]);
        assert_eq!(active("wolffish@2026-07"), [false; 4]);
    }

    #[test]
    fn a_mapping_is_read_where_it_is_documented() {
        let triggers = parse("trigger:\n  type: keyword\n  keywords: [\"kubernetes\", \"k8s\"]");
        for (name, expected) in [("openhands", true), ("unified", true), ("openhands@current", false)] {
            let decisions = decide(&[candidate("x", &triggers, reader(name))], "my k8s cluster");
            assert_eq!(matches!(decisions[0], Decision::Active(_)), expected, "{name}");
        }
        assert_eq!(parse("trigger: null"), Triggers::default());
    }

    #[test]
    fn tasks_are_started_by_name_and_ask_for_what_is_missing() {
        let triggers = parse("triggers: [fix bug]\ninputs:\n  - name: bug\n    required: true");
        for (message, text) in [("please fix bug 3", "fix bug"), ("/bug_fix now", "/bug_fix")] {
            let Decision::Active(found) = &decide(&[candidate("bug_fix", &triggers, reader("openhands"))], message)[0]
            else {
                panic!("{message}")
            };
            assert_eq!((found.kind, found.text.as_str()), (MatchKind::Task, text));
        }
        assert_eq!(triggers.inputs.map(|inputs| inputs.len()), Some(1));
        let none = parse("inputs: []");
        assert!(matches!(
            decide(&[candidate("x", &none, reader("openhands"))], "/x")[0],
            Decision::Active(_)
        ));
        let empty = parse("triggers: []");
        assert!(matches!(
            decide(&[candidate("x", &empty, reader("openhands"))], "x")[0],
            Decision::Inactive(_)
        ));
    }

    #[test]
    fn what_is_told_once_is_not_told_again_and_every_no_has_a_reason() {
        let git = words(&["git"]);
        let (none, unified) = (Triggers::default(), reader("unified"));
        let told = Candidate {
            was_told: true,
            ..candidate("x", &git, unified)
        };
        let paths = Candidate {
            has_paths: true,
            ..candidate("x", &git, reader("openhands"))
        };
        let cases = [
            (told, "git", "already"),
            (paths, "git", "drops the triggers"),
            (candidate("x", &git, unified), "digit", "only inside `digit`"),
            (
                candidate("x", &git, unified),
                "x",
                "holds none as a word of its own: `git`",
            ),
            (
                candidate("x", &git, reader("claude")),
                "git",
                "Claude Code does not read triggers",
            ),
            (candidate("x", &none, unified), "x", "it has no trigger"),
        ];
        for (candidate, message, expected) in cases {
            let Decision::Inactive(reason) = &decide(&[candidate], message)[0] else {
                panic!("{message} is active")
            };
            assert!(reason.contains(expected), "{reason}");
        }
        let both = Candidate {
            has_paths: true,
            ..candidate("x", &git, unified)
        };
        assert!(
            matches!(decide(&[both], "git")[0], Decision::Active(_)),
            "ours takes either"
        );
        let flat = Candidate {
            is_flat: true,
            ..candidate("x", &none, reader("openhands"))
        };
        let Decision::Active(found) = &decide(&[flat], "")[0] else {
            panic!("a flat file is always in the context")
        };
        assert_eq!(found.kind, MatchKind::Always);
    }

    #[test]
    fn an_expression_is_searched_where_it_opts_in() {
        let unified = Dialect::Unified.runtime();
        let keyword = r"regex:PR[- ]?\d+";
        assert_eq!(
            matched(unified, &[keyword], "see pr-12").unwrap(),
            format!("{keyword} at pr-12")
        );
        assert_eq!(
            matched(unified, &[r"PR[- ]?\d+"], "see pr-12"),
            None,
            "a keyword is literal"
        );
        assert_eq!(matched(reader("openhands@current"), &[keyword], "see pr-12"), None);
        assert_eq!(matched(unified, &["regex:(a"], "(a"), None);
        assert_eq!(matched(unified, &["regex:x*"], "abc"), None, "nothing is no match");
        let errors = [
            ("regex:(a", 6..7, "unclosed group"),
            ("regex:a{1000}{1000}", 6..19, "too large"),
            ("regex:é[z-a]", 9..12, "character class"),
        ];
        for (keyword, at, word) in errors {
            let error = check(keyword).unwrap_or_else(|| panic!("{keyword} is fine"));
            assert_eq!(error.at, at, "{keyword}");
            assert!(error.message.contains(word), "{}", error.message);
        }
        assert_eq!(check(keyword), None);
        assert_eq!(check("(a"), None);
    }

    #[test]
    fn hostile_keywords_end_soon() {
        let message = "a".repeat(50_000);
        let long = "a".repeat(1_000);
        for keyword in ["regex:(a*)*b", "regex:(a|a)*b", &long, &"a".repeat(100_000)] {
            assert_eq!(matched(reader("openhands"), &[keyword], &format!("{message}!x")), None);
        }
    }
}
