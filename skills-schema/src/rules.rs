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
mod copies_differ;
mod dangling_link;
mod dead_trigger;
mod defeated_pattern;
mod deprecated_field;
mod disputed_name;
mod duplicate_import;
mod duplicate_key;
mod duplicate_tool;
mod duplicate_trigger;
mod empty_body;
mod empty_field;
mod encoded_command;
mod example;
mod field_without_effect;
mod finding;
mod fork_without_task;
mod hidden_characters;
mod hidden_comment;
mod input_mismatch;
mod insecure_link;
mod interactive_script;
mod invalid_glob;
mod invalid_hook;
mod invalid_manifest;
mod invalid_mcp;
mod invalid_reference;
mod invalid_regex;
mod invalid_utf8;
mod invalid_yaml;
mod large_folder;
mod legacy_command;
mod linked_skill;
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
mod missing_shebang;
mod missing_space_after_colon;
mod mixed_line_ends;
mod model_told;
mod multiline_description;
mod name_folder;
mod name_format;
mod nested_skill;
mod odd_version;
mod pass;
mod paths_without_condition;
mod permission_syntax;
mod personal_path;
mod piped_download;
mod plugin_variable;
mod reference_chain;
mod reference_outside;
mod refused_by_reader;
mod refused_yaml;
mod renamed_by_plugin;
mod repair;
mod requires_cycle;
mod reserved_character;
mod reserved_name;
mod run;
mod scaffold;
mod script_mode;
mod secret;
mod shadowed_skill;
mod similar_name;
mod skill_file_name;
mod stray_file;
mod suppression;
mod surprising_place;
mod surprising_placeholder;
mod syntax;
mod tab_indentation;
mod too_long;
mod tool_parameters;
mod trailing_blanks;
mod unbraced_variable;
mod unclosed_fence;
mod unclosed_frontmatter;
mod unclosed_tag;
mod undeclared_argument;
mod unguarded_action;
mod unknown_field;
mod unknown_server;
mod unknown_skill;
mod unknown_tool;
mod unknown_tool_reference;
mod unknown_value;
mod unmatched_paths;
mod unmentioned_file;
mod unpinned_package;
mod unquoted_colon;
mod unreachable_skill;
mod unrestricted_shell;
mod unusable_argument;
mod unusable_key;
mod unused_argument;
mod vague_name;
mod weak_description;
mod working_folder;
mod wrong_type;

use text_size::TextRange;

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Folder, Names},
    fields::{FIELDS, Field},
    fixes,
    levels::{Level, Levels, UnknownLevel},
    nearest::{distance, nearest},
    syntax::{Entry, Node, Scalar, SkillFile},
};

pub use crate::fixes::{Edit, Fix};
pub use crate::severity::Severity;
pub use dangling_link::dangling;
pub use finding::{Effect, Fate, Finding, MAX_FINDINGS, Related, Report, Tag};
pub use pass::{Pass, check_rule};
pub use repair::repaired;
pub use run::{check, errors, report, sort};
pub use suppression::allow;
use syntax::syntax_findings;

