use text_size::{TextRange, TextSize};

use crate::links::SKILL_FOLDER;
use crate::paths::normal;
use crate::syntax::{Node, SkillFile};

/// What other files need to know of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// How it begins.
    pub start: ScriptStart,
    /// Where it first waits for a person to type, unless it looks whether one is there.
    pub prompt: Option<Prompt>,
}

/// How a script begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptStart {
    /// With `#!` and its interpreter.
    Interpreter,
    /// With `#!` on a line that ends in CRLF, which the system takes for a part of the interpreter's name.
    CarriageReturn,
    /// With something else.
    Nothing,
}

/// A line that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The line, counted from 1.
    pub line: usize,
    /// What waits: `input()`.
    pub call: &'static str,
}

/// A script that a text names.
#[derive(Clone, Copy, Debug)]
pub struct NamedScript {
    /// Its path: below `scripts/`, or below the folder of the skill.
    pub range: TextRange,
    /// The code that it stands in.
    pub code: TextRange,
    /// It can't be the project's: it is written with `${CLAUDE_SKILL_DIR}`.
    pub is_own: bool,
    /// It is all that stands between two backticks: a mention, no command.
    pub is_alone: bool,
    /// It is the first word of several between two backticks: a command.
    pub is_first_of_span: bool,
}

impl Script {
    /// What a script holds; `path` tells its language. Never panics, whatever the text.
    pub fn of(path: &str, text: &str) -> Script {
        let first = text.split('\n').next().unwrap_or_default();
        let start = match (first.starts_with("#!"), first.ends_with('\r')) {
            (true, true) => ScriptStart::CarriageReturn,
            (true, false) => ScriptStart::Interpreter,
            (false, _) => ScriptStart::Nothing,
        };
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let language = LANGUAGES.iter().find(|it| it.extensions.contains(&extension));
        let is_guarded = GUARDS.iter().any(|guard| text.contains(guard));
        // Only some of its commands may ask, and nobody knows which are meant.
        let is_top = |prompt: &Prompt| {
            let line = text.lines().nth(prompt.line - 1).unwrap_or_default();
            !line.starts_with([' ', '\t'])
        };
        let prompt = language
            .filter(|_| !is_guarded)
            .and_then(|language| language.prompt(text))
            .filter(|prompt| is_top(prompt) || !has_commands(text));
        Script { start, prompt }
    }
}

impl NamedScript {
    /// Whether it is run by its path: it is the first word of a command.
    pub fn begins_command(&self, file: &SkillFile) -> bool {
        let before = file.slice(TextRange::new(self.code.start(), self.range.start()));
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let word = line.trim_start().trim_start_matches("$ ");
        let is_first = matches!(
            word,
            "" | "./" | "\"" | "${CLAUDE_SKILL_DIR}/" | "\"${CLAUDE_SKILL_DIR}/"
        );
        is_first && !self.is_alone
    }
}

/// The scripts that the code of a body names, in blocks and in lines.
pub fn scripts(file: &SkillFile) -> impl Iterator<Item = NamedScript> + '_ {
    let tree = names_script(file.slice(file.body.range)).then(|| file.markdown());
    let blocks = tree.into_iter().flat_map(|tree| &tree.code_blocks);
    let blocks = blocks.map(|block| block.content);
    let spans = tree.into_iter().flat_map(|tree| &tree.code_spans);
    let spans = spans.map(|span| span.content);
    let in_spans = spans.flat_map(|code| scripts_in(file, code)).map(|named| NamedScript {
        is_alone: is_path_alone(file, &named),
        is_first_of_span: named.range != named.code && named.begins_command(file),
        ..named
    });
    blocks.flat_map(|code| scripts_in(file, code)).chain(in_spans)
}

/// Whether a span holds nothing but a path: it names the script, and does not run it.
fn is_path_alone(file: &SkillFile, named: &NamedScript) -> bool {
    let code = file.slice(named.code).trim_matches('"');
    code.trim_start_matches("${CLAUDE_SKILL_DIR}/") == file.slice(named.range)
}

