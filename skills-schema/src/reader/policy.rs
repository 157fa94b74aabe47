//! What happens to a file that has something wrong.

use Outcome::{Drops, Fine};

use crate::severity::Severity;

/// How one reader treats what a rule looks for. What it does with the rest is in its `Stages`.
#[derive(Debug)]
pub struct Policy {
    /// A file without frontmatter.
    pub no_frontmatter: Outcome,
    /// Bytes that are no UTF-8.
    pub invalid_utf8: Outcome,
    /// Blank lines before the frontmatter.
    pub leading_blank_line: Outcome,
    /// Frontmatter that nothing closes.
    pub unclosed: Outcome,
    /// Frontmatter that is no YAML.
    pub invalid_yaml: Outcome,
    /// `: ` in a value without quotes.
    pub unquoted_colon: Outcome,
    /// The same key twice.
    pub duplicate_key: Outcome,
    /// No `name`.
    pub no_name: Outcome,
    /// No `description`.
    pub no_description: Outcome,
    /// A `name` unlike its folder.
    pub name_unlike_folder: Outcome,
    /// The characters that a `name` may have.
    pub alphabet: Alphabet,
    /// A `name` with other characters.
    pub name_format: Outcome,
    /// Words that a `name` may not contain. It refuses the file.
    pub reserved_words: &'static [&'static str],
    /// `<` or `>` in the `description`.
    pub angle_bracket: Outcome,
    /// A field that the reader does not know.
    pub unknown_field: Outcome,
    /// A list or mapping where text belongs, or the reverse.
    pub wrong_type: Outcome,
    /// A number or boolean where text belongs.
    pub scalar_for_text: Outcome,
    /// An argument that is used and not declared, or declared and not used.
    pub argument_mismatch: Outcome,
    /// `skill.md` instead of `SKILL.md`.
    pub file_name_case: Outcome,
    /// An entry of `references` that is no file of the skill.
    pub invalid_reference: Outcome,
    /// A name under `requires` that no skill has, or a chain of such names without end.
    pub unmet_requirement: Outcome,
    /// A list of servers beside the skill that can't be read.
    pub invalid_mcp: Outcome,
    /// Descriptions that do not fit into the list of all skills.
    pub listing_budget: Outcome,
    /// A command in code or in a comment, which a person takes for an example and the reader runs.
    pub command_in_code: Outcome,
    /// An argument that becomes part of a command's text.
    pub argument_in_command: Outcome,
    /// What keeps a command from being run when it stands before it.
    pub command_escape: Option<&'static str>,
    /// The version that first read a value with a colon and no quotes, where that is recorded.
    pub colon_read_since: Option<&'static str>,
    /// A description of several lines.
    pub multiline_description: Outcome,
    /// Anchors, tags, `[lists]` and `{mappings}` in brackets.
    pub yaml_features: Outcome,
    /// A key that is no text, such as `1:` or `on:`, and the keys below.
    pub unusable_key: Outcome,
    /// Keys that clash with the reader's own names.
    pub reserved_keys: &'static [&'static str],
    /// How long values may be.
    pub limits: &'static [Limit],
}

/// What a reader does with a file that has something wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wrong for this reader.
    Fine,
    /// It loads the file as its text says; other readers may not.
    Tolerates,
    /// It loads the file, but the person most likely meant something else.
    Doubts,
    /// It loads the file with a part missing, or repairs it.
    Recovers,
    /// Its documents forbid it. What its program does is not recorded.
    Forbids,
    /// It loads the file with another name, description or activation than its text says.
    Misreads,
    /// It refuses the file.
    Drops,
}

impl Outcome {
    /// Whether the reader does not load the file, as far as anybody knows.
    pub fn is_refusal(self) -> bool {
        matches!(self, Outcome::Drops | Outcome::Forbids)
    }

    /// How severe the finding is in a file of that reader's own.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Outcome::Fine => None,
            Outcome::Tolerates => Some(Severity::Hint),
            Outcome::Doubts => Some(Severity::Information),
            Outcome::Recovers | Outcome::Forbids => Some(Severity::Warning),
            Outcome::Misreads | Outcome::Drops => Some(Severity::Error),
        }
    }
}

/// The characters of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// Anything.
    Any,
    /// `a-z`, `0-9` and single hyphens between them.
    Ascii,
    /// Lower-case letters and digits of any script, and single hyphens between them.
    Unicode,
    /// `a-z`, `A-Z`, `0-9` and single hyphens between them.
    AnyCase,
    /// `a-z`, `A-Z`, `0-9`, and behind the first character `-`, `_`, `.`, `:` and spaces.
    Label,
}

/// The longest value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The field's name.
    pub field: &'static str,
    /// How many units it may have.
    pub max: usize,
    /// What is counted.
    pub unit: Unit,
    /// What happens beyond.
    pub beyond: Outcome,
    /// A field that is counted along.
    pub with: Option<&'static str>,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Unicode scalar values.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

impl Policy {
    /// What most agents do; each reader says where it differs.
    pub(crate) const USUAL: Policy = Policy {
        no_frontmatter: Drops,
        invalid_utf8: Fine,
        leading_blank_line: Drops,
        unclosed: Drops,
        invalid_yaml: Drops,
        unquoted_colon: Drops,
        duplicate_key: Drops,
        no_name: Drops,
        no_description: Drops,
        name_unlike_folder: Fine,
        alphabet: Alphabet::Any,
        name_format: Fine,
        reserved_words: &[],
        angle_bracket: Fine,
        unknown_field: Fine,
        wrong_type: Drops,
        scalar_for_text: Fine,
        argument_mismatch: Fine,
        file_name_case: Drops,
        invalid_reference: Fine,
        unmet_requirement: Fine,
        invalid_mcp: Fine,
        listing_budget: Fine,
        command_in_code: Fine,
        argument_in_command: Fine,
        command_escape: None,
        colon_read_since: None,
        multiline_description: Fine,
        yaml_features: Fine,
        unusable_key: Fine,
        reserved_keys: &[],
        limits: &[],
    };

    /// The limits of a field.
    pub fn limits_of(&self, field: &str) -> impl Iterator<Item = &Limit> {
        self.limits.iter().filter(move |limit| limit.field == field)
    }
}

/// So many units of a field, and what happens beyond.
pub(crate) const fn limit(field: &'static str, max: usize, unit: Unit, beyond: Outcome) -> Limit {
    Limit {
        field,
        max,
        unit,
        beyond,
        with: None,
    }
}
