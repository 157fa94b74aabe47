use std::io;
use std::ops::ControlFlow;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use serde::Deserialize;
use serde_json::{Value, json};

use super::output::{Lines, MAX_RESULTS, counted};
use super::walk::{Filter, Glob, Stop, walk};
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::changes::eol;
use crate::host::Host;
use crate::model::ToolSpec;
use crate::workspace::{Target, Workspace};

/// The most lines of context on each side.
const MAX_CONTEXT: usize = 20;
/// A NUL in the first bytes says that a file is no text.
const BINARY_PROBE_BYTES: usize = 8192;

/// Searches the texts of files.
pub(super) struct SearchText;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    glob: Option<String>,
    extensions: Option<Vec<String>>,
    #[serde(default)]
    context_lines: usize,
    #[serde(default)]
    include_hidden: bool,
}

impl Tool for SearchText {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_text",
            description: "Searches the workspace's text files for a regular expression, line by line, in the open \
                editors' unsaved texts too. Each line of the answer is path:line:text. Hidden, ignored and binary \
                files, and files that look like secrets, are left out. At most 100 matches.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "Regular expression, in ripgrep's syntax."},
                    "glob": {"type": "string", "description": "Only paths that match, such as src/**/*.rs."},
                    "extensions": {"type": "array", "items": {"type": "string"}, "description": "Such as rs or md."},
                    "context_lines": {"type": "integer", "minimum": 0, "maximum": MAX_CONTEXT},
                    "include_hidden": {"type": "boolean"},
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn summary(&self, input: &Value) -> String {
        arguments::shown(input, "pattern")
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let arguments: Arguments = arguments::parse(&self.spec(), input)?;
            if arguments.pattern.is_empty() {
                return Err(ToolError::Respond(
                    "pattern is empty; use list_searchable_files to list files".to_owned(),
                ));
            }
            let matcher = RegexMatcherBuilder::new()
                .line_terminator(Some(b'\n'))
                .multi_line(true)
                .size_limit(4 << 20)
                .build(&arguments.pattern)
                .map_err(|error| {
                    let error = error.to_string();
                    ToolError::Respond(error.lines().take(5).collect::<Vec<_>>().join("\n"))
                })?;
            let filter = Filter {
                hidden: arguments.include_hidden,
                glob: arguments.glob.as_deref().map(Glob::new).transpose()?,
                ..Filter::default()
            }
            .with_extensions(arguments.extensions);
            let context_lines = arguments.context_lines.min(MAX_CONTEXT);
            let (workspace, host) = (context.workspace.clone(), context.host.clone());
            let permissions = context.permissions.clone();
            let stop = Stop::new(context.cancel.clone());
            let turn = context.turn.clone();
            let may_search = move |target: &Target| permissions.may_search(&turn, target);
            super::blocking(move || search(&workspace, &*host, &may_search, &filter, &stop, &matcher, context_lines))
                .await
        }
        .boxed()
    }
}

fn search(
    workspace: &Workspace,
    host: &dyn Host,
    may_search: &dyn Fn(&Target) -> bool,
    filter: &Filter,
    stop: &Stop,
    matcher: &RegexMatcher,
    context_lines: usize,
) -> ToolOutput {
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(context_lines)
        .after_context(context_lines)
        .build();
    let mut found = Found::default();
    let (mut secrets, mut closed) = (0, 0);
    let mut skipped = 0;
    let ended = walk(workspace, host, filter, stop, &|_| true, |target| {
        if target.secret || !may_search(&target) {
            *(if target.secret { &mut secrets } else { &mut closed }) += 1;
            return ControlFlow::Continue(());
        }
        let Some(bytes) = bytes(workspace, host, &target) else {
            skipped += 1;
            return ControlFlow::Continue(());
        };
        if bytes.iter().take(BINARY_PROBE_BYTES).any(|byte| *byte == 0) {
            return ControlFlow::Continue(());
        }
        // Lines are those that read_file_range counts.
        let text = String::from_utf8_lossy(&bytes);
        let text = eol::to_lf(eol::without_bom(&text));
        let sink = InFile {
            path: &target.relative,
            found: &mut found,
        };
        if searcher.search_slice(matcher, text.as_bytes(), sink).is_err() {
            skipped += 1;
        }
        if found.full {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if found.matches == 0 {
        found.lines.push("no matches");
    }
    let left_out = [
        (secrets, "that look like secrets"),
        (closed, "that a rule denies or asks about"),
        (skipped, "that could not be read"),
    ];
    for (count, what) in left_out {
        if count > 0 {
            found
                .lines
                .push(&format!("[{} {what} left out]", counted(count, "file")));
        }
    }
    let cut = ended.or_else(|| {
        found
            .full
            .then(|| format!("there are more than {}", counted_matches(found.matches)))
    });
    found.lines.finish(counted_matches(found.matches), cut)
}

/// The text that the person sees: the open buffer's, else the disk's.
fn bytes(workspace: &Workspace, host: &dyn Host, target: &Target) -> Option<Vec<u8>> {
    match host.buffer(&target.path) {
        Some(buffer) => Some(buffer.text.as_bytes().to_vec()),
        None => workspace.read_bytes(target).ok(),
    }
}

fn counted_matches(count: usize) -> String {
    if count == 1 {
        "1 match".to_owned()
    } else {
        format!("{count} matches")
    }
}

#[derive(Default)]
struct Found {
    lines: Lines,
    matches: usize,
    full: bool,
}

struct InFile<'a> {
    path: &'a str,
    found: &'a mut Found,
}

impl InFile<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let line = format!(
            "{}:{}:{}",
            self.path,
            number.unwrap_or_default(),
            text.trim_end_matches(['\n', '\r'])
        );
        self.found.full = !self.found.lines.push(&line);
        !self.found.full
    }
}

impl Sink for InFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.found.matches == MAX_RESULTS {
            self.found.full = true;
            return Ok(false);
        }
        let went_in = self.push(found.line_number(), found.bytes());
        self.found.matches += usize::from(went_in);
        Ok(went_in)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.push(context.line_number(), context.bytes()))
    }
}
