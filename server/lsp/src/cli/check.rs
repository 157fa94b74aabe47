//! `skills-ls check`: the findings of files and folders, for a terminal or a machine.

use std::fs;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ignore::WalkBuilder;
use serde_json::{Value, json};
use skills_schema::TextRange;
use skills_schema::dialect::Dialect;
use skills_schema::facts::Facts;
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
    /// The bytes are no UTF-8.
    invalid: bool,
}

/// Checks, prints, and answers whether anything at or above the limit was found.
pub fn run(options: &Options) -> Result<ExitCode> {
    let mut files = Vec::new();
    for path in &options.paths {
        collect(path, &mut files)?;
    }
    files.sort();
    files.dedup();
    let checked = files
        .into_iter()
        .map(|path| check(path, options.dialect))
        .collect::<Result<Vec<_>>>()?;
    if options.json || options.format == Format::Json {
        output::json(&report(&checked))?;
    } else {
        print(&checked)?;
    }
    let limit = options.fail_on.severity();
    let failed = findings(&checked).any(|finding| finding.severity <= limit);
    Ok(ExitCode::from(u8::from(failed)))
}

/// The files that a path means: itself, or the skills below it.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let absolute = path
        .canonicalize()
        .with_context(|| format!("{} can't be read", path.display()))?;
    if !absolute.is_dir() {
        files.push(absolute);
        return Ok(());
    }
    // Skills live in hidden folders; only the version control's own is not looked into.
    let walk = WalkBuilder::new(&absolute)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk {
        let entry = entry?;
        let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
        if is_file && is_skill(&entry.path().to_string_lossy(), "") {
            files.push(entry.into_path());
        }
    }
    Ok(())
}

fn check(path: PathBuf, dialect: Option<Dialect>) -> Result<Checked> {
    if !fs::metadata(&path)
        .with_context(|| format!("{} can't be read", path.display()))?
        .is_file()
    {
        bail!("{} is no regular file", path.display());
    }
    let bytes = fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let (text, invalid) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
        }
    };
    let slash_path = path.to_string_lossy().replace('\\', "/");
    let mut analysis = Analysis::of(text.into(), &slash_path, dialect);
    if let Some(at) = invalid {
        let message = "this is no UTF-8, so most systems refuse the file: save it as UTF-8".to_owned();
        analysis.findings.insert(
            0,
            Finding {
                code: "invalid-utf8",
                severity: Severity::Error,
                message,
                range: character_at(&analysis, at),
                related: Vec::new(),
                fixes: Vec::new(),
                tags: Vec::new(),
            },
        );
    }
    Ok(Checked {
        path,
        analysis,
        invalid: invalid.is_some(),
    })
}

/// The range of the character at an offset, which is where the replacement for the first bad byte stands.
fn character_at(analysis: &Analysis, at: usize) -> TextRange {
    let length = analysis.file.text[at..].chars().next().map_or(0, char::len_utf8);
    let bound = |offset: usize| offset.try_into().unwrap_or_default();
    TextRange::new(bound(at), bound(at + length))
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
    let facts = Facts {
        invalid_utf8: checked.invalid,
        ..checked.analysis.facts()
    };
    let verdicts = verdict::verdicts(&checked.analysis.file, &facts).into_iter();
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
    let coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let renderer = if coloured {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let here = std::env::current_dir()
        .and_then(|here| here.canonicalize())
        .unwrap_or_default();
    for Checked { path, analysis, .. } in checked {
        let shown = path.strip_prefix(&here).unwrap_or(path).to_string_lossy();
        for finding in &analysis.findings {
            writeln!(out, "{}\n", snippet(&renderer, &shown, &analysis.file.text, finding))?;
        }
    }
    let found: Vec<_> = counts(checked)
        .into_iter()
        .filter(|(_, _, count)| *count > 0)
        .map(|(severity, plural, count)| format!("{count} {}", if count == 1 { name(severity) } else { plural }))
        .collect();
    let files = if checked.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", checked.len())
    };
    let found = if found.is_empty() {
        "nothing found".to_owned()
    } else {
        found.join(", ")
    };
    writeln!(out, "{files} checked: {found}")?;
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
            Level::HELP.secondary_title(&fix.title),
        ));
    }
    renderer.render(&groups)
}
