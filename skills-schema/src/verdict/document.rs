//! One YAML document as a graph of nodes, before anybody says what its scalars mean.

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Span, StructureStyle, Tag, options};
use text_size::TextRange;

use super::trouble::{Trouble, trouble};
use crate::syntax::{Style, range_of};

/// What one text holds, as every YAML reader sees it.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Every node, a collection before what is in it.
    nodes: Vec<Node>,
    /// The outermost node; `None` for a text without any.
    pub(super) root: Option<NodeId>,
    /// How many documents the text holds. Only the first is kept.
    pub(super) documents: usize,
    /// Where and why reading stopped; what stands before it was read.
    pub(super) stop: Option<(usize, ErrorKind)>,
    /// The same, in words.
    pub(super) error: Option<Trouble>,
    /// A block scalar whose last line has no end, though the parser gives it one.
    pub(super) unfinished: Option<NodeId>,
}

/// A node of a [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// One node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) range: TextRange,
    /// The column that it starts in.
    pub(super) column: usize,
    /// The name behind `&`.
    pub(super) anchor: Option<String>,
    /// The tag in full: `tag:yaml.org,2002:int`, `!local`, or `!`.
    pub(super) tag: Option<String>,
    pub(super) kind: Kind,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    Scalar {
        value: String,
        style: Style,
    },
    Sequence {
        items: Vec<NodeId>,
        flow: bool,
    },
    Mapping {
        pairs: Vec<(NodeId, NodeId)>,
        flow: bool,
    },
    /// `*name`; `None` where no such anchor stands before it.
    Alias(Option<NodeId>),
}

impl Document {
    /// Reads `range` of `text`.
    pub(super) fn read(text: &str, range: TextRange) -> Document {
        let mut builder = Builder {
            base: range.start().into(),
            text,
            end: range.end().into(),
            ..Builder::default()
        };
        for event in Parser::new_from_str_with_options(&text[range], parser_options()) {
            match event {
                Ok((event, span)) => builder.event(event, span),
                Err(error) => {
                    let at = builder.offset(error.marker().byte_offset());
                    builder.document.error = Some(trouble(
                        super::messages::of_parser(error.kind(), &error.info()),
                        Some(range_of(at, at)),
                    ));
                    builder.document.stop = Some((at, error.kind().clone()));
                    break;
                }
            }
        }
        builder.document
    }

    /// A node.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Puts back the characters that others stood for, and the ranges of the original text.
    pub(super) fn restore(&mut self, stand_ins: &[(char, char)], original: impl Fn(usize) -> usize) {
        let shift =
            |range: &mut TextRange| *range = range_of(original(range.start().into()), original(range.end().into()));
        for node in &mut self.nodes {
            shift(&mut node.range);
            if let Kind::Scalar { value, .. } = &mut node.kind {
                for (stand_in, meant) in stand_ins {
                    if value.contains(*stand_in) {
                        *value = value.replace(*stand_in, &meant.to_string());
                    }
                }
            }
        }
        if let Some(range) = self.error.as_mut().and_then(|error| error.range.as_mut()) {
            shift(range);
        }
    }

    /// Gives texts without quotes their line ends U+2028 and U+2029 back, which fold into themselves in YAML 1.1.
    pub(super) fn keep_separators(&mut self, text: &str) {
        for node in &mut self.nodes {
            let source = &text[node.range];
            match &mut node.kind {
                Kind::Scalar { value, style } if *style == Style::Plain && source.contains(SEPARATORS) => {
                    *value = folded(source);
                }
                _ => {}
            }
        }
    }

    /// Every node, a collection before what is in it.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// A text without quotes as YAML 1.1 folds it: one line end is a blank, several are one less.
fn folded(source: &str) -> String {
    let mut text = String::new();
    let mut ends = String::new();
    for line in source
        .replace("\r\n", "\n")
        .split_inclusive(['\n', '\r', '\u{85}', SEPARATORS[0], SEPARATORS[1]])
    {
        let words = line.trim_matches([' ', '\t', '\n', '\r', '\u{85}', SEPARATORS[0], SEPARATORS[1]]);
        if !words.is_empty() {
            match ends.strip_prefix('\n') {
                Some("") => text.push(' '),
                Some(others) => text += others,
                None => text += &ends,
            }
            text += words;
            ends.clear();
        }
        ends.extend(
            line.chars()
                .next_back()
                .map(|end| if SEPARATORS.contains(&end) { end } else { '\n' }),
        );
    }
    text
}

fn parser_options() -> Options {
    let mut options = options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    options.set_emit_comments(false);
    options
}

/// Deeper frontmatter is an attack. Most readers have no limit below.
const MAX_DEPTH: usize = 256;

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    base: usize,
    end: usize,
    document: Document,
    open: Vec<Open>,
    /// The nodes of the parser's anchors, by its numbers.
    anchors: Vec<(usize, NodeId)>,
}

