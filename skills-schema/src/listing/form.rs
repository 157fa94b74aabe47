//! How each reader writes its listing.

use super::Entry;
use crate::{dialect::runtime::Form, shown::one_line};

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
/// The longest description that Codex CLI 0.169.0 lists, in characters.
const CODEX_DESCRIPTION: usize = 1_024;

/// The entries in the order in which a reader lists them.
pub(super) fn sorted<'a>(form: Form, entries: &[Entry<'a>]) -> Vec<Entry<'a>> {
    let mut sorted = entries.to_vec();
    match form {
        Form::XmlLoaded | Form::Dots => sorted.sort_by_key(|entry| (entry.name, entry.location)),
        // Those of the project come first.
        Form::Roots => sorted.sort_by_key(|entry| (entry.source != "project", entry.name, entry.location)),
        _ => {}
    }
    sorted
}

/// The folders of skills that entries lie in, as Codex numbers them.
pub(super) fn folders<'a>(entries: &[Entry<'a>]) -> Vec<&'a str> {
    let mut folders: Vec<&str> = Vec::new();
    for (folder, _) in entries.iter().map(|entry| root_of(entry.location)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// An entry's lines; `most` characters of its description.
pub(super) fn lines(form: Form, entry: &Entry<'_>, folders: &[&str], most: usize) -> Lines {
    let (description, is_shortened) = match form {
        Form::Bullets => {
            let parts = [entry.description, entry.when_to_use].map(one_line);
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
            cut(&parts.join(" - "), most)
        }
        Form::Index => cut(&one_line(entry.description), INDEX_DESCRIPTION),
        Form::XmlIndented => openhands(entry),
        Form::Roots => cut(&one_line(entry.description), most.min(CODEX_DESCRIPTION)),
        _ => (entry.description.to_owned(), false),
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
        Form::Roots => {
            let (root, rest) = root_of(entry.location);
            let colon = if description.is_empty() { "" } else { ": " };
            let number = folders.iter().position(|folder| *folder == root).unwrap_or_default();
            format!(
                "- {}{colon}{description} (file: r{number}/{rest})",
                one_line(entry.name)
            )
        }
        Form::XmlLevel => {
            let [name, description, source] = [entry.name, description, entry.source].map(apostrophes);
            format!(
                "<skill>\n  <name>{name}</name>\n  <description>{description}</description>\n  \
                 <location>{source}</location>\n</skill>"
            )
        }
        Form::XmlFile => {
            let [name, description, location] = [entry.name, description, entry.location].map(apostrophes);
            format!(
                "<skill>\n<name>{name}</name>\n<description>{description}</description>\n<file>{location}</file>\n</skill>"
            )
        }
        Form::XmlLoaded => located(entry.name, description, &apostrophes(entry.location)),
        Form::XmlActivated => located(entry.name, description, entry.location),
        Form::XmlRead | Form::XmlViewed => {
            let [name, description, location] = [entry.name, description, entry.location].map(apostrophes);
            located(&name, &description, &location)
        }
        Form::Dots => format!("• {} - {description}", entry.name),
        Form::Unstated => String::new(),
    };
    Lines {
        full: write(&description),
        bare: write(""),
        is_shortened,
    }
}

/// The listing around its lines; `named` are the skills that have none.
pub(super) fn frame(form: Form, lines: &[String], entries: &[Entry<'_>], named: &[String]) -> String {
    let body = lines.join("\n");
    let xml = |intro: &str, body: &str| format!("{intro}<available_skills>\n{body}\n</available_skills>");
    match form {
        Form::XmlLines | Form::XmlViewed if lines.is_empty() => "<available_skills>\n</available_skills>".to_owned(),
        Form::XmlIndented if lines.is_empty() => xml("", "  no available skills"),
        Form::XmlLoaded if lines.is_empty() => format!("{OPEN_CODE}No skills are currently available."),
        Form::Unstated => String::new(),
        _ if lines.is_empty() && named.is_empty() => String::new(),
        Form::XmlLines | Form::XmlIndented => xml("", &body),
        Form::XmlWithSource => xml(
            "These skills are available. Read the file at a skill's location when the task fits its description.\n",
            &body,
        ),
        Form::XmlLoaded => xml(OPEN_CODE, &body),
        Form::XmlRead => xml(PI, &body),
        Form::XmlActivated => xml(GEMINI, &body),
        Form::XmlViewed => xml("", &body),
        Form::XmlFile => format!("<skills>\n{VS_CODE}{body}{}\n</skills>", by_name(named, VS_CODE_NAMES)),
        Form::XmlLevel => {
            let more = by_name(named, usize::MAX);
            format!("<skill>\n<available_skills>\n{body}\n</available_skills>{more}\n</skill>")
        }
        Form::Dots => format!(
            "You have these skills at your disposal, when it is clear they can help you solve a problem or you are asked \
             to use them:\n{body}"
        ),
        Form::Roots => roots(&body, entries),
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

/// What opencode 1.18.33 says before its list.
const OPEN_CODE: &str = "Skills provide specialized instructions and workflows for specific tasks.\nUse the skill tool to \
                         load a skill when a task matches its description.\n";
/// What pi 1.5.2 says before its list, where its model may read files.
const PI: &str = "The following skills provide specialized instructions for specific tasks.\nUse the read tool to load a \
                  skill's file when the task matches its description.\nResolve relative paths against the skill's \
                  directory (parent of SKILL.md). Use absolute paths in tool calls.\n\n";
/// What Gemini CLI 0.61.0 says before its list.
const GEMINI: &str = "# Available Agent Skills\n\nYou have access to the following specialized skills. To activate a skill \
                      and receive its detailed instructions, call the `activate_skill` tool with the skill's name.\n\n";
/// What Visual Studio Code 1.139.1 says before its list, where no tool for skills is enabled.
const VS_CODE: &str = "Here is a list of skills that contain domain specific knowledge on a variety of topics.\nEach skill \
                       comes with a description of the topic and a file path that contains the detailed instructions.\nWhen \
                       a user asks you to perform a task that falls within the domain of a skill, use the read_file tool to \
                       acquire the full instructions from the file URI.\n";
/// What Codex CLI 0.169.0 says before its list.
const CODEX: &str = "## Skills\nA skill is a set of local instructions to follow that is stored in a `SKILL.md` file. Below \
                     is the list of skills that can be used. Each entry includes a name, description, and a short path that \
                     can be expanded into an absolute path using the skill roots table.\n";

/// An entry with its path.
fn located(name: &str, description: &str, location: &str) -> String {
    format!(
        "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
         <location>{location}</location>\n  </skill>"
    )
}

/// The list of Codex below the table of its folders.
fn roots(body: &str, entries: &[Entry<'_>]) -> String {
    let table = folders(entries).into_iter().enumerate();
    let table: String = table
        .map(|(number, folder)| format!("- `r{number}` = `{folder}`\n"))
        .collect();
    format!(
        "<skills_instructions>\n{CODEX}### Skill roots\n{table}### Available skills\n{body}\n</skills_instructions>"
    )
}

/// The folder of skills that a file lies in, and the rest of its path.
fn root_of(location: &str) -> (&str, &str) {
    let end = location.rfind("/skills/").map(|at| at + "/skills".len());
    let end = end.or_else(|| location.match_indices('/').rev().nth(1).map(|(at, _)| at));
    end.map_or(("", location), |end| {
        (&location[..end], location[end..].trim_start_matches('/'))
    })
}

/// The description and how much of the skill it leaves out.
fn openhands(entry: &Entry<'_>) -> (String, bool) {
    let (kept, is_cut) = cut(entry.description, OPENHANDS_DESCRIPTION);
    let left = entry.left_out + entry.description.chars().count().saturating_sub(OPENHANDS_DESCRIPTION);
    if left == 0 {
        return (kept, false);
    }
    let notice = format!(
        "... [{left} characters truncated. Call invoke_skill(name=\"{}\") to load the full skill]",
        entry.name
    );
    (format!("{kept}{notice}"), is_cut)
}

/// The first characters of a text, and whether there are more.
fn cut(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn quoted(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\'', "&#x27;")
}

fn apostrophes(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\'', "&apos;")
}
/// The most characters of names that VS Code adds behind a full listing.
const VS_CODE_NAMES: usize = 5_000;

/// The line of the skills that are only named, with so many characters of names; nothing where there is none.
fn by_name(named: &[String], most: usize) -> String {
    if named.is_empty() {
        return String::new();
    }
    let mut used = 0;
    let fits = |name: &&String| {
        used += super::characters(name) + 2;
        used <= most
    };
    let mut shown: Vec<&str> = named.iter().take_while(fits).map(String::as_str).collect();
    let left = format!("... and {} more", named.len() - shown.len());
    if shown.len() < named.len() {
        shown.push(&left);
    }
    format!("\nAdditional skills available (invoke by name): {}", shown.join(", "))
}
