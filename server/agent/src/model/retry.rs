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
    /// The longest wait for an answer that can't be streamed. Default: 10 minutes.
    pub whole: Duration,
    /// The waiting time before the first retry, doubled with each; the endpoint's `retry-after` goes first.
    /// Default: 0.5 s.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 2,
            idle: Duration::from_secs(90),
            whole: Duration::from_secs(600),
            backoff: Duration::from_millis(500),
        }
    }
}

/// The longest `retry-after` that is waited for; with a longer one the request fails and says so.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);

/// The longest waiting time that we choose ourselves.
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// The most bytes of one answer, so that an endpoint can't fill the memory.
const MAX_ANSWER_BYTES: usize = 32 << 20;

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
    /// Not as it is: the conversation is more than the model can read.
    Shorter,
    /// It can't.
    Never,
    /// It can, because it will ask for less. Counts as no attempt: there is an end to asking for less.
    Differently,
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

/// The codes of errors that pass, in the words of all wires.
const PASSING: [&str; 12] = [
    "overloaded",
    "api_error",
    "server_error",
    "internal",
    "unavailable",
    "rate_limit",
    "timeout",
    "429",
    "500",
    "502",
    "503",
    "529",
];

impl Failure {
    /// The stream ended before the answer did.
    pub(super) fn cut_off() -> Self {
        Self::soon("the connection to the model ended in the middle of its answer")
    }

    /// The endpoint told an error in the middle of its answer.
    pub(super) fn broken_off(code: &str, message: &str) -> Self {
        let (code, kind) = if code.is_empty() {
            ("an error", "")
        } else {
            (code, code)
        };
        let text = format!("the model endpoint broke off its answer with {code}: {message}");
        let kind = kind.to_lowercase();
        if PASSING.iter().any(|word| kind.contains(word)) {
            Self::soon(text)
        } else {
            Self::never(text)
        }
    }

