//! Where each reader finds the frontmatter.

use text_size::{TextRange, TextSize};

use super::text::is_python_space;
use crate::{
    reader::stages::{Allowed, Behind, Splitter},
    syntax::{SkillFile, lines, range_of},
};

/// Why there is no frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    /// The text does not start with it.
    Unopened,
    /// Nothing closes it.
    Unclosed,
}

impl Splitter {
    /// The range of the YAML.
    pub(super) fn split(self, file: &SkillFile) -> Result<TextRange, Absence> {
        let text: &str = &file.text;
        match self {
            Splitter::Anywhere => {
                if !text.starts_with("---") {
                    return Err(Absence::Unopened);
                }
                let end = text[3..].find("---").ok_or(Absence::Unclosed)?;
                Ok(range_of(3, 3 + end))
            }
            Splitter::Hyphens => hyphens(text),
            Splitter::Markdown => markdown(text),
            Splitter::Rust => {
                let start = unmarked(text);
                let is_fence = |line: &str| line.trim_end() == "---";
                between(text, start, is_fence)
            }
            Splitter::Prefix => {
                if !text.starts_with("---") {
                    return Err(Absence::Unopened);
                }
                let end = 3 + text[3..].find("\n---").ok_or(Absence::Unclosed)?;
                Ok(trimmed(text, 3, end))
            }
            Splitter::Lines(allowed) => trimmed_lines(text, allowed),
            Splitter::MarkdownOrRest => {
                let start = unmarked(text);
                match markdown(text) {
                    Err(Absence::Unclosed) => {
                        let first = lines(text, range_of(start, text.len())).next();
                        Ok(range_of(first.map_or(start, |it| it.full.end().into()), text.len()))
                    }
                    found => found,
                }
            }
            Splitter::Cut => {
                let start = text.find("---").ok_or(Absence::Unopened)? + 3;
                let end = start + text[start..].find("---").ok_or(Absence::Unclosed)?;
                let start = end - text[start..end].trim_start().len();
                Ok(range_of(start, start + text[start..end].trim_end().len()))
            }
            Splitter::FirstLine => {
                let rest = text.strip_prefix("---").ok_or(Absence::Unopened)?;
                let rest = rest.strip_prefix('\r').unwrap_or(rest);
                let rest = rest.strip_prefix('\n').ok_or(Absence::Unopened)?;
                let start = text.len() - rest.len();
                let end = start + rest.find("\n---").ok_or(Absence::Unclosed)?;
                let end = if text[start..end].ends_with('\r') { end - 1 } else { end };
                Ok(range_of(start, end))
            }
            Splitter::Behind(behind) => {
                let start = unmarked(text);
                let rest = text[start..].strip_prefix("---").ok_or(Absence::Unopened)?;
                if behind == Behind::NoHyphen && rest.starts_with('-') {
                    return Err(Absence::Unopened);
                }
                // gray-matter takes the rest of the line for the language of what follows.
                let language = rest.lines().next().unwrap_or_default().trim();
                if behind == Behind::NoHyphen && !matches!(language, "" | "yaml" | "yml" | "json" | "js" | "javascript")
                {
                    return Err(Absence::Unopened);
                }
                // A line end may be two characters.
                let skipped = match (behind, rest.find('\n')) {
                    (Behind::NoHyphen, Some(line)) => line,
                    (Behind::NoHyphen, None) => return Err(Absence::Unclosed),
                    (Behind::Anything, _) if rest.starts_with("\r\n") => 2,
                    (Behind::Anything, _) => rest.chars().next().map_or(0, char::len_utf8),
                };
                let closes = |at: usize| rest[at + 1..].starts_with("---");
                let ends: &[char] = if behind == Behind::Anything {
                    &['\n', '\r']
                } else {
                    &['\n']
                };
                let end = rest.match_indices(ends).map(|(at, _)| at).find(|at| closes(*at));
                let end = start + 3 + end.ok_or(Absence::Unclosed)?;
                let from = (start + 3 + skipped).min(end);
                Ok(inner(text, from, end))
            }
            Splitter::Tree => {
                let found = file.frontmatter.as_ref().filter(|it| it.leading.is_none());
                let found = found.ok_or(Absence::Unopened)?;
                found.close.ok_or(Absence::Unclosed)?;
                Ok(found.content)
            }
        }
    }
}

