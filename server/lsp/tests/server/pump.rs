//! What the pump promises, with a service of the tests' own behind it.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::future::pending;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skills_ls::framing::encode;
use skills_ls::headless::Editor;
use skills_ls::pump::{self, Ended};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;
use tower_lsp::{Client, LanguageServer, LspService};

/// Records what it is told, waits when it is asked to, and panics on demand.
struct Service {
    client: Client,
    seen: Arc<Mutex<Vec<String>>>,
    released: Arc<Notify>,
}

impl Service {
    fn note(&self, what: impl Into<String>) {
        self.seen.lock().unwrap().push(what.into());
    }

    /// Says how much was seen before it, then waits.
    async fn seen_then_wait(&self) -> Result<usize> {
        let seen = self.seen.lock().unwrap().len();
        self.released.notified().await;
        Ok(seen)
    }

    async fn wait_forever(&self) -> Result<()> {
        pending().await
    }

    async fn ask_client(&self) -> Result<Value> {
        let answer = self.client.workspace_folders().await;
        Ok(json!(answer.is_ok()))
    }

    async fn panic_at_once(&self) -> Result<()> {
        panic!("at once");
    }

    async fn panic_later(&self) -> Result<()> {
        tokio::task::yield_now().await;
        panic!("later");
    }

    async fn echo(&self, params: Value) -> Result<Value> {
        let uri: Option<Uri> = serde_json::from_value(params["uri"].clone()).ok();
        Ok(json!({"uri": uri, "understood": uri.is_some()}))
    }

