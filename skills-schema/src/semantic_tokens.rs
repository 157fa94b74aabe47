//! What a reader of skills replaces, runs or loads, to be drawn unlike the text around it.

use text_size::{TextRange, TextSize};

use crate::{
    facts::Facts,
    skill_names::{SkillNameKind, skill_names},
    syntax::{MentionKind, PlaceholderKind, SkillFile},
};

/// A piece of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub range: TextRange,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKind {
    /// A placeholder of an argument or an input.
    Argument,
    /// `${CLAUDE_…}`
    Variable,
    /// A command that the file's own reader runs, wherever it stands.
    Command,
    /// The name of a skill.
    Skill,
    /// A file.
    File,
}

/// The tokens of a body: sorted, disjoint, none over the end of a line. Only what the file's own reader replaces or
/// runs is one: an example in code is none where code protects it. `is_skill` knows the skills: in running text any word
/// behind a `/` looks like one.
pub fn tokens(file: &SkillFile, facts: &Facts<'_>, is_skill: impl Fn(&str) -> bool) -> Vec<Token> {
    let tree = file.markdown();
    let mut found: Vec<Token> = Vec::new();
    let arguments = facts.dialect.runtime().arguments;
    if arguments.are_replaced {
        let replaced = tree.placeholders.iter().filter(|it| !it.is_escaped);
        found.extend(replaced.filter_map(|it| {
            let kind = match it.kind {
                PlaceholderKind::Variable => TokenKind::Variable,
                PlaceholderKind::Undeclared => return None,
                PlaceholderKind::Input(_) if !arguments.inputs_are_replaced => return None,
                _ => TokenKind::Argument,
            };
            Some(Token { range: it.range, kind })
        }));
    }
    found.extend(tree.mentions.iter().map(|it| Token {
        range: it.range,
        kind: match it.kind {
            MentionKind::Skill => TokenKind::Skill,
            MentionKind::Attachment | MentionKind::Path => TokenKind::File,
        },
    }));
    let names = skill_names(file).into_iter();
    let known = names.filter(|it| it.kind == SkillNameKind::Mentioned && is_skill(&it.name));
    let inside = known.filter(|it| file.body.range.contains_range(it.range));
    found.extend(inside.map(|it| Token {
        range: it.range,
        kind: TokenKind::Skill,
    }));
    found.sort_by_key(|it| it.range.start());
    let mut inner = found.into_iter().peekable();
    let mut tokens = Vec::new();
    let mut end = file.body.range.start();
    let commands = tree.commands.iter().filter(|it| facts.dialect.runs(it));
    for range in commands.map(|it| it.range) {
        while let Some(token) = inner.next_if(|it| it.range.start() < range.start()) {
            push(&mut tokens, file, token, &mut end);
        }
        // What stands in a command cuts it into pieces.
        let mut at = range.start().max(end);
        while let Some(token) = inner.next_if(|it| it.range.end() <= range.end()) {
            if at < token.range.start() {
                push(
                    &mut tokens,
                    file,
                    command(TextRange::new(at, token.range.start())),
                    &mut end,
                );
            }
            at = at.max(token.range.end());
            push(&mut tokens, file, token, &mut end);
        }
        if at < range.end() {
            push(&mut tokens, file, command(TextRange::new(at, range.end())), &mut end);
        }
    }
    inner.for_each(|token| push(&mut tokens, file, token, &mut end));
    tokens
}

fn command(range: TextRange) -> Token {
    Token {
        range,
        kind: TokenKind::Command,
    }
}

/// Adds a token, line by line. What overlaps the one before it is left out.
fn push(tokens: &mut Vec<Token>, file: &SkillFile, token: Token, end: &mut TextSize) {
    if token.range.start() < *end {
        return;
    }
    *end = token.range.end();
    let pieces = crate::syntax::lines(&file.text, token.range).filter(|line| !line.range.is_empty());
    tokens.extend(pieces.map(|line| Token {
        range: line.range,
        kind: token.kind,
    }));
}
