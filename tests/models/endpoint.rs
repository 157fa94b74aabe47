//! The endpoint's process and its control interface.

use std::ffi::OsStr;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A running endpoint; it ends with this value.
pub struct Endpoint {
    /// Its address.
    pub url: String,
    _process: Child,
    _fixtures: tempfile::TempDir,
}

impl Endpoint {
    /// Starts one that has no answers yet.
    pub async fn start(program: &OsStr) -> Result<Self> {
        let fixtures = tempfile::tempdir()?;
        let unused = json!({"fixtures": [{"match": {"userMessage": "unused"}, "response": {"content": "unused"}}]});
        let path = fixtures.path().join("answers.json");
        std::fs::write(&path, unused.to_string())?;
        let mut process = Command::new(program)
            .args(["--port", "0", "--strict", "--fixtures"])
            .arg(path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let output = process.stdout.take().context("it has no output")?;
        let mut lines = BufReader::new(output).lines();
        let url = loop {
            let line = lines
                .next_line()
                .await?
                .context("the endpoint ended before it listened")?;
            if let Some((_, url)) = line.split_once("listening on ") {
                break url.trim().to_owned();
            }
        };
        // Its log must not fill the pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self {
            url,
            _process: process,
            _fixtures: fixtures,
        })
    }

    /// Sets what it answers.
    pub async fn play(&self, fixtures: Value) -> Result<()> {
        self.call("POST", "/reset", &Value::Null).await?;
        self.call("POST", "/fixtures", &json!({"fixtures": fixtures}))
            .await
            .map(drop)
    }

    /// The requests to its models so far.
    pub async fn requests(&self) -> Result<Vec<Value>> {
        let Value::Array(entries) = self.call("GET", "/journal", &Value::Null).await? else {
            bail!("the journal is no list");
        };
        Ok(entries.into_iter().filter(|entry| entry["method"] == "POST").collect())
    }

    /// Speaks HTTP 1.0, so that the reply ends where the connection does.
    async fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let address = self.url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).await?;
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let head = format!(
            "{method} /__aimock{path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await?;
        let (head, body) = reply.split_once("\r\n\r\n").context("no reply")?;
        ensure!(head.contains(" 200 "), "{method} {path}: {reply}");
        Ok(serde_json::from_str(body)?)
    }
}
