//! From Markdown events to the tree.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use text_size::{TextRange, TextSize};

use super::{
    Block, BlockKind, CodeBlock, CodeSpan, Definition, Destination, Heading, Link, LinkKind, Markdown, commands,
    destinations, mentions, placeholders,
};
use crate::syntax::{
    SkillFile,
    lines::{containing, range_of, size, without_line_end},
};

impl Markdown {
    /// Reads the body of a file, in linear time.
    pub(crate) fn of(file: &SkillFile) -> Markdown {
        let body = file.body.range;
        let tree = Markdown::read(file.slice(body));
        let all = TextRange::up_to(END);
        tree.part(all, Shift::between(TextSize::new(0), body.start()))
            .placed(file)
    }

    /// Reads a text; the ranges count from its start. What the frontmatter has a say in is left out.
    pub(super) fn read(text: &str) -> Markdown {
        let mut builder = Builder::new(text);
        builder.read();
        builder.tree
    }

    /// Every destination that is written: of links and images, and of the labels that others of them name.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = &Destination> {
        let links = self.links.iter().filter(|link| link.kind != LinkKind::Reference);
        let labels = self.definitions.iter().map(|it| &it.destination);
        links.map(|link| &link.destination).chain(labels)
    }

    /// Adds what the frontmatter has a say in, or what is known of all blocks only.
    pub(super) fn placed(mut self, file: &SkillFile) -> Markdown {
        let body = file.body.range;
        self.placeholders = placeholders::find(file);
        self.commands = commands::find(&file.text, body, &self);
        self.mentions = mentions::find(&file.text, body, &self);
        self
    }

    /// The block of code that a place is in.
    pub fn code_block_at(&self, at: TextSize) -> Option<TextRange> {
        containing(&self.code_blocks, at, |it| it.range).map(|it| it.range)
    }

    /// Whether a place stands in code or in a comment.
    pub(crate) fn in_code(&self, at: TextSize) -> bool {
        containing(&self.code_spans, at, |it| it.range).is_some()
            || containing(&self.code_blocks, at, |it| it.range).is_some()
            || containing(&self.comments, at, |it| *it).is_some()
    }

    /// From a heading to the next one that is not below it. Panics unless there is a heading of that index.
    pub fn section(&self, index: usize, file: &SkillFile) -> TextRange {
        let heading = &self.headings[index];
        let next = self.headings[index + 1..]
            .iter()
            .find(|next| next.level <= heading.level);
        TextRange::new(
            heading.range.start(),
            next.map_or(file.body.range.end(), |next| next.range.start()),
        )
    }

    /// What starts in a range, at the places where that text is now; without what [`Markdown::placed`] adds.
    pub(super) fn part(&self, within: TextRange, shift: Shift) -> Markdown {
        Markdown {
            headings: shift.all(&self.headings, within),
            blocks: shift.all(&self.blocks, within),
            links: shift.all(&self.links, within),
            definitions: shift.all(&self.definitions, within),
            code_blocks: shift.all(&self.code_blocks, within),
            code_spans: shift.all(&self.code_spans, within),
            comments: shift.all(&self.comments, within),
            ..Markdown::default()
        }
    }

    /// Adds what comes behind.
    pub(super) fn extend(&mut self, behind: Markdown) {
        self.headings.extend(behind.headings);
        self.blocks.extend(behind.blocks);
        self.links.extend(behind.links);
        self.definitions.extend(behind.definitions);
        self.code_blocks.extend(behind.code_blocks);
        self.code_spans.extend(behind.code_spans);
        self.comments.extend(behind.comments);
    }
}

/// Behind every text: they are limited to 4 GiB.
pub(super) const END: TextSize = TextSize::new(u32::MAX);

/// How far a text was moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    from: TextSize,
    to: TextSize,
}

impl Shift {
    /// What was at the one place is at the other.
    pub(super) fn between(from: TextSize, to: TextSize) -> Shift {
        Shift { from, to }
    }

    /// Where a place is now.
    pub(super) fn of(self, place: TextSize) -> TextSize {
        place - self.from + self.to
    }

    /// The items that start in a range, moved; they are sorted by their starts.
    fn all<T: Placed>(self, items: &[T], within: TextRange) -> Vec<T> {
        let first = items.partition_point(|it| it.start() < within.start());
        let after = items.partition_point(|it| it.start() < within.end());
        let moved = items[first..after].iter().map(|item| {
            let mut item = item.clone();
            item.each_range(|range| *range = TextRange::new(self.of(range.start()), self.of(range.end())));
            item
        });
        moved.collect()
    }
}

/// Something that stands in the text.
trait Placed: Clone {
    fn start(&self) -> TextSize;
    fn each_range(&mut self, change: impl Fn(&mut TextRange));
}

