//! Claude Code, as its documentation describes it. It refuses nothing.

use super::{Fields, Hides, Otherwise, Reader, Shortens, Tells, Without, Yaml, seen};
use crate::{
    dialect::Dialect,
    verdict::{check::Form, reading::CLAUDE_YAML, splitter::Splitter, value::Spelling},
};

pub(super) const ROW: Reader = Reader {
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
    shortens: Shortens::Never,
    hides: &[Hides::ModelInvocationDisabled],
};
