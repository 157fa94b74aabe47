//! Commands of PowerShell: as much of their grammar as tells what a place is.

use super::{Reader, Refusal};

/// Read so far.
#[derive(Default)]
pub(super) struct PowerShell {
    quote: Quote,
    word: Option<String>,
    words: Vec<String>,
    /// The text ends with a backtick that takes the next character.
    escape: bool,
    lost: Option<&'static str>,
    /// Where the quote that is open starts in what was written.
    opened: usize,
    /// The single quotes were made double ones, so that a reference can stand between them.
    is_converted: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Quote {
    #[default]
    None,
    Single,
    Double,
    Comment,
}

/// Commands that run, or evaluate, what they are given; in lower case.
const RUNNERS: &[&str] = &[
    "&",
    ".",
    "add-type",
    "bash",
    "cmd",
    "cmd.exe",
    "icm",
    "iex",
    "invoke-command",
    "invoke-expression",
    "invoke-item",
    "node",
    "perl",
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
    "python",
    "python3",
    "ruby",
    "saps",
    "sh",
    "start",
    "start-job",
    "start-process",
    "wsl",
];

impl Reader for PowerShell {
    fn source(&mut self, text: &str, out: &mut String) {
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            let next = chars.peek().copied();
            if std::mem::take(&mut self.escape) {
                out.push(char);
                self.word.get_or_insert_default().push(char);
                continue;
            }
            match (self.quote, char) {
                (Quote::Comment, '\n') => {
                    self.quote = Quote::None;
                    self.end_command();
                }
                (Quote::Comment, _) => {}
                (Quote::Single, '\'') if next == Some('\'') => {
                    chars.next();
                    out.push_str(if self.is_converted { "'" } else { "''" });
                    continue;
                }
                (Quote::Single, '\'') => {
                    self.quote = Quote::None;
                    if std::mem::take(&mut self.is_converted) {
                        out.push('"');
                        continue;
                    }
                }
                (Quote::Single, char) if self.is_converted => {
                    out.push_str(&in_double_quotes(char));
                    continue;
                }
                (Quote::Double, '"') => self.quote = Quote::None,
                (_, '‘' | '’' | '‚' | '‛' | '“' | '”' | '„') => self.lose("behind a typographic quote"),
                (Quote::None | Quote::Double, '`') => self.escape = true,
                (Quote::None | Quote::Double, '$') if next == Some('(') => self.lose("behind `$(`"),
                (Quote::Single | Quote::Double, _) => {}
                (Quote::None, '@') if matches!(next, Some('\'' | '"' | '(' | '{')) => self.lose("behind `@`"),
                (Quote::None, '<') if next == Some('#') => self.lose("behind a comment"),
                (Quote::None, '{') => self.lose("in a script block"),
                (Quote::None, '\'' | '"') => {
                    self.quote = if char == '"' { Quote::Double } else { Quote::Single };
                    self.opened = out.len();
                    self.word.get_or_insert_default();
                }
                (Quote::None, '#') if self.word.is_none() => self.quote = Quote::Comment,
                (Quote::None, ';' | '|' | '(' | ')' | '\n') => self.end_command(),
                (Quote::None, '&') => {
                    self.end_command();
                    self.words.push("&".to_owned());
                }
                (Quote::None, char) if char.is_whitespace() => self.end_word(),
                (Quote::None, char) => self.word.get_or_insert_default().push(char),
            }
            out.push(char);
        }
    }

    fn value(&mut self, whole: &str, words: &[String], is_argument: bool, out: &mut String) -> Result<(), Refusal> {
        if self.quote == Quote::Comment {
            return Ok(());
        }
        if let Some(place) = self.lost {
            return Err(Refusal::Place(place));
        }
        if self.escape {
            return Err(Refusal::Place("behind a backtick"));
        }
        if is_argument {
            let first = self.words.first().ok_or(Refusal::Program)?;
            let runs = self
                .words
                .iter()
                .find(|word| RUNNERS.contains(&word.to_lowercase().as_str()));
            if let Some(runner) = runs.filter(|runner| *runner == first || self.words.len() > 1) {
                return Err(Refusal::Runs(runner.clone()));
            }
        }
        let reference = |name: &str| format!("${{env:{name}}}");
        match self.quote {
            Quote::Double => out.push_str(&reference(whole)),
            Quote::Single => {
                if !std::mem::replace(&mut self.is_converted, true) {
                    let text = out.split_off(self.opened);
                    out.push('"');
                    let text = text[1..].replace("''", "'");
                    out.extend(text.chars().map(in_double_quotes));
                }
                out.push_str(&reference(whole));
            }
            _ => {
                let references: Vec<String> = words.iter().map(|word| reference(word)).collect();
                out.push_str(&references.join(" "));
            }
        }
        self.word.get_or_insert_default();
        Ok(())
    }
}

impl PowerShell {
    fn lose(&mut self, place: &'static str) {
        self.lost.get_or_insert(place);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.word = None;
        self.words.clear();
    }
}

/// A character of single quotes, as double quotes write it.
fn in_double_quotes(char: char) -> String {
    match char {
        '`' | '$' | '"' => format!("`{char}"),
        char => char.to_string(),
    }
}
