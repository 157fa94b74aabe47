//! The server through its protocol, in memory.

mod activation;
mod authoring;
mod features;
mod lifecycle;
mod synchronisation;
mod turns;
