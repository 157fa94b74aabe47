//! Where skills are found, as each system looks; and what hostile folders cost.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skills_agent::catalog::bundled::Conditions;
use skills_agent::catalog::{Catalog, Configured, Discovery, Skill, SkillState, Source};
use skills_schema::dialect::Dialect;
use skills_schema::facts::Facts;
use skills_schema::glob::{Flavour, PathMatcher};

/// A folder with a repository `r`, the workspace `r/w` in it, a home `h` and a managed folder `m`.
struct Place {
    folder: tempfile::TempDir,
    discovery: Discovery,
}

impl Place {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for folder in ["r/.git", "r/w", "h", "m"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let discovery = Discovery {
            folders: vec![root.join("r/w")],
            home: Some(root.join("h")),
            managed: Some(root.join("m")),
            ..Discovery::default()
        };
        let place = Self { folder, discovery };
        files.iter().for_each(|file| place.write(file, &skill(file)));
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn touch(&mut self, path: &str) {
        let path = self.path(path);
        self.discovery.touched.insert(path);
    }

    fn catalog(&self) -> Catalog {
        self.discovery.run()
    }

    fn view(&self, reader: Dialect) -> Catalog {
        let reader = Some(reader.into());
        let discovery = Discovery {
            reader,
            ..self.discovery.clone()
        };
        discovery.run()
    }

    /// `name path` of each skill, without those that lose.
    fn found(&self, catalog: &Catalog) -> BTreeSet<String> {
        let counts = catalog
            .skills
            .iter()
            .filter(|skill| skill.state != SkillState::Shadowed);
        counts
            .map(|skill| format!("{} {}", skill.name, self.shown(skill)))
            .collect()
    }

    fn shown(&self, skill: &Skill) -> String {
        let root = self.path("");
        let path = skill.path.as_deref().unwrap_or(Path::new("-"));
        path.strip_prefix(&root).unwrap_or(path).display().to_string()
    }
}

/// A skill whose name is its folder's, so that every system takes it.
fn skill(path: &str) -> String {
    let parts: Vec<_> = path.rsplit('/').collect();
    let file = parts[0].trim_end_matches(".md");
    let name = if file.eq_ignore_ascii_case("skill") {
        parts[1]
    } else {
        file
    };
    format!("---\nname: {name}\ndescription: Does it.\n---\nBody\n")
}

fn set(items: &[&str]) -> BTreeSet<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

const EVERYWHERE: &[&str] = &[
    "m/.claude/skills/managed/SKILL.md",
    "r/.claude/skills/above/SKILL.md",
    "r/.agents/skills/above-shared/SKILL.md",
    "r/.thndrs/skills/above-t/SKILL.md",
    "r/w/.agents/skills/shared/SKILL.md",
    "r/w/.agents/skills/collection/inner/SKILL.md",
    "r/w/.agents/skills/flat.md",
    "r/w/.agents/skills/README.md",
    "r/w/.agents/skills/notes/deep.md",
    "r/w/.agents/skills/lower/skill.md",
    "r/w/.claude/skills/c/SKILL.md",
    "r/w/.claude/skills/collection/too-deep/SKILL.md",
    "r/w/.claude/skills/flat.md",
    "r/w/.claude/commands/commit.md",
    "r/w/.claude/commands/git/push.md",
    "r/w/.claude/commands/folder/SKILL.md",
    "r/w/.openhands/skills/o/SKILL.md",
    "r/w/.openhands/skills/plain.md",
    "r/w/.openhands/microagents/repo.md",
    "r/w/.openhands/microagents/sub/agent.md",
    "r/w/.thndrs/skills/t/SKILL.md",
    "r/w/.codex/skills/codex/SKILL.md",
    "r/w/.pi/skills/pi/SKILL.md",
    "r/w/.pi/agent/skills/pi-agent/SKILL.md",
    "r/w/brain/cerebellum/wolf/SKILL.md",
    "r/w/brain/cerebellum/.hidden/SKILL.md",
    "r/w/.github/skills/copilot/SKILL.md",
    "r/w/sub/.claude/skills/nested/SKILL.md",
    "h/.claude/skills/mine/SKILL.md",
    "h/.claude/commands/mine-too.md",
    "h/.claude/skills/synced/cloud/SKILL.md",
    "h/.thndrs/skills/home-t/SKILL.md",
    "h/.wolffish/workspace/brain/cerebellum/home-wolf/SKILL.md",
];

#[test]
fn every_location_of_every_system_is_looked_at() {
    let place = Place::new(EVERYWHERE);
    let catalog = place.catalog();
    let expected = [
        "managed m/.claude/skills/managed/SKILL.md",
        "above r/.claude/skills/above/SKILL.md",
        "above-shared r/.agents/skills/above-shared/SKILL.md",
        "above-t r/.thndrs/skills/above-t/SKILL.md",
        "shared r/w/.agents/skills/shared/SKILL.md",
        "inner r/w/.agents/skills/collection/inner/SKILL.md",
        "flat r/w/.agents/skills/flat.md",
        "lower r/w/.agents/skills/lower/skill.md",
        "c r/w/.claude/skills/c/SKILL.md",
        "commit r/w/.claude/commands/commit.md",
        "git:push r/w/.claude/commands/git/push.md",
        "folder r/w/.claude/commands/folder/SKILL.md",
        "o r/w/.openhands/skills/o/SKILL.md",
        "plain r/w/.openhands/skills/plain.md",
        "repo r/w/.openhands/microagents/repo.md",
        "sub/agent r/w/.openhands/microagents/sub/agent.md",
        "t r/w/.thndrs/skills/t/SKILL.md",
        "codex r/w/.codex/skills/codex/SKILL.md",
        "pi r/w/.pi/skills/pi/SKILL.md",
        "pi-agent r/w/.pi/agent/skills/pi-agent/SKILL.md",
        "wolf r/w/brain/cerebellum/wolf/SKILL.md",
        "mine h/.claude/skills/mine/SKILL.md",
        "mine-too h/.claude/commands/mine-too.md",
        "cloud h/.claude/skills/synced/cloud/SKILL.md",
        "home-t h/.thndrs/skills/home-t/SKILL.md",
        "home-wolf h/.wolffish/workspace/brain/cerebellum/home-wolf/SKILL.md",
    ];
    assert_eq!(place.found(&catalog), set(&expected));
    assert_eq!(catalog.errors, []);
    assert!(catalog.skills.iter().all(|skill| skill.state != SkillState::Broken));
    let untrusted = catalog.skills.iter().filter(|skill| skill.source == Source::Synced);
    assert!(untrusted.into_iter().all(|skill| !skill.is_trusted));
}

#[test]
fn a_path_alone_says_what_the_catalog_says_of_a_file() {
    let place = Place::new(EVERYWHERE);
    for skill in &place.catalog().skills {
        let path = place.shown(skill);
        let facts = Facts::of_path(&path);
        assert_eq!((facts.kind, facts.dialect), (skill.kind, skill.dialect), "{path}");
    }
}

#[test]
fn each_system_sees_its_own_catalog() {
    let place = Place::new(EVERYWHERE);
    for (reader, expected) in [
        (
            Dialect::Claude,
            &[
                "managed m/.claude/skills/managed/SKILL.md",
                "above r/.claude/skills/above/SKILL.md",
                "c r/w/.claude/skills/c/SKILL.md",
                "commit r/w/.claude/commands/commit.md",
                "git:push r/w/.claude/commands/git/push.md",
                "folder r/w/.claude/commands/folder/SKILL.md",
                "mine h/.claude/skills/mine/SKILL.md",
                "mine-too h/.claude/commands/mine-too.md",
                "cloud h/.claude/skills/synced/cloud/SKILL.md",
            ][..],
        ),
        (
            Dialect::Thndrs,
            &[
                "above r/.claude/skills/above/SKILL.md",
                "above-shared r/.agents/skills/above-shared/SKILL.md",
                "above-t r/.thndrs/skills/above-t/SKILL.md",
                "mine h/.claude/skills/mine/SKILL.md",
                "cloud h/.claude/skills/synced/cloud/SKILL.md",
                "home-t h/.thndrs/skills/home-t/SKILL.md",
            ],
        ),
        (
            Dialect::OpenHands,
            &[
                "above-shared r/.agents/skills/above-shared/SKILL.md",
                "shared r/w/.agents/skills/shared/SKILL.md",
                "flat r/w/.agents/skills/flat.md",
                "notes/deep r/w/.agents/skills/notes/deep.md",
                "lower r/w/.agents/skills/lower/skill.md",
                "o r/w/.openhands/skills/o/SKILL.md",
                "plain r/w/.openhands/skills/plain.md",
                "repo r/w/.openhands/microagents/repo.md",
                "sub/agent r/w/.openhands/microagents/sub/agent.md",
            ],
        ),
        (
            Dialect::Wolffish,
            &[
                "wolf r/w/brain/cerebellum/wolf/SKILL.md",
                ".hidden r/w/brain/cerebellum/.hidden/SKILL.md",
                "home-wolf h/.wolffish/workspace/brain/cerebellum/home-wolf/SKILL.md",
            ],
        ),
        (
            Dialect::AgentSkills,
            &[
                "shared r/w/.agents/skills/shared/SKILL.md",
                "inner r/w/.agents/skills/collection/inner/SKILL.md",
                "lower r/w/.agents/skills/lower/skill.md",
                "c r/w/.claude/skills/c/SKILL.md",
                "too-deep r/w/.claude/skills/collection/too-deep/SKILL.md",
                "mine h/.claude/skills/mine/SKILL.md",
                "cloud h/.claude/skills/synced/cloud/SKILL.md",
            ],
        ),
    ] {
        assert_eq!(place.found(&place.view(reader)), set(expected), "{reader}");
    }
}

// Recorded from openhands-sdk 1.58.0.
#[test]
fn openhands_reads_skills_directly_and_plain_files_at_any_depth() {
    let place = Place::new(&[
        "r/w/.openhands/skills/a/SKILL.md",
        "r/w/.openhands/skills/a/extra.md",
        "r/w/.openhands/skills/g/b/SKILL.md",
        "r/w/.openhands/skills/flat.md",
        "r/w/.openhands/skills/README.md",
        "r/w/.openhands/skills/sub/readme.md",
        "r/w/.openhands/skills/sub/deep/k.md",
        "r/w/.openhands/skills/c/skill.md",
    ]);
    place.write("r/w/.openhands/skills/noname/SKILL.md", "just text\n");
    let catalog = place.view(Dialect::OpenHands);
    let names: Vec<_> = catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["a", "c", "flat", "noname", "sub/deep/k", "sub/readme"]);
    assert!(catalog.skills.iter().all(|skill| skill.state != SkillState::Broken));
}

