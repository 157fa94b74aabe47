//! What the crate promises, through its public surface. One program, because linking a dozen takes longer than the tests.

mod body;
mod editor;
mod features;
mod hostile;
mod manifests;
mod properties;
mod readers;
mod repairs;
mod rule_pages;
mod schemas;
mod typing;
mod values;
mod verdicts;

/// Texts that are made to cost.
#[path = "../../benches/hostile/families.rs"]
mod families;
/// The fuzz targets build, and start from something true.
#[path = "../../fuzz/src/lib.rs"]
mod targets;
