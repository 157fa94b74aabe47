//! What is known of one open skill file: its tree and its findings, computed once a version.

use std::sync::Arc;

use skills_schema::dialect::{Dialect, Profile, View};
use skills_schema::facts::{Around, Facts, FileKind};
use skills_schema::rules::{self, Finding, Pass};
use skills_schema::skill;
use skills_schema::syntax::SkillFile;

use crate::checks::Checks;

/// Texts longer than this, in bytes, are analysed in the background.
pub const INLINE_LIMIT: usize = 1 << 20;

/// How often a repair may make room for another.
const ROUNDS: usize = 40;

/// One version of a skill file.
#[derive(Debug)]
pub struct Analysis {
    /// The tree.
    pub file: SkillFile,
    /// How it is read.
    pub dialect: Dialect,
    /// What is wrong with it as far as its text says, in the order of the text.
    pub findings: Vec<Finding>,
    profile: Option<Profile>,
    path: String,
    invalid_utf8: bool,
    kind: FileKind,
    /// Who else reads the files of its place.
    readers: &'static [Dialect],
    checks: Configured,
}

/// How one file is checked.
#[derive(Debug, Clone, Default)]
pub struct Configured {
    /// What is configured for its folder.
    pub checks: Arc<Checks>,
    /// Its path from that folder, with `/`.
    pub relative: String,
    /// The systems that are to read a skill like its own does.
    pub wanted: Vec<Dialect>,
}

impl Analysis {
    /// Analyses a text as if nothing were configured.
    pub fn of(text: Arc<str>, path: &str) -> Self {
        Self::configured(text, path, Configured::default(), None)
    }

    /// Analyses the text of an editor, which was perhaps typed from an earlier one.
    pub fn configured(text: Arc<str>, path: &str, checks: Configured, earlier: Option<&Self>) -> Self {
        Self::new(text, path, None, false, checks, earlier)
    }

    /// Analyses the bytes of a file.
    pub fn of_bytes(bytes: &[u8], path: &str, dialect: Option<Dialect>) -> Self {
        Self::of_file(bytes, path, dialect.map(View::from), Configured::default())
    }

    /// Analyses the bytes of a file as it is configured.
    pub fn of_file(bytes: &[u8], path: &str, view: Option<View>, checks: Configured) -> Self {
        let (text, invalid_utf8) = match std::str::from_utf8(bytes) {
            Ok(text) => (text.into(), false),
            Err(_) => (String::from_utf8_lossy(bytes).into(), true),
        };
        Self::new(text, path, view, invalid_utf8, checks, None)
    }

    /// How the text is read is what the caller says, else what is configured, else what the file says, else where it
    /// lies: `path`, which uses `/`.
    fn new(
        text: Arc<str>,
        path: &str,
        view: Option<View>,
        invalid_utf8: bool,
        checks: Configured,
        earlier: Option<&Self>,
    ) -> Self {
        let kind = FileKind::of_path(path).unwrap_or_default();
        let (owner, readers) = kind.readers(path);
        let mut file = kind.parse(text);
        if let Some(earlier) = earlier {
            file.follow(&earlier.file);
        }
        let own = || {
            checks
                .checks
                .dialect(&checks.relative)
                .or_else(|| skill::dialect(&file))
        };
        let view = view.unwrap_or_else(|| own().unwrap_or(owner).into());
        let View { dialect, profile } = checks.checks.profiles.view(view);
        let mut analysis = Self {
            dialect,
            profile,
            findings: Vec::new(),
            path: path.to_owned(),
            invalid_utf8,
            kind,
            readers,
            file,
            checks,
        };
        analysis.findings = analysis.report(analysis.facts(), Pass::Text);
        // A long text is analysed in the background: what editors ask for next should not wait for its body.
        if analysis.file.text.len() > INLINE_LIMIT {
            analysis.file.markdown();
        }
        analysis
    }

    /// The text after all repairs that change no meaning, and those that they make room for; `None` where there is none.
    /// `around` is what was found in view of the files around this very text.
    pub fn repaired(&self, around: &[Finding]) -> Option<Arc<str>> {
        let mut found: Vec<Finding> = self.findings.iter().chain(around).cloned().collect();
        let mut after: Option<Self> = None;
        for _ in 0..ROUNDS {
            let current = after.as_ref().unwrap_or(self);
            let text = rules::repaired(&current.file, &current.facts(), &found);
            if text == *current.file.text {
                break;
            }
            let mut next = self.with(text.into());
            found = std::mem::take(&mut next.findings);
            after = Some(next);
        }
        let text = after.map(|after| after.file.text);
        text.filter(|text| !self.invalid_utf8 && *text != self.file.text)
    }

    /// Another text in its place, read and checked in the same way.
    pub fn with(&self, text: Arc<str>) -> Self {
        let (dialect, profile) = (self.dialect, self.profile);
        let view = Some(View { dialect, profile });
        Self::new(text, &self.path, view, false, self.checks.clone(), Some(self))
    }

    /// What is wrong with the file in view of what is around it. `path` is how the names around spell its path.
    pub fn findings_around(&self, path: &str, around: Around<'_>) -> Vec<Finding> {
        let facts = Facts {
            path,
            around,
            ..self.facts()
        };
        self.report(facts, Pass::Around)
    }

    fn report(&self, facts: Facts<'_>, pass: Pass) -> Vec<Finding> {
        let mut findings = rules::report(&self.file, &facts, pass);
        let Configured { checks, relative, .. } = &self.checks;
        findings.retain(|finding| !checks.ignores(relative, finding.code));
        findings
    }

    /// Where the file lies, with `/` between the parts.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What the rules and the editor's features need to know beside the text.
    pub fn facts(&self) -> Facts<'_> {
        let Checks { levels, readers, .. } = &*self.checks.checks;
        Facts {
            dialect: self.dialect,
            profile: self.profile,
            kind: self.kind,
            path: &self.path,
            folder: self.kind.folder(&self.path),
            // Other files than skills are read where they are, by nobody else.
            readers: match self.kind {
                FileKind::Skill if !readers.is_empty() => readers,
                _ => self.readers,
            },
            wanted: match self.kind {
                FileKind::Skill => &self.checks.wanted,
                _ => &[],
            },
            invalid_utf8: self.invalid_utf8,
            around: Around::default(),
            levels: Some(levels),
        }
    }

    /// The systems that it is checked for, its own first.
    pub fn dialects(&self) -> Vec<Dialect> {
        let wanted = self.facts().wanted.iter().copied();
        std::iter::once(self.dialect)
            .chain(wanted.filter(|it| *it != self.dialect))
            .collect()
    }

    /// What sort of file it is.
    pub fn kind(&self) -> FileKind {
        self.kind
    }
}

/// The sort of a document, by its name or by the language that VS Code gives a skill; `None` for one that is neither a
/// skill nor a neighbour of skills.
pub fn kind(path: &str, language: &str) -> Option<FileKind> {
    let is_skill = || (language == "skill").then_some(FileKind::Skill);
    FileKind::of_path(path).or_else(is_skill)
}

/// Whether a document is a skill, of a folder or a file of its own: by its name, or by the language that VS Code gives it.
pub fn is_skill(path: &str, language: &str) -> bool {
    matches!(kind(path, language), Some(FileKind::Skill | FileKind::FlatSkill))
}
