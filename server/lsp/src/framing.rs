//! The base protocol's frames: `Content-Length` headers and a body, read tolerantly.
//!
//! A client's mistake costs that client one message, never the connection: header names in any case, unknown
//! headers and garbage before a header are accepted; a bad length is reported and the next frame is found.

/// The longest body that is read, in bytes; a longer one ends the connection.
pub const MAX_BODY: usize = 128 << 20;
/// The longest header line that is kept, in bytes; of a longer one only the end is.
const MAX_LINE: usize = 8 << 10;
const LENGTH: &[u8] = b"content-length";
/// How much of a bad length is repeated, in characters.
const SHOWN: usize = 40;

/// What a decoder found.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A whole body; may be no JSON, or no UTF-8.
    Body(Vec<u8>),
    /// A header without a usable length; the text says what is wrong. The next frame is looked for.
    BadHeader(String),
    /// A body too long to read; nothing after it can be found.
    TooLong,
}

/// Finds frames in a stream of bytes.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Everything before this offset is consumed.
    start: usize,
    /// The length that the block being read gives, usable or not.
    length: Option<Result<usize, String>>,
    /// Whether the block has a line that could be a header, or speaks of a length.
    has_header: bool,
    body: Option<usize>,
}

impl Decoder {
    /// Adds bytes as they arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame, or `None` until more bytes have arrived.
    pub fn next_frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(length) = self.body {
                let end = self.start + length;
                if self.buffer.len() < end {
                    return None;
                }
                self.body = None;
                if end < self.buffer.len() {
                    let body = self.buffer[self.start..end].to_vec();
                    self.start = end;
                    return Some(Frame::Body(body));
                }
                // The buffer goes with a body that fills it, or it would stay as large as the longest one.
                let mut body = std::mem::take(&mut self.buffer);
                body.drain(..std::mem::take(&mut self.start));
                return Some(Frame::Body(body));
            }
            let rest = &self.buffer[self.start..];
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                if rest.len() > MAX_LINE {
                    // Garbage without a line end; a header that it hides begins near its end.
                    self.start += rest.len() - MAX_LINE;
                }
                return None;
            };
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]).to_vec();
            self.start += end + 1;
            if line.is_empty() {
                match (self.length.take(), std::mem::take(&mut self.has_header)) {
                    (Some(Ok(length)), _) if length > MAX_BODY => return Some(Frame::TooLong),
                    (Some(Ok(length)), _) => self.body = Some(length),
                    (Some(Err(problem)), _) => return Some(Frame::BadHeader(problem)),
                    (None, true) => return Some(Frame::BadHeader(MISSING.to_owned())),
                    (None, false) => {}
                }
            } else if let Some(value) = length_value(&line) {
                self.length = Some(match self.length.take() {
                    // Whichever is meant, the other cuts the stream at the wrong place.
                    Some(earlier) if earlier != value => Err("a header block has two Content-Lengths".to_owned()),
                    _ => value,
                });
            } else {
                self.has_header |= is_header(&line) || last_mention(&line).is_some();
            }
        }
    }
}

const MISSING: &str = "a header block has no Content-Length: give the body's number of bytes";

/// The value of a `Content-Length` header on this line, also behind what is left of a body whose length was wrong.
fn length_value(line: &[u8]) -> Option<Result<usize, String>> {
    let behind = &line[last_mention(line)?..];
    let value = String::from_utf8_lossy(behind.trim_ascii_start().strip_prefix(b":")?);
    let value = value.trim();
    // Rust reads `+5` as a number; other programs stop at the sign.
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        let shown: String = value.chars().take(SHOWN).collect();
        return Some(Err(format!("Content-Length is {shown:?}, not a number of bytes")));
    }
    // Digits that fit into no number are more than any body has.
    Some(Ok(value.parse().unwrap_or(usize::MAX)))
}

/// The end of the last `Content-Length` on a line that is no part of another word.
fn last_mention(line: &[u8]) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let starts = |at: &usize| {
        line[*at..*at + LENGTH.len()].eq_ignore_ascii_case(LENGTH) && (*at == 0 || !is_part(line[*at - 1]))
    };
    let at = (0..(line.len() + 1).saturating_sub(LENGTH.len())).rev().find(starts)?;
    Some(at + LENGTH.len())
}