// Recorded from thndrs 0.1.0, but for the circle, which thndrs walks until it is deep enough.
#[test]
fn thndrs_prefers_the_person_and_goes_eight_folders_deep() {
    let place = Place::new(&[
        "h/.claude/skills/ok/SKILL.md",
        "r/.agents/skills/ok/SKILL.md",
        "r/.claude/skills/ok/SKILL.md",
        "r/.agents/skills/.hid/x/SKILL.md",
        "r/.agents/skills/node_modules/y/SKILL.md",
        "r/.agents/skills/col/inner/SKILL.md",
        "r/.agents/skills/1/2/3/4/5/6/7/eight/SKILL.md",
        "r/.agents/skills/1/2/3/4/5/6/7/8/nine/SKILL.md",
    ]);
    place.write(
        "r/.agents/skills/fields/SKILL.md",
        "---\nname: fields\ndescription: d\npaths: x\n---\n",
    );
    let catalog = place.view(Dialect::Thndrs);
    let found = place.found(&catalog);
    assert_eq!(
        found,
        set(&[
            "ok h/.claude/skills/ok/SKILL.md",
            "inner r/.agents/skills/col/inner/SKILL.md",
            "eight r/.agents/skills/1/2/3/4/5/6/7/eight/SKILL.md",
            "fields r/.agents/skills/fields/SKILL.md",
        ])
    );
    let losers: Vec<_> = catalog
        .named("ok")
        .iter()
        .filter(|skill| skill.state == SkillState::Shadowed)
        .collect();
    assert_eq!(losers.len(), 2);
    let broken = &catalog.named("fields")[0];
    assert_eq!(broken.state, SkillState::Broken);
    assert!(
        broken.errors[0].contains("unknown field `paths`"),
        "{:?}",
        broken.errors
    );
}

