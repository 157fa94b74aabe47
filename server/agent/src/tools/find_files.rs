use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Value, json};

use super::output::{Lines, MAX_RESULTS, counted};
use super::walk::{Filter, Glob, Stop, first};
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::model::ToolSpec;
use crate::workspace::Target;

/// Finds files by name.
pub(super) struct FindFiles;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    glob: Option<String>,
    extensions: Option<Vec<String>>,
    max_depth: Option<usize>,
    #[serde(default)]
    include_hidden: bool,
    #[serde(default)]
    follow_symlinks: bool,
}

impl Tool for FindFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "find_files",
            description: "Finds files of the workspace whose name matches a regular expression (the path, if the \
                pattern has a slash); small letters match capitals too, and an empty pattern matches all. Hidden and \
                ignored files are left out. At most 100 results.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "Regular expression for the file's name."},
                    "glob": {"type": "string", "description": "Only paths that match, such as src/**/*.rs."},
                    "extensions": {"type": "array", "items": {"type": "string"}, "description": "Such as rs or md."},
                    "max_depth": {"type": "integer", "minimum": 1, "description": "1 is the workspace's own files."},
                    "include_hidden": {"type": "boolean"},
                    "follow_symlinks": {"type": "boolean", "description": "Inside the workspace."},
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let arguments: Arguments = arguments::parse(&self.spec(), input)?;
            let pattern = RegexBuilder::new(&arguments.pattern)
                .case_insensitive(!arguments.pattern.chars().any(char::is_uppercase))
                .size_limit(1 << 20)
                .build()
                .map_err(|error| {
                    ToolError::Respond(format!(
                        "invalid pattern: {error}\nit is a regular expression; use glob for *.rs"
                    ))
                })?;
            let by_path = arguments.pattern.contains('/');
            let filter = Filter {
                hidden: arguments.include_hidden,
                follow_links: arguments.follow_symlinks,
                max_depth: arguments.max_depth,
                glob: arguments.glob.as_deref().map(Glob::new).transpose()?,
                ..Filter::default()
            }
            .with_extensions(arguments.extensions);
            let (workspace, host) = (context.workspace.clone(), context.host.clone());
            let stop = Stop::new(context.cancel.clone());
            super::blocking(move || {
                let found = |text: &str| {
                    let name = text.rsplit('/').next().unwrap_or(text);
                    pattern.is_match(if by_path { text } else { name })
                };
                listed(first(&workspace, &*host, &filter, &stop, MAX_RESULTS + 1, &found))
            })
            .await
        }
        .boxed()
    }
}

/// Paths within the caps, one a line, of files of which one more was looked for than is shown.
pub(super) fn listed((files, ended): (Vec<Target>, Option<String>)) -> ToolOutput {
    let mut lines = Lines::default();
    let shown = files
        .iter()
        .take(MAX_RESULTS)
        .take_while(|target| lines.push(&target.relative))
        .count();
    if files.is_empty() {
        lines.push("no files match");
    }
    let count = counted(shown, "file");
    let cut = ended.or_else(|| (shown < files.len()).then(|| format!("there are more than {count}")));
    lines.finish(count, cut)
}
