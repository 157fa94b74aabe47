//! How severe a finding is.

/// How severe a finding is; the most severe is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file's own reader drops or misreads it.
    Error,
    /// Very likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
    /// A matter of other readers or of style.
    Hint,
}
