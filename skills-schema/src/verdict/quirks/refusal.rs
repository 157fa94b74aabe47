//! What a library refuses though the parser does not.

use text_size::TextRange;

use super::places::Places;
use crate::{
    syntax::{Line, Style, lines, range_of},
    verdict::{
        document::{Document, Kind, Node},
        messages,
        trouble::{Trouble, trouble},
    },
};

/// What a library refuses though YAML 1.2 takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Refusal {
    /// Letters other than `a-z`, `A-Z`, `0-9`, `_` and `-` in the name of an anchor.
    AnchorLetters,
    /// `[?]`.
    QuestionMarkInBrackets,
    /// `: value`.
    MissingKey,
    /// `[: value]`.
    MissingKeyInBrackets,
    /// `[a:]`.
    ColonBeforeBracket,
    /// A block whose first line starts with a tab behind its indentation.
    TabAtBlockStart,
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

impl Refusal {
    /// What the library says, and where.
    pub(in crate::verdict) fn check(self, text: &str, range: TextRange, document: &Document) -> Option<Trouble> {
        let nodes = document.nodes();
        let places = || Places::of(document);
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
            Refusal::MissingKey | Refusal::MissingKeyInBrackets => {
                let in_brackets = self == Refusal::MissingKeyInBrackets;
                let pairs = nodes.iter().filter_map(|node| match &node.kind {
                    Kind::Mapping { pairs, flow } => (*flow == in_brackets).then_some(pairs),
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
            Refusal::ColonBeforeBracket => {
                let node = nodes.iter().find(|node| {
                    let rest = text[usize::from(node.range.end())..].strip_prefix(':');
                    let bracket = rest.is_some_and(|rest| rest.starts_with([',', '?', '[', ']', '{', '}']));
                    bracket && node.is_unquoted() && places().flow(node.range.start().into()).is_some()
                })?;
                Some(trouble(messages::COLON, Some(node.range)))
            }
            Refusal::TabAtBlockStart => {
                let node = nodes.iter().find(|node| {
                    let Kind::Scalar {
                        value,
                        style: Style::Literal | Style::Folded,
                    } = &node.kind
                    else {
                        return false;
                    };
                    let header = text[..usize::from(node.range.start())].trim_end();
                    let header = header.trim_end_matches(['+', '-']);
                    value.trim_start_matches('\n').starts_with('\t') && !header.ends_with(|c: char| c.is_ascii_digit())
                })?;
                Some(trouble(messages::TAB_IN_BLOCK, Some(node.range)))
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
                let with_tab = |line: &Line| line.text(text).contains('\t');
                let tab = lines(text, range)
                    .filter(with_tab)
                    .find_map(|line| self.tab(text, &line, &places()))?;
                Some(trouble(messages::NO_TOKEN, Some(range_of(tab, tab + 1))))
            }
            Refusal::OutdentedInBrackets => {
                let node = nodes.iter().find(|node| is_outdented(node, text, &places))?;
                Some(trouble(messages::FLOW_ENTRY, Some(node.range)))
            }
        }
    }

    /// The tab of a line that is refused.
    fn tab(self, text: &str, line: &Line, places: &Places) -> Option<usize> {
        let start = usize::from(line.range.start());
        let content = line.text(text);
        let blanks = content.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if self == Refusal::AnyTab {
            let is_comment = |at: usize| {
                let behind_blank = at == 0 || content[..at].ends_with([' ', '\t']);
                behind_blank && places.scalar(start + at).is_none()
            };
            let hashes = content.match_indices('#').map(|(at, _)| at);
            let end = hashes.into_iter().find(|at| is_comment(*at)).unwrap_or(content.len());
            let tabs = content[..end].match_indices('\t').map(|(at, _)| start + at);
            return tabs.into_iter().find(|tab| !places.is_quoted(*tab));
        }
        let column = content[..blanks].find('\t')?;
        let tab = start + column;
        if places.is_quoted(tab) {
            return None;
        }
        let refused = match self {
            Refusal::TabBeforeKey => places.starts_block(start + blanks),
            _ if places.flow(tab).is_some() => false,
            // The text that the tab follows or stands in.
            _ => places.scalar_before(tab).is_none_or(|(range, style)| {
                let between = &text[usize::from(range.end()).min(tab)..tab];
                style != Style::Plain
                    || !between.trim().is_empty()
                    || column <= key_column(text, usize::from(range.start()))
            }),
        };
        refused.then_some(tab)
    }
}

/// The column of the key of a value: what its line starts with, hyphens of lists included.
fn key_column(text: &str, at: usize) -> usize {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    text[line..]
        .bytes()
        .take_while(|byte| matches!(byte, b' ' | b'-'))
        .count()
}

/// A text without quotes in brackets has a line left of the line that the brackets belong to.
fn is_outdented(node: &Node, text: &str, places: &impl Fn() -> Places) -> bool {
    if !node.is_unquoted() || !text[node.range].contains(['\n', '\r']) {
        return false;
    }
    let Some(around) = places().flow(node.range.start().into()) else {
        return false;
    };
    let column = key_column(text, around.start().into());
    let mut rest = lines(text, node.range).skip(1).filter(|line| !line.is_blank(text));
    rest.any(|line| line.indent(text) <= column)
}
