//! What edits do to texts: pure functions, so that they need no editor to be proven.

pub mod diff;
pub mod edits;
pub mod eol;
pub mod merge;
pub mod undo;

pub(crate) mod excerpt;
mod intent;
mod ledger;
mod log;
mod nearest;
mod observe;

pub use eol::{same_text, text_hash};
pub use ledger::Ledger;
pub use log::{ChangeLog, Pending, Selection, Undecided};
pub use observe::{Observed, observe, without};
