//! Finding, reading and checking files, on all processors.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Error, Result, ensure};
use ignore::{DirEntry, WalkState};
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use skills_agent::catalog::ignoring;
use skills_schema::dialect::{Dialect, View};
use skills_schema::facts::FileKind;
use skills_schema::manifest::Manifest;
use skills_schema::rules::{self, Finding};
use skills_schema::verdict::{self, Verdict};

use super::fix;
use super::project::Project;
use crate::analysis::{Analysis, Configured};

/// The longest file that is checked, in bytes: 16 MiB, far above what any system loads.
const MAX_BYTES: u64 = 16 << 20;

/// What is done with each file.
#[derive(Debug)]
pub struct Task {
    /// What is configured for the files, and what lies around them.
    pub project: Project,
    /// The systems to check for; none where each file decides.
    pub readers: Vec<View>,
    /// The systems that are to read each skill like its own does.
    pub wanted: Vec<Dialect>,
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
    /// It has the name of a manifest, and is another program's.
    pub is_foreign: bool,
    /// What the repairs change, where that was asked for and is something.
    pub patch: Option<String>,
}

/// The absolute paths of files and folders, without links; and which of them could not be found.
pub fn places(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Error>) {
    let mut errors = Vec::new();
    let mut places = Vec::new();
    for path in paths {
        match path.canonicalize() {
            Ok(place) => places.push(place),
            Err(error) => errors.push(unreadable(path, error.into())),
        }
    }
    (places, errors)
}

/// Checks the places that are files and the skills below those that are folders, in the order of their paths; and says
/// what could not be read.
pub fn check_all(places: &[PathBuf], task: &Task) -> (Vec<Checked>, Vec<Error>) {
    let results = Mutex::new(Vec::new());
    let progress = progress();
    walk(places, task, |result| {
        progress.inc(1);
        results.lock().push(result);
    });
    progress.finish_and_clear();
    let (mut checked, mut errors) = (Vec::new(), Vec::new());
    for result in results.into_inner() {
        match result {
            Ok(file) => checked.push(file),
            Err(error) => errors.push(error),
        }
    }
    // The walk ends in any order, and may meet a file twice.
    checked.sort_unstable_by(|a: &Checked, b| a.path.cmp(&b.path));
    checked.dedup_by(|a, b| a.path == b.path);
    errors.sort_by_cached_key(|error| format!("{error:#}"));
    (checked, errors)
}

/// Checks the text on stdin as if it stood in a file, which is not touched.
pub fn check_stdin(path: PathBuf, task: &Task) -> Result<Checked> {
    let bytes = read(io::stdin().lock(), 0).context("stdin can't be read")?;
    check(path, &bytes, task)
}

/// Says the result of each file below the places, on any thread.
fn walk(places: &[PathBuf], task: &Task, say: impl Fn(Result<Checked>) + Sync) {
    let Some((first, others)) = places.split_first() else {
        return;
    };
    // Skills live in hidden folders.
    let mut walk = ignoring::walk(first, others);
    walk.hidden(false).build_parallel().run(|| {
        Box::new(|entry| {
            match entry {
                Ok(entry) if is_wanted(&entry) => {
                    let is_named = entry.depth() == 0;
                    match check_file(entry.into_path(), task) {
                        Ok(checked) if !is_named && checked.is_foreign => {}
                        checked => say(checked),
                    }
                }
                Ok(_) => {}
                Err(error) => say(Err(error.into())),
            }
            WalkState::Continue
        })
    });
}

/// A file that was named, or one that a reader of skills takes for one of its own.
fn is_wanted(entry: &DirEntry) -> bool {
    let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
    let is_known = || FileKind::of_path(&entry.path().to_string_lossy().replace('\\', "/")).is_some();
    is_file && (entry.depth() == 0 || is_known())
}

