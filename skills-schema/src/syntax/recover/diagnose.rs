//! What exactly is wrong with one entry that the YAML parser refuses, and what it most likely means.

use granit_parser::ErrorKind;
use text_size::{TextRange, TextSize};

use crate::syntax::{
    Entry, Node, NodeKind, Scalar, Style, SyntaxError, SyntaxErrorKind as Kind,
    lines::{Line, lines, range_of},
    recover::{self, Piece, Tree},
    scan::{
        bad_escape, blanks, flow_end, flow_item_end, folded, is_key, is_lower_key, key, quoted_length, trimmed,
        value_colon,
    },
    yaml,
};

/// Where the parser stopped, and why.
type Stop = (usize, ErrorKind);

/// Reads a broken entry as far as it goes and says why not further.
pub(super) fn entry(text: &str, piece: Piece, stop: Option<Stop>, tree: &mut Tree) -> Vec<Entry> {
    let Some(line) = content_line(text, piece.range) else {
        return Vec::new();
    };
    let start = key_start(text, &line, piece);
    let rest = &text[start..line.range.end().into()];
    if let Some(tab) = leading_tab(text, &line) {
        tree.error(Kind::Tab, tab, piece.range, "a tab cannot indent YAML; use spaces");
        return Vec::new();
    }
    match key(rest, start) {
        Some((key, colon)) => {
            let entry = Broken {
                text,
                piece,
                line,
                stop,
            }
            .value_of(key, colon, tree);
            vec![entry]
        }
        None => stray(text, piece, &line, start, stop, tree),
    }
}

/// A broken `- item`: its first entry, where it is a mapping, or its text.
pub(super) fn item(text: &str, piece: Piece, stop: Stop, tree: &mut Tree) -> Node {
    let whole = trimmed(text, piece.range);
    let Some(line) = content_line(text, piece.range) else {
        return Node::new(whole, NodeKind::Invalid);
    };
    let start = key_start(text, &line, piece);
    let rest = &text[start..line.range.end().into()];
    if key(rest, start).is_some() && recover::may_recurse(tree) {
        tree.depth += 1;
        let first_end = lines(text, piece.range)
            .skip_while(|it| it.range.start() <= line.range.start())
            .find(|it| !it.is_blank(text) && it.indent(text) <= piece.indent)
            .map_or(usize::from(piece.range.end()), |it| it.range.start().into());
        let first = Piece {
            range: range_of(piece.range.start().into(), first_end),
            ..piece
        };
        let mut entries = recover::piece_entries(text, first, tree);
        entries.extend(recover::entries(
            text,
            range_of(first_end, piece.range.end().into()),
            piece.indent,
            tree,
        ));
        tree.depth -= 1;
        return Node::new(range_of(start, whole.end().into()), NodeKind::Mapping(entries));
    }
    Broken {
        text,
        piece,
        line,
        stop: Some(stop),
    }
    .node(start, tree)
}

/// Where the key of a piece stands; a line that belongs to it by mistake may be shorter, or hold anything there.
fn key_start(text: &str, line: &Line, piece: Piece) -> usize {
    let column = (usize::from(line.range.start()) + piece.indent).min(line.range.end().into());
    text.floor_char_boundary(column)
}

/// An entry that can be read, but stands left of its neighbours.
pub(super) fn unlike_neighbours(text: &str, piece: Piece, tree: &mut Tree) {
    if let Some(line) = content_line(text, piece.range) {
        let range = trimmed(text, line.range);
        tree.error(
            Kind::Indentation,
            range,
            line.range,
            "indentation differs from the lines above",
        );
    }
}

/// An entry whose key is known and whose value the parser refused.
struct Broken<'a> {
    text: &'a str,
    piece: Piece,
    line: Line,
    stop: Option<Stop>,
}

