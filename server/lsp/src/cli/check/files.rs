//! Finding, reading and checking files, on all processors.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context, Error, Result, ensure};
use ignore::{DirEntry, WalkBuilder, WalkState};
use indicatif::{ProgressBar, ProgressStyle};
use skills_schema::dialect::Dialect;
use skills_schema::rules::Finding;
use skills_schema::verdict::{self, Verdict};

use super::fix;
use super::project::Project;
use crate::analysis::{Analysis, is_skill};

/// The longest file that is checked, in bytes: 16 MiB, far above what any system loads.
const MAX_BYTES: u64 = 16 << 20;

/// What is done with each file.
#[derive(Debug)]
pub struct Task {
    /// What is configured, and what lies around the files.
    pub project: Project,
    /// The systems to check for; none where each file decides.
    pub dialects: Vec<Dialect>,
    /// Whether it is repaired before it is reported.
    pub fix: bool,
    /// Whether the repaired text is put in the file's place.
    pub write: bool,
    /// Whether the repairs are wanted as a patch.
    pub diff: bool,
    /// Whether the verdict of every system is wanted.
    pub verdicts: bool,
}

/// One file with what was found in it.
#[derive(Debug)]
pub struct Checked {
    /// Where it lies, absolute.
    pub path: PathBuf,
    /// Its text, after the repairs.
    pub text: Arc<str>,
    /// The systems that it was checked for, at least one.
    pub dialects: Vec<Dialect>,
    /// What is wrong with it, in the order of the text.
    pub findings: Vec<Finding>,
    /// What each system makes of it, where that was asked for.
    pub verdicts: Vec<Verdict>,
    /// What the repairs change, where that was asked for and is something.
    pub patch: Option<String>,
}

/// Checks the files that are named and the skills below the folders, in the order of their paths; and what could not be
/// read.
pub fn check_all(paths: &[PathBuf], task: &Task) -> (Vec<Checked>, Vec<Error>) {
    let mut errors = Vec::new();
    let mut checked = Vec::new();
    let mut places = Vec::new();
    for path in paths {
        match path.canonicalize() {
            Ok(place) => places.push(place),
            Err(error) => errors.push(unreadable(path, error.into())),
        }
    }
    let progress = progress();
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || walk(&places, task, &sender));
        for result in results {
            progress.inc(1);
            match result {
                Ok(file) => checked.push(file),
                Err(error) => errors.push(error),
            }
        }
    });
    progress.finish_and_clear();
    // The walk ends in any order, and may meet a file twice.
    checked.sort_unstable_by(|a: &Checked, b| a.path.cmp(&b.path));
    checked.dedup_by(|a, b| a.path == b.path);
    errors.sort_by_cached_key(|error| format!("{error:#}"));
    (checked, errors)
}

/// Checks the text on stdin as if it stood in a file; nothing is written to that.
pub fn check_stdin(path: &Path, task: &Task) -> Result<Checked> {
    let path = path::absolute(path).with_context(|| format!("{} is no path", path.display()))?;
    let bytes = read(io::stdin().lock()).context("stdin can't be read")?;
    check(path, &bytes, task)
}

/// Sends the result of each file below the places.
fn walk(places: &[PathBuf], task: &Task, results: &mpsc::Sender<Result<Checked>>) {
    let Some((first, others)) = places.split_first() else {
        return;
    };
    let mut walk = WalkBuilder::new(first);
    for place in others {
        walk.add(place);
    }
    // Skills live in hidden folders; only the version control's own is not looked into.
    walk.hidden(false).filter_entry(|entry| entry.file_name() != ".git");
    walk.build_parallel().run(|| {
        let results = results.clone();
        Box::new(move |entry| {
            let result = match entry {
                Ok(entry) if is_wanted(&entry) => check_file(entry.into_path(), task),
                Ok(_) => return WalkState::Continue,
                Err(error) => Err(error.into()),
            };
            match results.send(result) {
                Ok(()) => WalkState::Continue,
                Err(_) => WalkState::Quit,
            }
        })
    });
}

