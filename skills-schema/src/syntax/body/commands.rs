//! What is run when the skill is invoked. Readers disagree: Claude Code runs commands in code too, OpenHands runs them
//! in the middle of a word.

use memchr::memchr;
use text_size::{TextRange, TextSize};

use super::{CodeBlock, CodeSpan, Command, CommandForm, Guard, Markdown};
use crate::syntax::lines::{Passing, range_of, size, without_line_end};

/// How a reader finds the commands of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandScan {
    /// Not at all.
    Nowhere,
    /// Where a space stands before them, in code and comments too. Claude Code 2.1.
    Spaced,
    /// In the middle of a word too, but in no code and behind no backslash, from left to right. OpenHands 1.58.
    Ticks,
    /// Where a space stands before them, and a reader of Markdown sees neither code nor a comment around them.
    Markdown,
    /// Wherever they stand; no blocks. opencode 1.18.
    Anywhere,
}

/// Which scans find a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    spaced: bool,
    ticks: bool,
    markdown: bool,
}

/// Which scans take the backslash before a command for an escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Escapes {
    ticks: bool,
    markdown: bool,
}

impl Command {
    /// Whether a scan finds it.
    pub fn is_found(&self, scan: CommandScan) -> bool {
        match scan {
            CommandScan::Nowhere => false,
            CommandScan::Spaced => self.runs.spaced,
            CommandScan::Ticks => self.runs.ticks,
            CommandScan::Markdown => self.runs.markdown,
            CommandScan::Anywhere => self.form == CommandForm::Inline,
        }
    }

    /// Whether a scan drops the backslash before it and leaves the rest as it is: in Markdown where no code stands around
    /// it.
    pub fn is_escaped(&self, scan: CommandScan) -> bool {
        match scan {
            CommandScan::Ticks => self.escapes.ticks,
            CommandScan::Markdown => self.escapes.markdown,
            _ => false,
        }
    }
}

impl Guard {
    /// What it is, in a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Guard::CodeSpan => "inline code",
            Guard::CodeBlock => "a block of code",
            Guard::Comment => "a comment",
            Guard::Backslash => "a backslash",
        }
    }
}

/// The commands of the body.
pub(super) fn find(text: &str, body: TextRange, tree: &Markdown) -> Vec<Command> {
    let source = &text[body];
    // Most bodies have none.
    if !source.contains("!`") && !source.contains("```!") {
        return Vec::new();
    }
    let mut found = inline(source, body.start(), tree);
    found.extend(blocks(source, body.start(), tree));
    found.sort_by_key(|command| command.range.start());
    found
}

fn inline(source: &str, base: TextSize, tree: &Markdown) -> Vec<Command> {
    let mut read_by_openhands = openhands(source).into_iter().peekable();
    let (mut guards, mut spans) = (Guards::new(tree), Passing::new(&tree.code_spans));
    let mut found = Vec::new();
    // Claude Code looks on behind a command that it runs.
    let mut after = 0;
    for (at, _) in source.match_indices("!`") {
        let start = at + 2;
        let Some(length) = memchr(b'`', &source.as_bytes()[start..]) else {
            break;
        };
        if length == 0 {
            continue;
        }
        let end = start + length + 1;
        let before = source[..at].chars().next_back();
        let stands_alone = before.is_none_or(char::is_whitespace);
        let range = range_of(at, end) + base;
        let around = guards.at(range.start());
        let is_escaped = before == Some('\\');
        let guard = if is_escaped { Some(Guard::Backslash) } else { around };
        while read_by_openhands.next_if(|it| it.at < at).is_some() {}
        let openhands = read_by_openhands.next_if(|it| it.at == at).map(|it| it.is_escaped);
        let claude = stands_alone && at >= after;
        if claude {
            after = end;
        }
        let own = spans.at(range.start() + TextSize::from(1), |it| it.range);
        let is_span = own.is_some_and(|span| span.range == range_of(at + 1, end) + base);
        let runs = Runs {
            spaced: claude,
            ticks: openhands == Some(false),
            markdown: stands_alone && is_span && guard.is_none(),
        };
        if runs == Runs::default() && guard.is_none() {
            continue;
        }
        found.push(Command {
            range,
            text: range_of(start, end - 1) + base,
            form: CommandForm::Inline,
            guard,
            runs,
            escapes: Escapes {
                ticks: openhands == Some(true),
                markdown: is_escaped && around.is_none(),
            },
        });
    }
    found
}

