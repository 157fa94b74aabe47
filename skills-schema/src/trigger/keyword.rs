//! One keyword and one message.

use std::ops::Range;

use regex::RegexBuilder;
use regex_syntax::ast;

use crate::dialect::runtime::{Matcher, Triggers};

/// The longest keyword that is looked for, in bytes.
const MAX_KEYWORD_BYTES: usize = 1_024;
/// How much memory an expression may need, in bytes: more than any that a person wrote.
const MAX_REGEX_BYTES: usize = 256 << 10;

/// Why a `regex:` keyword is never found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeywordError {
    /// The bytes of the keyword that are wrong.
    pub at: Range<usize>,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// Says what is wrong with a keyword; most have nothing that could be.
pub fn check(keyword: &str) -> Option<KeywordError> {
    let expression = keyword.strip_prefix(PREFIX)?;
    if keyword.len() > MAX_KEYWORD_BYTES {
        return Some(KeywordError {
            at: 0..keyword.len(),
            message: format!(
                "an expression of more than {MAX_KEYWORD_BYTES} bytes is never found; write a shorter one"
            ),
        });
    }
    if let Err(error) = ast::parse::Parser::new().parse(expression) {
        let span = error.span();
        let end = span.end.offset.max(span.start.offset);
        return Some(KeywordError {
            at: PREFIX.len() + span.start.offset..PREFIX.len() + end,
            message: format!(
                "no regular expression: {}; leave out `{PREFIX}` to find the text itself",
                error.kind()
            ),
        });
    }
    let error = compiled(expression).err()?;
    Some(KeywordError {
        at: PREFIX.len()..keyword.len(),
        message: match error {
            regex::Error::CompiledTooBig(_) => {
                "the expression is too large; use smaller counts in `{…}`, or several keywords".to_owned()
            }
            error => {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                format!("no regular expression: {last}")
            }
        },
    })
}

const PREFIX: &str = "regex:";

fn compiled(expression: &str) -> Result<regex::Regex, regex::Error> {
    RegexBuilder::new(expression)
        .case_insensitive(true)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .nest_limit(50)
        .build()
}

/// A message, ready to be searched in any case.
pub(super) struct Message<'a> {
    text: &'a str,
    lower: String,
    /// For each byte of `lower` where its character starts in `text`.
    starts: Vec<usize>,
}

impl<'a> Message<'a> {
    pub(super) fn new(text: &'a str) -> Message<'a> {
        let mut lower = String::with_capacity(text.len());
        let mut starts = Vec::with_capacity(text.len());
        for (at, char) in text.char_indices() {
            lower.extend(char.to_lowercase());
            starts.resize(lower.len(), at);
        }
        Message { text, lower, starts }
    }

    /// The bytes of the message where a keyword is found first.
    pub(super) fn find(&self, keyword: &str, policy: &Triggers) -> Option<Range<usize>> {
        if keyword.len() > MAX_KEYWORD_BYTES {
            return None;
        }
        if let Some(expression) = keyword.strip_prefix(PREFIX).filter(|_| policy.reads_regex) {
            let found = compiled(expression).ok()?.find(self.text)?;
            return Some(found.range()).filter(|range| !range.is_empty());
        }
        let keyword: String = keyword.chars().flat_map(char::to_lowercase).collect();
        match policy.matcher {
            Matcher::Substring => self
                .lower
                .find(&keyword)
                .map(|at| self.original(at..at + keyword.len())),
            Matcher::Token => self.token(&keyword),
        }
    }

    /// Where a longer word holds the keyword: what it was perhaps hoped to match.
    pub(super) fn inside_word(&self, keyword: &str) -> Option<&'a str> {
        let keyword = keyword.to_lowercase();
        let at = self.lower.find(&keyword).filter(|_| !keyword.is_empty())?;
        let range = self.original(at..at + keyword.len());
        let before = &self.text[..range.start];
        let start = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
        let after = &self.text[range.end..];
        let length = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
        Some(&self.text[start..range.end + length])
    }

    fn token(&self, keyword: &str) -> Option<Range<usize>> {
        if keyword.is_empty() {
            return None;
        }
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = self.lower.as_bytes();
        let mut from = 0;
        while let Some(at) = self.lower[from..].find(keyword).map(|it| from + it) {
            let end = at + keyword.len();
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            if !is_word(before) && !is_word(bytes.get(end)) {
                return Some(self.original(at..end));
            }
            from = at + self.lower[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// The bytes of the message behind bytes of its lower-case form.
    fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = |at: usize| self.starts.get(at).copied().unwrap_or(self.text.len());
        if range.is_empty() {
            return start(range.start)..start(range.start);
        }
        let last = start(range.end - 1);
        let length = self.text[last..].chars().next().map_or(0, char::len_utf8);
        start(range.start)..last + length
    }
}