/// A file that was named, or a skill.
fn is_wanted(entry: &DirEntry) -> bool {
    let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
    is_file && (entry.depth() == 0 || is_skill(&entry.path().to_string_lossy(), ""))
}

fn check_file(path: PathBuf, task: &Task) -> Result<Checked> {
    let bytes = (|| {
        // Asked before it is opened: opening a pipe would wait for its writer.
        ensure!(path.metadata()?.is_file(), "it is no regular file");
        read(File::open(&path)?)
    })();
    let bytes = bytes.map_err(|error| unreadable(&path, error))?;
    check(path, &bytes, task)
}

fn read(from: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= MAX_BYTES;
    ensure!(
        fits,
        "it is longer than {MAX_BYTES} bytes; move parts of it to other files"
    );
    Ok(bytes)
}

fn unreadable(path: &Path, error: Error) -> Error {
    error.context(format!("{} can't be read", path.display()))
}

fn check(path: PathBuf, bytes: &[u8], task: &Task) -> Result<Checked> {
    let mut reading = Reading::new(bytes, &path, task);
    let mut patch = None;
    if task.fix
        && let Some(after) = fix::fixed(&reading, &path, task)
    {
        if task.diff {
            patch = Some(fix::patch(
                &path,
                &reading.analysis.file.text,
                &after.analysis.file.text,
            ));
        }
        if task.write {
            fix::write(&path, &after.analysis.file.text)?;
        }
        reading = after;
    }
    let Reading {
        analysis,
        dialects,
        findings,
    } = reading;
    let verdicts = if task.verdicts {
        verdict::verdicts(&analysis.file, &analysis.facts())
    } else {
        Vec::new()
    };
    let text = analysis.file.text.clone();
    Ok(Checked {
        path,
        text,
        dialects,
        findings,
        verdicts,
        patch,
    })
}

/// A text as one or more systems read it.
pub struct Reading {
    /// As the first reads it.
    pub analysis: Analysis,
    /// Those systems.
    pub dialects: Vec<Dialect>,
    /// What is wrong for any of them.
    pub findings: Vec<Finding>,
}

impl Reading {
    /// Reads it.
    pub fn new(bytes: &[u8], path: &Path, task: &Task) -> Self {
        let mut analysis = Self::analysis(bytes, path, task.dialects.first().copied(), task);
        let mut findings = std::mem::take(&mut analysis.findings);
        for dialect in task.dialects.iter().skip(1) {
            findings.extend(Self::analysis(bytes, path, Some(*dialect), task).findings);
        }
        // One cause is told once, as the system that minds it most tells it.
        findings.sort_by_key(|it| (it.range.start(), it.range.end(), it.code, it.severity));
        findings.dedup_by(|a, b| (a.range, a.code) == (b.range, b.code));
        findings.sort_by_key(|it| (it.range.start(), it.range.end(), it.severity));
        let dialects = if task.dialects.is_empty() {
            vec![analysis.dialect]
        } else {
            task.dialects.clone()
        };
        Self {
            analysis,
            dialects,
            findings,
        }
    }

    /// As one system reads it, with what is wrong in view of what is around it.
    fn analysis(bytes: &[u8], path: &Path, dialect: Option<Dialect>, task: &Task) -> Analysis {
        let slash_path = path.to_string_lossy().replace('\\', "/");
        let configured = task.project.configured(path);
        let mut analysis = Analysis::of_file(bytes, &slash_path, dialect, configured);
        analysis.findings.extend(task.project.findings_around(path, &analysis));
        analysis
    }
}

/// How many files are done: on a terminal, and only where it takes long enough to be read.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {human_pos} files checked")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let progress = ProgressBar::new_spinner().with_style(style);
    progress.enable_steady_tick(Duration::from_millis(100));
    progress
}
