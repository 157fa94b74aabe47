//! What a turn promises, through the crate's public surface.

mod fakes;
mod turns;
