//! What a conversation is told about skills, and what an invocation runs.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::json;
use skills_agent::activation::briefing::{Library, Skills};
use skills_agent::activation::usage::UseCounts;
use skills_agent::catalog::{Catalog, Discovery};
use skills_agent::event::Outcome;
use skills_agent::model::{Block, Request, StopReason};
use skills_agent::permission::{Mode, Permissions, Rule, Rules, TrustStore};
use skills_agent::tools;
use skills_agent::turn::{Invoke, TurnInput, run};
use skills_agent::workspace::Workspace;
use skills_schema::listing::Budget;

use crate::fakes::{Bench, Scripted, answer, block, input, stop, text};

/// A workspace on disk with its catalog, and a conversation in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) model: Arc<Scripted>,
    pub(crate) bench: Bench,
}

pub(crate) struct Shelf {
    pub(crate) discovery: Mutex<Discovery>,
}

impl Library for Shelf {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::new(self.discovery.lock().unwrap().run())
    }

    fn touched(&self, files: &[PathBuf]) {
        self.discovery.lock().unwrap().touched.extend(files.iter().cloned());
    }

    fn open_text(&self, path: &Path) -> Option<Arc<str>> {
        self.discovery.lock().unwrap().open.get(path).cloned()
    }
}

impl Place {
    /// A trusted workspace with these files; the model says `ok` so many times.
    fn new(files: &[(&str, &str)], answers: usize) -> Self {
        let ok = || answer([text("ok"), stop(StopReason::EndTurn)]);
        Self::scripted(files, Scripted::new((0..answers).map(|_| ok()).collect::<Vec<_>>()))
    }

    pub(crate) fn scripted(files: &[(&str, &str)], model: Arc<Scripted>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let shelf = Arc::new(Shelf {
            discovery: Mutex::new(Discovery {
                folders: vec![root.clone()],
                trusted: vec![root.clone()],
                ..Discovery::default()
            }),
        });
        let mut bench = Bench::new(model.clone(), []);
        bench.engine.tools = tools::all(&bench.engine.shell);
        bench.engine.workspace = Arc::new(Workspace::open(&[root]).unwrap());
        bench.engine.skills = Skills {
            library: shelf.clone(),
            session: "s1".into(),
            usage: Some(UseCounts::new(folder.path())),
            private: Some(folder.path().to_owned()),
            ..Skills::default()
        };
        Self {
            folder,
            shelf,
            model,
            bench,
        }
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.shelf.catalog()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("w").join(path)
    }

    fn open(&self, files: &[&str]) {
        *self.bench.host.open.lock().unwrap() = files.iter().map(|file| self.path(file)).collect();
    }

    pub(crate) async fn run(&mut self, skill: &str, arguments: &str) -> Outcome {
        let skill = self.shelf.catalog().get(skill).unwrap().clone();
        let turn = TurnInput {
            skills: vec![Invoke {
                skill,
                arguments: arguments.into(),
            }],
            ..input("")
        };
        let control = self.bench.control.clone();
        run(turn, &mut self.bench.conversation, &self.bench.engine, control).await
    }

    pub(crate) fn last(&self) -> Request {
        self.model.requests().pop().unwrap()
    }

    /// The texts of the person's last message, without those of tools; temporary folders are called `W`.
    fn texts(&self) -> Vec<String> {
        let root = self.path("").display().to_string();
        let request = self.last();
        let texts = request.messages.last().unwrap().content.iter();
        let texts = texts.filter_map(|block| match block {
            Block::Text(text) => Some(text.replace(root.trim_end_matches('/'), "W")),
            _ => None,
        });
        texts.collect()
    }

    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        self.bench.host.asked.lock().unwrap().clone()
    }
}

pub(crate) fn skill(fields: &str, body: &str) -> String {
    format!("---\ndescription: About it.\n{fields}---\n{body}\n")
}

