//! The server through its protocol, in memory.

mod activation;
mod around;
mod attacks;
mod authoring;
mod authority;
mod features;
mod hooks;
mod hosts;
mod knowledge;
mod lifecycle;
mod live;
mod models;
mod navigation;
mod questions;
mod readers;
mod review;
mod sessions;
mod skills_in_turns;
mod synchronisation;
mod telling;
mod turns;
mod typing;
