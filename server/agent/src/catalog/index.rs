//! Which skills a path may activate, and which skill lies at a path, without asking each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::glob::Literals;

use super::skill::{Skill, relative};

/// The conditional skills, by what every path has that one of their patterns matches.
#[derive(Debug, Default)]
pub(super) struct Index {
    groups: Vec<Group>,
    /// The skills by the hash of each path of their files, sorted.
    files: Vec<(u64, u32)>,
}

/// Skills whose patterns start at the same folders.
#[derive(Debug)]
struct Group {
    bases: Arc<[PathBuf]>,
    /// By what a path starts with: folders with their slash, or all of it.
    prefixes: Bucket,
    names: Bucket,
    /// By a folder anywhere in a path.
    folders: Bucket,
    extensions: Bucket,
    /// Skills with a pattern of which nothing is known.
    others: Vec<u32>,
}

/// Positions of skills in the catalog.
type Bucket = HashMap<Box<str>, Vec<u32>>;

impl Index {
    /// The index of a catalog's skills.
    pub(super) fn of(skills: &[Arc<Skill>]) -> Self {
        let mut index = Self::default();
        for (position, skill) in (0..).zip(skills) {
            index.files.extend(skill.paths().map(|path| (hash(path), position)));
            if !skill.is_conditional() {
                continue;
            }
            let group = match index.groups.iter().position(|group| group.bases == skill.bases) {
                Some(at) => &mut index.groups[at],
                None => {
                    index.groups.push(Group::new(skill.bases.clone()));
                    let last = index.groups.len() - 1;
                    &mut index.groups[last]
                }
            };
            for literals in skill.literals() {
                group.add(position, literals);
            }
        }
        index.files.sort_unstable();
        index.files.shrink_to_fit();
        index
    }

    /// The skills whose file may have this path, in the order of the catalog.
    pub(super) fn at(&self, path: &Path) -> impl Iterator<Item = u32> {
        let wanted = hash(path);
        let first = self.files.partition_point(|(hash, _)| *hash < wanted);
        let found = self.files[first..].iter().take_while(move |(hash, _)| *hash == wanted);
        found.map(|(_, position)| *position)
    }

    /// The skills that a file may activate, each once, with the paths to ask them about.
    pub(super) fn candidates(&self, file: &Path) -> Vec<(u32, Arc<str>)> {
        let mut found = Vec::new();
        for group in &self.groups {
            for base in group.bases.iter() {
                let Some(path) = relative(base, file) else { continue };
                let mut positions = group.candidates(&path);
                positions.sort_unstable();
                positions.dedup();
                let path: Arc<str> = path.into();
                found.extend(positions.into_iter().map(|position| (position, path.clone())));
            }
        }
        // Sorted by position and not by base: the first spelling of a base counts.
        found.sort_by_key(|(position, _)| *position);
        found
    }
}

fn hash(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.as_os_str().hash(&mut hasher);
    hasher.finish()
}

impl Group {
    fn new(bases: Arc<[PathBuf]>) -> Self {
        Self {
            bases,
            prefixes: Bucket::new(),
            names: Bucket::new(),
            folders: Bucket::new(),
            extensions: Bucket::new(),
            others: Vec::new(),
        }
    }

    /// The rarest of what is known decides: a whole path, a name, the folders it starts with, one on its way, an extension.
    fn add(&mut self, position: u32, literals: Literals) {
        let is_whole = !literals.prefix.is_empty() && !literals.prefix.ends_with('/');
        let (bucket, key) = match literals {
            Literals { prefix, .. } if is_whole => (&mut self.prefixes, prefix),
            Literals { name: Some(name), .. } => (&mut self.names, name),
            Literals { prefix, .. } if !prefix.is_empty() => (&mut self.prefixes, prefix),
            Literals {
                folder: Some(folder), ..
            } => (&mut self.folders, folder),
            Literals {
                extension: Some(extension),
                ..
            } => (&mut self.extensions, extension),
            _ => return self.others.push(position),
        };
        let positions = bucket.entry(key.into()).or_default();
        if positions.last() != Some(&position) {
            positions.push(position);
        }
    }

    fn candidates(&self, path: &str) -> Vec<u32> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
        let prefixes = folders.chain([path]).filter_map(|prefix| self.prefixes.get(prefix));
        let on_the_way = path.split('/').filter_map(|folder| self.folders.get(folder));
        let extension = name
            .rsplit_once('.')
            .and_then(|(_, extension)| self.extensions.get(extension));
        let found = prefixes
            .chain(self.names.get(name))
            .chain(on_the_way)
            .chain(extension)
            .chain([&self.others]);
        found.flatten().copied().collect()
    }
}
