//! What a library takes though the parser does not.

use granit_parser::ErrorKind;
use text_size::TextRange;

use super::places::Places;
use crate::{
    syntax::{Style, range_of},
    verdict::document::{Document, Kind, Node},
};

/// What a library takes though YAML 1.2 does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Tolerance {
    /// A text in quotes goes on in any column.
    QuotedInAnyColumn,
    /// A text in quotes goes on behind a tab.
    QuotedBehindTab,
    /// `|#comment`.
    CommentAtIndicator,
    /// A byte order mark inside a line is a character like any other.
    ByteOrderMarkInLine,
    /// A byte order mark at the start of a line is a character like any other.
    ByteOrderMarkAtLineStart,
    /// `[-]` is a list of a text.
    HyphenInBrackets,
    /// `|` or `>` at the start of a line.
    BlockAtLineStart,
    /// U+007F is a character like any other.
    DeleteCharacter,
    /// So is every control character.
    ControlCharacter,
    /// `{a:[b]}`.
    ValueAtColon,
    /// U+0085 is a line break in a text without quotes.
    NextLineFolds,
    /// A tab at the start of a line indents nothing.
    TabIsNoIndentation,
    /// U+0085, U+2028 and U+2029 end a line, as in YAML 1.1.
    UnicodeLineEnds,
}

/// Reads the text again as the library would, where the parser stopped at something that it takes; `None` where the
/// first reading stands.
pub(in crate::verdict) fn reread(
    tolerances: &[Tolerance],
    text: &str,
    range: TextRange,
    first: &Document,
) -> Option<Document> {
    let slice = &text[range];
    let mut rewritten = Rewritten {
        text: slice.to_owned(),
        edits: Vec::new(),
    };
    rewritten.line_ends(tolerances, usize::from(range.start()), first);
    let mut document = None;
    let mut stop = first
        .stop
        .clone()
        .map(|(at, kind)| (at - usize::from(range.start()), kind));
    if !rewritten.edits.is_empty() {
        let read = rewritten.read();
        stop.clone_from(&read.stop);
        document = Some(read);
    }
    while let Some((at, kind)) = stop.take() {
        let edit = tolerances.iter().find_map(|it| it.edit(&kind, &rewritten.text, at));
        let Some((at, length, instead)) = edit.filter(|_| rewritten.edits.len() < MOST_EDITS) else {
            break;
        };
        rewritten.replace(at, length, instead);
        let read = rewritten.read();
        stop.clone_from(&read.stop);
        document = Some(read);
    }
    let mut document = document?;
    // A control character is one outside of quotes.
    let is_control = |node: &Node| match &node.kind {
        Kind::Scalar { value, style } => {
            !matches!(style, Style::SingleQuoted | Style::DoubleQuoted) && value.contains(DELETE)
        }
        _ => false,
    };
    let takes_controls = tolerances.contains(&Tolerance::ControlCharacter);
    if !takes_controls && document.nodes().iter().any(is_control) {
        return None;
    }
    let controls = CONTROLS.chars().zip('\0'..).filter(|_| takes_controls);
    let stand_ins: Vec<(char, char)> = STAND_INS.into_iter().chain(controls).collect();
    document.restore(&stand_ins, |offset| {
        usize::from(range.start()) + rewritten.original(offset)
    });
    if tolerances.contains(&Tolerance::UnicodeLineEnds) {
        document.keep_separators(text);
    }
    Some(document)
}

/// A text that needs more is hostile; each edit reads it once more.
const MOST_EDITS: usize = 32;

/// A new line, deeper than any key around it is likely to be.
const DEEP_LINE: &str = "\n                                ";

/// Characters that nobody writes, and what they stand for.
const STAND_INS: [(char, char); 3] = [('\u{f8f0}', '-'), ('\u{f8f1}', '\u{feff}'), (DELETE, '\u{7f}')];
const DELETE: char = '\u{f8f2}';
/// What stands for the characters from U+0000 to U+001F.
const CONTROLS: &str = "\u{f8a0}\u{f8a1}\u{f8a2}\u{f8a3}\u{f8a4}\u{f8a5}\u{f8a6}\u{f8a7}\u{f8a8}\u{f8a9}\u{f8aa}\u{f8ab}\u{f8ac}\u{f8ad}\u{f8ae}\u{f8af}\
     \u{f8b0}\u{f8b1}\u{f8b2}\u{f8b3}\u{f8b4}\u{f8b5}\u{f8b6}\u{f8b7}\u{f8b8}\u{f8b9}\u{f8ba}\u{f8bb}\u{f8bc}\u{f8bd}\u{f8be}\u{f8bf}";

/// A text with some places rewritten.
struct Rewritten {
    text: String,
    /// Where, and by how much the text grew there.
    edits: Vec<(usize, isize)>,
}