macro_rules! placed {
    ($($kind:ty: $($range:ident).+ $(, $($more:ident).+)*;)*) => {$(
        impl Placed for $kind {
            fn start(&self) -> TextSize {
                self.$($range).+.start()
            }
            fn each_range(&mut self, change: impl Fn(&mut TextRange)) {
                change(&mut self.$($range).+);
                $(change(&mut self.$($more).+);)*
            }
        }
    )*};
}

placed! {
    Heading: range, text_range;
    Block: range;
    Link: range, destination.range;
    Definition: range, destination.range;
    CodeBlock: range, info, content;
    CodeSpan: range, content;
}

impl Placed for TextRange {
    fn start(&self) -> TextSize {
        TextRange::start(*self)
    }
    fn each_range(&mut self, change: impl Fn(&mut TextRange)) {
        change(self);
    }
}

/// Collects the tree while the events go by. Its ranges count from the start of the body.
struct Builder<'a> {
    text: &'a str,
    tree: Markdown,
    /// The blocks that are open, as indices into the tree.
    open: Vec<usize>,
    /// Where the last event with content ended: blank lines behind it belong to no block.
    end: usize,
    /// The heading that is open: it says what comes by.
    heading: Option<Heading>,
    /// Where the first words of the heading start.
    heading_text: Option<usize>,
    /// The code that is open.
    code: Option<CodeBlock>,
    /// The links that are open: an image may stand in a link.
    links: Vec<Link>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Builder<'a> {
        Builder {
            text,
            tree: Markdown::default(),
            open: Vec::new(),
            end: 0,
            heading: None,
            heading_text: None,
            code: None,
            links: Vec::new(),
        }
    }

    fn read(&mut self) {
        // Tables and footnotes as GitHub and the editors show them.
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        let mut events = Parser::new_ext(self.text, options).into_offset_iter();
        let definitions = events.reference_definitions().iter();
        let mut definitions: Vec<Definition> = definitions
            .map(|(_, it)| Definition {
                range: range_of(it.span.start, it.span.end),
                destination: Destination {
                    range: destinations::of_definition(self.text, it.span.clone(), &it.dest),
                    text: it.dest.to_string(),
                },
            })
            .collect();
        definitions.sort_by_key(|it| it.range.start());
        while let Some((event, range)) = events.next() {
            if let Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) = &event
                && let LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut = link_type
            {
                let at = events.reference_definitions().get(id).map(|it| size(it.span.start));
                let at = definitions.binary_search_by_key(&at, |it| Some(it.range.start()));
                if let Some(definition) = at.ok().map(|at| &definitions[at]) {
                    self.links.push(Link {
                        range: range_of(range.start, range.end),
                        kind: LinkKind::Reference,
                        is_image: matches!(event, Event::Start(Tag::Image { .. })),
                        destination: definition.destination.clone(),
                    });
                    continue;
                }
            }
            self.event(event, range.start, range.end);
        }
        self.tree.definitions = definitions;
        // A link ends after the image in it, but starts before.
        self.tree.links.sort_by_key(|it| it.range.start());
    }

    fn event(&mut self, event: Event<'_>, start: usize, end: usize) {
        if self.heading.is_some() {
            self.heading_text.get_or_insert(start);
        }
        match event {
            Event::Start(tag) => return self.start(tag, start, end),
            Event::End(tag) => return self.finish(tag, start, end),
            Event::Code(text) => {
                self.say(&text);
                let source = &self.text[start..end];
                let ticks = source.len() - source.trim_start_matches('`').len();
                let content = if source.len() >= 2 * ticks {
                    range_of(start + ticks, end - ticks)
                } else {
                    range_of(end, end)
                };
                self.tree.code_spans.push(CodeSpan {
                    range: range_of(start, end),
                    content,
                });
            }
            Event::Text(text) => {
                self.say(&text);
                if let Some(code) = &mut self.code {
                    let piece = range_of(start, end);
                    code.content = if code.content.is_empty() {
                        piece
                    } else {
                        code.content.cover(piece)
                    };
                }
            }
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            Event::InlineHtml(_) => self.html(start, end),
            _ => {}
        }
        self.end = end;
    }

    fn start(&mut self, tag: Tag<'_>, start: usize, end: usize) {
        let kind = match tag {
            Tag::Paragraph => BlockKind::Paragraph,
            Tag::Heading { level, .. } => {
                if self.open.is_empty() {
                    self.heading = Some(Heading {
                        level: level as u8,
                        text: String::new(),
                        range: range_of(start, start),
                        text_range: range_of(start, start),
                    });
                }
                BlockKind::Heading
            }
            Tag::BlockQuote(_) => BlockKind::Quote,
            Tag::List(_) => BlockKind::List,
            Tag::Item => BlockKind::Item,
            Tag::Table(_) => BlockKind::Table,
            Tag::FootnoteDefinition(_) => BlockKind::Footnote,
            Tag::HtmlBlock => {
                self.html(start, end);
                BlockKind::Html
            }
            Tag::CodeBlock(kind) => {
                self.code = Some(self.code_block(&kind, start, end));
                BlockKind::Code
            }
            Tag::Link {
                link_type, dest_url, ..
            } => return self.link(link_type, &dest_url, false, start, end),
            Tag::Image {
                link_type, dest_url, ..
            } => return self.link(link_type, &dest_url, true, start, end),
            _ => return,
        };
        self.open.push(self.tree.blocks.len());
        self.tree.blocks.push(Block {
            kind,
            range: range_of(start, end),
        });
    }

    fn finish(&mut self, tag: TagEnd, start: usize, end: usize) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                if let Some(mut link) = self.links.pop() {
                    if link.kind == LinkKind::Inline {
                        let from = if self.end > start {
                            self.end
                        } else {
                            start + 1 + usize::from(link.is_image)
                        };
                        let written = destinations::of_link(self.text, from..end, &link.destination.text);
                        link.destination.range = written;
                    }
                    self.tree.links.push(link);
                }
                self.end = end;
            }
            TagEnd::Paragraph | TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                // An empty item has a marker at least.
                let content_end = if self.end > start { self.end } else { start + 1 };
                self.close(start, content_end.min(end));
            }
            TagEnd::Heading(_) => {
                let content_end = self.end;
                self.close(start, self.trimmed(start, end));
                if let Some(mut heading) = self.heading.take() {
                    let said = self.heading_text.take();
                    let said = said.map_or(self.end..self.end, |from| from..content_end.min(self.end));
                    heading.range = range_of(start, self.end);
                    heading.text_range = range_of(said.start, said.end);
                    heading.text.truncate(heading.text.trim_end().len());
                    self.tree.headings.push(heading);
                }
            }
            TagEnd::CodeBlock => {
                let Some(mut code) = self.code.take() else { return };
                let content = &self.text[code.content];
                let line_end = content.len() - without_line_end(content).len();
                code.content = range_of(code.content.start().into(), usize::from(code.content.end()) - line_end);
                // Code that nothing closes may end in blank lines, which belong to it.
                let code_end = self.trimmed(start, end).max(code.content.end().into());
                code.range = range_of(start, code_end);
                self.tree.code_blocks.push(code);
                self.close(start, code_end);
            }
            TagEnd::HtmlBlock | TagEnd::Table => self.close(start, self.trimmed(start, end)),
            // Emphasis and the like.
            _ => self.end = end,
        }
    }

    /// Closes the block that is open; what comes behind it starts after it.
    fn close(&mut self, start: usize, end: usize) {
        if let Some(block) = self.open.pop() {
            self.tree.blocks[block].range = range_of(start, end);
        }
        self.end = end;
    }

    /// The end without the line ends and spaces before it.
    fn trimmed(&self, start: usize, end: usize) -> usize {
        start + self.text[start..end].trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    /// Adds to the heading that is open.
    fn say(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }

    fn link(&mut self, link_type: LinkType, destination: &str, is_image: bool, start: usize, end: usize) {
        let (kind, range, text) = match link_type {
            LinkType::Autolink => (LinkKind::Autolink, range_of(start + 1, end - 1), destination.to_owned()),
            LinkType::Email => (
                LinkKind::Autolink,
                range_of(start + 1, end - 1),
                format!("mailto:{destination}"),
            ),
            LinkType::Inline => (LinkKind::Inline, range_of(end, end), destination.to_owned()),
            _ => (LinkKind::Reference, range_of(end, end), destination.to_owned()),
        };
        self.links.push(Link {
            range: range_of(start, end),
            kind,
            is_image,
            destination: Destination { range, text },
        });
    }

    fn code_block(&self, kind: &CodeBlockKind<'_>, start: usize, end: usize) -> CodeBlock {
        let source = &self.text[start..end];
        let line = source.find(['\n', '\r']).unwrap_or(source.len());
        let after = match source.as_bytes().get(line..line + 2) {
            Some(b"\r\n") => line + 2,
            _ => (line + 1).min(source.len()),
        };
        let opening = &source[..line];
        let fence = opening.len() - opening.trim_start_matches(['`', '~']).len();
        let info = opening[fence..].trim();
        let info_start = start + fence + (opening[fence..].len() - opening[fence..].trim_start().len());
        let is_fenced = kind.is_fenced();
        let content = if is_fenced { start + after } else { start };
        CodeBlock {
            range: range_of(start, end),
            is_fenced,
            info: if is_fenced {
                range_of(info_start, info_start + info.len())
            } else {
                range_of(start, start)
            },
            content: range_of(content, content),
        }
    }

    fn html(&mut self, start: usize, end: usize) {
        destinations::html(self.text, start..end, &mut self.tree);
    }
}
