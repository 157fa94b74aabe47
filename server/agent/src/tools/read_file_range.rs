use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{respond, shown};
use super::output::{Lines, counted};
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::changes::{eol, text_hash};
use crate::model::ToolSpec;
use crate::workspace::PathError;

/// The lines after the first that are given where no last line is asked for (as in thndrs 0.1).
const DEFAULT_LINES_AFTER: usize = 20;

/// Reads lines of one file.
pub(super) struct ReadFileRange;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    start_line: usize,
    end_line: Option<usize>,
}

impl Tool for ReadFileRange {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file_range",
            description: "Reads lines of one text file in the workspace, unsaved changes of the editor included. \
                Lines are counted from 1, both ends belong to the range; without end_line it gives 21 lines. The last \
                line of the answer tells how many lines there are and the hash for expected_before_hash.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path in the workspace."},
                    "start_line": {"type": "integer", "minimum": 0, "description": "First line, counted from 1."},
                    "end_line": {"type": "integer", "minimum": 0, "description": "Last line, included."},
                },
                "required": ["path", "start_line"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn summary(&self, input: &Value) -> String {
        let line = |field: &str| input[field].as_u64().map_or_else(String::new, |line| line.to_string());
        format!(
            "{}:{}-{}",
            arguments::shown(input, "path"),
            line("start_line"),
            line("end_line")
        )
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments {
                path,
                start_line,
                end_line,
            } = arguments::parse(&self.spec(), input)?;
            let target = context.resolve(&path)?;
            let Some(text) = context.read(&target).await? else {
                return Err(respond(PathError::Missing(target.relative)));
            };
            let start = start_line.max(1);
            let end = end_line.unwrap_or(start.saturating_add(DEFAULT_LINES_AFTER)).max(start);
            let lines = eol::to_lf(eol::without_bom(&text));
            let total = lines.lines().count();
            let hash = shown(text_hash(&text));
            if start > total {
                return Err(ToolError::Respond(format!(
                    "no lines in range {start}-{end}; {target} has {} (expected_before_hash {hash})",
                    counted(total, "line")
                )));
            }
            let mut out = Lines::default();
            let mut last = start - 1;
            for (index, line) in lines.lines().enumerate().skip(start - 1).take(end - start + 1) {
                if !out.push(&format!("{}: {line}", index + 1)) {
                    break;
                }
                last = index + 1;
            }
            let summary = format!("{target}:{start}-{last} of {}", counted(total, "line"));
            let mut output = out.finish(summary.clone(), None);
            output
                .text
                .push_str(&format!("\n[{summary}; expected_before_hash {hash}]"));
            Ok(output)
        }
        .boxed()
    }
}