impl Broken<'_> {
    fn value_of(&self, key: Scalar, colon: TextRange, tree: &mut Tree) -> Entry {
        let at: usize = colon.end().into();
        if !self.text[at..self.line.range.end().into()].starts_with([' ', '\t']) && colon.end() < self.line.range.end()
        {
            return self.missing_space(key, colon, tree);
        }
        let node = self.node(at, tree);
        yaml::entry(key, Some(colon), node)
    }

    /// The value that stands behind `at`: on this line or on the next ones.
    fn node(&self, at: usize, tree: &mut Tree) -> Node {
        let text = self.text;
        let start = at + blanks(&text[at..self.line.range.end().into()]);
        let value = trimmed(text, range_of(start, self.piece.range.end().into()));
        let rest = &text[start..self.line.range.end().into()];
        let mut characters = rest.chars();
        match (characters.next(), characters.next()) {
            (None | Some('#'), _) => self.nested(tree),
            (Some(quote @ ('"' | '\'')), _) => self.quoted(value, quote, tree),
            (Some('[' | '{'), _) => self.flow(value, tree),
            (Some('|' | '>'), _) => self.block_scalar(value, tree),
            (Some('@' | '`' | '%' | ',' | ']' | '}'), _) | (Some('&' | '*' | '!'), _) => self.reserved(value, tree),
            (Some('-'), Some(' ') | None) => {
                let message = "a list starts on the line below its key; put the `-` there";
                tree.error(Kind::Other, range_of(start, start + 1), value, message);
                Node::new(value, NodeKind::Invalid)
            }
            _ => self.plain(value, tree),
        }
    }

    fn missing_space(&self, key: Scalar, colon: TextRange, tree: &mut Tree) -> Entry {
        let value = trimmed(self.text, range_of(colon.end().into(), self.piece.range.end().into()));
        let message = format!("YAML needs a space after `{}:`", key.value);
        tree.error(Kind::MissingSpace, key.range.cover(colon), colon, &message);
        let node = yaml::read(self.text, value)
            .root
            .unwrap_or_else(|| Node::new(value, NodeKind::Invalid));
        yaml::entry(key, Some(colon), node)
    }

    /// The block below a key that has nothing behind it.
    fn nested(&self, tree: &mut Tree) -> Node {
        let text = self.text;
        let below = range_of(self.line.full.end().into(), self.piece.range.end().into());
        let Some(first) = content_line(text, below) else {
            return self.elsewhere(trimmed(text, self.line.range), tree);
        };
        let value = trimmed(text, below);
        if let Some(tab) = lines(text, below).find_map(|line| leading_tab(text, &line)) {
            tree.error(Kind::Tab, tab, below, "a tab cannot indent YAML; use spaces");
            return Node::new(value, NodeKind::Invalid);
        }
        let indent = first.indent(text);
        let start = usize::from(first.range.start()) + indent;
        let content = &text[start..first.range.end().into()];
        let is_item = recover::is_item(content);
        if !recover::may_recurse(tree) {
            return self.elsewhere(value, tree);
        }
        // `Mends "type": "module"` is a sentence.
        let is_entry = key(content, start).is_some_and(|(key, _)| key.value.split_whitespace().count() <= 3)
            || mark_before_key(text, range_of(start, first.range.end().into())).is_some();
        if !is_item && !is_entry {
            return self.plain(range_of(start, value.end().into()), tree);
        }
        let errors = tree.errors.len();
        tree.depth += 1;
        let kind = if is_item {
            NodeKind::Sequence(recover::items(text, below, indent, tree))
        } else {
            NodeKind::Mapping(recover::entries(text, below, indent, tree))
        };
        tree.depth -= 1;
        if tree.errors.len() == errors {
            self.elsewhere(value, tree);
        }
        Node::new(range_of(start, value.end().into()), kind)
    }

    fn quoted(&self, value: TextRange, quote: char, tree: &mut Tree) -> Node {
        let text = self.text;
        let start = usize::from(value.start());
        let Some(length) = quoted_length(&text[value], quote) else {
            let line_end = lines(text, value).next().map_or(value, |line| line.range).end();
            let message = format!("unclosed `{quote}`; add one at the end of the value");
            tree.error(Kind::UnclosedQuote, range_of(start, line_end.into()), value, &message);
            return Node::new(value, NodeKind::Invalid);
        };
        let after = trimmed(text, range_of(start + length, value.end().into()));
        if !after.is_empty() && !text[after].starts_with('#') {
            let range = lines(text, after).next().map_or(after, |line| line.range);
            let message = format!("text after the closing `{quote}`; quote the whole value");
            tree.error(Kind::TextAfterValue, range, value, &message);
            return Node::new(value, NodeKind::Invalid);
        }
        if quote == '"'
            && let Some(at) = bad_escape(&text[value])
        {
            let escape: String = text[start + at..].chars().take(2).collect();
            let message = format!("invalid escape `{escape}`; write `\\{escape}` or use single quotes");
            tree.error(
                Kind::Escape,
                range_of(start + at, start + at + escape.len()),
                value,
                &message,
            );
            return Node::new(value, NodeKind::Invalid);
        }
        self.elsewhere(value, tree)
    }

    fn flow(&self, value: TextRange, tree: &mut Tree) -> Node {
        let text = self.text;
        let start = usize::from(value.start());
        let node = Node::new(value, NodeKind::Invalid);
        match flow_end(&text[value]) {
            Err((at, bracket)) => {
                let message = format!("unclosed `{bracket}`");
                tree.error(
                    Kind::UnclosedBracket,
                    range_of(start + at, start + at + 1),
                    value,
                    &message,
                );
            }
            Ok(length) => {
                let after = trimmed(text, range_of(start + length, value.end().into()));
                if after.is_empty() || text[after].starts_with('#') {
                    return self.elsewhere(value, tree);
                }
                let message = "text after the closing bracket; quote the whole value";
                tree.error(Kind::TextAfterValue, after, value, message);
            }
        }
        node
    }

    fn block_scalar(&self, value: TextRange, tree: &mut Tree) -> Node {
        let first = lines(self.text, value).next().map_or(value, |line| line.range);
        let header = &self.text[first];
        let length = 1 + header[1..]
            .bytes()
            .take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9'))
            .count();
        let blank = blanks(&header[length..]);
        let rest = header[length + blank..].trim_end_matches([' ', '\t']);
        if rest.is_empty() || (blank > 0 && rest.starts_with('#')) {
            return self.elsewhere(value, tree);
        }
        let at = usize::from(first.start()) + length + blank;
        let message = format!("text after `{}`; start it on the next line", &header[..length]);
        tree.error(
            Kind::TextAfterBlockIndicator,
            range_of(at, at + rest.len()),
            value,
            &message,
        );
        Node::new(value, NodeKind::Invalid)
    }

    fn reserved(&self, value: TextRange, tree: &mut Tree) -> Node {
        let start = usize::from(value.start());
        let token = &self.text[value];
        let length = match token.chars().next() {
            Some('&' | '*' | '!') => token.find([' ', '\t', '\r', '\n', ',']).unwrap_or(token.len()),
            first => first.map_or(0, char::len_utf8),
        };
        let meaning = match token.as_bytes().first() {
            Some(b'&') => "is an anchor in YAML, not text",
            Some(b'*') => "is an alias in YAML, not text",
            Some(b'!') => "is a tag in YAML",
            _ => "cannot start a value in YAML",
        };
        let message = format!("{} {meaning}; quote the value", shown(&token[..length]));
        tree.error(Kind::Reserved, range_of(start, start + length), value, &message);
        Node::new(value, NodeKind::Invalid)
    }

    /// A value without quotes: mostly a `: ` in it is the trouble.
    fn plain(&self, value: TextRange, tree: &mut Tree) -> Node {
        let text = self.text;
        let mut is_first = true;
        for line in lines(text, value) {
            let content = line.text(text);
            let Some(colon) = value_colon(content) else {
                is_first = false;
                continue;
            };
            let at = usize::from(line.range.start());
            let word = content[..colon].rfind([' ', '\t']).map_or(0, |blank| blank + 1);
            let range = range_of(at + word, at + colon + 1);
            if !is_first && is_lower_key(content[..colon].trim_start_matches(' ')) && self.value_is_short(value) {
                return self.indented_key(value, line, range, tree);
            }
            let message = "unquoted `: ` starts a new key in YAML; quote the value";
            tree.error(Kind::UnquotedColon, range, value, message);
            let scalar = Scalar::new(value, folded(text, value), Style::Plain);
            return Node::new(value, NodeKind::Scalar(scalar));
        }
        self.elsewhere(value, tree)
    }

    /// `  license: MIT` below `name: x`: an entry that is indented by accident.
    fn indented_key(&self, value: TextRange, line: Line, key: TextRange, tree: &mut Tree) -> Node {
        let name = self.text[key].trim_end_matches(':');
        let message = format!("`{name}` is indented deeper than the keys around it");
        tree.error(Kind::Indentation, key, line.range, &message);
        let before = trimmed(self.text, range_of(value.start().into(), line.range.start().into()));
        let scalar = Scalar::new(before, folded(self.text, before), Style::Plain);
        Node::new(before, NodeKind::Scalar(scalar))
    }

    /// One word or two on the first line: the next line is no continuation of prose.
    fn value_is_short(&self, value: TextRange) -> bool {
        lines(self.text, value)
            .next()
            .is_some_and(|line| line.text(self.text).split_whitespace().count() <= 2)
    }

    /// Trouble of a kind that is told in the parser's words, at the parser's place, which is kept inside the entry.
    fn elsewhere(&self, value: TextRange, tree: &mut Tree) -> Node {
        let text = self.text;
        let Some((at, kind)) = &self.stop else {
            return Node::new(value, NodeKind::Invalid);
        };
        let whole = trimmed(text, self.piece.range);
        let end = usize::from(whole.end());
        let at = if *at < end { *at } else { end - last_word(&text[whole]) };
        let line_end = text[at..end].find(['\n', '\r']).map_or(end, |length| at + length);
        let word = text[at..line_end]
            .find([' ', '\t', ',', ']', '}'])
            .map_or(line_end, |length| at + length);
        let first = text[at..end].chars().next().map_or(at, |c| at + c.len_utf8());
        let range = range_of(at, word.max(first).min(end.max(at)));
        match kind {
            ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
                tree.error(
                    Kind::Tab,
                    range,
                    self.piece.range,
                    "a tab cannot indent YAML; use spaces",
                );
            }
            ErrorKind::UnexpectedCharacter { character } => {
                let message = format!(
                    "{} cannot start a value in YAML; quote the value",
                    shown(&character.to_string())
                );
                let item = text[at..line_end]
                    .find([',', ']', '}'])
                    .map_or(line_end, |length| at + length);
                let subject = trimmed(text, range_of(at, item));
                tree.error(Kind::Reserved, range_of(at, first), subject, &message);
            }
            ErrorKind::RecursionLimitExceeded => {
                tree.error(Kind::Other, range, value, "nested too deeply; 64 levels are read");
            }
            ErrorKind::ExpectedFlowSequenceSeparator if text[at..end].starts_with(['[', '{']) => {
                let start = text[..at].rfind(['[', '{', ',']).map_or(at, |before| before + 1);
                let stop = line_end.min(flow_item_end(text, at, end));
                let message = "a bracket inside an item of a list; quote the item";
                tree.error(
                    Kind::Reserved,
                    range_of(at, first),
                    trimmed(text, range_of(start, stop)),
                    message,
                );
            }
            kind => tree.error(Kind::Other, range, value, &format!("no valid YAML: {kind}")),
        }
        Node::new(value, NodeKind::Invalid)
    }
}