fn check_file(path: PathBuf, task: &Task) -> Result<Checked> {
    if let Some(checked) = dangling(&path, task) {
        return Ok(checked);
    }
    let bytes = (|| {
        // Asked before it is opened: opening a pipe would wait for its writer.
        let metadata = path.metadata()?;
        ensure!(metadata.is_file(), "it is no regular file");
        read(File::open(&path)?, metadata.len())
    })();
    let bytes = bytes.map_err(|error| unreadable(&path, error))?;
    check(path, &bytes, task)
}

/// What is to be said of a skill file that is a symbolic link which leads nowhere.
fn dangling(path: &Path, task: &Task) -> Option<Checked> {
    if !path.is_symlink() || path.try_exists().unwrap_or(true) {
        return None;
    }
    let target = path.read_link().ok()?;
    let name = path.file_name()?.to_string_lossy();
    let configured = task.project.configured(path);
    let finding = rules::dangling(&name, &target.to_string_lossy(), &configured.checks.levels);
    let slash_path = path.to_string_lossy().replace('\\', "/");
    let ignored = |finding: &Finding| configured.checks.ignores(&configured.relative, finding.code);
    Some(Checked {
        text: Arc::default(),
        dialects: vec![Dialect::of_path(&slash_path)],
        findings: finding.into_iter().filter(|finding| !ignored(finding)).collect(),
        verdicts: Vec::new(),
        is_foreign: false,
        patch: None,
        path: path.to_owned(),
    })
}

/// Reads all; `expected` bytes are likely.
fn read(from: impl Read, expected: u64) -> Result<Vec<u8>> {
    // With room for one more, the end is found without another look.
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(MAX_BYTES) + 1)?);
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
        && let Some(after) = fix::repaired(&reading.analyses, |it| task.project.findings_around(&path, it))
    {
        if task.diff {
            patch = Some(fix::patch(&path, &reading.analyses[0].file.text, &after));
        }
        if task.write {
            fix::write(&path, &after)?;
        }
        reading = Reading::new(after.as_bytes(), &path, task);
    }
    let Reading { analyses, findings } = reading;
    let first = &analyses[0];
    Ok(Checked {
        text: first.file.text.clone(),
        dialects: analyses.iter().flat_map(Analysis::dialects).collect(),
        verdicts: if task.verdicts && Manifest::of(first.kind()).is_none() {
            verdict::verdicts(&first.file, &first.facts())
        } else {
            Vec::new()
        },
        is_foreign: Manifest::of(first.kind()).is_some_and(|manifest| !manifest.is_meant(&first.file)),
        path,
        findings,
        patch,
    })
}

/// A text as one or more systems read it.
struct Reading {
    /// As each of them does; at least one.
    analyses: Vec<Analysis>,
    /// What is wrong for any of them.
    findings: Vec<Finding>,
}

impl Reading {
    fn new(bytes: &[u8], path: &Path, task: &Task) -> Self {
        let slash_path = path.to_string_lossy().replace('\\', "/");
        let configured = || Configured {
            wanted: task.wanted.clone(),
            ..task.project.configured(path)
        };
        let analyse = |reader| Analysis::of_file(bytes, &slash_path, reader, configured());
        let kind = FileKind::of_path(&slash_path).unwrap_or_default();
        let readers = task
            .readers
            .iter()
            .copied()
            .filter(|view| kind.is_read_by(view.dialect));
        let mut analyses: Vec<_> = readers.map(Some).map(analyse).collect();
        if analyses.is_empty() {
            // None is asked for, or none reads files of this sort.
            analyses.push(analyse(None));
        }
        let findings = analyses.iter().flat_map(|analysis| {
            let around = task.project.findings_around(path, analysis);
            analysis.findings.iter().cloned().chain(around)
        });
        let mut findings: Vec<_> = findings.collect();
        if analyses.len() > 1 {
            // One cause is reported once, by the system for which it is worst, with what the others make of it.
            findings.sort_by_key(|it| (it.range.start(), it.range.end(), it.code, it.severity));
            findings.dedup_by(|other, kept| {
                let is_same = (other.range, other.code) == (kept.range, kept.code);
                if is_same {
                    kept.merge(std::mem::take(&mut other.readers));
                }
                is_same
            });
        }
        rules::sort(&mut findings);
        Self { analyses, findings }
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
