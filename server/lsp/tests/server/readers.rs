//! `skills-ls list --dialect`: what each agent finds in one folder of skills, and what surprises there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use crate::place::Place;

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n# {name}\n")
}

/// The names of the skills that count there, without those of the program itself.
fn listed(place: &Place, dialect: &str) -> Vec<String> {
    let report = place.run(&["list", "--dialect", dialect, "--json"]).json();
    let skills = report["skills"].as_array().unwrap().iter();
    let counting = skills.filter(|skill| skill["state"] == "listed" && skill["source"] != "bundled");
    let mut names: Vec<String> = counting
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// As recorded from Codex CLI 0.169.0, GitHub Copilot CLI 1.0.102, opencode 1.18.33, pi 1.5.2, Gemini CLI 0.61.0 and goose
/// 1.52.0, and as the sources of Visual Studio Code 1.139.1 and Crush have it.
#[test]
fn each_agent_walks_through_a_folder_in_its_own_way() {
    let files = ["outer", "outer/inner", "node_modules/packed", "dup-a", "dup-b"];
    let place = Place::new(&[]);
    for folder in files {
        let name = folder.rsplit('/').next().unwrap();
        let name = if name.starts_with("dup") { "dup" } else { name };
        place.write(&format!(".agents/skills/{folder}/SKILL.md"), skill(name).as_bytes());
    }
    place.write("elsewhere.md", skill("linked").as_bytes());
    std::fs::create_dir_all(place.root.join(".agents/skills/linked")).unwrap();
    let link = place.root.join(".agents/skills/linked/SKILL.md");
    std::os::unix::fs::symlink(place.root.join("elsewhere.md"), link).unwrap();
    let all = ["dup", "inner", "linked", "outer", "packed"];
    for (dialect, expected) in [
        ("codex", &["dup", "dup", "inner", "outer", "packed"][..]),
        ("copilot", &["dup", "linked", "outer", "packed"]),
        // The folder wins over the name.
        ("vscode", &["dup-a", "dup-b", "linked", "outer"]),
        ("opencode", &all),
        ("pi", &["dup", "linked", "outer"]),
        ("gemini", &["dup", "linked", "outer"]),
        ("goose", &all),
        // A name must be that of its folder.
        ("crush", &["inner", "linked", "outer", "packed"]),
    ] {
        assert_eq!(listed(&place, dialect), expected, "{dialect}");
    }

    place.write(".agents/skills/SKILL.md", skill("skills").as_bytes());
    for (dialect, expected) in [
        ("copilot", &["skills"][..]),
        ("pi", &["skills"]),
        // The folder wins over the name.
        ("vscode", &["dup-a", "dup-b", "linked", "outer"]),
        ("gemini", &["dup", "linked", "outer", "skills"]),
    ] {
        assert_eq!(listed(&place, dialect), expected, "{dialect}");
    }
    let found = place.run(&["check", ".agents/skills/SKILL.md"]);
    let said = "read by Copilot CLI and pi: this hides all other skills in `.agents/skills`";
    assert!(found.out.contains(said) || found.err.contains(said), "{found:?}");
}
