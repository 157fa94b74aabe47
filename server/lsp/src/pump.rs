//! Drives the service: reads messages, calls handlers, writes what they answer.
//!
//! It replaces the framework's own loop, which ends at the first malformed frame, lets replies overtake notifications
//! and starves while handlers wait. What it promises instead is listed in `protocol.md` under "Order and errors".

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::{Sink, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::{ClientSocket, ExitedError, LanguageServer, LspService};

use crate::framing::{Decoder, Frame, MAX_BODY};
use crate::outgoing::{self, Outgoing, WrittenDiagnostics};
use crate::uri::Spellings;

/// How long what is already queued may take to leave after the end.
const FAREWELL: Duration = Duration::from_millis(500);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client asked for `shutdown` and then `exit`.
    Orderly,
    /// Anything else: end of input, `exit` alone, a dead parent, a body that can't be read.
    Abruptly,
}

/// Serves one connection until it ends; running handlers are then dropped.
///
/// `abandoned` completes when nobody can want the server any more, such as when its parent process died.
pub async fn serve<S: LanguageServer>(
    mut reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    service: LspService<S>,
    socket: ClientSocket,
    abandoned: impl Future<Output = ()>,
) -> Ended {
    let (outgoing, mut writing) = outgoing::start(writer);
    let (requests, responses) = socket.split();
    let mut pump = Pump {
        service,
        requests: requests.boxed(),
        responses,
        running: JoinSet::new(),
        spellings: Spellings::default(),
        outgoing,
        shut_down: false,
    };
    let mut decoder = Decoder::default();
    let mut chunk = vec![0; 64 << 10];
    let mut abandoned = pin!(abandoned);
    let ended = 'connection: loop {
        tokio::select! {
            biased;
            () = &mut abandoned => break Ended::Abruptly,
            // Only a failed write ends it before we do: nobody is left to be told anything.
            _ = &mut writing => return pump.ending(),
            // Nor is a turn listened to that streams to it.
            Some(request) = pump.requests.next(), if pump.outgoing.has_room() => pump.send_request(request),
            Some(done) = pump.running.join_next() => pump.finish(done.ok().flatten()),
            // A client that doesn't read is not read from either: its messages would only become more of ours.
            () = pump.outgoing.room(), if !pump.outgoing.has_room() => {}
            read = reader.read(&mut chunk), if pump.outgoing.has_room() => {
                let count = match read {
                    Ok(0) => break pump.ending(),
                    Ok(count) => count,
                    Err(error) => {
                        tracing::error!("reading from the client failed: {error}");
                        break Ended::Abruptly;
                    }
                };
                decoder.feed(&chunk[..count]);
                while let Some(frame) = decoder.next_frame() {
                    if let Some(ended) = pump.receive(frame) {
                        break 'connection ended;
                    }
                }
            }
        }
    };
    pump.running.abort_all();
    pump.drain();
    pump.outgoing.close();
    if tokio::time::timeout(FAREWELL, writing).await.is_err() {
        tracing::debug!("the client did not read the last messages");
    }
    ended
}

/// What is left to answer once a handler is done; `None` for notifications.
type Reply = Option<Response>;

struct Pump<S, R> {
    service: LspService<S>,
    requests: Pin<Box<dyn futures_util::Stream<Item = Request> + Send>>,
    responses: R,
    running: JoinSet<Reply>,
    spellings: Spellings,
    outgoing: Outgoing,
    shut_down: bool,
}

