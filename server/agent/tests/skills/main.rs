//! Which skills there are, which count, and what they say.

mod catalog;
mod discovery;
mod render;
