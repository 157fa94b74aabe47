mod condition;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use skills_schema::dialect::runtime::Runtime;
use skills_schema::dialect::{Dialect, View};
use skills_schema::facts::{Facts, FileKind};
use skills_schema::glob::{Flavour, PathMatcher};
use skills_schema::listing;
use skills_schema::skill::Metadata;
use skills_schema::syntax::SkillFile;
use skills_schema::verdict::{self, Verdict};

use crate::digest::Digest;
use crate::workspace::slashed;

use super::bundled::Bundled;
use super::read::{self, Content, Unreadable};
use super::scope::Configured;
use super::verdict::Reading;
use skills_schema::reader::search::Source;

/// The most bytes of a description, or of an error, that are kept.
const MAX_KEPT: usize = 8 << 10;

/// One skill, as its file says. Its text is not kept: [`Skill::text`] reads it.
#[derive(Debug, Clone)]
pub struct Skill {
    /// What it is called by: its folder's name, with the plugin's before it, or with the folder's that it is nested in
    /// where the plain name is another's too. The frontmatter's name is a label.
    pub name: String,
    /// What sort of file it is.
    pub kind: FileKind,
    /// Where it comes from.
    pub source: Source,
    /// Its file; `None` for a source without files.
    pub path: Option<PathBuf>,
    /// The project or home folder that its root lies in.
    pub root: Arc<Path>,
    /// The folder of the workspace that it lies in, relative and with `/`, where it is not the workspace's own.
    pub nested_in: Option<String>,
    /// The description, or what stands in for it; cut after 8 KiB.
    pub description: Option<String>,
    /// The system that it is written for.
    pub dialect: Dialect,
    /// How it is activated, listed and rendered.
    pub runtime: &'static Runtime,
    /// How the patterns of `paths` are read; `None` where its reader has no `paths`.
    pub flavour: Option<Flavour>,
    /// Whether it counts.
    pub state: SkillState,
    /// The file of the skill of the same name that counts instead; `None` too where that one has no file.
    pub shadowed_by: Option<PathBuf>,
    /// Other paths of the same file, sorted.
    pub aliases: Vec<PathBuf>,
    /// What is wrong with it, as its own reader sees it.
    pub errors: Vec<String>,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// How many bytes it has.
    pub bytes: usize,
    /// What the frontmatter says, but for the description.
    pub metadata: Metadata,
    /// Whether what it asks for may take effect once a person confirms it: not what lies in a folder that the person
    /// does not trust.
    pub is_trusted: bool,
    /// Whether all this is read from an editor's buffer that is not on the disk.
    pub is_unsaved: bool,
    /// What its place calls it, where that is not its name.
    plain_name: Option<Box<str>>,
    /// The order of its root among all roots.
    pub(super) order: usize,
    /// The folders that its patterns start at.
    pub(super) bases: Arc<[PathBuf]>,
    /// The patterns of `paths`, in the order of `metadata.paths`; read when a file first has what one of them wants,
    /// since most of ten thousand skills never meet such a file.
    matcher: OnceLock<Box<PathMatcher>>,
    /// How many characters its reader's list has for it; counted when somebody asks.
    listed: OnceLock<usize>,
    text: Text,
    /// The bytes of the text behind its frontmatter.
    body: std::ops::Range<usize>,
    /// Whether its reader refuses it.
    broken: bool,
    is_invalid_utf8: bool,
}

/// Whether a skill counts, before any file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillState {
    /// The model may choose it.
    Listed,
    /// The model is not told of it: it waits for a file, or for a person.
    Hidden,
    /// Another skill of its name counts.
    Shadowed,
    /// Its reader refuses it; [`Skill::errors`] says why.
    Broken,
}

/// Where the text of a skill is.
#[derive(Debug, Clone)]
enum Text {
    File,
    Buffer(Arc<str>),
    Bundled(&'static Bundled),
}

/// How skills are read: as each one's own system does, or as somebody wants.
#[derive(Debug, Clone, Default)]
pub(super) struct How {
    /// The system that reads all of them.
    pub(super) reader: Option<View>,
    /// What is configured for the files of folders.
    pub(super) configured: Arc<[Configured]>,
}

impl How {
    /// The system that reads all of them; `None` for our own reading.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        let dialect = self.reader.map(|view| view.dialect);
        dialect.filter(|dialect| *dialect != Dialect::Unified)
    }

    /// What is configured for a file.
    pub(super) fn of(&self, path: &Path) -> Option<&Configured> {
        let around = self.configured.iter().filter(|it| path.starts_with(&it.folder));
        around.max_by_key(|it| it.folder.components().count())
    }
}

