//! What stands where in a document.

use std::collections::HashSet;

use text_size::TextRange;

use crate::{
    syntax::Style,
    verdict::document::{Document, Kind},
};

/// The ranges of a document in the order of the text, to be asked about any place in it.
pub(super) struct Places {
    /// The scalars that are written; none lies in another.
    scalars: Vec<(TextRange, Style)>,
    /// The outermost collections in brackets.
    flows: Vec<TextRange>,
    /// Where collections without brackets start.
    blocks: HashSet<usize>,
}

impl Places {
    pub(super) fn of(document: &Document) -> Places {
        let mut places = Places {
            scalars: Vec::new(),
            flows: Vec::new(),
            blocks: HashSet::new(),
        };
        for node in document.nodes() {
            match node.kind {
                Kind::Scalar { style, .. } if !node.range.is_empty() => places.scalars.push((node.range, style)),
                Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                    let inside = places.flows.last().is_some_and(|flow| flow.contains_range(node.range));
                    if !inside {
                        places.flows.push(node.range);
                    }
                }
                Kind::Sequence { .. } | Kind::Mapping { .. } => {
                    places.blocks.insert(node.range.start().into());
                }
                _ => {}
            }
        }
        places.scalars.sort_by_key(|(range, _)| range.start());
        places
    }

    /// The scalar that holds a place.
    pub(super) fn scalar(&self, at: usize) -> Option<(TextRange, Style)> {
        let found = self.scalar_before(at + 1)?;
        (at < usize::from(found.0.end())).then_some(found)
    }

    /// The last scalar that starts before a place.
    pub(super) fn scalar_before(&self, at: usize) -> Option<(TextRange, Style)> {
        let after = self
            .scalars
            .partition_point(|(range, _)| usize::from(range.start()) < at);
        self.scalars[..after].last().copied()
    }

    /// How the scalar is written that holds a place.
    pub(super) fn style(&self, at: usize) -> Option<Style> {
        self.scalar(at).map(|(_, style)| style)
    }

    /// The place is in quotes or in a block, where characters mean themselves.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.style(at).is_some_and(|style| style != Style::Plain)
    }

    /// The outermost brackets around a place.
    pub(super) fn flow(&self, at: usize) -> Option<TextRange> {
        let after = self.flows.partition_point(|range| usize::from(range.start()) < at);
        let found = *self.flows[..after].last()?;
        (at < usize::from(found.end())).then_some(found)
    }

    /// A collection without brackets starts here.
    pub(super) fn starts_block(&self, at: usize) -> bool {
        self.blocks.contains(&at)
    }
}
