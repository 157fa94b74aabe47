//! What an editor knows of its texts, computed in the plainest way: the server's own code is not asked.

use std::{cell::OnceCell, ops::Deref};

/// A text. Its lines are looked for once, not for every position.
#[derive(Debug, Default)]
pub struct Text {
    text: String,
    lines: OnceCell<Vec<(usize, usize)>>,
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let lines = OnceCell::new();
        Self { text, lines }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Text {
    /// Its lines without their ends: `\n`, `\r\n` and `\r`, as the protocol says.
    pub fn lines(&self) -> &[(usize, usize)] {
        self.lines.get_or_init(|| lines(&self.text))
    }
}

/// How positions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Counting {
    pub const ALL: [Counting; 3] = [Counting::Utf8, Counting::Utf16, Counting::Utf32];

    pub fn name(self) -> &'static str {
        match self {
            Counting::Utf8 => "utf-8",
            Counting::Utf16 => "utf-16",
            Counting::Utf32 => "utf-32",
        }
    }

    fn of(self, c: char) -> usize {
        match self {
            Counting::Utf8 => c.len_utf8(),
            Counting::Utf16 => c.len_utf16(),
            Counting::Utf32 => 1,
        }
    }

    /// The length of a line.
    pub fn length(self, line: &str) -> usize {
        line.chars().map(|c| self.of(c)).sum()
    }

    /// Whether a position stands on a line, between two characters.
    pub fn is_in(self, text: &Text, line: usize, character: usize) -> bool {
        let Some((start, end)) = text.lines().get(line).copied() else {
            return false;
        };
        let mut at = 0;
        for c in text[start..end].chars() {
            if at >= character {
                break;
            }
            at += self.of(c);
        }
        at == character
    }

    /// The byte that a position of a client means: beyond a line its end, beyond the text its end, in a character its
    /// start.
    pub fn byte(self, text: &Text, line: usize, character: usize) -> usize {
        let Some((start, end)) = text.lines().get(line).copied() else {
            return text.len();
        };
        let mut at = 0;
        for (byte, c) in text[start..end].char_indices() {
            if at + self.of(c) > character {
                return start + byte;
            }
            at += self.of(c);
        }
        end
    }
}

fn lines(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (bytes, mut start, mut at) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        let length = match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' | b'\n' => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        found.push((start, at));
        at += length;
        start = at;
    }
    found.push((start, bytes.len()));
    found
}
