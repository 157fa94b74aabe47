//! THE table of readers: one row each, and nothing else tells them apart.

use super::{
    check::{
        Form, Missing, Rule,
        Test::{self, *},
        Then::{Done, Next},
    },
    reading::{CLAUDE_YAML, JS_YAML, PYYAML, Reading, SERDE_YAML, STRICTYAML},
    splitter::Splitter,
    value::Spelling,
};
use crate::dialect::Dialect;

/// How one program decides whether it loads a file, and what it sees.
#[derive(Debug)]
pub(super) struct Reader {
    /// Whose row this is.
    pub(super) dialect: Dialect,
    /// A file that is no UTF-8: refused with this message, or read with replacement characters.
    pub(super) not_utf8: Option<&'static str>,
    /// Where the frontmatter is.
    pub(super) splitter: Splitter,
    /// Text that does not start with frontmatter.
    pub(super) unopened: Without,
    /// Frontmatter that nothing closes.
    pub(super) unclosed: Without,
    /// How the YAML is read.
    pub(super) yaml: Yaml,
    /// YAML that can't be read; `{error}` is the library's message.
    pub(super) unreadable: Without,
    /// YAML without any value.
    pub(super) empty: Without,
    /// YAML that is no mapping.
    pub(super) no_mapping: Without,
    /// The fields that it knows, where it refuses others.
    pub(super) fields: Fields,
    /// What it demands of them, in its order.
    pub(super) rules: &'static [Rule],
    /// All that is broken is told, or only what it meets first.
    pub(super) tells: Tells,
    /// What it calls the skill.
    pub(super) name: Seen,
    /// What it says about the skill.
    pub(super) description: Seen,
    /// Longer descriptions are shortened in the middle.
    pub(super) shortens: Option<usize>,
}

/// What happens to a file whose frontmatter can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Without {
    /// It is refused; `{folder}` and `{error}` are filled in.
    Refused(&'static str),
    /// It loads without metadata.
    Loads(&'static str),
    /// It is read as if every field were missing.
    NoFields,
}

/// How the YAML is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Yaml {
    /// By a library.
    Library(&'static Reading),
    /// By a library; a value with `: ` in it is read as if it had quotes.
    Recovering(&'static Reading),
}

/// The fields that a reader knows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fields {
    /// Others are passed over.
    Any,
    /// Others are refused: the names in order, and the message with `{fields}`.
    Only(&'static [&'static str], &'static str),
    /// Any name that is text, but none of these: the fields become arguments of a function that has them already.
    Arguments(&'static [&'static str]),
    /// A type with these fields and what each may hold; they are met in the order of the file.
    Struct(&'static str, &'static [(&'static str, Type)]),
}

/// What a field of a [`Fields::Struct`] may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Text, a number or a boolean, all taken as text, or nothing.
    Text,
    /// Text, a list of texts, or nothing.
    TextOrTexts,
    /// Anything that JSON can say.
    Json,
    /// Anything.
    Any,
}

/// How much a reader tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    First,
    All,
}

/// Where a reader takes a text from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) form: Form,
    pub(super) otherwise: Otherwise,
}

/// What a reader takes where the field is missing or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    Nothing,
    Empty,
    Folder,
    FirstParagraph,
}