/// Where a skill was found.
#[derive(Debug, Clone)]
pub(super) struct SkillPlace {
    pub(super) source: Source,
    pub(super) kind: FileKind,
    pub(super) path: PathBuf,
    pub(super) aliases: Vec<PathBuf>,
    pub(super) root: Arc<Path>,
    pub(super) nested_in: Option<String>,
    pub(super) name: String,
    pub(super) bases: Arc<[PathBuf]>,
    pub(super) order: usize,
    pub(super) is_trusted: bool,
}

impl Skill {
    /// Reads a skill: from its buffer where there is one, else from the disk. A reader sees it as that system does,
    /// none as the system does that it is written for.
    pub(super) fn read(place: SkillPlace, buffer: Option<Arc<str>>, how: &How) -> Self {
        let disk = || read::read(&place.path);
        let (content, text, is_unsaved) = match buffer {
            Some(text) => {
                let content = Content::of(text.clone());
                let is_saved = disk().is_ok_and(|disk| disk.sha256 == content.sha256);
                (Ok(content), Text::Buffer(text), !is_saved)
            }
            None => (disk(), Text::File, false),
        };
        let path = slashed(&place.path);
        let mut facts = Facts::of_place(&path, place.kind);
        let (content, failure) = match content {
            Ok(content) => (content, None),
            Err(error) => (Content::of("".into()), Some(error)),
        };
        facts.invalid_utf8 = !content.is_utf8;
        let configured = how.of(&place.path);
        let mut reading = match how.dialect() {
            Some(dialect) => Reading::as_seen_by(dialect, &content, facts),
            None => {
                let dialect = configured.and_then(|it| it.dialect(&place.path));
                Reading::by_own_dialect(&content, facts, dialect)
            }
        };
        if let Some(error) = failure {
            reading.errors = vec![error.to_string()];
            reading.broken = true;
        }
        let is_bundled_path = place.path.as_os_str().is_empty();
        let own_name = reading
            .name
            .filter(|_| place.kind == FileKind::Skill)
            .unwrap_or(place.name);
        // Kept once: ten thousand of them count.
        let mut description = reading.metadata.description.take();
        description.iter_mut().for_each(cut);
        reading.metadata.when_to_use.iter_mut().for_each(cut);
        reading.errors.iter_mut().for_each(cut);
        reading.metadata.paths.shrink_to_fit();
        let view = how.reader.unwrap_or(reading.dialect.into());
        let runtime = configured.map_or(view, |it| it.profiles.view(view)).runtime();
        let flavour = configured.and_then(|it| it.flavour);
        let flavour = runtime.paths.map(|paths| flavour.unwrap_or(paths.flavour));
        Self {
            name: own_name,
            kind: place.kind,
            source: place.source,
            path: (!is_bundled_path).then_some(place.path),
            root: place.root,
            nested_in: place.nested_in,
            description,
            dialect: reading.dialect,
            state: SkillState::Listed,
            shadowed_by: None,
            aliases: place.aliases,
            errors: reading.errors,
            sha256: content.sha256,
            bytes: content.bytes,
            matcher: OnceLock::new(),
            listed: OnceLock::new(),
            flavour,
            runtime,
            metadata: reading.metadata,
            is_trusted: place.is_trusted,
            is_unsaved,
            plain_name: None,
            order: place.order,
            bases: place.bases,
            text,
            body: reading.body,
            broken: reading.broken,
            is_invalid_utf8: !content.is_utf8,
        }
        .alone()
    }

    /// A skill that is compiled in.
    pub(super) fn bundled(bundled: &'static Bundled, bases: Arc<[PathBuf]>, how: &How) -> Self {
        let place = SkillPlace {
            source: Source::Bundled,
            kind: FileKind::Skill,
            path: PathBuf::new(),
            aliases: Vec::new(),
            root: Path::new("").into(),
            nested_in: None,
            name: bundled.name.to_owned(),
            bases,
            order: 0,
            is_trusted: true,
        };
        let mut skill = Self::read(place, Some(bundled.text.into()), how);
        skill.text = Text::Bundled(bundled);
        skill.is_unsaved = false;
        skill
    }

    /// The same skill with another text, or with that of the disk.
    pub(super) fn reread(&self, buffer: Option<Arc<str>>, how: &How) -> Self {
        let place = SkillPlace {
            source: self.source,
            kind: self.kind,
            path: self.path.clone().unwrap_or_default(),
            aliases: self.aliases.clone(),
            root: self.root.clone(),
            nested_in: self.nested_in.clone(),
            name: self.own_name().to_owned(),
            bases: self.bases.clone(),
            order: self.order,
            is_trusted: self.is_trusted,
        };
        Self::read(place, buffer, how)
    }

