//! What follows the frontmatter: the Markdown that a model reads.

use text_size::{TextRange, TextSize};

use super::lines::{lines, range_of};

/// The instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// From the line after the frontmatter to the end of the file.
    pub range: TextRange,
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
