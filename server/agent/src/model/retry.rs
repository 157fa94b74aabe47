//! One response over a connection that may fail: attempts, waiting times, and the idle limit.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc;

use super::sse::{SseEvent, SseReader};
use super::{ModelError, ModelEvent};

/// How patient a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often a failed request is sent again. Default: 2, as the vendor's own clients do.
    pub retries: u32,
    /// The longest silence, a `ping` counts as sound. Default: 90 s. There is no limit in total.
    pub idle: Duration,
    /// The first waiting time before a retry, doubled with each; the endpoint's `retry-after` goes first. Default: 0.5 s.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 2,
            idle: Duration::from_secs(90),
            backoff: Duration::from_millis(500),
        }
    }
}

/// The longest `retry-after` that is waited for; with a longer one the request fails and says so.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);

/// The longest waiting time that we choose ourselves.
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// After the answer's end, how long the body's end is awaited, so that the connection can be used again.
const DRAIN: Duration = Duration::from_millis(100);

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What happened and what to do.
    pub message: String,
    /// Whether another attempt can help.
    pub retry: Retry,
}

/// Whether another attempt can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// It can't.
    Never,
    /// It can, soon.
    Soon,
    /// It can, after the time that the endpoint named.
    After(Duration),
}

impl Failure {
    pub(super) fn never(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            retry: Retry::Never,
        }
    }

    pub(super) fn soon(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            retry: Retry::Soon,
        }
    }
}

/// Turns a wire's events into ours; one for each attempt.
pub(super) trait Decoder: Send {
    /// Takes the next event. Nothing is given after [`ModelEvent::Stop`].
    fn decode(&mut self, event: &SseEvent) -> Result<Vec<ModelEvent>, Failure>;

    /// Takes the end of the stream.
    fn finish(&mut self) -> Result<Vec<ModelEvent>, Failure>;
}

/// The bytes of a response's body.
pub(super) type Body = BoxStream<'static, Result<Vec<u8>, Failure>>;

/// Gives one response: connects, decodes, and begins again from the start where that can help.
pub(super) fn respond<C, D>(patience: Patience, connect: C) -> BoxStream<'static, Result<ModelEvent, ModelError>>
where
    C: Fn() -> BoxFuture<'static, Result<Body, Failure>> + Send + Sync + 'static,
    D: Decoder + Default + 'static,
{
    let (sender, mut receiver) = mpsc::channel(16);
    let work = async move {
        let mut used = 0;
        while let Err(failure) = attempt::<D>(patience, &connect, &sender).await {
            let Some(wait) = wait(patience, used, failure.retry) else {
                let message = if used == 0 {
                    failure.message
                } else {
                    format!("{} ({} attempts)", failure.message, used + 1)
                };
                // Nobody listens any more where this fails: the turn was cancelled.
                let _ = sender.send(Err(ModelError { message })).await;
                return;
            };
            used += 1;
            let reason = format!("{}; trying again in {:.1} s", failure.message, wait.as_secs_f64());
            let _ = sender.send(Ok(ModelEvent::Retrying { reason })).await;
            tokio::time::sleep(wait).await;
        }
    };
    // The work is polled as a part of the stream, not spawned: whoever drops the stream closes the connection.
    let events = stream::poll_fn(move |context| receiver.poll_recv(context));
    let work = work.into_stream().filter_map(|()| std::future::ready(None));
    stream::select(events, work).boxed()
}

/// How long to wait before the next attempt; `None` where there is none.
fn wait(patience: Patience, used: u32, retry: Retry) -> Option<Duration> {
    if used >= patience.retries {
        return None;
    }
    match retry {
        Retry::Never => None,
        Retry::After(wait) => (wait <= MAX_RETRY_AFTER).then_some(wait),
        // Jitter, so that many clients that failed together don't return together.
        Retry::Soon => Some(
            patience
                .backoff
                .saturating_mul(1 << used.min(8))
                .min(MAX_BACKOFF)
                .mul_f64(jitter()),
        ),
    }
}

/// Between 0.75 and 1.
fn jitter() -> f64 {
    let mut byte = [0];
    // Without randomness the full time is waited.
    let _ = getrandom::fill(&mut byte);
    1.0 - f64::from(byte[0]) / 1024.0
}

async fn attempt<D: Decoder + Default>(
    patience: Patience,
    connect: &impl Fn() -> BoxFuture<'static, Result<Body, Failure>>,
    events: &mpsc::Sender<Result<ModelEvent, ModelError>>,
) -> Result<(), Failure> {
    let mut body = idle(patience, connect()).await??;
    let (mut reader, mut decoder) = (SseReader::default(), D::default());
    loop {
        let decoded = match idle(patience, body.next()).await? {
            Some(bytes) => {
                let read = reader
                    .push(&bytes?)
                    .map_err(|error| Failure::never(error.to_string()))?;
                read.iter().map(|event| decoder.decode(event)).collect::<Vec<_>>()
            }
            None => vec![decoder.finish()],
        };
        for event in decoded {
            for event in event? {
                let stopped = matches!(event, ModelEvent::Stop { .. });
                if stopped {
                    let _ = tokio::time::timeout(DRAIN, body.next()).await;
                }
                let _ = events.send(Ok(event)).await;
                if stopped {
                    return Ok(());
                }
            }
        }
    }
}

async fn idle<T>(patience: Patience, future: impl Future<Output = T>) -> Result<T, Failure> {
    let silent = || {
        Failure::soon(format!(
            "the model endpoint was silent for {} s",
            patience.idle.as_secs_f64()
        ))
    };
    tokio::time::timeout(patience.idle, future).await.map_err(|_| silent())
}
