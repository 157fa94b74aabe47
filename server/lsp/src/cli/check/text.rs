//! The report for people: each finding with its line, as compilers show theirs.

use std::io::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::Result;
use skills_schema::TextRange;
use skills_schema::rules::{Finding, Severity};

use super::{Checked, counts, severity_name};
use crate::cli::output;
use crate::printable::printable;

/// Prints the report.
pub fn print(checked: &[Checked]) -> Result<()> {
    let mut out = output::stdout();
    let mut renderer = if output::is_coloured() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    if let Some(width) = output::terminal_width() {
        renderer = renderer.term_width(width);
    }
    for Checked { path, analysis } in checked {
        let shown = output::path(path);
        for finding in &analysis.findings {
            writeln!(out, "{}\n", snippet(&renderer, &shown, &analysis.file.text, finding))?;
        }
    }
    let found: Vec<_> = counts(checked)
        .into_iter()
        .filter(|(_, _, count)| *count > 0)
        .map(|(severity, plural, count)| {
            format!("{count} {}", if count == 1 { severity_name(severity) } else { plural })
        })
        .collect();
    let files = match checked.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let found = if found.is_empty() {
        "nothing found".to_owned()
    } else {
        found.join(", ")
    };
    if checked.is_empty() {
        writeln!(out, "no SKILL.md found")?;
    } else {
        writeln!(out, "{files} checked: {found}")?;
    }
    Ok(out.flush()?)
}

fn snippet(renderer: &Renderer, path: &str, text: &str, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name("hint"),
    };
    let span = |range: TextRange| -> Range<usize> { range.start().into()..range.end().into() };
    let here = finding.related.iter().filter(|related| related.file.is_none());
    let annotations = here.map(|related| {
        AnnotationKind::Context
            .span(span(related.range))
            .label(printable(&related.message))
    });
    let source = Snippet::source(text)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span(finding.range)))
        .annotations(annotations);
    let mut groups = vec![
        level
            .primary_title(printable(&finding.message))
            .id(finding.code)
            .element(source),
    ];
    if let Some(fix) = finding.fixes.first() {
        groups.push(annotate_snippets::Group::with_title(
            Level::HELP.secondary_title(printable(&fix.title)),
        ));
    }
    renderer.render(&groups)
}
