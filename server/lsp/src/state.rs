//! The server's state: one owner, short locks, and snapshots for readers.

pub mod agent;
mod file_locks;
pub mod previews;
pub mod skills;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use skills_agent::catalog::Catalog;
use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::permission::SaidTrust;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower_lsp::ls_types::{Diagnostic, PublishDiagnosticsParams, Range, Uri, WorkspaceFolder};

use crate::analysis::{self, Analysis, Configured};
use crate::capabilities::Client;
use crate::checks::{self, Checking};
use crate::document::{self, Around, Document, Documents};
use crate::environment::Environment;
use crate::protocol::{ActiveParams, ActiveSkill, ChangesParams, PermissionParams, Why};
use crate::settings::Settings;
use crate::surroundings::{Surroundings, View};
use crate::to_proto;
use crate::unreviewed;

use self::agent::Agent;
use self::agent::sessions::Open;
use self::file_locks::FileLocks;
use self::previews::{Previews, Shown};

/// How long a burst of changes is waited for before anything is looked at again.
pub const QUIET: Duration = Duration::from_millis(100);

/// All that changes in the server, touched only for the moment that a change takes.
#[derive(Debug, Default)]
pub struct State {
    /// What the client can do.
    pub client: Arc<Client>,
    /// The settings that came with `initialize`, under those that come later.
    pub initial_settings: Settings,
    /// The person's settings.
    pub settings: Arc<Settings>,
    /// How the files of each folder are checked.
    pub checking: Arc<Checking>,
    /// What is wrong with the initial settings, until the client can be told.
    pub unsaid: Effects,
    /// The configuration files with something wrong in them.
    misconfigured: Vec<checks::Read>,
    /// The open documents.
    pub documents: Documents,
    /// The workspace's folders.
    pub folders: Arc<Vec<Folder>>,
    /// All skills that were found.
    pub catalog: Arc<Catalog>,
    /// Documents that were open at some time, one a folder.
    pub touched: BTreeSet<PathBuf>,
    /// The skills that each open document activates.
    pub active: Arc<HashMap<Uri, Vec<ActiveSkill>>>,
    /// The folder that the server asked the client to rename last: its edits went along.
    pub renaming: Option<FolderMove>,
    /// The agent's conversation and its running turn.
    pub agent: Agent,
    /// What the editor says of folders that the person trusts, or does not.
    pub editor_trust: BTreeMap<PathBuf, bool>,
    /// Where the person is, in clients that tell it.
    pub focus: Option<Focus>,
    /// The previews that somebody looks at.
    pub previews: Previews,
    /// The skill that a shown document tells of: who loads it.
    pub explained: Option<Uri>,
    /// The documents whose surroundings are to be looked at.
    unlooked: HashSet<Uri>,
    /// The files that changed since somebody looked.
    changed: Vec<PathBuf>,
    /// Skills of the catalog whose text has changed since they were read.
    pub(crate) unread: BTreeSet<PathBuf>,
    /// Whether the skills were looked for once.
    pub(crate) has_catalog: bool,
}

/// A folder that gets another name, from and to where.
pub type FolderMove = (PathBuf, PathBuf);

/// One look around a document.
#[derive(Debug)]
pub struct Look {
    /// The document.
    pub document: Document,
    /// What is known of it.
    pub analysis: Arc<Analysis>,
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

/// The document that the person looks at, and what they selected in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Focus {
    /// The document, in a folder of the workspace.
    pub uri: Uri,
    /// What is selected, or where the cursor is.
    pub selection: Option<Range>,
}

