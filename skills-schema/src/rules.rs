//! What can be wrong with a skill. One file a rule; the page beside it is its documentation and its test.

mod ambiguous_glob;
mod argument_in_command;
mod backslash_path;
mod broad_pattern;
mod broad_trigger;
mod command_in_code;
mod command_not_run;
mod dead_trigger;
mod defeated_pattern;
mod deprecated_field;
mod duplicate_key;
mod duplicate_trigger;
mod empty_body;
mod field_without_effect;
mod hidden_characters;
mod hidden_comment;
mod input_mismatch;
mod invalid_glob;
mod invalid_hook;
mod invalid_regex;
mod invalid_utf8;
mod invalid_yaml;
mod long_body;
mod lossy_value;
mod markup_in_metadata;
mod missing_argument_hint;
mod missing_description;
mod missing_frontmatter;
mod missing_name;
mod missing_space_after_colon;
mod name_folder;
mod name_format;
mod paths_without_condition;
mod permission_syntax;
mod personal_path;
mod piped_download;
mod refused_yaml;
mod reserved_character;
mod reserved_name;
mod scaffold;
mod secret;
mod surprising_placeholder;
mod syntax;
mod tab_indentation;
mod too_long;
mod unbraced_variable;
mod unclosed_fence;
mod unclosed_frontmatter;
mod undeclared_argument;
mod unknown_field;
mod unknown_tool;
mod unknown_value;
mod unpinned_package;
mod unquoted_colon;
mod unreachable_skill;
mod unrestricted_shell;
mod unusable_key;
mod unused_argument;
mod vague_name;
mod weak_description;
mod wrong_type;

use text_size::TextRange;

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    syntax::{Entry, Node, Scalar, SkillFile},
};

pub use crate::fixes::{Edit, Fix};
use syntax::syntax_finding;

/// Every rule. A new rule is a file, its page and a line here.
pub const RULES: &[&dyn Rule] = &[
    &invalid_utf8::InvalidUtf8,
    &missing_frontmatter::MissingFrontmatter,
    &unclosed_frontmatter::UnclosedFrontmatter,
    &invalid_yaml::InvalidYaml,
    &unquoted_colon::UnquotedColon,
    &missing_space_after_colon::MissingSpaceAfterColon,
    &tab_indentation::TabIndentation,
    &reserved_character::ReservedCharacter,
    &duplicate_key::DuplicateKey,
    &missing_name::MissingName,
    &name_format::NameFormat,
    &name_folder::NameFolder,
    &missing_description::MissingDescription,
    &too_long::TooLong,
    &unknown_field::UnknownField,
    &wrong_type::WrongType,
    &hidden_characters::HiddenCharacters,
    &command_in_code::CommandInCode,
    &undeclared_argument::UndeclaredArgument,
    &unused_argument::UnusedArgument,
    &unknown_value::UnknownValue,
    &invalid_hook::InvalidHook,
    &field_without_effect::FieldWithoutEffect,
    &deprecated_field::DeprecatedField,
    &permission_syntax::PermissionSyntax,
    &unknown_tool::UnknownTool,
    &unrestricted_shell::UnrestrictedShell,
    &invalid_glob::InvalidGlob,
    &ambiguous_glob::AmbiguousGlob,
    &paths_without_condition::PathsWithoutCondition,
    &dead_trigger::DeadTrigger,
    &broad_trigger::BroadTrigger,
    &duplicate_trigger::DuplicateTrigger,
    &input_mismatch::InputMismatch,
    &surprising_placeholder::SurprisingPlaceholder,
    &missing_argument_hint::MissingArgumentHint,
    &invalid_regex::InvalidRegex,
    &defeated_pattern::DefeatedPattern,
    &broad_pattern::BroadPattern,
    &command_not_run::CommandNotRun,
    &argument_in_command::ArgumentInCommand,
    &piped_download::PipedDownload,
    &unpinned_package::UnpinnedPackage,
    &secret::Secret,
    &personal_path::PersonalPath,
    &backslash_path::BackslashPath,
    &empty_body::EmptyBody,
    &scaffold::Scaffold,
    &unclosed_fence::UnclosedFence,
    &unbraced_variable::UnbracedVariable,
    &markup_in_metadata::MarkupInMetadata,
    &reserved_name::ReservedName,
    &long_body::LongBody,
    &hidden_comment::HiddenComment,
    &weak_description::WeakDescription,
    &vague_name::VagueName,
    &lossy_value::LossyValue,
    &unusable_key::UnusableKey,
    &refused_yaml::RefusedYaml,
    &unreachable_skill::UnreachableSkill,
];

/// One check.
pub trait Rule: Sync {
    /// Its name: words with hyphens, stable.
    fn code(&self) -> &'static str;

    /// What it finds, in one line.
    fn summary(&self) -> &'static str;

    /// What a reader does with a file in which the rule finds something; the worst where that depends.
    fn outcome(&self, policy: &Policy) -> Outcome;

