//! The rules of a `.gitignore` file, as git 2.40 documents them.

use super::{
    GlobError,
    pattern::{Literals, Pattern, Syntax},
};

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pattern: Pattern,
    takes_back: bool,
    only_folders: bool,
}

impl Rule {
    /// A comment or an empty line is a rule that matches nothing.
    pub(super) fn new(source: &str) -> Result<Rule, GlobError> {
        let trimmed = source.trim_end_matches(' ');
        // A space behind a backslash belongs to the name.
        let text = match source[trimmed.len()..].chars().next() {
            Some(_) if trimmed.ends_with('\\') => &source[..=trimmed.len()],
            _ => trimmed,
        };
        let text = if text.starts_with('#') { "" } else { text };
        let (takes_back, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (only_folders, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        let (anchored, text) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (text.contains('/'), text),
        };
        let anywhere = if anchored || text.is_empty() { "" } else { "**/" };
        let pattern = Pattern::new(Syntax::Components, &format!("{anywhere}{text}")).map_err(|error| {
            // What is wrong stands as far from the end as in the source.
            let shift = |at: usize| at.saturating_sub(anywhere.len()) + source.find(text).unwrap_or_default();
            GlobError {
                at: shift(error.at.start)..shift(error.at.end),
                ..error
            }
        })?;
        Ok(Rule {
            pattern,
            takes_back,
            only_folders,
        })
    }

    /// What every path has that it matches; `None` where it matches none. A folder's files have any name.
    pub(super) fn literals(&self) -> Option<Literals> {
        let literals = self.pattern.literals();
        let folder = literals.prefix.rfind('/').map_or(0, |slash| slash + 1);
        (!self.takes_back).then(|| Literals {
            prefix: literals.prefix[..folder].to_owned(),
            ..Literals::default()
        })
    }
}

/// The index of the rule that a path matches. The folders around it decide first, the outermost before the others:
/// what is in a folder that matches can't be taken back.
pub(super) fn decide<'a>(rules: impl DoubleEndedIterator<Item = (usize, &'a Rule)>, path: &str) -> Option<usize> {
    let rules: Vec<_> = rules.rev().collect();
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    for end in ends {
        let is_file = end == path.len();
        let last = rules
            .iter()
            .find(|(_, rule)| !(rule.only_folders && is_file) && rule.pattern.is_match(&path[..end]));
        if let Some((index, rule)) = last
            && !rule.takes_back
        {
            return Some(*index);
        }
    }
    None
}
