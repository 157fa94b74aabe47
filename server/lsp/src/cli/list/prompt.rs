//! What the model is told about the skills that it may choose.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use skills_agent::activation::{self, usage::Uses};
use skills_agent::catalog::{Catalog, Listed, Skill};
use skills_schema::dialect::runtime::Runtime;
use skills_schema::listing::{Budget, Guide, Listing, skills_section};

use crate::cli::output;
use crate::printable::printable_lines;

/// The listing, with the skills that something activates.
pub fn listing(catalog: &Catalog, listed: &[Listed], reader: &Runtime, budget: Budget, uses: &Uses) -> Listing {
    let active = listed.iter().filter(|listed| !listed.why.is_empty());
    let active: HashSet<&Path> = active.filter_map(|listed| listed.skill.path.as_deref()).collect();
    let is_active = |skill: &Skill| skill.path.as_deref().is_some_and(|path| active.contains(path));
    activation::prompt(catalog, reader, budget, uses, is_active)
}

/// Adds the texts that a message brings in, where they stand in the same prompt as the listing: with Wolffish. Other
/// readers put them beside the message.
pub fn add_texts(listing: &mut Listing, catalog: &Catalog, reader: &Runtime, message: &str) {
    if !reader.listing.is_some_and(|it| it.texts_follow) {
        return;
    }
    let active = activation::active(catalog, message, |_| false);
    let texts: Vec<(String, String)> = active
        .into_iter()
        .filter_map(|(skill, _)| {
            let path = skill.path.as_deref()?;
            let path = path.strip_prefix(&skill.root).unwrap_or(path);
            let text = skill.text().ok()?;
            let body = skill.instructions(&text).to_owned();
            Some((path.to_string_lossy().into_owned(), body))
        })
        .collect();
    let guides: Vec<Guide<'_>> = texts.iter().map(|(path, body)| Guide { path, body }).collect();
    if !guides.is_empty() {
        listing.text = format!("{}\n\n{}", listing.text, skills_section(&guides))
            .trim_start()
            .to_owned();
    }
}

/// Prints a listing, and on stderr what was cut from it.
pub fn print(listing: &Listing, reader: &Runtime, json: bool) -> Result<ExitCode> {
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
        if reader.listing.is_none() {
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
