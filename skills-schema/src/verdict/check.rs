//! What each reader demands of the fields, as rows of tests.

use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::{CodePointMapData, props::GeneralCategory, props::GeneralCategoryGroup};
use text_size::TextRange;

use super::{
    text::is_python_space,
    trouble::{Trouble, trouble},
    value::{Atom, Value, ValueKind},
};
use crate::{
    reader::stages::{FieldRule, Missing, Spelling, Test, TextForm, Then},
    shown::one_line,
};

/// The failures of one rule, in the order of its tests.
pub(super) fn failures(rule: &FieldRule, map: &Value, folder: Option<&str>) -> Vec<Trouble> {
    if rule
        .unless
        .and_then(|other| map.get(other))
        .is_some_and(holds_something)
    {
        return Vec::new();
    }
    let found = rule.fields.iter().find_map(|field| map.get(field));
    let found = found.filter(|value| !(rule.nullable && value.is_null()));
    let Some(subject) = Subject::of(rule, found, folder) else {
        return match (rule.missing, found) {
            (Missing::Broken(message), None) => vec![Trouble {
                message: message.to_owned(),
                range: None,
                missing: rule.fields.first().copied(),
                ..Trouble::default()
            }],
            _ => Vec::new(),
        };
    };
    let mut failures = Vec::new();
    for (test, message, then) in rule.tests {
        if subject.passes(*test) {
            continue;
        }
        let message = message
            .replace("{value}", &subject.text)
            .replace("{debug}", &format!("{:?}", subject.text))
            .replace("{length}", &subject.text.chars().count().to_string())
            .replace("{folder}", folder.unwrap_or_default());
        failures.push(trouble(message, subject.culprit(*test).or(subject.range)));
        if *then == Then::Done {
            break;
        }
    }
    if let (false, Some(first)) = (rule.prefix.is_empty(), failures.first()) {
        let all: Vec<&str> = failures.iter().map(|it| it.message.as_str()).collect();
        let message = format!("{}{}", rule.prefix.replace("{value}", &subject.text), all.join("; "));
        let range = first.range;
        failures = vec![trouble(message, range)];
    }
    failures
}

/// Its text in the form that a reader shows and compares.
pub(super) fn formed(value: &Value, form: TextForm) -> String {
    match form {
        TextForm::Read => value.spelled(Spelling::Source),
        TextForm::Spelled(spelling) => value.spelled(spelling),
        TextForm::Collapsed => one_line(&value.spelled(Spelling::Source)),
        TextForm::WithoutTags => without_tags(&value.spelled(Spelling::Source)),
        TextForm::Hyphenated => {
            let text = value.spelled(Spelling::Source);
            text.split_whitespace().collect::<Vec<_>>().join("-")
        }
        TextForm::FileName => value
            .spelled(Spelling::Source)
            .replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-"),
        TextForm::Trimmed => strip(&value.spelled(Spelling::Source)).to_owned(),
        TextForm::Normalized => normalized(strip(&value.spelled(Spelling::Source))),
    }
}

fn strip(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

fn normalized(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    ComposingNormalizerBorrowed::new_nfkc().normalize(text).into_owned()
}

/// `text.replace(/<[^>]+>/g, "")` of JavaScript.
fn without_tags(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        match rest[open..].find('>') {
            Some(length) if length > 1 => {
                kept += &rest[..open];
                rest = &rest[open + length + 1..];
            }
            Some(_) => {
                kept += &rest[..=open];
                rest = &rest[open + 1..];
            }
            // Nothing closes this one, nor any behind it.
            None => break,
        }
    }
    kept + rest
}

fn holds_something(value: &Value) -> bool {
    match &value.kind {
        ValueKind::List(items) => items
            .iter()
            .any(|item| !strip(&item.spelled(Spelling::Python)).is_empty()),
        _ => value
            .as_text()
            .is_some_and(|text| text.split(',').any(|part| !strip(part).is_empty())),
    }
}

/// What the tests of a rule look at.
struct Subject<'a> {
    value: Option<&'a Value>,
    text: String,
    folder: Option<String>,
    range: Option<TextRange>,
}

