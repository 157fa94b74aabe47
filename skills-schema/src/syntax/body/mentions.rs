//! Files and skills that are named without a link.

use text_size::TextRange;

use super::{Markdown, Mention, MentionKind};
use crate::syntax::lines::range_of;

/// The mentions of the body: in backticks, and with an `@` outside of code.
pub(super) fn find(text: &str, body: TextRange, tree: &Markdown) -> Vec<Mention> {
    let mut found: Vec<Mention> = tree
        .code_spans
        .iter()
        .filter_map(|span| in_backticks(text, span.content))
        .collect();
    found.extend(attachments(text, body, tree));
    found.sort_by_key(|mention| mention.range.start());
    found
}

/// A code span that is a path or the name of a skill and nothing else.
fn in_backticks(text: &str, content: TextRange) -> Option<Mention> {
    let (start, source) = (usize::from(content.start()), &text[content]);
    let mention = |from: usize, kind| Mention {
        range: range_of(start + from, start + source.len()),
        kind,
    };
    if source.strip_prefix('/').is_some_and(is_skill_name) {
        Some(mention(1, MentionKind::Skill))
    } else if source.contains('/') && is_path(source) && has_extension(source) && !source.starts_with('@') {
        Some(mention(0, MentionKind::Path))
    } else {
        None
    }
}

fn attachments<'a>(text: &'a str, body: TextRange, tree: &'a Markdown) -> impl Iterator<Item = Mention> + 'a {
    let base = usize::from(body.start());
    let source = &text[body];
    source.match_indices('@').filter_map(move |(at, _)| {
        let starts = source[..at]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || c == '(');
        if !starts {
            return None;
        }
        let path = source[at + 1..]
            .split(|c: char| c.is_whitespace() || "`'\"<>()[]{},;".contains(c))
            .next()?;
        let path = path.trim_end_matches(['.', ':', '!', '?']);
        let range = range_of(base + at + 1, base + at + 1 + path.len());
        let wanted = is_path(path) && has_extension(path) && !tree.in_code(range.start());
        wanted.then_some(Mention {
            range,
            kind: MentionKind::Attachment,
        })
    })
}

/// `name` or `plugin:name`.
fn is_skill_name(text: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text.len() <= 129 && text.split(':').count() <= 2 && text.split(':').all(is_word)
}

/// A path of one file: no pattern, variable, address or command.
fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 1024
        && !text.contains("://")
        && text.chars().all(|c| c.is_alphanumeric() || "/._-+~@".contains(c))
}

/// The last part ends like a file's name: a dot, and a few letters or digits behind it.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_extension = (1..=8).contains(&extension.len()) && extension.bytes().all(|it| it.is_ascii_alphanumeric());
        !stem.is_empty() && is_extension && extension.bytes().any(|it| it.is_ascii_alphabetic())
    })
}