#[test]
fn a_worktree_has_the_skills_of_its_main_checkout_and_of_nobody_who_does_not_know_it() {
    let mut place = Place::new(&[
        "r/.claude/skills/both/SKILL.md",
        "r/.claude/skills/main/SKILL.md",
        "r/.agents/skills/other/SKILL.md",
        "tree/.claude/skills/both/SKILL.md",
    ]);
    let worktree = place.path("r/.git/worktrees/tree");
    place.write("tree/.git", &format!("gitdir: {}\n", worktree.display()));
    let back = format!("{}\n", place.path("tree/.git").display());
    place.write("r/.git/worktrees/tree/gitdir", &back);
    place.discovery.folders = vec![place.path("tree")];
    for reader in [Dialect::Unified, Dialect::Claude] {
        let catalog = place.view(reader);
        let shown = |name: &str| catalog.get(name).map(|skill| place.shown(skill));
        assert_eq!(
            shown("main").as_deref(),
            Some("r/.claude/skills/main/SKILL.md"),
            "{reader}"
        );
        assert_eq!(
            shown("both").as_deref(),
            Some("tree/.claude/skills/both/SKILL.md"),
            "{reader}"
        );
        // Ours takes what the others share, too.
        assert_eq!(shown("other").is_some(), reader == Dialect::Unified);
        assert!(!catalog.get("main").unwrap().is_trusted);
    }
    assert!(place.view(Dialect::Thndrs).get("main").is_none());
    for (file, text) in [
        ("r/.git/worktrees/tree/gitdir", "/nowhere/.git\n"),
        ("r/.git/worktrees/tree/gitdir", "\n"),
        ("tree/.git", "gitdir: ../r/.git\n"),
        ("tree/.git", "gitdir:\n"),
        ("tree/.git", "no link\n"),
    ] {
        place.write(file, text);
        assert!(place.catalog().get("main").is_none(), "{file}: {text}");
        place.write("r/.git/worktrees/tree/gitdir", &back);
    }
}

#[test]
fn of_one_name_each_system_takes_its_own() {
    let paths = [
        "m/.claude",
        "r/w/.claude",
        "h/.claude",
        "r/w/.agents",
        "h/.agents",
        "r/w/.openhands",
        "h/.thndrs",
    ];
    let files: Vec<_> = paths.iter().map(|path| format!("{path}/skills/x/SKILL.md")).collect();
    let place = Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    place.write("r/w/.claude/commands/x.md", "Do it.\n");
    for (reader, winner) in [
        (Dialect::Unified, "m/.claude/skills/x/SKILL.md"),
        (Dialect::Claude, "m/.claude/skills/x/SKILL.md"),
        (Dialect::Thndrs, "h/.thndrs/skills/x/SKILL.md"),
        (Dialect::OpenHands, "r/w/.agents/skills/x/SKILL.md"),
        (Dialect::AgentSkills, "r/w/.agents/skills/x/SKILL.md"),
    ] {
        let catalog = place.view(reader);
        let skill = catalog.get("x").unwrap();
        assert_eq!(place.shown(skill), winner, "{reader}");
        let losers = catalog
            .named("x")
            .iter()
            .filter(|skill| skill.state == SkillState::Shadowed);
        for loser in losers {
            assert_eq!(loser.shadowed_by, skill.path, "{reader}");
        }
    }
    // OpenHands: the opened folder before the repository, and its folders in their order.
    let mut paths = vec![
        "r/w/.agents/skills/x/SKILL.md",
        "r/w/.openhands/skills/x/SKILL.md",
        "r/w/.openhands/microagents/x.md",
        "r/.agents/skills/x/SKILL.md",
        "h/.agents/skills/x/SKILL.md",
        "h/.openhands/skills/x/SKILL.md",
    ];
    while let Some(first) = paths.first() {
        let open_hands = Place::new(&paths);
        let catalog = open_hands.view(Dialect::OpenHands);
        assert_eq!(open_hands.shown(catalog.get("x").unwrap()), *first);
        paths.remove(0);
    }
    let commands = Place::new(&["h/.claude/skills/x/SKILL.md", "r/w/.claude/commands/x.md"]);
    let catalog = commands.catalog();
    assert_eq!(commands.shown(catalog.get("x").unwrap()), "h/.claude/skills/x/SKILL.md");
    let wolves = Place::new(&[]);
    for folder in ["a", "b"] {
        let text = "---\nname: same\ndescription: d\n---\nBody\n";
        wolves.write(&format!("r/w/brain/cerebellum/{folder}/SKILL.md"), text);
    }
    let catalog = wolves.view(Dialect::Wolffish);
    let last = "r/w/brain/cerebellum/b/SKILL.md";
    assert_eq!(
        wolves.shown(catalog.get("same").unwrap()),
        last,
        "the later one overwrites"
    );
    let synced = Place::new(&["h/.claude/skills/synced/x/SKILL.md", "h/.openhands/skills/x/SKILL.md"]);
    let catalog = synced.catalog();
    assert_eq!(
        synced.shown(catalog.get("x").unwrap()),
        "h/.openhands/skills/x/SKILL.md"
    );
}

