//! What a person types while something else is shown: whole lines, and the keys that mean something at once.

use std::io::{IsTerminal, Read, Write};

use parking_lot::Mutex;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Something that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A line, without its end.
    Line(String),
    /// Ctrl+T.
    Toggle,
    /// Ctrl+R.
    Review,
    /// Esc alone, not the beginning of another key.
    Escape,
    /// Ctrl+D on an empty line, or the end of the input.
    End,
}

/// What comes from standard input; where that is a terminal it gives each key at once until this is dropped.
#[derive(Debug)]
pub struct Keys(UnboundedReceiver<Key>);

/// The terminal as it was before.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

const CTRL_D: u8 = 0x04;
const CTRL_R: u8 = 0x12;
const CTRL_T: u8 = 0x14;
const CTRL_U: u8 = 0x15;
const ESCAPE: u8 = 0x1b;
const BACKSPACE: [u8; 2] = [0x08, 0x7f];

impl Keys {
    /// Begins to read. The thread that reads can't be stopped: it ends with the process.
    pub fn read() -> Self {
        let (sender, receiver) = unbounded_channel();
        let is_terminal = std::io::stdin().is_terminal() && take_over().is_ok();
        std::thread::spawn(move || read(&sender, is_terminal));
        Self(receiver)
    }

    /// Nothing is ever typed.
    pub fn none() -> Self {
        let (_, receiver) = unbounded_channel();
        Self(receiver)
    }

    /// The next key; `None` once no more can come.
    pub async fn next(&mut self) -> Option<Key> {
        self.0.recv().await
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was. Safe to call at any time, before the process ends too.
pub fn restore() {
    if let Some(before) = BEFORE.lock().take() {
        // Without a terminal there is nothing to restore.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
    }
}

/// Has the terminal give each key at once and show none. Ctrl+C keeps its meaning.
fn take_over() -> rustix::io::Result<()> {
    let before = tcgetattr(std::io::stdin())?;
    let mut raw = before.clone();
    raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(std::io::stdin(), OptionalActions::Now, &raw)?;
    *BEFORE.lock() = Some(before);
    Ok(())
}

fn read(keys: &UnboundedSender<Key>, echoes: bool) {
    let mut typing = Typing::default();
    let mut chunk = [0; 4096];
    let mut input = std::io::stdin().lock();
    while let Ok(count @ 1..) = input.read(&mut chunk) {
        let (typed, echo) = typing.take(&chunk[..count]);
        if echoes {
            let mut terminal = std::io::stderr().lock();
            // A terminal that is gone shows nothing.
            let _ = terminal.write_all(echo.as_bytes()).and_then(|()| terminal.flush());
        }
        for key in typed {
            if keys.send(key).is_err() {
                return;
            }
        }
    }
    let last = typing.line();
    let rest = Some(last).filter(|line| !line.is_empty()).map(Key::Line);
    for key in rest.into_iter().chain([Key::End]) {
        if keys.send(key).is_err() {
            return;
        }
    }
}

/// A line while it is typed.
#[derive(Debug, Default)]
struct Typing(Vec<u8>);

impl Typing {
    /// Takes what came at once; gives the keys in it, and what the terminal should show.
    fn take(&mut self, chunk: &[u8]) -> (Vec<Key>, String) {
        let (mut keys, mut echo) = (Vec::new(), String::new());
        let mut bytes = chunk.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                ESCAPE => match bytes.peek() {
                    None => keys.push(Key::Escape),
                    // An arrow or another key that begins with the same byte.
                    Some(b'[' | b'O') => {
                        bytes.next();
                        while bytes.next().is_some_and(|byte| !(0x40..=0x7e).contains(&byte)) {}
                    }
                    Some(_) => {}
                },
                CTRL_T => keys.push(Key::Toggle),
                CTRL_R => keys.push(Key::Review),
                CTRL_D if self.0.is_empty() => keys.push(Key::End),
                CTRL_U => {
                    let count = String::from_utf8_lossy(&self.0).chars().count();
                    echo.push_str(&"\x08 \x08".repeat(count));
                    self.0.clear();
                }
                _ if BACKSPACE.contains(&byte) => {
                    let is_inside = |byte: u8| byte & 0xc0 == 0x80;
                    while self.0.pop().is_some_and(is_inside) {}
                    echo.push_str("\x08 \x08");
                }
                b'\n' | b'\r' => {
                    echo.push('\n');
                    keys.push(Key::Line(self.line()));
                }
                0x20.. | b'\t' => self.0.push(byte),
                _ => {}
            }
            // Whole characters only.
            if byte >= 0x20 && !BACKSPACE.contains(&byte) {
                let start = (1..=self.0.len().min(4)).rev().find_map(|length| {
                    let last = &self.0[self.0.len() - length..];
                    std::str::from_utf8(last).ok().filter(|text| text.chars().count() == 1)
                });
                echo.push_str(start.unwrap_or_default());
            }
        }
        (keys, echo)
    }

    fn line(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.0)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let line = |text: &str| Key::Line(text.to_owned());
        for (chunks, keys, shown) in [
            (vec!["hi\n"], vec![line("hi")], "hi\n"),
            (vec!["a", "b", "\r"], vec![line("ab")], "ab\n"),
            (vec!["é\x7fe\n"], vec![line("e")], "é\x08 \x08e\n"),
            (vec!["\x1b"], vec![Key::Escape], ""),
            (vec!["\x1b[A\x1bOPx\n"], vec![line("x")], "x\n"),
            (vec!["ab\x14c\n"], vec![Key::Toggle, line("abc")], "abc\n"),
            (vec!["\x12ab\x12\n"], vec![Key::Review, Key::Review, line("ab")], "ab\n"),
            (vec!["ab\x15c\n"], vec![line("c")], "ab\x08 \x08\x08 \x08c\n"),
            (vec!["a\x04", "\n", "\x04"], vec![line("a"), Key::End], "a\n"),
        ] {
            let mut typing = Typing::default();
            let taken: Vec<_> = chunks.iter().map(|chunk| typing.take(chunk.as_bytes())).collect();
            let echo: String = taken.iter().map(|(_, echo)| echo.as_str()).collect();
            let typed: Vec<_> = taken.into_iter().flat_map(|(keys, _)| keys).collect();
            assert_eq!((typed, echo.as_str()), (keys, shown), "{chunks:?}");
        }
    }
}
