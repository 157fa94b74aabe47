//! The server through its protocol, in memory.

mod activation;
mod around;
mod authoring;
mod features;
mod lifecycle;
mod live;
mod models;
mod navigation;
mod review;
mod sessions;
mod synchronisation;
mod turns;
mod typing;
