//! What waits to be written to the client: bounded, and without what a newer message makes void.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tower_lsp::ls_types::notification::{Notification, PublishDiagnostics};
use tower_lsp::ls_types::{PublishDiagnosticsParams, Uri};

use crate::framing;

/// The findings of a document, for a client of the pump: its URI, and all parameters as JSON. A tree of values of a thousand
/// findings takes longer to make than to find them.
#[derive(Debug)]
pub enum WrittenDiagnostics {}

impl Notification for WrittenDiagnostics {
    type Params = (Uri, String);
    const METHOD: &'static str = PublishDiagnostics::METHOD;
}

impl WrittenDiagnostics {
    /// Writes the parameters.
    pub fn of(params: &PublishDiagnosticsParams) -> serde_json::Result<(Uri, String)> {
        Ok((params.uri.clone(), serde_json::to_string(params)?))
    }
}

/// How many bytes may wait before the client is no longer read from.
const MAX_WAITING: usize = 64 << 20;

/// The queue in front of the client; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Outgoing(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    /// The frames in order; `None` where a newer one took its place.
    frames: VecDeque<Option<Vec<u8>>>,
    /// How many frames have left: the number of the first one in `frames`.
    first: usize,
    /// The number of the frame that a newer one with the same key replaces.
    replaceable: HashMap<String, usize>,
    bytes: usize,
    closed: bool,
}

/// Starts writing what is pushed, in order, until the queue is closed and empty.
pub fn start(mut writer: impl AsyncWrite + Unpin + Send + 'static) -> (Outgoing, JoinHandle<()>) {
    let outgoing = Outgoing::default();
    let queue = outgoing.clone();
    let writing = tokio::spawn(async move {
        loop {
            let filled = queue.0.filled.notified();
            let (frames, closed) = queue.take();
            if frames.is_empty() {
                if closed {
                    break;
                }
                filled.await;
                continue;
            }
            let written = async {
                writer.write_all(&frames).await?;
                writer.flush().await
            };
            if let Err(error) = written.await {
                tracing::debug!("writing to the client failed: {error}");
                break;
            }
            queue.left(frames.len());
        }
    });
    (outgoing, writing)
}

impl Outgoing {
    /// Queues a message; one that it makes void is dropped.
    pub fn push(&self, message: &Value) {
        self.push_written(message.to_string().as_bytes(), replaceable_key(message));
    }

    /// Queues the findings of a document, a message that is written already; it makes void what waits of the same document.
    pub fn push_diagnostics(&self, uri: &Value, message: &str) {
        self.push_written(message.as_bytes(), Some(diagnostics_key(uri)));
    }

    fn push_written(&self, message: &[u8], key: Option<String>) {
        let frame = framing::encode(message);
        let mut queue = self.0.queue.lock();
        let number = queue.first + queue.frames.len();
        if let Some(key) = key
            && let Some(old) = queue.replaceable.insert(key, number)
        {
            // A number before the first has left already.
            let at = old.checked_sub(queue.first);
            if let Some(voided) = at.and_then(|at| queue.frames.get_mut(at)).and_then(Option::take) {
                queue.bytes -= voided.len();
            }
        }
        queue.bytes += frame.len();
        queue.frames.push_back(Some(frame));
        drop(queue);
        self.0.filled.notify_one();
    }

    /// Whether more may be read from the client.
    pub fn has_room(&self) -> bool {
        self.0.queue.lock().bytes < MAX_WAITING
    }

    /// Completes when there may be room again.
    pub async fn room(&self) {
        self.0.emptied.notified().await;
    }

    /// Ends the writing once everything has left.
    pub fn close(&self) {
        self.0.queue.lock().closed = true;
        self.0.filled.notify_one();
    }

    /// Takes all that waits; it counts as waiting until [`Outgoing::left`].
    fn take(&self) -> (Vec<u8>, bool) {
        let mut queue = self.0.queue.lock();
        queue.first += queue.frames.len();
        queue.replaceable.clear();
        let mut frames = std::mem::take(&mut queue.frames).into_iter().flatten();
        // Mostly one waits, and it may be long: it is not copied.
        let mut all = frames.next().unwrap_or_default();
        frames.for_each(|frame| all.extend(frame));
        (all, queue.closed)
    }

    fn left(&self, bytes: usize) {
        self.0.queue.lock().bytes -= bytes;
        self.0.emptied.notify_one();
    }
}

/// What a message replaces: the diagnostics of the same document, the report of the same progress.
fn replaceable_key(message: &Value) -> Option<String> {
    let params = &message["params"];
    match message["method"].as_str()? {
        PublishDiagnostics::METHOD => Some(diagnostics_key(&params["uri"])),
        "$/progress" if params["value"]["kind"] == "report" => Some(format!("progress {}", params["token"])),
        _ => None,
    }
}

fn diagnostics_key(uri: &Value) -> String {
    format!("diagnostics {uri}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::io::AsyncReadExt;

    fn diagnostics(uri: &str, version: i32) -> Value {
        json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": uri, "version": version}})
    }

    #[test]
    fn only_the_newest_diagnostics_and_progress_wait() {
        let outgoing = Outgoing::default();
        let progress = |kind: &str, n: i32| json!({"method": "$/progress", "params": {"token": "t", "value": {"kind": kind, "n": n}}});
        let reply = json!({"id": 1, "result": null});
        for message in [
            diagnostics("a", 1),
            progress("begin", 0),
            diagnostics("b", 1),
            reply.clone(),
            progress("report", 1),
            diagnostics("a", 2),
            progress("report", 2),
            progress("end", 3),
        ] {
            outgoing.push(&message);
        }
        outgoing.push_diagnostics(&json!("a"), &diagnostics("a", 3).to_string());
        let expected: Vec<u8> = [
            progress("begin", 0),
            diagnostics("b", 1),
            reply,
            progress("report", 2),
            progress("end", 3),
            diagnostics("a", 3),
        ]
        .iter()
        .flat_map(|message| framing::encode(message.to_string().as_bytes()))
        .collect();
        assert_eq!(
            String::from_utf8(outgoing.take().0),
            String::from_utf8(expected.clone())
        );
        assert_eq!(outgoing.0.queue.lock().bytes, expected.len());
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_not_read_from() {
        let (client, server) = tokio::io::duplex(64 << 10);
        let (outgoing, writing) = start(server);
        let long = json!({"result": "x".repeat(1 << 20)});
        let mut pushed = 0;
        while outgoing.has_room() {
            outgoing.push(&long);
            pushed += 1;
        }
        assert_eq!(pushed, 64);
        outgoing.close();
        let mut read = Vec::new();
        let (mut client, _) = tokio::io::split(client);
        let (_, all) = tokio::join!(writing, async { client.read_to_end(&mut read).await });
        all.unwrap();
        assert!(outgoing.has_room());
        assert!(read.len() > 64 << 20);
    }
}
