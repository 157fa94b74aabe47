//! Whether a text shows something instead of asking for it.

use text_size::{TextRange, TextSize};

use crate::syntax::SkillFile;

/// Whether a place is in a row of a table, in a sentence that gives an example, or in a section of examples. Whoever
/// writes a skill can say so of anything: no rule about what is dangerous may ask.
pub(super) fn is_example(file: &SkillFile, range: TextRange) -> bool {
    let line = line(file, range.start());
    // `**Example**: …` says the same.
    let lower = line.to_lowercase().replace(['*', '_', '`'], "");
    let is_said = WORDS.iter().any(|word| lower.contains(word));
    is_row(line) || is_said || section(file, range.start()).is_some_and(|title| title.contains("example"))
}

/// Whether a place is in a row of a table.
pub(super) fn is_in_table(file: &SkillFile, range: TextRange) -> bool {
    is_row(line(file, range.start()))
}

/// Whether a place is in a block of code that no shell runs, by what the block says of itself.
pub(super) fn is_in_data(file: &SkillFile, range: TextRange) -> bool {
    let blocks = &file.markdown().code_blocks;
    let behind = blocks.partition_point(|block| block.range.start() <= range.start());
    let block = blocks[..behind]
        .last()
        .filter(|block| block.range.contains_range(range));
    let info = block.map_or("", |block| file.slice(block.info));
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    DATA.contains(&language.to_lowercase().as_str())
}

/// Languages that are no commands.
const DATA: &[&str] = &[
    "json",
    "jsonc",
    "json5",
    "yaml",
    "yml",
    "toml",
    "ini",
    "xml",
    "html",
    "js",
    "javascript",
    "ts",
    "typescript",
    "python",
    "py",
    "rust",
    "go",
    "diff",
    "text",
    "txt",
    "output",
    "log",
];

/// What introduces an example, or something to avoid.
const WORDS: &[&str] = &[
    "e.g.",
    "for example",
    "for instance",
    "such as",
    "example:",
    "examples:",
    "❌",
    "avoid ",
    "don't ",
    "do not ",
    "never ",
    "instead of",
    "wrong:",
    "bad:",
    "placeholder",
    "would be helpful",
    "could be",
    "looks like",
    "something like",
    "illustration",
];

fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line[1..].contains('|')
}

/// The line around a place.
fn line(file: &SkillFile, at: TextSize) -> &str {
    let text = &*file.text;
    let start = usize::from(at) - line_before(file, at).len();
    let at = usize::from(at);
    let to = text.ceil_char_boundary((at + NEAR).min(text.len()));
    let end = text[at..to].find(['\n', '\r']).map_or(to, |end| at + end);
    &text[start..end]
}

/// What stands before a place in its line.
pub(super) fn line_before(file: &SkillFile, at: TextSize) -> &str {
    let at = usize::from(at);
    let from = file.text.floor_char_boundary(at.saturating_sub(NEAR));
    let near = &file.text[from..at];
    near.rsplit(['\n', '\r']).next().unwrap_or(near)
}

/// The title of the section around a place, in lower case.
fn section(file: &SkillFile, at: TextSize) -> Option<String> {
    let headings = &file.markdown().headings;
    let behind = headings.partition_point(|heading| heading.range.start() <= at);
    let title = &headings[..behind].last()?.text;
    Some(title[..title.floor_char_boundary(NEAR)].to_lowercase())
}

/// How many bytes of a long line or title are looked at: there may be many places in it, and each looks.
const NEAR: usize = 400;
