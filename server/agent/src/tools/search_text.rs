use std::io;
use std::ops::ControlFlow;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use serde::Deserialize;
use serde_json::{Value, json};

use super::in_order::in_order;
use super::output::{Lines, MAX_RESULTS, counted};
use super::walk::{Filter, Glob, Stop, walk};
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::changes::eol;
use crate::changes::excerpt::MAX_LINE_CHARS;
use crate::host::Host;
use crate::model::ToolSpec;
use crate::workspace::{PathError, Target, Workspace};

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
            super::blocking(move || {
                let search = Search {
                    workspace: &workspace,
                    host: &*host,
                    may_search: &|target| permissions.may_search(&turn, target),
                    matcher: &matcher,
                    context_lines,
                };
                search.run(&filter, &stop)
            })
            .await
        }
        .boxed()
    }
}

/// One search, which several threads work on.
struct Search<'a> {
    workspace: &'a Workspace,
    host: &'a dyn Host,
    may_search: &'a (dyn Fn(&Target) -> bool + Sync),
    matcher: &'a RegexMatcher,
    context_lines: usize,
}

/// What a file gave.
enum Searched {
    /// Its lines, in order; none where nothing matches.
    Lines(Vec<Line>),
    /// It looks like a secret.
    Secret,
    /// A rule denies it, or asks about it.
    Closed,
    /// It could not be read.
    Unread,
}

/// A line that matches, or is next to one that does.
struct Line {
    text: String,
    is_match: bool,
}

impl Search<'_> {
    fn run(&self, filter: &Filter, stop: &Stop) -> ToolOutput {
        let mut found = Found::default();
        let mut ended = None;
        in_order(
            || {
                let (mut searcher, mut bytes) = (self.searcher(), Vec::new());
                move |target| self.file(&target, &mut searcher, &mut bytes)
            },
            |give| ended = walk(self.workspace, self.host, filter, stop, give),
            |searched| found.add(searched),
        );
        found.finish(ended)
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_number(true)
            .before_context(self.context_lines)
            .after_context(self.context_lines)
            .build()
    }

    /// Searches the text that the person sees: the open buffer's, else the disk's.
    fn file(&self, target: &Target, searcher: &mut Searcher, bytes: &mut Vec<u8>) -> Searched {
        if target.secret.is_some() {
            return Searched::Secret;
        }
        if !(self.may_search)(target) {
            return Searched::Closed;
        }
        bytes.clear();
        match self.host.buffer(&target.path) {
            Some(buffer) => bytes.extend_from_slice(buffer.text.as_bytes()),
            None => match self.workspace.read_into(target, bytes) {
                Ok(()) => {}
                Err(PathError::Secret(_)) => return Searched::Secret,
                Err(_) => return Searched::Unread,
            },
        }
        let mut lines = Vec::new();
        if bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0) {
            return Searched::Lines(lines);
        }
        // Lines are those that read_file_range counts.
        let text = String::from_utf8_lossy(bytes);
        let text = eol::to_lf(eol::without_bom(&text));
        let sink = InFile {
            path: &target.relative,
            lines: &mut lines,
            matches: 0,
        };
        match searcher.search_slice(self.matcher, text.as_bytes(), sink) {
            Ok(()) => Searched::Lines(lines),
            Err(_) => Searched::Unread,
        }
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
    secrets: usize,
    closed: usize,
    unread: usize,
}

impl Found {
    fn add(&mut self, searched: Searched) -> ControlFlow<()> {
        match searched {
            Searched::Lines(lines) => {
                for Line { text, is_match } in lines {
                    self.full = (is_match && self.matches == MAX_RESULTS) || !self.lines.push(&text);
                    if self.full {
                        return ControlFlow::Break(());
                    }
                    self.matches += usize::from(is_match);
                }
            }
            Searched::Secret => self.secrets += 1,
            Searched::Closed => self.closed += 1,
            Searched::Unread => self.unread += 1,
        }
        ControlFlow::Continue(())
    }

    fn finish(mut self, ended: Option<String>) -> ToolOutput {
        if self.matches == 0 {
            self.lines.push("no matches");
        }
        let left_out = [
            (self.secrets, "that look like secrets"),
            (self.closed, "that a rule denies or asks about"),
            (self.unread, "that could not be read"),
        ];
        for (count, what) in left_out {
            if count > 0 {
                self.lines
                    .push(&format!("[{} {what} left out]", counted(count, "file")));
            }
        }
        let all = counted_matches(self.matches);
        let cut = ended.or_else(|| self.full.then(|| format!("there are more than {all}")));
        self.lines.finish(all, cut)
    }
}

struct InFile<'a> {
    path: &'a str,
    lines: &'a mut Vec<Line>,
    matches: usize,
}

impl InFile<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        // A little more than is shown, so that the cut is seen.
        let end = text
            .char_indices()
            .nth(MAX_LINE_CHARS + 1)
            .map_or(text.len(), |(end, _)| end);
        self.lines.push(Line {
            text: format!("{}:{}:{}", self.path, number.unwrap_or_default(), &text[..end]),
            is_match,
        });
    }
}

impl Sink for InFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.push(found.line_number(), found.bytes(), true);
        self.matches += 1;
        // One more than is shown, so that it is known that there are more.
        Ok(self.matches <= MAX_RESULTS)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push(context.line_number(), context.bytes(), false);
        Ok(true)
    }
}