/// Every reader.
pub(super) static READERS: [Reader; 5] = [
    // skills-ref 0.1.1.
    Reader {
        dialect: Dialect::AgentSkills,
        not_utf8: Some("'utf-8' codec can't decode the file"),
        splitter: Splitter::Anywhere,
        unopened: Without::Refused("SKILL.md must start with YAML frontmatter (---)"),
        unclosed: Without::Refused("SKILL.md frontmatter not properly closed with ---"),
        yaml: Yaml::Library(&STRICTYAML),
        unreadable: Without::Refused("Invalid YAML in frontmatter: {error}"),
        empty: Without::Refused("SKILL.md frontmatter must be a YAML mapping"),
        no_mapping: Without::Refused("SKILL.md frontmatter must be a YAML mapping"),
        fields: Fields::Only(
            &[
                "allowed-tools",
                "compatibility",
                "description",
                "license",
                "metadata",
                "name",
            ],
            "Unexpected fields in frontmatter: {fields}. Only ['allowed-tools', 'compatibility', 'description', \
             'license', 'metadata', 'name'] are allowed.",
        ),
        rules: &[
            Rule {
                missing: Missing::Broken("Missing required field in frontmatter: name"),
                form: Form::Normalized,
                tests: &[
                    (Filled, "Field 'name' must be a non-empty string", Done),
                    (
                        Characters(64),
                        "Skill name '{value}' exceeds 64 character limit ({length} chars)",
                        Next,
                    ),
                    (Lowercase, "Skill name '{value}' must be lowercase", Next),
                    (NoHyphenAtEdge, "Skill name cannot start or end with a hyphen", Next),
                    (NoDoubleHyphen, "Skill name cannot contain consecutive hyphens", Next),
                    (
                        Letters,
                        "Skill name '{value}' contains invalid characters. Only letters, digits, and hyphens are allowed.",
                        Next,
                    ),
                    (
                        Folder,
                        "Directory name '{folder}' must match skill name '{value}'",
                        Next,
                    ),
                ],
                ..rule(&["name"])
            },
            Rule {
                missing: Missing::Broken("Missing required field in frontmatter: description"),
                tests: &[
                    (Filled, "Field 'description' must be a non-empty string", Done),
                    (
                        Characters(1024),
                        "Description exceeds 1024 character limit ({length} chars)",
                        Next,
                    ),
                ],
                ..rule(&["description"])
            },
            Rule {
                tests: &[
                    (Test::Text, "Field 'compatibility' must be a string", Done),
                    (
                        Characters(500),
                        "Compatibility exceeds 500 character limit ({length} chars)",
                        Next,
                    ),
                ],
                ..rule(&["compatibility"])
            },
        ],
        tells: Tells::All,
        name: seen(Form::Trimmed, Otherwise::Nothing),
        description: seen(Form::Trimmed, Otherwise::Nothing),
        shortens: None,
    },
    // Claude Code, as its documentation describes it. It refuses nothing.
    Reader {
        dialect: Dialect::Claude,
        not_utf8: None,
        splitter: Splitter::Tree,
        unopened: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
        unclosed: Without::Loads("nothing closes the frontmatter, so all of the file is instructions"),
        yaml: Yaml::Recovering(&CLAUDE_YAML),
        unreadable: Without::Loads("malformed YAML loads with empty metadata: {error}"),
        empty: Without::Loads("the frontmatter is empty"),
        no_mapping: Without::Loads("frontmatter that is no mapping loads with empty metadata"),
        fields: Fields::Any,
        rules: &[],
        tells: Tells::First,
        name: seen(Form::Spelled(Spelling::Source), Otherwise::Folder),
        description: seen(Form::Spelled(Spelling::Source), Otherwise::FirstParagraph),
        shortens: None,
    },
    // OpenHands SDK 1.58.0.
    Reader {
        dialect: Dialect::OpenHands,
        not_utf8: Some("'utf-8' codec can't decode the file"),
        splitter: Splitter::Hyphens,
        unopened: Without::NoFields,
        unclosed: Without::NoFields,
        yaml: Yaml::Library(&PYYAML),
        unreadable: Without::Refused("{error}"),
        empty: Without::NoFields,
        no_mapping: Without::NoFields,
        fields: Fields::Arguments(&["self", "content", "handler"]),
        rules: &[
            Rule {
                missing: Missing::Folder,
                form: Form::Spelled(Spelling::Python),
                tests: &[
                    (NotEmpty, "Name cannot be empty", Done),
                    (Characters(64), "Name exceeds 64 characters: {length}", Next),
                    (
                        Kebab,
                        "Name must be lowercase alphanumeric with single hyphens (e.g., 'my-skill', 'pdf-tools')",
                        Next,
                    ),
                    (Folder, "Name '{value}' does not match directory '{folder}'", Next),
                ],
                prefix: "Invalid skill name '{value}': ",
                ..rule(&["name"])
            },
            Rule {
                tests: &[(List, "Triggers must be a list of strings", Done)],
                ..rule(&["triggers"])
            },
            Rule {
                nullable: true,
                tests: &[(TextOrList, "paths must be a string or list", Done)],
                ..rule(&["paths"])
            },
            Rule {
                unless: Some("paths"),
                tests: &[
                    (List, "inputs must be a list", Done),
                    (
                        MapsWith(&["name", "description"]),
                        "inputs must have a name and a description",
                        Done,
                    ),
                ],
                ..rule(&["inputs"])
            },
            Rule {
                unless: Some("paths"),
                tests: &[(Texts, "triggers\n  Input should be a valid string", Done)],
                ..rule(&["triggers"])
            },
            Rule {
                nullable: true,
                tests: &[(Map, "metadata must be a dictionary", Done)],
                ..rule(&["metadata"])
            },
            Rule {
                nullable: true,
                tests: &[(TextOrList, "allowed-tools must be a string or list", Done)],
                ..rule(&["allowed-tools", "allowed_tools"])
            },
            Rule {
                nullable: true,
                tests: &[(
                    Test::Text,
                    "1 validation error for Skill\ndescription\n  Input should be a valid string",
                    Done,
                )],
                ..rule(&["description"])
            },
            Rule {
                nullable: true,
                tests: &[(
                    Test::Text,
                    "1 validation error for Skill\nlicense\n  Input should be a valid string",
                    Done,
                )],
                ..rule(&["license"])
            },
            Rule {
                nullable: true,
                tests: &[(
                    Test::Text,
                    "1 validation error for Skill\ncompatibility\n  Input should be a valid string",
                    Done,
                )],
                ..rule(&["compatibility"])
            },
            Rule {
                nullable: true,
                tests: &[(
                    BooleanLike,
                    "1 validation error for Skill\ndisable_model_invocation\n  Input should be a valid boolean, unable \
                     to interpret input",
                    Done,
                )],
                ..rule(&["disable-model-invocation", "disable_model_invocation"])
            },
        ],
        tells: Tells::First,
        name: seen(Form::Spelled(Spelling::Python), Otherwise::Folder),
        description: seen(Form::Read, Otherwise::Nothing),
        shortens: Some(1024),
    },
    // thndrs 0.1.0. It counts bytes, though its messages say characters.
    Reader {
        dialect: Dialect::Thndrs,
        not_utf8: Some("failed to read SKILL.md: stream did not contain valid UTF-8"),
        splitter: Splitter::Markdown,
        unopened: Without::Refused("missing YAML frontmatter"),
        unclosed: Without::Refused("missing YAML frontmatter"),
        yaml: Yaml::Library(&SERDE_YAML),
        unreadable: Without::Refused("invalid YAML frontmatter: {error}"),
        empty: Without::NoFields,
        no_mapping: Without::Refused("invalid YAML frontmatter: invalid type, expected struct Frontmatter"),
        fields: Fields::Struct(
            "invalid YAML frontmatter: {error}",
            &[
                ("name", Type::Text),
                ("description", Type::Text),
                ("allowed-tools", Type::TextOrTexts),
                ("license", Type::Text),
                ("compatibility", Type::Text),
                ("metadata", Type::Json),
                ("references", Type::Any),
            ],
        ),
        rules: &[
            Rule {
                missing: Missing::Broken("frontmatter name is required"),
                nullable: true,
                ..rule(&["name"])
            },
            Rule {
                missing: Missing::Broken("frontmatter description is required"),
                nullable: true,
                ..rule(&["description"])
            },
            Rule {
                tests: &[
                    (Folder, "name {debug} must match parent directory \"{folder}\"", Done),
                    (Bytes(64), "name exceeds 64 characters", Done),
                    (
                        AsciiLetters,
                        "name must contain only lowercase letters, numbers, and hyphens",
                        Done,
                    ),
                    (
                        NoHyphenAtEdge,
                        "name must not start or end with a hyphen or contain consecutive hyphens",
                        Done,
                    ),
                    (
                        NoDoubleHyphen,
                        "name must not start or end with a hyphen or contain consecutive hyphens",
                        Done,
                    ),
                ],
                ..rule(&["name"])
            },
            Rule {
                tests: &[
                    (NotBlank, "frontmatter description is required", Done),
                    (Bytes(1024), "description exceeds 1024 characters", Done),
                ],
                ..rule(&["description"])
            },
            Rule {
                nullable: true,
                tests: &[
                    (List, "frontmatter references must be a list of relative paths", Done),
                    (Items, "frontmatter references must not be empty", Done),
                    (Texts, "frontmatter references entries must be strings", Done),
                    (
                        RelativePaths,
                        "invalid frontmatter reference: path must stay inside the skill",
                        Done,
                    ),
                ],
                ..rule(&["references"])
            },
        ],
        tells: Tells::First,
        name: seen(Form::Read, Otherwise::Nothing),
        description: seen(Form::Read, Otherwise::Nothing),
        shortens: None,
    },
    // Wolffish 1.0.263.
    Reader {
        dialect: Dialect::Wolffish,
        not_utf8: None,
        splitter: Splitter::Prefix,
        unopened: Without::Refused(NO_NAME),
        unclosed: Without::Refused(NO_NAME),
        yaml: Yaml::Library(&JS_YAML),
        unreadable: Without::Refused(NO_NAME),
        empty: Without::Refused(NO_NAME),
        no_mapping: Without::Refused(NO_NAME),
        fields: Fields::Any,
        rules: &[
            Rule {
                missing: Missing::Broken(NO_NAME),
                tests: &[(Truthy, NO_NAME, Done)],
                ..rule(&["name"])
            },
            Rule {
                tests: &[(NoNullItems, "danger_patterns can't be iterated", Done)],
                ..rule(&["danger_patterns"])
            },
            Rule {
                tests: &[(NoNullItems, "confirm_patterns can't be iterated", Done)],
                ..rule(&["confirm_patterns"])
            },
        ],
        tells: Tells::First,
        name: seen(Form::Spelled(Spelling::JavaScript), Otherwise::Nothing),
        description: seen(Form::Spelled(Spelling::JavaScript), Otherwise::Empty),
        shortens: None,
    },
];

/// Wolffish says this of every file whose frontmatter it can't use.
const NO_NAME: &str = "SKILL.md in {folder}/ missing required frontmatter (name)";

/// A rule that demands nothing.
const fn rule(fields: &'static [&'static str]) -> Rule {
    Rule {
        fields,
        missing: Missing::Kept,
        unless: None,
        nullable: false,
        form: Form::Read,
        tests: &[],
        prefix: "",
    }
}

const fn seen(form: Form, otherwise: Otherwise) -> Seen {
    Seen { form, otherwise }
}
