//! Keys and passwords that a command prints are taken out before its output is kept.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::redaction::{REDACTED, SECRETS, redact};

/// The text with `[redacted]` in place of what looks like a secret.
pub(crate) fn redacted(text: &str) -> String {
    redact(text).into_owned()
}

/// The most bytes that are held back of a line without an end.
const MAX_HELD: usize = 64 << 10;
/// How much of such a line may be a secret that has just begun.
const OVERLAP: usize = 4 << 10;
/// The most lines of a private key; what claims to be more is none.
const MAX_KEY_LINES: usize = 200;

#[allow(clippy::expect_used, reason = "a constant that a test compiles")]
static SECRET: LazyLock<Regex> = LazyLock::new(|| Regex::new(SECRETS).expect("the pattern is right"));

/// Takes secrets out of a stream. What may be the beginning of one is held back until more is known: a line without its
/// end, one that announces a password, a private key without its last line.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    held: Vec<u8>,
}

impl Redactor {
    /// Takes a piece in; gives what can be kept of all so far.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let end = self.end();
        let rest = self.held.split_off(end);
        let whole = std::mem::replace(&mut self.held, rest);
        without_secrets(whole)
    }

    /// What was held back.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        without_secrets(std::mem::take(&mut self.held))
    }

    /// How much is known to the end.
    fn end(&self) -> usize {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let mut end = self.held.iter().rposition(is_end).map_or(0, |at| at + 1);
        while announces(&self.held[..end]) {
            let above = self.held[..end].trim_ascii_end();
            end = above.iter().rposition(is_end).map_or(0, |at| at + 1);
        }
        if let Some(begin) = open_key(&self.held[..end]) {
            end = begin;
        }
        if self.held.len() - end <= MAX_HELD {
            return end;
        }
        let limit = self.held.len() - OVERLAP;
        let crossing = SECRET.find_iter(&self.held).find(|found| found.end() > limit);
        match crossing.map_or(limit, |found| found.start().min(limit)) {
            // One that fills all that may be held back.
            0 => self.held.len(),
            end => end,
        }
    }
}

/// Whether the last line says that a secret follows in the next one.
fn announces(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let line = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = text.get(line..).unwrap_or_default();
    let line = line.strip_suffix(b"\"").or(line.strip_suffix(b"'")).unwrap_or(line);
    matches!(line.trim_ascii_end().last(), Some(b'=' | b':'))
}

/// Where a private key begins that has not ended yet.
fn open_key(text: &[u8]) -> Option<usize> {
    const BEGIN: &[u8] = b"-----BEGIN ";
    let begin = memchr::memmem::rfind(text, BEGIN)?;
    let key = &text[begin..];
    let first = key.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_open = memchr::memmem::find(first, b"PRIVATE KEY-----").is_some()
        && memchr::memmem::find(key, b"-----END ").is_none()
        && key.iter().filter(|byte| **byte == b'\n').count() <= MAX_KEY_LINES;
    is_open.then_some(begin)
}

fn without_secrets(text: Vec<u8>) -> Vec<u8> {
    let replaced = SECRET.replace_all(&text, |found: &Captures<'_>| {
        let part = |name| found.name(name).map_or(&b""[..], |part| part.as_bytes());
        [part("keep"), part("user"), REDACTED.as_bytes(), part("at")].concat()
    });
    match replaced {
        Cow::Borrowed(_) => text,
        Cow::Owned(replaced) => replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a text that comes in pieces of this size.
    fn kept(text: &str, size: usize) -> String {
        let mut redactor = Redactor::default();
        let mut kept: Vec<u8> = text
            .as_bytes()
            .chunks(size)
            .flat_map(|piece| redactor.push(piece))
            .collect();
        kept.extend(redactor.finish());
        String::from_utf8(kept).unwrap()
    }

    #[test]
    fn a_secret_is_taken_out_wherever_the_stream_is_cut() {
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n",
            "ab+/".repeat(16) + "\n"
        );
        for text in [
            "a\nkey sk-abcdefghijklmnopqrstuv end\nb\n",
            "API_KEY=0123456789",
            "password:\n  hunter2hunter2\nnext\n",
            "Authorization: Bearer abc.def-ghi\r\nx",
            "10%\r20%\rtoken ghp_abcdefghijklmnop\r30%",
            &format!("before\n{key}after\n"),
            "é ✓ AKIAABCDEFGHIJKLMNOP\n",
            "nothing: at all\nsecret of success\n",
        ] {
            let whole = redacted(text);
            for size in 1..=text.len() {
                assert_eq!(kept(text, size), whole, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn little_is_held_back_and_nothing_lost() {
        let line = "x".repeat(300 << 10);
        let mut redactor = Redactor::default();
        let mut total = 0;
        for piece in line.as_bytes().chunks(1000) {
            total += redactor.push(piece).len();
            assert!(redactor.held.len() <= MAX_HELD + 1000);
        }
        assert_eq!(total + redactor.finish().len(), line.len());
        let secret = format!("{} password=hunter2hunter2 {}", "x".repeat(70_000), "y".repeat(70_000));
        let kept = kept(&secret, 997);
        assert!(kept.contains(" password=[redacted] y") && !kept.contains("hunter2"));
        // What claims to be a key and is none comes out all the same.
        let text = format!("-----BEGIN PRIVATE KEY-----\n{}", "some prose here\n".repeat(1000));
        assert_eq!(self::kept(&text, 4096), text);
    }
}
