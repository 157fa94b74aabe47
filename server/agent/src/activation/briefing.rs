//! What a conversation is told about skills: instructions that always count, skills a message or a file brings in,
//! and the list of those that the model may choose.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use skills_schema::arguments::ASK;
use skills_schema::dialect::Dialect;
use skills_schema::dialect::runtime::OnMatch;
use skills_schema::listing::Budget;
use skills_schema::trigger::MatchKind;

use super::known::{By, INSTRUCTIONS, Known, SKILL, Text, key, version};
use super::usage::UseCounts;
use super::{active, counts, is_offered, prompt, requirements};
use crate::catalog::{AlwaysOn, Catalog, Skill};
use crate::digest::Digest;

/// The most bytes of one text that comes by itself. thndrs 0.1 reads as much of an `AGENTS.md`.
const MAX_TEXT: usize = 32 << 10;
/// The most bytes of all texts that come with one message.
const MAX_TEXTS: usize = 128 << 10;

/// Why a skill comes into a conversation.
struct Cause {
    by: By,
    /// For the model, as a sentence.
    reason: String,
    /// For the person, behind "because".
    why: String,
}

/// What the model is told about a text that it has in another version.
const CHANGED: &str = "It changed since you were told; this is what it says now.";

/// Where the skills of a turn come from, as they are at any moment.
pub trait Library: Send + Sync {
    /// The catalog as it is now.
    fn catalog(&self) -> Arc<Catalog>;

    /// The agent read or wrote these files: folders of skills beside them count from now on.
    fn touched(&self, files: &[PathBuf]);

    /// The text of a file that is open; it counts before the disk's.
    fn open_text(&self, path: &Path) -> Option<Arc<str>>;
}

/// What a turn knows of skills.
#[derive(Clone)]
pub struct Skills {
    /// The skills.
    pub library: Arc<dyn Library>,
    /// How long the list of skills may be.
    pub budget: Budget,
    /// What the conversation was told, and what follows from it.
    pub told: Arc<Told>,
    /// The session's identifier.
    pub session: String,
    /// How often each skill was invoked; nothing is remembered without it.
    pub usage: Option<UseCounts>,
    /// Where the files of bundled skills are written when they are needed.
    pub private: Option<PathBuf>,
}

/// What a conversation was told about skills, and which of them its files activated.
#[derive(Debug, Default)]
pub struct Told {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The texts that the conversation holds, in which version and why each came, by their keys.
    texts: BTreeMap<PathBuf, (String, By)>,
    /// What the person was told of texts that are left out.
    left_out: BTreeSet<String>,
    /// The skills that a file activated, with what did.
    active: BTreeMap<PathBuf, String>,
    /// The files that were looked at.
    files: BTreeSet<PathBuf>,
    /// What was said of the list when it was cut.
    notice: Option<String>,
}

/// What goes with a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Briefing {
    /// The texts for the model, in order.
    pub texts: Vec<Text>,
    /// What the person is told.
    pub notes: Vec<String>,
}

impl Told {
    /// Takes what the conversation holds now: after a summary, an undone turn or a restart that is less, or more.
    pub fn follow(&self, known: &[Known]) {
        let texts = known.iter().map(|it| (it.key(), (it.version.clone(), it.by)));
        self.state.lock().texts = texts.collect();
    }

    /// Whether the person is to be told this of a text that is left out: once.
    pub fn is_news(&self, note: &str) -> bool {
        self.state.lock().left_out.insert(note.to_owned())
    }

    /// Forgets all, as the conversation did.
    pub fn clear(&self) {
        *self.state.lock() = State::default();
    }
}

impl State {
    /// Whether the conversation holds a skill as it is now.
    fn has(&self, skill: &Skill) -> bool {
        let known = self.texts.get(&key_of(skill));
        known.is_some_and(|(known, _)| *known == version(&skill.sha256))
    }
}

/// No skills at all.
struct Empty;

impl Library for Empty {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::default()
    }

    fn touched(&self, _: &[PathBuf]) {}

    fn open_text(&self, _: &Path) -> Option<Arc<str>> {
        None
    }
}

impl Default for Skills {
    fn default() -> Self {
        Self {
            library: Arc::new(Empty),
            budget: Budget::Window(None),
            told: Arc::default(),
            session: String::new(),
            usage: None,
            private: None,
        }
    }
}

impl Skills {
    /// The list of the skills that the model may choose, and what the person is told where it was cut, once. Empty where
    /// there are none.
    pub fn listing(&self) -> (String, Option<String>) {
        let catalog = self.library.catalog();
        let uses = self.usage.as_ref().map(UseCounts::read).unwrap_or_default();
        let mut told = self.told.state.lock();
        let is_active = |skill: &Skill| told.active.contains_key(&key_of(skill));
        let listing = prompt(&catalog, Dialect::Unified.runtime(), self.budget, &uses, is_active);
        let notice = listing.notice();
        let is_new = notice != told.notice;
        told.notice.clone_from(&notice);
        (listing.text, notice.filter(|_| is_new))
    }

