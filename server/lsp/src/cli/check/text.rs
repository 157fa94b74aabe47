//! The report for people: each finding with its line, as compilers show theirs.

use std::io::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Result;
use skills_schema::TextRange;
use skills_schema::rules::{Finding, Severity};

use super::Checked;
use crate::cli::output::{self, Colour, Places};
use crate::printable::printable;

/// Prints the findings.
pub fn print(checked: &[Checked], colour: Colour, out: &mut impl Write) -> Result<()> {
    let mut renderer = if output::is_coloured(colour) {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    if let Some(width) = output::terminal_width() {
        renderer = renderer.term_width(width);
    }
    for file in checked.iter().filter(|file| !file.findings.is_empty()) {
        let places = Places::of(&file.text);
        let path = output::path(&file.path);
        for finding in &file.findings {
            writeln!(out, "{}\n", snippet(&renderer, &path, &places, finding))?;
        }
    }
    Ok(())
}

fn snippet(renderer: &Renderer, path: &str, places: &Places, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name("hint"),
    };
    // Only the lines that are shown: the renderer looks at all that it is given, for each finding.
    let here = || finding.related.iter().filter(|related| related.file.is_none());
    let shown = here().map(|it| it.range).fold(finding.range, TextRange::cover);
    let (lines, first) = places.lines(shown);
    let start = usize::from(lines.start());
    let span =
        |range: TextRange| -> Range<usize> { usize::from(range.start()) - start..usize::from(range.end()) - start };
    let annotations = here().map(|related| {
        AnnotationKind::Context
            .span(span(related.range))
            .label(printable(&related.message))
    });
    let source = Snippet::source(places.slice(lines))
        .line_start(first)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span(finding.range)))
        .annotations(annotations);
    let notes = finding.notes().into_iter();
    let notes = notes.map(|note| Level::NOTE.message(printable(&note)));
    let mut groups = vec![
        level
            .primary_title(printable(&finding.message))
            .id(finding.code)
            .element(source)
            .elements(notes),
    ];
    if let Some(fix) = finding.fixes.first() {
        groups.push(Group::with_title(Level::HELP.secondary_title(printable(&fix.title))));
    }
    renderer.render(&groups)
}
