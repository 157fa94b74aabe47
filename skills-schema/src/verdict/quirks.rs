//! Where a library's YAML is not that of our parser.
//!
//! What a library takes though the parser does not is a [`Tolerance`]: the place is rewritten into what means the same,
//! and the text is read again. What it refuses though the parser reads it is a [`Refusal`].

mod places;
mod refusal;
mod tolerance;

pub(super) use refusal::Refusal;
pub(super) use tolerance::{Tolerance, reread};
