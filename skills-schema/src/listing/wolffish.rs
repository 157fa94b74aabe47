//! The sections `<skills>` and `<tools>` of a system prompt, as the documentation of Wolffish has them. Neither depends
//! on the other.

use crate::{shown::one_line, skill::Tool};

/// A skill whose text comes into the prompt.
#[derive(Clone, Copy, Debug)]
pub struct Guide<'a> {
    /// Its file, below the workspace.
    pub path: &'a str,
    /// Its text.
    pub body: &'a str,
}

/// The texts of the skills that a message activates; empty where there are none.
pub fn skills_section(guides: &[Guide<'_>]) -> String {
    let sources: Vec<String> = guides
        .iter()
        .map(|guide| {
            let path = guide
                .path
                .replace('&', "&amp;")
                .replace('"', "&quot;")
                .replace('<', "&lt;");
            // A text can't end its own section and begin another one.
            let body = guide
                .body
                .trim()
                .replace("</source", "<\\/source")
                .replace("</skills", "<\\/skills");
            format!("<source path=\"{path}\">\n{body}\n</source>")
        })
        .collect();
    section("skills", &sources.join("\n\n"))
}

/// The most tools that are named.
const MAX_TOOLS: usize = 100;
/// The most characters of a tool's description.
const MAX_DESCRIPTION: usize = 200;

/// The tools that skills define, whatever the message is; more than 100 are counted. `is_callable` tells whether a tool has code behind it here;
/// of a name that is defined twice the last one counts.
pub fn tools_section<'a>(tools: impl IntoIterator<Item = &'a Tool>, is_callable: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for tool in tools {
        let description = one_line(&tool.description);
        let description: String = description
            .replace("</", "<\\/")
            .chars()
            .take(MAX_DESCRIPTION)
            .collect();
        let note = if is_callable(&tool.name) {
            ""
        } else {
            " (can't be called here: its plugin is not installed)"
        };
        let colon = if description.is_empty() { "" } else { ": " };
        lines.retain(|(name, _)| *name != tool.name);
        lines.push((&tool.name, format!("- {}{colon}{description}{note}", tool.name)));
    }
    let more = lines.len().saturating_sub(MAX_TOOLS);
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).take(MAX_TOOLS).collect();
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    section("tools", &lines.join("\n"))
}

fn section(name: &str, content: &str) -> String {
    if content.is_empty() {
        String::new()
    } else {
        format!("<{name}>\n{content}\n</{name}>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sections_are_independent() {
        let tool = |name: &str, description: &str| Tool {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let tools = [tool("run", "Runs\nit."), tool("draw", ""), tool("run", "Runs again.")];
        assert_eq!(
            tools_section(&tools, |name| name == "draw"),
            "<tools>\n- draw\n- run: Runs again. (can't be called here: its plugin is not installed)\n</tools>"
        );
        let guide = |path, body| Guide { path, body };
        let guides = [
            guide("a/SKILL.md", "\nBody.\n"),
            guide("b\"/SKILL.md", "x</source></skills>"),
        ];
        assert_eq!(
            skills_section(&guides),
            "<skills>\n<source path=\"a/SKILL.md\">\nBody.\n</source>\n\n<source path=\"b&quot;/SKILL.md\">\n\
             x<\\/source><\\/skills>\n</source>\n</skills>"
        );
        assert_eq!(skills_section(&[]), "");
        assert_eq!(tools_section(&[], |_| true), "");
    }
}
