//! `skills-ls check`: the findings of files and folders, for a terminal or a machine.

mod files;
mod fix;
mod github;
mod json;
mod project;
mod sarif;
mod summary;
mod text;

use std::io::{self, Write};
use std::path::{self, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum};
use skills_schema::dialect::{Dialect, View};
use skills_schema::rules::{Finding, Severity};

use super::output::{self, Colour};
use files::Checked;
use project::Project;

/// What to check, and how to say it.
#[derive(Debug, Args)]
pub struct Options {
    /// Files and folders; a folder is searched for skills, commands and microagents by the rules of .gitignore.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// A system that reads the files, such as claude or openhands@current; given several times, a finding of any
    /// counts. Without it each file says by its place or its metadata who reads it.
    #[arg(long, value_name = "SYSTEM[@documented|@current]")]
    dialect: Vec<View>,
    /// Check skills for all agents, also those that don't look there: what one of them drops is an error.
    #[arg(long, conflicts_with = "dialect")]
    portable: bool,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Apply the repairs that change no meaning, then report what is left.
    #[arg(long)]
    fix: bool,
    /// Print what --fix would change, as a patch, and change nothing. Exits with 1 if there is something.
    #[arg(long, conflicts_with_all = ["json", "format"])]
    diff: bool,
    /// Count the findings by rule instead of showing each; --fix repairs those with [*].
    #[arg(long, conflicts_with_all = ["json", "format", "diff"])]
    statistics: bool,
    /// The least severity that makes the exit status 1.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Check the text on stdin as if it stood in this file. With --fix the repaired text is printed, the report goes to
    /// stderr.
    #[arg(long, value_name = "PATH", conflicts_with = "paths")]
    stdin_path: Option<PathBuf>,
    /// Whether the report is coloured.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Colour,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: each finding with its line.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Commands that annotate a change on GitHub.
    Github,
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

impl Options {
    /// The systems to check for; none where each file decides.
    fn readers(&self) -> Vec<View> {
        let mut readers = self.dialect.clone();
        readers.sort_by_key(|view| view.dialect);
        readers.dedup();
        readers
    }

    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// What is done with each file.
    fn task(&self, project: Project) -> files::Task {
        files::Task {
            project,
            readers: self.readers(),
            wanted: match self.portable {
                true => Dialect::agents().collect(),
                false => Vec::new(),
            },
            fix: self.fix || self.diff,
            write: self.fix && !self.diff && self.stdin_path.is_none(),
            diff: self.diff,
            verdicts: self.format() == Format::Json,
        }
    }
}

/// Checks, prints, and answers whether anything at or above the limit was found. What can't be read keeps nothing else
/// from being checked.
pub fn run(options: &Options) -> Result<ExitCode> {
    let (places, mut unreadable) = match &options.stdin_path {
        Some(path) => {
            let place = path::absolute(path).with_context(|| format!("{} is no path", path.display()))?;
            (vec![place], Vec::new())
        }
        None => files::places(&options.paths),
    };
    let (project, problems) = Project::of(&places);
    for problem in problems {
        output::error(&Error::msg(problem));
    }
    let task = options.task(project);
    let checked = if options.stdin_path.is_some() {
        let stdin = places.into_iter().map(|place| files::check_stdin(place, &task));
        stdin.collect::<Result<_>>()?
    } else {
        let (checked, others) = files::check_all(&places, &task);
        unreadable.extend(others);
        checked
    };
    let limit = options.fail_on.severity();
    let failed = if options.diff {
        checked.iter().any(|file| file.patch.is_some())
    } else {
        findings(&checked).any(|finding| finding.severity <= limit)
    };
    let status = if unreadable.is_empty() { u8::from(failed) } else { 2 };
    match print(options, &checked, &unreadable) {
        // A reader that closed the pipe, such as `head`, has what it wanted; what was found stays found.
        Err(error) if output::is_closed_pipe(&error) => {}
        printed => printed?,
    }
    for error in &unreadable {
        output::error(error);
    }
    Ok(ExitCode::from(status))
}

fn print(options: &Options, checked: &[Checked], unreadable: &[Error]) -> Result<()> {
    let mut out = output::stdout();
    if options.diff {
        for file in checked {
            write!(out, "{}", file.patch.as_deref().unwrap_or_default())?;
        }
    } else if options.stdin_path.is_some() && options.fix {
        for file in checked {
            write!(out, "{}", file.text)?;
        }
        report(options, checked, unreadable, &mut io::stderr().lock())?;
    } else {
        report(options, checked, unreadable, &mut out)?;
    }
    Ok(out.flush()?)
}

fn report(options: &Options, checked: &[Checked], unreadable: &[Error], out: &mut impl Write) -> Result<()> {
    match options.format() {
        Format::Text if options.statistics => {
            summary::table(checked, out)?;
            summary::closing(checked, false, out)
        }
        Format::Text => {
            text::print(checked, options.color, out)?;
            summary::closing(checked, true, out)
        }
        Format::Json => json::print(checked, out),
        Format::Sarif => sarif::print(checked, unreadable, out),
        Format::Github => github::print(checked, out),
    }
}

fn findings(checked: &[Checked]) -> impl Iterator<Item = &Finding> {
    checked.iter().flat_map(|file| &file.findings)
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
