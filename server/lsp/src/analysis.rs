//! What is known of one open skill file: its tree and its findings, computed once a version.

use std::sync::Arc;

use skills_schema::dialect::Dialect;
use skills_schema::facts::{Facts, FileKind};
use skills_schema::rules::{self, Finding};
use skills_schema::skill::Metadata;
use skills_schema::syntax::SkillFile;

/// Texts longer than this, in bytes, are analysed in the background.
pub const INLINE_LIMIT: usize = 1 << 20;

/// One version of a skill file.
#[derive(Debug)]
pub struct Analysis {
    /// The tree.
    pub file: SkillFile,
    /// How it is read.
    pub dialect: Dialect,
    /// What is wrong with it, in the order of the text.
    pub findings: Vec<Finding>,
    path: String,
    invalid_utf8: bool,
}

impl Analysis {
    /// Analyses the text of an editor.
    pub fn of(text: Arc<str>, path: &str) -> Self {
        Self::new(text, path, None, false)
    }

    /// Analyses the bytes of a file.
    pub fn of_bytes(bytes: &[u8], path: &str, dialect: Option<Dialect>) -> Self {
        let invalid_utf8 = std::str::from_utf8(bytes).is_err();
        Self::new(String::from_utf8_lossy(bytes).into(), path, dialect, invalid_utf8)
    }

    /// How the text is read is what the caller says, else what the file says, else where it lies: `path`, which uses
    /// `/`.
    fn new(text: Arc<str>, path: &str, dialect: Option<Dialect>, invalid_utf8: bool) -> Self {
        let file = SkillFile::parse(text);
        let place = Facts::of_path(path);
        let says = || Metadata::of(&file, &place).dialect_override;
        let dialect = dialect.or_else(says).unwrap_or(place.dialect);
        let mut analysis = Self {
            file,
            dialect,
            findings: Vec::new(),
            path: path.to_owned(),
            invalid_utf8,
        };
        analysis.findings = rules::check(&analysis.file, &analysis.facts());
        // A long text is analysed in the background: what editors ask for next should not wait for its body.
        if analysis.file.text.len() > INLINE_LIMIT {
            analysis.file.markdown();
        }
        analysis
    }

    /// Where the file lies, with `/` between the parts.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What the rules and the editor's features need to know beside the text.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            dialect: self.dialect,
            invalid_utf8: self.invalid_utf8,
            ..Facts::of_path(&self.path)
        }
    }
}

/// Whether a document is a skill: by its name, or by the language that VS Code gives it.
pub fn is_skill(path: &str, language: &str) -> bool {
    language == "skill" || FileKind::of_path(path) == Some(FileKind::Skill)
}
