//! Where the YAML parser's events become our nodes. (`verdict::document` reads them once more, as other programs would.)

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};
use text_size::TextRange;

use super::{Alias, Entry, Node, NodeKind, Scalar, Style, lines::range_of};

/// What one text holds.
pub(super) struct Document {
    /// The value; `None` for a text without any.
    pub(super) root: Option<Node>,
    /// Every comment.
    pub(super) comments: Vec<TextRange>,
    /// Where and why reading stopped early.
    pub(super) error: Option<(usize, ErrorKind)>,
}

/// Reads `range` of `text` as one YAML document; what the parser says after its first error is lost.
///
/// Nothing is expanded: an alias stays an alias, nesting ends at 64 levels.
pub(super) fn read(text: &str, range: TextRange) -> Document {
    let mut builder = Builder {
        text,
        base: range.start().into(),
        end: range.end().into(),
        ..Builder::default()
    };
    let mut error = None;
    for event in Parser::new_from_str_with_options(&text[range], parser_options()) {
        match event {
            Ok((event, span)) => {
                if let Err(kind) = builder.event(event, span) {
                    error = Some((builder.offset(span.start.byte_offset()), kind));
                    break;
                }
            }
            Err(scan_error) => {
                error = Some((builder.error_offset(&scan_error), scan_error.kind().clone()));
                break;
            }
        }
    }
    Document {
        root: builder.root,
        comments: builder.comments,
        error,
    }
}

fn parser_options() -> Options {
    options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        max_buffered_comment_events: 1 << 20,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}

/// Deeper frontmatter is an attack or an accident.
const MAX_DEPTH: usize = 64;

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    base: usize,
    end: usize,
    stack: Vec<Frame>,
    root: Option<Node>,
    comments: Vec<TextRange>,
    documents: usize,
}

/// A collection whose end has not been seen.
struct Frame {
    start: usize,
    flow: bool,
    anchor: Option<TextRange>,
    tag: Option<TextRange>,
    kind: FrameKind,
}

