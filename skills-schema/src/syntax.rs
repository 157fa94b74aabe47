//! The tree of one skill file: error-tolerant, with byte ranges into the source text.

mod body;
pub(crate) mod declared;
mod frontmatter;
mod lines;
mod part;
mod recover;
mod scan;
mod yaml;

use std::sync::{Arc, OnceLock};

use text_size::{TextRange, TextSize};

pub use body::{
    Block, BlockKind, Body, CodeBlock, CodeSpan, Command, CommandForm, CommandScan, Definition, Destination, Guard,
    Heading, Link, LinkKind, Markdown, Mention, MentionKind, Placeholder, PlaceholderKind,
};
pub(crate) use frontmatter::{end_of_unclosed, first_line, key_length};
pub(crate) use lines::{Line, lines, range_of};
use part::Places;
pub(crate) use scan::value_colon;

/// One parsed file. Every range in it lies inside `text`, on character boundaries.
#[derive(Clone, Debug)]
pub struct SkillFile {
    /// The source, as it was given.
    pub text: Arc<str>,
    /// The block between the `---` lines, where there is one.
    pub frontmatter: Option<Frontmatter>,
    /// What follows the frontmatter: the instructions.
    pub body: Body,
    markdown: OnceLock<Arc<Markdown>>,
    /// The text that this one was typed from, or an older one whose tree is known.
    earlier: Option<Earlier>,
}

/// A text whose tree was made.
#[derive(Clone, Debug)]
struct Earlier {
    text: Arc<str>,
    body: Body,
    markdown: Arc<Markdown>,
}

/// The longest frontmatter that is read, in bytes. Those that people write end below 4 KiB; each byte costs in every
/// rule and every reader's verdict, at every key.
pub const MAX_FRONTMATTER: usize = 32 << 10;

/// The YAML block at the top of a file.
#[derive(Clone, Debug)]
pub struct Frontmatter {
    /// From the opening `---` to the end of the closing one, or of the content where that is missing.
    pub range: TextRange,
    /// Blank lines before the opening `---`, which most readers do not accept.
    pub leading: Option<TextRange>,
    /// The opening `---`, without trailing spaces.
    pub open: TextRange,
    /// The closing `---`; `None` where nothing closes the block.
    pub close: Option<TextRange>,
    /// The lines between the two.
    pub content: TextRange,
    /// The top-level entries in source order; a key that is given twice is there twice.
    pub entries: Vec<Entry>,
    /// Every `# comment`.
    pub comments: Vec<TextRange>,
    /// What could not be read, in source order. Entries beside the broken one are intact.
    pub errors: Vec<SyntaxError>,
}

/// `key: value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// From the key to the end of the value.
    pub range: TextRange,
    /// The key.
    pub key: Scalar,
    /// The `:`; `None` while the key is still being typed.
    pub colon: Option<TextRange>,
    /// The value; [`NodeKind::Null`] where there is none.
    pub value: Node,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value's text with its quotes, brackets or block indicator; empty where there is no value.
    pub range: TextRange,
    /// `&name` before the value.
    pub anchor: Option<TextRange>,
    /// `!tag` before the value.
    pub tag: Option<TextRange>,
    /// What the value is.
    pub kind: NodeKind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// No value is written.
    Null,
    /// Text, a number or a boolean: see [`Scalar::value`] and [`Scalar::style`].
    Scalar(Scalar),
    /// `- item` lines or `[a, b]`.
    Sequence(Vec<Node>),
    /// Nested `key: value` lines or `{a: b}`.
    Mapping(Vec<Entry>),
    /// `*name`. Never expanded.
    Alias(Alias),
    /// Text that is no YAML; a [`SyntaxError`] says why.
    Invalid,
}

/// A scalar: one piece of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The text as written, with its quotes or block indicator.
    pub range: TextRange,
    /// The text as YAML reads it: escapes resolved, lines folded.
    pub value: String,
    /// How it is written.
    pub style: Style,
    /// Where each character of the value is written.
    places: Places,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// `*name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name, without the star.
    pub name: String,
    /// An anchor of that name stands before it.
    pub resolved: bool,
}

/// A place where the frontmatter is no YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The characters that are wrong.
    pub range: TextRange,
    /// What a repair would rewrite: the whole value, mostly.
    pub subject: TextRange,
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// One sentence that says what is wrong and names the way out.
    pub message: String,
}

/// What is wrong, as far as a repair needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// `: ` in a value without quotes.
    UnquotedColon,
    /// `key:value`.
    MissingSpace,
    /// A line that is neither `key: value` nor part of a value.
    MissingColon,
    /// A tab where YAML wants spaces.
    Tab,
    /// A value that starts with a character which means something else in YAML.
    Reserved,
    /// A quote that nothing closes.
    UnclosedQuote,
    /// A bracket that nothing closes.
    UnclosedBracket,
    /// Text after a closing quote or bracket.
    TextAfterValue,
    /// Text after `|` or `>`.
    TextAfterBlockIndicator,
    /// A backslash in double quotes that starts no known escape.
    Escape,
    /// `[mark]key: value`.
    Prefix,
    /// A line that is indented unlike its neighbours.
    Indentation,
    /// The block holds a list or a text instead of `key: value` lines.
    NotMapping,
    /// The block is longer than [`MAX_FRONTMATTER`]: nothing of it is read.
    TooLong,
    /// Anything else.
    Other,
}