// Recorded from pi 1.5.2.
#[test]
fn pi_takes_loose_files_and_follows_the_rules_inside_its_folders() {
    let place = Place::new(&[
        "r/w/.pi/skills/direct.md",
        "r/w/.pi/skills/group/below.md",
        "r/w/.agents/skills/flat.md",
        "r/w/.agents/skills/group/loose.md",
        "r/w/.agents/skills/lower/skill.md",
        "r/w/.agents/skills/ok/SKILL.md",
        "r/w/.agents/skills/ok/notes/extra.md",
        "r/w/.agents/skills/git/SKILL.md",
        "r/w/.agents/skills/plain/SKILL.md",
        "r/w/.agents/skills/fd/SKILL.md",
        "r/w/.agents/skills/root/SKILL.md",
    ]);
    place.write("r/w/.agents/skills/.gitignore", "git\n");
    place.write("r/w/.agents/skills/.ignore", "plain\n");
    place.write("r/w/.agents/skills/.fdignore", "fd\n");
    place.write("r/w/.gitignore", "root\n");
    let found = place.found(&place.view(Dialect::Pi));
    let paths: BTreeSet<&str> = found.iter().filter_map(|it| Some(it.split_once(' ')?.1)).collect();
    let expected = [
        "r/w/.pi/skills/direct.md",
        "r/w/.agents/skills/group/loose.md",
        "r/w/.agents/skills/lower/skill.md",
        "r/w/.agents/skills/ok/SKILL.md",
        "r/w/.agents/skills/root/SKILL.md",
    ];
    assert_eq!(paths, BTreeSet::from(expected));
}

// Recorded from Crush's source of 2026-08-21.
#[test]
fn crush_takes_the_last_path_wherever_it_lies() {
    let mut paths = vec![
        "r/w/.cursor/skills/x/SKILL.md",
        "r/w/.crush/skills/x/SKILL.md",
        "r/w/.claude/skills/x/SKILL.md",
        "r/w/.agents/skills/x/SKILL.md",
        "r/.cursor/skills/x/SKILL.md",
        "h/.config/crush/skills/x/SKILL.md",
        "h/.agents/skills/x/SKILL.md",
    ];
    while let Some(first) = paths.first() {
        let place = Place::new(&paths);
        let catalog = place.view(Dialect::Crush);
        assert_eq!(place.shown(catalog.get("x").unwrap()), *first);
        paths.remove(0);
    }
}

#[test]
fn a_name_of_which_systems_take_different_skills_is_known() {
    let place = Place::new(&[
        "r/w/.agents/skills/x/SKILL.md",
        "r/w/.claude/skills/x/SKILL.md",
        "r/w/.agents/skills/once/SKILL.md",
    ]);
    let catalog = place.catalog();
    let [dispute] = &*catalog.disputes else {
        panic!("{:?}", catalog.disputes)
    };
    let winner = |dialect| {
        let found = dispute.winners.iter().find(|(other, _)| *other == dialect);
        found.map(|(_, winner)| winner.clone())
    };
    let (agents, claude) = ("r/w/.agents/skills/x/SKILL.md", "r/w/.claude/skills/x/SKILL.md");
    for (dialect, expected) in [
        (Dialect::Copilot, Some(Some(place.path(agents)))),
        (Dialect::Goose, Some(Some(place.path(agents)))),
        (Dialect::Crush, Some(Some(place.path(claude)))),
        (Dialect::OpenCode, Some(None)),
        // One of the two alone, all, and not stated.
        (Dialect::Claude, None),
        (Dialect::Codex, None),
        (Dialect::Cursor, None),
    ] {
        assert_eq!(winner(dialect), expected, "{dialect}");
    }
    assert_eq!(dispute.name, "x");
}

