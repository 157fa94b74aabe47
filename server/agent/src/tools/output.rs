//! Outputs within their caps.

use crate::changes::excerpt::clip;
use crate::tools::ToolOutput;

/// The most results of one call (as in thndrs 0.1).
pub(super) const MAX_RESULTS: usize = 100;
/// The most bytes of one output (as in thndrs 0.1).
pub(super) const MAX_OUTPUT_BYTES: usize = 65_536;

/// Lines within the cap of bytes.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    full: bool,
}

impl Lines {
    /// Adds a line, cut to the length of a line; `false` where the output is full.
    pub(super) fn push(&mut self, line: &str) -> bool {
        let line = clip(line);
        if self.full || self.text.len() + line.len() + 1 > MAX_OUTPUT_BYTES {
            self.full = true;
            return false;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&line);
        true
    }

    /// The output; `cut` says why there was more than is given, `full` is known here.
    pub(super) fn finish(mut self, summary: String, cut: Option<String>) -> ToolOutput {
        let cut = cut.or_else(|| self.full.then(|| format!("cut at {MAX_OUTPUT_BYTES} bytes")));
        if let Some(cut) = &cut {
            self.text
                .push_str(&format!("\n[{cut}; narrow the call to see the rest]"));
        }
        ToolOutput {
            text: self.text,
            summary,
            truncated: cut.is_some(),
        }
    }
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
