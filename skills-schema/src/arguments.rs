//! The arguments of a skill: what it declares, what a person gives, and what the text becomes.

mod fill;
mod shell;
mod values;
mod words;

use crate::syntax::{NodeKind, SkillFile};

pub(crate) use crate::syntax::declared::too_many;
pub use crate::syntax::declared::{Argument, Input, MOST_ARGUMENTS, asked, declared, inputs};
pub use fill::{ASK, Filled, Piece, ShellCommand, fill};
pub use shell::{Language, Script, Unsafe};
pub use values::Values;
pub use words::{join, split};

/// What `argument-hint` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hinted {
    /// The words in brackets, in order, up to the first thing behind which places are not sure: an option, several
    /// arguments in one, or words without brackets.
    pub names: Vec<String>,
    /// There is nothing behind them.
    pub is_whole: bool,
}

/// The arguments that the hint names: `$0` in the body is the first.
pub fn hinted(file: &SkillFile) -> Hinted {
    let mut found = Hinted::default();
    let hint = self::hint(file).unwrap_or_default();
    let mut rest = hint.trim();
    while let Some(open) = rest.chars().next().filter(|c| "[<".contains(*c)) {
        let close = if open == '[' { ']' } else { '>' };
        let Some((name, behind)) = rest[1..].split_once(close) else {
            break;
        };
        let is_plain = !name.trim().is_empty() && !name.starts_with('-') && !name.contains(['[', '<', '…']);
        if !is_plain || name.contains("..") || behind.starts_with(['.', '…']) {
            break;
        }
        found.names.push(name.trim().to_owned());
        rest = behind.trim_start();
    }
    found.is_whole = rest.is_empty();
    found
}

/// `[file]` without quotes is a list to YAML; the hint is the text.
pub(crate) fn hint(file: &SkillFile) -> Option<String> {
    let node = &file.entry("argument-hint")?.value;
    match node.kind {
        NodeKind::Sequence(_) => Some(file.slice(node.range).to_owned()),
        _ => node.as_str().map(str::to_owned),
    }
}
