//! Which files of the workspace a call looks at: no hidden and no ignored ones, and no link is followed, unless
//! it is asked for.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder, WalkState};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::ToolError;
use crate::catalog::ignoring;
use crate::host::Host;
use crate::workspace::{Target, Workspace};

/// How long one call may look (as in thndrs 0.1).
const TIMEOUT: Duration = Duration::from_secs(10);

/// Which files.
#[derive(Default)]
pub(super) struct Filter {
    pub(super) hidden: bool,
    pub(super) follow_links: bool,
    pub(super) max_depth: Option<usize>,
    pub(super) glob: Option<Glob>,
    /// Without the dot, in lower case; empty for all.
    pub(super) extensions: Vec<String>,
}

/// A pattern as ripgrep's `--glob` reads it: without a slash it matches the name in any folder.
pub(super) struct Glob {
    matcher: GlobMatcher,
    negated: bool,
}

/// When to stop looking.
pub(super) struct Stop {
    deadline: Instant,
    cancel: CancellationToken,
}

impl Filter {
    /// The extensions as models write them.
    pub(super) fn with_extensions(mut self, extensions: Option<Vec<String>>) -> Self {
        let plain = |extension: String| extension.trim_start_matches(['*', '.']).to_lowercase();
        self.extensions = extensions.unwrap_or_default().into_iter().map(plain).collect();
        self
    }

    fn takes(&self, inner: &Path) -> bool {
        let extension = || {
            inner
                .extension()
                .map(|extension| extension.to_string_lossy().to_lowercase())
        };
        self.glob
            .as_ref()
            .is_none_or(|glob| glob.matcher.is_match(inner) != glob.negated)
            && (self.extensions.is_empty() || extension().is_some_and(|extension| self.extensions.contains(&extension)))
    }
}

impl Glob {
    pub(super) fn new(text: &str) -> Result<Self, ToolError> {
        let (negated, pattern) = text.strip_prefix('!').map_or((false, text), |pattern| (true, pattern));
        let pattern = match pattern.strip_prefix('/').or_else(|| pattern.strip_prefix("./")) {
            Some(anchored) => anchored.to_owned(),
            None if pattern.contains('/') => pattern.to_owned(),
            None => format!("**/{pattern}"),
        };
        if !ignoring::is_plain(&pattern) {
            return Err(ToolError::Respond(
                "the glob has too many braces; search in several steps".to_owned(),
            ));
        }
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| ToolError::Respond(format!("invalid glob '{text}': {}", error.kind())))?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            negated,
        })
    }
}

impl Stop {
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self {
            deadline: Instant::now() + TIMEOUT,
            cancel,
        }
    }

    /// Why to stop now.
    pub(super) fn reason(&self) -> Option<String> {
        if self.cancel.is_cancelled() {
            Some("stopped by the person".to_owned())
        } else if Instant::now() > self.deadline {
            Some(format!("stopped after {} s", TIMEOUT.as_secs()))
        } else {
            None
        }
    }
}

/// Visits the files that a filter takes: first those that are open and not on the disk yet, then the disk's, in the order
/// of their paths. Says why it ended early, unless the visitor wanted that.
pub(super) fn walk(
    workspace: &Workspace,
    host: &dyn Host,
    filter: &Filter,
    stop: &Stop,
    mut visit: impl FnMut(Target) -> ControlFlow<()>,
) -> Option<String> {
    if unsaved(workspace, host, filter).try_for_each(&mut visit).is_break() {
        return None;
    }
    for root in roots(workspace, filter) {
        for entry in root.builder().sort_by_file_name(Ord::cmp).build() {
            if let Some(reason) = stop.reason() {
                return Some(reason);
            }
            // A folder that can't be read has no files for the model.
            let Ok(entry) = entry else { continue };
            let inner = root.inner(&entry);
            if root.takes(&entry, inner)
                && let Some(target) = root.target(inner, &|_| true)
                && visit(target).is_break()
            {
                return None;
            }
        }
    }
    None
}

