//! What can be wrong with a skill. One file a rule; the page beside it is its documentation and its test.

mod ambiguous_glob;
mod argument_in_command;
mod backslash_path;
mod broad_pattern;
mod broad_trigger;
mod broken_import;
mod broken_link;
mod command_in_code;
mod command_not_run;
mod dead_trigger;
mod defeated_pattern;
mod deprecated_field;
mod droppers;
mod duplicate_key;
mod duplicate_trigger;
mod empty_body;
mod field_without_effect;
mod hidden_characters;
mod hidden_comment;
mod input_mismatch;
mod invalid_glob;
mod invalid_hook;
mod invalid_mcp;
mod invalid_reference;
mod invalid_regex;
mod invalid_utf8;
mod invalid_yaml;
mod large_folder;
mod listing_budget;
mod long_body;
mod lossy_value;
mod markup_in_metadata;
mod missing_argument_hint;
mod missing_description;
mod missing_frontmatter;
mod missing_name;
mod missing_script;
mod missing_space_after_colon;
mod name_folder;
mod name_format;
mod nested_skill;
mod paths_without_condition;
mod permission_syntax;
mod personal_path;
mod piped_download;
mod reference_chain;
mod reference_outside;
mod refused_yaml;
mod requires_cycle;
mod reserved_character;
mod reserved_name;
mod scaffold;
mod secret;
mod shadowed_skill;
mod skill_file_name;
mod suppression;
mod surprising_placeholder;
mod syntax;
mod tab_indentation;
mod too_long;
mod unbraced_variable;
mod unclosed_fence;
mod unclosed_frontmatter;
mod undeclared_argument;
mod unknown_field;
mod unknown_skill;
mod unknown_tool;
mod unknown_value;
mod unmatched_paths;
mod unmentioned_file;
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
    levels::{Level, Levels},
    syntax::{Entry, Node, Scalar, SkillFile},
};

pub use crate::fixes::{Edit, Fix};
pub use suppression::allow;
use syntax::syntax_finding;
pub(crate) use unknown_field::distance;

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
    &skill_file_name::SkillFileName,
    &invalid_reference::InvalidReference,
    &broken_link::BrokenLink,
    &broken_import::BrokenImport,
    &reference_outside::ReferenceOutside,
    &reference_chain::ReferenceChain,
    &missing_script::MissingScript,
    &unmentioned_file::UnmentionedFile,
    &large_folder::LargeFolder,
    &nested_skill::NestedSkill,
    &invalid_mcp::InvalidMcp,
    &shadowed_skill::ShadowedSkill,
    &unknown_skill::UnknownSkill,
    &requires_cycle::RequiresCycle,
    &listing_budget::ListingBudget,
    &unmatched_paths::UnmatchedPaths,
    &suppression::UnusedSuppression,
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

    /// The sorts of files that it looks at.
    fn kinds(&self) -> &'static [FileKind] {
        FileKind::SKILLS
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

/// The most findings of one file: nobody reads more, and a broken file has one a line.
pub const MAX_FINDINGS: usize = 1000;

/// Where rules put what they find.
#[derive(Debug, Default)]
pub struct Report {
    code: &'static str,
    findings: Vec<Finding>,
}

/// When rules run: those that need the text alone at every keystroke, the others when what they need is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The rules that need the text alone.
    Text,
    /// The rules that need what is around the file.
    Around,
}

impl Pass {
    /// Whether a rule runs in this pass, as far as what it needs is known.
    pub fn runs(self, rule: &dyn Rule, facts: &Facts<'_>) -> bool {
        let needs = rule.needs();
        (needs == Needs::Text) == (self == Pass::Text)
            && facts.around.meets(needs)
            && rule.kinds().contains(&facts.kind)
            && Levels::is_on(facts.levels, rule)
    }
}

/// All that the rules find which need nothing but the text, sorted by place; no comment allows anything. Never panics,
/// whatever the text.
///
/// Of more than [`MAX_FINDINGS`] the loudest are kept, and one more, `too-many-findings`, says how many were not.
pub fn check(file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    run(file, facts, Pass::Text)
}

/// What a person is shown of a pass: what the rules find, with the systems that drop the file for it, without what
/// comments in the frontmatter allow, and with those comments that allow nothing.
pub fn report(file: &SkillFile, facts: &Facts<'_>, pass: Pass) -> Vec<Finding> {
    let mut findings = run(file, facts, pass);
    if pass == Pass::Text {
        droppers::name(file, facts, &mut findings);
    }
    let added = suppression::heed(file, facts, pass, &mut findings);
    if !added.is_empty() {
        findings.extend(added);
        sort(&mut findings);
    }
    findings
}

fn run(file: &SkillFile, facts: &Facts<'_>, pass: Pass) -> Vec<Finding> {
    let mut findings = found(file, facts, |rule| pass.runs(rule, facts));
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
    sort(&mut findings);
    findings
}

/// In the order of the text.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| {
        (
            finding.range.start(),
            finding.range.end(),
            finding.severity,
            finding.code,
        )
    });
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

/// The errors among what [`check`] finds, sooner: only rules run that can find one for the file's own dialect.
pub fn errors(file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings = found(file, facts, |rule| {
        Pass::Text.runs(rule, facts) && rule.severity(facts.dialect) == Some(Severity::Error)
    });
    findings.retain(|finding| finding.severity == Severity::Error);
    findings.sort_by_key(|finding| (finding.range.start(), finding.range.end(), finding.code));
    findings.truncate(MAX_FINDINGS);
    findings
}

fn found(file: &SkillFile, facts: &Facts<'_>, is_wanted: impl Fn(&dyn Rule) -> bool) -> Vec<Finding> {
    let mut report = Report::default();
    for rule in RULES.iter().filter(|rule| is_wanted(**rule)) {
        report.code = rule.code();
        let first = report.findings.len();
        rule.check(file, facts, &mut report);
        if let Some(Level::At(severity)) = facts.levels.and_then(|levels| levels.get(rule.code())) {
            for finding in &mut report.findings[first..] {
                finding.severity = severity;
            }
        }
    }
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
pub(crate) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    let most = if wanted.len() < 6 { 1 } else { 2 };
    words
        .into_iter()
        .filter(|it| it.len().abs_diff(wanted.len()) <= most && (3..=200).contains(&wanted.len()))
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

/// Where a finding about a file as a whole is shown: its name, else the first line.
fn head(file: &SkillFile) -> TextRange {
    let name = file
        .entry("name")
        .map(|entry| entry.value.range)
        .filter(|it| !it.is_empty());
    let open = file.frontmatter.as_ref().map(|frontmatter| frontmatter.open);
    name.or(open).unwrap_or_else(|| {
        let line = file.text.split(['\n', '\r']).next().unwrap_or_default();
        TextRange::up_to(text_size::TextSize::of(line))
    })
}