impl<S, R> Pump<S, R>
where
    S: LanguageServer,
    R: Sink<Response, Error = ExitedError> + Unpin,
{
    /// Takes one frame as far as it goes without waiting.
    fn receive(&mut self, frame: Frame) -> Option<Ended> {
        let body = match frame {
            Frame::Body(body) => body,
            Frame::BadHeader(problem) => {
                self.refuse(Id::Null, ErrorCode::ParseError, problem);
                return None;
            }
            Frame::TooLong => {
                let problem = format!("a body of more than {} MiB is not read", MAX_BODY >> 20);
                self.refuse(Id::Null, ErrorCode::ParseError, problem);
                return Some(Ended::Abruptly);
            }
        };
        let message = serde_json::from_slice::<Value>(&body);
        let mut message = match message.or_else(|_| serde_json::from_slice(&without_lone_surrogates(body))) {
            Ok(message) => message,
            Err(error) => {
                self.refuse(
                    Id::Null,
                    ErrorCode::ParseError,
                    format!("the message is no JSON: {error}"),
                );
                return None;
            }
        };
        self.spellings.encode(&mut message);
        match Incoming::of(message) {
            Ok(Incoming::Request(request)) => return self.dispatch(request),
            Ok(Incoming::Response(response)) => {
                // The sink only hands the answer to whoever waits for it; it has no capacity to wait for.
                if let Some(Err(ExitedError { .. })) = self.responses.send(response).now_or_never() {
                    return Some(Ended::Abruptly);
                }
            }
            Err((id, problem)) => self.refuse(id, ErrorCode::InvalidRequest, problem.to_owned()),
        }
        None
    }

    /// Calls a handler and polls it once, so that all it does before its first wait happens before the next message.
    fn dispatch(&mut self, request: Request) -> Option<Ended> {
        let id = request.id().cloned();
        let method = request.method().to_owned();
        if method == "exit" {
            return Some(self.ending());
        }
        self.shut_down |= method == "shutdown";
        let service = &mut self.service;
        let mut handler = match catch_unwind(AssertUnwindSafe(|| service.call(request))) {
            Ok(call) => guarded(call, id, method),
            Err(panic) => std::future::ready(panicked(id, &method, panic.as_ref())).boxed(),
        };
        match handler.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => self.finish(reply),
            Poll::Pending => {
                self.running.spawn(handler);
                self.drain();
            }
        }
        None
    }

    /// What an end now means.
    fn ending(&self) -> Ended {
        if self.shut_down {
            Ended::Orderly
        } else {
            Ended::Abruptly
        }
    }

    /// Answers, after everything that the server sent before.
    fn finish(&mut self, reply: Reply) {
        self.drain();
        if let Some(response) = reply {
            match serde_json::to_value(&response) {
                Ok(message) => self.send(message),
                Err(error) => tracing::error!("a reply could not be written: {error}"),
            }
        }
    }

    /// Takes over what handlers and turns have sent so far.
    fn drain(&mut self) {
        while let Some(Some(request)) = self.requests.next().now_or_never() {
            self.send_request(request);
        }
    }

    fn send_request(&mut self, request: Request) {
        let (method, id, params) = request.into_parts();
        let params = match params {
            Some(Value::Array(pair)) if method == WrittenDiagnostics::METHOD => return self.send_diagnostics(pair),
            params => params,
        };
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        // Moved, not written anew: the findings of a file may be many.
        if let Some(id) = id {
            message["id"] = json!(id);
        }
        if let Some(params) = params {
            message["params"] = params;
        }
        self.send(message);
    }

    /// Sends findings that are written already: they are read again only where a URI may have to be spelled otherwise.
    fn send_diagnostics(&mut self, pair: Vec<Value>) {
        let Ok([uri, Value::String(params)]) = <[Value; 2]>::try_from(pair) else {
            return tracing::error!("findings were sent in another form");
        };
        let method = WrittenDiagnostics::METHOD;
        if self.spellings.is_empty() {
            let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
            return self.outgoing.push_diagnostics(&uri, &message);
        }
        match serde_json::from_str::<Value>(&params) {
            Ok(params) => self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})),
            Err(error) => tracing::error!("findings could not be read again: {error}"),
        }
    }

    fn refuse(&mut self, id: Id, code: ErrorCode, message: String) {
        tracing::warn!("refused: {message}");
        let error = Error {
            code,
            message: message.into(),
            data: None,
        };
        self.finish(Some(Response::from_error(id, error)));
    }

    fn send(&mut self, mut message: Value) {
        self.spellings.restore(&mut message);
        self.outgoing.push(&message);
    }
}

/// JSON with every half of a surrogate pair replaced.
///
/// JavaScript's texts may hold one, which no text of ours can. A change that was refused for it would leave the text
/// behind for ever, and U+FFFD is as long in UTF-16.
fn without_lone_surrogates(mut body: Vec<u8>) -> Vec<u8> {
    let unit = |body: &[u8], at: usize| {
        let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while at < body.len() {
        at += match unit(&body, at) {
            Some(0xd800..=0xdbff) if matches!(unit(&body, at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                body[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            // What is escaped begins no escape.
            _ if body[at] == b'\\' => 2,
            _ => 1,
        };
    }
    body
}

/// A handler whose panic costs only its own answer.
fn guarded(
    call: BoxFuture<'static, Result<Option<Response>, ExitedError>>,
    id: Option<Id>,
    method: String,
) -> BoxFuture<'static, Reply> {
    async move {
        match AssertUnwindSafe(call).catch_unwind().await {
            Ok(Ok(reply)) => reply,
            Ok(Err(ExitedError { .. })) => None,
            Err(panic) => panicked(id, &method, panic.as_ref()),
        }
    }
    .boxed()
}

fn panicked(id: Option<Id>, method: &str, panic: &(dyn Any + Send)) -> Reply {
    let reason = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("{method} panicked: {}", reason.unwrap_or("no reason given"));
    let message = format!("{method} failed inside the server; the log has the reason");
    id.map(|id| {
        Response::from_error(
            id,
            Error {
                code: ErrorCode::InternalError,
                message: message.into(),
                data: None,
            },
        )
    })
}

/// A message of the client.
enum Incoming {
    Request(Request),
    Response(Response),
}

impl Incoming {
    fn of(message: Value) -> Result<Self, (Id, &'static str)> {
        let Value::Object(mut members) = message else {
            let problem = if message.is_array() {
                "batches are not part of the protocol"
            } else {
                "not an object"
            };
            return Err((Id::Null, problem));
        };
        let id = match members.remove("id") {
            None => None,
            Some(id) => {
                Some(serde_json::from_value::<Id>(id).map_err(|_| (Id::Null, "the id is no integer or string"))?)
            }
        };
        let refused = |problem| Err((id.clone().unwrap_or_default(), problem));
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refused("jsonrpc is not \"2.0\"");
        }
        match members.remove("method") {
            Some(Value::String(method)) => {
                let mut request = Request::build(method);
                if let Some(params) = members.remove("params") {
                    request = request.params(params);
                }
                if let Some(id) = id {
                    request = request.id(id);
                }
                Ok(Self::Request(request.finish()))
            }
            Some(_) => refused("the method is no string"),
            None => {
                let Some(id) = id else {
                    return Err((Id::Null, "neither a method nor the id of an answered request"));
                };
                if let Some(result) = members.remove("result")
                    && !members.contains_key("error")
                {
                    return Ok(Self::Response(Response::from_ok(id, result)));
                }
                match members.remove("error").map(serde_json::from_value::<Error>) {
                    Some(Ok(error)) => Ok(Self::Response(Response::from_error(id, error))),
                    Some(Err(_)) => Err((id, "the error has no code or message")),
                    None => Err((id, "neither a method nor a result nor an error")),
                }
            }
        }
    }
}
