//! `skills-ls lsp --listen`: the server for clients that reach it by an address of this machine.

use std::fs;
use std::io::{self, Cursor};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use skills_agent::event::random_id;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{TcpListener, TcpStream};

use super::terminated;
use crate::authority::Tokens;
use crate::cli::output;
use crate::environment::{Environment, create_private, write_private};
use crate::{pump, server, turns};

/// How every header of the protocol begins, in any case. No browser can send it first.
const BEGINNING: &[u8] = b"content-";
/// How long a client may take to begin.
const PATIENCE: Duration = Duration::from_secs(30);

/// A file with a token, which goes with the server.
struct TokenFile(PathBuf);

impl TokenFile {
    fn write(path: PathBuf, token: &str) -> Result<Self> {
        write_private(&path, token.as_bytes()).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        // Its token opens nothing any more.
        let _ = fs::remove_file(&self.0);
    }
}

/// Serves each client that connects, until the process is asked to end.
pub(super) async fn serve(address: SocketAddr) -> Result<()> {
    if !address.ip().is_loopback() {
        bail!(
            "{address} is no address of this machine alone: use 127.0.0.1 or [::1], and a tunnel such as that of ssh"
        );
    }
    let environment = Environment::of_process();
    let folder = environment.state_folder().map_err(anyhow::Error::msg)?.join("servers");
    create_private(&folder)?;
    let tokens = Tokens::random();
    let file = folder.join(format!("{}.token", &random_id()[..12]));
    let for_tools = TokenFile::write(file.with_extension("tools.token"), &tokens.tools)?;
    let file = TokenFile::write(file, &tokens.person)?;
    let listener = TcpListener::bind(address).await.with_context(|| address.to_string())?;
    let address = listener.local_addr()?;
    output::note(&format!(
        "listening on {address}; the agent's token is in {}",
        file.0.display()
    ));
    output::note(&format!(
        "a tool, which answers no question, takes the token in {}",
        for_tools.0.display()
    ));
    let accepting = async {
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(client(stream, environment.clone(), tokens.clone()));
        }
    };
    tokio::select! {
        ended = accepting => ended,
        () = terminated() => Ok(()),
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}

async fn client(stream: TcpStream, environment: Environment, tokens: Tokens) {
    let (mut reader, writer) = stream.into_split();
    let begun = match tokio::time::timeout(PATIENCE, begin(&mut reader)).await {
        Ok(Ok(Some(begun))) => begun,
        _ => {
            tracing::warn!("a client that does not speak the protocol was closed");
            return;
        }
    };
    let (service, socket, _) = server::service(environment);
    let shared = service.inner().shared();
    shared.state().agent.ask_for(tokens);
    let reader = Cursor::new(begun).chain(reader);
    // The client's process may be on another machine: its number means nothing here.
    pump::serve(reader, writer, service, socket, std::future::pending()).await;
    turns::stop_all(&shared);
}

/// The first bytes; `None` where they are no header.
async fn begin(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut begun = Vec::new();
    for expected in BEGINNING {
        let byte = reader.read_u8().await?;
        begun.push(byte);
        if byte.to_ascii_lowercase() != *expected {
            return Ok(None);
        }
    }
    Ok(Some(begun))
}
