//! The report as workflow commands of GitHub Actions, which show each finding beside the changed line.

use std::io::Write;

use anyhow::Result;
use skills_schema::rules::Severity;

use super::Checked;
use crate::cli::output::{self, Places};

/// Prints the report: one command a finding.
pub fn print(checked: &[Checked], out: &mut impl Write) -> Result<()> {
    for file in checked {
        let places = Places::of(&file.text);
        for finding in &file.findings {
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information | Severity::Hint => "notice",
            };
            let (start, end) = places.ends(finding.range);
            let path = property(&output::path(&file.path).replace('\\', "/"));
            write!(out, "::{level} file={path},line={},endLine={}", start.line, end.line)?;
            // Columns of several lines are refused.
            if start.line == end.line {
                write!(out, ",col={},endColumn={}", start.column, end.column)?;
            }
            let lines: Vec<String> = std::iter::once(finding.message.clone())
                .chain(finding.notes())
                .collect();
            let message = lines.join("\n");
            writeln!(out, ",title={}::{}", property(finding.code), data(&message))?;
        }
    }
    Ok(())
}

/// The text of a command; a line's end would end it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which colons and commas end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
