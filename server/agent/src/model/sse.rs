//! Server-sent events: bytes in, events out, by the WHATWG standard's "event stream interpretation".
//!
//! Ours because the crates for it reconnect by themselves, which is wrong for a POST, or know no size limit.

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The event's name; empty where the stream gave none.
    pub name: String,
    /// The data; several `data` lines are joined by a line feed.
    pub data: String,
}

/// An event that is larger than any honest one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the endpoint sent one event of more than {} MiB; it is probably no model endpoint", MAX_EVENT_BYTES >> 20)]
pub struct EventTooLarge;

/// The most bytes of one event. A whole answer of a model is below 1 MiB.
pub const MAX_EVENT_BYTES: usize = 8 << 20;

/// Reads one stream. `id` and `retry` are of no use to a POST and are skipped.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    began: bool,
    after_carriage_return: bool,
}

impl SseReader {
    /// Takes the next bytes, cut anywhere, and gives the events that they complete.
    ///
    /// An event that the stream's end cuts off is never given, as the standard says.
    ///
    /// # Errors
    ///
    /// [`EventTooLarge`] when one event exceeds [`MAX_EVENT_BYTES`]; the reader is of no use after that.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<SseEvent>, EventTooLarge> {
        let mut events = Vec::new();
        if !bytes.is_empty() && std::mem::take(&mut self.after_carriage_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&bytes[..end])?;
            events.extend(self.end_line());
            let rest = &bytes[end + 1..];
            bytes = if bytes[end] == b'\r' {
                self.after_carriage_return = rest.is_empty();
                rest.strip_prefix(b"\n").unwrap_or(rest)
            } else {
                rest
            };
        }
        self.extend(bytes)?;
        Ok(events)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + self.data.len() + self.name.len() + bytes.len() > MAX_EVENT_BYTES {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        // Whole lines only are decoded, so no character is ever cut in two by a chunk's border.
        let line = String::from_utf8_lossy(&line);
        let is_first = !std::mem::replace(&mut self.began, true);
        let line = if is_first {
            line.strip_prefix('\u{feff}').unwrap_or(&line)
        } else {
            &line
        };
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            return std::mem::take(&mut self.has_data).then_some(SseEvent { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = SseReader::default();
        let events = chunks.iter().flat_map(|chunk| reader.push(chunk).unwrap());
        events.map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn reads_what_the_standard_says() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("data: a\n\n", &[("", "a")]),
            ("event: e\ndata: a\n\n", &[("e", "a")]),
            ("event: e\r\ndata: a\r\n\r\n", &[("e", "a")]),
            ("event: e\rdata: a\r\r", &[("e", "a")]),
            ("data: a\r\n\ndata: b\n\r", &[("", "a"), ("", "b")]),
            ("data:no blank\n\ndata:  two\n\n", &[("", "no blank"), ("", " two")]),
            ("data: a\ndata: b\ndata\n\n", &[("", "a\nb\n")]),
            ("data\n\n", &[("", "")]),
            ("data:\ndata:\n\n", &[("", "\n")]),
            (": comment\n:\n\ndata: a\n\n", &[("", "a")]),
            ("event: lost\n\ndata: a\n\n", &[("", "a")]),
            ("id: 1\nretry: 5\nunknown: x\ndata: a\n\n", &[("", "a")]),
            ("\u{feff}data: a\n\n", &[("", "a")]),
            ("data: \u{feff}\n\n", &[("", "\u{feff}")]),
            ("data: a:b: c\n\n", &[("", "a:b: c")]),
            ("data: never ended", &[]),
            ("data: never ended\n", &[]),
            ("\n\n\r\n", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(n, d)| (n.to_string(), d.to_string())).collect();
            assert_eq!(read(&[text.as_bytes()]), expected, "{text:?}");
            // An empty chunk between any two bytes says nothing.
            let bytes: Vec<_> = text.as_bytes().chunks(1).flat_map(|byte| [byte, b""]).collect();
            assert_eq!(read(&bytes), expected, "{text:?} byte by byte");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(
            read(&[b"data: a\xff\xc3b\n\n"]),
            [(String::new(), "a\u{fffd}\u{fffd}b".into())]
        );
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mebibyte = vec![b'x'; 1 << 20];
        let mut reader = SseReader::default();
        let pushes: Vec<_> = (0..9).map(|_| reader.push(&mebibyte)).collect();
        assert!(pushes[..8].iter().all(Result::is_ok));
        assert!(pushes[8].as_ref().unwrap_err().to_string().contains("more than 8 MiB"));

        // The same in many short lines.
        let line = [b"data: ".as_slice(), &mebibyte[..1 << 19], b"\n"].concat();
        let mut reader = SseReader::default();
        assert!((0..17).any(|_| reader.push(&line).is_err()));
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            text in "(data|event|:|id)?(: ?)?[aé😀\r\n]{0,4}([\r\n]{1,3}(data:|event: )[xé😀]{0,3}){0,6}[\r\n]{0,4}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[bytes]));
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&[&bytes]);
        }
    }
}
