use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Guard, Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::host::{Intent, Replacement};
use crate::model::ToolSpec;

/// Makes, replaces or edits one file.
pub(super) struct WritePatch;

/// One patch, checked field by field because its error texts are part of the tool (thndrs 0.1).
struct Patch {
    path: String,
    operation: Operation,
    guard: Option<Guard>,
}

enum Operation {
    Create(String),
    Replace(String),
    Edit(Replacement),
}

impl Tool for WritePatch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_patch",
            description: "Creates, replaces or edits one file of the workspace. op create makes a new file; replace \
                makes it or replaces all of a file that was read before; edit replaces old_string, which must occur \
                exactly once, by new_string. Several patches must all be edits of one file: they are located in the \
                same text and applied together or not at all.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "patches": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {
                                "op": {"type": "string", "enum": ["create", "replace", "edit"]},
                                "path": {"type": "string", "description": "Path in the workspace."},
                                "content": {"type": "string", "description": "The whole text, for create and replace."},
                                "old_string": {"type": "string", "description": "The exact text to replace, for edit."},
                                "new_string": {"type": "string", "description": "What stands there instead, for edit."},
                                "expected_before_hash": {
                                    "type": ["string", "integer"],
                                    "description": "The hash from read_file_range.",
                                },
                            },
                            "required": ["op", "path"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["patches"],
                "additionalProperties": false,
            }),
        }
    }

    fn summary(&self, input: &Value) -> String {
        let patches = input["patches"].as_array().map(Vec::as_slice).unwrap_or_default();
        let first = patches.first().unwrap_or(&Value::Null);
        let more = if patches.len() > 1 {
            format!(" ({} edits)", patches.len())
        } else {
            String::new()
        };
        format!(
            "{} {}{more}",
            arguments::shown(first, "op"),
            arguments::shown(first, "path")
        )
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let patches = patches(&input).map_err(ToolError::Respond)?;
            let (path, verb, intent, guard) = merged(patches).map_err(ToolError::Respond)?;
            let target = context.resolve(&path)?;
            context.apply(verb, &target, intent, guard.as_ref()).await
        }
        .boxed()
    }
}

fn patches(input: &Value) -> Result<Vec<Patch>, String> {
    let patches = input.get("patches").ok_or("missing 'patches' field")?;
    let patches = patches.as_array().ok_or("'patches' must be an array")?;
    if patches.is_empty() {
        return Err("'patches' must contain at least one patch".to_owned());
    }
    let numbered = |(index, value)| patch(value).map_err(|error| format!("patches[{index}]: {error}"));
    patches.iter().enumerate().map(numbered).collect()
}

fn patch(value: &Value) -> Result<Patch, String> {
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    let need = |field: &str| text(field).ok_or_else(|| format!("missing or non-string '{field}' field"));
    let op = need("op")?;
    let path = need("path")?;
    let operation = match op.as_str() {
        "create" => Operation::Create(text("content").ok_or("create requires a 'content' field")?),
        "replace" => Operation::Replace(text("content").ok_or("replace requires a 'content' field")?),
        "edit" => Operation::Edit(Replacement {
            old: text("old_string").ok_or("edit requires an 'old_string' field")?,
            new: text("new_string").ok_or("edit requires a 'new_string' field")?,
        }),
        other => {
            return Err(format!(
                "unknown patch op: '{other}' (expected create, replace, or edit)"
            ));
        }
    };
    let guard = match &value["expected_before_hash"] {
        Value::Null => None,
        hash => Some(
            serde_json::from_value(hash.clone())
                .map_err(|_| "'expected_before_hash' must be the hash that read_file_range shows")?,
        ),
    };
    Ok(Patch { path, operation, guard })
}

/// The patches as one intent for one file.
fn merged(patches: Vec<Patch>) -> Result<(String, &'static str, Intent, Option<Guard>), String> {
    let several = patches.len() > 1;
    let mut merged: Option<(String, Option<Guard>)> = None;
    let mut replacements = Vec::new();
    for Patch { path, operation, guard } in patches {
        match operation {
            Operation::Edit(replacement) => replacements.push(replacement),
            _ if several => {
                return Err("multi-patch calls only support edit operations for one file".to_owned());
            }
            Operation::Create(content) => return Ok((path, "create", Intent::Create { content }, guard)),
            Operation::Replace(content) => {
                return Ok((path, "replace", Intent::Overwrite { content, seen: None }, guard));
            }
        }
        match &merged {
            Some((first, _)) if *first != path => {
                return Err("multi-patch calls must target one file".to_owned());
            }
            Some((_, first)) if *first != guard => {
                return Err("multi-patch calls must have the same 'expected_before_hash'".to_owned());
            }
            _ => merged = Some((path, guard)),
        }
    }
    let (path, guard) = merged.ok_or("'patches' must contain at least one patch")?;
    Ok((path, "edit", Intent::Edit { replacements }, guard))
}