    /// What comes with a person's message while these files are open.
    pub fn with_message(&self, message: &str, open: &[PathBuf]) -> Briefing {
        let catalog = self.library.catalog();
        let mut told = self.told.state.lock();
        let mut briefing = Briefing::default();
        let always = catalog.always_on.iter().filter(|file| file.scope.is_none());
        for file in always {
            let reason = "It counts for the whole workspace.";
            briefing.always_on(&mut told, &*self.library, file, reason, By::Always);
        }
        briefing.files(&mut told, &*self.library, &catalog, open);
        let was_told = |skill: &Skill| told.has(skill);
        for (skill, found) in active(&catalog, message, was_told) {
            let reason = match found.kind {
                MatchKind::Always => "It counts for every message.".to_owned(),
                // The words of OpenHands 1.58.
                MatchKind::Keyword | MatchKind::Task => format!(
                    "The following information has been included based on a keyword match for \"{}\". It may or may not be \
                     relevant to the user's request.",
                    found.text
                ),
            };
            let suffix = if found.kind == MatchKind::Task { ASK } else { "" };
            let by = match found.kind {
                MatchKind::Always => By::Always,
                MatchKind::Keyword | MatchKind::Task => By::Keyword,
            };
            let why = match found.text.as_str() {
                "" => "it counts for every message".to_owned(),
                keyword => format!("the message has `{keyword}`"),
            };
            let cause = Cause { by, reason, why };
            briefing.with_requirements(&mut told, &catalog, skill, &cause, suffix);
        }
        briefing.changed(&mut told, &catalog);
        briefing
    }

    /// What comes after the agent read or wrote these files.
    pub fn with_files(&self, files: &[PathBuf]) -> Briefing {
        let new: Vec<PathBuf> = {
            let told = self.told.state.lock();
            files
                .iter()
                .filter(|file| !told.files.contains(*file))
                .cloned()
                .collect()
        };
        let mut briefing = Briefing::default();
        if !new.is_empty() {
            self.library.touched(&new);
        }
        // All of them: a skill beside an earlier file may have joined the catalog meanwhile.
        let catalog = self.library.catalog();
        briefing.files(&mut self.told.state.lock(), &*self.library, &catalog, files);
        briefing
    }

    /// Whether the model may choose a skill: as the list has it.
    pub fn is_offered(&self, skill: &Skill) -> bool {
        let told = self.told.state.lock();
        is_offered(skill, |skill| told.active.contains_key(&key_of(skill)))
    }

    /// Whether a skill's text is in the conversation.
    pub fn is_told(&self, skill: &Skill) -> bool {
        self.told.state.lock().texts.contains_key(&key_of(skill))
    }

    /// Notes that a skill's text is in the conversation.
    pub fn was_invoked(&self, skill: &Skill) {
        let known = (version(&skill.sha256), By::Invoked);
        self.told.state.lock().texts.insert(key_of(skill), known);
    }
}

