//! What follows the frontmatter: the Markdown that a model reads.

mod commands;
mod destinations;
mod markdown;
mod mentions;
mod placeholders;
mod typed;

use text_size::{TextRange, TextSize};

use super::lines::{lines, range_of};

pub use commands::CommandScan;

/// The instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// From the line after the frontmatter to the end of the file.
    pub range: TextRange,
}

/// The tree of the body. Every list is in the order of the text; every range lies in the body, on character boundaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    /// The headings that stand in no list or quote: they divide the body into sections.
    pub headings: Vec<Heading>,
    /// Everything that takes lines of its own, the outer before the inner.
    pub blocks: Vec<Block>,
    /// Links and images of every spelling.
    pub links: Vec<Link>,
    /// `[label]: destination`.
    pub definitions: Vec<Definition>,
    /// Fenced and indented code.
    pub code_blocks: Vec<CodeBlock>,
    /// Code inside a line.
    pub code_spans: Vec<CodeSpan>,
    /// `<!-- … -->`; up to the end where nothing closes it.
    pub comments: Vec<TextRange>,
    /// What is replaced when the skill is invoked.
    pub placeholders: Vec<Placeholder>,
    /// What some reader runs when the skill is invoked. Two may overlap, where readers disagree on what is a command.
    pub commands: Vec<Command>,
    /// Files and skills that are named without a link.
    pub mentions: Vec<Mention>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// What it says, without markup.
    pub text: String,
    /// Its line, or both where it is underlined, without the line end.
    pub range: TextRange,
    /// What it says, as written; empty for an empty heading.
    pub text_range: TextRange,
}

/// Something that takes lines of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// From its first character to its last, without blank lines behind it.
    pub range: TextRange,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A paragraph.
    Paragraph,
    /// A heading.
    Heading,
    /// `> …`
    Quote,
    /// A list.
    List,
    /// An item of a list.
    Item,
    /// A table.
    Table,
    /// Code.
    Code,
    /// Raw HTML, comments too.
    Html,
    /// The text of a footnote.
    Footnote,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// All of it; of raw HTML the tag.
    pub range: TextRange,
    /// How it is written.
    pub kind: LinkKind,
    /// It shows an image.
    pub is_image: bool,
    /// Where it leads.
    pub destination: Destination,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](destination)`
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`: the destination stands in the definition.
    Reference,
    /// `<https://…>`
    Autolink,
    /// `<a href="…">` or `<img src="…">`
    Html,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The destination as written, without the brackets or quotes around it; empty where there is none.
    pub range: TextRange,
    /// What it reads as: escapes and entities resolved, `mailto:` before an address.
    pub text: String,
}

/// `[label]: destination`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// All of it.
    pub range: TextRange,
    /// Where it leads.
    pub destination: Destination,
}

/// Code in lines of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// With its fences, without the line end.
    pub range: TextRange,
    /// It has fences; other code is indented.
    pub is_fenced: bool,
    /// What stands behind the opening fence; empty where nothing does.
    pub info: TextRange,
    /// The code, without the last line end.
    pub content: TextRange,
}

/// Code inside a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSpan {
    /// With its backticks.
    pub range: TextRange,
    /// Between the backticks.
    pub content: TextRange,
}

/// What is replaced when the skill is invoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// From the `$` on.
    pub range: TextRange,
    /// What replaces it.
    pub kind: PlaceholderKind,
    /// A backslash before it keeps it as it is.
    pub is_escaped: bool,
}

/// What replaces a placeholder. Claude Code 2.1.210.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// `$ARGUMENTS`: all that was typed.
    Arguments,
    /// `$ARGUMENTS[N]` or `$N`: the argument of that index, counted from 0.
    Index(usize),
    /// `$name`: the argument that is declared at this index under `arguments`.
    Named(usize),
    /// `$name` that is not declared, where others are: it stays as it is.
    Undeclared,
    /// `${CLAUDE_…}`: the folder of the skill, the session and the like.
    Variable,
    /// `${name}` of the input that is declared at this index under `inputs`.
    Input(usize),
}

/// What some reader runs when the skill is invoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// All of it, which the output replaces.
    pub range: TextRange,
    /// What is run.
    pub text: TextRange,
    /// How it is written.
    pub form: CommandForm,
    /// What keeps it from running where a reader follows that.
    pub guard: Option<Guard>,
    runs: commands::Runs,
    escapes: commands::Escapes,
}

/// How a command is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// `` !`command` ``
    Inline,
    /// ```` ```! ```` and lines
    Block,
}

/// What marks a command as an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It stands in code inside a line.
    CodeSpan,
    /// It stands in a block of code.
    CodeBlock,
    /// It stands in a comment.
    Comment,
    /// A backslash stands before it.
    Backslash,
}

/// A file or a skill that is named without a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// What is named: the path without its `@`, the skill without its `/`.
    pub range: TextRange,
    /// What it is.
    pub kind: MentionKind,
}

/// What a mention names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    /// `@path`: Claude Code adds the file.
    Attachment,
    /// `` `path/to/file` ``
    Path,
    /// `` `/skill-name` ``
    Skill,
}

impl Body {
    /// The body behind `start`, which is the end of the frontmatter's last line or the start of the text.
    pub(crate) fn new(text: &str, start: TextSize) -> Body {
        let rest = TextRange::new(start, TextSize::of(text));
        // The rest of the closing line is no instruction.
        let first = lines(text, rest)
            .next()
            .filter(|line| line.is_blank(text) && !line.full.is_empty());
        let start = first
            .filter(|_| usize::from(start) > 0)
            .map_or(start, |line| line.full.end());
        Body {
            range: TextRange::new(start, TextSize::of(text)),
        }
    }

    /// The first paragraph that is neither a heading nor a fence, rule or comment. Readers show it where there is no
    /// description.
    pub fn first_paragraph(&self, text: &str) -> Option<TextRange> {
        let mut paragraph: Option<TextRange> = None;
        for line in lines(text, self.range) {
            let content = line.text(text).trim();
            let is_structure = ["#", "```", "~~~", "---", "===", "***", "<!--"]
                .iter()
                .any(|it| content.starts_with(it));
            match paragraph {
                _ if content.is_empty() || is_structure => {
                    if paragraph.is_some() {
                        break;
                    }
                }
                None => {
                    let start =
                        usize::from(line.range.start()) + (line.text(text).len() - line.text(text).trim_start().len());
                    paragraph = Some(range_of(start, start + content.len()));
                }
                Some(range) => {
                    let end = usize::from(line.range.start()) + line.text(text).trim_end().len();
                    paragraph = Some(range_of(range.start().into(), end));
                }
            }
        }
        paragraph
    }
}
