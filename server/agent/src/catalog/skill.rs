use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use skills_schema::dialect::{Dialect, Outcome};
use skills_schema::facts::Facts;
use skills_schema::glob::PathMatcher;
use skills_schema::rules::{self, Severity};
use skills_schema::skill::Metadata;
use skills_schema::syntax::SkillFile;

use super::{Why, WhyKind};

/// One skill, as its file says.
#[derive(Debug, Clone)]
pub struct Skill {
    /// What it is called by: its folder's name. The frontmatter's name is a label.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// Its file; `None` for a source without files.
    pub path: Option<PathBuf>,
    /// The project or home folder that its root lies in.
    pub root: PathBuf,
    /// The description, or what stands in for it.
    pub description: Option<String>,
    /// The system that it is written for.
    pub dialect: Dialect,
    /// Whether it counts.
    pub state: State,
    /// The skill of the same name that counts instead.
    pub shadowed_by: Option<PathBuf>,
    /// Other paths of the same file, sorted.
    pub aliases: Vec<PathBuf>,
    /// What is wrong with it, as its own reader sees it.
    pub errors: Vec<String>,
    /// The text that all this is read from.
    pub text: Arc<str>,
    /// The SHA-256 of the text, in hexadecimal.
    pub sha256: String,
    /// What the frontmatter says.
    pub metadata: Metadata,
    /// The bytes of the text behind its frontmatter.
    body: std::ops::Range<usize>,
    /// Whether its reader refuses it.
    broken: bool,
    /// The patterns of `paths`, in the order of `metadata.paths`.
    matcher: PathMatcher,
    /// The folders that its patterns start at.
    bases: Arc<[PathBuf]>,
    /// The order of its root among all roots.
    pub(super) order: usize,
}

/// Where a skill comes from; the order is the precedence between dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// A folder of the workspace.
    Project,
    /// The person's home.
    User,
}

/// Whether a skill counts, before any file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The model may choose it.
    Listed,
    /// The model is not told of it: it waits for a file, or for a person.
    Hidden,
    /// Another skill of its name counts.
    Shadowed,
    /// Its reader refuses it; [`Skill::errors`] says why.
    Broken,
}

/// Where a skill was found.
pub(super) struct Place {
    pub(super) source: Source,
    pub(super) path: PathBuf,
    pub(super) aliases: Vec<PathBuf>,
    pub(super) root: PathBuf,
    pub(super) bases: Arc<[PathBuf]>,
    pub(super) order: usize,
}

impl Skill {
    /// Reads a skill; `Err` says why there is no text.
    pub(super) fn read(place: Place, text: Result<Arc<str>, String>) -> Self {
        let (text, error) = match text {
            Ok(text) => (text, None),
            Err(error) => (Arc::from(""), Some(error)),
        };
        let shown = place.path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let mut facts = Facts::of_path(&shown);
        let file = SkillFile::parse(text.clone());
        let mut metadata = Metadata::of(&file, &facts);
        facts.dialect = metadata.dialect_override.unwrap_or(facts.dialect);
        let mut errors: Vec<String> = error.into_iter().collect();
        let mut worst = if errors.is_empty() {
            Outcome::Fine
        } else {
            Outcome::Drops
        };
        if errors.is_empty() {
            for finding in rules::check(&file, &facts)
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
            {
                let outcome = rules::find(finding.code).map(|rule| rule.outcome(facts.dialect.policy()));
                worst = worst.max(outcome.unwrap_or(Outcome::Misreads));
                errors.push(finding.message.clone());
            }
        }
        let body = file.body.range;
        if facts.dialect == Dialect::Claude && worst == Outcome::Misreads {
            // Claude Code loads the body of such a file as if it had no frontmatter.
            metadata = Metadata::of(&SkillFile::parse(file.slice(file.body.range).into()), &facts);
        }
        Self {
            name: facts.folder.unwrap_or_default().to_owned(),
            source: place.source,
            root: place.root,
            description: metadata.description.clone(),
            dialect: facts.dialect,
            state: State::Listed,
            shadowed_by: None,
            aliases: place.aliases,
            errors,
            sha256: hexadecimal(&Sha256::digest(text.as_bytes())),
            text,
            matcher: PathMatcher::new(metadata.paths.iter().map(|pattern| pattern.text.as_str())),
            metadata,
            body: body.start().into()..body.end().into(),
            broken: worst == Outcome::Drops,
            bases: place.bases,
            order: place.order,
            path: Some(place.path),
        }
        .alone()
    }

