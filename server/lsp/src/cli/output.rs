//! What the command line prints: the only place that writes to stdout.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use skills_schema::TextRange;

use crate::printable::printable;

/// Standard output, written when it is dropped or flushed.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Whether colours are understood and wanted: `NO_COLOR` forbids them (<https://no-color.org>), `CLICOLOR_FORCE` wants
/// them without a terminal too, as in the logs of CI (<https://bixense.com/clicolors>).
pub fn is_coloured() -> bool {
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
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let here = here.unwrap_or_default();
    let short = path.strip_prefix(&here).unwrap_or(path);
    printable(&short.to_string_lossy())
}

/// Prints one JSON document.
pub fn json(value: &Value) -> Result<()> {
    // Not written by serde, whose errors hide that the reader closed the pipe.
    let text = serde_json::to_string_pretty(value)?;
    let mut out = stdout();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
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
    let start = usize::from(range.start());
    let before = &text[..start];
    let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    json!({
        "start": start,
        "end": usize::from(range.end()),
        "line": lines(before) + 1,
        "column": before[line_start..].chars().count() + 1,
    })
}

/// How many lines end in a text: at `\n`, `\r\n` or `\r`.
fn lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    (0..bytes.len()).filter(ends).count()
}