#[test]
fn what_a_system_s_own_configuration_turns_off_is_not_loaded_there() {
    let files = ["a", "B", "c-1"].map(|name| format!("r/w/.agents/skills/{name}/SKILL.md"));
    let b = files[1].as_str();
    for (dialect, file, text, off) in [
        (
            Dialect::Gemini,
            "r/w/.gemini/settings.json",
            "{\"skills\": {\"disabled\": [\"b\"]}}",
            &["B"][..],
        ),
        (
            Dialect::Gemini,
            "h/.gemini/settings.json",
            "{\"skills\": {\"enabled\": false}}",
            &["B", "a", "c-1"],
        ),
        (
            Dialect::Crush,
            "h/.config/crush/crush.json",
            "{\"options\": {\"disabled_skills\": [\"a\", \"b\"]}}",
            &["a"],
        ),
        (
            Dialect::Copilot,
            "h/.copilot/config.json",
            "{\"disabledSkills\": [\"a\"]}",
            &["a"],
        ),
        (
            Dialect::OpenCode,
            "r/w/opencode.json",
            "{\"permission\": {\"skill\": {\"c-*\": \"deny\", \"a\": \"ask\"}}}",
            &["c-1"],
        ),
        (
            Dialect::Codex,
            "h/.codex/config.toml",
            "model = \"x\"\n[[skills.config]]\nname = \"a\"\nenabled = false\n[[skills.config]]\npath = \"B\"\n\
             enabled = false\n[[skills.config]]\nname = \"c-1\"\nenabled = false\n[[skills.config]]\nname = 'c-1'\n\
             enabled = true\n[other]\nname = \"x\"\n",
            &["B", "a"],
        ),
        (
            Dialect::Codex,
            "h/.codex/config.toml",
            "# [[skills.config]]\n[skills]\nconfig = [{ name = \"a\", enabled = false }, { name = \"c-1\", enabled = false }, {\n\
             name = \"c-1\", path = \"B\", enabled = false }, { path = '/absent', enabled = \"false\" }]\n",
            &["a", "c-1"],
        ),
        (
            Dialect::Codex,
            "h/.codex/config.toml",
            "[[skills.config]]\nname = \"a\"\nenabled = false\nno TOML\n",
            &[],
        ),
        // Codex ignores a project's.
        (
            Dialect::Codex,
            "r/w/.codex/config.toml",
            "[[skills.config]]\nname = \"a\"\nenabled = false\n",
            &[],
        ),
        (
            Dialect::Goose,
            "r/w/.gemini/settings.json",
            "{\"skills\": {\"enabled\": false}}",
            &[],
        ),
        (Dialect::Gemini, "r/w/.gemini/settings.json", "no JSON", &[]),
    ] {
        let place = Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let path = place.path(b);
        place.write(file, &text.replace("\"B\"", &format!("{path:?}")));
        let catalog = place.view(dialect);
        let turned_off = catalog
            .skills
            .iter()
            .filter(|skill| skill.errors.iter().any(|it| it.contains("turned off in")));
        let names: BTreeSet<&str> = turned_off.map(|skill| skill.name.as_str()).collect();
        assert_eq!(names, off.iter().copied().collect(), "{dialect} {text}");
    }
}

#[test]
fn each_system_s_trust_and_switches_are_reported() {
    for dialect in [
        Dialect::Codex,
        Dialect::Copilot,
        Dialect::VsCode,
        Dialect::OpenCode,
        Dialect::Pi,
        Dialect::Gemini,
    ] {
        let notes = dialect.search().notes;
        assert!(notes.iter().any(|note| note.contains("trust")), "{dialect}");
        assert!(notes.iter().any(|note| note.starts_with("off: ")), "{dialect}");
    }
}

#[test]
fn nested_skills_join_when_a_file_beside_them_is_touched() {
    let mut place = Place::new(&[
        "r/w/.claude/skills/deploy/SKILL.md",
        "r/w/apps/web/.claude/skills/deploy/SKILL.md",
        "r/w/apps/web/.claude/skills/only/SKILL.md",
        "r/w/apps/api/.agents/skills/api/SKILL.md",
        "r/w/out/gen/.claude/skills/generated/SKILL.md",
        "r/w/node_modules/p/.claude/skills/evil/SKILL.md",
    ]);
    place.write("r/w/.gitignore", "out/\n");
    let names = |place: &Place| {
        let catalog = place.catalog();
        catalog
            .skills
            .iter()
            .map(|skill| skill.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&place), ["deploy"]);
    for file in ["r/w/out/gen/x.ts", "r/w/node_modules/p/x.ts", "r/other/x.ts"] {
        place.touch(file);
    }
    assert_eq!(
        names(&place),
        ["deploy"],
        "not what git ignores, and not packages of others"
    );
    place.touch("r/w/apps/web/src/x.ts");
    assert_eq!(names(&place), ["apps/web:deploy", "deploy", "only"]);
    place.touch("r/w/apps/api/new.ts");
    assert_eq!(names(&place), ["api", "apps/web:deploy", "deploy", "only"]);
    let catalog = place.catalog();
    assert_eq!(catalog.get("only").unwrap().nested_in.as_deref(), Some("apps/web"));
    assert!(
        catalog.skills.iter().all(|skill| skill.state == SkillState::Listed),
        "they don't compete"
    );
    let alone = catalog.with_text(
        &place.path("r/w/.claude/skills/deploy/SKILL.md"),
        "---\nname: [\n".into(),
    );
    let alone = alone.unwrap();
    let name = if alone
        .at(&place.path("r/w/.claude/skills/deploy/SKILL.md"))
        .unwrap()
        .state
        == SkillState::Broken
    {
        "deploy"
    } else {
        "apps/web:deploy"
    };
    let nested = alone
        .at(&place.path("r/w/apps/web/.claude/skills/deploy/SKILL.md"))
        .unwrap();
    assert_eq!(nested.name, name, "a plain name comes back where the other one is gone");
}