    /// Five notifications, then the reply.
    async fn tell_five(&self) -> Result<()> {
        for number in 0..5 {
            self.client.log_message(MessageType::INFO, number).await;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Findings whose parameters are text already.
    async fn publish(&self, params: Value) -> Result<()> {
        let uri: Uri = serde_json::from_value(params["uri"].clone()).unwrap();
        let found = PublishDiagnosticsParams::new(uri.clone(), Vec::new(), Some(1));
        let written = serde_json::to_string(&found).unwrap();
        self.client.send_notification::<Written>((uri, written)).await;
        Ok(())
    }

    /// More than any client reads at once.
    async fn flood(&self) -> Result<()> {
        let text = "x".repeat(1 << 20);
        for _ in 0..80 {
            self.client.log_message(MessageType::INFO, &text).await;
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

enum Written {}

impl notification::Notification for Written {
    type Params = (Uri, String);
    const METHOD: &'static str = "textDocument/publishDiagnostics";
}

impl LanguageServer for Service {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.note(params.text_document.version.to_string());
        // What comes after the first wait may be late; what came before may not.
        tokio::task::yield_now().await;
    }
}

struct Connection {
    editor: Editor,
    served: Served,
}

/// A pump at work, and what its service shares with the test.
struct Served {
    ended: JoinHandle<Ended>,
    seen: Arc<Mutex<Vec<String>>>,
    released: Arc<Notify>,
    abandon: Arc<Notify>,
}

fn serve(server: DuplexStream) -> Served {
    let (seen, released, abandon) = <(Arc<Mutex<Vec<String>>>, Arc<Notify>, Arc<Notify>)>::default();
    let (kept, notify) = (seen.clone(), released.clone());
    let (service, socket) = LspService::build(|client| Service {
        client,
        seen: kept,
        released: notify,
    })
    .custom_method("test/seenThenWait", Service::seen_then_wait)
    .custom_method("test/waitForever", Service::wait_forever)
    .custom_method("test/askClient", Service::ask_client)
    .custom_method("test/panicAtOnce", Service::panic_at_once)
    .custom_method("test/panicLater", Service::panic_later)
    .custom_method("test/echo", Service::echo)
    .custom_method("test/tellFive", Service::tell_five)
    .custom_method("test/flood", Service::flood)
    .custom_method("test/publish", Service::publish)
    .finish();
    let (reader, writer) = split(server);
    let gone = abandon.clone();
    let ended = tokio::spawn(async move {
        pump::serve(reader, writer, service, socket, async move { gone.notified().await }).await
    });
    Served {
        ended,
        seen,
        released,
        abandon,
    }
}

async fn connect() -> Connection {
    let (client, server) = duplex(64 << 10);
    let served = serve(server);
    let (reader, writer) = split(client);
    let mut editor = Editor::new(reader, writer);
    editor.request("initialize", json!({"capabilities": {}})).await.unwrap();
    editor.notify("initialized", json!({})).await.unwrap();
    Connection { editor, served }
}

fn change(version: i32) -> Value {
    let document = json!({"uri": "file:///a", "version": version});
    json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": []}})
}

#[tokio::test]
async fn a_bad_message_costs_only_itself() {
    let refused = [
        (b"{".to_vec(), -32700),
        (b"\xff\xfe".to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"a\ud8"}"#.to_vec(), -32700),
        (
            br#"[{"jsonrpc":"2.0","id":1,"method":"test/tellFive"}]"#.to_vec(),
            -32600,
        ),
        (br#"{"jsonrpc":"2.0"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"1.0","method":"a"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","method":5}"#.to_vec(), -32600),
        (br#""text""#.to_vec(), -32600),
    ];
    let mut connection = connect().await;
    for (body, code) in refused {
        connection.editor.send_bytes(&encode(&body)).await.unwrap();
        let error = connection.editor.wait_for("error").await.unwrap();
        assert_eq!(error["code"], code, "{}", String::from_utf8_lossy(&body));
    }
    connection
        .editor
        .send_bytes(b"Content-Length: many\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(connection.editor.wait_for("error").await.unwrap()["code"], -32700);
    connection.editor.send_bytes(b"garbage\nmore\n").await.unwrap();
    let unknown = connection
        .editor
        .request("test/unknown", Value::Null)
        .await
        .unwrap_err();
    assert_eq!(unknown.to_string(), "Method not found");
    assert!(connection.editor.request("test/echo", json!({})).await.is_ok());
}

#[tokio::test]
async fn every_bad_length_is_answered_at_once() {
    for header in [
        "Content-Length: +5",
        "Content-Length:",
        "Content-Length: -5",
        "Content-Length: 0x5",
        "Content-Length: 5 bytes",
        "Content-Length 5",
        "Content-Length: 2\r\nContent-Length: 500",
    ] {
        let mut connection = connect().await;
        let bytes = format!("{header}\r\n\r\n");
        connection.editor.send_bytes(bytes.as_bytes()).await.unwrap();
        let error = connection.editor.wait_for("error").await.unwrap();
        assert_eq!(error["code"], -32700, "{header}");
        assert!(
            connection.editor.request("test/echo", json!({})).await.is_ok(),
            "{header}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_ends_the_connection_with_an_answer() {
    let mut connection = connect().await;
    connection
        .editor
        .send_bytes(b"Content-Length: 200000000\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(connection.editor.wait_for("error").await.unwrap()["code"], -32700);
    assert_eq!(connection.served.ended.await.unwrap(), Ended::Abruptly);
}

#[tokio::test]
async fn a_panic_costs_only_its_own_answer() {
    let mut connection = connect().await;
    for method in ["test/panicAtOnce", "test/panicLater"] {
        let error = connection.editor.request(method, Value::Null).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{method} failed inside the server; the log has the reason")
        );
    }
    assert!(connection.editor.request("test/echo", json!({})).await.is_ok());
}

#[tokio::test]
async fn each_message_is_handled_up_to_its_first_wait_before_the_next() {
    let mut connection = connect().await;
    let mut bytes = Vec::new();
    for version in 1..=500 {
        bytes.extend(encode(change(version).to_string().as_bytes()));
        let request = json!({"jsonrpc": "2.0", "id": 1000 + version, "method": "test/seenThenWait"});
        bytes.extend(encode(request.to_string().as_bytes()));
    }
    connection.editor.send_bytes(&bytes).await.unwrap();
    assert!(connection.editor.request("test/echo", json!({})).await.is_ok());
    let expected: Vec<_> = (1..=500).map(|version| version.to_string()).collect();
    assert_eq!(*connection.served.seen.lock().unwrap(), expected);
    connection.served.released.notify_waiters();
    for version in 1..=500 {
        assert_eq!(connection.editor.reply(1000 + version).await.unwrap(), version);
    }
}

#[tokio::test]
async fn waiting_handlers_hold_nothing_up_and_can_be_cancelled() {
    let mut connection = connect().await;
    let mut waiting = Vec::new();
    for _ in 0..50 {
        waiting.push(
            connection
                .editor
                .send_request("test/waitForever", Value::Null)
                .await
                .unwrap(),
        );
    }
    assert!(connection.editor.request("test/echo", json!({})).await.is_ok());
    for id in waiting {
        connection
            .editor
            .notify("$/cancelRequest", json!({"id": id}))
            .await
            .unwrap();
        let error = connection.editor.reply(id).await.unwrap_err();
        assert_eq!(error.to_string(), "Canceled");
    }
}

#[tokio::test]
async fn a_reply_never_overtakes_a_notification() {
    let mut connection = connect().await;
    for _ in 0..50 {
        connection.editor.request("test/tellFive", Value::Null).await.unwrap();
        let told: Vec<_> = connection
            .editor
            .unread()
            .into_iter()
            .map(|(_, params)| params["message"].clone())
            .collect();
        assert_eq!(told, ["0", "1", "2", "3", "4"]);
    }
}

#[tokio::test]
async fn the_connection_ends_at_once_whatever_runs() {
    // Each with handlers that would never end by themselves.
    for how in ["end of input", "exit", "shutdown and exit", "dead parent"] {
        let mut connection = connect().await;
        connection.editor.answer = |_, _| None;
        connection
            .editor
            .send_request("test/waitForever", Value::Null)
            .await
            .unwrap();
        connection
            .editor
            .send_request("test/askClient", Value::Null)
            .await
            .unwrap();
        let exit = json!({"jsonrpc": "2.0", "method": "exit"});
        let expected = match how {
            "end of input" => {
                drop(connection.editor);
                Ended::Abruptly
            }
            "exit" => {
                connection.editor.send(exit).await.unwrap();
                Ended::Abruptly
            }
            "dead parent" => {
                connection.served.abandon.notify_one();
                Ended::Abruptly
            }
            _ => {
                connection.editor.shut_down().await.unwrap();
                Ended::Orderly
            }
        };
        assert_eq!(connection.served.ended.await.unwrap(), expected, "{how}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    let (mut client, server) = duplex(64 << 10);
    let served = serve(server);
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "initialized", "params": {}});
    let flood = json!({"jsonrpc": "2.0", "id": 2, "method": "test/flood"});
    for message in [initialize, initialized, flood] {
        client.write_all(&encode(message.to_string().as_bytes())).await.unwrap();
    }
    // 80 MiB wait for a client that reads nothing: in the end it can't write any more either.
    let mut written = 0;
    let message = encode(change(1).to_string().as_bytes());
    loop {
        match tokio::time::timeout(std::time::Duration::from_secs(3), client.write_all(&message)).await {
            Ok(result) => result.unwrap(),
            Err(_) => break,
        }
        written += 1;
        assert!(written < 1_000_000, "it reads on whatever waits");
        tokio::task::yield_now().await;
    }
    assert!(served.seen.lock().unwrap().len() <= written);
    // Once it reads, everything arrives.
    let mut chunk = vec![0; 1 << 20];
    let mut read = 0;
    while read < 80 << 20 {
        let count = client.read(&mut chunk).await.unwrap();
        assert_ne!(count, 0, "it ended after {read} bytes");
        read += count;
    }
}

#[tokio::test]
async fn uris_are_understood_and_come_back_as_the_client_wrote_them() {
    let mut connection = connect().await;
    for uri in ["file:///a/[id]/b c.md", "file:///é|ü.md", "file:///plain.md"] {
        let reply = connection
            .editor
            .request("test/echo", json!({"uri": uri}))
            .await
            .unwrap();
        assert_eq!(reply, json!({"uri": uri, "understood": true}));
    }
}

#[tokio::test]
async fn findings_that_are_written_already_arrive_as_any_message_does() {
    let mut connection = connect().await;
    // Before and after a URI had to be spelt otherwise.
    for uri in ["file:///plain.md", "file:///a/[id].md", "file:///plain.md"] {
        connection
            .editor
            .request("test/publish", json!({"uri": uri}))
            .await
            .unwrap();
        let found = connection
            .editor
            .wait_for("textDocument/publishDiagnostics")
            .await
            .unwrap();
        assert_eq!(found, json!({"uri": uri, "diagnostics": [], "version": 1}));
    }
}