/// Every rule. A new rule is a file, its page and a line here.
pub const RULES: &[&Rule] = &[
    &invalid_utf8::RULE,
    &missing_frontmatter::RULE,
    &unclosed_frontmatter::RULE,
    &invalid_yaml::RULE,
    &unquoted_colon::RULE,
    &missing_space_after_colon::RULE,
    &tab_indentation::RULE,
    &reserved_character::RULE,
    &duplicate_key::RULE,
    &missing_name::RULE,
    &name_format::RULE,
    &name_folder::RULE,
    &missing_description::RULE,
    &too_long::RULE,
    &unknown_field::RULE,
    &wrong_type::RULE,
    &hidden_characters::RULE,
    &command_in_code::RULE,
    &undeclared_argument::RULE,
    &unused_argument::RULE,
    &unusable_argument::RULE,
    &skill_file_name::RULE,
    &invalid_reference::RULE,
    &broken_link::RULE,
    &broken_import::RULE,
    &duplicate_import::RULE,
    &reference_outside::RULE,
    &reference_chain::RULE,
    &long_reference::RULE,
    &missing_script::RULE,
    &script_mode::RULE,
    &unmentioned_file::RULE,
    &large_folder::RULE,
    &stray_file::RULE,
    &nested_skill::RULE,
    &invalid_mcp::RULE,
    &invalid_manifest::RULE,
    &shadowed_skill::RULE,
    &similar_name::RULE,
    &disputed_name::RULE,
    &linked_skill::RULE,
    &copies_differ::RULE,
    &renamed_by_plugin::RULE,
    &unknown_skill::RULE,
    &requires_cycle::RULE,
    &listing_budget::RULE,
    &unmatched_paths::RULE,
    &suppression::RULE,
    &unknown_value::RULE,
    &empty_field::RULE,
    &invalid_hook::RULE,
    &field_without_effect::RULE,
    &deprecated_field::RULE,
    &permission_syntax::RULE,
    &unknown_tool::RULE,
    &unrestricted_shell::RULE,
    &invalid_glob::RULE,
    &ambiguous_glob::RULE,
    &paths_without_condition::RULE,
    &dead_trigger::RULE,
    &broad_trigger::RULE,
    &duplicate_trigger::RULE,
    &duplicate_tool::RULE,
    &tool_parameters::RULE,
    &input_mismatch::RULE,
    &surprising_placeholder::RULE,
    &missing_argument_hint::RULE,
    &invalid_regex::RULE,
    &defeated_pattern::RULE,
    &broad_pattern::RULE,
    &command_not_run::RULE,
    &argument_in_command::RULE,
    &piped_download::RULE,
    &unpinned_package::RULE,
    &secret::RULE,
    &personal_path::RULE,
    &backslash_path::RULE,
    &empty_body::RULE,
    &fork_without_task::RULE,
    &scaffold::RULE,
    &unclosed_fence::RULE,
    &unclosed_tag::RULE,
    &unbraced_variable::RULE,
    &plugin_variable::RULE,
    &markup_in_metadata::RULE,
    &multiline_description::RULE,
    &reserved_name::RULE,
    &long_body::RULE,
    &hidden_comment::RULE,
    &weak_description::RULE,
    &unguarded_action::RULE,
    &vague_name::RULE,
    &legacy_command::RULE,
    &lossy_value::RULE,
    &unusable_key::RULE,
    &refused_yaml::RULE,
    &unreachable_skill::RULE,
    &model_told::RULE,
    &surprising_place::RULE,
    &interactive_script::RULE,
    &missing_shebang::RULE,
    &unknown_server::RULE,
    &dangling_link::RULE,
    &odd_version::RULE,
    &mixed_line_ends::RULE,
    &trailing_blanks::RULE,
    &unknown_tool_reference::RULE,
    &working_folder::RULE,
    &encoded_command::RULE,
    &insecure_link::RULE,
    // It looks at what the others found.
    &refused_by_reader::RULE,
];

