//! What rules find, and where they put it.

mod effect;

use std::{
    cell::{Cell, OnceCell},
    rc::Rc,
};

use text_size::TextRange;

use crate::{
    facts::{Facts, Reference, references},
    fixes::Fix,
    severity::Severity,
    shown::fit,
    syntax::SkillFile,
    verdict::{self, Verdict},
};

pub use effect::{Effect, Fate};

/// The most findings of one file: nobody reads more, and a broken file has one a line.
pub const MAX_FINDINGS: usize = 1000;

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong and the way out, in a line that names no reader.
    pub message: String,
    /// The characters that are wrong.
    pub range: TextRange,
    /// What readers make of it, each once.
    pub readers: Vec<Effect>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Repairs, the best first.
    pub fixes: Vec<Fix>,
    /// How an editor may draw the range.
    pub tags: Vec<Tag>,
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The absolute path of the file that it is in, with `/` separators; `None` for the same file.
    pub file: Option<String>,
    /// The place.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// How an editor may draw a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// It could go: shown faded.
    Unnecessary,
    /// It is out of use: shown struck out.
    Deprecated,
}

/// Where rules put what they find.
#[derive(Debug)]
pub struct Report {
    pub(super) code: &'static str,
    /// The severity of the running rule.
    pub(super) severity: Severity,
    pub(super) findings: Vec<Finding>,
    /// How many the rule that is running has found, by their severity.
    counts: [usize; 4],
    /// How many were found that are never shown, and the last of them.
    pub(super) more: usize,
    spare: Option<Finding>,
    /// A rule stopped looking.
    pub(super) has_stopped: Cell<bool>,
    verdicts: OnceCell<Rc<[Verdict]>>,
    references: OnceCell<Rc<[Reference]>>,
}

impl Report {
    /// Nothing found yet by a rule of this name and severity.
    pub(super) fn of(code: &'static str, severity: Severity) -> Report {
        Report {
            code,
            severity,
            findings: Vec::new(),
            counts: [0; 4],
            more: 0,
            spare: None,
            has_stopped: Cell::new(false),
            verdicts: OnceCell::new(),
            references: OnceCell::new(),
        }
    }

    /// The next rule begins.
    pub(super) fn begin(&mut self, code: &'static str, severity: Severity) {
        (self.code, self.severity, self.counts) = (code, severity, [0; 4]);
    }

    /// The rule that is running has found more than is ever shown: where all that it finds is equally loud, it need not
    /// look further.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.counts.iter().any(|count| *count > MAX_FINDINGS);
        self.has_stopped.set(self.has_stopped.get() || is_full);
        is_full
    }

    /// What each system makes of the file: asked once, at the first need, since every keystroke makes a report.
    pub(super) fn verdicts(&self, file: &SkillFile, facts: &Facts<'_>) -> Rc<[Verdict]> {
        let verdicts = self.verdicts.get_or_init(|| verdict::verdicts(file, facts).into());
        verdicts.clone()
    }

    /// The files that the text names, for all rules that ask.
    pub(super) fn references(&self, file: &SkillFile) -> Rc<[Reference]> {
        self.references.get_or_init(|| references(file).into()).clone()
    }

    /// Adds a finding of the rule that is running, as loud as what the readers do with the file asks for.
    pub fn add(&mut self, range: TextRange, message: impl Into<String>) -> &mut Finding {
        self.add_at(self.severity, range, message)
    }

    /// Adds a finding of the rule that is running, which chose its severity. What is too much to be shown is only counted.
    pub fn add_at(&mut self, severity: Severity, range: TextRange, message: impl Into<String>) -> &mut Finding {
        let finding = Finding {
            code: self.code,
            severity,
            message: fit(message.into()),
            range,
            readers: Vec::new(),
            related: Vec::new(),
            fixes: Vec::new(),
            tags: Vec::new(),
        };
        let count = &mut self.counts[severity as usize];
        *count += 1;
        if *count > MAX_FINDINGS {
            self.more += 1;
            return self.spare.insert(finding);
        }
        let at = self.findings.len();
        self.findings.push(finding);
        &mut self.findings[at]
    }
}

impl Finding {
    /// Adds a repair.
    pub fn fix(&mut self, fix: Fix) -> &mut Finding {
        self.fixes.push(fix);
        self
    }

    /// Adds a place that explains it.
    pub fn relate(&mut self, range: TextRange, message: impl Into<String>) -> &mut Finding {
        self.related.push(Related {
            file: None,
            range,
            message: message.into(),
        });
        self
    }

    /// Adds another file that explains it.
    pub fn relate_file(&mut self, file: impl Into<String>, message: impl Into<String>) -> &mut Finding {
        self.related.push(Related {
            file: Some(file.into()),
            range: TextRange::default(),
            message: message.into(),
        });
        self
    }
}