fn is_header(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    name.len() < line.len() && !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Puts a body into a frame.
pub fn encode(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(input: &[u8]) -> Vec<Frame> {
        let mut decoder = Decoder::default();
        decoder.feed(input);
        std::iter::from_fn(|| decoder.next_frame()).collect()
    }

    fn body(text: &str) -> Frame {
        Frame::Body(text.as_bytes().to_vec())
    }

    #[test]
    fn frames_are_found_in_whatever_a_client_writes() {
        let bad = |text: &str| Frame::BadHeader(text.to_owned());
        let missing = || bad(MISSING);
        let two = || bad("a header block has two Content-Lengths");
        let cases: Vec<(&str, Vec<Frame>)> = vec![
            ("Content-Length: 2\r\n\r\n{}", vec![body("{}")]),
            ("content-LENGTH:2\r\n\r\n{}", vec![body("{}")]),
            ("Content-Length: 2\n\n{}", vec![body("{}")]),
            (
                "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1",
                vec![body(""), body("1")],
            ),
            (
                "Content-Type: application/x\r\nX-A: 1\r\nX-B: 2\r\nContent-Length: 2\r\n\r\n{}",
                vec![body("{}")],
            ),
            ("hello\nworld\r\n\r\nContent-Length: 2\r\n\r\n{}", vec![body("{}")]),
            ("\r\n\r\n\r\nContent-Length: 2\r\n\r\n{}", vec![body("{}")]),
            (
                "Content-Length: abc\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![bad("Content-Length is \"abc\", not a number of bytes"), body("1")],
            ),
            (
                "Content-Length: -1\r\n\r\nContent-Length: 1\r\n\r\n1",
                vec![bad("Content-Length is \"-1\", not a number of bytes"), body("1")],
            ),
            (
                "Content-Type: x\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![missing(), body("1")],
            ),
            (
                "X-Content-Length: 7\r\n\r\nContent-Length: 1\r\n\r\n1",
                vec![missing(), body("1")],
            ),
            ("Content-Length: 3\r\n\r\n1", vec![]),
            ("Content-Length: 999999999999\r\n\r\n", vec![Frame::TooLong]),
            (
                "Content-Length: 99999999999999999999999999\r\n\r\n",
                vec![Frame::TooLong],
            ),
            ("Content-Length: 002\r\n\r\n{}", vec![body("{}")]),
            (" Content-Length\t:  2  \r\n\r\n{}", vec![body("{}")]),
            ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", vec![body("{}")]),
            (
                "Content-Length: 2\r\nContent-Length: 200\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![two(), body("1")],
            ),
            (
                "Content-Length: x\r\nContent-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![two(), body("1")],
            ),
            (
                "Content-Length=2\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![missing(), body("1")],
            ),
            (
                "Content-Length 2\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                vec![missing(), body("1")],
            ),
        ];
        for (input, expected) in cases {
            assert_eq!(decode(input.as_bytes()), expected, "{input:?}");
        }
    }

    #[test]
    fn a_length_that_is_no_number_is_answered_and_the_next_frame_is_read() {
        let long = "9x".repeat(4_000);
        for length in [
            "+5", "", " ", "-0", "0x5", "5.0", "5e0", "1_000", "5;", "5, 5", "五", "\u{665}", &long,
        ] {
            let input = format!("Content-Length: {length}\r\n\r\n{{}}Content-Length: 1\r\n\r\n1");
            let found = decode(input.as_bytes());
            assert!(
                matches!(&found[..], [Frame::BadHeader(problem), Frame::Body(_)] if problem.len() < 200),
                "{length:?}: {found:?}"
            );
        }
    }

    #[test]
    fn endless_garbage_is_not_kept() {
        let mut decoder = Decoder::default();
        for _ in 0..100 {
            decoder.feed(&[b'x'; 10_000]);
            assert_eq!(decoder.next_frame(), None);
        }
        assert!(decoder.buffer.len() <= 10_000 + MAX_LINE);
        // What follows letters on their line is part of their name; the next line is a header again.
        decoder.feed(b"Content-Length: 2\r\n\r\n{}\nContent-Length: 2\r\n\r\n{}");
        assert!(matches!(decoder.next_frame(), Some(Frame::BadHeader(_))));
        assert_eq!(decoder.next_frame(), Some(body("{}")));
    }

    #[test]
    fn a_long_body_does_not_stay_in_memory() {
        let mut decoder = Decoder::default();
        for chunk in encode(&vec![b'x'; 10 << 20]).chunks(64 << 10) {
            decoder.feed(chunk);
        }
        assert!(matches!(decoder.next_frame(), Some(Frame::Body(body)) if body.len() == 10 << 20));
        assert_eq!(decoder.buffer.capacity(), 0);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_frames(bodies in prop::collection::vec(".*", 1..5), cut in 1usize..50) {
            let stream: Vec<u8> = bodies.iter().flat_map(|body| encode(body.as_bytes())).collect();
            let mut decoder = Decoder::default();
            let mut found = Vec::new();
            for chunk in stream.chunks(cut) {
                decoder.feed(chunk);
                found.extend(std::iter::from_fn(|| decoder.next_frame()));
            }
            prop_assert_eq!(found, bodies.iter().map(|text| body(text)).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            decode(&bytes);
        }
    }
}
