//! `skills-ls doctor --helix`: the entries that Helix needs. A list of servers there replaces the one before it, so each
//! entry names the servers that the language has on this machine, as Helix itself tells them, and then this one.

use std::io::{ErrorKind, Write};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::output;

/// Names of the program, which some distributions change.
const PROGRAMS: [&str; 2] = ["hx", "helix"];

/// Skills are written in it: here the server does all that it can.
const MARKDOWN: &str = "markdown";

/// The languages where none are named. `editors/helix/languages.toml` has the same.
const LANGUAGES: &[&str] = &[
    MARKDOWN,
    "bash",
    "c",
    "cpp",
    "css",
    "go",
    "html",
    "java",
    "javascript",
    "json",
    "jsx",
    "lua",
    "python",
    "ruby",
    "rust",
    "sql",
    "toml",
    "tsx",
    "typescript",
    "yaml",
    "zig",
];

/// How this server stands in a list of servers, beside those that know the language.
const BESIDE: &str = r#"{ name = "skills-ls", only-features = ["code-action", "workspace-command", "diagnostics"] }"#;

/// Prints the entries for these languages, or for common ones. Exits with 2 where Helix is not there or does not know
/// a language.
pub fn run(languages: &[String]) -> Result<ExitCode> {
    let named: Vec<&str> = languages.iter().map(String::as_str).collect();
    let languages = if named.is_empty() { LANGUAGES } else { &named };
    let mut text = String::from(
        "# For ~/.config/helix/languages.toml, in place of entries that it has for these languages.\n\n\
         [language-server.skills-ls]\ncommand = \"skills-ls\"\n",
    );
    for language in languages {
        text.push_str(&entry(language, &servers(&health(language)?)));
    }
    let mut out = output::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush().map(|()| ExitCode::SUCCESS)?)
}

fn entry(language: &str, servers: &[&str]) -> String {
    // Texts of TOML are written like those of JSON.
    let mut list: Vec<String> = servers.iter().map(|server| json!(server).to_string()).collect();
    if language == MARKDOWN {
        list.insert(0, json!("skills-ls").to_string());
    } else {
        list.push(BESIDE.to_owned());
    }
    let list = list.join(", ");
    format!(
        "\n[[language]]\nname = {}\nlanguage-servers = [{list}]\n",
        json!(language)
    )
}

/// What Helix says of a language.
fn health(language: &str) -> Result<String> {
    for program in PROGRAMS {
        let ran = match Command::new(program).args(["--health", language]).output() {
            Ok(ran) => ran,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("{program} can't be run")),
        };
        let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        if !said.contains(HEADING) {
            let first = said.lines().next().unwrap_or_default();
            bail!("Helix says nothing of the language {language}: {first}; `hx --health languages` lists them");
        }
        return Ok(said);
    }
    bail!("neither `hx` nor `helix` is on PATH: put Helix there, or take editors/helix/languages.toml as it is")
}

const HEADING: &str = "Configured language servers:";

/// The servers below the heading, a line each: a mark, which may be coloured, the name, a colon and the program.
fn servers(health: &str) -> Vec<&str> {
    let lines = health.lines().skip_while(|line| !line.contains(HEADING)).skip(1);
    let below = lines.take_while(|line| line.starts_with(' '));
    let names = below.filter_map(|line| line.split_once(':')?.0.split_whitespace().next_back());
    names.filter(|name| *name != "skills-ls").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Helix 25.07.1 prints, with and without colours; the person has this server already.
    const RUST: &str = "Configured language servers:\n  ✓ rust-analyzer: /usr/bin/rust-analyzer\n  ✘ skills-ls: \
                        'skills-ls' not found in $PATH\nConfigured debug adapter:\n  ✘ 'lldb-dap' not found in $PATH\n";
    const COLOURED: &str = "Configured language servers:\n  \u{1b}[0;31m✘\u{1b}[m marksman: \u{1b}[0;31m'marksman' not \
                            found in $PATH\u{1b}[m\nConfigured debug adapter:\u{1b}[0;33m None\u{1b}[m\n";

    #[test]
    fn the_languages_own_servers_stay() {
        let cases: [(&str, &[&str]); 3] = [
            (RUST, &["rust-analyzer"]),
            (COLOURED, &["marksman"]),
            (
                "Configured language servers: None\nConfigured debug adapter: None\n",
                &[],
            ),
        ];
        for (health, expected) in cases {
            assert_eq!(servers(health), expected, "{health}");
        }
    }

    #[test]
    fn the_file_that_comes_along_has_the_same_languages() {
        let file = include_str!("../../../../../editors/helix/languages.toml");
        let names = file
            .lines()
            .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        assert_eq!(names.collect::<Vec<_>>(), LANGUAGES);
    }
}
