//! Texts from files and models, made harmless for terminals and for whoever decides by what they read.

use skills_schema::shown::{end_lines, ends, number};

/// A text on one line: what would move the cursor, or hide or turn text around, is shown as an escape.
pub fn printable(text: &str) -> String {
    escaped(text, &[])
}

/// The same for a text of several lines.
pub fn printable_lines(text: &str) -> String {
    escaped(text, &['\n', '\t'])
}

/// How much of a question is shown.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The most characters of a line.
    pub line: usize,
    /// The most lines.
    pub lines: usize,
}

/// Where everything can be scrolled.
pub const WINDOW: Room = Room {
    line: 1_000,
    lines: 400,
};
/// Where what does not fit on the screen is never seen.
pub const MESSAGE: Room = Room { line: 300, lines: 24 };

/// The most spaces in a row, as in tables and in code that is far to the right.
const MAX_SPACES: usize = 40;
/// The most lines in a row that say the same.
const MAX_ALIKE: usize = 4;

/// What a person decides by, so that no padding hides a part of it: runs of spaces and of lines that say the same become
/// their count, and of what is too long the beginning and the end are left with a count between.
pub fn decided_by(text: &str, room: Room) -> String {
    let text = printable_lines(text);
    let said = |line: &str| line.trim_start_matches(['+', '-']).trim_matches(is_space).to_owned();
    let all: Vec<&str> = text.lines().collect();
    let mut lines = Vec::new();
    for alike in all.chunk_by(|one, other| said(one) == said(other)) {
        let cut = |line: &str| ends(&unpadded(line), room.line).into_owned();
        match alike {
            [first, rest @ ..] if rest.len() >= MAX_ALIKE => {
                let count = number(alike.len());
                lines.push(match said(first).as_str() {
                    "" => format!("[{count} empty lines]"),
                    _ => format!("{} [{count} lines like this]", cut(first)),
                });
            }
            few => lines.extend(few.iter().map(|line| cut(line))),
        }
    }
    end_lines(lines, room.lines).join("\n")
}

/// The same on one line.
pub fn decided_by_line(text: &str, characters: usize) -> String {
    ends(&unpadded(&printable(text)), characters).into_owned()
}

/// The line with the count of spaces in place of many.
fn unpadded(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut shown = String::with_capacity(line.len());
    for run in chars.chunk_by(|one, other| is_space(*one) && is_space(*other)) {
        match run.len() > MAX_SPACES {
            true => shown.push_str(&format!(" [{} spaces] ", number(run.len()))),
            false => shown.extend(run),
        }
    }
    shown
}

/// Whether nothing is drawn for a character.
fn is_space(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

fn escaped(text: &str, allowed: &[char]) -> String {
    let hides = |char: char| {
        char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
            || matches!(
                char,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{e0000}'..='\u{e007f}'
            )
    };
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if hides(char) && !allowed.contains(&char) {
            shown.extend(char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_moves_text_is_shown() {
        for (text, line, lines) in [
            ("plain é 技能 🦀", "plain é 技能 🦀", "plain é 技能 🦀"),
            ("a\n\tb", "a\\u{a}\\u{9}b", "a\n\tb"),
            ("\u{1b}[2J\r", "\\u{1b}[2J\\u{d}", "\\u{1b}[2J\\u{d}"),
            (
                "gpj.\u{202e}exe\u{200b}",
                "gpj.\\u{202e}exe\\u{200b}",
                "gpj.\\u{202e}exe\\u{200b}",
            ),
        ] {
            assert_eq!(
                (printable(text).as_str(), printable_lines(text).as_str()),
                (line, lines)
            );
        }
    }

    #[test]
    fn padding_hides_nothing_that_a_person_decides_by() {
        let room = Room { line: 40, lines: 9 };
        let of = |text: &str| decided_by(text, room);
        for (text, expected) in [
            ("ls -l\nin /w".to_owned(), "ls -l\nin /w".to_owned()),
            (
                format!("ls{}; rm x", " ".repeat(4_213)),
                "ls [4,213 spaces] ; rm x".to_owned(),
            ),
            (
                format!("ls{}; rm x", "\u{a0}\u{2800}\u{3164}".repeat(100)),
                "ls [300 spaces] ; rm x".to_owned(),
            ),
            (
                format!("ls\n{}rm x", "\n".repeat(300)),
                "ls\n[300 empty lines]\nrm x".to_owned(),
            ),
            (
                format!("{}-a\n+rm x", "+   \n".repeat(50)),
                "[50 empty lines]\n-a\n+rm x".to_owned(),
            ),
            (
                format!("{}rm x", "true &&\n".repeat(5)),
                "true && [5 lines like this]\nrm x".to_owned(),
            ),
            (
                format!("echo {}; rm x", "a".repeat(5_000)),
                format!(
                    "echo {}… 4,971 more characters …{}; rm x",
                    "a".repeat(21),
                    "a".repeat(8)
                ),
            ),
            (
                (0..20).map(|line| format!("{line}\n")).collect(),
                "0\n1\n2\n3\n4\n5\n… 11 more lines …\n17\n18\n19".to_owned(),
            ),
            ("    indented\tcode".to_owned(), "    indented\tcode".to_owned()),
        ] {
            assert_eq!(of(&text), expected);
        }
        let title = decided_by_line(&format!("Read a{}b\u{202e}?", " ".repeat(100)), 30);
        assert_eq!(title, "Read a [100 spaces] b\\u{202e}?");
    }
}
