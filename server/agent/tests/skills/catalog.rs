//! Which skills are found, which count, and which a file activates.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

use skills_agent::catalog::{Catalog, Discovery, SkillState};

/// A folder with a workspace `w` and a home `h`.
struct Bench {
    folder: tempfile::TempDir,
    discovery: Discovery,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for folder in ["w", "h"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (path, text) in files {
            write(&root.join(path), text);
        }
        let discovery = Discovery {
            folders: vec![root.join("w")],
            home: Some(root.join("h")),
            ..Discovery::default()
        };
        Self { folder, discovery }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn catalog(&self) -> Catalog {
        self.discovery.run()
    }

    /// Path and state of each skill.
    fn states(&self) -> Vec<(String, SkillState)> {
        let root = self.path("");
        let shown = |path: &Option<PathBuf>| {
            path.as_ref()
                .unwrap()
                .strip_prefix(&root)
                .unwrap()
                .display()
                .to_string()
        };
        self.catalog()
            .skills
            .iter()
            .map(|skill| (shown(&skill.path), skill.state))
            .collect()
    }

    fn names(&self) -> Vec<String> {
        self.catalog().skills.iter().map(|skill| skill.name.clone()).collect()
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const GOOD: &str = "---\nname: x\ndescription: Does x.\n---\nBody\n";
const RUST: &str = "---\nname: rust\ndescription: For Rust.\npaths: ['src/**/*.rs', '*.toml', 'a[']\n---\nBody\n";

#[test]
fn skills_are_found_where_each_system_looks() {
    let bench = Bench::new(&[
        ("w/.claude/skills/a/SKILL.md", GOOD),
        ("w/.claude/skills/collection/deep/SKILL.md", GOOD),
        ("w/.claude/skills/flat.md", GOOD),
        ("w/.claude/skills/build/SKILL.md", GOOD),
        ("w/packages/x/node_modules/y/.claude/skills/evil/SKILL.md", GOOD),
        ("w/.agents/skills/b/SKILL.md", GOOD),
        ("w/.agents/skills/b/references/inner/SKILL.md", GOOD),
        ("w/.agents/skills/collection/c/SKILL.md", GOOD),
        ("w/.agents/skills/1/2/3/4/5/6/7/d/SKILL.md", GOOD),
        ("w/.agents/skills/1/2/3/4/5/6/7/8/e/SKILL.md", GOOD),
        ("w/.agents/skills/node_modules/n/SKILL.md", GOOD),
        ("w/.agents/skills/.hidden/SKILL.md", GOOD),
        ("w/.agents/skills/ignored/SKILL.md", GOOD),
        ("w/.agents/skills/low/skill.md", GOOD),
        ("w/.gitignore", "ignored/\n"),
        ("h/.claude/skills/f/SKILL.md", GOOD),
        ("h/.agents/skills/g/SKILL.md", GOOD),
        ("h/.gitignore", "*\n"),
        ("w/sub/.claude/skills/z/SKILL.md", GOOD),
    ]);
    assert_eq!(bench.names(), ["a", "b", "build", "c", "d", "f", "g", "low"]);
    assert!(bench.catalog().errors.is_empty());
}

#[test]
fn a_person_may_keep_the_own_folder_out_of_the_repository() {
    let bench = Bench::new(&[("w/.claude/skills/a/SKILL.md", GOOD), ("w/.gitignore", "/.claude/\n")]);
    assert_eq!(bench.names(), ["a"]);
}

#[test]
fn broken_skills_stay_with_the_reason() {
    let bench = Bench::new(&[
        ("w/.agents/skills/none/SKILL.md", "just text\n"),
        ("w/.agents/skills/nodesc/SKILL.md", "---\nname: nodesc\n---\n"),
        (
            "w/.agents/skills/yaml/SKILL.md",
            "---\nname: yaml\ndescription: [a\n---\nBody\n",
        ),
        ("w/.agents/skills/ok/SKILL.md", GOOD),
        (
            "w/.claude/skills/yaml/SKILL.md",
            "---\nname: yaml\ndescription: [a\npaths: '*.rs'\n---\nFirst words.\n",
        ),
        ("w/.claude/skills/none/SKILL.md", "just text\n"),
    ]);
    write(&bench.path("w/.agents/skills/latin/SKILL.md"), "");
    std::fs::write(bench.path("w/.agents/skills/latin/SKILL.md"), b"---\nname: \xe9\n---\n").unwrap();
    let catalog = bench.catalog();
    let state = |path: &str| {
        let skill = catalog.at(&bench.path(path)).unwrap();
        (skill.state, skill.errors.len())
    };
    for name in ["none", "nodesc", "yaml", "latin"] {
        let (state, errors) = state(&format!("w/.agents/skills/{name}/SKILL.md"));
        assert!(state == SkillState::Broken && errors > 0, "{name}: {state:?}");
    }
    assert_eq!(state("w/.agents/skills/ok/SKILL.md"), (SkillState::Listed, 0));
    // Claude Code loads both; what it can't read it takes for empty.
    let yaml = catalog.get("yaml").unwrap();
    assert_eq!(
        (yaml.state, yaml.description.as_deref()),
        (SkillState::Listed, Some("First words."))
    );
    assert!(!yaml.errors.is_empty() && yaml.metadata.paths.is_empty());
    assert_eq!(catalog.get("none").unwrap().description.as_deref(), Some("just text"));
}

#[test]
fn of_one_name_one_skill_counts() {
    for (files, winner) in [
        (&["h/.claude", "w/.claude"][..], "h/.claude"),
        (&["h/.agents", "w/.agents"], "w/.agents"),
        (&["h/.claude", "w/.agents"], "w/.agents"),
        (&["h/.agents", "w/.claude"], "w/.claude"),
        (&["h/.claude", "w/.claude", "w/.agents"], "w/.agents"),
        (&["h/.agents", "h/.claude"], "h/.agents"),
        (&["w/.agents", "w/.claude"], "w/.agents"),
    ] {
        let paths: Vec<_> = files.iter().map(|root| format!("{root}/skills/x/SKILL.md")).collect();
        let bench = Bench::new(&paths.iter().map(|path| (path.as_str(), GOOD)).collect::<Vec<_>>());
        let catalog = bench.catalog();
        let winner = bench.path(&format!("{winner}/skills/x/SKILL.md"));
        assert_eq!(catalog.get("x").unwrap().path, Some(winner.clone()), "{files:?}");
        let losers: Vec<_> = catalog
            .skills
            .iter()
            .filter(|skill| skill.state == SkillState::Shadowed)
            .collect();
        assert_eq!(losers.len(), files.len() - 1);
        assert!(
            losers.iter().all(|loser| loser.shadowed_by.as_ref() == Some(&winner)),
            "{files:?}"
        );
    }
    let broken = Bench::new(&[
        ("w/.agents/skills/x/SKILL.md", "no"),
        ("w/.claude/skills/x/SKILL.md", GOOD),
    ]);
    assert_eq!(
        broken.states(),
        [
            ("w/.agents/skills/x/SKILL.md".into(), SkillState::Broken),
            ("w/.claude/skills/x/SKILL.md".into(), SkillState::Listed)
        ],
        "what is not loaded stands in nobody's way"
    );
}

#[test]
fn a_file_activates_by_its_path_in_the_project() {
    let bench = Bench::new(&[
        ("w/.claude/skills/rust/SKILL.md", RUST),
        ("h/.agents/skills/mine/SKILL.md", &RUST.replace("rust", "mine")),
        ("w/.claude/skills/always/SKILL.md", &RUST.replace("src/**/*.rs", "**")),
        ("w/.claude/skills/plain/SKILL.md", GOOD),
        (
            "w/.claude/skills/person/SKILL.md",
            "---\ndescription: d\ndisable-model-invocation: true\n---\nBody\n",
        ),
    ]);
    let catalog = bench.catalog();
    let active = |path: &str| {
        let names = catalog
            .matching(&bench.path(path))
            .into_iter()
            .map(|active| active.skill.name.clone());
        names.collect::<Vec<_>>()
    };
    for (path, expected) in [
        ("w/src/main.rs", &["mine", "rust"][..]),
        ("w/src/a/b.rs", &["mine", "rust"]),
        ("w/Cargo.toml", &["mine", "rust"]),
        ("w/sub/Cargo.toml", &[]),
        ("w/README.md", &[]),
        ("h/src/main.rs", &[]),
        ("w-other/src/main.rs", &[]),
    ] {
        assert_eq!(active(path), expected, "{path}");
    }
    let activation = &catalog.matching(&bench.path("w/Cargo.toml"))[1];
    let why = &activation.why;
    assert_eq!(
        (why.kind.name(), why.text.as_str(), why.matched.as_str()),
        ("path", "*.toml", "Cargo.toml")
    );
    assert_eq!(&activation.skill.text().unwrap()[why.range], "*.toml");
    let states: Vec<_> = catalog
        .skills
        .iter()
        .map(|skill| (skill.name.as_str(), skill.state.name()))
        .collect();
    let hidden = ["mine", "person", "rust"].map(|name| (name, "hidden"));
    let listed = ["always", "plain"].map(|name| (name, "listed"));
    assert!(
        hidden.iter().chain(&listed).all(|state| states.contains(state)),
        "{states:?}"
    );
}

#[test]
fn the_list_says_why_not() {
    let bench = Bench::new(&[
        ("w/.claude/skills/rust/SKILL.md", RUST),
        ("w/.claude/skills/plain/SKILL.md", GOOD),
        ("w/.agents/skills/plain/SKILL.md", GOOD),
        ("w/.agents/skills/bad/SKILL.md", "no"),
    ]);
    let catalog = bench.catalog();
    let reason = |file: &str, skill: &str| {
        let file = bench.path(file);
        let path = bench.path(skill);
        catalog
            .list(Some(&file))
            .into_iter()
            .find(|listed| listed.skill.is_at(&path))
            .unwrap()
            .why_not
            .unwrap_or_default()
    };
    for (file, skill, expected) in [
        ("w/src/a.rs", "w/.claude/skills/rust/SKILL.md", ""),
        (
            "w/docs/x.md",
            "w/.claude/skills/rust/SKILL.md",
            "docs/x.md matches none of src/**/*.rs, *.toml, a[",
        ),
        (
            "w/docs/x.md",
            "w/.claude/skills/rust/SKILL.md",
            "a[ can't be read at `[` and matches nothing",
        ),
        (
            "w/sub/Cargo.toml",
            "w/.claude/skills/rust/SKILL.md",
            "**/*.toml those of all",
        ),
        ("h/x.rs", "w/.claude/skills/rust/SKILL.md", "is not below"),
        ("w/x", "w/.claude/skills/plain/SKILL.md", "shadowed by"),
        (
            "w/x",
            "w/.agents/skills/plain/SKILL.md",
            "it has no condition; the model or a person may choose it",
        ),
        ("w/x", "w/.agents/skills/bad/SKILL.md", "not loaded: "),
    ] {
        let reason = reason(file, skill);
        assert!(
            reason.contains(expected) && reason.is_empty() == expected.is_empty(),
            "{file} {skill}: {reason}"
        );
    }
    assert!(
        catalog
            .list(None)
            .iter()
            .all(|listed| listed.why.is_empty() && listed.why_not.is_none())
    );
}

#[test]
fn what_matches_nothing_is_named_with_the_part_that_is_wrong() {
    let long = format!(
        "---\nname: long\ndescription: Long.\npaths: '{}['\n---\n",
        "x/".repeat(5_000)
    );
    let bench = Bench::new(&[
        ("w/.claude/skills/rust/SKILL.md", RUST),
        ("w/.claude/skills/long/SKILL.md", &long),
        (
            "w/.agents/skills/word/SKILL.md",
            "---\nname: word\ndescription: Word.\ntriggers: ['regex:(a', fine]\n---\n",
        ),
        ("w/.agents/skills/plain/SKILL.md", GOOD),
    ]);
    let catalog = bench.catalog();
    let unreadable = |name: &str| catalog.get(name).unwrap().unreadable();
    assert_eq!(unreadable("plain"), Vec::<String>::new());
    let cases = [
        ("rust", "a[ can't be read at `[`"),
        ("word", "regex:(a can't be read at `(`"),
        ("long", "/…"),
    ];
    for (name, expected) in cases {
        let [problem] = unreadable(name).try_into().unwrap();
        assert!(problem.contains(expected) && problem.len() < 1_000, "{name}: {problem}");
    }
    let why_not = catalog.list(Some(&bench.path("w/y")));
    assert!(
        why_not
            .iter()
            .all(|listed| listed.why_not.as_ref().unwrap().len() < 2_000)
    );
}

#[test]
fn open_texts_count_instead_of_the_disks() {
    let mut bench = Bench::new(&[("w/.claude/skills/rust/SKILL.md", GOOD)]);
    let (old, new) = (
        bench.path("w/.claude/skills/rust/SKILL.md"),
        bench.path("w/.claude/skills/new/SKILL.md"),
    );
    bench.discovery.open.insert(old.clone(), RUST.into());
    bench.discovery.open.insert(new, GOOD.into());
    bench.discovery.open.insert(bench.path("w/docs/SKILL.md"), GOOD.into());
    let catalog = bench.catalog();
    assert_eq!(bench.names(), ["new", "rust"]);
    assert_eq!(catalog.matching(&bench.path("w/src/a.rs")).len(), 1);
    let typed = catalog
        .with_text(&old, RUST.replace("src/**", "lib/**").into())
        .unwrap();
    assert_eq!(typed.matching(&bench.path("w/src/a.rs")).len(), 0);
    assert_eq!(typed.matching(&bench.path("w/lib/a.rs")).len(), 1);
    assert_ne!(typed.at(&old).unwrap().sha256, catalog.at(&old).unwrap().sha256);
    assert!(catalog.with_text(Path::new("/elsewhere"), GOOD.into()).is_none());
}

#[test]
fn a_text_that_changes_lets_the_shadowed_one_out() {
    let bench = Bench::new(&[
        ("w/.agents/skills/x/SKILL.md", GOOD),
        ("w/.claude/skills/x/SKILL.md", GOOD),
    ]);
    let catalog = bench
        .catalog()
        .with_text(&bench.path("w/.agents/skills/x/SKILL.md"), "broken".into())
        .unwrap();
    assert_eq!(
        catalog.get("x").unwrap().path,
        Some(bench.path("w/.claude/skills/x/SKILL.md"))
    );
    assert_eq!(catalog.get("x").unwrap().shadowed_by, None);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_out_of_the_workspace_only_where_trusted() {
    use std::os::unix::fs::symlink;
    let mut bench = Bench::new(&[
        ("w/.agents/skills/a/SKILL.md", GOOD),
        ("out/b/SKILL.md", GOOD),
        ("h/dotfiles/skills/c/SKILL.md", GOOD),
    ]);
    std::fs::create_dir_all(bench.path("w/.claude/skills")).unwrap();
    std::fs::create_dir_all(bench.path("h/.claude")).unwrap();
    symlink(bench.path("w/.agents/skills/a"), bench.path("w/.claude/skills/a")).unwrap();
    symlink(bench.path("w/.agents/skills"), bench.path("w/.agents/skills/loop")).unwrap();
    symlink(bench.path("out/b"), bench.path("w/.claude/skills/b")).unwrap();
    symlink(bench.path("h/dotfiles/skills"), bench.path("h/.claude/skills")).unwrap();
    assert_eq!(bench.names(), ["a", "c"]);
    let catalog = bench.catalog();
    assert_eq!(
        catalog.get("a").unwrap().aliases,
        [bench.path("w/.claude/skills/a/SKILL.md")],
        "one file, two paths"
    );
    assert!(
        catalog
            .errors
            .iter()
            .any(|error| error.path == bench.path("w/.claude/skills/b")),
        "{:?}",
        catalog.errors
    );
    bench.discovery.trusted = bench.discovery.folders.clone();
    assert_eq!(bench.names(), ["a", "b", "c"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_does_not_block() {
    let bench = Bench::new(&[("w/.agents/skills/ok/SKILL.md", GOOD)]);
    let folder = bench.path("w/.agents/skills/pipe");
    std::fs::create_dir_all(&folder).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("SKILL.md"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    std::fs::create_dir_all(bench.path("w/.agents/skills/dir/SKILL.md")).unwrap();
    let states = bench.states();
    assert_eq!(
        states.iter().filter(|(_, state)| *state == SkillState::Broken).count(),
        1,
        "{states:?}"
    );
}

#[test]
fn an_empty_home_and_workspace_have_no_skills_and_no_errors() {
    let catalog = Bench::new(&[]).catalog();
    assert!(catalog.skills.is_empty() && catalog.errors.is_empty());
    assert!(Discovery::default().run().skills.is_empty());
}
