//! `skills-ls check`: the findings of files and folders, for a terminal or a machine.

mod fix;
mod json;
mod project;
mod text;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Error, Result, ensure};
use clap::{Args, ValueEnum};
use ignore::WalkBuilder;
use skills_schema::dialect::Dialect;
use skills_schema::rules::{self, Finding, Severity};

use super::output;
use crate::analysis::{Analysis, is_skill};
use project::Project;

/// The longest file that is checked, in bytes: 16 MiB, far above what any system loads.
const MAX_BYTES: u64 = 16 << 20;

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
    /// Apply the repairs that change no meaning, then report what is left.
    #[arg(long, conflicts_with = "diff")]
    fix: bool,
    /// Print what --fix would change, as a patch, and nothing else. Exits with 1 if there is something.
    #[arg(long, conflicts_with = "json")]
    diff: bool,
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
    let places: Vec<PathBuf> = options
        .paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let (project, problems) = Project::of(&places);
    for problem in &problems {
        output::error(&Error::msg(problem.clone()));
    }
    let (mut checked, others) = partition(files.into_iter().map(|path| check(path, options.dialect, &project)));
    unreadable.extend(others);
    let mut differs = false;
    if options.fix || options.diff {
        for before in &mut checked {
            let Some(after) = fix::fixed(before, &project) else {
                continue;
            };
            if options.diff {
                fix::print_diff(before, &after)?;
                differs = true;
            } else if let Err(error) = fix::write(&after) {
                unreadable.push(error);
            } else {
                *before = after;
            }
        }
    }
    if options.diff {
        // The patch is all that is printed.
    } else if options.json || options.format == Format::Json {
        json::print(&checked)?;
    } else {
        text::print(&checked)?;
    }
    for error in &unreadable {
        output::error(error);
    }
    let limit = options.fail_on.severity();
    let failed = if options.diff {
        differs
    } else {
        findings(&checked).any(|finding| finding.severity <= limit)
    };
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

fn read(path: &Path) -> Result<Vec<u8>> {
    // Asked before it is opened: opening a pipe would wait for its writer.
    ensure!(path.metadata()?.is_file(), "it is no regular file");
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= MAX_BYTES;
    ensure!(
        fits,
        "it is longer than {MAX_BYTES} bytes; move parts of it to other files"
    );
    Ok(bytes)
}

fn check(path: PathBuf, dialect: Option<Dialect>, project: &Project) -> Result<Checked> {
    let bytes = read(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let slash_path = path.to_string_lossy().replace('\\', "/");
    let mut analysis = Analysis::of_file(&bytes, &slash_path, dialect, project.configured(&path));
    analysis.findings.extend(project.findings_around(&path, &analysis));
    rules::sort(&mut analysis.findings);
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

/// The severity as people and machines read it.
fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
