//! Rules that a person chose to keep: for a session, a workspace, or always.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use crate::record;

/// How long a rule is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Until the session ends; never with a session that is resumed.
    Session,
    /// In one folder.
    Workspace,
    /// Everywhere.
    User,
}

/// The kept rules that allow: those of the session in memory, others in `permissions.json` of the state folder, which
/// lies outside of every repository. Other servers of the same person write it too, so it is read anew each time, and what
/// is kept is added to what they kept.
#[derive(Debug, Default)]
pub struct Grants {
    file: Option<PathBuf>,
    session: Mutex<Vec<Rule>>,
    /// The kinds of files whose edits a person allowed until the session ends, by folder of the workspace.
    edited: Mutex<HashSet<(PathBuf, &'static str)>>,
    /// The lists of tools that a person confirmed: skill, hash of its text, list.
    confirmed: Mutex<HashSet<(String, String, Vec<String>)>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    version: u32,
    /// Rules that hold everywhere.
    #[serde(default)]
    user: Vec<String>,
    /// By absolute path of the folder without symbolic links.
    #[serde(default)]
    workspaces: BTreeMap<PathBuf, Vec<String>>,
}

impl Grants {
    /// The rules below a state folder, which is made when one is kept. Without one, only the session's are kept.
    pub fn new(state: &Path) -> Self {
        Self {
            file: Some(state.join("permissions.json")),
            ..Self::default()
        }
    }

    /// The rules that hold in a folder. An unreadable record and rules that can't be read allow nothing.
    pub fn of(&self, folder: &Path) -> Vec<Rule> {
        let record = self.read().unwrap_or_else(|error| {
            tracing::warn!("the kept permissions can't be read, so none of them holds: {error}");
            Record::default()
        });
        let kept = record.workspaces.get(folder).into_iter().flatten().chain(&record.user);
        let kept = kept.filter_map(|text| Rule::parse(text).ok());
        self.session.lock().iter().cloned().chain(kept).collect()
    }

    /// Keeps rules.
    ///
    /// # Errors
    /// Where the record can't be read or written, or another program holds it for 10 seconds: it is not replaced then,
    /// because it may hold other rules.
    pub async fn keep(&self, scope: Scope, folder: &Path, rules: &[Rule]) -> io::Result<()> {
        if scope == Scope::Session {
            self.session.lock().extend_from_slice(rules);
            return Ok(());
        }
        let file = self
            .file
            .clone()
            .ok_or_else(|| io::Error::other("there is no state folder"))?;
        let folder = folder.to_owned();
        let rules: Vec<String> = rules.iter().map(|rule| rule.text().to_owned()).collect();
        let keep = move |record: &mut Record| {
            record.version = 1;
            let list = match scope {
                Scope::User => &mut record.user,
                _ => record.workspaces.entry(folder).or_default(),
            };
            for rule in rules {
                if !list.contains(&rule) {
                    list.push(rule);
                }
            }
        };
        record::beside(move || record::update(&file, record::PATIENCE, keep)).await
    }

    /// Whether edits of a kind of files are allowed in a folder until the session ends.
    pub(super) fn may_edit(&self, folder: &Path, kind: &'static str) -> bool {
        self.edited.lock().contains(&(folder.to_owned(), kind))
    }

    pub(super) fn allow_edits(&self, folder: &Path, kind: &'static str) {
        self.edited.lock().insert((folder.to_owned(), kind));
    }

    /// Whether a person confirmed exactly this list for exactly this text.
    pub(super) fn is_confirmed(&self, skill: &str, sha256: &str, tools: &[String]) -> bool {
        let key = (skill.to_owned(), sha256.to_owned(), tools.to_vec());
        self.confirmed.lock().contains(&key)
    }

    pub(super) fn confirm(&self, skill: &str, sha256: &str, tools: &[String]) {
        let key = (skill.to_owned(), sha256.to_owned(), tools.to_vec());
        self.confirmed.lock().insert(key);
    }

    fn read(&self) -> io::Result<Record> {
        self.file
            .as_ref()
            .map_or_else(|| Ok(Record::default()), |file| record::read(file))
    }
}
