use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::host::Intent;
use crate::model::ToolSpec;

/// Makes a file that does not exist yet.
pub(super) struct CreateFile;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    content: String,
}

impl Tool for CreateFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "create_file",
            description: "Makes a new text file in the workspace, with the folders above it. Fails if the file \
                already exists.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path in the workspace."},
                    "content": {"type": "string", "description": "The whole text."},
                },
                "required": ["path", "content"],
                "additionalProperties": false,
            }),
        }
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments { path, content } = arguments::parse(&self.spec(), input)?;
            let target = context.resolve(&path)?;
            context.apply("create", &target, Intent::Create { content }, None).await
        }
        .boxed()
    }
}