    /// The endpoint sent something else than the wire's events.
    pub(super) fn no_such_stream(interface: &str, error: &dyn std::fmt::Display, data: &str) -> Self {
        let start: String = data.chars().take(80).collect();
        Self::never(format!(
            "the endpoint sent something else than the {interface} stream ({error}): {start:?}; \
             check model.baseUrl and model.provider"
        ))
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
///
/// `connect` bounds its own time.
pub(super) fn respond<C>(
    patience: Patience,
    decoder: fn() -> Box<dyn Decoder>,
    connect: C,
) -> BoxStream<'static, Result<ModelEvent, ModelError>>
where
    C: Fn() -> BoxFuture<'static, Result<Body, Failure>> + Send + Sync + 'static,
{
    let (sender, mut receiver) = mpsc::channel(16);
    let work = async move {
        let mut used = 0;
        while let Err(failure) = attempt(patience, decoder(), &connect, &sender).await {
            if failure.retry == Retry::Differently {
                let reason = failure.message;
                let _ = sender.send(Ok(ModelEvent::Retrying { reason })).await;
                continue;
            }
            let Some(wait) = wait(patience, used, failure.retry) else {
                let mut message = if used == 0 {
                    failure.message
                } else {
                    format!("{} ({} attempts)", failure.message, used + 1)
                };
                if let Retry::After(wait) = failure.retry
                    && wait > MAX_RETRY_AFTER
                {
                    message += &format!("; the endpoint asks to wait {}", in_words(wait));
                }
                // Nobody listens any more where this fails: the turn was cancelled.
                let is_too_long = failure.retry == Retry::Shorter;
                let _ = sender.send(Err(ModelError { message, is_too_long })).await;
                return;
            };
            used += 1;
            let way_out = match wait >= LONG {
                true => ", as the endpoint asks; stop the turn to give up",
                false => "",
            };
            let reason = format!("{}; trying again in {}{way_out}", failure.message, in_words(wait));
            let _ = sender.send(Ok(ModelEvent::Retrying { reason })).await;
            tokio::time::sleep(wait).await;
        }
    };
    // The work is polled as a part of the stream, not spawned: whoever drops the stream closes the connection.
    let events = stream::poll_fn(move |context| receiver.poll_recv(context));
    let work = work.into_stream().filter_map(|()| std::future::ready(None));
    stream::select(events, work).boxed()
}

/// A wait that looks like being stuck.
const LONG: Duration = Duration::from_secs(10);

/// A time as people say it: `0.5 s`, `90 s`, `14 minutes`, `3 hours`.
fn in_words(time: Duration) -> String {
    let rounded = |unit: u64| time.as_secs().saturating_add(unit / 2) / unit;
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..=120 => format!("{} s", rounded(1)),
        121..7_200 => format!("{} minutes", rounded(60)),
        7_200..172_800 => format!("{} hours", rounded(3_600)),
        172_800..31_536_000 => format!("{} days", rounded(86_400)),
        _ => "longer than a year".to_owned(),
    }
}

/// How long to wait before the next attempt; `None` where there is none.
fn wait(patience: Patience, used: u32, retry: Retry) -> Option<Duration> {
    if used >= patience.retries {
        return None;
    }
    match retry {
        Retry::Never | Retry::Differently | Retry::Shorter => None,
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

async fn attempt(
    patience: Patience,
    mut decoder: Box<dyn Decoder>,
    connect: &impl Fn() -> BoxFuture<'static, Result<Body, Failure>>,
    events: &mpsc::Sender<Result<ModelEvent, ModelError>>,
) -> Result<(), Failure> {
    let mut body = connect().await?;
    let mut reader = SseReader::default();
    let mut received = 0;
    loop {
        let decoded = match within_limit(patience.idle, body.next()).await? {
            Some(bytes) => {
                let bytes = bytes?;
                received += bytes.len();
                if received > MAX_ANSWER_BYTES {
                    let message = format!(
                        "the endpoint sent more than {} MiB for one answer",
                        MAX_ANSWER_BYTES >> 20
                    );
                    return Err(Failure::never(message));
                }
                let read = reader.push(&bytes).map_err(|error| Failure::never(error.to_string()))?;
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

/// What comes within a time; silence is a failure that another attempt may mend.
pub(super) async fn within_limit<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, Failure> {
    let silent = |_| {
        let seconds = limit.as_secs_f64();
        Failure::soon(format!("the model endpoint was silent for {seconds} s"))
    };
    tokio::time::timeout(limit, future).await.map_err(silent)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::{Block, StopReason, Usage};
    use super::*;

    /// A wire whose every event but `ping` is the whole answer.
    struct Words;

    impl Decoder for Words {
        fn decode(&mut self, event: &SseEvent) -> Result<Vec<ModelEvent>, Failure> {
            Ok(match event.data.as_str() {
                "ping" => vec![],
                word => vec![
                    ModelEvent::Block(Block::Text(word.to_owned())),
                    ModelEvent::Stop {
                        reason: StopReason::EndTurn,
                        usage: Usage::default(),
                    },
                ],
            })
        }

        fn finish(&mut self) -> Result<Vec<ModelEvent>, Failure> {
            Err(Failure::soon("it ended"))
        }
    }

    /// What each attempt does: how long it waits before each of its events.
    type Script = Vec<Result<Vec<(u64, &'static str)>, Failure>>;

    async fn play(script: Script) -> (Vec<String>, u64) {
        let script = Mutex::new(script.into_iter());
        let began = tokio::time::Instant::now();
        let events = respond(
            Patience::default(),
            || Box::new(Words),
            move || {
                let attempt = script.lock().unwrap().next().expect("not so many attempts");
                async move {
                    let events = stream::iter(attempt?).then(|(seconds, word)| async move {
                        tokio::time::sleep(Duration::from_secs(seconds)).await;
                        Ok(format!("data: {word}\n\n").into_bytes())
                    });
                    Ok(events.boxed())
                }
                .boxed()
            },
        );
        let told = events
            .map(|event| match event {
                Ok(ModelEvent::Block(Block::Text(word))) => word,
                Ok(ModelEvent::Retrying { reason }) => format!("retry: {}", reason.split("; trying").next().unwrap()),
                Ok(ModelEvent::Stop { .. }) => "stop".into(),
                other => format!("{other:?}"),
            })
            .collect()
            .await;
        (told, began.elapsed().as_secs())
    }

    #[tokio::test]
    async fn an_answer_without_end_is_refused() {
        let mut events = respond(
            Patience::default(),
            || Box::new(Words),
            || {
                let flood = stream::repeat_with(|| Ok([b":".repeat(1 << 20), b"\n".to_vec()].concat()));
                std::future::ready(Ok(flood.boxed())).boxed()
            },
        );
        let error = events.next().await.unwrap().unwrap_err();
        assert_eq!(error.message, "the endpoint sent more than 32 MiB for one answer");
        assert_eq!(events.next().await, None);
    }

    fn refused(retry: Retry) -> Failure {
        Failure {
            message: "no".into(),
            retry,
        }
    }

    #[test]
    fn times_read_as_people_say_them() {
        let of = |seconds| in_words(Duration::from_secs(seconds));
        let said = [of(7), of(90), of(121), of(840), of(7_200), of(172_800), of(u64::MAX)];
        let expected = [
            "7.0 s",
            "90 s",
            "2 minutes",
            "14 minutes",
            "2 hours",
            "2 days",
            "longer than a year",
        ];
        assert_eq!(said, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_wait_is_reported_before_it_begins() {
        let reasons = respond(
            Patience::default(),
            || Box::new(Words),
            || std::future::ready(Err(refused(Retry::After(Duration::from_secs(90))))).boxed(),
        );
        let began = tokio::time::Instant::now();
        let told = Box::pin(reasons).next().await.unwrap().unwrap();
        let reason = "no; trying again in 90 s, as the endpoint asks; stop the turn to give up".to_owned();
        assert_eq!(
            (told, began.elapsed()),
            (ModelEvent::Retrying { reason }, Duration::ZERO)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_an_attempt_and_a_ping_is_no_silence() {
        let pings = (0..100).map(|_| (80, "ping")).chain([(80, "hello")]).collect();
        assert_eq!(
            play(vec![Ok(pings)]).await,
            (vec!["hello".into(), "stop".into()], 101 * 80)
        );

        let (told, _) = play(vec![Ok(vec![(91, "late")]), Ok(vec![(89, "hello")])]).await;
        assert_eq!(told, ["retry: the model endpoint was silent for 90 s", "hello", "stop"]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_is_repeated_twice_and_after_the_time_that_was_asked_for() {
        let soon = || Err(refused(Retry::Soon));
        let after = |seconds| Err(refused(Retry::After(Duration::from_secs(seconds))));
        let never = || Err(refused(Retry::Never));
        let failed = |message: &str| format!("{:?}", Err::<ModelEvent, _>(ModelError::new(message)));
        let cases: Vec<(Script, Vec<String>, Option<u64>)> = vec![
            (
                vec![soon(), soon(), Ok(vec![(0, "a")])],
                vec!["retry: no".into(), "retry: no".into(), "a".into(), "stop".into()],
                Some(1),
            ),
            (
                vec![soon(), soon(), soon()],
                vec!["retry: no".into(), "retry: no".into(), failed("no (3 attempts)")],
                None,
            ),
            (vec![never()], vec![failed("no")], Some(0)),
            (
                vec![
                    Err(refused(Retry::Differently)),
                    soon(),
                    soon(),
                    Err(refused(Retry::Differently)),
                    soon(),
                ],
                [vec!["retry: no".into(); 4], vec![failed("no (3 attempts)")]].concat(),
                None,
            ),
            (
                vec![after(120), Ok(vec![(0, "a")])],
                vec!["retry: no".into(), "a".into(), "stop".into()],
                Some(120),
            ),
            (
                vec![after(840)],
                vec![failed("no; the endpoint asks to wait 14 minutes")],
                Some(0),
            ),
            (
                vec![Ok(vec![(0, "ping")]), Ok(vec![(0, "a")])],
                vec!["retry: it ended".into(), "a".into(), "stop".into()],
                Some(0),
            ),
        ];
        for (script, expected, seconds) in cases {
            let (told, took) = play(script).await;
            assert_eq!(told, expected);
            assert_eq!(took, seconds.unwrap_or(took), "{expected:?}");
        }
    }
}
