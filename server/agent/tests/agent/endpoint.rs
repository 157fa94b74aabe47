//! An HTTP server on the loopback address that answers with what a test wrote down.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use serde_json::Value;
use skills_agent::model::{Block, Message, Model, ModelEvent, Request, Role};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A key that must show nowhere.
pub(crate) const KEY: &str = "sk-secret";

/// The shortest request.
pub(crate) fn request() -> Request {
    let content = vec![Block::Text("hi".into())];
    let messages = vec![Message {
        role: Role::User,
        content,
    }];
    Request {
        system: String::new(),
        messages,
        tools: Vec::new(),
        max_tokens: 100,
    }
}

/// The result of one request, a line each.
pub(crate) async fn told(model: &dyn Model, request: Request) -> Vec<String> {
    let line = |event| match event {
        Ok(ModelEvent::TextDelta(text)) => format!("delta {text}"),
        Ok(ModelEvent::Block(Block::Text(text))) => format!("text {text}"),
        Ok(ModelEvent::Retrying { reason }) => format!("retrying: {reason}"),
        Ok(ModelEvent::Stop { reason, usage }) => format!("{reason:?} {} {}", usage.input, usage.output),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("error: {error}"),
    };
    model.stream(request).map(line).collect().await
}

/// One answer: the bytes, and what happens to the connection then.
pub(crate) struct Reply {
    bytes: String,
    hangs: bool,
}

impl Reply {
    /// A status with headers (each ending in `\r\n`) and a body.
    pub(crate) fn status(status: u16, headers: &str, body: &str) -> Self {
        let bytes = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{headers}\r\n{body}");
        Self { bytes, hangs: false }
    }

    /// A stream of events.
    pub(crate) fn stream(events: &str) -> Self {
        Self::status(200, "content-type: text/event-stream; charset=utf-8\r\n", events)
    }

    /// Keeps the connection open and silent at its end.
    pub(crate) fn hanging(self) -> Self {
        Self { hangs: true, ..self }
    }

    /// Closes the connection without an answer.
    pub(crate) fn nothing() -> Self {
        Self {
            bytes: String::new(),
            hangs: false,
        }
    }
}

/// A request as it arrived: the head in lower case, and the body.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Endpoint {
    pub(crate) url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    /// Notified when a client leaves a hanging connection.
    pub(crate) left: Arc<Notify>,
}

impl Endpoint {
    /// Answers the requests in the order of the replies, one connection each.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (arrived, left) = (Arc::<Mutex<Vec<_>>>::default(), Arc::new(Notify::new()));
        let replies: Vec<_> = replies.into_iter().collect();
        let task = (arrived.clone(), left.clone());
        tokio::spawn(async move {
            for reply in replies {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, reply, task.0.clone(), task.1.clone()));
            }
        });
        Self { url, arrived, left }
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, arrived: Arc<Mutex<Vec<Arrived>>>, left: Arc<Notify>) {
    let mut bytes = Vec::new();
    let request = loop {
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
        if let Some(request) = parse(&bytes) {
            break request;
        }
    };
    arrived.lock().unwrap().push(request);
    // The client may have left already, which is its right.
    let _ = stream.write_all(reply.bytes.as_bytes()).await;
    if reply.hangs {
        let _ = stream.read(&mut [0; 1]).await;
        left.notify_one();
    }
}

fn parse(bytes: &[u8]) -> Option<Arrived> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(Some(0), |length| length.parse().ok())?;
    (body.len() >= length).then(|| Arrived {
        body: if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(body).unwrap()
        },
        head,
    })
}