    /// How loudly it speaks in a file of that dialect; `None` where it does not.
    fn severity(&self, dialect: crate::dialect::Dialect) -> Option<Severity> {
        self.outcome(dialect.policy()).severity()
    }

    /// What it must know beside the text.
    fn needs(&self) -> Needs {
        Needs::Text
    }

    /// Whether it speaks only where the configuration asks for it: a matter of taste.
    fn default_off(&self) -> bool {
        false
    }

    /// Looks at a file.
    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report);

    /// Its page, in Markdown.
    fn documentation(&self) -> &'static str;
}

/// What a rule must know beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Nothing but the file and its path.
    Text,
    /// The files beside it.
    Folder,
    /// All other skills.
    Catalog,
    /// The files of the workspace.
    Workspace,
}

/// How loud a finding is; the loudest is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file's own reader drops or misreads it.
    Error,
    /// Very likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
    /// A matter of other readers or of style.
    Hint,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub code: &'static str,
    /// How loud it is.
    pub severity: Severity,
    /// What is wrong and the way out, in a sentence.
    pub message: String,
    /// The characters that are wrong.
    pub range: TextRange,
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

/// The most findings of one file: nobody reads more, and a broken file has one a line.
pub const MAX_FINDINGS: usize = 1000;

/// Where rules put what they find.
#[derive(Debug, Default)]
pub struct Report {
    code: &'static str,
    findings: Vec<Finding>,
}

/// All that the rules find which need nothing but the text, sorted by place. Never panics, whatever the text.
///
/// Of more than [`MAX_FINDINGS`] the loudest are kept, and one more, `too-many-findings`, says how many were not.
pub fn check(file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let mut report = Report::default();
    for rule in RULES
        .iter()
        .filter(|rule| rule.needs() == Needs::Text && !rule.default_off())
    {
        report.code = rule.code();
        rule.check(file, facts, &mut report);
    }
    let mut findings = report.findings;
    if let Some(more @ 1..) = findings.len().checked_sub(MAX_FINDINGS) {
        findings.sort_by_key(|finding| (finding.severity, finding.range.start()));
        findings.truncate(MAX_FINDINGS);
        let mut cut = Report {
            code: "too-many-findings",
            findings,
        };
        let message = format!("{more} more findings are not shown; mend these first");
        cut.add(Severity::Information, TextRange::default(), message);
        findings = cut.findings;
    }
    findings.sort_by_key(|finding| {
        (
            finding.range.start(),
            finding.range.end(),
            finding.severity,
            finding.code,
        )
    });
    findings
}

/// What one rule finds, whether it is on or off, in the order in which it finds it.
pub fn check_rule(rule: &dyn Rule, file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let mut report = Report {
        code: rule.code(),
        findings: Vec::new(),
    };
    rule.check(file, facts, &mut report);
    report.findings
}

/// The rule of that code.
pub fn find(code: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.code() == code)
}

impl Report {
    /// Adds a finding of the rule that is running.
    pub fn add(&mut self, severity: Severity, range: TextRange, message: impl Into<String>) -> &mut Finding {
        let at = self.findings.len();
        self.findings.push(Finding {
            code: self.code,
            severity,
            message: message.into(),
            range,
            related: Vec::new(),
            fixes: Vec::new(),
            tags: Vec::new(),
        });
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
            range,
            message: message.into(),
        });
        self
    }
}

/// What a reader makes of something in a field: nothing where it does not read the field.
fn where_read(policy: &Policy, field: &str, outcome: Outcome) -> Outcome {
    let is_read = Field::find(FIELDS, field).is_some_and(|it| it.is_read_by(policy.dialect));
    if is_read { outcome } else { Outcome::Fine }
}

/// The entry of a field; none in a file that has no fields.
fn field<'a>(file: &'a SkillFile, facts: &Facts<'_>, name: &str) -> Option<&'a Entry> {
    file.entry(name).filter(|_| facts.kind != FileKind::AlwaysOn)
}

/// The word that another most likely means: the same but for its case, or a slip or two away.
fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    let most = if wanted.len() < 6 { 1 } else { 2 };
    words
        .into_iter()
        .filter(|it| it.len().abs_diff(wanted.len()) <= most && (3..=40).contains(&wanted.len()))
        .map(|it| (unknown_field::distance(&wanted, &it.to_lowercase()), it))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, it)| it)
}

/// The texts of a value: itself, or the items of a list.
fn texts(node: &Node) -> impl Iterator<Item = &Scalar> {
    std::iter::once(node)
        .chain(node.items())
        .filter_map(Node::as_scalar)
        .filter(|scalar| !scalar.is_null())
}

/// A sentence that names the readers which drop the file, or nothing.
fn dropped_by(outcome: impl Fn(&Policy) -> Outcome) -> String {
    match Facts::droppers(outcome).as_str() {
        "" => String::new(),
        readers => format!(" (dropped by {readers})"),
    }
}