impl SkillFile {
    /// Reads any text, in linear time; what is broken is in [`Frontmatter::errors`].
    ///
    /// Texts are limited to 4 GiB (offsets are 32-bit).
    pub fn parse(text: Arc<str>) -> SkillFile {
        let frontmatter = frontmatter::parse(&text);
        let start = frontmatter
            .as_ref()
            .map_or(frontmatter::byte_order_mark(&text), |it| it.range.end());
        let body = Body::new(&text, start);
        SkillFile {
            text,
            frontmatter,
            body,
            markdown: OnceLock::new(),
            earlier: None,
        }
    }

    /// Reads a text that is data as a whole, YAML or JSON: its entries stand where those of a frontmatter do, and the
    /// body is empty.
    pub fn parse_data(text: Arc<str>) -> SkillFile {
        let frontmatter = frontmatter::of_data(&text);
        let body = Body::new(&text, frontmatter.range.end());
        SkillFile {
            text,
            frontmatter: Some(frontmatter),
            body,
            markdown: OnceLock::new(),
            earlier: None,
        }
    }

    /// Remembers the text that this one was typed from: of the tree of the body, what is still the same is taken over from
    /// there, which is sooner done than to read it again.
    pub fn follow(&mut self, earlier: &SkillFile) {
        self.earlier = match earlier.markdown.get() {
            Some(markdown) => Some(Earlier {
                text: earlier.text.clone(),
                body: earlier.body,
                markdown: markdown.clone(),
            }),
            // Nobody has asked for it since.
            None => earlier.earlier.clone(),
        };
    }

    /// The first top-level entry with that key.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key.value == name)
    }

    /// All top-level entries; none without frontmatter.
    pub fn entries(&self) -> &[Entry] {
        self.frontmatter.as_ref().map_or(&[], |it| &it.entries)
    }

    /// What could not be read.
    pub fn errors(&self) -> &[SyntaxError] {
        self.frontmatter.as_ref().map_or(&[], |it| &it.errors)
    }

    /// The frontmatter is longer than [`MAX_FRONTMATTER`], so that nothing is known of it.
    pub fn is_too_long(&self) -> bool {
        self.errors()
            .first()
            .is_some_and(|error| error.kind == SyntaxErrorKind::TooLong)
    }

    /// The tree of the body. It is made when somebody first asks for it: what only lists skills never pays for it.
    pub fn markdown(&self) -> &Markdown {
        self.markdown.get_or_init(|| {
            let earlier = self.earlier.as_ref();
            let typed = earlier.and_then(|it| Markdown::typed(&it.markdown, &it.text[it.body.range], it.body, self));
            Arc::new(typed.unwrap_or_else(|| Markdown::of(self)))
        })
    }

    /// The source text of a range of this file.
    pub fn slice(&self, range: TextRange) -> &str {
        &self.text[range]
    }
}

impl Node {
    /// A node without anchor and tag. A collection covers what is in it, wherever its own end was seen.
    pub(crate) fn new(range: TextRange, kind: NodeKind) -> Node {
        let inside = match &kind {
            NodeKind::Sequence(items) => items.first().zip(items.last()).map(|(a, b)| a.range.cover(b.range)),
            NodeKind::Mapping(entries) => entries.first().zip(entries.last()).map(|(a, b)| a.range.cover(b.range)),
            _ => None,
        };
        Node {
            range: inside.map_or(range, |inside| range.cover(inside)),
            anchor: None,
            tag: None,
            kind,
        }
    }

    /// The scalar, where it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar that is not null.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar()
            .filter(|scalar| !scalar.is_null())
            .map(|scalar| scalar.value.as_str())
    }

    /// No value, or a text of nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.is_null() || self.as_str().is_some_and(|text| text.trim().is_empty())
    }

    /// No value, or one of the spellings of null.
    pub fn is_null(&self) -> bool {
        match &self.kind {
            NodeKind::Null => true,
            NodeKind::Scalar(scalar) => scalar.is_null(),
            _ => false,
        }
    }

    /// `true` and `false`, and `yes`, `no`, `on`, `off`, `1`, `0` in any case, as Claude Code 2.1.218 reads them.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_scalar()?.value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    /// The entries of a mapping; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            NodeKind::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a sequence; none for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Sequence(items) => items,
            _ => &[],
        }
    }

    /// The value of the first entry with that key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|entry| entry.key.value == key)
            .map(|entry| &entry.value)
    }
}

impl Scalar {
    /// A scalar as it stands in a text.
    pub(crate) fn new(range: TextRange, value: String, style: Style) -> Scalar {
        let places = Places::default();
        Scalar {
            range,
            value,
            style,
            places,
        }
    }

    /// `null`, `~` or nothing, without quotes.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.value.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// The range between the quotes; the whole range of an unquoted scalar.
    pub fn inner(&self) -> TextRange {
        let quoted = matches!(self.style, Style::SingleQuoted | Style::DoubleQuoted);
        if quoted && self.range.len() >= TextSize::from(2) {
            TextRange::new(
                self.range.start() + TextSize::from(1),
                self.range.end() - TextSize::from(1),
            )
        } else {
            self.range
        }
    }
}
