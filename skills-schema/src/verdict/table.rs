//! The verdicts for a person to read.

use super::{Verdict, verdicts};
use crate::{
    facts::Facts,
    listing::{self, ListingEntry},
    shown::{one_line, shortened},
    syntax::SkillFile,
};

/// How many systems load a file, in words; those that read its folder count alone where some do.
pub fn summary(verdicts: &[Verdict], facts: &Facts<'_>) -> String {
    let here: Vec<&Verdict> = verdicts.iter().filter(|it| facts.is_read_by(it.dialect)).collect();
    let (counted, what) = match here.len() {
        0 => (
            verdicts.iter().filter(|it| facts.is_asked(it.dialect)).collect(),
            "systems",
        ),
        1 => (here, "system that reads this folder"),
        _ => (here, "systems that read this folder"),
    };
    let loading = counted.iter().filter(|verdict| verdict.loads).count();
    format!("Loads in {loading} of {} {what}", counted.len())
}

/// The verdicts as a table in Markdown; the systems that read the file's folder are bold. Its columns stand below each
/// other, since editors show the document as it is written.
pub fn table(verdicts: &[Verdict], facts: &Facts<'_>) -> String {
    let head = ["System", "Outcome", "Name", "Command", "Description", "Reason"].map(str::to_owned);
    let rows = verdicts.iter().map(|verdict| {
        let title = verdict.dialect.title();
        let title = title.strip_prefix("the ").unwrap_or(title);
        let title = if facts.is_read_by(verdict.dialect) {
            format!("**{title}**")
        } else {
            title.to_owned()
        };
        let cells = [&verdict.name, &verdict.command(), &verdict.description, &verdict.reason];
        let [name, command, description, reason] = cells.map(|text| cell(text.as_deref().unwrap_or_default()));
        [title, verdict.outcome().to_owned(), name, command, description, reason]
    });
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(rows).collect();
    let length = |text: &String| text.chars().count();
    let widths: [usize; 6] =
        std::array::from_fn(|column| rows.iter().map(|row| length(&row[column])).max().unwrap_or_default());
    let mut table = format!("{}.\n\n", summary(verdicts, facts));
    for (at, row) in rows.iter().enumerate() {
        // The last column ends where its text does.
        let padded = row
            .iter()
            .zip(widths)
            .take(5)
            .map(|(text, width)| format!("{text:<width$}"));
        let padded: Vec<String> = padded.chain([row[5].clone()]).collect();
        table += &format!("| {} |\n", padded.join(" | "));
        if at == 0 {
            let lines = widths.map(|width| "-".repeat(width.min(CELL)));
            table += &format!("| {} |\n", [&lines[..5], &["------".to_owned()]].concat().join(" | "));
        }
    }
    table
}

/// Who loads a skill, as a document in Markdown: the table, and what each system that reads the folder tells its model;
/// all systems where none is known to read it.
pub fn view(file: &SkillFile, facts: &Facts<'_>) -> String {
    let verdicts = verdicts(file, facts);
    let mut view = format!(
        "# Who loads {}\n\n{}",
        cell(facts.folder.unwrap_or("this skill")),
        table(&verdicts, facts)
    );
    let is_known = verdicts.iter().any(|verdict| facts.is_read_by(verdict.dialect));
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for verdict in verdicts.iter().filter(|it| !is_known || facts.is_read_by(it.dialect)) {
        let Some(line) = verdict.listing(facts.path) else {
            continue;
        };
        let title = verdict.dialect.title();
        match told.iter_mut().find(|(other, _)| *other == line) {
            Some((_, titles)) => titles.push(title),
            None => told.push((line, vec![title])),
        }
    }
    if !told.is_empty() {
        view += "\n## What their models are told\n";
    }
    for (line, titles) in told {
        // The text must not end its own block.
        let fence = "`".repeat(longest_run(&line).max(2) + 1);
        view += &format!("\n{}:\n\n{fence}text\n{line}\n{fence}\n", titles.join(", "));
    }
    view
}

impl Verdict {
    /// What the system tells its model of this skill, were it alone in the project; `None` where it does not tell, or
    /// where it is not known how. `path` is that of the file.
    pub fn listing(&self, path: &str) -> Option<String> {
        let entry = ListingEntry {
            name: self.name.as_deref().filter(|_| self.loads && self.listed)?,
            description: self.description.as_deref().unwrap_or_default(),
            location: path,
            source: "project",
            ..ListingEntry::default()
        };
        Some(listing::line(&entry, self.dialect.runtime())).filter(|line| !line.is_empty())
    }
}

/// The longest text in a cell, in characters.
const CELL: usize = 80;

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    let line = one_line(text);
    shortened(&line, CELL)
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "\\<")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
