//! What the command line prints: the only place that writes to stdout.

use std::io::{self, BufWriter, StdoutLock, Write};

use anyhow::Result;
use serde_json::{Value, json};
use skills_schema::TextRange;

/// Standard output, written when it is dropped or flushed.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints one JSON document.
pub fn json(value: &Value) -> Result<()> {
    let mut out = stdout();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
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