/// Fences with a `!` behind them: blocks of code, and what looks like one in the text of another.
fn blocks(source: &str, base: TextSize, tree: &Markdown) -> Vec<Command> {
    let (mut guards, mut fences) = (Guards::new(tree), Passing::new(&tree.code_blocks));
    let mut found: Vec<Command> = Vec::new();
    for (at, _) in source.match_indices("```!") {
        let start = source[..at].trim_end_matches('`').len();
        let line = source[..start].trim_end_matches([' ', '\t', '>']);
        if found.last().is_some_and(|it| it.range.contains(base + size(at))) {
            continue;
        }
        let here = base + size(start);
        let block = fences.at(here, |it| it.range);
        let (range, text, guard) = match block {
            Some(block) if block.is_fenced && block.range.start() == here => (block.range, block.content, None),
            _ if !line.is_empty() && !line.ends_with(['\n', '\r']) => continue,
            _ => {
                let content = at + source[at..].find('\n').map_or(source.len() - at, |it| it + 1);
                let Some(length) = source[content..].find("```") else {
                    continue;
                };
                let range = range_of(at, content + length + 3) + base;
                let code = without_line_end(&source[content..content + length]).len();
                let text = range_of(content, content + code) + base;
                (range, text, guards.at(here))
            }
        };
        found.push(Command {
            range,
            text,
            form: CommandForm::Block,
            guard,
            runs: Runs {
                spaced: true,
                ticks: false,
                markdown: block.is_some() && guard.is_none(),
            },
            escapes: Escapes::default(),
        });
    }
    found
}

/// What a reader of Markdown takes places for, of which each stands behind the one before.
struct Guards<'a> {
    blocks: Passing<'a, CodeBlock>,
    spans: Passing<'a, CodeSpan>,
    comments: Passing<'a, TextRange>,
}

impl<'a> Guards<'a> {
    fn new(tree: &'a Markdown) -> Guards<'a> {
        Guards {
            blocks: Passing::new(&tree.code_blocks),
            spans: Passing::new(&tree.code_spans),
            comments: Passing::new(&tree.comments),
        }
    }

    /// The code of the command itself starts behind its `!`.
    fn at(&mut self, place: TextSize) -> Option<Guard> {
        if self.blocks.at(place, |it| it.range).is_some() {
            Some(Guard::CodeBlock)
        } else if self.spans.at(place, |it| it.range).is_some() {
            Some(Guard::CodeSpan)
        } else {
            self.comments.at(place, |it| *it).map(|_| Guard::Comment)
        }
    }
}

/// A command that OpenHands 1.58 sees.
struct Seen {
    /// Where its `!` stands.
    at: usize,
    is_escaped: bool,
}

/// The commands that OpenHands 1.58 runs, or takes for escaped. It goes from left to right, takes what comes first of a
/// fence of three backticks up to the next, `` \!`…` ``, `` `…` `` that no `!` precedes, and `` !`…` ``, and goes on behind it.
fn openhands(source: &str) -> Vec<Seen> {
    let bytes = source.as_bytes();
    // The end of a text in backticks that holds something.
    let closed = |open: usize| {
        memchr(b'`', &bytes[open + 1..])
            .filter(|&length| length > 0)
            .map(|it| open + it + 2)
    };
    let mut commands = Vec::new();
    let mut at = 0;
    while let Some(tick) = memchr(b'`', &bytes[at..]).map(|it| at + it) {
        let has_bang = tick > 0 && bytes[tick - 1] == b'!';
        let is_escaped = tick > at + 1 && bytes[tick - 2] == b'\\';
        let text_end = closed(tick);
        at = match text_end {
            Some(end) if has_bang && tick > at => {
                let at = tick - 1;
                commands.push(Seen { at, is_escaped });
                end
            }
            _ if source[tick..].starts_with("```") => {
                source[tick + 3..].find("```").map_or(source.len(), |it| tick + it + 6)
            }
            Some(end) if !has_bang => end,
            _ => tick + 1,
        };
    }
    commands
}
