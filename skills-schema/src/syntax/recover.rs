//! Reading a block of entries so that one broken entry never blinds the others.

mod diagnose;

use granit_parser::ErrorKind;
use text_size::TextRange;

use super::{
    Entry, MAX_FRONTMATTER, Node, NodeKind, SyntaxError, SyntaxErrorKind,
    lines::{Line, lines, range_of},
    yaml,
};

/// What was read from a block, and what could not be.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) entries: Vec<Entry>,
    pub(super) comments: Vec<TextRange>,
    pub(super) errors: Vec<SyntaxError>,
    /// How many blocks are around the one being read.
    pub(super) depth: usize,
}

impl Tree {
    /// Nothing of a block that is too long, but that it is.
    fn too_long(text: &str, content: TextRange) -> Tree {
        let range = lines(text, content).next().map_or(content, |line| line.range);
        let message = format!(
            "the frontmatter is over {} KiB, so nothing of it is read; move text to the body",
            MAX_FRONTMATTER >> 10
        );
        Tree {
            errors: vec![SyntaxError {
                range,
                subject: range,
                kind: SyntaxErrorKind::TooLong,
                message,
            }],
            ..Tree::default()
        }
    }
}

/// Nested blocks are read piece by piece down to here; each level reads its text once more.
const MAX_RECOVERY_DEPTH: usize = 8;

/// Lines that belong together: one entry, or one `- item`.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// From the start of its first line; of whole lines.
    pub(super) range: TextRange,
    /// The column of its key, in spaces (behind the dash, if there is one).
    pub(super) indent: usize,
    /// It starts with `- `, and its entry stands behind that.
    pub(super) dash: bool,
}

/// Reads the whole content at once; where that fails, entry by entry.
pub(super) fn parse(text: &str, content: TextRange) -> Tree {
    if usize::from(content.len()) > MAX_FRONTMATTER {
        return Tree::too_long(text, content);
    }
    let document = yaml::read(text, content);
    let mut tree = Tree::default();
    match (document.error, document.root) {
        (None, None) => tree.comments = document.comments,
        (None, Some(root)) if root.is_null() && root.range.is_empty() => tree.comments = document.comments,
        (
            None,
            Some(Node {
                kind: NodeKind::Mapping(entries),
                ..
            }),
        ) => {
            tree.entries = entries;
            tree.comments = document.comments;
        }
        (
            None,
            Some(Node {
                kind: NodeKind::Sequence(_),
                range,
                ..
            }),
        ) => {
            tree.comments = document.comments;
            tree.errors.push(SyntaxError {
                range: lines(text, range).next().map_or(range, |line| line.range),
                subject: range,
                kind: SyntaxErrorKind::NotMapping,
                message: "the frontmatter is a list; write `key: value` lines".to_owned(),
            });
        }
        _ => tree.entries = entries(text, content, 0, &mut tree),
    }
    tree.errors
        .sort_by_key(|error| (error.range.start(), error.range.end()));
    tree
}

/// The entries of a block whose keys stand in column `indent`.
pub(super) fn entries(text: &str, range: TextRange, indent: usize, tree: &mut Tree) -> Vec<Entry> {
    let mut entries = Vec::new();
    for piece in entry_pieces(text, range, indent) {
        if piece.indent != indent {
            diagnose::unlike_neighbours(text, piece, tree);
        }
        entries.extend(piece_entries(text, piece, tree));
    }
    entries
}

/// The entries of one piece: one, unless it is broken.
pub(super) fn piece_entries(text: &str, piece: Piece, tree: &mut Tree) -> Vec<Entry> {
    match read_piece(text, piece, tree) {
        Ok(None) => Vec::new(),
        Ok(Some(Node {
            kind: NodeKind::Mapping(entries),
            ..
        })) => entries,
        Ok(Some(_)) => diagnose::entry(text, piece, None, tree),
        Err(error) => diagnose::entry(text, piece, Some(error), tree),
    }
}

/// The items of a block sequence whose dashes stand in column `indent`.
pub(super) fn items(text: &str, range: TextRange, indent: usize, tree: &mut Tree) -> Vec<Node> {
    let mut items = Vec::new();
    for piece in item_pieces(text, range, indent) {
        if piece.indent != indent + 2 {
            diagnose::unlike_neighbours(text, piece, tree);
        }
        match read_piece(text, piece, tree) {
            Ok(node) => items.extend(node),
            Err(error) => items.push(diagnose::item(text, piece, error, tree)),
        }
    }
    items
}

/// Whether blocks inside this one are still read piece by piece.
pub(super) fn may_recurse(tree: &Tree) -> bool {
    tree.depth < MAX_RECOVERY_DEPTH
}

/// Reads one piece alone.
fn read_piece(text: &str, piece: Piece, tree: &mut Tree) -> Result<Option<Node>, (usize, ErrorKind)> {
    let document = yaml::read(text, piece.range);
    if let Some(error) = document.error {
        return Err(error);
    }
    tree.comments.extend(document.comments);
    let root = document
        .root
        .filter(|root| !(root.kind == NodeKind::Null && root.range.is_empty()));
    Ok(match root {
        Some(Node {
            kind: NodeKind::Sequence(items),
            ..
        }) if piece.dash => items.into_iter().next(),
        root => root,
    })
}

/// An entry starts at every line in the key column that is no comment, list item or closing bracket, and at every line
/// that stands left of it.
fn entry_pieces(text: &str, range: TextRange, indent: usize) -> Vec<Piece> {
    split(text, range, |line| {
        let own = line.indent(text);
        let first = line.text(text)[own..].chars().next()?;
        (own <= indent && !matches!(first, '#' | '-' | '\t' | ']' | '}')).then_some(own)
    })
}

/// An item starts at every dash in the dash column, and at every line that stands left of it.
fn item_pieces(text: &str, range: TextRange, indent: usize) -> Vec<Piece> {
    let mut pieces = split(text, range, |line| {
        let own = line.indent(text);
        let rest = &line.text(text)[own..];
        (own <= indent && is_item(rest)).then_some(own)
    });
    for piece in &mut pieces {
        piece.dash = true;
        piece.indent += 2;
    }
    pieces
}

/// `- …`
pub(super) fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ") || line.starts_with("-\t")
}

/// Cuts at every line for which `starts` gives a column. What stands before the first is part of it.
fn split(text: &str, range: TextRange, starts: impl Fn(&Line) -> Option<usize>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = usize::from(range.start());
    for line in lines(text, range).filter(|line| !line.is_blank(text)) {
        let Some(indent) = starts(&line) else { continue };
        let at = usize::from(line.range.start());
        match pieces.last_mut() {
            Some(last) => {
                last.range = range_of(start, at);
                start = at;
            }
            None if start < at && lines(text, range_of(start, at)).any(|it| is_content(it.text(text))) => {
                pieces.push(Piece {
                    range: range_of(start, at),
                    indent,
                    dash: false,
                });
                start = at;
            }
            None => {}
        }
        pieces.push(Piece {
            range: range_of(start, range.end().into()),
            indent,
            dash: false,
        });
    }
    if pieces.is_empty() && lines(text, range).any(|it| is_content(it.text(text))) {
        pieces.push(Piece {
            range,
            indent: 0,
            dash: false,
        });
    }
    pieces
}

/// Neither blank nor a comment.
fn is_content(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    !line.is_empty() && !line.starts_with('#')
}
