//! What a conversation is told of skills: instructions that always count, skills that the message or a file brings in,
//! and the list of those that the model may choose.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use skills_schema::arguments::ASK;
use skills_schema::dialect::Dialect;
use skills_schema::dialect::runtime::Effect;
use skills_schema::listing::Budget;
use skills_schema::trigger::MatchKind;

use super::usage::Usage;
use super::{active, is_offered, prompt, requirements};
use crate::catalog::{AlwaysOn, Catalog, Skill};

/// The most bytes of one text that comes by itself. thndrs 0.1 reads as much of an `AGENTS.md`.
const MAX_TEXT: usize = 32 << 10;
/// The most bytes of all texts that come with one message.
const MAX_TEXTS: usize = 128 << 10;

/// Where the skills of a turn come from, as they are at any moment.
pub trait Library: Send + Sync {
    /// The catalog as it is now.
    fn catalog(&self) -> Arc<Catalog>;

    /// The agent read or wrote these files: folders of skills beside them count from now on.
    fn touched(&self, files: &[PathBuf]);
}

/// What a turn knows of skills.
#[derive(Clone)]
pub struct Skills {
    /// The skills.
    pub library: Arc<dyn Library>,
    /// How long the list of skills may be.
    pub budget: Budget,
    /// What the conversation was told already.
    pub told: Arc<Told>,
    /// The session's identifier.
    pub session: String,
    /// How often each skill was invoked; nothing is remembered without it.
    pub usage: Option<Usage>,
    /// Where the files of bundled skills are written when they are needed.
    pub private: Option<PathBuf>,
}

/// What a conversation was told of skills: what is in it stays, and is not said twice.
#[derive(Debug, Default)]
pub struct Told {
    state: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The files whose text is in the conversation, or the names of skills without files.
    texts: BTreeSet<PathBuf>,
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

/// A text that comes into a conversation by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// `instructions` or `skill`.
    pub kind: &'static str,
    /// What it is called by.
    pub name: String,
    /// Its file.
    pub path: Option<PathBuf>,
    /// Why it is there, for the model.
    pub reason: String,
    /// The text.
    pub text: String,
}

/// No skills at all.
struct Empty;

impl Library for Empty {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::default()
    }

    fn touched(&self, _: &[PathBuf]) {}
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
        let uses = self.usage.as_ref().map(Usage::read).unwrap_or_default();
        let mut told = self.told.state.lock();
        let is_active = |skill: &Skill| told.active.contains_key(&key(skill));
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
            briefing.always_on(&mut told, file, "It counts for the whole workspace.");
        }
        briefing.files(&mut told, &catalog, open);
        let was_told = |skill: &Skill| told.texts.contains(&key(skill));
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
            let asks = found.kind == MatchKind::Task;
            let why = match found.text.as_str() {
                "" => "it counts for every message".to_owned(),
                keyword => format!("the message has `{keyword}`"),
            };
            briefing.with_requirements(&mut told, &catalog, skill, reason, &why, asks);
        }
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
        briefing.files(&mut self.told.state.lock(), &self.library.catalog(), files);
        briefing
    }

    /// Whether the model may choose a skill: as the list has it.
    pub fn is_offered(&self, skill: &Skill) -> bool {
        let told = self.told.state.lock();
        is_offered(skill, |skill| told.active.contains_key(&key(skill)))
    }

    /// Whether a skill's text is in the conversation.
    pub fn is_told(&self, skill: &Skill) -> bool {
        self.told.state.lock().texts.contains(&key(skill))
    }

    /// Notes that a skill's text is in the conversation.
    pub fn was_invoked(&self, skill: &Skill) {
        self.told.state.lock().texts.insert(key(skill));
    }
}

impl Briefing {
    /// The skills and instructions that files activate.
    fn files(&mut self, told: &mut Known, catalog: &Catalog, files: &[PathBuf]) {
        for file in files {
            told.files.insert(file.clone());
            for instructions in catalog.always_on.iter().filter(|it| covers(it, file)) {
                let scope = instructions.scope.as_deref().unwrap_or_default();
                self.always_on(told, instructions, &format!("It counts for the files of {scope}."));
            }
            for activation in catalog.matching(file) {
                let (skill, why) = (&activation.skill, &activation.why);
                let why = format!("`{}` matches {}", why.text, why.matched);
                match skill.runtime.paths.map(|paths| paths.effect) {
                    Some(Effect::Inject) => {
                        let reason = format!("It is included because {why}.");
                        self.with_requirements(told, catalog, skill, reason, &why, false);
                    }
                    _ if told.active.insert(key(skill), why.clone()).is_none() => {
                        self.notes.push(format!("the skill {} is active: {why}", skill.name));
                    }
                    _ => {}
                }
            }
        }
    }

    fn always_on(&mut self, told: &mut Known, file: &AlwaysOn, reason: &str) {
        if !told.texts.insert(file.path.clone()) {
            return;
        }
        match file.text() {
            Ok(text) => self.add(Text {
                kind: "instructions",
                name: file.name.clone(),
                path: Some(file.path.clone()),
                reason: reason.to_owned(),
                text,
            }),
            Err(error) => self
                .notes
                .push(format!("the instructions {} are left out: {error}", file.name)),
        }
        self.notes.extend(
            file.errors
                .iter()
                .map(|error| format!("{}: {error}", file.path.display())),
        );
    }

    /// A skill after the skills that it needs.
    fn with_requirements(
        &mut self,
        told: &mut Known,
        catalog: &Catalog,
        skill: &Skill,
        reason: String,
        why: &str,
        asks: bool,
    ) {
        if told.texts.contains(&key(skill)) && skill.runtime.triggers.is_none_or(|triggers| triggers.is_once) {
            return;
        }
        self.required(told, catalog, &skill.name);
        let suffix = if asks { ASK } else { "" };
        self.skill(told, skill, reason, why, suffix);
    }

    /// The skills that one needs, each once in a conversation.
    fn required(&mut self, told: &mut Known, catalog: &Catalog, name: &str) {
        let needed = requirements(catalog, name);
        self.notes
            .extend(needed.problems.iter().map(|problem| problem.message()));
        for required in needed.names.iter().filter_map(|name| catalog.get(name)) {
            if !told.texts.contains(&key(required)) {
                let reason = format!("It is included because the skill {name} needs it.");
                self.skill(told, required, reason, &format!("the skill {name} needs it"), "");
            }
        }
    }

    fn skill(&mut self, told: &mut Known, skill: &Skill, reason: String, why: &str, suffix: &str) {
        match skill.text() {
            Ok(text) => {
                self.notes.push(format!(
                    "the skill {} came with the message because {why} ({} bytes, SHA-256 {})",
                    skill.name, skill.bytes, skill.sha256
                ));
                self.add(Text {
                    kind: "skill",
                    name: skill.name.clone(),
                    path: skill.path.clone(),
                    reason,
                    text: format!("{}{suffix}", skill.instructions(&text).trim()),
                });
                told.texts.insert(key(skill));
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
fn key(skill: &Skill) -> PathBuf {
    skill.path.clone().unwrap_or_else(|| PathBuf::from(&skill.name))
}

/// Whether nested instructions are for a file.
fn covers(instructions: &AlwaysOn, file: &Path) -> bool {
    let folder = instructions
        .scope
        .as_deref()
        .and_then(|scope| scope.strip_suffix("/**"));
    folder.is_some_and(|folder| file.starts_with(instructions.root.join(folder)))
}