enum FrameKind {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        key: Option<(Scalar, Option<TextRange>)>,
    },
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), ErrorKind> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(ErrorKind::MultipleDocumentsUnsupported);
                }
            }
            Event::Comment(..) => self.comments.push(self.range(span)),
            Event::Anchor(..) => self.anchor(self.range(span)),
            Event::Alias(_) => {
                let range = self.range(span);
                let name = self.text[range].trim_start_matches('*').to_owned();
                self.node(Node::new(range, NodeKind::Alias(Alias { name, resolved: true })));
            }
            Event::UnresolvedAlias(name) => {
                let kind = NodeKind::Alias(Alias {
                    name: name.into_owned(),
                    resolved: false,
                });
                self.node(Node::new(self.range(span), kind));
            }
            Event::Scalar(value, style, _, _) => {
                let node = self.scalar(value.into_owned(), style, span);
                self.node(node);
            }
            Event::SequenceStart(style, ..) => self.open(style, span, FrameKind::Sequence(Vec::new())),
            Event::MappingStart(style, ..) => {
                self.open(
                    style,
                    span,
                    FrameKind::Mapping {
                        entries: Vec::new(),
                        key: None,
                    },
                );
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, style: StructureStyle, span: Span, kind: FrameKind) {
        let start = self.offset(span.start.byte_offset());
        let flow = style == StructureStyle::Flow;
        self.stack.push(Frame {
            start,
            flow,
            anchor: None,
            tag: self.tag(span),
            kind,
        });
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.stack.pop() else { return };
        let kind = match frame.kind {
            FrameKind::Sequence(items) => NodeKind::Sequence(items),
            FrameKind::Mapping { entries, .. } => NodeKind::Mapping(entries),
        };
        // The end of a block is reported at the next token, so it is taken from the last child.
        let end = if frame.flow {
            self.offset(span.end.byte_offset())
        } else {
            frame.start
        };
        let node = Node::new(range_of(frame.start, end), kind);
        self.node(Node {
            anchor: frame.anchor,
            tag: frame.tag,
            ..node
        });
    }

    /// The parser reports an anchor right after its node: a scalar that is finished, or a collection just opened.
    fn anchor(&mut self, range: TextRange) {
        let target = match self.stack.last_mut() {
            None => self.root.as_mut().map(|node| &mut node.anchor),
            Some(frame) if frame.is_empty() => Some(&mut frame.anchor),
            Some(Frame {
                kind: FrameKind::Sequence(items),
                ..
            }) => items.last_mut().map(|node| &mut node.anchor),
            Some(Frame {
                kind: FrameKind::Mapping { entries, key: None },
                ..
            }) => entries.last_mut().map(|entry| &mut entry.value.anchor),
            Some(_) => None,
        };
        if let Some(anchor) = target {
            *anchor = Some(range);
        }
    }

    /// A finished node goes to the collection around it.
    fn node(&mut self, node: Node) {
        let (text, end) = (self.text, self.end);
        match self.stack.last_mut().map(|frame| &mut frame.kind) {
            None => self.root = Some(node),
            Some(FrameKind::Sequence(items)) => items.push(node),
            Some(FrameKind::Mapping { entries, key }) => match key.take() {
                None => {
                    let colon = colon_after(text, node.range.end().into(), end);
                    *key = Some((key_of(node, text), colon));
                }
                Some((key, colon)) => entries.push(entry(key, colon, node)),
            },
        }
    }

    fn scalar(&self, value: String, style: ScalarStyle, span: Span) -> Node {
        let mut range = self.range(span);
        let tag = self.tag(span);
        // The parser gives an absent value as an empty `~`.
        if range.is_empty() && style == ScalarStyle::Plain {
            // It may stand behind spaces, outside of the collection that it belongs to.
            let before = self.text[self.base..range.start().into()].trim_end_matches([' ', '\t', '\n', '\r']);
            range = range_of(self.base + before.len(), self.base + before.len());
            return Node {
                range,
                anchor: None,
                tag,
                kind: NodeKind::Null,
            };
        }
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        if matches!(style, Style::Literal | Style::Folded) {
            range = self.block_scalar(range, style);
        }
        Node {
            range,
            anchor: None,
            tag,
            kind: NodeKind::Scalar(Scalar::new(range, value, style)),
        }
    }

    /// A block scalar's span starts at its content; ours starts at the `|` or `>` and ends with the last text.
    fn block_scalar(&self, content: TextRange, style: Style) -> TextRange {
        let indicator = if style == Style::Literal { '|' } else { '>' };
        let start = usize::from(content.start()).max(self.base);
        let end = usize::from(content.end());
        let header = self.text[self.base..start].trim_end_matches([' ', '\n', '\r']);
        let line = header.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        // A comment behind the indicator may hold the character too; the indicator is the first that follows a space.
        let at = header[line..]
            .char_indices()
            .find(|&(at, c)| c == indicator && header[line..][..at].ends_with([' ', '\t']))
            .map_or(start, |(at, _)| self.base + line + at);
        let length = self.text[at..end.max(at)]
            .trim_end_matches([' ', '\t', '\n', '\r'])
            .len();
        range_of(at, at + length)
    }

    fn tag(&self, span: Span) -> Option<TextRange> {
        Some(self.range(span.tag_span()?))
    }

    fn range(&self, span: Span) -> TextRange {
        range_of(
            self.offset(span.start.byte_offset()),
            self.offset(span.end.byte_offset()),
        )
    }

    fn error_offset(&self, error: &ScanError) -> usize {
        self.offset(error.marker().byte_offset())
    }

    fn offset(&self, offset: Option<usize>) -> usize {
        let at = (self.base + offset.unwrap_or(0)).min(self.end);
        self.text.floor_char_boundary(at)
    }
}

impl Frame {
    fn is_empty(&self) -> bool {
        match &self.kind {
            FrameKind::Sequence(items) => items.is_empty(),
            FrameKind::Mapping { entries, key } => entries.is_empty() && key.is_none(),
        }
    }
}

/// An entry whose range covers its parts.
pub(super) fn entry(key: Scalar, colon: Option<TextRange>, mut value: Node) -> Entry {
    let named = colon.map_or(key.range, |colon| key.range.cover(colon));
    if value.range.is_empty() && value.kind == NodeKind::Null {
        value.range = TextRange::empty(named.end());
    }
    Entry {
        range: named.cover(value.range),
        key,
        colon,
        value,
    }
}

/// A key that is a collection or an alias is kept as its source text.
fn key_of(node: Node, text: &str) -> Scalar {
    let range = node.range;
    match node.kind {
        NodeKind::Scalar(scalar) => scalar,
        _ => Scalar::new(range, text[range].to_owned(), Style::Plain),
    }
}

/// The `:` behind a key, on its line.
fn colon_after(text: &str, at: usize, end: usize) -> Option<TextRange> {
    let blanks = text[at..end]
        .bytes()
        .take_while(|&byte| byte == b' ' || byte == b'\t')
        .count();
    let colon = at + blanks;
    text[colon..end].starts_with(':').then(|| range_of(colon, colon + 1))
}
