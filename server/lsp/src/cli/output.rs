//! What the command line prints: the only place that writes to stdout.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Value, json};
use skills_schema::{TextRange, TextSize};

use crate::printable::printable;

/// Standard output, written when it is dropped or flushed.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// Where a terminal understands them and the environment does not forbid them.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whether colours are used. By default where they are understood and wanted: `NO_COLOR` forbids them (<https://no-color.org>), `CLICOLOR_FORCE` wants
/// them without a terminal too, as in the logs of CI (<https://bixense.com/clicolors>).
pub fn is_coloured(colour: Colour) -> bool {
    if colour != Colour::Auto {
        return colour == Colour::Always;
    }
    let is_set = |name, unset: &str| std::env::var_os(name).is_some_and(|value| value != *"" && value != *unset);
    !is_set("NO_COLOR", "") && (is_set("CLICOLOR_FORCE", "0") || io::stdout().is_terminal())
}

/// How many columns the terminal has; `None` where stdout is none.
pub fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// A path as a person reads it: from the current folder where it is below it.
pub fn path(path: &Path) -> String {
    let shown = path.strip_prefix(&*HERE).unwrap_or(path);
    let shown = if shown.as_os_str().is_empty() {
        Path::new(".")
    } else {
        shown
    };
    printable(&shown.to_string_lossy())
}

/// The same, and with `~` for the home folder.
pub fn path_from(home: Option<&Path>, place: &Path) -> String {
    match home.and_then(|home| place.strip_prefix(home).ok()) {
        Some(inner) if !place.starts_with(&*HERE) => printable(&Path::new("~").join(inner).to_string_lossy()),
        _ => path(place),
    }
}

/// The current folder, without links; empty where it is gone.
pub fn current_folder() -> PathBuf {
    HERE.clone()
}

/// The process stays where it was started.
static HERE: LazyLock<PathBuf> = LazyLock::new(|| {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    here.unwrap_or_default()
});

/// Prints one JSON document.
pub fn json(value: &Value) -> Result<()> {
    let mut out = stdout();
    write_json(value, &mut out)?;
    Ok(out.flush()?)
}

/// Writes one JSON document.
pub fn write_json(value: &Value, out: &mut impl Write) -> Result<()> {
    // Not written by serde, whose errors hide that the reader closed the pipe.
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(out, "{text}")?)
}

/// Whether an error is that of a reader that went away.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Says on stderr what went wrong.
pub fn error(error: &anyhow::Error) {
    eprintln!("error: {}", printable(&format!("{error:#}")));
}

/// Says on stderr what is worth knowing.
pub fn note(text: &str) {
    eprintln!("note: {}", printable(text));
}

/// A range as machines read it: bytes, and the line and the character where it starts, both counted from 1.
pub fn range(text: &str, range: TextRange) -> Value {
    Places::of(text).range(range)
}

/// Where the lines of a text are, so that each place in it is found without looking at all before it.
pub struct Places<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

/// A place as people count: both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl<'a> Places<'a> {
    /// Finds the lines, which end at `\n`, `\r\n` or `\r`.
    pub fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends);
        let starts = [0].into_iter().chain(ends.map(|end| end + 1));
        let starts = starts.collect();
        Self { text, starts }
    }

    /// A range as machines read it: bytes, and the places of its ends.
    pub fn range(&self, range: TextRange) -> Value {
        let (start, end) = self.ends(range);
        json!({
            "start": usize::from(range.start()),
            "end": usize::from(range.end()),
            "line": start.line,
            "column": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        })
    }

    /// The places of both ends of a range.
    pub fn ends(&self, range: TextRange) -> (LineColumn, LineColumn) {
        (self.place(range.start().into()), self.place(range.end().into()))
    }

    /// The whole lines that a range touches, with their ends, and the number of the first.
    pub fn lines(&self, range: TextRange) -> (TextRange, usize) {
        let (first, last) = (self.line(range.start().into()), self.line(range.end().into()));
        let start = TextSize::of(&self.text[..self.starts[first]]);
        let end = self.starts.get(last + 1).copied().unwrap_or(self.text.len());
        (TextRange::new(start, TextSize::of(&self.text[..end])), first + 1)
    }

    /// The text of a range.
    pub fn slice(&self, range: TextRange) -> &'a str {
        &self.text[range]
    }

    /// The index of the line that holds an offset.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    fn place(&self, offset: usize) -> LineColumn {
        let line = self.line(offset);
        LineColumn {
            line: line + 1,
            column: self.text[self.starts[line]..offset].chars().count() + 1,
        }
    }
}