/// The first `limit` files of [`walk`] whose path is wanted, looked for by several threads, and why it ended early.
pub(super) fn first(
    workspace: &Workspace,
    host: &dyn Host,
    filter: &Filter,
    stop: &Stop,
    limit: usize,
    is_wanted: &(dyn Fn(&str) -> bool + Sync),
) -> (Vec<Target>, Option<String>) {
    let mut found: Vec<Target> = unsaved(workspace, host, filter)
        .filter(|target| is_wanted(&target.relative))
        .take(limit)
        .collect();
    let ended = OnceLock::new();
    for root in roots(workspace, filter) {
        let kept = Kept::new(limit - found.len());
        root.builder().build_parallel().run(|| {
            Box::new(|entry| {
                if let Some(reason) = stop.reason() {
                    ended.get_or_init(|| reason);
                    return WalkState::Quit;
                }
                let Ok(entry) = entry else { return WalkState::Continue };
                let inner = root.inner(&entry);
                if entry.file_type().is_some_and(|kind| kind.is_dir()) && !kept.has_room_for(inner) {
                    return WalkState::Skip;
                }
                let is_first = |relative: &str| is_wanted(relative) && kept.has_room_for(inner);
                if root.takes(&entry, inner)
                    && let Some(target) = root.target(inner, &is_first)
                {
                    kept.add(inner, target);
                }
                WalkState::Continue
            })
        });
        found.extend(kept.into_targets());
    }
    (found, ended.into_inner())
}

/// The files that are open and not on the disk yet.
fn unsaved<'a>(workspace: &'a Workspace, host: &dyn Host, filter: &'a Filter) -> impl Iterator<Item = Target> + 'a {
    host.open_files().into_iter().filter_map(|path| {
        let target = workspace.resolve_path(&path).ok().filter(|target| !target.exists)?;
        let inner = workspace.inner(&target);
        let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
        let taken = (filter.hidden || !inner.components().any(is_hidden))
            && filter.max_depth.is_none_or(|max| inner.components().count() <= max)
            && filter.takes(inner);
        taken.then_some(target)
    })
}

fn roots<'a>(workspace: &'a Workspace, filter: &'a Filter) -> impl Iterator<Item = Root<'a>> {
    let folders = workspace.folders();
    folders.iter().enumerate().map(move |(index, folder)| Root {
        workspace,
        filter,
        index,
        folder: &folder.path,
        resolves: filter.follow_links
            || folders
                .iter()
                .any(|other| other.path != folder.path && other.path.starts_with(&folder.path)),
    })
}

/// One folder of the workspace that is walked.
struct Root<'a> {
    workspace: &'a Workspace,
    filter: &'a Filter,
    index: usize,
    folder: &'a Path,
    /// Whether a path may be another file's: through a link, or in a folder of the workspace inside this one. Else every
    /// path is the file's own, and to ask the disk again would take longer than all the rest.
    resolves: bool,
}

impl Root<'_> {
    fn builder(&self) -> WalkBuilder {
        let mut builder = ignoring::walk(self.folder, &[]);
        builder
            .hidden(!self.filter.hidden)
            .follow_links(self.filter.follow_links)
            .max_depth(self.filter.max_depth)
            .require_git(false);
        builder
    }

    /// The path below the folder. Cut off as text: to compare each part of 50,000 paths takes time.
    fn inner<'e>(&self, entry: &'e DirEntry) -> &'e Path {
        let path = entry.path();
        let texts = path.to_str().zip(self.folder.to_str());
        match texts.and_then(|(path, folder)| path.strip_prefix(folder)) {
            Some(below) => Path::new(below.trim_start_matches(MAIN_SEPARATOR)),
            None => path.strip_prefix(self.folder).unwrap_or(path),
        }
    }

    fn takes(&self, entry: &DirEntry, inner: &Path) -> bool {
        entry.file_type().is_some_and(|kind| kind.is_file()) && self.filter.takes(inner)
    }

    fn target(&self, inner: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Option<Target> {
        if self.resolves {
            // Refuses what a followed link leads to outside.
            let target = self.workspace.resolve_path(&self.folder.join(inner)).ok()?;
            return is_wanted(&target.relative).then_some(target);
        }
        let relative = self.workspace.relative(self.index, inner);
        is_wanted(&relative).then(|| self.workspace.walked(self.index, inner, relative.into_owned()))
    }
}

/// The first files in the order of their paths, of those that threads find in any order.
struct Kept {
    limit: usize,
    targets: Mutex<BTreeMap<PathBuf, Target>>,
}

impl Kept {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            targets: Mutex::default(),
        }
    }

    /// Whether a file may still be one of the first, or a folder hold one.
    fn has_room_for(&self, inner: &Path) -> bool {
        let targets = self.targets.lock();
        targets.len() < self.limit || targets.last_key_value().is_some_and(|(last, _)| inner < last.as_path())
    }

    fn add(&self, inner: &Path, target: Target) {
        let mut targets = self.targets.lock();
        targets.insert(inner.to_owned(), target);
        if targets.len() > self.limit {
            targets.pop_last();
        }
    }

    fn into_targets(self) -> impl Iterator<Item = Target> {
        let targets = self.targets.into_inner();
        targets.into_values()
    }
}
