//! Whether a text shows something instead of asking for it.

use text_size::{TextRange, TextSize};

use crate::syntax::{CodeBlock, SkillFile};

/// Whether a place is in a row of a table, in a sentence that gives an example, below a line that announces one, or in a
/// section of examples. Whoever writes a skill can say so of anything: no rule about what is dangerous may ask.
pub(super) fn is_example(file: &SkillFile, range: TextRange) -> bool {
    let line = line(file, range.start());
    let introduction = introduction(file, range.start());
    is_row(line)
        || says_example(line)
        || introduction.is_some_and(|line| says_example(line) || line.to_lowercase().contains("example"))
        || section(file, range.start()).is_some_and(|title| title.contains("example"))
}

/// Whether a line gives an example: by its words, or since it is titled so.
fn says_example(line: &str) -> bool {
    // `**Example**: …` says the same.
    let lower = line.to_lowercase().replace(['*', '_', '`'], "");
    let title = lower.trim_start_matches([' ', '\t', '-', '+', '#', '>']);
    title.starts_with("example") || WORDS.iter().any(|word| lower.contains(word))
}

/// The line that announces what a place is in: the last one above its block or its list that ends with a colon, with
/// nothing but that block or list between.
fn introduction(file: &SkillFile, at: TextSize) -> Option<&str> {
    let block = block_at(file, at);
    let start = usize::from(block.map_or(at, |block| block.range.start()));
    let from = file.text.floor_char_boundary(start.saturating_sub(FAR));
    let mut lines = file.text[from..start].rsplit('\n').skip(1);
    let own = line(file, at).trim_start();
    let is_item = |line: &str| line.starts_with(['-', '*', '+']) || line.starts_with(|c: char| c.is_ascii_digit());
    if block.is_none() && is_item(own) {
        // The other items of the list, and what belongs to them.
        return lines
            .map(str::trim_end)
            .find(|line| !line.is_empty() && !is_item(line.trim_start()) && !line.starts_with([' ', '\t']))
            .filter(|line| line.ends_with(':'));
    }
    let above = lines.find(|line| !line.trim().is_empty())?.trim_end();
    above.trim_end_matches(['*', '_']).ends_with(':').then_some(above)
}

/// How many bytes above a place are looked at for the line that announces it.
const FAR: usize = 2000;

/// Whether a place is in a row of a table.
pub(super) fn is_in_table(file: &SkillFile, range: TextRange) -> bool {
    is_row(line(file, range.start()))
}

/// Whether a place is in a block of code that no shell runs, by what the block says of itself.
pub(super) fn is_in_data(file: &SkillFile, range: TextRange) -> bool {
    let block = block_at(file, range.start());
    block.is_some_and(|block| DATA.contains(&language(file, block).as_str()))
}

/// Whether a place is in a block of code that does not say that a shell runs it: data, output, or nothing said.
pub(super) fn is_in_other_block(file: &SkillFile, range: TextRange) -> bool {
    let block = block_at(file, range.start());
    block.is_some_and(|block| !SHELLS.contains(&language(file, block).as_str()))
}

/// The block of code around a place.
fn block_at(file: &SkillFile, at: TextSize) -> Option<&CodeBlock> {
    let blocks = &file.markdown().code_blocks;
    let behind = blocks.partition_point(|block| block.range.start() <= at);
    blocks[..behind].last().filter(|block| block.range.contains(at))
}

/// The language that a block names, in lower case; empty where it names none.
fn language(file: &SkillFile, block: &CodeBlock) -> String {
    let info = file.slice(block.info);
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    language[..language.floor_char_boundary(NEAR)].to_lowercase()
}

/// Languages of shells.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "shell",
    "zsh",
    "fish",
    "console",
    "terminal",
    "shellscript",
    "shell-session",
    "powershell",
    "pwsh",
    "ps1",
    "bat",
    "cmd",
    "batch",
    "!",
];

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

/// The line around a place, as far as it is near.
pub(super) fn line(file: &SkillFile, at: TextSize) -> &str {
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
