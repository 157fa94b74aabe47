use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use skills_schema::dialect::Dialect;
use skills_schema::reader::Search;

use super::bundled;
use super::roots::{self, Root};
use super::scope::{Discovery, Location};
use super::skill::{How, Skill, SkillPlace};
use super::subagents::Subagents;
use super::walk::{self, Found};
use super::{Catalog, CatalogError, always_on, disputes, precedence, switches};

impl Discovery {
    /// Finds and reads all skills. Reads the disk, so it belongs on a thread that may block.
    pub fn run(&self) -> Catalog {
        let search = self.search();
        let mut errors = Vec::new();
        let places = self.places(search, &mut errors);
        let how = self.reading();
        let mut skills = self.read(places, &how);
        if self.search().bundles {
            let bases: Arc<[PathBuf]> = self.folders.clone().into();
            let bundled = self.bundled.iter().flat_map(bundled::enabled);
            skills.extend(bundled.map(|bundled| Arc::new(Skill::bundled(bundled, bases.clone(), &how))));
        }
        let always_on = always_on::find(self, &mut errors);
        errors.sort_by(|a, b| a.path.cmp(&b.path));
        errors.dedup();
        if let Some(view) = self.view() {
            switches::turn_off(self, view, &mut skills);
        }
        precedence::resolve(&mut skills, self.view().map(Dialect::search), None);
        let disputes = if self.view().is_none() {
            disputes::disputes(self, &skills)
        } else {
            Arc::default()
        };
        Catalog {
            subagents: Subagents::of(self),
            disputes,
            ..Catalog::new(skills, always_on, errors, how)
        }
    }

    /// Where skills are looked for, the best first.
    pub fn locations(&self) -> Vec<Location> {
        let location = |root: Root| Location {
            path: root.path,
            base: root.base,
            source: root.source,
            is_trusted: root.is_trusted,
        };
        roots::roots(self, self.search()).into_iter().map(location).collect()
    }

    /// The system whose view is wanted; `None` for our own.
    fn view(&self) -> Option<Dialect> {
        self.reading().dialect()
    }

    /// How each skill is read.
    fn reading(&self) -> How {
        How {
            reader: self.reader,
            configured: self.configured.clone(),
        }
    }

    fn search(&self) -> &'static Search {
        self.view().unwrap_or_default().search()
    }

    /// The files, each once however often it is reached, with its other paths.
    fn places(&self, reader: &Search, errors: &mut Vec<CatalogError>) -> Vec<SkillPlace> {
        let mut places: Vec<SkillPlace> = Vec::new();
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        for root in roots::roots(self, reader) {
            let base: Arc<Path> = root.base.as_path().into();
            let mut found = walk::skills(&root, reader, errors);
            let open = self.open.keys().filter(|path| !path.exists());
            found.extend(open.filter_map(|path| walk::would_be(&root, reader, path)));
            for Found { path, real, kind, name } in found {
                if let Some(place) = known.get(&real).and_then(|at| places.get_mut(*at)) {
                    if place.path != path && !place.aliases.contains(&path) {
                        place.aliases.push(path);
                        place.aliases.sort();
                    }
                    continue;
                }
                let aliases = if real == path { Vec::new() } else { vec![real.clone()] };
                known.insert(real, places.len());
                places.push(SkillPlace {
                    source: root.source,
                    kind,
                    path,
                    aliases,
                    root: base.clone(),
                    nested_in: root.nested_in.clone(),
                    name: match &root.plugin {
                        Some(plugin) => format!("{plugin}:{name}"),
                        None => name,
                    },
                    bases: root.bases.clone(),
                    order: root.order,
                    is_trusted: root.is_trusted,
                });
            }
        }
        places
    }

    /// Reads the files, on as many threads as there are processors. Each skill has its place in memory at once: a list of
    /// ten thousand that grows would take twice their memory.
    fn read(&self, places: Vec<SkillPlace>, how: &How) -> Vec<Arc<Skill>> {
        let read = |place: SkillPlace| {
            let mut paths = std::iter::once(&place.path).chain(&place.aliases);
            let open = paths.find_map(|path| self.open.get(path)).cloned();
            Arc::new(Skill::read(place, open, how))
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        if threads == 1 || places.len() < MANY {
            return places.into_iter().map(read).collect();
        }
        let queue = Mutex::new(places.into_iter());
        let next = || {
            let mut queue = queue.lock();
            queue.by_ref().take(MANY / 4).collect::<Vec<_>>()
        };
        let work = || {
            let mut skills = Vec::new();
            loop {
                let batch = next();
                if batch.is_empty() {
                    return skills;
                }
                skills.extend(batch.into_iter().map(read));
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut skills = work();
            // A thread that panics takes its skills with it; it is the program's mistake and is said there.
            skills.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
            skills
        })
    }
}

/// From so many files on threads are worth their cost.
const MANY: usize = 64;
