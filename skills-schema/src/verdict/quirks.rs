//! Where a library's YAML is not that of our parser.
//!
//! What a library takes though the parser does not is a [`Tolerance`]: the place is rewritten into what means the same,
//! and the text is read again. What it refuses though the parser reads it is a [`Refusal`].

use granit_parser::ErrorKind;
use text_size::TextRange;

use super::{
    document::{Document, Kind, Node},
    messages,
    reading::{Trouble, trouble},
};
use crate::syntax::{Style, lines, range_of};

/// What a library takes though YAML 1.2 does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tolerance {
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
    /// U+0085 is a line break in a text without quotes.
    NextLineFolds,
    /// U+0085, U+2028 and U+2029 end a line, as in YAML 1.1.
    UnicodeLineEnds,
}

/// What a library refuses though YAML 1.2 takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Letters other than `a-z`, `A-Z`, `0-9`, `_` and `-` in the name of an anchor.
    AnchorLetters,
    /// `[?]`.
    QuestionMarkInBrackets,
    /// `: value`.
    MissingKey,
    /// A byte order mark at the start of a line, though not of the text.
    ByteOrderMark,
    /// `...` before the first content.
    LeadingEnd,
    /// A tab outside of quotes, blocks and comments.
    AnyTab,
    /// A tab at the start of a line, unless a text without quotes goes on there, in a column beyond its key.
    TabAtLineStart,
    /// A tab before a key.
    TabBeforeKey,
    /// A text without quotes in brackets that goes on left of the line that it belongs to.
    OutdentedInBrackets,
}

/// Reads the text again as the library would, where the parser stopped at something that it takes; `None` where the
/// first reading stands.
pub(super) fn reread(tolerances: &[Tolerance], text: &str, range: TextRange, first: &Document) -> Option<Document> {
    let slice = &text[range];
    let mut rewritten = Rewritten {
        text: slice.to_owned(),
        edits: Vec::new(),
    };
    for tolerance in tolerances {
        let (ends, instead): (&[char], &str) = match tolerance {
            Tolerance::UnicodeLineEnds => (&['\u{85}', '\u{2028}', '\u{2029}'], "\n"),
            Tolerance::NextLineFolds => (&['\u{85}'], DEEP_LINE),
            _ => continue,
        };
        while !slice.is_ascii() && rewritten.edits.len() < MOST_EDITS {
            let Some((at, c)) = rewritten.text.char_indices().find(|(_, c)| ends.contains(c)) else {
                break;
            };
            rewritten.replace(at, c.len_utf8(), instead);
        }
    }
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
    document.restore(&STAND_INS, |offset| {
        usize::from(range.start()) + rewritten.original(offset)
    });
    Some(document)
}

/// A text that needs more is hostile; each edit reads it once more.
const MOST_EDITS: usize = 32;

/// A new line, deeper than any key around it is likely to be.
const DEEP_LINE: &str = "\n                                ";

/// Characters that nobody writes, and what they stand for.
const STAND_INS: [(char, char); 2] = [('\u{f8f0}', '-'), ('\u{f8f1}', '\u{feff}')];

/// A text with some places rewritten.
struct Rewritten {
    text: String,
    /// Where, and by how much the text grew there.
    edits: Vec<(usize, isize)>,
}

impl Rewritten {
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
                Some((line, 0, &DEEP_LINE[1..]))
            }
            (Tolerance::QuotedBehindTab, ErrorKind::TabInIndentation) => {
                let tab = line + text[line..].find('\t')?;
                Some((tab, 1, " "))
            }
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
            (Tolerance::HyphenInBrackets, ErrorKind::PlainScalarStartsWithDashFlowIndicator) => {
                text[at..].starts_with('-').then_some((at, 1, "\u{f8f0}"))
            }
            _ => None,
        }
    }
}

impl Refusal {
    /// What the library says, and where.
    pub(super) fn check(self, text: &str, range: TextRange, document: &Document) -> Option<Trouble> {
        let nodes = document.nodes();
        match self {
            Refusal::AnchorLetters => {
                let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                let strange = |node: &&Node| node.anchor.as_deref().is_some_and(|name| !name.chars().all(is_letter));
                let node = nodes.iter().find(strange)?;
                Some(trouble(messages::ANCHOR_LETTERS, Some(node.range)))
            }
            Refusal::QuestionMarkInBrackets => {
                let node = nodes.iter().find(|node| {
                    let rest = &text[usize::from(node.range.end())..];
                    node.is_plain("?") && rest.starts_with([',', '[', ']', '{', '}'])
                })?;
                Some(trouble(messages::FLOW_ENTRY, Some(node.range)))
            }
            Refusal::MissingKey => {
                let pairs = nodes.iter().filter_map(|node| match &node.kind {
                    Kind::Mapping { pairs, flow: false } => Some(pairs),
                    _ => None,
                });
                let mut keys = pairs.flatten().map(|(key, _)| document.node(*key));
                let missing = keys.find(|key| {
                    let at = usize::from(key.range.start());
                    let before = text[..at].trim_end();
                    key.is_plain("") && key.range.is_empty() && text[at..].starts_with(':') && !before.ends_with('?')
                })?;
                Some(trouble(messages::NO_KEY, Some(missing.range)))
            }
            Refusal::ByteOrderMark => {
                let at = usize::from(range.start()) + text[range].find("\n\u{feff}")? + 1;
                Some(trouble(messages::NO_DOCUMENT, Some(range_of(at, at + 3))))
            }
            Refusal::LeadingEnd => {
                let content = document.root.map(|root| document.node(root).range.start())?;
                let mut before = lines(text, TextRange::new(range.start(), content.max(range.start())));
                let end = before.find(|line| line.text(text).starts_with("..."))?;
                Some(trouble(messages::NO_CONTENT, Some(end.range)))
            }
            Refusal::AnyTab | Refusal::TabAtLineStart | Refusal::TabBeforeKey => {
                let tabs = text[range]
                    .match_indices('\t')
                    .map(|(at, _)| usize::from(range.start()) + at);
                let mut tabs = tabs.filter(|tab| self.refuses_tab(*tab, text, range, nodes));
                let tab = tabs.next()?;
                Some(trouble(messages::NO_TOKEN, Some(range_of(tab, tab + 1))))
            }
            Refusal::OutdentedInBrackets => {
                let node = nodes.iter().find(|node| is_outdented(node, text, nodes))?;
                Some(trouble(messages::FLOW_ENTRY, Some(node.range)))
            }
        }
    }