impl Rewritten {
    /// Ends lines where the library sees one and the parser does not. In quotes and blocks the first reading knows best.
    fn line_ends(&mut self, tolerances: &[Tolerance], start: usize, first: &Document) {
        let everywhere = tolerances.contains(&Tolerance::UnicodeLineEnds);
        if self.text.is_ascii() || !(everywhere || tolerances.contains(&Tolerance::NextLineFolds)) {
            return;
        }
        let places = Places::of(first);
        let ends = self
            .text
            .char_indices()
            .filter(|(_, c)| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}'));
        // Where the edit before ends: spaces between two line ends go once.
        let mut taken = 0;
        let edits: Vec<(usize, usize, &str)> = ends
            .filter_map(|(at, c)| {
                let style = places.style(start + at);
                let quoted = matches!(style, Some(Style::SingleQuoted | Style::DoubleQuoted));
                let block = matches!(style, Some(Style::Literal | Style::Folded));
                let before = &self.text[taken..at];
                let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
                let edit = match c {
                    '\u{85}' if everywhere || block => Some((at, 2, "\n")),
                    '\u{85}' => Some((at, 2, DEEP_LINE)),
                    // It stays, and the spaces around it go.
                    _ if quoted && everywhere => {
                        let rest = &self.text[at + 3..];
                        let around = blanks + rest.len() - rest.trim_start_matches([' ', '\t']).len();
                        let separator = if c == '\u{2028}' { "\u{2028}" } else { "\u{2029}" };
                        (around > 0).then_some((at - blanks, around + 3, separator))
                    }
                    _ if quoted => (blanks > 0).then_some((at - blanks, blanks, "")),
                    _ if everywhere || block => Some((at, 3, "\n")),
                    _ => None,
                };
                taken = edit.map_or(taken, |(at, length, _)| at + length);
                edit
            })
            .take(MOST_EDITS)
            .collect();
        for (at, length, instead) in edits.into_iter().rev() {
            self.replace(at, length, instead);
        }
        self.edits.reverse();
        // Each was noted where it stands in the old text.
        let mut grown = 0isize;
        for (at, by) in &mut self.edits {
            *at = at.saturating_add_signed(grown);
            grown += *by;
        }
    }

    fn replace(&mut self, at: usize, length: usize, instead: &str) {
        self.text.replace_range(at..at + length, instead);
        self.edits
            .push((at, instead.len().cast_signed() - length.cast_signed()));
    }

    fn read(&self) -> Document {
        Document::read(&self.text, range_of(0, self.text.len()))
    }

    /// Where an offset of the rewritten text was.
    fn original(&self, offset: usize) -> usize {
        let undo = |offset: usize, (at, grown): &(usize, isize)| {
            if offset > *at {
                offset.saturating_add_signed(-grown)
            } else {
                offset
            }
        };
        self.edits.iter().rev().fold(offset, undo)
    }
}

impl Tolerance {
    /// What to write instead of what, where the parser stopped for this reason.
    fn edit(self, kind: &ErrorKind, text: &str, at: usize) -> Option<(usize, usize, &'static str)> {
        let before = &text[..at];
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        match (self, kind) {
            (Tolerance::QuotedInAnyColumn, ErrorKind::InvalidQuotedScalarIndent) => {
                let line = if text[at..].starts_with(['\n', '\r']) {
                    at + 1
                } else {
                    line
                };
                (!is_document_mark(&text[line..])).then_some((line, 0, &DEEP_LINE[1..]))
            }
            (Tolerance::QuotedBehindTab, ErrorKind::TabInIndentation) => {
                let tab = line + text[line..].find('\t')?;
                Some((tab, 1, " "))
            }
            (
                Tolerance::TabIsNoIndentation,
                ErrorKind::TabInIndentation | ErrorKind::TabInBlockIndentation | ErrorKind::TabNotAllowed,
            ) => text[line..].starts_with('\t').then_some((line, 1, "")),
            (Tolerance::BlockAtLineStart, ErrorKind::SimpleKeyExpected) if at == line => {
                // A value must be due: behind a colon, or behind the anchor or the tag of one.
                let last = before.split_ascii_whitespace().next_back()?;
                let due = last.ends_with(':') || last.starts_with(['&', '!']);
                (due && text[at..].starts_with(['|', '>'])).then_some((at, 0, " "))
            }
            (Tolerance::CommentAtIndicator, ErrorKind::CommentNotSeparated) => {
                let header = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
                header.ends_with(['|', '>']).then_some((at, 0, " "))
            }
            (Tolerance::ByteOrderMarkInLine, ErrorKind::BomInsideDocument) if at > line => {
                text[at..].starts_with('\u{feff}').then_some((at, 3, "\u{f8f1}"))
            }
            (Tolerance::ByteOrderMarkAtLineStart, ErrorKind::BomInsideDocument) if at == line => {
                text[at..].starts_with('\u{feff}').then_some((at, 3, "\u{f8f1}"))
            }
            (Tolerance::DeleteCharacter, ErrorKind::UnexpectedCharacter { character: '\u{7f}' }) => {
                let at = at + text[at..].find('\u{7f}')?;
                Some((at, 1, "\u{f8f2}"))
            }
            (Tolerance::ControlCharacter, ErrorKind::UnexpectedCharacter { character })
                if character.is_ascii_control() =>
            {
                let stand_in = usize::try_from(u32::from(*character)).ok()? * '\u{f8a0}'.len_utf8();
                let at = line + text[line..].find(*character)?;
                Some((at, 1, CONTROLS.get(stand_in..stand_in + '\u{f8a0}'.len_utf8())?))
            }
            (Tolerance::ValueAtColon, ErrorKind::FlowMappingValueAdjacentCollection) => {
                text[at..].starts_with(':').then_some((at + 1, 0, " "))
            }
            (Tolerance::HyphenInBrackets, ErrorKind::PlainScalarStartsWithDashFlowIndicator) => {
                text[at..].starts_with('-').then_some((at, 1, "\u{f8f0}"))
            }
            _ => None,
        }
    }
}

/// `---` or `...`, with a space or nothing behind.
fn is_document_mark(line: &str) -> bool {
    let rest = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']))
}