/// A collection whose end has not been seen. Its node exists already, for aliases inside it.
struct Open {
    id: NodeId,
    children: Vec<NodeId>,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) {
        if let Event::DocumentStart(..) = event {
            self.document.documents += 1;
        }
        if self.document.documents > 1 {
            return;
        }
        let tag = event.tag().map(full_name);
        match event {
            Event::Anchor(_, name) => {
                if let Some(node) = self.last_anchored() {
                    self.document.nodes[node.0].anchor = Some(name.into_owned());
                }
            }
            Event::Alias(anchor) => {
                let target = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
                let target = target.map(|(_, node)| *node);
                self.leaf(span, None, 0, Kind::Alias(target));
            }
            Event::UnresolvedAlias(_) => self.leaf(span, None, 0, Kind::Alias(None)),
            Event::Scalar(value, style, anchor, _) => {
                let at_end = self.offset(span.end.byte_offset()) >= self.end;
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                if at_end && is_block && !self.text[..self.end].ends_with(['\n', '\r']) {
                    self.document.unfinished = Some(NodeId(self.document.nodes.len()));
                }
                // The parser gives an absent value as an empty `~`.
                let absent = style == ScalarStyle::Plain && span.start.byte_offset() == span.end.byte_offset();
                let value = if absent { String::new() } else { value.into_owned() };
                let kind = Kind::Scalar {
                    value,
                    style: style_of(style),
                };
                self.leaf(span, tag, anchor, kind);
            }
            Event::SequenceStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                self.open(
                    span,
                    tag,
                    anchor,
                    Kind::Sequence {
                        items: Vec::new(),
                        flow,
                    },
                );
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                self.open(
                    span,
                    tag,
                    anchor,
                    Kind::Mapping {
                        pairs: Vec::new(),
                        flow,
                    },
                );
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            _ => {}
        }
    }

    fn leaf(&mut self, span: Span, tag: Option<String>, anchor: usize, kind: Kind) {
        let id = self.push(span, tag, anchor, kind);
        self.finish(id);
    }

    fn open(&mut self, span: Span, tag: Option<String>, anchor: usize, kind: Kind) {
        let id = self.push(span, tag, anchor, kind);
        self.open.push(Open {
            id,
            children: Vec::new(),
        });
    }

    fn close(&mut self, span: Span) {
        let Some(Open { id, children }) = self.open.pop() else {
            return;
        };
        let start = usize::from(self.document.nodes[id.0].range.start());
        let end = self.offset(span.end.byte_offset());
        self.document.nodes[id.0].range = range_of(start, end);
        match &mut self.document.nodes[id.0].kind {
            Kind::Sequence { items, .. } => *items = children,
            Kind::Mapping { pairs, .. } => {
                *pairs = children.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            }
            _ => {}
        }
        self.finish(id);
    }

    fn push(&mut self, span: Span, tag: Option<String>, anchor: usize, kind: Kind) -> NodeId {
        let id = NodeId(self.document.nodes.len());
        let range = range_of(
            self.offset(span.start.byte_offset()),
            self.offset(span.end.byte_offset()),
        );
        self.document.nodes.push(Node {
            range,
            column: span.start.col(),
            anchor: None,
            tag,
            kind,
        });
        if anchor != 0 {
            self.anchors.push((anchor, id));
        }
        id
    }

    fn finish(&mut self, id: NodeId) {
        match self.open.last_mut() {
            Some(open) => open.children.push(id),
            None => self.document.root = Some(id),
        }
    }

    /// The parser tells an anchor's name right after the node that it stands on.
    fn last_anchored(&self) -> Option<NodeId> {
        self.anchors.last().map(|(_, node)| *node)
    }

    fn offset(&self, offset: Option<usize>) -> usize {
        let at = (self.base + offset.unwrap_or(0)).min(self.end);
        self.text.floor_char_boundary(at)
    }
}

impl Node {
    /// Text without quotes that is exactly this.
    pub(super) fn is_plain(&self, text: &str) -> bool {
        matches!(&self.kind, Kind::Scalar { value, style: Style::Plain } if value == text)
    }

    /// Text without quotes that is written.
    pub(super) fn is_unquoted(&self) -> bool {
        !self.range.is_empty()
            && matches!(
                self.kind,
                Kind::Scalar {
                    style: Style::Plain,
                    ..
                }
            )
    }
}

fn full_name(tag: &Tag) -> String {
    format!("{}{}", tag.handle(), tag.suffix())
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}