/// The scripts that the commands of `hooks` name.
pub fn scripts_of_hooks(file: &SkillFile) -> Vec<NamedScript> {
    let mut found = Vec::new();
    let mut left: Vec<&Node> = file.entry("hooks").map(|entry| &entry.value).into_iter().collect();
    while let Some(node) = left.pop() {
        left.extend(node.items().iter().rev());
        for entry in node.entries().iter().rev() {
            match entry.value.as_scalar().filter(|_| entry.key.value == "command") {
                Some(command) => found.extend(scripts_in(file, command.inner())),
                None => left.push(&entry.value),
            }
        }
    }
    found.sort_by_key(|named| named.range.start());
    found
}

/// The words of a piece of code that are paths of scripts: `scripts/…`, and all below `${CLAUDE_SKILL_DIR}`.
pub fn scripts_in(file: &SkillFile, code: TextRange) -> Vec<NamedScript> {
    let text = file.slice(code);
    if !names_script(text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "\"'`()=;&|<>,".contains(c)) {
        let path = word.trim_end_matches(|c: char| c.is_whitespace() || "\"'`()=;&|<>,.:".contains(c));
        let own = path.strip_prefix(SKILL_FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let rest = own.unwrap_or(path);
        let is_script = own.is_some() || rest.contains(SCRIPTS) && normal(rest).starts_with(SCRIPTS);
        let is_plain = rest.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
        let has_extension = rest.rsplit('/').next().is_some_and(|name| {
            name.rsplit_once('.')
                .is_some_and(|(stem, extension)| !stem.is_empty() && extension.len() <= 4)
        });
        if is_script && is_plain && has_extension {
            let start = code.start() + offset(at + path.len() - rest.len());
            found.push(NamedScript {
                range: TextRange::at(start, TextSize::of(rest)),
                code,
                is_own: own.is_some(),
                is_alone: false,
                is_first_of_span: false,
            });
        }
        at += word.len();
    }
    found
}

/// Whether a text may name one: quickly seen.
fn names_script(text: &str) -> bool {
    text.contains(SCRIPTS) || text.contains("${CLAUDE")
}

const SCRIPTS: &str = "scripts/";

/// What waits for a person in a language.
struct Language {
    extensions: &'static [&'static str],
    comment: &'static str,
    calls: &'static [Call],
}

/// A call: how it is written, what must stand behind it on the line, and how it is called in sentences.
struct Call {
    start: &'static str,
    then: &'static [&'static str],
    name: &'static str,
}

const fn call(start: &'static str, name: &'static str) -> Call {
    Call { start, then: &[], name }
}

const LANGUAGES: &[Language] = &[
    Language {
        extensions: &["py"],
        comment: "#",
        calls: &[
            call("input(", "input()"),
            call("raw_input(", "raw_input()"),
            call("getpass(", "getpass()"),
            call("getpass.getpass(", "getpass()"),
        ],
    },
    Language {
        extensions: &["sh", "bash", "zsh"],
        comment: "#",
        calls: &[Call {
            start: "read ",
            then: &[" -p", " -rp", " -sp", " -rsp", " -srp"],
            name: "read -p",
        }],
    },
    Language {
        extensions: &["js", "mjs", "cjs", "ts", "mts"],
        comment: "//",
        calls: &[call("rl.question(", "question()"), call("inquirer.prompt(", "prompt()")],
    },
    Language {
        extensions: &["rb"],
        comment: "#",
        calls: &[call("gets.chomp", "gets")],
    },
    Language {
        extensions: &["ps1"],
        comment: "#",
        calls: &[call("Read-Host ", "Read-Host")],
    },
];

