//! Commands of sh, bash and zsh: as much of their grammar as tells what a place is.

use super::{Reader, Refusal};

/// Read so far.
#[derive(Default)]
pub(super) struct Posix {
    quote: Quote,
    /// The word that is being read, without its quotes; `None` between words.
    word: Option<String>,
    /// The words of this simple command before it.
    words: Vec<String>,
    /// The word is the file of a redirection.
    is_file: bool,
    /// The text ends with a backslash that takes the next character.
    escape: bool,
    /// From here on nothing is decided.
    lost: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Quote {
    #[default]
    None,
    Single,
    Double,
    /// From `#` to the end of the line.
    Comment,
}

/// Commands that run, or evaluate, what they are given.
const RUNNERS: &[&str] = &[
    ".",
    "[[",
    "awk",
    "builtin",
    "chroot",
    "command",
    "coproc",
    "declare",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "export",
    "flock",
    "gawk",
    "ionice",
    "let",
    "local",
    "mawk",
    "nawk",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "read",
    "readonly",
    "script",
    "sed",
    "setsid",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "timeout",
    "trap",
    "typeset",
    "unset",
    "unshare",
    "watch",
    "xargs",
];

/// Programs that take a script, or with an option the script's text.
const INTERPRETERS: &[&str] = &[
    "ash",
    "bash",
    "bun",
    "cmd",
    "csh",
    "dash",
    "deno",
    "fish",
    "ksh",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "tclsh",
    "tcsh",
    "zsh",
];

/// Words behind which a command begins.
const KEYWORDS: &[&str] = &["!", "do", "elif", "else", "if", "then", "time", "until", "while", "{"];

impl Reader for Posix {
    fn source(&mut self, text: &str, out: &mut String) {
        out.push_str(text);
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            if self.escape {
                self.escape = false;
                // A line that goes on is no character.
                if char != '\n' {
                    self.push(char);
                }
                continue;
            }
            let next = chars.peek().copied();
            match (self.quote, char) {
                (Quote::Comment, '\n') => {
                    self.quote = Quote::None;
                    self.end_command();
                }
                (Quote::Comment, _) => {}
                (Quote::Single, '\'') | (Quote::Double, '"') => self.quote = Quote::None,
                (Quote::Single, char) => self.push(char),
                (_, '\\') => self.escape = true,
                (_, '`') => self.lose("behind a command in backticks"),
                (_, '$') => {
                    match next {
                        Some('(') => self.lose("behind `$(`"),
                        // Arithmetic evaluates what a name holds.
                        Some('[') => self.lose("behind `$[`"),
                        Some('\'') if self.quote == Quote::None => self.lose("behind `$'`"),
                        Some('{') if !is_plain(chars.clone()) => self.lose("behind `${`"),
                        _ => {}
                    }
                    self.push(char);
                }
                (Quote::Double, char) => self.push(char),
                (Quote::None, '\'') => self.open(Quote::Single),
                (Quote::None, '"') => self.open(Quote::Double),
                (Quote::None, '#') if self.word.is_none() => self.quote = Quote::Comment,
                (Quote::None, '<') if next == Some('<') => self.lose("behind a here-document"),
                (Quote::None, '<' | '>') => {
                    if next == Some('(') {
                        self.lose("behind a process substitution");
                    }
                    self.end_word();
                    chars.next_if(|next| matches!(next, '>' | '&' | '|'));
                    self.is_file = true;
                }
                (Quote::None, '&') if next == Some('>') => self.end_word(),
                (Quote::None, '(') if next == Some('(') => self.lose("behind `((`"),
                (Quote::None, ';' | '&' | '|' | '(' | ')' | '\n') => self.end_command(),
                (Quote::None, char) if char.is_whitespace() => self.end_word(),
                (Quote::None, char) => self.push(char),
            }
        }
    }

