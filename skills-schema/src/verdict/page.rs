//! The page of the documentation that shows who reads what: written from the tables, so that it can't differ from them.

use std::fmt::Write as _;

use super::verdicts_of;
use crate::{
    dialect::{Dialect, Outcome, PLACES},
    facts::Facts,
    syntax::SkillFile,
};

/// The page, in Markdown: the systems with the versions that were looked at, the folders that several of them read, and
/// what each makes of a number of small files.
pub fn page() -> String {
    let mut page = String::from(
        "# Who loads a skill\n\nThis page is written by a test from the tables of the program. The columns are the systems by \
         the names that `--dialect` takes.\n\n## Systems\n\n| Name | System | Recorded from | Own folders |\n|---|---|---|---|\n",
    );
    let systems = || Dialect::ALL.into_iter().filter(|it| *it != Dialect::Unified);
    for reader in systems().map(Dialect::reader) {
        let folders: Vec<String> = reader.folders.iter().map(|it| format!("`{it}`")).collect();
        let (name, title) = (reader.name, reader.title.trim_start_matches("the "));
        // Writing to a String can't fail.
        let _ = writeln!(
            page,
            "| `{name}` | {title} | {} | {} |",
            reader.recorded,
            folders.join(", ")
        );
    }
    page += "\n## Folders that others read too\n\n| Folder | Read by |\n|---|---|\n";
    for (folder, readers) in PLACES.iter() {
        let titles: Vec<&str> = readers.iter().map(|it| it.title()).collect();
        let _ = writeln!(page, "| `{folder}` | {} |", titles.join(", "));
    }
    page += "\n## What happens to a file\n\n`✓` loads, `◐` loads but the model does not learn of it, `○` loads without its \
             frontmatter, `✗` not loaded. The folder is `ok`.\n\n";
    row(&mut page, "Frontmatter", systems().map(|it| it.name().to_owned()));
    row(&mut page, "---", systems().map(|_| "---".to_owned()));
    for (case, text) in FILES {
        let file = SkillFile::parse((*text).into());
        let facts = Facts {
            folder: Some("ok"),
            ..Facts::default()
        };
        let marks = verdicts_of(Dialect::ALL, &file, &facts).into_iter().map(|verdict| {
            match (verdict.loads, verdict.listed, verdict.metadata) {
                (false, ..) => "✗",
                (true, false, _) => "◐",
                (true, true, false) => "○",
                (true, true, true) => "✓",
            }
            .to_owned()
        });
        row(&mut page, case, marks);
    }
    page += "\n## What findings say of each system\n\n`drops` not loaded, `forbids` its documents forbid it and its \
             program is not recorded, `misreads` loaded with another name, description or \
             activation, `recovers` loaded with a part missing or repaired; nothing where the system does not mind.\n\n";
    row(&mut page, "Cause", systems().map(|it| it.name().to_owned()));
    row(&mut page, "---", systems().map(|_| "---".to_owned()));
    for (cause, outcome) in CAUSES {
        let words = systems().map(|it| match outcome(it) {
            Outcome::Drops => "drops".to_owned(),
            Outcome::Forbids => "forbids".to_owned(),
            Outcome::Misreads => "misreads".to_owned(),
            Outcome::Recovers => "recovers".to_owned(),
            _ => String::new(),
        });
        row(&mut page, cause, words);
    }
    page
}

fn row(page: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    let _ = writeln!(page, "| {first} | {} |", cells.join(" | "));
}

const FILES: &[(&str, &str)] = &[
    ("minimal", "---\nname: ok\ndescription: d\n---\n# B\n"),
    ("none", "# B\n"),
    ("blank line before it", "\n---\nname: ok\ndescription: d\n---\n# B\n"),
    ("byte order mark", "\u{feff}---\nname: ok\ndescription: d\n---\n# B\n"),
    ("never closed", "---\nname: ok\ndescription: d\n# B\n"),
    (
        "`: ` without quotes",
        "---\nname: ok\ndescription: Use this: now\n---\n# B\n",
    ),
    (
        "tab before a key",
        "---\nname: ok\ndescription: d\nmetadata:\n\ta: b\n---\n# B\n",
    ),
    (
        "a key twice",
        "---\nname: ok\ndescription: d\ndescription: e\n---\n# B\n",
    ),
    ("no `name`", "---\ndescription: d\n---\n# B\n"),
    (
        "another `name` than the folder",
        "---\nname: other\ndescription: d\n---\n# B\n",
    ),
    ("no `description`", "---\nname: ok\n---\n# B\n"),
    ("`description` is a number", "---\nname: ok\ndescription: 5\n---\n# B\n"),
    (
        "`metadata` is a list",
        "---\nname: ok\ndescription: d\nmetadata:\n  - a\n---\n# B\n",
    ),
    (
        "`allowed-tools` is a number",
        "---\nname: ok\ndescription: d\nallowed-tools: 5\n---\n# B\n",
    ),
    (
        "an unknown field",
        "---\nname: ok\ndescription: d\nversion: 1.0.0\n---\n# B\n",
    ),
    (
        "`disable-model-invocation: true`",
        "---\nname: ok\ndescription: d\ndisable-model-invocation: true\n---\n# B\n",
    ),
];

type Cause = fn(Dialect) -> Outcome;

const CAUSES: &[(&str, Cause)] = &[
    ("no UTF-8", |it| it.policy().invalid_utf8),
    ("a list where text belongs", |it| it.policy().wrong_type),
    ("a number where text belongs", |it| it.policy().scalar_for_text),
    ("a name with other characters", |it| it.policy().name_format),
    ("`skill.md` in other letters", |it| it.policy().file_name_case),
    ("a command in code", |it| it.policy().command_in_code),
];