impl Briefing {
    /// The skills and instructions that files activate.
    fn files(&mut self, told: &mut State, library: &dyn Library, catalog: &Catalog, files: &[PathBuf]) {
        for file in files {
            told.files.insert(file.clone());
            for instructions in catalog.always_on.iter().filter(|it| covers(it, file)) {
                let scope = instructions.scope.as_deref().unwrap_or_default();
                let reason = format!("It counts for the files of {scope}.");
                self.always_on(told, library, instructions, &reason, By::Path);
            }
            for activation in catalog.matching(file) {
                let (skill, why) = (&activation.skill, &activation.why);
                let why = format!("`{}` matches {}", why.text, why.matched);
                match skill.runtime.paths.map(|paths| paths.effect) {
                    Some(OnMatch::Inject) => {
                        let reason = format!("It is included because {why}.");
                        let by = By::Path;
                        self.with_requirements(told, catalog, skill, &Cause { by, reason, why }, "");
                    }
                    _ if told.active.insert(key_of(skill), why.clone()).is_none() => {
                        self.notes.push(format!("the skill {} is active: {why}", skill.name));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Instructions, where the conversation does not have them as they are now.
    fn always_on(&mut self, told: &mut State, library: &dyn Library, file: &AlwaysOn, reason: &str, by: By) {
        let key = key(Some(&file.path), &file.name);
        let text = match file.text(|path| library.open_text(path)) {
            Ok(text) => text,
            Err(error) => {
                let note = format!("the instructions {} are left out: {error}", file.name);
                if told.left_out.insert(note.clone()) {
                    self.notes.push(note);
                }
                return;
            }
        };
        let version = version(&Digest::of(&text));
        let before = told.texts.insert(key, (version.clone(), by));
        if before.as_ref().is_some_and(|(before, _)| *before == version) {
            return;
        }
        let reason = match before {
            None => reason.to_owned(),
            Some(_) => {
                let name = &file.name;
                self.notes
                    .push(format!("the instructions {name} changed: the model gets them again"));
                format!("{CHANGED} {reason}")
            }
        };
        self.add(Text {
            kind: INSTRUCTIONS,
            name: file.name.clone(),
            path: Some(file.path.clone()),
            imports: file.imports.clone(),
            version,
            by,
            reason,
            text,
        });
        let problems = file
            .errors
            .iter()
            .map(|error| format!("{}: {error}", file.path.display()));
        self.notes.extend(problems);
    }

    /// The skills that came by themselves and are not as they were then.
    fn changed(&mut self, told: &mut State, catalog: &Catalog) {
        for skill in catalog.skills.iter().filter(|skill| counts(skill)) {
            let known = told.texts.get(&key_of(skill)).map(|(_, by)| *by);
            if let Some(by) = known.filter(|by| *by != By::Invoked && !told.has(skill)) {
                let (reason, why) = (String::new(), "it changed".to_owned());
                self.skill(told, skill, &Cause { by, reason, why }, "");
            }
        }
    }

    /// A skill after the skills that it needs.
    fn with_requirements(&mut self, told: &mut State, catalog: &Catalog, skill: &Skill, cause: &Cause, suffix: &str) {
        if told.has(skill) && skill.runtime.triggers.is_none_or(|triggers| triggers.is_once) {
            return;
        }
        self.required(told, catalog, &skill.name);
        self.skill(told, skill, cause, suffix);
    }

    /// The skills that one needs, each once in a conversation.
    fn required(&mut self, told: &mut State, catalog: &Catalog, name: &str) {
        let needed = requirements(catalog, name);
        self.notes
            .extend(needed.problems.iter().map(|problem| problem.message()));
        for required in needed.names.iter().filter_map(|name| catalog.get(name)) {
            if !told.has(required) {
                let why = format!("the skill {name} needs it");
                let reason = format!("It is included because {why}.");
                let by = By::Skill;
                self.skill(told, required, &Cause { by, reason, why }, "");
            }
        }
    }

    fn skill(&mut self, told: &mut State, skill: &Skill, cause: &Cause, suffix: &str) {
        let version = version(&skill.sha256);
        let before = told.texts.get(&key_of(skill));
        let is_changed = before.is_some_and(|(before, _)| *before != version);
        let reason = [if is_changed { CHANGED } else { "" }, &cause.reason];
        match skill.text() {
            Ok(text) => {
                self.notes.push(format!(
                    "the skill {} came with the message because {} ({} bytes, SHA-256 {})",
                    skill.name, cause.why, skill.bytes, skill.sha256
                ));
                self.add(Text {
                    kind: SKILL,
                    name: skill.name.clone(),
                    path: skill.path.clone(),
                    imports: Vec::new(),
                    version: version.clone(),
                    by: cause.by,
                    reason: reason.join(" ").trim().to_owned(),
                    text: format!("{}{suffix}", skill.instructions(&text).trim()),
                });
                told.texts.insert(key_of(skill), (version, cause.by));
            }
            Err(error) => self
                .notes
                .push(format!("the skill {} is left out: {error}", skill.name)),
        }
    }

    /// Adds a text within the caps; what is cut is told to both.
    fn add(&mut self, mut text: Text) {
        let taken: usize = self.texts.iter().map(|text| text.text.len()).sum();
        let room = MAX_TEXT.min(MAX_TEXTS.saturating_sub(taken));
        if text.text.len() > room {
            let whole = text.text.len();
            let end = text.text.floor_char_boundary(room);
            text.text.truncate(end);
            text.text
                .push_str(&format!("\n[cut: these are the first {end} of {whole} bytes]"));
            self.notes.push(format!(
                "of {} the model sees the first {end} of {whole} bytes",
                text.name
            ));
        }
        self.texts.push(text);
    }
}

/// The skills that one needs and that the conversation does not have yet, for an invocation.
pub fn required(skills: &Skills, skill: &Skill) -> Briefing {
    let mut briefing = Briefing::default();
    briefing.required(&mut skills.told.state.lock(), &skills.library.catalog(), &skill.name);
    briefing
}

/// What stands for a skill in what was told.
fn key_of(skill: &Skill) -> PathBuf {
    key(skill.path.as_deref(), &skill.name)
}

/// Whether nested instructions are for a file.
fn covers(instructions: &AlwaysOn, file: &Path) -> bool {
    let folder = instructions
        .scope
        .as_deref()
        .and_then(|scope| scope.strip_suffix("/**"));
    folder.is_some_and(|folder| file.starts_with(instructions.root.join(folder)))
}