/// One check: what is known of it, and the function that looks.
#[derive(Debug)]
pub struct Rule {
    /// Its name: words with hyphens, stable.
    pub code: &'static str,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// The field that is missing where it finds something.
    lacks: Option<&'static str>,
    /// Whether it speaks only where the configuration asks for it: a matter of taste.
    pub default_off: bool,
    /// The sorts of files that it looks at.
    pub kinds: &'static [FileKind],
    /// Its page, in Markdown.
    pub documentation: &'static str,
    outcome: fn(Dialect) -> Outcome,
    /// Looks at the text alone.
    check: fn(&SkillFile, &Facts<'_>, &mut Report),
    /// Looks at more, instead.
    look: Option<Look>,
}

/// A check of more than the text. It runs where that is known.
#[derive(Debug)]
enum Look {
    /// Of the files beside it, too.
    Folder(fn(&SkillFile, &Facts<'_>, &Folder, &mut Report)),
    /// Of all other skills.
    Catalog(fn(&SkillFile, &Facts<'_>, &dyn Names, &mut Report)),
    /// Of the files of the workspace, where there are any.
    Workspace(fn(&SkillFile, &Facts<'_>, &mut Report)),
}

impl Rule {
    /// What most rules are: they look at the text of a skill. Each says the rest itself.
    const DEFAULT: Rule = Rule {
        code: "",
        summary: "",
        lacks: None,
        default_off: false,
        kinds: FileKind::SKILLS,
        documentation: "",
        outcome: |_| Outcome::Fine,
        check: |_, _, _| {},
        look: None,
    };

    /// What a reader does with a file in which the rule finds something; the worst where that depends. Where no reader of
    /// the file's place minds, the rule does not run.
    pub fn outcome(&self, reader: Dialect) -> Outcome {
        (self.outcome)(reader)
    }

    /// Looks at a file.
    fn run(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let around = &facts.around;
        match (&self.look, around.folder, around.names) {
            (None, ..) => (self.check)(file, facts, report),
            (Some(Look::Folder(check)), Some(folder), _) => check(file, facts, folder, report),
            (Some(Look::Catalog(check)), _, Some(names)) => check(file, facts, names, report),
            (Some(Look::Workspace(check)), ..) if !around.files.is_empty() => check(file, facts, report),
            (Some(_), ..) => {}
        }
    }

    /// Whether it speaks in a file.
    fn is_on(&self, facts: &Facts<'_>) -> bool {
        match facts.levels.and_then(|levels| levels.get(self.code)) {
            Some(level) => level != Level::Off,
            None => !self.default_off,
        }
    }
}

/// The rule of that code.
pub fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == code)
}

/// Why a rule can't be configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSet {
    /// No rule has this code.
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    /// The rule has no such level.
    #[error("`{code}` can't be `{level}`; {unknown}")]
    Level {
        /// The rule's code.
        code: &'static str,
        /// What was written.
        level: String,
        /// Which levels there are.
        unknown: UnknownLevel,
    },
}

/// A code that no rule has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{0}`; {way_out}", way_out = self.way_out())]
pub struct UnknownRule(pub String);

impl UnknownRule {
    fn way_out(&self) -> String {
        match nearest(&self.0, RULES.iter().map(|rule| rule.code)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`skills-ls explain` lists all".to_owned(),
        }
    }
}

/// Configures the severity of a rule.
pub fn set_level(levels: &mut Levels, code: &str, level: &str) -> Result<(), NotSet> {
    let code = find(code).ok_or_else(|| UnknownRule(code.to_owned()))?.code;
    levels.set(code, level).map_err(|unknown| NotSet::Level {
        code,
        level: level.to_owned(),
        unknown,
    })
}

/// What a reader makes of something in a field: nothing where it does not read the field.
fn where_read(reader: Dialect, field: &str, outcome: Outcome) -> Outcome {
    let is_read = Field::find(FIELDS, field).is_some_and(|it| it.is_read_by(reader));
    if is_read { outcome } else { Outcome::Fine }
}

/// What a reader makes of something about triggers: nothing where it has none.
fn where_triggered(reader: Dialect, outcome: Outcome) -> Outcome {
    let has_triggers = reader.checked().triggers.is_some();
    if has_triggers { outcome } else { Outcome::Fine }
}

/// The entry of a field; none in a file that has no fields.
fn field<'a>(file: &'a SkillFile, facts: &Facts<'_>, name: &str) -> Option<&'a Entry> {
    file.entry(name).filter(|_| facts.kind != FileKind::AlwaysOn)
}

/// Gives an entry with a colon another value, or its first.
fn fill(entry: &Entry, value: &str) -> Edit {
    let gap = if entry.value.range.is_empty() { " " } else { "" };
    Edit::replace(entry.value.range, format!("{gap}{value}"))
}

/// The spaces before an entry, for another one beside it; `None` where it is not the first on its line.
fn indentation<'a>(text: &'a str, entry: &Entry) -> Option<&'a str> {
    let start = entry.range.start();
    let before = &text[TextRange::new(fixes::line_start(text, start), start)];
    before.trim_matches([' ', '\t']).is_empty().then_some(before)
}

/// The texts of a value: itself, or the items of a list.
fn texts(node: &Node) -> impl Iterator<Item = &Scalar> {
    std::iter::once(node)
        .chain(node.items())
        .filter_map(Node::as_scalar)
        .filter(|scalar| !scalar.is_null())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_by_name_and_mistakes_name_the_way_out() {
        let mut levels = Levels::default();
        assert_eq!(set_level(&mut levels, "broken-link", "error"), Ok(()));
        assert_eq!(set_level(&mut levels, "name-folder", "off"), Ok(()));
        assert_eq!(levels.get("broken-link"), Some(Level::At(Severity::Error)));
        assert_eq!(levels.get("name-folder"), Some(Level::Off));
        assert_eq!(levels.get("name-format"), None);
        let message = set_level(&mut levels, "brokn-link", "off").unwrap_err();
        assert!(message.to_string().contains("did you mean `broken-link`?"), "{message}");
        let message = set_level(&mut levels, "broken-link", "loud").unwrap_err();
        assert!(
            message.to_string().contains("off, hint, info, warning, error"),
            "{message}"
        );
    }
}