/// Whether a script has commands of its own: `site.sh push`, `site.sh list`.
fn has_commands(text: &str) -> bool {
    // `case "${1:-}" in`, and then a word that is no option.
    let mut lines = text.lines().map(str::trim);
    let is_menu = |line: &str| {
        let subject = line
            .strip_prefix("case ")
            .map(|it| it.trim_start_matches(['"', '$', '{']));
        subject.is_some_and(|it| {
            it.starts_with(['1'])
                || ["cmd", "command", "action"]
                    .iter()
                    .any(|word| it.to_lowercase().starts_with(word))
        })
    };
    let is_word = |line: &str| line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.contains(')');
    while let Some(line) = lines.next() {
        if is_menu(line)
            && lines
                .find(|line| !line.is_empty() && !line.starts_with('#'))
                .is_some_and(is_word)
        {
            return true;
        }
    }
    COMMANDS.iter().any(|it| text.contains(it))
}

/// How programs in other languages declare their commands.
const COMMANDS: &[&str] = &["add_subparsers(", "click.group(", "typer.Typer(", ".command("];

/// What a script asks with whether a person is there.
const GUARDS: &[&str] = &["isatty(", "isTTY", "-t 0", "tty -s", "tty?"];

impl Language {
    fn prompt(&self, text: &str) -> Option<Prompt> {
        text.lines().enumerate().find_map(|(at, line)| {
            let call = self.calls.iter().find(|call| call.is_in(line, self.comment))?;
            Some(Prompt {
                line: at + 1,
                call: call.name,
            })
        })
    }
}

impl Call {
    fn is_in(&self, line: &str, comment: &str) -> bool {
        let code = line.split(comment).next().unwrap_or_default();
        code.match_indices(self.start).any(|(at, _)| {
            let is_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_.'\"`-$".contains(c));
            // The space belongs to the option too.
            let rest = &code[at + self.start.trim_end().len()..];
            is_word && (self.then.is_empty() || self.then.iter().any(|it| rest.contains(it)))
        })
    }
}

/// Texts are shorter than 4 GiB.
fn offset(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_waits_for_a_person_is_told_from_one_that_does_not() {
        let waits = [
            ("a.py", "import sys\nname = input('Name: ')\n", 2, "input()"),
            ("a.py", "pw = getpass.getpass()\n", 1, "getpass()"),
            ("a.sh", "#!/bin/bash\nread -r -p 'Go on? ' answer\n", 2, "read -p"),
            ("a.sh", "read -rp 'Go on? ' answer", 1, "read -p"),
            ("a.mjs", "rl.question('?', go)", 1, "question()"),
            ("a.ps1", "$x = Read-Host 'Name'", 1, "Read-Host"),
        ];
        for (path, text, line, call) in waits {
            assert_eq!(
                Script::of(path, text).prompt,
                Some(Prompt { line, call }),
                "{path}: {text}"
            );
        }
        let does_not = [
            ("a.py", "# input('x')\nraw = parser.input(1)\nuser_input(1)\n"),
            ("a.py", "if sys.stdin.isatty():\n    name = input()\n"),
            (
                "a.sh",
                "while read -r line; do echo \"$line\"; done\ntail -p | spread -p",
            ),
            ("a.sh", "[ -t 0 ] && read -p 'Go on? ' answer"),
            ("a.txt", "input()"),
            ("a", "read -p x"),
            ("a.py", ""),
        ];
        for (path, text) in does_not {
            assert_eq!(Script::of(path, text).prompt, None, "{path}: {text}");
        }
    }

    #[test]
    fn the_first_line_tells_what_runs_it() {
        let start = |text| Script::of("a.sh", text).start;
        assert_eq!(start("#!/bin/sh\necho"), ScriptStart::Interpreter);
        assert_eq!(start("#!/bin/sh\r\necho\r\n"), ScriptStart::CarriageReturn);
        assert_eq!(start("echo"), ScriptStart::Nothing);
        assert_eq!(start(""), ScriptStart::Nothing);
    }
}
