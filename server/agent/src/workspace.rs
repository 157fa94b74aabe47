//! The folders that a turn may touch, and the one way to a path in them.

/// The workspace's folders.
#[derive(Debug)]
pub struct Workspace {}