    fn refuses_tab(self, tab: usize, text: &str, range: TextRange, nodes: &[Node]) -> bool {
        let inside = |node: &Node| usize::from(node.range.start()) <= tab && tab < usize::from(node.range.end());
        if nodes.iter().any(|node| node.is_quoted() && inside(node)) {
            return false;
        }
        let from = text[usize::from(range.start())..tab].rfind(['\n', '\r']);
        let line = from.map_or(usize::from(range.start()), |at| usize::from(range.start()) + at + 1);
        let before = &text[line..tab];
        let starts_line = before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        match self {
            Refusal::AnyTab => !is_commented(before, line, nodes),
            Refusal::TabBeforeKey => {
                let content = tab
                    + text[tab..]
                        .bytes()
                        .take_while(|byte| matches!(byte, b' ' | b'\t'))
                        .count();
                let is_block = |node: &Node| {
                    matches!(
                        node.kind,
                        Kind::Mapping { flow: false, .. } | Kind::Sequence { flow: false, .. }
                    )
                };
                starts_line
                    && nodes
                        .iter()
                        .any(|node| is_block(node) && usize::from(node.range.start()) == content)
            }
            _ if !starts_line || in_flow(tab, nodes) => false,
            // The text that the tab follows or stands in.
            _ => match nodes
                .iter()
                .rev()
                .find(|node| node.is_scalar() && usize::from(node.range.start()) < tab)
            {
                Some(node) if node.is_unquoted() => {
                    let end = usize::from(node.range.end()).min(tab);
                    let between = &text[end..tab];
                    !between.trim().is_empty() || before.len() <= key_column(text, usize::from(node.range.start()))
                }
                _ => true,
            },
        }
    }
}

/// The column of the key of a value: what its line starts with, hyphens of lists included.
fn key_column(text: &str, at: usize) -> usize {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let content = text[line..].trim_start_matches([' ', '-']);
    text.len() - line - content.len()
}

/// A `#` behind a blank starts a comment, where it stands in no text.
fn is_commented(before: &str, line: usize, nodes: &[Node]) -> bool {
    let starts = before.match_indices('#').map(|(at, _)| at);
    let mut comments = starts.filter(|at| before[..*at].is_empty() || before[..*at].ends_with([' ', '\t']));
    comments.any(|at| {
        let at = line + at;
        let inside = |node: &Node| usize::from(node.range.start()) <= at && at < usize::from(node.range.end());
        !nodes.iter().any(|node| node.is_scalar() && inside(node))
    })
}

fn in_flow(at: usize, nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        let (start, end) = (usize::from(node.range.start()), usize::from(node.range.end()));
        node.is_flow() && start < at && at < end
    })
}

/// A text without quotes in brackets has a line left of the line that the brackets belong to.
fn is_outdented(node: &Node, text: &str, nodes: &[Node]) -> bool {
    let start = usize::from(node.range.start());
    if !node.is_unquoted() || !text[node.range].contains(['\n', '\r']) {
        return false;
    }
    let around = nodes.iter().find(|other| {
        let (from, to) = (usize::from(other.range.start()), usize::from(other.range.end()));
        other.is_flow() && from < start && start < to
    });
    let Some(around) = around else { return false };
    let column = key_column(text, usize::from(around.range.start()));
    let mut rest = lines(text, node.range).skip(1).filter(|line| !line.is_blank(text));
    rest.any(|line| line.indent(text) <= column)
}

impl Node {
    fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::Scalar { .. }) && !self.range.is_empty()
    }

    fn is_plain(&self, text: &str) -> bool {
        matches!(&self.kind, Kind::Scalar { value, style: Style::Plain } if value == text)
    }

    fn is_unquoted(&self) -> bool {
        self.is_scalar()
            && matches!(
                self.kind,
                Kind::Scalar {
                    style: Style::Plain,
                    ..
                }
            )
    }

    /// Its characters mean themselves: in quotes, or in a block.
    fn is_quoted(&self) -> bool {
        self.is_scalar() && !self.is_unquoted()
    }

    fn is_flow(&self) -> bool {
        matches!(
            self.kind,
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
        )
    }
}
