//! What was there before a command ran, of all that it must not change.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Identity, files, identity, rights};
use super::text::Text;
use super::{Guarded, IsTheirs, all_theirs};

/// What is compared with what is there later.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Files and folders that must not be changed.
    pub(super) held: BTreeSet<PathBuf>,
    /// What must not be read.
    hidden: BTreeMap<PathBuf, Identity>,
    /// What is put back: links, which no mount holds, and all files in them where the kernel does not hold them.
    pub(super) texts: BTreeMap<PathBuf, Text>,
    /// What git is still to do in each repository.
    pub(super) plans: BTreeMap<PathBuf, Text>,
    /// The folders above them, each with what it is: a command can move one away, and put another in its place.
    pub(super) above: BTreeMap<PathBuf, Identity>,
    /// Their rights, which a command can change to close them or to let others in.
    pub(super) rights: BTreeMap<PathBuf, u32>,
    /// Folders that nobody could look into.
    pub(super) closed: BTreeSet<PathBuf>,
}

impl Before {
    /// What is there now, but for the work of commands that run already: what they made is theirs and new, what they
    /// changed or removed is as it was before them.
    pub(super) fn of(
        guarded: &Guarded,
        plans: BTreeSet<PathBuf>,
        closed: BTreeSet<PathBuf>,
        running: &[Arc<Guarded>],
        is_theirs: IsTheirs,
    ) -> Self {
        let is = |place: &PathBuf| identity(place).map(|is| (place.clone(), is));
        let mut before = Self {
            hidden: guarded.hidden.iter().filter_map(is).collect(),
            closed,
            ..Self::default()
        };
        for older in running {
            before.inherit(guarded, &older.before);
        }
        let inherited = before.held.clone();
        let is_inherited = |place: &Path| place.ancestors().any(|above| inherited.contains(above));
        let others: Vec<_> = running.iter().map(|older| (older, older.before.others())).collect();
        let is_made = |place: &Path| {
            let lacks = |(older, others): &(&Arc<Guarded>, HashSet<&Path>)| {
                older.covers(place) && !older.before.knows(place, others)
            };
            others.iter().any(lacks) && !all_theirs(place, is_theirs)
        };
        let own = guarded.held.iter();
        let own = own.filter(|place| !is_inherited(place) && !is_made(place));
        before.held.extend(own.cloned());
        let keeps = guarded.look.keeps_texts;
        let files = before.held.iter().flat_map(|place| match keeps {
            true => files(place).collect(),
            false => vec![place.clone()],
        });
        let files = files.filter(|file| keeps || file.is_symlink());
        let files = files.filter(|file| !is_inherited(file) || is_theirs(file));
        let texts: Vec<_> = files.map(|file| (Text::of(&file), file)).collect();
        before.texts.extend(texts.into_iter().map(|(text, file)| (file, text)));
        for plan in plans {
            let lacks = |older: &Arc<Guarded>| !older.look.was_asked && !older.before.plans.contains_key(&plan);
            if !before.plans.contains_key(&plan) && (!running.iter().any(lacks) || is_theirs(&plan)) {
                before.plans.insert(plan.clone(), Text::of(&plan));
            }
        }
        for older in running {
            before
                .closed
                .retain(|folder| older.before.closed.contains(folder) || !older.covers(folder));
        }
        before.look_above(&guarded.folders);
        before
    }

    /// What was there before a command that runs already; what others wrote since is taken as it is.
    fn inherit(&mut self, guarded: &Guarded, older: &Self) {
        for place in older.held.iter().filter(|place| guarded.covers(place)) {
            if !self.held.insert(place.clone()) {
                continue;
            }
            let texts = older.texts.range(place.clone()..);
            let texts = texts.take_while(|(file, _)| file.starts_with(place));
            self.texts
                .extend(texts.map(|(file, text)| (file.clone(), text.clone())));
            for folder in place.ancestors().skip(1) {
                if let Some(was) = older.above.get(folder) {
                    self.above.entry(folder.to_owned()).or_insert(*was);
                }
                if let Some(had) = older.rights.get(folder) {
                    self.rights.entry(folder.to_owned()).or_insert(*had);
                }
            }
        }
        for (plan, text) in &older.plans {
            self.plans.entry(plan.clone()).or_insert_with(|| text.clone());
        }
    }

    fn look_above(&mut self, roots: &[PathBuf]) {
        let is_inside = |path: &&Path| roots.iter().any(|root| path.starts_with(root) && path != root);
        let above = self
            .held
            .iter()
            .flat_map(|place| place.ancestors().skip(1).filter(is_inside));
        for folder in above.collect::<BTreeSet<_>>() {
            if let Some(had) = rights(folder) {
                self.rights.entry(folder.to_owned()).or_insert(had);
            }
            if let Some(is) = identity(folder) {
                self.above.entry(folder.to_owned()).or_insert(is);
            }
        }
    }

    /// The folders in whose place another one is, or none.
    pub(super) fn others(&self) -> HashSet<&Path> {
        let is_other = |(folder, was): &(&PathBuf, &Identity)| identity(folder) != Some(**was);
        let others = self.above.iter().filter(is_other);
        others.map(|(folder, _)| &**folder).collect()
    }

    /// Whether something is not where it was, and may be anywhere.
    pub(super) fn has_strays(&self) -> bool {
        let is_away = |(place, was): (&PathBuf, &Identity)| identity(place).as_ref() != Some(was);
        self.hidden.iter().any(is_away) || !self.others().is_empty()
    }

    /// Whether something of this name was held in a folder, wherever that is now.
    pub(super) fn had(&self, folder: &Identity, name: &OsStr) -> bool {
        let places = self.above.iter().filter(|(_, is)| *is == folder);
        let mut places = places.map(|(place, _)| place.join(name));
        places.any(|place| place.ancestors().any(|above| self.held.contains(above)))
    }

    /// Whether a place was there, or what it lies in; not where that is one of the `others`.
    pub(super) fn knows(&self, place: &Path, others: &HashSet<&Path>) -> bool {
        let held = place.ancestors().find(|above| self.held.contains(*above));
        held.is_some_and(|held| held.ancestors().skip(1).all(|above| !others.contains(above)))
    }
}
