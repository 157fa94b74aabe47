use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::find_files::listed;
use super::output::MAX_RESULTS;
use super::walk::{Filter, Glob, Stop, first};
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::model::ToolSpec;

/// Lists the files that a search looks into.
pub(super) struct ListSearchableFiles;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    glob: Option<String>,
    #[serde(default)]
    include_hidden: bool,
}

impl Tool for ListSearchableFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_searchable_files",
            description: "Lists the files of the workspace that search_text looks into. A glob without * ? [ or { \
                is a part of the path. Hidden and ignored files are left out. At most 100 results.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "glob": {"type": "string", "description": "Only paths that match, such as *.md or docs."},
                    "include_hidden": {"type": "boolean"},
                },
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn summary(&self, input: &Value) -> String {
        if input["glob"].is_string() {
            arguments::shown(input, "glob")
        } else {
            "all".to_owned()
        }
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments { glob, include_hidden } = arguments::parse(&self.spec(), input)?;
            let (glob, part) = match glob {
                Some(glob) if glob.contains(['*', '?', '[', '{']) => (Some(Glob::new(&glob)?), String::new()),
                other => (None, other.unwrap_or_default()),
            };
            let filter = Filter {
                hidden: include_hidden,
                glob,
                ..Filter::default()
            };
            let (workspace, host) = (context.workspace.clone(), context.host.clone());
            let stop = Stop::new(context.cancel.clone());
            super::blocking(move || {
                let found = |text: &str| text.contains(&part);
                listed(first(&workspace, &*host, &filter, &stop, MAX_RESULTS + 1, &found))
            })
            .await
        }
        .boxed()
    }
}
