//! A headless editor: the smallest client that keeps buffers, for the demonstration and for tests.
//!
//! It speaks the same protocol over the same frames as any other client; what the server sends while something is
//! waited for is handled or kept in the order in which it came.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ropey::Rope;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tower_lsp::ls_types::{Range, TextEdit, Uri};

use crate::framing::{Decoder, Frame, encode};
use crate::position::Encoding;

/// One open buffer.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// Grows with every change.
    pub version: i32,
    /// The text, unsaved.
    pub text: Rope,
}

/// A client with buffers.
pub struct Editor {
    reader: Box<dyn AsyncRead + Unpin + Send>,
    writer: Box<dyn AsyncWrite + Unpin + Send>,
    decoder: Decoder,
    requests: i64,
    replies: HashMap<i64, Value>,
    notifications: VecDeque<(String, Value)>,
    buffers: HashMap<String, Buffer>,
    encoding: Encoding,
    /// Answers requests of the server that this editor knows nothing of.
    pub answer: fn(method: &str, params: &Value) -> Option<Value>,
}

impl Editor {
    /// A client at one end of a connection; `initialize` comes first.
    pub fn new(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        Self {
            reader: Box::new(reader),
            writer: Box::new(writer),
            decoder: Decoder::default(),
            requests: 0,
            replies: HashMap::new(),
            notifications: VecDeque::new(),
            buffers: HashMap::new(),
            encoding: Encoding::default(),
            answer: |_, _| None,
        }
    }