/// `re.compile(r"^-{3,}\s*$", re.MULTILINE)`, twice, in a text without spaces around it.
fn hyphens(text: &str) -> Result<TextRange, Absence> {
    let start = text.len() - text.trim_start_matches(is_python_space).len();
    let end = text.trim_end_matches(is_python_space).len().max(start);
    let mut delimiters = python_lines(text, start, end).filter(|line| {
        let rest = text[usize::from(line.start())..usize::from(line.end())].trim_start_matches('-');
        usize::from(line.len()) - rest.len() >= 3 && rest.chars().all(is_python_space)
    });
    let open = delimiters.next().filter(|line| usize::from(line.start()) == start);
    let open = open.ok_or(Absence::Unopened)?;
    let close = delimiters.next().ok_or(Absence::Unclosed)?;
    // The pattern takes blank lines with it.
    let content = &text[usize::from(open.end())..usize::from(close.start())];
    let blank = content.len() - content.trim_start_matches(is_python_space).len();
    let lines = content[..blank].rfind('\n').unwrap_or(0);
    Ok(TextRange::new(
        open.end() + TextSize::of(&content[..lines]),
        close.start(),
    ))
}

/// The lines of a text that Python opened: `\n`, `\r\n` and `\r` end one.
fn python_lines(text: &str, start: usize, end: usize) -> impl Iterator<Item = TextRange> + '_ {
    lines(text, range_of(start, end)).map(|line| line.range)
}

/// Where the text starts behind a byte order mark.
fn unmarked(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Without the line ends before it, so that the first line is the first with something in it. Those behind it count for a
/// block that keeps them.
fn inner(text: &str, start: usize, end: usize) -> TextRange {
    let content = text[start..end].trim_start_matches(['\r', '\n']);
    let start = end - content.len();
    range_of(start, start + content.strip_suffix('\r').unwrap_or(content).len())
}

/// Between the first line and the next one that are fences, where `\n` and `\r\n` end a line, as in `str::lines` of Rust.
fn between(text: &str, start: usize, is_fence: impl Fn(&str) -> bool) -> Result<TextRange, Absence> {
    let mut at = start;
    let mut all = text[start..].split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len(), line)
    });
    let (_, open) = all.next().filter(|(_, line)| is_fence(line)).ok_or(Absence::Unopened)?;
    let first = start + open.len();
    let (end, _) = all.find(|(_, line)| is_fence(line)).ok_or(Absence::Unclosed)?;
    Ok(before_fence(text, first, end))
}

/// The lines before a fence, to which the last line end belongs.
fn before_fence(text: &str, start: usize, fence: usize) -> TextRange {
    let content = &text[start..fence];
    let whole = content.strip_suffix('\n');
    let content = whole.map_or(content, |it| it.strip_suffix('\r').unwrap_or(it));
    range_of(start, start + content.len())
}

fn trimmed_lines(text: &str, allowed: Allowed) -> Result<TextRange, Absence> {
    if allowed == Allowed::Nothing {
        let found = between(text, 0, |line| line.trim() == "---")?;
        let is_first = text[usize::from(found.end())..]
            .trim_start_matches(['\r', '\n'])
            .starts_with("---");
        let has_none = found.is_empty() && is_first && !text[..found.start().into()].is_empty();
        let is_adjacent = has_none && !text[usize::from(found.start())..].starts_with(['\r', '\n']);
        return if is_adjacent { Err(Absence::Unopened) } else { Ok(found) };
    }
    let start = unmarked(text);
    let is_fence = |line: &TextRange| text[*line].trim() == "---";
    let mut all = lines(text, range_of(start, text.len())).skip_while(|line| text[line.range].trim().is_empty());
    let open = all
        .next()
        .filter(|line| is_fence(&line.range))
        .ok_or(Absence::Unopened)?;
    let close = all.find(|line| is_fence(&line.range)).ok_or(Absence::Unclosed)?;
    Ok(before_fence(text, open.full.end().into(), close.range.start().into()))
}

fn markdown(text: &str) -> Result<TextRange, Absence> {
    let start = unmarked(text);
    let fence = |line: TextRange| {
        let rest = text[line].strip_prefix("---");
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte == b' ' || byte == b'\t'))
    };
    let mut all = lines(text, range_of(start, text.len()));
    let open = all.next().filter(|line| fence(line.range)).ok_or(Absence::Unopened)?;
    let close = all.find(|line| fence(line.range)).ok_or(Absence::Unclosed)?;
    Ok(before_fence(text, open.full.end().into(), close.range.start().into()))
}

/// Without the white space of JavaScript's `trim` around it.
fn trimmed(text: &str, start: usize, end: usize) -> TextRange {
    let is_space = super::text::is_javascript_space;
    let inner = text[start..end].trim_start_matches(is_space);
    let start = end - inner.len();
    range_of(start, start + inner.trim_end_matches(is_space).len())
}
