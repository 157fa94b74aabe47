//! What edits do to texts: pure functions, so that they need no editor to be proven.

/// What the model last saw of each file.
#[derive(Debug, Default)]
pub struct Ledger {}

/// The recorded edits of one session.
#[derive(Debug, Default)]
pub struct ChangeLog {}
