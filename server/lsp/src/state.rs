//! The server's state: one owner, short locks, and snapshots for readers.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skills_agent::catalog::Catalog;
use tokio::sync::Notify;
use tower_lsp::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri, WorkspaceFolder};

use crate::analysis::{self, Analysis};
use crate::capabilities::Client;
use crate::document::{self, Document, Documents};
use crate::edits::FileLocks;
use crate::environment::Environment;
use crate::protocol::{ActiveParams, ActiveSkill, PermissionParams, Why};
use crate::requests::rename::Move;
use crate::settings::Settings;
use crate::to_proto;
use crate::turns::Agent;

/// All that changes in the server, touched only for the moment that a change takes.
#[derive(Debug, Default)]
pub struct State {
    /// What the client can do.
    pub client: Arc<Client>,
    /// The settings that came with `initialize`, under those that come later.
    pub initial_settings: Settings,
    /// The person's settings.
    pub settings: Arc<Settings>,
    /// What was wrong with the initial settings, until the client can be told.
    pub problems: Vec<String>,
    /// The open documents.
    pub documents: Documents,
    /// The workspace's folders.
    pub folders: Arc<Vec<Folder>>,
    /// All skills that were found.
    pub catalog: Arc<Catalog>,
    /// The skills that each open document activates.
    pub active: Arc<HashMap<Uri, Vec<ActiveSkill>>>,
    /// The folder that the server asked the client to rename last: its edits went along.
    pub renaming: Option<Move>,
    /// The agent's conversation and its running turn.
    pub agent: Agent,
}

/// A folder of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// As the client spells it.
    pub uri: Uri,
    /// With links resolved.
    pub path: PathBuf,
}

impl Folder {
    /// A folder of the client; `None` for one that is not on this machine.
    pub fn of(folder: &WorkspaceFolder) -> Option<Self> {
        Self::at(folder.uri.clone())
    }

    /// The folder at a URI.
    pub fn at(uri: Uri) -> Option<Self> {
        Some(Self {
            path: document::file_path(&uri)?,
            uri,
        })
    }
}

/// What is to be done after a change of state, outside the lock.
#[derive(Debug)]
pub enum Effect {
    /// Pushes a document's findings.
    Publish(PublishDiagnosticsParams),
    /// Tells which skills a document activates.
    Active(ActiveParams),
    /// Asks a client that pulls diagnostics to do it again.
    RefreshDiagnostics,
    /// Asks the client for code lenses again.
    RefreshLenses,
    /// Asks the client for inlay hints again.
    RefreshHints,
    /// Looks for skills again, in the background.
    Rescan,
    /// Reads one skill again from its buffer, in the background.
    Reread(Uri),
    /// Analyses a long document in the background.
    Analyse(Uri),
    /// Tells the person that something is wrong.
    Warn(String),
}

/// Effects, in the order in which the client is to see them.
pub type Effects = Vec<Effect>;

impl State {
    /// What a request needs to know, as it is now.
    pub fn snapshot(&self, uri: Option<&Uri>) -> Snapshot {
        Snapshot {
            client: self.client.clone(),
            document: uri.and_then(|uri| self.documents.get(uri)).cloned(),
            folders: self.folders.clone(),
            catalog: self.catalog.clone(),
            settings: self.settings.clone(),
            active: self.active.clone(),
            questions: self.agent.questions.open(),
            turn_is_running: self.agent.is_running(),
            has_undoable_turn: self.agent.has_undoable_turn(),
        }
    }

    /// Analyses a document if it is a skill; a long one in the background.
    pub fn analyse(&mut self, uri: &Uri) -> Effects {
        let Some(document) = self.documents.get_mut(uri) else {
            return Effects::new();
        };
        if !document.is_skill() {
            return Effects::new();
        }
        if document.text.len() > analysis::INLINE_LIMIT {
            return vec![Effect::Analyse(uri.clone())];
        }
        let analysis = Analysis::of(document.text.clone(), &document.slash_path());
        self.analysed(uri, analysis)
    }

