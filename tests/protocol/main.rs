//! The server through its protocol, in memory.

mod activation;
mod authoring;
mod features;
mod lifecycle;
mod live;
mod synchronisation;
mod turns;