    fn value(&mut self, whole: &str, words: &[String], is_argument: bool, out: &mut String) -> Result<(), Refusal> {
        if self.quote == Quote::Comment {
            return Ok(());
        }
        if is_argument {
            self.check()?;
        } else if self.lost.is_some() || self.escape {
            // Our own variable can be left to the shell everywhere.
            self.escape = false;
            out.push_str(&format!("${{{whole}}}"));
            return Ok(());
        }
        match self.quote {
            Quote::Double => out.push_str(&format!("${{{whole}}}")),
            Quote::Single => out.push_str(&format!("'\"${{{whole}}}\"'")),
            _ => {
                let references: Vec<String> = words.iter().map(|word| format!("\"${{{word}}}\"")).collect();
                out.push_str(&references.join(" "));
            }
        }
        self.push(VALUE);
        Ok(())
    }
}

/// Stands for a value in a word: no name has it.
const VALUE: char = '\u{0}';

impl Posix {
    /// Whether an argument may stand here.
    fn check(&self) -> Result<(), Refusal> {
        if let Some(place) = self.lost {
            return Err(Refusal::Place(place));
        }
        if self.escape {
            return Err(Refusal::Place("behind a backslash"));
        }
        if self.is_file {
            return Ok(());
        }
        let mut words = self
            .words
            .iter()
            .map(String::as_str)
            .skip_while(|word| is_assignment(word) || is_keyword(word));
        let Some(first) = words.next() else {
            let is_data = |word: &str| is_assignment(word) && !chooses_program(word);
            let is_assigned = self.word.as_deref().is_some_and(is_data);
            return if is_assigned { Ok(()) } else { Err(Refusal::Program) };
        };
        let all: Vec<&str> = std::iter::once(first).chain(words).collect();
        for (index, word) in all.iter().enumerate() {
            let name = word.rsplit('/').next().unwrap_or(word);
            let rest = &all[index + 1..];
            let takes_text = rest.iter().any(|word| word.starts_with('-'));
            let is_first = index == 0;
            let runs = (is_first && RUNNERS.contains(&name))
                || (INTERPRETERS.contains(&name) && (takes_text || (is_first && rest.is_empty())))
                || (is_first
                    && name == "find"
                    && rest.iter().any(|it| it.starts_with("-exec") || it.starts_with("-ok")))
                || (is_first && matches!(name, "test" | "[" | "printf") && rest.contains(&"-v"));
            if runs {
                return Err(Refusal::Runs(name.to_owned()));
            }
        }
        // A command behind another is one too: `a xargs b` is seldom meant otherwise.
        let wrapped = all[1..]
            .iter()
            .find(|word| ["eval", "xargs", "env", "sudo"].contains(*word));
        wrapped.map_or(Ok(()), |name| Err(Refusal::Runs((*name).to_owned())))
    }

    fn open(&mut self, quote: Quote) {
        self.quote = quote;
        self.word.get_or_insert_default();
    }

    fn push(&mut self, char: char) {
        self.word.get_or_insert_default().push(char);
    }

    fn lose(&mut self, place: &'static str) {
        self.lost.get_or_insert(place);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        // A number before a redirection, or the file behind it, is no word of the command.
        if !std::mem::take(&mut self.is_file) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.words.clear();
        self.is_file = false;
    }
}

/// Whether `{name}` comes next, and nothing else in the braces.
fn is_plain(mut chars: impl Iterator<Item = char>) -> bool {
    chars.next();
    let end = chars.find(|char| !char.is_ascii_alphanumeric() && *char != '_');
    end == Some('}')
}

/// `NAME=…`
fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    word.split_once('=')
        .is_some_and(|(name, _)| is_name(name.trim_end_matches('+')))
}

/// Whether an assignment is to a variable that decides which program or which code is run.
fn chooses_program(word: &str) -> bool {
    const NAMES: &[&str] = &[
        "BASH_ENV", "EDITOR", "ENV", "IFS", "PAGER", "PATH", "PS4", "SHELL", "VISUAL",
    ];
    const BEGINNINGS: &[&str] = &["DYLD_", "GIT_", "LD_", "NODE_", "PERL", "PYTHON", "RUBY"];
    let name = word.split(['=', '+']).next().unwrap_or_default();
    NAMES.contains(&name) || BEGINNINGS.iter().any(|it| name.starts_with(it))
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}