    /// Opens a session on a folder with these capabilities and options; gives the server's answer.
    pub async fn initialize(&mut self, folder: &Path, capabilities: Value, options: Value) -> Result<Value> {
        let uri = file_uri(folder)?;
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "skills-ls headless"},
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "workspace"}],
            "capabilities": capabilities,
            "initializationOptions": options,
        });
        let result = self.request("initialize", params).await?;
        self.encoding = match result["capabilities"]["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            _ => Encoding::Utf16,
        };
        self.notify("initialized", json!({})).await?;
        Ok(result)
    }

    /// Asks and waits for the answer; an error answer is an error.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.send_request(method, params).await?;
        self.reply(id).await
    }

    /// Asks without waiting.
    pub async fn send_request(&mut self, method: &str, params: Value) -> Result<i64> {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await?;
        Ok(id)
    }

    /// Waits for the answer to an earlier request.
    pub async fn reply(&mut self, id: i64) -> Result<Value> {
        loop {
            if let Some(mut reply) = self.replies.remove(&id) {
                if let Some(error) = reply.get("error") {
                    bail!("{}", error["message"].as_str().unwrap_or("an error without a message"));
                }
                return Ok(reply["result"].take());
            }
            self.receive().await?;
        }
    }

    /// Tells.
    pub async fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await
    }

    /// Sends a message as it is.
    pub async fn send(&mut self, message: Value) -> Result<()> {
        self.send_bytes(&encode(message.to_string().as_bytes())).await
    }

    /// Sends bytes as they are.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).await?;
        Ok(self.writer.flush().await?)
    }

    /// Waits for the next notification or request of this method, also one that came already; others stay.
    pub async fn wait_for(&mut self, method: &str) -> Result<Value> {
        self.wait_until(method, |_| true).await
    }

    /// Waits for the next notification of this method that fits; earlier ones of the method that don't are dropped.
    pub async fn wait_until(&mut self, method: &str, mut fits: impl FnMut(&Value) -> bool) -> Result<Value> {
        loop {
            while let Some(at) = self.notifications.iter().position(|(name, _)| name == method) {
                if let Some((_, params)) = self.notifications.remove(at)
                    && fits(&params)
                {
                    return Ok(params);
                }
            }
            self.receive()
                .await
                .with_context(|| format!("while waiting for {method}"))?;
        }
    }

    /// The notifications and requests of the server that nobody has waited for yet.
    pub fn unread(&mut self) -> Vec<(String, Value)> {
        self.notifications.drain(..).collect()
    }

    /// Opens a buffer with this text.
    pub async fn open(&mut self, path: &Path, language: &str, text: &str) -> Result<()> {
        let uri = file_uri(path)?;
        self.buffers.insert(
            uri.as_str().to_owned(),
            Buffer {
                version: 1,
                text: Rope::from_str(text),
            },
        );
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}))
            .await
    }

    /// Closes a buffer without saving it.
    pub async fn close(&mut self, path: &Path) -> Result<()> {
        let uri = file_uri(path)?;
        self.buffers.remove(uri.as_str());
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}))
            .await
    }

    /// The text of a buffer.
    pub fn text(&self, path: &Path) -> Result<String> {
        Ok(self.buffer(file_uri(path)?.as_str())?.text.to_string())
    }

    /// Replaces the one place where `old` stands in a buffer, as a person who types.
    pub async fn replace(&mut self, path: &Path, old: &str, new: &str) -> Result<()> {
        let uri = file_uri(path)?;
        let buffer = self.buffer(uri.as_str())?;
        let text = buffer.text.to_string();
        let at = text
            .find(old)
            .with_context(|| format!("{old:?} is not in the buffer"))?;
        let range = self.encoding.range(&buffer.text, at..at + old.len());
        self.change(
            uri.as_str(),
            vec![TextEdit {
                range,
                new_text: new.to_owned(),
            }],
        )
        .await
    }

    /// Applies edits, which are disjoint and in order, to a buffer and reports them.
    pub async fn change(&mut self, uri: &str, edits: Vec<TextEdit>) -> Result<()> {
        let encoding = self.encoding;
        let buffer = self
            .buffers
            .get_mut(uri)
            .with_context(|| format!("{uri} is not open"))?;
        let mut changes = Vec::new();
        // From the end, so that each range still means what it meant.
        for edit in edits.into_iter().rev() {
            let Range { start, end } = edit.range;
            let start = buffer.text.byte_to_char(encoding.offset(&buffer.text, start));
            let end = buffer.text.byte_to_char(encoding.offset(&buffer.text, end));
            buffer.text.remove(start..end);
            buffer.text.insert(start, &edit.new_text);
            changes.push(json!({"range": edit.range, "text": edit.new_text}));
        }
        buffer.version += 1;
        let document = json!({"uri": uri, "version": buffer.version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        )
        .await
    }

    /// Ends the session in order.
    pub async fn shut_down(&mut self) -> Result<()> {
        self.request("shutdown", Value::Null).await?;
        self.send(json!({"jsonrpc": "2.0", "method": "exit"})).await
    }

    fn buffer(&self, uri: &str) -> Result<&Buffer> {
        self.buffers.get(uri).with_context(|| format!("{uri} is not open"))
    }

    /// The next message of the server, for a test that answers by itself.
    pub async fn receive_unanswered(&mut self) -> Result<Value> {
        let body = loop {
            match self.decoder.next_frame() {
                Some(Frame::Body(body)) => break body,
                Some(frame) => bail!("the server sent a bad frame: {frame:?}"),
                None => {
                    let mut chunk = [0; 16 << 10];
                    let count = self.reader.read(&mut chunk).await?;
                    if count == 0 {
                        bail!("the server closed the connection");
                    }
                    self.decoder.feed(&chunk[..count]);
                }
            }
        };
        Ok(serde_json::from_slice(&body)?)
    }

    /// Takes one message: keeps replies and notifications, answers requests.
    pub async fn receive(&mut self) -> Result<()> {
        let mut message = self.receive_unanswered().await?;
        let Some(method) = message["method"].as_str().map(ToOwned::to_owned) else {
            // An answer to a message without an identifier is kept like a notification.
            match message["id"].as_i64() {
                Some(id) => drop(self.replies.insert(id, message)),
                None => self
                    .notifications
                    .push_back(("error".to_owned(), message["error"].take())),
            }
            return Ok(());
        };
        let params = message["params"].take();
        if message["id"].is_null() {
            self.notifications.push_back((method, params));
            return Ok(());
        }
        self.notifications.push_back((method.clone(), params.clone()));
        let mut reply = match method.as_str() {
            "workspace/applyEdit" => json!({"result": self.apply(params).await?}),
            "skills/workspace/save" => json!({"result": self.save(&params)?}),
            "window/showDocument" => json!({"result": {"success": true}}),
            "window/workDoneProgress/create" | "client/registerCapability" => json!({"result": null}),
            _ => match (self.answer)(&method, &params) {
                Some(result) => json!({"result": result}),
                None => json!({"error": {"code": -32601, "message": format!("{method} is not supported")}}),
            },
        };
        reply["jsonrpc"] = json!("2.0");
        reply["id"] = message["id"].take();
        self.send(reply).await
    }

    /// Saves the buffers that the server names.
    fn save(&self, params: &Value) -> Result<Value> {
        let uris = params["uris"].as_array().cloned().unwrap_or_default();
        for uri in uris.iter().filter_map(Value::as_str) {
            std::fs::write(file_path(uri)?, self.buffer(uri)?.text.to_string())?;
        }
        Ok(json!({"saved": uris, "failed": []}))
    }

    /// Applies an edit of the server if it was made for the text that is there; creates files that it asks for.
    async fn apply(&mut self, params: Value) -> Result<Value> {
        for change in params["edit"]["documentChanges"]
            .as_array()
            .cloned()
            .unwrap_or_default()
        {
            if change["kind"] == "create" {
                let path = file_path(change["uri"].as_str().unwrap_or_default())?;
                std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
                std::fs::File::create_new(&path)?;
                continue;
            }
            let uri = change["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
            let version = &change["textDocument"]["version"];
            if version.is_null() && !self.buffers.contains_key(&uri) {
                let path = file_path(&uri)?;
                self.open(&path, "", &std::fs::read_to_string(&path)?).await?;
            }
            let buffer = self.buffer(&uri)?;
            if !version.is_null() && version.as_i64() != Some(i64::from(buffer.version)) {
                return Ok(json!({"applied": false, "failureReason": "document has changed"}));
            }
            let edits: Vec<TextEdit> = serde_json::from_value(change["edits"].clone())?;
            self.change(&uri, edits).await?;
        }
        Ok(json!({"applied": true}))
    }
}

/// The path of a file's URI.
fn file_path(uri: &str) -> Result<PathBuf> {
    let path = uri.parse::<Uri>().ok().and_then(|uri| crate::document::file_path(&uri));
    path.with_context(|| format!("{uri} is no file"))
}

/// The URI of a file.
pub fn file_uri(path: &Path) -> Result<Uri> {
    Uri::from_file_path(path).with_context(|| format!("{} has no URI", path.display()))
}
