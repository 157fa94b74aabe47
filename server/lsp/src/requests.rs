//! What the client asks: functions over a snapshot, without input or output.

pub mod active;
pub mod code_action;
pub mod completion;
pub mod diagnostic;
pub mod hover;
