//! Keeps the catalog true: skills are looked for in folders and buffers, again when something changes there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use skills_agent::catalog::bundled::Conditions;
use skills_agent::catalog::{Catalog, Discovery, Location, has_nested};
use skills_agent::permission::SaidTrust;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout_at};

use crate::checks::{self, Checking, Checks};
use crate::environment::Environment;
use crate::state::QUIET;
use crate::state::skills::OpenSkill;
use crate::state::{Effect, Effects, Shared, State};
use crate::watching::{self, Watches};

/// How long it must be quiet on the disk: an editor saves, and git checks out, in many steps.
const SETTLED: Duration = Duration::from_millis(300);
/// How long a change on the disk waits at most while others follow.
const LATEST: Duration = Duration::from_secs(1);
/// So many changed files are read one by one; of more, all is read again.
const FEW: usize = 20;

/// Where to look for skills, given what a person and their editor say. Asks the disk whom they trust.
pub fn discovery(folders: Vec<PathBuf>, said: &SaidTrust, checking: &Checking, environment: &Environment) -> Discovery {
    let mut trusted = environment.trusted(&folders);
    for folder in &folders {
        match said.of(folder) {
            Some(true) => trusted.push(folder.clone()),
            Some(false) => trusted.retain(|above| !folder.starts_with(above)),
            None => {}
        }
    }
    Discovery {
        directories: directories(checking, environment.home.as_deref()),
        home: environment.home.clone(),
        managed: environment.managed.clone(),
        bundled: Some(Conditions {
            disabled: checking
                .all()
                .flat_map(|(_, checks)| checks.bundled_disabled.iter().cloned())
                .collect(),
            schedules: true,
        }),
        configured: checking.configured(),
        trusted,
        folders,
        ..Discovery::default()
    }
}

/// Where to look for skills from a folder on the command line: as the files of configuration say for the project that it
/// lies in. The texts say what of them could not be understood.
pub fn from_here(here: PathBuf, environment: &Environment) -> (Discovery, Vec<String>) {
    let (checking, files) = Checking::read(&[checks::project_of(&here)], environment, &Checks::default());
    let problems = files.iter().flat_map(checks::Read::sentences).collect();
    (
        discovery(vec![here], &SaidTrust::default(), &checking, environment),
        problems,
    )
}

