//! What the model is told of the skills that it may choose.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use skills_agent::activation::{self, usage::Uses};
use skills_agent::catalog::{Catalog, Listed, Skill};
use skills_schema::dialect::runtime::{Form, Runtime};
use skills_schema::listing::Budget;

use crate::cli::output;
use crate::printable::printable_lines;

/// Prints the listing, and on stderr what was cut from it.
pub fn print(
    catalog: &Catalog,
    listed: &[Listed],
    reader: &'static Runtime,
    budget: Budget,
    uses: &Uses,
    json: bool,
) -> Result<ExitCode> {
    let active = listed.iter().filter(|listed| !listed.why.is_empty());
    let active: HashSet<&Path> = active.filter_map(|listed| listed.skill.path.as_deref()).collect();
    let is_active = |skill: &Skill| skill.path.as_deref().is_some_and(|path| active.contains(path));
    let listing = activation::prompt(catalog, reader, budget, uses, is_active);
    if json {
        output::json(&json!({
            "text": listing.text,
            "used": listing.used,
            "wanted": listing.wanted,
            "budget": listing.budget,
            "dropped": listing.dropped,
            "shortened": listing.shortened,
            "omitted": listing.omitted,
        }))?;
    } else {
        let mut out = output::stdout();
        writeln!(out, "{}", printable_lines(&listing.text))?;
        out.flush()?;
        if reader.listing == Form::Unstated {
            let title = reader.dialect.title();
            output::note(&format!(
                "what {title} tells its model of skills is not stated in its documents"
            ));
        }
        if let Some(notice) = listing.notice() {
            output::note(&notice);
        }
    }
    Ok(ExitCode::SUCCESS)
}