/// A line that is no `key: value`. A single word is a key that is being typed.
fn stray(text: &str, piece: Piece, line: &Line, start: usize, stop: Option<Stop>, tree: &mut Tree) -> Vec<Entry> {
    let content = trimmed(text, range_of(start, line.range.end().into()));
    let value = &text[content];
    if let Some(colon) = value_colon(value).filter(|_| value.starts_with(['@', '`', '%', '*', '&', '!'])) {
        let at = usize::from(content.start());
        let range = range_of(at, at + value.chars().next().map_or(0, char::len_utf8));
        let key = trimmed(text, range_of(at, at + colon));
        if is_one_word(&text[key]) {
            let character = shown(&text[range]);
            tree.error(
                Kind::Reserved,
                range,
                key,
                &format!("{character} cannot start a key in YAML; quote the key"),
            );
            return Vec::new();
        }
    }
    if let Some(mark) = mark_before_key(text, content) {
        let message = format!("{} before a key; remove it", shown(&value[..mark.len().into()]));
        let subject = range_of(
            mark.start().into(),
            usize::from(mark.end()) + blanks(&text[mark.end().into()..]),
        );
        tree.error(Kind::Prefix, mark, subject, &message);
        return Vec::new();
    }
    if value.starts_with(['[', '{', '|', '"', '\'', '?']) && stop.is_some() {
        Broken {
            text,
            piece,
            line: *line,
            stop,
        }
        .elsewhere(content, tree);
        return Vec::new();
    }
    if let Some(colon) = value.find('：') {
        let at = usize::from(content.start()) + colon;
        let message = "this colon is a full-width one; YAML needs `: `";
        tree.error(Kind::MissingColon, range_of(at, at + '：'.len_utf8()), content, message);
    } else if is_key(value) {
        let message = format!("`{value}` has no value; write `{value}: …`");
        tree.error(Kind::MissingColon, content, content, &message);
        let key = Scalar::new(content, value.to_owned(), Style::Plain);
        return vec![yaml::entry(key, None, Node::new(content, NodeKind::Null))];
    } else {
        // Prose in the frontmatter is one mistake, however many lines it has.
        match tree.errors.last_mut() {
            Some(last) if last.kind == Kind::MissingColon && is_adjacent(text, last.subject, content) => {
                last.subject = last.subject.cover(content);
            }
            _ => {
                let message = "not a `key: value` line; indent it if it continues the value above";
                tree.error(Kind::MissingColon, content, content, message);
            }
        }
    }
    Vec::new()
}