/// The folders of the setting, each once.
fn directories(checking: &Checking, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for (folder, checks) in checking.all() {
        let paths = checks
            .directories
            .iter()
            .map(|text| match (text.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => folder.join(text),
            });
        // Of no folder, a relative path names nothing.
        for path in paths.filter(|path| path.is_absolute()) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// What is watched, and why.
struct Watched {
    watches: Watches,
    /// The folders of skills, there or not, in every spelling.
    roots: Vec<PathBuf>,
    /// The files of configuration, there or not.
    configuration: Vec<PathBuf>,
}

/// Looks for skills now, and again whenever something changes; `changes` are paths that changed on disk.
pub fn start(shared: &Arc<Shared>, mut changes: UnboundedReceiver<PathBuf>) {
    let (shared, connection) = (shared.clone(), &shared.connection);
    connection.run(async move {
        let mut place = Watched {
            watches: Watches::new(shared.changes.clone()),
            roots: Vec::new(),
            configuration: Vec::new(),
        };
        loop {
            place = scan(&shared, place).await;
            loop {
                tokio::select! {
                    () = shared.rescan.notified() => {
                        tokio::time::sleep(QUIET).await;
                        break;
                    }
                    first = changes.recv() => {
                        // The state holds a sender, so there is always one.
                        let Some(first) = first else { return };
                        let paths = settled(first, &mut changes).await;
                        place.watches.renew_below(&paths);
                        if !changed(&shared, paths, &place).await {
                            break;
                        }
                    }
                }
            }
        }
    });
}

/// The paths that changed until it was quiet: one change, however many there are.
async fn settled(first: PathBuf, changes: &mut UnboundedReceiver<PathBuf>) -> BTreeSet<PathBuf> {
    let latest = Instant::now() + LATEST;
    let mut paths = BTreeSet::from([first]);
    while let Ok(Some(path)) = timeout_at(latest.min(Instant::now() + SETTLED), changes.recv()).await {
        paths.insert(path);
    }
    paths
}

/// Takes a change on disk; `false` where all has to be looked for again.
async fn changed(shared: &Arc<Shared>, mut paths: BTreeSet<PathBuf>, place: &Watched) -> bool {
    let is_configuration = |path: &PathBuf| place.configuration.iter().any(|file| file.starts_with(path));
    let is_configured = paths.iter().any(is_configuration);
    // A folder around such a file came or went, so others are to be watched.
    let is_above = paths
        .iter()
        .any(|path| is_configuration(path) && !place.configuration.contains(path));
    let (catalog, effects) = {
        let mut state = shared.state();
        let mut effects = state.files_changed(paths.iter().cloned());
        effects.extend(is_configured.then_some(Effect::ReadConfiguration));
        // A buffer counts instead of its file.
        paths.retain(|path| state.documents.of_path(path).is_none());
        (state.catalog.clone(), effects)
    };
    shared.perform(effects).await;
    paths.retain(|path| matters(path, &catalog, &place.roots));
    let is_known = |path: &PathBuf| catalog.at(path).is_some() && path.is_file();
    if is_above || paths.len() > FEW || !paths.iter().all(is_known) {
        return false;
    }
    shared.perform(paths.into_iter().map(Effect::Reread).collect()).await;
    true
}

/// Whether the catalog may depend on a path: not on an editor's temporary files, or on what lies beside a skill.
fn matters(path: &Path, catalog: &Catalog, roots: &[PathBuf]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_instructions = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
        || [".cursorrules", ".gitignore", "plugin.json", "installed_plugins.json"].contains(&name);
    if is_instructions || path.is_file() {
        return is_instructions;
    }
    // A folder, or something that is gone.
    let in_skill = || {
        path.parent()
            .is_some_and(|parent| catalog.at(&parent.join("SKILL.md")).is_some())
    };
    let is_above = roots.iter().any(|root| root.starts_with(path));
    is_above || roots.iter().any(|root| path.starts_with(root)) && !in_skill()
}

/// Looks for skills everywhere. The folders are watched before they are read, so that no change falls between.
async fn scan(shared: &Arc<Shared>, mut place: Watched) -> Watched {
    let (said, checking, folders, touched, open, left_out) = {
        let state = shared.state();
        let folders = state.folder_paths();
        let left_out = if state.client.watches_files() {
            folders.clone()
        } else {
            Vec::new()
        };
        (
            state.said_trust(),
            state.checking.clone(),
            folders,
            state.touched.clone(),
            state.open_skills(),
            left_out,
        )
    };
    let environment = shared.environment.clone();
    let read = open.clone();
    let configured = folders.iter().cloned().chain(environment.configuration_folder());
    let configured: Vec<PathBuf> = configured.map(|folder| folder.join(checks::FILE)).collect();
    // What changed in them before they were watched nobody told.
    let is_newly_watched = place.configuration != configured;
    place.configuration = configured;
    let work = move || {
        let discovery = Discovery {
            touched,
            open: open.into_iter().collect(),
            ..discovery(folders, &said, &checking, &environment)
        };
        let locations = discovery.locations();
        let mut wanted = watching::wanted(&locations, &left_out);
        watching::add_files(&mut wanted, &place.configuration, &left_out);
        let problem = place.watches.set(wanted);
        let spellings = |location: Location| [location.path.canonicalize().ok(), Some(location.path)];
        place.roots = locations.into_iter().flat_map(spellings).flatten().collect();
        (discovery.run(), place, problem)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok((catalog, place, problem)) => {
            let effects = {
                let mut state = shared.state();
                let mut effects = state.set_catalog(catalog);
                effects.extend(differing(&read, &state.open_skills()).map(Effect::Reread));
                effects.extend(problem.map(Effect::Warn));
                effects.extend(is_newly_watched.then_some(Effect::ReadConfiguration));
                effects
            };
            shared.perform(effects).await;
            place
        }
        Err(error) => {
            tracing::error!("looking for skills failed: {error}");
            Watched {
                watches: Watches::new(shared.changes.clone()),
                roots: Vec::new(),
                configuration: Vec::new(),
            }
        }
    }
}

/// The files of skills that were opened, typed into or closed between the one look and the other.
fn differing(before: &[OpenSkill], now: &[OpenSkill]) -> impl Iterator<Item = PathBuf> {
    let is_in = |skills: &[OpenSkill], (path, text): &OpenSkill| {
        let is_same = |(other, its): &OpenSkill| other == path && Arc::ptr_eq(its, text);
        skills.iter().any(is_same)
    };
    let opened = now.iter().filter(|skill| !is_in(before, skill));
    let closed = before.iter().filter(|skill| !is_in(now, skill));
    let paths: BTreeSet<_> = opened.chain(closed).map(|(path, _)| path.clone()).collect();
    paths.into_iter()
}

/// Reads skills of the catalog again that changed, the first at once, others as soon as it is quiet: who types must not
/// wait for a catalog a key.
pub fn follow(shared: &Arc<Shared>) {
    let (shared, connection) = (shared.clone(), &shared.connection);
    connection.run(async move {
        loop {
            shared.reread.notified().await;
            let effects = reread(&shared).await;
            shared.perform(effects).await;
            tokio::time::sleep(QUIET).await;
        }
    });
}

/// Reads the changed skills again, each from its buffer or else from the disk, and takes them as one change; where one is
/// not known yet, all are looked for.
async fn reread(shared: &Arc<Shared>) -> Effects {
    let paths = std::mem::take(&mut shared.state().unread);
    loop {
        let (catalog, texts) = {
            let state = shared.state();
            (state.catalog.clone(), texts(&state, &paths))
        };
        let (base, files) = (catalog.clone(), paths.clone());
        let updated = tokio::task::spawn_blocking(move || {
            let reread = |catalog: Catalog, (file, buffer): (PathBuf, Option<Arc<str>>)| match buffer {
                Some(text) => catalog.with_text(&file, text),
                None => catalog.with_file(&file),
            };
            files.into_iter().zip(texts).try_fold(Catalog::clone(&base), reread)
        });
        match updated.await {
            Ok(Some(updated)) => {
                let mut state = shared.state();
                // A text that came meanwhile is read next; another catalog may know more than this one.
                if Arc::ptr_eq(&catalog, &state.catalog) {
                    return state.set_catalog(updated);
                }
            }
            Ok(None) => return vec![Effect::Rescan],
            Err(error) => {
                tracing::error!("reading skills again failed: {error}");
                return Effects::new();
            }
        }
    }
}

/// The texts of the buffers of these files; `None` where one is not open.
fn texts(state: &State, paths: &BTreeSet<PathBuf>) -> Vec<Option<Arc<str>>> {
    let text = |path: &PathBuf| Some(state.documents.of_path(path)?.text().clone());
    paths.iter().map(text).collect()
}

/// Looks for skills again where a folder of a document has some of its own.
pub fn touch(shared: &Arc<Shared>, folder: PathBuf) {
    let opened = shared.state().folder_paths();
    let is_inside = move |folder: &Path| {
        let around = |opened: &PathBuf| folder.starts_with(opened) && folder != opened;
        opened.iter().any(around)
    };
    if !is_inside(&folder) {
        return;
    }
    let shared = shared.clone();
    tokio::task::spawn_blocking(move || {
        if folder.ancestors().take_while(|it| is_inside(it)).any(has_nested) {
            shared.rescan.notify_one();
        }
    });
}
