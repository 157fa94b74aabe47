//! Commands of package managers, which fill and empty folders of packages with files of every name.

use super::command_line::{self, Certainty};

/// Programs, and their subcommands that do; by any other they run what a project says.
const INSTALLING: &[(&str, &[&str])] = &[
    ("bun", &["add", "i", "install", "remove", "update"]),
    (
        "npm",
        &[
            "add",
            "ci",
            "dedupe",
            "i",
            "install",
            "prune",
            "rebuild",
            "remove",
            "rm",
            "un",
            "uninstall",
            "up",
            "update",
        ],
    ),
    ("pdm", &["add", "install", "remove", "sync", "update"]),
    ("pip", &["install", "uninstall"]),
    ("pip3", &["install", "uninstall"]),
    (
        "pnpm",
        &["add", "i", "install", "prune", "remove", "rm", "up", "update"],
    ),
    ("poetry", &["add", "install", "remove", "sync", "update"]),
    ("uv", &["add", "pip", "remove", "sync", "venv"]),
    ("yarn", &["add", "install", "remove", "up", "upgrade"]),
];

/// Whether all that a command line runs is a package manager that installs or removes.
pub(crate) fn installs(argv: &[String]) -> bool {
    let line = command_line::read(argv);
    let is_one = |words: &[String]| {
        let [program, subcommand, ..] = words else { return false };
        let known = INSTALLING.iter().find(|(name, _)| name == program);
        known.is_some_and(|(_, subcommands)| subcommands.contains(&subcommand.as_str()))
    };
    let mut commands = line.commands.iter();
    !line.commands.is_empty()
        && line.inside.is_empty()
        && commands.all(|command| command.certainty == Certainty::Plain && is_one(&command.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_nothing_else() {
        for (line, expected) in [
            ("npm install", true),
            ("npm ci --ignore-scripts", true),
            ("npm i && npm prune", true),
            ("npm test", false),
            ("npm", false),
            ("npm run install", false),
            ("npm install; cp a b", false),
            ("npm install $(cp a b)", false),
            ("./npm install", false),
            ("uv run install", false),
        ] {
            let argv = ["sh", "-c", line].map(str::to_owned);
            assert_eq!(installs(&argv), expected, "{line}");
        }
    }
}
