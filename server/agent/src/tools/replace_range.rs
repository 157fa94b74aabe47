use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Guard, Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::host::{Intent, Replacement};
use crate::model::ToolSpec;

/// Replaces one text that occurs exactly once.
pub(super) struct ReplaceRange;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    old_string: String,
    new_string: String,
    expected_before_hash: Option<Guard>,
}

impl Tool for ReplaceRange {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "replace_range",
            description: "Replaces one text in one file of the workspace. old_string must occur exactly once, white \
                space included; add the lines around it to make it unique. Line ends need not match. The answer is \
                a diff.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path in the workspace."},
                    "old_string": {"type": "string", "description": "The exact text to replace."},
                    "new_string": {"type": "string", "description": "What stands there instead."},
                    "expected_before_hash": {
                        "type": ["string", "integer"],
                        "description": "The hash from read_file_range; the edit is refused where the file changed.",
                    },
                },
                "required": ["path", "old_string", "new_string"],
                "additionalProperties": false,
            }),
        }
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let arguments: Arguments = arguments::parse(&self.spec(), input)?;
            let target = context.resolve(&arguments.path)?;
            let replacement = Replacement {
                old: arguments.old_string,
                new: arguments.new_string,
            };
            let intent = Intent::Edit {
                replacements: vec![replacement],
            };
            context
                .apply("edit", &target, intent, arguments.expected_before_hash.as_ref())
                .await
        }
        .boxed()
    }
}
