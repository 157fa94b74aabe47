//! Which files of the workspace a call looks at: no hidden and no ignored ones, and no link is followed, unless
//! it is asked for.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use tokio_util::sync::CancellationToken;

use super::ToolError;
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

/// Visits the files that a filter takes and whose path is wanted: first those that are open and not on the disk yet, then
/// the disk's, sorted folder by folder. Says why it ended early, unless the visitor wanted that.
pub(super) fn walk(
    workspace: &Workspace,
    host: &dyn Host,
    filter: &Filter,
    stop: &Stop,
    is_wanted: &dyn Fn(&str) -> bool,
    mut visit: impl FnMut(Target) -> ControlFlow<()>,
) -> Option<String> {
    for target in host
        .open_files()
        .iter()
        .filter_map(|path| workspace.resolve_path(path).ok())
    {
        let inner = workspace.inner(&target);
        let hidden = inner
            .components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        let depth = inner.components().count();
        if !target.exists
            && (filter.hidden || !hidden)
            && filter.max_depth.is_none_or(|max| depth <= max)
            && filter.takes(inner)
            && is_wanted(&target.relative)
            && visit(target).is_break()
        {
            return None;
        }
    }
    for (index, folder) in workspace.folders().iter().enumerate() {
        let holds_others = workspace
            .folders()
            .iter()
            .any(|other| other.path != folder.path && other.path.starts_with(&folder.path));
        // Else every path is the file's own: to ask the disk again would take longer than all the rest.
        let resolves = filter.follow_links || holds_others;
        let mut builder = WalkBuilder::new(&folder.path);
        builder
            .hidden(!filter.hidden)
            .follow_links(filter.follow_links)
            .max_depth(filter.max_depth)
            .require_git(false)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(|entry| entry.file_name() != ".git");
        for entry in builder.build() {
            if let Some(reason) = stop.reason() {
                return Some(reason);
            }
            // A folder that can't be read has no files for the model.
            let Ok(entry) = entry else { continue };
            let inner = entry.path().strip_prefix(&folder.path).unwrap_or(entry.path());
            if !entry.file_type().is_some_and(|kind| kind.is_file()) || !filter.takes(inner) {
                continue;
            }
            let target = if resolves {
                // Refuses what a followed link leads to outside.
                workspace
                    .resolve_path(entry.path())
                    .ok()
                    .filter(|target| is_wanted(&target.relative))
            } else {
                let relative = workspace.relative(index, inner);
                is_wanted(&relative).then(|| workspace.walked(index, inner, relative.into_owned()))
            };
            if target.is_some_and(|target| visit(target).is_break()) {
                return None;
            }
        }
    }
    None
}