#[tokio::test]
async fn a_fresh_request_holds_names_and_no_instructions() {
    let (plain, waits) = (skill("", "BODY plain"), skill("paths: src/**\n", "BODY waits"));
    let (silent, secret) = (
        skill("disable-model-invocation: true\n", "BODY silent"),
        skill("triggers: [deploy]\n", "BODY secret"),
    );
    let mut place = Place::new(
        &[
            (".agents/skills/plain/SKILL.md", &plain),
            (".claude/skills/waits/SKILL.md", &waits),
            (".claude/skills/silent/SKILL.md", &silent),
            (".agents/skills/asked/SKILL.md", &secret),
            (".thndrs/skills/broken/SKILL.md", "BODY without frontmatter"),
            (".openhands/skills/always.md", "ALWAYS ON"),
            ("AGENTS.md", "PROJECT RULES"),
            ("web/AGENTS.md", "WEB RULES"),
        ],
        2,
    );
    place.bench.ask("hello").await;
    let request = place.last();
    let everything = format!("{request:?}");
    assert!(!everything.contains("BODY") && !everything.contains("broken") && !everything.contains("WEB"));
    let (_, listing) = request.system.split_once("The following skills").unwrap();
    assert_eq!(
        listing,
        " are available for use with the Skill tool:\n\n- asked: About it.\n- plain: About it."
    );
    let agents = "It counts for the whole workspace.";
    let texts = place.texts();
    assert!(
        texts[0].contains("name=\"agents\" path=\"W/AGENTS.md\" by=\"always\">\nPROJECT RULES\n"),
        "{texts:?}"
    );
    assert_eq!(texts[1], agents);
    assert!(
        texts[2].contains("name=\"always\" path=\"W/.openhands/skills/always.md\" by=\"always\">\nALWAYS ON\n"),
        "{texts:?}"
    );
    assert_eq!(&texts[3..], ["It counts for every message.", "hello"]);
    let sources: Vec<String> = (place.shelf.catalog().skills.iter())
        .map(|it| {
            let path = it.path.as_ref().unwrap().strip_prefix(place.path("")).unwrap();
            format!(
                "{} {} {} {}",
                it.name,
                it.source.name(),
                it.state.name(),
                path.display()
            )
        })
        .collect();
    assert_eq!(
        sources,
        [
            "always project listed .openhands/skills/always.md",
            "asked project listed .agents/skills/asked/SKILL.md",
            "broken project broken .thndrs/skills/broken/SKILL.md",
            "plain project listed .agents/skills/plain/SKILL.md",
            "silent project hidden .claude/skills/silent/SKILL.md",
            "waits project hidden .claude/skills/waits/SKILL.md",
        ]
    );
    // What is in the conversation is not said again.
    place.bench.ask("go on").await;
    assert_eq!(place.texts(), ["go on"]);
}

#[tokio::test]
async fn a_keyword_brings_a_skill_and_what_it_needs_once() {
    let (ship, tests) = (
        skill("triggers: [ship]\nrequires: [test-it, nothing]\n", "SHIP !`touch ran`"),
        skill("requires: [base]\n", "TEST"),
    );
    let base = skill("requires: [ship-it]\n", "BASE");
    let mut place = Place::new(
        &[
            (".agents/skills/ship-it/SKILL.md", &ship),
            (".agents/skills/test-it/SKILL.md", &tests),
            (".agents/skills/base/SKILL.md", &base),
        ],
        3,
    );
    place.bench.ask("let's talk about shipping").await;
    assert_eq!(place.texts().len(), 1, "no part of a word");
    place.bench.ask("Ship it").await;
    let texts = place.texts();
    let bodies: Vec<_> = texts.iter().filter_map(|text| text.lines().nth(1)).collect();
    assert_eq!(
        bodies,
        ["BASE", "TEST", "SHIP !`touch ran`"],
        "and no command of it ran"
    );
    assert_eq!(texts[1], "It is included because the skill ship-it needs it.");
    assert!(texts[5].contains("a keyword match for \"ship\"."), "{texts:?}");
    assert!(!place.path("ran").exists());
    let notes = place.bench.told().join("\n");
    assert!(notes.contains("ship-it → test-it → base → ship-it"), "{notes}");
    assert!(notes.contains("there is no skill `nothing`"), "{notes}");
    place.bench.ask("ship it again").await;
    assert_eq!(place.texts(), ["ship it again"]);
}

