//! A model that plays recorded answers: for demonstrations and tests, through the decoder of the live wire.
//!
//! A recording is a text of raw server-sent events as the Anthropic Messages endpoint sends them. A line that starts
//! with `===` begins the next response; what stands before the first such line is a comment:
//!
//! ```text
//! How the deploy skill is followed. Recorded with curl.
//! === response 1: reads the file
//! event: message_start
//! data: {"type":"message_start", …}
//! …
//! === response 2: edits it
//! …
//! ```

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::anthropic::Decoder;
use super::retry::{Decoder as _, Failure};
use super::sse::SseReader;
use super::{Model, ModelError, ModelEvent, Request};

/// Plays one response a request, in order, whatever is asked.
#[derive(Debug)]
pub struct Replay {
    responses: Vec<Arc<str>>,
    next: AtomicUsize,
}

impl Replay {
    /// Takes a recording, as described above.
    ///
    /// # Errors
    ///
    /// When it holds no response.
    pub fn new(recording: &str) -> Result<Self, ModelError> {
        let mut responses: Vec<String> = Vec::new();
        for line in recording.split_inclusive('\n') {
            match responses.last_mut() {
                _ if line.starts_with("===") => responses.push(String::new()),
                Some(response) => response.push_str(line),
                None => {}
            }
        }
        if responses.is_empty() {
            return Err(ModelError::new(
                "the recording holds no response: begin each with a line `=== response 1`",
            ));
        }
        Ok(Self {
            responses: responses.into_iter().map(Arc::from).collect(),
            next: AtomicUsize::new(0),
        })
    }

    /// Reads a recording from a file.
    ///
    /// # Errors
    ///
    /// When the file can't be read as text, or holds no response.
    pub fn from_file(path: &Path) -> Result<Self, ModelError> {
        let unreadable = |error| ModelError::new(format!("can't read the recording {}: {error}", path.display()));
        Self::new(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    fn play(&self) -> Result<Vec<ModelEvent>, (Vec<ModelEvent>, Failure)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(response) = self.responses.get(index) else {
            let message = format!(
                "the recording ended: it holds {} responses and this is request {}; choose a real model",
                self.responses.len(),
                index + 1
            );
            return Err((Vec::new(), Failure::never(message)));
        };
        let mut events = Vec::new();
        let mut decoder = Decoder::default();
        let mut play = || {
            let read = SseReader::default().push(response.as_bytes());
            for event in read.map_err(|error| Failure::never(error.to_string()))? {
                events.extend(decoder.decode(&event)?);
                if matches!(events.last(), Some(ModelEvent::Stop { .. })) {
                    return Ok(());
                }
            }
            events.extend(decoder.finish()?);
            Ok(())
        };
        match play() {
            Ok(()) => Ok(events),
            Err(failure) => Err((events, failure)),
        }
    }
}

impl Model for Replay {
    fn label(&self) -> String {
        "replay (recorded, no model)".into()
    }

    fn stream(&self, _: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let (events, failure) = match self.play() {
            Ok(events) => (events, None),
            Err((events, failure)) => (events, Some(Err(ModelError::new(failure.message)))),
        };
        let events: Vec<_> = events.into_iter().map(Ok).chain(failure).collect();
        stream::iter(events).boxed()
    }
}
