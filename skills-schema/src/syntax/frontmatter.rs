//! Where the frontmatter starts and ends.

use text_size::{TextRange, TextSize};

use super::{
    Frontmatter,
    lines::{Line, lines, range_of},
    recover,
};

/// Finds and reads the frontmatter. An unclosed one ends where YAML plausibly does.
pub(super) fn parse(text: &str) -> Option<Frontmatter> {
    let start = byte_order_mark(text);
    let whole = TextRange::new(start, TextSize::of(text));
    let mut rest = lines(text, whole).skip_while(|line| line.is_blank(text));
    let opening = rest.next().filter(|line| is_delimiter(line, text))?;
    let leading = TextRange::new(start, opening.range.start());
    let open = TextRange::at(opening.range.start(), TextSize::from(3));

    let content_start = opening.full.end();
    let after = TextRange::new(content_start, TextSize::of(text));
    let closing = lines(text, after).find(|line| is_delimiter(line, text));
    let (content, close) = match closing {
        Some(line) => {
            let close = TextRange::at(line.range.start(), TextSize::from(3));
            (TextRange::new(content_start, line.range.start()), Some(close))
        }
        None => (TextRange::new(content_start, end_of_unclosed(text, after)), None),
    };
    let tree = recover::parse(text, content);
    Some(Frontmatter {
        range: TextRange::new(open.start(), close.map_or(content.end(), |it| it.end())),
        leading: (!leading.is_empty()).then_some(leading),
        open,
        close,
        content,
        entries: tree.entries,
        comments: tree.comments,
        errors: tree.errors,
    })
}

/// A whole text as the content of a frontmatter.
pub(super) fn of_data(text: &str) -> Frontmatter {
    let content = TextRange::new(byte_order_mark(text), TextSize::of(text));
    let tree = recover::parse(text, content);
    Frontmatter {
        range: content,
        leading: None,
        open: TextRange::empty(content.start()),
        close: None,
        content,
        entries: tree.entries,
        comments: tree.comments,
        errors: tree.errors,
    }
}

/// The length of the byte order mark at the start of a text.
pub(super) fn byte_order_mark(text: &str) -> TextSize {
    TextSize::from(if text.starts_with('\u{feff}') { 3 } else { 0 })
}

/// `---` and perhaps spaces.
fn is_delimiter(line: &Line, text: &str) -> bool {
    line.text(text).strip_prefix("---").is_some_and(super::lines::is_blank)
}

/// Where the frontmatter ends if nobody closed it: before the first line that looks like Markdown.
pub(crate) fn end_of_unclosed(text: &str, range: TextRange) -> TextSize {
    let mut end = range.start();
    let mut after_blank = false;
    for line in lines(text, range) {
        if line.is_blank(text) {
            after_blank = true;
            continue;
        }
        if !looks_like_yaml(line.text(text), after_blank) {
            break;
        }
        after_blank = false;
        end = line.full.end();
    }
    end
}

/// Behind a blank line only a lower-case key goes on: prose such as `Note: …` is Markdown.
fn looks_like_yaml(line: &str, after_blank: bool) -> bool {
    if line.starts_with(' ') || line.starts_with('\t') {
        return true;
    }
    if after_blank {
        return key_length(line)
            .is_some_and(|length| !line[..length].contains(|c: char| c.is_ascii_uppercase() || c == ' '));
    }
    line.starts_with('#') || line.starts_with("- ") || key_length(line).is_some()
}

/// The length of the key of a `key: value` line whose key is a plain word or two.
pub(crate) fn key_length(line: &str) -> Option<usize> {
    let colon = line.find(':')?;
    let key = &line[..colon];
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '"' | '\'');
    let ends_well = line[colon + 1..].chars().next().is_none_or(|c| c == ' ' || c == '\t');
    (!key.is_empty() && key.len() <= 64 && ends_well && key.chars().all(is_word)).then_some(colon)
}

/// The first line that holds anything, without its line end; empty for an empty text.
pub(crate) fn first_line(text: &str) -> TextRange {
    let whole = range_of(byte_order_mark(text).into(), text.len());
    lines(text, whole)
        .find(|line| !line.is_blank(text))
        .map_or(range_of(whole.start().into(), whole.start().into()), |it| it.range)
}
