//! The server through its protocol, in memory.

mod activation;
mod authoring;
mod lifecycle;
mod synchronisation;
mod turns;