impl Tree {
    fn error(&mut self, kind: Kind, range: TextRange, subject: TextRange, message: &str) {
        self.errors.push(SyntaxError {
            range,
            subject,
            kind,
            message: message.to_owned(),
        });
    }
}

/// The first line that is neither blank nor a comment.
fn content_line(text: &str, range: TextRange) -> Option<Line> {
    lines(text, range).find(|line| {
        let content = line.text(text).trim_start_matches([' ', '\t']);
        !content.is_empty() && !content.starts_with('#')
    })
}

/// The spaces that start a line, where a tab is among them and text follows.
fn leading_tab(text: &str, line: &Line) -> Option<TextRange> {
    let content = line.text(text);
    let length = blanks(content);
    let start = usize::from(line.range.start());
    (content[..length].contains('\t') && length < content.len()).then(|| range_of(start, start + length))
}

/// `[cite_start]` in `[cite_start]description: …`.
fn mark_before_key(text: &str, content: TextRange) -> Option<TextRange> {
    let value = &text[content];
    let end = value.strip_prefix('[')?.find(']')? + 2;
    let rest = value[end..].trim_start_matches([' ', '\t']);
    let colon = value_colon(rest)?;
    (is_one_word(&value[..end]) && is_key(&rest[..colon]))
        .then(|| TextRange::at(content.start(), TextSize::of(&value[..end])))
}

fn is_adjacent(text: &str, before: TextRange, after: TextRange) -> bool {
    before.end() <= after.start() && content_line(text, TextRange::new(before.end(), after.start())).is_none()
}

fn is_one_word(text: &str) -> bool {
    !text.contains([' ', '\t'])
}

/// A token in a message.
fn shown(token: &str) -> String {
    if token.contains('`') {
        "a backtick".to_owned()
    } else {
        format!("`{token}`")
    }
}

/// The length of the last word.
fn last_word(text: &str) -> usize {
    text.len() - text.rfind([' ', '\t', '\n', '\r']).map_or(0, |at| at + 1)
}
