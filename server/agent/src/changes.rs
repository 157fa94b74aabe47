//! What edits do to texts: pure functions, so that they need no editor to be proven.

pub mod diff;
pub mod edits;
pub mod eol;
pub mod merge;
pub mod undo;

mod applied;
pub(crate) mod excerpt;
mod intent;
mod ledger;
mod log;
mod nearest;
mod observe;

pub use applied::{Applied, ApplyError};
pub use eol::{same_text, text_hash};
pub use intent::{Intent, Replacement};
pub use ledger::Ledger;
pub use log::{ChangeLog, Pending, Selection};
pub use observe::{Observed, observe, without};
pub use undo::Undecided;
