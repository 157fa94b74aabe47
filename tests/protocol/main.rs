//! The server through its protocol, in memory.

mod activation;
mod authoring;
mod features;
mod lifecycle;
mod models;
mod synchronisation;
mod turns;
