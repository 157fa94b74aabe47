//! Foreign text as Markdown that keeps its look and loses its powers.
//!
//! A renderer's view of a text must be ours, or what we take for code becomes active there. So what is written is
//! canonical: fences stand in the first column, a code span is one that any renderer sees, all else is escaped.

use std::fmt::Write as _;

/// A running text, such as an answer: lists, emphasis, tables and code stay; links, images, HTML and headings don't.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// The line that is not complete yet.
    line: String,
    fence: Option<Fence>,
}

/// An open code block.
#[derive(Debug)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Prose {
    /// Takes more text, cut anywhere; gives the lines that are complete.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            if self.line.ends_with('\n') {
                self.end_line(&mut out);
            }
        }
        out
    }

    /// Ends the last line and an open code block.
    pub(super) fn end(&mut self) -> String {
        let mut out = String::new();
        if !self.line.is_empty() {
            self.end_line(&mut out);
        }
        if let Some(fence) = self.fence.take() {
            write_fence(&fence, "", &mut out);
        }
        out
    }

    fn end_line(&mut self, out: &mut String) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        let line = visible(line.strip_suffix('\r').unwrap_or(line));
        let text = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - text.len();
        if let Some(fence) = &self.fence {
            let rest = text.trim_end();
            if rest.len() >= fence.length && rest.chars().all(|c| c == fence.mark) {
                write_fence(fence, "", out);
                self.fence = None;
            } else {
                // The block moved to the first column, and its text with it.
                out.push_str(&line[indent.min(fence.indent)..]);
                out.push('\n');
            }
            return;
        }
        if let Some((fence, info)) = fence(text, indent) {
            write_fence(&fence, &info, out);
            self.fence = Some(fence);
            return;
        }
        out.push_str(&line[..indent]);
        escape(text, out);
        out.push('\n');
    }
}

/// The fence that the line opens, and its language.
fn fence(text: &str, indent: usize) -> Option<(Fence, String)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    if length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let language = info
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "+#.-_".contains(*c));
    Some((Fence { mark, length, indent }, language.take(32).collect()))
}

fn write_fence(fence: &Fence, info: &str, out: &mut String) {
    out.extend(std::iter::repeat_n(fence.mark, fence.length));
    out.push_str(info);
    out.push('\n');
}

/// One line outside of code blocks.
fn escape(text: &str, out: &mut String) {
    // Behind the marks of lists and quotes a line begins anew: a heading could stand there.
    let start = text
        .find(|c: char| !(c.is_ascii_digit() || " \t>-*+.)".contains(c)))
        .unwrap_or(text.len());
    let (marks, text) = text.split_at(start);
    // A line of marks alone would be a rule, or make a heading of the line above it.
    let is_rule = text.is_empty() && marks.contains(['-', '*', '+']);
    for mark in marks.chars() {
        push_escaped(mark, is_rule && mark.is_ascii_punctuation(), out);
    }
    if text.starts_with(['#', '=', ':']) {
        out.push('\\');
    }
    inline(text, out);
}

/// The inside of a line: code spans stay, all that could be a link, HTML or mathematics is escaped.
fn inline(mut text: &str, out: &mut String) {
    while let Some(character) = text.chars().next() {
        if character != '`' {
            push_escaped(character, "\\<>&[]$!~".contains(character), out);
            text = &text[character.len_utf8()..];
            continue;
        }
        let rest = text.trim_start_matches('`');
        let run = &text[..text.len() - rest.len()];
        match span_end(rest, run.len()) {
            // A table's row is cut at bars before code is looked for.
            Some(end) if !rest[..end].contains('|') => {
                let (span, after) = rest.split_at(end + run.len());
                out.push_str(run);
                out.push_str(span);
                text = after;
            }
            _ => {
                // An opening mark without an end could find one in a later line.
                run.chars().for_each(|mark| push_escaped(mark, true, out));
                text = rest;
            }
        }
    }
}

/// Where the run of exactly `length` backticks begins that ends a code span.
fn span_end(text: &str, length: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find('`') {
        let begin = from + found;
        let run = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        if run == length {
            return Some(begin);
        }
        from = begin + run;
    }
    None
}

fn push_escaped(character: char, escaped: bool, out: &mut String) {
    if escaped {
        out.push('\\');
    }
    out.push(character);
}

/// A text on one line as a code span, in which nothing is active; empty where the text is blank.
pub(super) fn code(text: &str) -> String {
    let line = text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return line;
    }
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let mark = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{mark}{pad}{line}{pad}{mark}")
}

/// The text with control characters, reordering marks and invisible ones as code points. Tabs stay.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let hidden = match character {
            '\t' => false,
            // Reordering marks, invisible spaces and line ends of Unicode, tags, and the mark of byte order.
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
                true
            }
            '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
            other => other.is_control(),
        };
        if hidden {
            // Writing to a string can't fail.
            let _ = write!(out, "⟨U+{:04X}⟩", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}
