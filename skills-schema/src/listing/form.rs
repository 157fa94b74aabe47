//! How each reader writes its listing.

use super::Entry;
use crate::dialect::runtime::Form;

/// One entry.
pub(super) struct Lines {
    pub(super) full: String,
    /// Without its description.
    pub(super) bare: String,
    pub(super) is_shortened: bool,
}

/// The longest description that OpenHands 1.58 lists, in characters.
const OPENHANDS_DESCRIPTION: usize = 1_024;
/// The longest description in an index of Wolffish 1.0.263, in characters.
const INDEX_DESCRIPTION: usize = 90;
/// The lines of an index of Wolffish 1.0.263.
const INDEX_LINES: usize = 60;

/// An entry's lines; `most` characters of its description.
pub(super) fn lines(form: Form, entry: &Entry<'_>, most: usize) -> Lines {
    let (description, is_shortened) = match form {
        Form::Bullets => {
            let parts = [entry.description, entry.when_to_use].map(one_line);
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
            cut(&parts.join(" - "), most)
        }
        Form::Index => cut(&one_line(entry.description), INDEX_DESCRIPTION),
        Form::XmlIndented => openhands(entry),
        Form::XmlLines | Form::XmlWithSource => (entry.description.to_owned(), false),
    };
    let write = |description: &str| match form {
        Form::Bullets if description.is_empty() => format!("- {}", one_line(entry.name)),
        Form::Bullets => format!("- {}: {description}", one_line(entry.name)),
        Form::Index => {
            let tools = match entry.tools {
                0 => "guide".to_owned(),
                1 => "1 tool".to_owned(),
                tools => format!("{tools} tools"),
            };
            let dash = if description.is_empty() { "" } else { " — " };
            format!("- {} ({tools}){dash}{description}", one_line(entry.name))
        }
        Form::XmlLines => {
            let [name, description, location] = [entry.name, description, entry.location].map(quoted);
            format!(
                "<skill>\n<name>\n{name}\n</name>\n<description>\n{description}\n</description>\n<location>\n{location}\n\
                 </location>\n</skill>"
            )
        }
        Form::XmlIndented => {
            let [name, description] = [entry.name, description].map(escaped);
            format!("  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>")
        }
        Form::XmlWithSource => {
            let tools = entry.allowed_tools.join(", ");
            let [name, description, location, source, tools] =
                [entry.name, description, entry.location, entry.source, &tools].map(quoted);
            let tools = if tools.is_empty() {
                String::new()
            } else {
                format!("\n    <allowed_tools>{tools}</allowed_tools>")
            };
            format!(
                "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
                 <location>{location}</location>\n    <source>{source}</source>{tools}\n  </skill>"
            )
        }
    };
    Lines {
        full: write(&description),
        bare: write(""),
        is_shortened,
    }
}

/// The listing around its entries.
pub(super) fn frame(form: Form, lines: &[&str], entries: &[Entry<'_>]) -> String {
    let body = lines.join("\n");
    let xml = |intro: &str, body: &str| format!("{intro}<available_skills>\n{body}\n</available_skills>");
    match form {
        Form::XmlLines if lines.is_empty() => "<available_skills>\n</available_skills>".to_owned(),
        Form::XmlIndented if lines.is_empty() => xml("", "  no available skills"),
        _ if lines.is_empty() => String::new(),
        Form::XmlLines | Form::XmlIndented => xml("", &body),
        Form::XmlWithSource => xml(
            "These skills are available. Read the file at a skill's location when the task fits its description.\n",
            &body,
        ),
        Form::Bullets => format!("The following skills are available for use with the Skill tool:\n\n{body}"),
        Form::Index => {
            let rest = entries.get(INDEX_LINES..).unwrap_or_default();
            let more = if rest.is_empty() {
                String::new()
            } else {
                let tools: usize = rest.iter().map(|entry| entry.tools).sum();
                format!(
                    "\n- …plus {} more capabilities ({tools} tools) — tool_search finds any of them",
                    rest.len()
                )
            };
            format!("{}{more}", lines[..lines.len().min(INDEX_LINES)].join("\n"))
        }
    }
}

/// The description and how much of the skill it leaves out.
fn openhands(entry: &Entry<'_>) -> (String, bool) {
    let (kept, is_cut) = cut(entry.description, OPENHANDS_DESCRIPTION);
    if !is_cut {
        return (kept, false);
    }
    let left = entry.description.chars().count() - OPENHANDS_DESCRIPTION;
    let notice = format!(
        "... [{left} characters truncated. Call invoke_skill(name=\"{}\") to load the full skill]",
        entry.name
    );
    (format!("{kept}{notice}"), true)
}

/// The first characters of a text, and whether there are more.
fn cut(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// A text without line ends: it can't look like another entry.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn quoted(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\'', "&#x27;")
}
