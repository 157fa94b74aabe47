//! The field reference: the table of fields as a page to read.

use std::fmt::Write as _;

use super::{FIELDS, Field, Place};
use crate::reader::Fallback;

/// The whole reference, in Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# Fields of the frontmatter\n\n\
         What each field of a `SKILL.md` is, what it may hold, and what each system does with it. Written from \
         `src/fields/table.rs` and `src/readers/` by a test: change these, not this page.\n",
    );
    for field in FIELDS {
        let _ = write!(page, "\n## `{}`\n\n{}", field.name, page_of(field, field.name));
    }
    page
}

/// All that is known of one field and of the fields inside it, in Markdown without a title; `path` is what it is called
/// from the top, such as `trigger.keywords`.
pub fn page_of(field: &'static Field, path: &str) -> String {
    let mut page = format!("{}\n\nHolds {}", field.documentation, field.type_name());
    if let Some(max) = field.max_length {
        let _ = write!(page, ", at most {max} characters");
    }
    page.push_str(".\n");
    if let Some(instead) = field.deprecated {
        let _ = writeln!(page, "\nOut of use: write `{instead}`.");
    }
    let spellings: Vec<String> = field.spellings().map(|it| format!("`{it}`")).collect();
    if !spellings.is_empty() {
        let _ = writeln!(page, "\nAlso spelt {}.", spellings.join(" or "));
    }
    if !field.example.is_empty() && !field.example.contains('\n') {
        let _ = writeln!(page, "\n```yaml\n{}: {}\n```", field.name, field.example);
    }
    let choices: Vec<_> = field.choices().filter(|(_, meaning)| !meaning.is_empty()).collect();
    if !choices.is_empty() {
        page.push_str("\n| Value | Meaning |\n|---|---|\n");
        for (word, meaning) in choices {
            let _ = writeln!(page, "| `{word}` | {} |", cell(meaning));
        }
    }
    if !field.readers.is_empty() {
        let has_default = field.readers.iter().any(|(_, it)| it.default.is_some());
        let has_since = field.readers.iter().any(|(_, it)| it.since.is_some());
        let columns = [
            (true, "System"),
            (true, "Effect"),
            (has_default, "Without it"),
            (has_since, "Since"),
        ];
        let titles: Vec<&str> = columns
            .iter()
            .filter(|(is_shown, _)| *is_shown)
            .map(|(_, it)| *it)
            .collect();
        let _ = writeln!(page, "\n| {} |\n|{}", titles.join(" | "), "---|".repeat(titles.len()));
        for (dialect, reader) in field.readers {
            let title = dialect.title();
            let title = title.strip_prefix("the ").unwrap_or(title);
            let required = if reader.required { "**required**; " } else { "" };
            let _ = write!(page, "| {title} | {required}{} |", cell(reader.effect));
            if has_default {
                let default = match reader.default {
                    Some(Fallback::Value(value)) => format!("`{value}`"),
                    Some(Fallback::Words(words)) => words.to_owned(),
                    None => String::new(),
                };
                let _ = write!(page, " {default} |");
            }
            if has_since {
                let _ = write!(page, " {} |", reader.since.unwrap_or_default());
            }
            page.push('\n');
        }
    }
    let inner = Place::of(field).fields();
    if !inner.is_empty() {
        page.push_str("\n| Key | Holds | Meaning |\n|---|---|---|\n");
        rows(inner, path, &mut page);
    }
    page
}

/// A row for each field inside, and for those inside them.
fn rows(fields: &'static [Field], path: &str, page: &mut String) {
    for field in fields {
        let path = format!("{path}.{}", field.name);
        let holds = cell(&field.type_name());
        let _ = writeln!(page, "| `{path}` | {holds} | {} |", cell(field.documentation));
        let place = Place::of(field);
        rows(place.fields(), &path, page);
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
