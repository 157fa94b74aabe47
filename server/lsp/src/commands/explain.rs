//! `skills.server.explain`: what the systems make of a skill, as a document that any editor shows.

use std::fmt::Write as _;
use std::sync::Arc;

use skills_schema::verdict;
use tower_lsp::ls_types::Uri;

use crate::document::Document;
use crate::printable::printable;
use crate::showing;
use crate::state::{Shared, Snapshot};

/// Shows what each system makes of an open skill, and which open files activate it: as a document where the client
/// opens one for a server, else as a message. The error says what is missing.
pub fn explain(shared: &Arc<Shared>, uri: &Uri) -> Result<(), String> {
    let snapshot = shared.state().snapshot(Some(uri));
    let document = snapshot.document.as_ref();
    let markdown = document.and_then(|document| explanation(&snapshot, document));
    let markdown = markdown.ok_or_else(|| format!("{} is no open skill: open it first", uri.as_str()))?;
    showing::show_or_tell(shared, "explanation.md", markdown);
    Ok(())
}

fn explanation(snapshot: &Snapshot, document: &Document) -> Option<String> {
    let analysis = document.current_analysis()?;
    let facts = analysis.facts();
    let name = printable(facts.folder.unwrap_or("this skill"));
    let table = verdict::table(&verdict::verdicts(&analysis.file, &facts));
    let mut markdown = format!("# What the systems make of {name}\n\n{table}");
    let mut files: Vec<String> = snapshot
        .activating(document)
        .into_iter()
        .map(|why| {
            let (file, pattern) = (why.matched.as_deref(), why.pattern.as_deref());
            format!("- `{}`, by `{}`", file.unwrap_or_default(), pattern.unwrap_or_default())
        })
        .collect();
    files.sort();
    if !files.is_empty() {
        // Writing to a String can't fail.
        let _ = write!(markdown, "\n## Open files that activate it\n\n{}\n", files.join("\n"));
    }
    Some(markdown)
}