#[tokio::test]
async fn an_open_file_lists_or_says_a_skill_and_what_was_told_stays() {
    let (claude, openhands) = (skill("paths: '*.rs'\n", "LISTED"), skill("paths: '*.rs'\n", "SAID"));
    let mut place = Place::new(
        &[
            (".claude/skills/listed/SKILL.md", &claude),
            (
                ".openhands/skills/said/SKILL.md",
                &openhands.replace("description", "name: said\ndescription"),
            ),
            ("web/AGENTS.md", "WEB RULES"),
        ],
        4,
    );
    let has = |place: &Place| {
        let request = place.last();
        let said = format!("{:?}", request.messages);
        (
            request.system.contains("- listed: "),
            said.contains("SAID"),
            said.contains("WEB"),
        )
    };
    place.bench.ask("one").await;
    assert_eq!(has(&place), (false, false, false));
    // A pattern without a slash: of the root alone for one system, at any depth for the other.
    place.open(&["web/a.rs"]);
    place.shelf.touched(&[place.path("web/a.rs")]);
    place.bench.ask("two").await;
    assert_eq!(has(&place), (false, true, true));
    place.open(&["a.rs"]);
    place.bench.ask("three").await;
    assert_eq!(has(&place), (true, true, true));
    place.open(&[]);
    place.bench.ask("four").await;
    assert_eq!(has(&place), (true, true, true));
    let whole = format!("{:?}", place.last().messages);
    assert_eq!(
        (whole.matches("SAID").count(), whole.matches("WEB RULES").count()),
        (1, 1)
    );
}

#[tokio::test]
async fn what_the_agent_reads_activates_skills_beside_it_too() {
    let place = Ok(json!({"path": "web/a.ts", "start_line": 1}));
    let read = block("1", "read_file_range", place);
    let model = Scripted::new([
        answer([read, stop(StopReason::ToolUse)]),
        answer([text("ok"), stop(StopReason::EndTurn)]),
    ]);
    let nested = skill("paths: '**/*.ts'\n", "NESTED");
    let mut place = Place::scripted(
        &[
            ("web/a.ts", "let a;\n"),
            ("web/.claude/skills/nested/SKILL.md", &nested),
            ("web/CLAUDE.md", "WEB RULES"),
        ],
        model,
    );
    place.bench.ask("look").await;
    let requests = place.model.requests();
    assert!(!requests[0].system.contains("nested"));
    assert!(
        requests[1].system.contains("- nested: About it."),
        "{}",
        requests[1].system
    );
    assert!(place.texts()[0].contains("WEB RULES"), "beside the result of the call");
    let notes = place.bench.told().join("\n");
    assert!(
        notes.contains("the skill nested is active: `**/*.ts` matches web/a.ts"),
        "{notes}"
    );
}

#[tokio::test]
async fn a_list_that_is_too_long_is_cut_by_use_and_the_person_is_told_once() {
    let long = format!("---\ndescription: {}\n---\nx\n", "d".repeat(200));
    let mut place = Place::new(
        &[
            (".agents/skills/a/SKILL.md", &long),
            (".agents/skills/b/SKILL.md", &long),
        ],
        3,
    );
    place.bench.engine.skills.budget = Budget::Characters(300);
    assert_eq!(place.run("b", "").await, Outcome::Finished);
    place.bench.ask("again").await;
    let system = place.last().system;
    assert!(system.contains("- a\n- b: ddd"), "{system}");
    let notes = place.bench.told();
    let cut = notes.iter().filter(|note| note.contains("without their description"));
    assert_eq!(cut.count(), 1, "{notes:?}");
}

#[tokio::test]
async fn a_command_runs_after_a_yes_and_nowhere_else() {
    let body = "Branch: !`printf '%s' \"$0\" | tee ran`";
    let shell = skill("", body);
    let files = [(".claude/skills/shell/SKILL.md", shell.as_str())];
    let argument = "'; touch hacked'";

    let mut place = Place::new(&files, 1);
    *place.bench.host.answer.lock().unwrap() = Some("allow");
    assert_eq!(place.run("shell", argument).await, Outcome::Finished);
    let texts = place.texts();
    assert!(texts[0].contains("Branch: ; touch hacked\n"), "{texts:?}");
    assert_eq!(texts[1], "Follow the skill \"shell\" above for this task.");
    assert!(place.path("ran").exists() && !place.path("hacked").exists());
    assert_eq!(place.asked().len(), 1);
    assert_eq!(place.asked()[0].0, "Run a command of the skill shell?");
    assert!(place.asked()[0].1.contains("tee ran"), "{:?}", place.asked());

    // Closed, or rejected: nothing runs, and nothing of the skill is said.
    for no in [None, Some("reject")] {
        let mut place = Place::new(&files, 1);
        *place.bench.host.answer.lock().unwrap() = no;
        let outcome = place.run("shell", "").await;
        assert!(
            matches!(&outcome, Outcome::Failed(reason) if reason.contains("was not allowed")),
            "{outcome:?}"
        );
        assert!(!place.path("ran").exists() && place.model.requests().is_empty());
    }

    // Of a folder that nobody trusts: nobody is even asked.
    let mut place = Place::new(&files, 1);
    place.shelf.discovery.lock().unwrap().trusted.clear();
    *place.bench.host.answer.lock().unwrap() = Some("allow");
    let outcome = place.run("shell", "").await;
    assert!(
        matches!(&outcome, Outcome::Failed(reason) if reason.contains("not trusted")),
        "{outcome:?}"
    );
    assert!(!place.path("ran").exists() && place.asked().is_empty());
}