/// What is to be done after a change of state, outside the lock.
#[derive(Debug)]
pub enum Effect {
    /// Pushes a document's findings.
    Publish(PublishDiagnosticsParams),
    /// Tells which skills a document activates.
    Active(ActiveParams),
    /// Tells what the agent changed in a document.
    Changes(ChangesParams),
    /// Asks a client that pulls diagnostics to do it again.
    RefreshDiagnostics,
    /// Asks the client for code lenses again.
    RefreshLenses,
    /// Asks the client for semantic tokens again.
    RefreshTokens,
    /// Asks the client for inlay hints again.
    RefreshHints,
    /// Tells the client which model the next turn asks.
    ModelChanged,
    /// Looks for skills again, in the background.
    Rescan,
    /// Reads one skill again, from its buffer or from the disk, in the background.
    Reread(PathBuf),
    /// A document of this folder is open: looks whether the folder has skills of its own.
    Touch(PathBuf),
    /// Files changed on disk.
    Changed(Vec<PathBuf>),
    /// Analyses a long document in the background.
    Analyse(Uri),
    /// Looks around the documents that need it, in the background.
    LookAround,
    /// A skill is new, changed or gone: the hooks of sessions are told.
    SkillChanged(PathBuf),
    /// Reads the configuration files again, in the background.
    ReadConfiguration,
    /// Writes anew who loads a skill.
    Explain(Uri),
    /// A preview that is shown would be another text by now.
    PreviewChanged(Shown),
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
            questions: self.agent.questions.in_editor(),
            session: self.agent.sessions.get(None).ok().map(|open| open.session.id.clone()),
            changes: self.agent.changes(),
            turn_is_running: self.agent.is_running(),
            has_undoable_turn: self.agent.has_undoable_turn(),
        }
    }

    /// Analyses a document if it is a skill; a long one in the background.
    pub fn analyse(&mut self, uri: &Uri) -> Effects {
        let Some(document) = self.documents.get_mut(uri) else {
            return Effects::new();
        };
        if document.kind().is_none() {
            return Effects::new();
        }
        if document.rope.len_bytes() > analysis::INLINE_LIMIT {
            return vec![Effect::Analyse(uri.clone())];
        }
        let (text, path) = (document.text().clone(), document.slash_path());
        let configured = configured(&self.checking, document);
        let analysis = Analysis::configured(text, &path, configured, document.analysis.as_deref());
        self.analysed(uri, analysis)
    }

    /// Takes what is configured, and the files that were read for it. Where that changed, all documents are analysed
    /// again, and skills are looked for.
    pub fn set_checking(&mut self, checking: Checking, files: Vec<checks::Read>) -> Effects {
        let mut effects = self.configuration_read(files);
        if *self.checking == checking {
            return effects;
        }
        self.checking = Arc::new(checking);
        let uris: Vec<Uri> = self.documents.iter().map(|document| document.uri.clone()).collect();
        effects.extend(uris.iter().flat_map(|uri| self.analyse(uri)));
        effects.push(Effect::Rescan);
        if self.client.refreshes_diagnostics {
            effects.push(Effect::RefreshDiagnostics);
        }
        effects
    }

    /// Takes the configuration files that were read; tells what is newly wrong in them, and shows where.
    pub fn configuration_read(&mut self, files: Vec<checks::Read>) -> Effects {
        let now = files.into_iter().filter(|file| !file.problems.is_empty());
        let before = std::mem::replace(&mut self.misconfigured, now.collect());
        let known: BTreeSet<String> = before.iter().flat_map(checks::Read::sentences).collect();
        let mut effects = Effects::new();
        for file in &before {
            if !self.misconfigured.iter().any(|now| now.path == file.path) {
                effects.extend(self.show_configuration(&file.path, Vec::new()));
            }
        }
        for file in self.misconfigured.iter().filter(|file| !before.contains(file)) {
            let encoding = self.client.encoding;
            effects.extend(self.show_configuration(&file.path, to_proto::configuration(encoding, file)));
            let new = file.sentences().filter(|sentence| !known.contains(sentence));
            effects.extend(new.map(Effect::Warn));
        }
        effects
    }

    fn show_configuration(&self, path: &Path, diagnostics: Vec<Diagnostic>) -> Option<Effect> {
        let open = self.documents.of_path(path);
        let uri = open.map_or_else(|| Uri::from_file_path(path), |document| Some(document.uri.clone()))?;
        Some(Effect::Publish(PublishDiagnosticsParams {
            uri,
            diagnostics,
            version: None,
        }))
    }

    /// How a document is checked.
    pub fn configured(&self, document: &Document) -> Configured {
        configured(&self.checking, document)
    }

    /// Takes an analysis, unless the document has changed since.
    pub fn analysed(&mut self, uri: &Uri, analysis: Analysis) -> Effects {
        let Some(document) = self.documents.get_mut(uri) else {
            return Effects::new();
        };
        if !Arc::ptr_eq(document.text(), &analysis.file.text) {
            return Effects::new();
        }
        document.analysis = Some(Arc::new(analysis));
        let document = document.clone();
        self.unlooked.insert(uri.clone());
        let mut effects = self.publish(&document);
        effects.push(Effect::LookAround);
        let is_explained = self.explained.as_ref() == Some(uri);
        effects.extend(is_explained.then(|| Effect::Explain(uri.clone())));
        effects
    }

    fn publish(&self, document: &Document) -> Effects {
        if self.client.pulls_diagnostics {
            return Effects::new();
        }
        vec![Effect::Publish(PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics: self.diagnostics(document),
            version: Some(document.version),
        })]
    }

    /// All that is shown for a document: what is wrong in it, and what the agent changed.
    fn diagnostics(&self, document: &Document) -> Vec<Diagnostic> {
        let mut diagnostics = document.diagnostics(&self.client);
        diagnostics.extend(unreviewed::diagnostics(&self.agent.changes(), document, &self.client));
        diagnostics
    }

    /// Shows again what the agent changed in files: something was decided, or the text is another.
    pub fn show_changes(&self, paths: &[PathBuf]) -> Effects {
        let documents = paths.iter().filter_map(|path| self.documents.of_path(path));
        let client = &self.client;
        if client.agent.changes {
            return documents.map(|document| self.tell_changes(document)).collect();
        }
        let mut effects: Effects = documents.flat_map(|document| self.publish(document)).collect();
        if client.pulls_diagnostics && client.refreshes_diagnostics {
            effects.push(Effect::RefreshDiagnostics);
        }
        if client.refreshes_lenses {
            effects.push(Effect::RefreshLenses);
        }
        effects
    }

    /// Shows what the agent changed in a document that was typed in. For one that is analysed its analysis does it.
    pub fn follow_changes(&self, uri: &Uri) -> Effects {
        let document = self.documents.get(uri).filter(|document| self.has_changes(document));
        match document {
            Some(document) if self.client.agent.changes => vec![self.tell_changes(document)],
            Some(document) if document.kind().is_none() => self.publish(document),
            _ => Effects::new(),
        }
    }

    fn tell_changes(&self, document: &Document) -> Effect {
        Effect::Changes(unreviewed::params(&self.agent.changes(), document, &self.client))
    }

    fn has_changes(&self, document: &Document) -> bool {
        let path = document.path.clone();
        path.is_some_and(|path| !self.agent.changes().undecided(&Selection::File(path)).is_empty())
    }

    /// Says that files changed, so that the surroundings of all documents are looked at again.
    pub fn files_changed(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> Effects {
        let paths: Vec<PathBuf> = paths.into_iter().collect();
        let mut effects = self.follow_previews(&paths);
        self.changed.extend(paths);
        effects.extend(self.look_again());
        effects
    }

    /// What the person and their editor say of trust.
    pub fn said_trust(&self) -> SaidTrust {
        SaidTrust {
            setting: self.settings.trust_workspace,
            editor: self.editor_trust.clone(),
        }
    }

    fn look_again(&mut self) -> Effects {
        let analysed = self.documents.iter().filter(|document| document.analysis.is_some());
        self.unlooked.extend(analysed.map(|document| document.uri.clone()));
        if self.unlooked.is_empty() {
            Effects::new()
        } else {
            vec![Effect::LookAround]
        }
    }

    /// Takes what is to be looked at: the documents, what is known of the workspace, and the files that changed.
    pub fn take_looks(&mut self, home: Option<PathBuf>) -> (Vec<Look>, View, Vec<PathBuf>) {
        let uris = std::mem::take(&mut self.unlooked);
        let documents = uris.iter().filter_map(|uri| self.documents.get(uri));
        let looks = documents.filter_map(|document| {
            let analysis = document.analysis.clone()?;
            Arc::ptr_eq(&analysis.file.text, document.text()).then(|| Look {
                document: document.clone(),
                analysis,
            })
        });
        let looks: Vec<Look> = looks.collect();
        let open = self.documents.iter();
        let view = View {
            folders: self.folder_paths(),
            home,
            catalog: self.has_catalog.then(|| self.catalog.clone()),
            open: open
                .filter_map(|document| Some((document.path.clone()?, document.text().clone())))
                .collect(),
        };
        (looks, view, std::mem::take(&mut self.changed))
    }

    /// Takes what a look found, unless the document has changed since; tells what is new.
    pub fn looked(&mut self, uri: &Uri, around: Around) -> Effects {
        let client = self.client.clone();
        let Some(document) = self.documents.get_mut(uri) else {
            return Effects::new();
        };
        if !Arc::ptr_eq(document.text(), &around.text) {
            return Effects::new();
        }
        let before = document.diagnostics(&client);
        let matched = |document: &Document| document.around.as_ref().and_then(|around| around.matches.clone());
        let matched_before = matched(document);
        document.around = Some(Arc::new(around));
        let document = document.clone();
        let mut effects = if document.diagnostics(&client) == before {
            Effects::new()
        } else if client.pulls_diagnostics {
            let refresh = client.refreshes_diagnostics.then_some(Effect::RefreshDiagnostics);
            refresh.into_iter().collect()
        } else {
            self.publish(&document)
        };
        if client.refreshes_lenses && matched(&document) != matched_before {
            effects.push(Effect::RefreshLenses);
        }
        effects
    }

    /// Takes back what was shown for a document that is closed.
    pub fn withdraw_diagnostics(&self, document: &Document) -> Effects {
        if (document.analysis.is_none() && !self.has_changes(document)) || self.client.pulls_diagnostics {
            return Effects::new();
        }
        vec![Effect::Publish(PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics: Vec::new(),
            version: None,
        })]
    }

    /// Where the workspace's folders lie.
    pub fn folder_paths(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.path.clone()).collect()
    }

    /// Replaces the workspace's folders.
    pub fn set_folders(&mut self, folders: Vec<Folder>) -> Effects {
        self.folders = Arc::new(folders);
        vec![Effect::ReadConfiguration, Effect::Rescan]
    }

    /// Takes a new catalog.
    pub fn set_catalog(&mut self, catalog: Catalog) -> Effects {
        let before = std::mem::replace(&mut self.catalog, Arc::new(catalog));
        let was_known = std::mem::replace(&mut self.has_catalog, true);
        let mut effects = self.activate();
        // Comparing costs something, so only where somebody wants to know.
        let is_heard = |open: &Open| open.session.hooks.any("ConfigChange");
        if was_known && self.agent.sessions.iter().any(is_heard) {
            effects.extend(self.catalog.differing(&before).into_iter().map(Effect::SkillChanged));
        }
        // Names of skills are drawn in sentences too.
        let has_others = !was_known || before.skills.len() != self.catalog.skills.len();
        if has_others && self.client.refreshes_tokens {
            effects.push(Effect::RefreshTokens);
        }
        effects.extend(self.look_again());
        effects.extend(self.follow_previews(&[]));
        effects
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

fn configured(checking: &Checking, document: &Document) -> Configured {
    let path = document.path.clone();
    let (checks, relative) = checking.of(&path.unwrap_or_else(|| document.slash_path().into()));
    Configured {
        checks,
        relative,
        ..Configured::default()
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
    /// The current session.
    pub session: Option<String>,
    /// The agent's recorded edits.
    pub changes: Arc<ChangeLog>,
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

/// Does what follows from a change: who makes the state brings it along, because much of it lies above.
pub type Perform = fn(Arc<Shared>, Effects) -> BoxFuture<'static, ()>;

/// How long a connection lasts: what runs beside its handlers ends with it. A server that listens has many.
#[derive(Debug, Default)]
pub struct Connection(CancellationToken);

impl Connection {
    /// Runs something beside the handlers, until it is done or the connection is over.
    pub fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        let over = self.0.clone();
        tokio::spawn(async move { over.run_until_cancelled(work).await });
    }

    /// Whoever has this is the connection: when it is dropped, the connection is over.
    pub fn held(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }
}

/// The state and what its changes are told by; shared by handlers and turns.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    perform: Perform,
    /// The other end of the connection.
    pub client: tower_lsp::Client,
    /// What runs beside the handlers.
    pub connection: Connection,
    /// What the process gives.
    pub environment: Environment,
    /// Set when the skills are to be looked for again.
    pub rescan: Notify,
    /// Set when changed skills are to be read again.
    pub reread: Notify,
    /// Set when the surroundings of documents are to be looked at.
    pub look: Notify,
    /// What lies around the documents; no handler asks it, because it reads the disk.
    pub surroundings: Arc<Surroundings>,
    /// Where paths go that changed on disk.
    pub changes: UnboundedSender<PathBuf>,
    /// Taken once by who reads them.
    changed: Mutex<Option<UnboundedReceiver<PathBuf>>>,
    /// One writer a file.
    pub file_locks: FileLocks,
}

impl Shared {
    /// The state of a new connection.
    pub fn new(client: tower_lsp::Client, environment: Environment, perform: Perform) -> Self {
        let (changes, changed) = unbounded_channel();
        Self {
            perform,
            changes,
            changed: Mutex::new(Some(changed)),
            state: Mutex::default(),
            client,
            connection: Connection::default(),
            environment,
            rescan: Notify::new(),
            reread: Notify::new(),
            look: Notify::new(),
            surroundings: Arc::default(),
            file_locks: FileLocks::default(),
        }
    }

    /// Does what follows from a change. Messages are queued in this order at the first poll, before anything is waited
    /// for.
    pub fn perform(self: &Arc<Self>, effects: Effects) -> BoxFuture<'static, ()> {
        (self.perform)(self.clone(), effects)
    }

    /// The paths that change on disk; `None` but for the first who asks.
    pub fn take_changes(&self) -> Option<UnboundedReceiver<PathBuf>> {
        self.changed.lock().take()
    }

    /// Tells that files changed on disk.
    pub fn changed(&self, paths: Vec<PathBuf>) {
        for path in paths {
            // Before anybody listens, all is looked for anyway; afterwards the server ends.
            let _ = self.changes.send(path);
        }
    }

    /// The state, for a moment.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Document {
    /// The findings in the protocol's terms.
    pub fn diagnostics(&self, client: &Client) -> Vec<Diagnostic> {
        let findings = self.findings();
        let findings = findings.iter();
        findings
            .map(|finding| to_proto::diagnostic(self, client, finding))
            .collect()
    }
}
