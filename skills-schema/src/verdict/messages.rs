//! What the YAML libraries say, in the words of libyaml where it has some.

use granit_parser::ErrorKind;

use super::value::Value;
use crate::reader::stages::Spelling;

pub(super) const SEVERAL_DOCUMENTS: &str = "expected a single document in the stream, but found another document";
pub(super) const UNKNOWN_ALIAS: &str = "found undefined alias";
pub(super) const REPEATED_ANCHOR: &str = "found duplicate anchor";
pub(super) const ANCHOR_LETTERS: &str = "did not find expected alphabetic or numeric character";
pub(super) const FLOW_ENTRY: &str = "did not find expected ',' or ']'";
pub(super) const NO_DOCUMENT: &str = "did not find expected <document start>";
pub(super) const COLON: &str = "found unexpected ':'";
pub(super) const TAB_IN_BLOCK: &str = "found a tab character where an indentation space is expected";
pub(super) const DEPTH: &str = "recursion limit exceeded";
pub(super) const MERGED: &str = "merge keys exceeded the limit of 10000";
pub(super) const NO_KEY: &str = "did not find expected key";
pub(super) const NO_CONTENT: &str = "did not find expected node content";
pub(super) const NO_TOKEN: &str = "found character that cannot start any token";
pub(super) const MERGE: &str = "expected a mapping or list of mappings for merging";
pub(super) const KEY: &str = "found unhashable key";
pub(super) const FLOW: &str =
    "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)";
pub(super) const TAG: &str = "Found disallowed tag tokens (do not specify types in markup)";
pub(super) const ANCHOR: &str =
    "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)";
pub(super) const COLUMNS: &str = "Found mapping with indentation inconsistent with previous mapping";
pub(super) const BASE64: &str = "failed to decode base64 data";
pub(super) const NO_DATE: &str = "day is out of range for month";

/// The text for an error of the parser.
pub(super) fn of_parser(kind: &ErrorKind, fallback: &str) -> String {
    let text = match kind {
        ErrorKind::InvalidSimpleKey | ErrorKind::SimpleKeyExpected => "could not find expected ':'",
        ErrorKind::ExpectedBlockMappingKey => NO_KEY,
        ErrorKind::ExpectedNodeContent => NO_CONTENT,
        ErrorKind::UnclosedQuotedScalar => "found unexpected end of stream",
        ErrorKind::TabInIndentation | ErrorKind::TabInBlockIndentation | ErrorKind::TabNotAllowed => NO_TOKEN,
        _ => fallback,
    };
    text.to_owned()
}

pub(super) fn duplicate_key(key: &Value) -> String {
    format!("Duplicate key '{}' found", key.spelled(Spelling::Python))
}

pub(super) fn unknown_tag(tag: &str) -> String {
    format!("unknown tag !<{tag}>")
}

pub(super) fn no_constructor(tag: &str) -> String {
    format!("could not determine a constructor for the tag '{tag}'")
}

pub(super) fn no_value(tag: &str, text: &str) -> String {
    format!("'{text}' is no value of the tag '{tag}'")
}