#[tokio::test]
async fn inputs_that_are_missing_are_asked_for_before_anything_runs() {
    let inputs = "inputs:\n  - name: ticket\n    description: its number\n  - name: branch\n";
    let task = skill(
        inputs,
        "Fix ${ticket} on ${branch}: !`touch ran; printf %s \"${ticket}\"`",
    );
    let mut place = Place::new(&[(".agents/skills/fix/SKILL.md", &task)], 2);
    *place.bench.host.answer.lock().unwrap() = Some("allow");
    let outcome = place.run("fix", "").await;
    let reason =
        "the skill fix can't run: it needs `ticket` (its number) and `branch`; give it behind the name: /fix …";
    assert_eq!(outcome, Outcome::Failed(reason.into()), "nobody wrote anything");
    assert!(!place.path("ran").exists());
    let expected = ("The skill fix needs ticket".to_owned(), "its number".to_owned());
    assert_eq!(place.asked(), [expected]);

    place
        .bench
        .host
        .writes
        .lock()
        .unwrap()
        .extend(["it's 7; touch hacked", "main"]);
    assert_eq!(place.run("fix", "").await, Outcome::Finished);
    let texts = place.texts();
    let expected = "Fix it's 7; touch hacked on main: it's 7; touch hacked";
    assert!(texts[0].contains(expected), "{texts:?}");
    assert!(place.path("ran").exists() && !place.path("hacked").exists());

    // What was typed is kept, and only the rest is asked for.
    place.bench.host.asked.lock().unwrap().clear();
    place.bench.host.writes.lock().unwrap().extend(["dev"]);
    assert_eq!(place.run("fix", "8").await, Outcome::Finished);
    assert!(place.texts()[0].contains("Fix 8 on dev: 8"), "{:?}", place.texts());
    assert_eq!(
        place.asked()[0],
        ("The skill fix needs branch".into(), "What is branch?".into())
    );
}

/// A rule of the person reaches what comes by itself: the repository says what that is.
#[tokio::test]
async fn what_a_rule_denies_comes_with_no_instructions_and_no_skill() {
    let text = skill("references: [x.md]\n", "Work.");
    let mut place = Place::new(
        &[
            ("CLAUDE.md", "Look: @closed/x.md"),
            ("AGENTS.md", "PROJECT RULES"),
            ("closed/x.md", "hunter2"),
            ("closed/SKILL.md", &text),
        ],
        2,
    );
    std::fs::create_dir_all(place.path(".agents/skills")).unwrap();
    std::os::unix::fs::symlink(place.path("closed"), place.path(".agents/skills/work")).unwrap();
    let rules = Rules {
        deny: vec![Rule::guarding("Read(closed/**)").0, Rule::guarding("Read(*.pem)").0],
        ..Rules::default()
    };
    let permissions = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&place.path("../state")));
    place.bench.engine.permissions = Arc::new(permissions.with_rules(rules, Arc::default()));
    assert_eq!(place.bench.ask("hello").await, Outcome::Finished);
    let said = format!("{:?}", place.last().messages);
    assert!(said.contains("PROJECT RULES") && !said.contains("hunter2"), "{said}");
    let told = place.bench.told().join("\n");
    assert!(told.contains("claude is left out: a rule denies"), "{told}");
    let outcome = place.run("work", "").await;
    assert!(
        matches!(&outcome, Outcome::Failed(why) if why.contains("denied by a rule")),
        "{outcome:?}"
    );
}