#[test]
fn what_is_configured_says_who_reads_a_file_and_how() {
    let mut place = Place::new(&["r/w/vendor/.agents/skills/a/SKILL.md"]);
    let text = "---\nname: b\ndescription: d\npaths: '*.rs'\nmetadata: {dialect: claude}\n---\n";
    place.write("r/w/.agents/skills/b/SKILL.md", text);
    place.write("r/w/.agents/skills/c/SKILL.md", &text.replace("name: b", "name: c"));
    let of = |place: &Place, name: &str| {
        let catalog = place.catalog();
        let skill = catalog.get(name).unwrap();
        let is_active = !catalog.matching(&place.path("r/w/deep/x.rs")).is_empty();
        (skill.dialect, skill.flavour, is_active)
    };
    assert_eq!(of(&place, "b"), (Dialect::Claude, Some(Flavour::Claude), false));
    let configured = |folder: PathBuf, pattern: &str, flavour| Configured {
        folder,
        dialects: vec![(PathMatcher::new([pattern]), Dialect::OpenHands)],
        flavour,
        ..Configured::default()
    };
    let everywhere = configured(PathBuf::new(), "**", Some(Flavour::Gitignore));
    let here = configured(place.path("r/w"), ".agents/skills/b/**", None);
    place.discovery.configured = [everywhere.clone(), here].into();
    assert_eq!(of(&place, "b"), (Dialect::OpenHands, Some(Flavour::OpenHands), true));
    assert_eq!(of(&place, "c").0, Dialect::Claude, "the innermost folder counts");
    place.discovery.configured = [everywhere].into();
    assert_eq!(of(&place, "c"), (Dialect::OpenHands, Some(Flavour::Gitignore), true));
}

// Recorded from the documents of Claude Code 2.1.
#[test]
fn claude_code_loads_the_body_of_what_it_cannot_read() {
    let place = Place::new(&[]);
    place.write(
        "r/w/.claude/skills/odd/SKILL.md",
        "---\nname: [unclosed\n---\nFirst words.\n",
    );
    let catalog = place.view(Dialect::Claude);
    let skill = catalog.get("odd").unwrap();
    assert_eq!(
        (skill.state, skill.description.as_deref()),
        (SkillState::Listed, Some("First words."))
    );
}

#[test]
fn what_lies_above_the_workspace_waits_for_trust() {
    let mut place = Place::new(&["r/.claude/skills/above/SKILL.md", "r/w/.claude/skills/own/SKILL.md"]);
    let trusted = |place: &Place| {
        let catalog = place.catalog();
        ["above", "own"].map(|name| catalog.get(name).unwrap().is_trusted)
    };
    assert_eq!(trusted(&place), [false, false]);
    place.discovery.trusted.push(place.path("r/w"));
    assert_eq!(trusted(&place), [false, true]);
    place.discovery.trusted.push(place.path("r"));
    assert_eq!(trusted(&place), [true, true]);
}