    /// Takes an analysis, unless the document has changed since.
    pub fn analysed(&mut self, uri: &Uri, analysis: Analysis) -> Effects {
        let Some(document) = self.documents.get_mut(uri) else {
            return Effects::new();
        };
        if !Arc::ptr_eq(&document.text, &analysis.file.text) {
            return Effects::new();
        }
        document.analysis = Some(Arc::new(analysis));
        if self.client.pulls_diagnostics {
            return Effects::new();
        }
        let document = document.clone();
        vec![Effect::Publish(PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics: document.diagnostics(&self.client),
            version: Some(document.version),
        })]
    }

    /// Takes back what was shown for a document that is closed.
    pub fn withdraw_diagnostics(&self, document: &Document) -> Effects {
        if document.analysis.is_none() || self.client.pulls_diagnostics {
            return Effects::new();
        }
        vec![Effect::Publish(PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics: Vec::new(),
            version: None,
        })]
    }

    /// Looks for skills again where a document is one: the catalog reflects the buffer.
    pub fn rescan_for(&self, uri: &Uri) -> Effects {
        if self.documents.get(uri).is_some_and(Document::is_skill) {
            vec![Effect::Rescan]
        } else {
            Effects::new()
        }
    }

    /// Where the workspace's folders lie.
    pub fn folder_paths(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.path.clone()).collect()
    }

    /// Replaces the workspace's folders.
    pub fn set_folders(&mut self, folders: Vec<Folder>) -> Effects {
        self.folders = Arc::new(folders);
        vec![Effect::Rescan]
    }

    /// Takes a new catalog.
    pub fn set_catalog(&mut self, catalog: Catalog) -> Effects {
        self.catalog = Arc::new(catalog);
        self.activate()
    }

    /// Works out which skills the open documents activate; tells what changed.
    pub fn activate(&mut self) -> Effects {
        let mut effects = Effects::new();
        let mut active = HashMap::new();
        for document in self.documents.iter() {
            let skills = document
                .path
                .as_deref()
                .map(|path| active_skills(&self.catalog, path))
                .unwrap_or_default();
            if self.active.get(&document.uri).map(Vec::as_slice).unwrap_or_default() != skills {
                effects.push(Effect::Active(ActiveParams {
                    uri: Some(document.uri.clone()),
                    skills: skills.clone(),
                }));
            }
            if !skills.is_empty() {
                active.insert(document.uri.clone(), skills);
            }
        }
        for (uri, _) in self.active.iter().filter(|(uri, _)| self.documents.get(uri).is_none()) {
            effects.push(Effect::Active(ActiveParams {
                uri: Some(uri.clone()),
                skills: Vec::new(),
            }));
        }
        self.active = Arc::new(active);
        let has_changed = !effects.is_empty();
        if !self.client.agent.active {
            effects.clear();
        }
        if has_changed && self.client.refreshes_lenses {
            effects.push(Effect::RefreshLenses);
        }
        effects
    }
}

/// The skills that a file activates, with every reason once.
fn active_skills(catalog: &Catalog, path: &Path) -> Vec<ActiveSkill> {
    let mut skills: BTreeMap<(String, Option<String>), ActiveSkill> = BTreeMap::new();
    for activation in catalog.matching(path) {
        let skill = &activation.skill;
        let file = skill.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let entry = skills
            .entry((skill.name.clone(), file.clone()))
            .or_insert_with(|| ActiveSkill {
                name: skill.name.clone(),
                path: file,
                description: skill.description.clone().unwrap_or_default(),
                why: Vec::new(),
                dialect: skill.dialect.name().to_owned(),
                state: "active".to_owned(),
            });
        entry.why.push(Why {
            kind: activation.why.kind.name().to_owned(),
            pattern: Some(activation.why.text.clone()),
            matched: Some(activation.why.matched.clone()),
        });
    }
    skills.into_values().collect()
}

/// What a request sees: a few shared pointers, unaffected by what comes later.
#[derive(Debug)]
pub struct Snapshot {
    /// What the client can do.
    pub client: Arc<Client>,
    /// The document that the request is about.
    pub document: Option<Document>,
    /// The workspace's folders.
    pub folders: Arc<Vec<Folder>>,
    /// All skills that were found.
    pub catalog: Arc<Catalog>,
    /// The person's settings.
    pub settings: Arc<Settings>,
    /// The skills that each open document activates.
    pub active: Arc<HashMap<Uri, Vec<ActiveSkill>>>,
    /// Questions that wait for an answer and were shown in no other way.
    pub questions: Vec<PermissionParams>,
    /// Whether a turn runs.
    pub turn_is_running: bool,
    /// Whether there is a turn whose edits can be taken back.
    pub has_undoable_turn: bool,
}

impl Snapshot {
    /// Why open documents activate the skill that a document is: one reason each.
    pub fn activating(&self, skill: &Document) -> Vec<&Why> {
        let path = skill
            .path
            .as_deref()
            .and_then(|path| self.catalog.at(path)?.path.as_deref());
        let is_it = |active: &&ActiveSkill| path.is_some() && active.path.as_deref().map(Path::new) == path;
        let active = self.active.values().filter_map(|skills| skills.iter().find(is_it));
        active.filter_map(|active| active.why.first()).collect()
    }
}

/// The state and what its changes are told by; shared by handlers and turns.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    /// The other end of the connection.
    pub client: tower_lsp::Client,
    /// What the process gives.
    pub environment: Environment,
    /// Set when the skills are to be looked for again.
    pub rescan: Notify,
    /// One writer a file.
    pub file_locks: FileLocks,
}

impl Shared {
    /// The state of a new connection.
    pub fn new(client: tower_lsp::Client, environment: Environment) -> Self {
        Self {
            state: Mutex::default(),
            client,
            environment,
            rescan: Notify::new(),
            file_locks: FileLocks::default(),
        }
    }

    /// The state, for a moment. A panic while it was held cost one message, not the state.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Document {
    /// Whether this is a skill file.
    pub fn is_skill(&self) -> bool {
        analysis::is_skill(&self.slash_path(), &self.language)
    }

    /// The findings in the protocol's terms.
    pub fn diagnostics(&self, client: &Client) -> Vec<Diagnostic> {
        let findings = self.analysis.iter().flat_map(|analysis| &analysis.findings);
        findings
            .map(|finding| to_proto::diagnostic(self, client.encoding, finding))
            .collect()
    }
}
