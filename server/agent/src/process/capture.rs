//! A stream of output of any length in bounded memory: its beginning and its end, and all of it in a file. What looks
//! like a secret is taken out first.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::output::OutputFile;
use super::redact_output::Redactor;

/// The most bytes of each half that are kept in memory.
const HALF: usize = 32 << 10;

/// What was kept of a stream.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    /// The file with the whole output, where memory was too short.
    pub(crate) file: Option<PathBuf>,
    is_file_cut: bool,
    problem: Option<String>,
}

/// Takes a stream in, piece by piece, so that what was read survives when it is no longer waited for.
pub(crate) struct Capture<'a> {
    folder: Option<&'a Path>,
    open: Option<Arc<Mutex<OutputFile>>>,
    redactor: Redactor,
    captured: Captured,
}

impl<'a> Capture<'a> {
    /// A capture whose file lies in a folder, made where it is needed; without one the middle is lost.
    pub(crate) fn new(folder: Option<&'a Path>) -> Self {
        Self {
            folder,
            open: None,
            redactor: Redactor::default(),
            captured: Captured::default(),
        }
    }

    /// A capture that writes to a file from the start, perhaps with others.
    pub(crate) fn into(file: Arc<Mutex<OutputFile>>) -> Self {
        Self {
            open: Some(file),
            ..Self::new(None)
        }
    }

    /// Reads to the end. A pipe that breaks has ended.
    pub(crate) async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>) {
        let mut buffer = vec![0; 64 << 10];
        let Some(mut stream) = stream else { return };
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            let known = self.redactor.push(&buffer[..length]);
            self.push(&known);
        }
    }

    /// What was kept.
    pub(crate) fn finish(mut self) -> Captured {
        let rest = self.redactor.finish();
        self.push(&rest);
        if let Some(file) = &self.open {
            self.captured.is_file_cut = file.lock().cut().load(Relaxed);
        }
        self.captured
    }

    fn push(&mut self, bytes: &[u8]) {
        let kept = &mut self.captured;
        kept.total += bytes.len() as u64;
        let begins_file = self.open.is_none() && kept.problem.is_none() && kept.total > (2 * HALF) as u64;
        if begins_file && let Some(folder) = self.folder {
            // Nothing was dropped before this piece.
            let before: Vec<u8> = kept.head.iter().chain(&kept.tail).copied().collect();
            let begun = OutputFile::of_command(folder).and_then(|mut file| file.write(&before).map(|()| file));
            match begun {
                Ok(file) => {
                    kept.file = Some(file.path().to_owned());
                    self.open = Some(Arc::new(Mutex::new(file)));
                }
                Err(error) => kept.problem = Some(format!("the whole output could not be kept: {error}")),
            }
        }
        let written = self.open.as_ref().map(|file| file.lock().write(bytes));
        if let Some(Err(error)) = written {
            kept.problem = Some(format!("the whole output could not be kept: {error}"));
            self.open = None;
        }
        let room = HALF.saturating_sub(kept.head.len()).min(bytes.len());
        kept.head.extend_from_slice(&bytes[..room]);
        let rest = &bytes[room..];
        kept.tail.extend(&rest[rest.len().saturating_sub(HALF)..]);
        let excess = kept.tail.len().saturating_sub(HALF);
        kept.tail.drain(..excess);
    }
}

impl Captured {
    /// The text without what only a terminal understands, at most `lines` lines of each half; and whether something is
    /// left out.
    pub(crate) fn text(&self, lines: usize) -> (String, bool) {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let is_cut = self.total > (self.head.len() + tail.len()) as u64;
        let whole = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes));
        let (head, tail) = match is_cut {
            true => (whole(&self.head), whole(&tail)),
            false => (whole(&[self.head.as_slice(), &tail].concat()), String::new()),
        };
        let all: Vec<&str> = head.lines().chain(tail.lines()).collect();
        if !is_cut && all.len() <= 2 * lines {
            return (head.trim_end().to_owned(), false);
        }
        let first = head.lines().count().min(lines);
        let last = (all.len() - first).min(lines);
        let middle = match (all.len() - first - last, is_cut) {
            (_, true) => format!("…({} bytes in all)", self.total),
            (left_out, false) => format!("…({left_out} more lines)"),
        };
        let place = match (&self.file, &self.problem) {
            (_, Some(problem)) => format!("; {problem}"),
            (Some(file), None) => match self.is_file_cut {
                true => format!("; the first part of it is in {}", file.display()),
                false => format!("; the whole output is in {}", file.display()),
            },
            (None, None) => String::new(),
        };
        let text = [
            all[..first].join("\n"),
            format!("{middle}{place}"),
            all[all.len() - last..].join("\n"),
        ];
        (text.join("\n"), true)
    }
}

/// The text without escape sequences, control characters, and characters that turn or hide text.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // Up to the final letter.
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                // Titles, links and the clipboard: up to a bell or ESC \.
                Some(']' | 'P' | '_' | '^' | 'X') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || c == '\u{9c}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                // A sequence of one letter, perhaps after others.
                Some(' '..='/') => while chars.next().is_some_and(|c| (' '..='/').contains(&c)) {},
                _ => {}
            },
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            '\n' | '\t' => plain.push(c),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {}
            '\u{e0000}'..='\u{e007f}' => {}
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_terminal_understands_is_left_out() {
        for (text, expected) in [
            ("a\u{1b}[31;1mred\u{1b}[0m", "ared"),
            ("\u{1b}]52;c;c2VjcmV0\u{7}x", "x"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never closed", ""),
            ("\u{1b}(Bx\u{1b}=y", "xy"),
            ("10%\r20%\r\nend\u{8}\0", "10%\n20%\nend"),
            ("a\u{202e}b\u{200b}c\u{e0041}", "abc"),
            ("é\t✓", "é\t✓"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[tokio::test]
    async fn memory_stays_bounded_and_the_file_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut capture = Capture::new(Some(folder.path()));
        let line = "0123456789abcde\n";
        for _ in 0..(10 << 20) / line.len() {
            capture.push(line.as_bytes());
        }
        let captured = capture.finish();
        assert!(captured.head.len() <= HALF && captured.tail.len() <= HALF);
        let file = captured.file.clone().unwrap();
        assert_eq!(file.metadata().unwrap().len(), 10 << 20);
        let (text, is_cut) = captured.text(100);
        assert!(is_cut && text.lines().count() == 201, "{}", text.lines().count());
        assert!(text.contains(&file.display().to_string()) && text.contains("10485760 bytes"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