#[test]
fn further_folders_are_skills_projects_or_plugins() {
    let mut place = Place::new(&[
        "x/skills/copilot/SKILL.md",
        "y/.claude/skills/added/SKILL.md",
        "y/docs/skills/too/SKILL.md",
        "z/skills/tool/SKILL.md",
        "z/commands/go.md",
        "installed/skills/tool/SKILL.md",
        "one/SKILL.md",
        "many/plugins/a/skills/init/SKILL.md",
        "many/plugins/b/skills/init/SKILL.md",
    ]);
    place.write("many/plugins/a/.claude-plugin/plugin.json", r#"{"name": "a"}"#);
    place.write("many/plugins/b/.claude-plugin/plugin.json", r#"{"name": "b"}"#);
    place.write("z/.claude-plugin/plugin.json", r#"{"name": "zed"}"#);
    place.write("installed/.claude-plugin/plugin.json", "{");
    let record = format!(
        r#"{{"version": 2, "plugins": {{"p@m": [{{"installPath": {:?}}}]}}}}"#,
        place.path("installed")
    );
    place.write("h/.claude/plugins/installed_plugins.json", &record);
    place.discovery.directories = ["x/skills", "y", "z", "one", "many", "missing"]
        .map(|path| place.path(path))
        .to_vec();
    assert_eq!(
        place.found(&place.catalog()),
        set(&[
            "copilot x/skills/copilot/SKILL.md",
            "added y/.claude/skills/added/SKILL.md",
            "too y/docs/skills/too/SKILL.md",
            "zed:tool z/skills/tool/SKILL.md",
            "zed:go z/commands/go.md",
            "installed:tool installed/skills/tool/SKILL.md",
            "one one/SKILL.md",
            "a:init many/plugins/a/skills/init/SKILL.md",
            "b:init many/plugins/b/skills/init/SKILL.md",
        ])
    );
}

#[test]
fn bundled_skills_are_there_where_they_are_wanted_and_lose_to_all() {
    let mut place = Place::new(&["h/.agents/skills/debug/SKILL.md"]);
    place.discovery.bundled = Some(Conditions::default());
    let catalog = place.catalog();
    let names: BTreeSet<_> = catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(
        names,
        BTreeSet::from(["debug", "remember", "simplify", "skillify", "stuck", "verify"])
    );
    assert_eq!(catalog.get("debug").unwrap().source, Source::User);
    for skill in catalog.skills.iter().filter(|skill| skill.source == Source::Bundled) {
        assert!(
            skill.errors.is_empty() && skill.path.is_none(),
            "{}: {:?}",
            skill.name,
            skill.errors
        );
        let text = skill.text().unwrap();
        assert!(skill.instructions(&text).starts_with("# "), "{}", skill.name);
        let bundled = skill.as_bundled().unwrap();
        for (file, _) in bundled.files {
            assert!(text.contains(file), "{} never says what {file} is for", skill.name);
        }
    }
    place.discovery.bundled = Some(Conditions {
        disabled: ["stuck".to_owned()].into(),
        schedules: true,
    });
    let catalog = place.catalog();
    assert!(catalog.get("loop").is_some() && catalog.get("stuck").is_none());
}

#[test]
fn files_that_count_always_are_found_once_and_with_their_scope() {
    let mut place = Place::new(&[]);
    place.discovery.trusted = vec![place.path("r/w"), place.path("r")];
    for (path, text) in [
        ("r/AGENTS.md", "top"),
        ("r/w/agents.md", "own"),
        ("r/w/GEMINI.md", "g"),
        ("r/w/.cursorrules", "c"),
        ("r/w/sub/AGENTS.md", "sub"),
        ("r/w/sub/deep/CLAUDE.md", "deep"),
        ("r/w/other/AGENTS.md", "not touched"),
    ] {
        place.write(path, text);
    }
    place.touch("r/w/sub/deep/x.rs");
    let catalog = place.catalog();
    let found: BTreeSet<_> = catalog
        .always_on
        .iter()
        .map(|file| format!("{} {}", file.name, file.scope.as_deref().unwrap_or("-")))
        .collect();
    let expected = [
        "agents -",
        "agents:sub sub/**",
        "claude:sub/deep sub/deep/**",
        "cursorrules -",
        "gemini -",
    ];
    assert_eq!(found, set(&expected));
    assert_eq!(catalog.always_on.len(), 6);
}

#[test]
fn imports_are_followed_outside_of_code_and_not_in_circles() {
    let mut place = Place::new(&[]);
    place.discovery.trusted = place.discovery.folders.clone();
    for (path, text) in [
        (
            "r/w/CLAUDE.md",
            "Start @docs/a.md, `@docs/b.md` and\n```\n@docs/b.md\n```\n@me and a@docs/a.md @CLAUDE.md @~/own.md\n",
        ),
        ("r/w/docs/a.md", "A imports @b.md\n"),
        ("r/w/docs/b.md", "B\n"),
        ("h/own.md", "Mine\n"),
    ] {
        place.write(path, text);
    }
    for depth in 1..=7 {
        place.write(&format!("r/w/sub/{depth}.md"), &format!("{depth} @{}.md", depth + 1));
    }
    place.write("r/w/sub/CLAUDE.md", "@1.md");
    place.touch("r/w/sub/x");
    let catalog = place.catalog();
    let file = |name: &str| catalog.always_on.iter().find(|file| file.name == name).unwrap();
    let expected = "Start A imports B, `@docs/b.md` and\n```\n@docs/b.md\n```\n@me and a@docs/a.md @CLAUDE.md Mine\n";
    assert_eq!(file("claude").text(|_| None).unwrap(), expected);
    assert_eq!(file("claude").imports.len(), 3);
    assert_eq!(file("claude").errors, ["@CLAUDE.md leads back to itself"]);
    assert_eq!(file("claude:sub").text(|_| None).unwrap(), "1 2 3 4 5 @6.md");
    assert!(
        file("claude:sub").errors[0].contains("too deep"),
        "{:?}",
        file("claude:sub").errors
    );
    place.discovery.trusted.clear();
    let catalog = place.catalog();
    let file = catalog.always_on.iter().find(|file| file.name == "claude").unwrap();
    assert!(
        file.text(|_| None).unwrap().contains("@~/own.md"),
        "nothing from elsewhere where nobody trusts the folder"
    );
}

/// Whoever writes a repository knows how a person's files are called: what instructions bring along is sent to the model.
#[cfg(unix)]
#[test]
fn no_instructions_bring_keys_along() {
    for is_trusted in [false, true] {
        let mut place = Place::new(&[]);
        if is_trusted {
            place.discovery.trusted = place.discovery.folders.clone();
        }
        for (path, text) in [
            ("r/w/.env", "KEY=hunter2"),
            ("r/w/.kube/config", "hunter2"),
            ("h/.ssh/id_work", "hunter2"),
            ("r/w/CLAUDE.md", "@.env @.kube/config @~/.ssh/id_work @plain.md"),
        ] {
            place.write(path, text);
        }
        std::fs::create_dir_all(place.path("r/w/.openhands/skills")).unwrap();
        for link in ["plain.md", "AGENTS.md", ".openhands/skills/always.md"] {
            std::os::unix::fs::symlink(place.path("r/w/.env"), place.path("r/w").join(link)).unwrap();
        }
        let catalog = place.catalog();
        for file in &catalog.always_on {
            let text = file.text(|_| None).unwrap_or_default();
            assert!(!text.contains("hunter2"), "{}: {text}", file.name);
            let errors = file.errors.join("\n");
            assert!(errors.contains("looks like keys"), "{}: {errors}", file.name);
        }
        assert_eq!(catalog.always_on.len(), 2);
        for skill in &catalog.skills {
            let text = skill.text().map(|text| text.to_string()).unwrap_or_default();
            assert!(!text.contains("hunter2"), "{}: {text}", skill.name);
        }
    }
}

#[cfg(unix)]
#[test]
fn one_file_of_two_names_counts_once() {
    let mut place = Place::new(&[]);
    place.write("r/w/AGENTS.md", "x");
    std::os::unix::fs::symlink("AGENTS.md", place.path("r/w/CLAUDE.md")).unwrap();
    place.touch("r/w/x");
    let catalog = place.catalog();
    assert_eq!(catalog.always_on.len(), 1);
    assert_eq!(catalog.always_on[0].aliases, [place.path("r/w/CLAUDE.md")]);
}

#[cfg(unix)]
#[test]
fn circles_links_and_folders_that_cannot_be_read_cost_nothing_else() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new(&["r/w/.agents/skills/a/SKILL.md", "r/w/.agents/skills/z/x/SKILL.md"]);
    let skills = place.path("r/w/.agents/skills");
    symlink(&skills, skills.join("loop")).unwrap();
    symlink(skills.join("two"), skills.join("one")).unwrap();
    symlink(skills.join("one"), skills.join("two")).unwrap();
    symlink("/nowhere", skills.join("gone")).unwrap();
    std::fs::create_dir_all(skills.join("m/p")).unwrap();
    std::fs::create_dir_all(skills.join("n")).unwrap();
    symlink(skills.join("n"), skills.join("m/to-n")).unwrap();
    symlink(skills.join("m"), skills.join("n/to-m")).unwrap();
    let closed = skills.join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let catalog = place.catalog();
    let names: Vec<_> = catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["a", "x"]);
    let again = place.catalog();
    assert_eq!(catalog.errors, again.errors, "in the same order each time");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    // Who may read everything, as root does, sees an empty folder.
    let is_root = rustix::process::geteuid().is_root();
    assert_eq!(
        catalog.errors.iter().any(|error| error.path == closed),
        !is_root,
        "{:?}",
        catalog.errors
    );
}

#[test]
fn a_text_is_read_again_and_only_believed_where_it_is_the_same() {
    let place = Place::new(&["r/w/.claude/skills/a/SKILL.md"]);
    let catalog = place.catalog();
    let skill = catalog.get("a").unwrap();
    assert!(skill.text().unwrap().contains("Does it."));
    place.write("r/w/.claude/skills/a/SKILL.md", "---\ndescription: other\n---\n");
    assert!(
        skill
            .text()
            .unwrap_err()
            .to_string()
            .contains("was just changed; try again")
    );
    let path = place.path("r/w/.claude/skills/a/SKILL.md");
    let fresh = catalog.with_file(&path).unwrap();
    assert_eq!(fresh.get("a").unwrap().description.as_deref(), Some("other"));
    std::fs::remove_file(&path).unwrap();
    assert!(
        fresh
            .get("a")
            .unwrap()
            .text()
            .unwrap_err()
            .to_string()
            .contains("can't be read")
    );
    assert!(fresh.with_file(&path).is_none(), "it must be discovered");
}

#[test]
fn huge_descriptions_are_cut_and_long_files_refused() {
    let place = Place::new(&[]);
    for (name, length) in [("wordy", 20 << 10), ("endless", 1 << 20)] {
        place.write(
            &format!("r/w/.claude/skills/{name}/SKILL.md"),
            &format!("---\ndescription: {}\n---\n", "x".repeat(length)),
        );
    }
    place.write("r/w/.claude/skills/huge/SKILL.md", &"x".repeat(5 << 20));
    let catalog = place.catalog();
    let wordy = catalog.get("wordy").unwrap();
    assert!(wordy.description.as_ref().unwrap().len() < 10_000);
    for (name, reason) in [("endless", "over 32 KiB"), ("huge", "longer than")] {
        let skill = &catalog.named(name)[0];
        assert_eq!(skill.state, SkillState::Broken, "{name}");
        assert!(skill.errors[0].contains(reason), "{:?}", skill.errors);
    }
}

#[test]
fn a_skill_is_broken_where_its_own_system_refuses_it() {
    // What is wrong, with `NAME` for the folder's name.
    let texts = [
        "---\nname: NAME\ndescription: Ships it.\n---\n# B\n",
        "# B\n",
        "\n---\nname: NAME\ndescription: Ships it.\n---\n# B\n",
        "---\nname: NAME\ndescription: Ships it.\n# B\n",
        "---\nname: NAME\ndescription: Use this: now\n---\n# B\n",
        "---\nname: NAME\ndescription: d\ndescription: e\n---\n# B\n",
        "---\ndescription: Ships it.\n---\n# B\n",
        "---\nname: NAME\n---\n# B\n",
        "---\nname: NAME\ndescription: 5\n---\n# B\n",
        "---\nname: NAME\ndescription: Ships it.\nmetadata:\n  - a\n---\n# B\n",
        "---\nname: NAME\ndescription: Ships it.\nmetadata: &a {a: *a}\n---\n# B\n",
        "---\nname: NAME\ndescription: Ships it.\n? [a]\n: b\n---\n# B\n",
    ];
    for dialect in [
        Dialect::Claude,
        Dialect::OpenHands,
        Dialect::Thndrs,
        Dialect::Codex,
        Dialect::Pi,
    ] {
        let mut place = Place::new(&[]);
        // thndrs looks nowhere but at the root of the repository.
        place.discovery.folders = vec![place.path("r")];
        let folder = dialect.reader().folders[0];
        for (at, text) in texts.iter().enumerate() {
            let name = format!("s{at}");
            let file = format!("r/{folder}/skills/{name}/SKILL.md");
            place.write(&file, &text.replace("NAME", &name));
        }
        let broken = |catalog: Catalog| -> BTreeSet<PathBuf> {
            let broken = catalog.skills.iter().filter(|skill| skill.state == SkillState::Broken);
            broken.filter_map(|skill| skill.path.clone()).collect()
        };
        assert_eq!(broken(place.catalog()), broken(place.view(dialect)), "{dialect}");
    }
}

#[test]
fn several_folders_are_one_catalog_in_their_order() {
    let mut place = Place::new(&[
        "r/w/.agents/skills/x/SKILL.md",
        "v/.agents/skills/x/SKILL.md",
        "v/.agents/skills/y/SKILL.md",
    ]);
    place.discovery.folders.push(place.path("v"));
    let catalog = place.catalog();
    assert_eq!(place.shown(catalog.get("x").unwrap()), "r/w/.agents/skills/x/SKILL.md");
    assert!(catalog.get("y").is_some());
    place.discovery.folders.remove(0);
    assert_eq!(
        place.shown(place.catalog().get("x").unwrap()),
        "v/.agents/skills/x/SKILL.md"
    );
}