impl<'a> Subject<'a> {
    fn of(rule: &FieldRule, found: Option<&'a Value>, folder: Option<&str>) -> Option<Subject<'a>> {
        let text = match (found, rule.missing) {
            (Some(value), _) => formed(value, rule.form),
            (None, Missing::Folder) => folder?.to_owned(),
            (None, _) => return None,
        };
        let folder = match rule.form {
            TextForm::Normalized => folder.map(normalized),
            _ => folder.map(str::to_owned),
        };
        Some(Subject {
            value: found,
            text,
            folder,
            range: found.map(|value| value.range),
        })
    }

    /// The first item for which a test of the items fails.
    fn culprit(&self, test: Test) -> Option<TextRange> {
        let items = self.value.map_or(&[][..], Value::items);
        let item = items.iter().find(|item| !is_good_item(test, item))?;
        Some(item.range).filter(|range| !range.is_empty())
    }

    fn passes(&self, test: Test) -> bool {
        let text = self.text.as_str();
        let value = self.value;
        let items = || value.map_or(&[][..], Value::items);
        let is = |matches: fn(&ValueKind) -> bool| value.is_some_and(|value| matches(&value.kind));
        match test {
            Test::Text => value.is_some_and(|it| it.as_text().is_some()),
            Test::TextOrBytes => value.is_some_and(is_text),
            Test::Filled => value.is_some_and(|it| it.as_text().is_some()) && !strip(text).is_empty(),
            Test::NotBlank => !text.trim().is_empty(),
            Test::Items => !items().is_empty(),
            Test::NotEmpty => !text.is_empty(),
            Test::List => is(|kind| matches!(kind, ValueKind::List(_))) && !value.is_some_and(|value| value.foreign),
            Test::TextOrList => {
                value.is_some_and(|value| value.as_text().is_some()) || is(|kind| matches!(kind, ValueKind::List(_)))
            }
            Test::Map => is(|kind| matches!(kind, ValueKind::Map(_))),
            Test::Texts | Test::MapsWith(_) | Test::RelativePaths => {
                items().iter().all(|item| is_good_item(test, item))
            }
            Test::NoNullItems => value.is_none_or(has_no_null_items),
            Test::BooleanLike => value.is_some_and(|value| boolean(value).is_some()),
            Test::Truthy => value.is_some_and(is_truthy),
            Test::Characters(most) => text.chars().count() <= most,
            Test::Bytes(most) => text.len() <= most,
            Test::Folder => self.folder.as_deref().is_none_or(|folder| folder == text),
            Test::Lowercase => text.to_lowercase() == text,
            Test::NoHyphenAtEdge => !text.starts_with('-') && !text.ends_with('-'),
            Test::NoDoubleHyphen => !text.contains("--"),
            Test::Letters => text.chars().all(|c| c == '-' || is_letter_or_number(c)),
            Test::AsciiLetters => text
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')),
            Test::Kebab => {
                let text = text.strip_suffix('\n').unwrap_or(text);
                let word =
                    |word: &str| !word.is_empty() && word.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9'));
                text.split('-').all(word)
            }
            Test::AsciiKebab => {
                let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric());
                text.split('-').all(word)
            }
            Test::AsciiLabel => {
                let others = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | ' ');
                text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(others)
            }
            Test::Boolean => value
                .and_then(Value::scalar)
                .is_some_and(|it| matches!(it.atom, Atom::Bool(_))),
            Test::FolderInAnyCase => {
                let same = |folder: &str| folder.to_lowercase() == text.to_lowercase();
                self.folder.as_deref().is_none_or(same)
            }
            Test::Without(character) => !text.contains(character),
            Test::WithoutWord(word) => !text.to_lowercase().contains(word),
        }
    }
}

/// What a test demands of each item of a list.
fn is_good_item(test: Test, item: &Value) -> bool {
    match test {
        Test::Texts => is_text(item),
        Test::MapsWith(keys) => keys.iter().all(|key| item.get(key).is_some_and(is_text)),
        Test::NoNullItems => !item.is_null(),
        Test::RelativePaths => item.as_text().is_some_and(is_relative_path),
        _ => true,
    }
}

/// Text; bytes that are text too, which pydantic takes for it.
fn is_text(value: &Value) -> bool {
    value.scalar().is_some_and(|scalar| match &scalar.atom {
        Atom::Text => true,
        Atom::Bytes(bytes) => std::str::from_utf8(bytes).is_ok(),
        _ => false,
    })
}

fn is_letter_or_number(c: char) -> bool {
    static CATEGORIES: LazyLock<icu_properties::CodePointMapDataBorrowed<'static, GeneralCategory>> =
        LazyLock::new(CodePointMapData::<GeneralCategory>::new);
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let category = CATEGORIES.get(c);
    GeneralCategoryGroup::Letter.contains(category) || GeneralCategoryGroup::Number.contains(category)
}

fn has_no_null_items(value: &Value) -> bool {
    match &value.kind {
        ValueKind::List(items) => items.iter().all(|item| is_good_item(Test::NoNullItems, item)),
        ValueKind::Scalar(scalar) => matches!(scalar.atom, Atom::Text | Atom::Null | Atom::Bytes(_)),
        _ => false,
    }
}

/// The boolean that pydantic takes a value for.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    let word = |text: &str| match text.to_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
        _ => None,
    };
    let scalar = value.scalar()?;
    match &scalar.atom {
        Atom::Bool(value) => Some(*value),
        Atom::Integer(digits) => word(digits).filter(|_| matches!(digits.as_str(), "0" | "1")),
        Atom::Float(number) if *number == 0.0 => Some(false),
        Atom::Float(number) if *number == 1.0 => Some(true),
        Atom::Text => word(&scalar.text),
        Atom::Bytes(bytes) => word(std::str::from_utf8(bytes).ok()?),
        _ => None,
    }
}

fn is_truthy(value: &Value) -> bool {
    match value.scalar().map(|scalar| (&scalar.atom, scalar.text.as_str())) {
        Some((Atom::Null | Atom::Bool(false), _)) => false,
        Some((Atom::Integer(digits), _)) => digits != "0",
        Some((Atom::Float(number), _)) => *number != 0.0 && !number.is_nan(),
        Some((Atom::Text, text)) => !text.is_empty(),
        _ => true,
    }
}

fn is_relative_path(path: &str) -> bool {
    let path = path.trim();
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    !path.starts_with('/') && parts.clone().next().is_some() && !parts.any(|part| part == "..")
}
