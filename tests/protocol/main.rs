//! The server through its protocol, in memory.

mod activation;
mod authoring;
mod features;
mod lifecycle;
mod navigation;
mod synchronisation;
mod turns;