    /// The skill as if there were no other.
    pub(super) fn alone(mut self) -> Self {
        self.shadowed_by = None;
        self.rename(None);
        self.state = if self.broken {
            SkillState::Broken
        } else if self.metadata.disable_model_invocation || self.is_conditional() {
            SkillState::Hidden
        } else {
            SkillState::Listed
        };
        self
    }

    /// Keeps it from being loaded, and says why.
    pub(super) fn turn_off(&mut self, reason: String) {
        self.broken = true;
        self.state = SkillState::Broken;
        self.errors.push(reason);
    }

    /// What its place calls it.
    pub fn own_name(&self) -> &str {
        self.plain_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is called otherwise than by its place.
    pub(super) fn is_renamed(&self) -> bool {
        self.plain_name.is_some()
    }

    /// Calls it by this name, or else as its place does.
    pub(super) fn rename(&mut self, name: Option<&str>) {
        let own = self.own_name().to_owned();
        let name = name.filter(|name| *name != own);
        self.plain_name = name.is_some().then(|| own.as_str().into());
        self.name = name.map_or(own, str::to_owned);
        self.listed = OnceLock::new();
    }

    /// How many characters its reader's list has for it, where it is listed.
    pub(super) fn listed(&self) -> usize {
        let entry = || listing::ListingEntry {
            name: &self.name,
            description: self.description.as_deref().unwrap_or_default(),
            when_to_use: self.metadata.when_to_use.as_deref().unwrap_or_default(),
            ..listing::ListingEntry::default()
        };
        *self.listed.get_or_init(|| listing::length(&entry(), self.runtime))
    }

    /// Whether it counts for every message, so that nobody needs to choose it.
    pub fn is_always_on(&self) -> bool {
        let triggers = &self.metadata.triggers;
        let is_asked_for = triggers.inputs.is_some() || triggers.keywords(self.runtime).next().is_some();
        let is_flat = self.kind == FileKind::FlatSkill && self.runtime.is_always_on;
        is_flat && !is_asked_for && self.metadata.paths.is_empty()
    }

    /// The text that all this is read from.
    ///
    /// # Errors
    /// Where the file is gone, can't be read, or is not the one that the catalog knows.
    pub fn text(&self) -> Result<Arc<str>, Unreadable> {
        match (&self.text, &self.path) {
            (Text::Buffer(text), _) => Ok(text.clone()),
            (Text::Bundled(bundled), _) => Ok(bundled.text.into()),
            (Text::File, None) => Err(Unreadable::NoFile(self.name.clone())),
            (Text::File, Some(path)) => {
                let content = read::read(path).map_err(|error| error.at(path))?;
                if content.sha256 == self.sha256 {
                    Ok(content.text)
                } else {
                    Err(Unreadable::Changed(path.clone()))
                }
            }
        }
    }

    /// What each system makes of it, in the order of [`Dialect::ALL`].
    ///
    /// # Errors
    /// As [`Skill::text`].
    pub fn verdicts(&self) -> Result<Vec<Verdict>, Unreadable> {
        let path = self.path.as_deref().map(slashed).unwrap_or_default();
        let text = self.text()?;
        let facts = Facts {
            kind: self.kind,
            dialect: self.dialect,
            invalid_utf8: self.is_invalid_utf8,
            ..Facts::of_path(&path)
        };
        Ok(verdict::verdicts(&SkillFile::parse(text), &facts))
    }

    /// The instructions in its text, without the frontmatter.
    pub fn instructions<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.body.clone()).unwrap_or(text)
    }

    /// The skill as it is compiled in; `None` for one of a file.
    pub fn as_bundled(&self) -> Option<&'static Bundled> {
        match self.text {
            Text::Bundled(bundled) => Some(bundled),
            _ => None,
        }
    }

    /// Whether this is a path of its file.
    pub fn is_at(&self, path: &Path) -> bool {
        // Compared as text: paths are compared part by part, which is slow over thousands.
        self.paths().any(|other| other.as_os_str() == path.as_os_str())
    }

    /// All paths of its file.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.path.iter().chain(&self.aliases).map(PathBuf::as_path)
    }

    /// Whether it counts where its conditions are met.
    pub fn counts(&self) -> bool {
        matches!(self.state, SkillState::Listed | SkillState::Hidden)
    }
}

impl SkillState {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Hidden => "hidden",
            Self::Shadowed => "shadowed",
            Self::Broken => "broken",
        }
    }
}

/// The path below a folder, with `/` separators.
pub(super) fn relative(base: &Path, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(base).ok()?;
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Some(parts.join("/")).filter(|path| !path.is_empty())
}

/// Shortens what is only shown.
fn cut(text: &mut String) {
    if text.len() > MAX_KEPT {
        text.truncate(text.floor_char_boundary(MAX_KEPT));
        text.push('…');
    }
    text.shrink_to_fit();
}
