//! `skills-ls check`: the findings of files and folders, for a terminal or a machine.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::{Context, Error, Result, ensure};
use clap::{Args, ValueEnum};
use ignore::WalkBuilder;
use serde_json::{Value, json};
use skills_schema::TextRange;
use skills_schema::dialect::Dialect;
use skills_schema::rules::{Finding, Severity};
use skills_schema::verdict;

use super::output;
use crate::analysis::{Analysis, is_skill};

/// What to check, and how to say it.
#[derive(Debug, Args)]
pub struct Options {
    /// Files and folders; a folder is searched for SKILL.md by the rules of .gitignore.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// The system that reads the files; without it each file's place decides.
    #[arg(long)]
    dialect: Option<Dialect>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Short for --format json.
    #[arg(long)]
    json: bool,
    /// The least severity that makes the exit status 1.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FailOn {
    #[default]
    Error,
    Warning,
    Information,
    Hint,
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Information => Severity::Information,
            Self::Hint => Severity::Hint,
        }
    }
}

/// One file with what was found in it.
struct Checked {
    path: PathBuf,
    analysis: Analysis,
}

/// Checks, prints, and answers whether anything at or above the limit was found. What can't be read keeps nothing else
/// from being checked.
pub fn run(options: &Options) -> Result<ExitCode> {
    let (files, mut unreadable): (Vec<_>, Vec<_>) = partition(options.paths.iter().flat_map(|path| files_of(path)));
    let files: BTreeSet<_> = files.into_iter().collect();
    let (checked, others) = partition(files.into_iter().map(|path| check(path, options.dialect)));
    unreadable.extend(others);
    if options.json || options.format == Format::Json {
        output::json(&report(&checked))?;
    } else {
        print(&checked)?;
    }
    for error in &unreadable {
        output::error(error);
    }
    let limit = options.fail_on.severity();
    let failed = findings(&checked).any(|finding| finding.severity <= limit);
    Ok(ExitCode::from(if unreadable.is_empty() { u8::from(failed) } else { 2 }))
}

/// What went well, and what did not.
fn partition<T>(results: impl Iterator<Item = Result<T>>) -> (Vec<T>, Vec<Error>) {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    (values, errors)
}

/// The files that a path means: itself, or the skills below it.
fn files_of(path: &Path) -> Vec<Result<PathBuf>> {
    let absolute = match path.canonicalize() {
        Ok(absolute) if absolute.is_dir() => absolute,
        file => return vec![file.with_context(|| format!("{} can't be read", path.display()))],
    };
    // Skills live in hidden folders; only the version control's own is not looked into.
    let walk = WalkBuilder::new(&absolute)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    walk.filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
            (is_file && is_skill(&entry.path().to_string_lossy(), "")).then(|| Ok(entry.into_path()))
        }
        Err(error) => Some(Err(error.into())),
    })
    .collect()
}

fn check(path: PathBuf, dialect: Option<Dialect>) -> Result<Checked> {
    let unreadable = || format!("{} can't be read", path.display());
    // Reading a pipe would wait for ever.
    let is_file = fs::metadata(&path).with_context(unreadable)?.is_file();
    ensure!(is_file, "{} is no regular file", path.display());
    let bytes = fs::read(&path).with_context(unreadable)?;
    let slash_path = path.to_string_lossy().replace('\\', "/");
    let analysis = Analysis::of_bytes(&bytes, &slash_path, dialect);
    Ok(Checked { path, analysis })
}

fn findings(checked: &[Checked]) -> impl Iterator<Item = &Finding> {
    checked.iter().flat_map(|file| &file.analysis.findings)
}

fn counts(checked: &[Checked]) -> [(Severity, &'static str, usize); 4] {
    [
        (Severity::Error, "errors", 0),
        (Severity::Warning, "warnings", 0),
        (Severity::Information, "information", 0),
        (Severity::Hint, "hints", 0),
    ]
    .map(|(severity, name, _)| {
        (
            severity,
            name,
            findings(checked).filter(|finding| finding.severity == severity).count(),
        )
    })
}

/// The machine-readable report.
fn report(checked: &[Checked]) -> Value {
    let mut summary = json!({"files": checked.len()});
    for (_, name, count) in counts(checked) {
        summary[name] = json!(count);
    }
    let files = checked.iter().map(|checked| {
        let Checked { path, analysis, .. } = checked;
        let text = &analysis.file.text;
        let findings = analysis.findings.iter().map(|finding| {
            let fixes = finding.fixes.iter().map(|fix| {
                let edits = fix.edits.iter();
                let edits =
                    edits.map(|edit| json!({"range": output::range(text, edit.range), "newText": edit.new_text}));
                json!({"title": fix.title, "safe": fix.safe, "edits": edits.collect::<Vec<_>>()})
            });
            json!({
                "code": finding.code,
                "severity": name(finding.severity),
                "message": finding.message,
                "range": output::range(text, finding.range),
                "fixes": fixes.collect::<Vec<_>>(),
            })
        });
        json!({
            "path": path,
            "dialect": analysis.dialect.name(),
            "verdicts": verdicts(checked),
            "findings": findings.collect::<Vec<_>>(),
        })
    });
    json!({"files": files.collect::<Vec<_>>(), "summary": summary})
}

/// What each system makes of a file, by the system's name.
fn verdicts(checked: &Checked) -> Value {
    let verdicts = verdict::verdicts(&checked.analysis.file, &checked.analysis.facts()).into_iter();
    let entries = verdicts.map(|verdict| {
        let value = json!({
            "loads": verdict.loads,
            "metadata": verdict.metadata,
            "name": verdict.name,
            "description": verdict.description,
            "reason": verdict.reason,
        });
        (verdict.dialect.name().to_owned(), value)
    });
    Value::Object(entries.collect())
}

fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// The report for people: each finding with its line, as compilers show theirs.
fn print(checked: &[Checked]) -> Result<()> {
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
        .map(|(severity, plural, count)| format!("{count} {}", if count == 1 { name(severity) } else { plural }))
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
    let annotations = finding.related.iter().map(|related| {
        AnnotationKind::Context
            .span(span(related.range))
            .label(&related.message)
    });
    let source = Snippet::source(text)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span(finding.range)))
        .annotations(annotations);
    let mut groups = vec![level.primary_title(&finding.message).id(finding.code).element(source)];
    if let Some(fix) = finding.fixes.first() {
        groups.push(annotate_snippets::Group::with_title(
            Level::HELP.secondary_title(output::printable(&fix.title)),
        ));
    }
    renderer.render(&groups)
}
