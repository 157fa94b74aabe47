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
mod duplicate_import;
mod duplicate_key;
mod duplicate_trigger;
mod empty_body;
mod empty_field;
mod field_without_effect;
mod finding;
mod fork_without_task;
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
mod legacy_command;
mod listing_budget;
mod long_body;
mod long_reference;
mod lossy_value;
mod markup_in_metadata;
mod missing_argument_hint;
mod missing_description;
mod missing_frontmatter;
mod missing_name;
mod missing_script;
mod missing_space_after_colon;
mod multiline_description;
mod name_folder;
mod name_format;
mod nested_skill;
mod paths_without_condition;
mod permission_syntax;
mod personal_path;
mod piped_download;
mod reference_chain;
mod reference_outside;
mod refused_by_reader;
mod refused_yaml;
mod requires_cycle;
mod reserved_character;
mod reserved_name;
mod run;
mod scaffold;
mod script_mode;
mod secret;
mod shadowed_skill;
mod skill_file_name;
mod stray_file;
mod suppression;
mod surprising_place;
mod surprising_placeholder;
mod syntax;
mod tab_indentation;
mod too_long;
mod unbraced_variable;
mod unclosed_fence;
mod unclosed_frontmatter;
mod unclosed_tag;
mod undeclared_argument;
mod unguarded_action;
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
    syntax::{Entry, Node, Scalar, SkillFile},
};

pub use crate::fixes::{Edit, Fix};
pub use finding::{Finding, Related, Report, Severity, Tag};
pub use run::{MAX_FINDINGS, Pass, check, check_rule, errors, report, sort};
pub use suppression::allow;
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
    &skill_file_name::SkillFileName,
    &invalid_reference::InvalidReference,
    &broken_link::BrokenLink,
    &broken_import::BrokenImport,
    &duplicate_import::DuplicateImport,
    &reference_outside::ReferenceOutside,
    &reference_chain::ReferenceChain,
    &long_reference::LongReference,
    &missing_script::MissingScript,
    &script_mode::ScriptMode,
    &unmentioned_file::UnmentionedFile,
    &large_folder::LargeFolder,
    &stray_file::StrayFile,
    &nested_skill::NestedSkill,
    &invalid_mcp::InvalidMcp,
    &shadowed_skill::ShadowedSkill,
    &unknown_skill::UnknownSkill,
    &requires_cycle::RequiresCycle,
    &listing_budget::ListingBudget,
    &unmatched_paths::UnmatchedPaths,
    &suppression::UnusedSuppression,
    &unknown_value::UnknownValue,
    &empty_field::EmptyField,
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
    &fork_without_task::ForkWithoutTask,
    &scaffold::Scaffold,
    &unclosed_fence::UnclosedFence,
    &unclosed_tag::UnclosedTag,
    &unbraced_variable::UnbracedVariable,
    &markup_in_metadata::MarkupInMetadata,
    &multiline_description::MultilineDescription,
    &reserved_name::ReservedName,
    &long_body::LongBody,
    &hidden_comment::HiddenComment,
    &weak_description::WeakDescription,
    &unguarded_action::UnguardedAction,
    &vague_name::VagueName,
    &legacy_command::LegacyCommand,
    &lossy_value::LossyValue,
    &unusable_key::UnusableKey,
    &refused_yaml::RefusedYaml,
    &unreachable_skill::UnreachableSkill,
    &surprising_place::SurprisingPlace,
    // It looks at what the others found.
    &refused_by_reader::RefusedByReader,
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

/// The rule of that code.
pub fn find(code: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.code() == code)
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