    /// The same skill with another text.
    pub(super) fn with_text(&self, text: Arc<str>) -> Self {
        let place = Place {
            source: self.source,
            path: self.path.clone().unwrap_or_default(),
            aliases: self.aliases.clone(),
            root: self.root.clone(),
            bases: self.bases.clone(),
            order: self.order,
        };
        Self::read(place, Ok(text))
    }

    /// The skill as if there were no other.
    pub(super) fn alone(mut self) -> Self {
        let is_conditional = !self.metadata.paths.is_empty() && !self.matcher.is_unconditional();
        self.shadowed_by = None;
        self.state = if self.broken {
            State::Broken
        } else if self.metadata.disable_model_invocation || is_conditional {
            State::Hidden
        } else {
            State::Listed
        };
        self
    }

    /// The instructions, without the frontmatter.
    pub fn instructions(&self) -> &str {
        &self.text[self.body.clone()]
    }

    /// Whether this is a path of its file.
    pub fn is_at(&self, path: &Path) -> bool {
        self.path.as_deref() == Some(path) || self.aliases.iter().any(|alias| alias == path)
    }

    /// The pattern that a file matches, if the skill counts.
    pub(super) fn activated_by(&self, file: &Path) -> Option<Why> {
        if matches!(self.state, State::Shadowed | State::Broken) || self.matcher.is_unconditional() {
            return None;
        }
        self.bases.iter().find_map(|base| {
            let relative = relative(base, file)?;
            let pattern = self.metadata.paths.get(self.matcher.matches(&relative)?)?;
            let (text, range) = (pattern.text.clone(), pattern.range);
            Some(Why {
                kind: WhyKind::Path,
                text,
                range,
                matched: relative,
            })
        })
    }

    /// Why a file does not activate it.
    pub(super) fn why_not(&self, file: &Path) -> String {
        match (self.state, &self.shadowed_by) {
            (State::Shadowed, Some(winner)) => return format!("shadowed by {}", winner.display()),
            (State::Broken, _) => return format!("not loaded: {}", self.errors.join("; ")),
            _ => {}
        }
        if self.metadata.paths.is_empty() || self.matcher.is_unconditional() {
            let who = if self.metadata.disable_model_invocation {
                "a person"
            } else {
                "the model or a person"
            };
            return format!("it has no condition; {who} may choose it for any file");
        }
        let Some(relative) = self.bases.iter().find_map(|base| relative(base, file)) else {
            let bases: Vec<_> = self.bases.iter().map(|base| base.display().to_string()).collect();
            return format!("{} is not below {}", file.display(), bases.join(" or "));
        };
        let texts: Vec<_> = self
            .metadata
            .paths
            .iter()
            .map(|pattern| pattern.text.as_str())
            .collect();
        let mut reason = format!("{relative} matches none of {}", texts.join(", "));
        for (index, text) in texts.iter().enumerate() {
            if !self.matcher.is_valid(index) {
                // Writing to a String can't fail.
                let _ = write!(reason, "; {text} can't be read and matches nothing");
            } else if !text.contains('/')
                && PathMatcher::new([format!("**/{text}").as_str()])
                    .matches(&relative)
                    .is_some()
            {
                let _ = write!(
                    reason,
                    "; {text} means files of the project's own folder, **/{text} those of all"
                );
            }
        }
        reason
    }
}

impl Source {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl State {
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
fn relative(base: &Path, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(base).ok()?;
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Some(parts.join("/")).filter(|path| !path.is_empty())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}
