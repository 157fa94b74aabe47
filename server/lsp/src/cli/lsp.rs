//! `skills-ls lsp`: the server on stdin and stdout.

mod listen;

use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use futures_util::FutureExt;
use tokio::io::{AsyncBufReadExt, AsyncWrite, BufReader};
use tokio::task::block_in_place;

#[cfg(unix)]
use crate::attached;
use crate::environment::Environment;
use crate::pump::{self, Ended};
use crate::{server, turns};

/// What the server can be told.
#[derive(Debug, Default, Args)]
pub struct Options {
    /// Use stdin and stdout, as without it; some editors pass this.
    #[arg(long)]
    stdio: bool,
    /// Serve on an address of this machine, such as 127.0.0.1:4389. The agent works for clients only that have a token: the
    /// person's, or the one for tools, whose files are named on stderr.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "stdio")]
    listen: Option<SocketAddr>,
}

/// How many threads run turns and what else is beside the messages, which have one of their own. One a core would be
/// started before the first answer, and what takes long has threads that may block.
const THREADS: usize = 2;

/// How long what runs may take to end once it is dropped.
const DROPPED: Duration = Duration::from_millis(100);

/// Serves until the connection ends.
pub fn run(options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()?;
    if let Some(address) = options.listen {
        let served = runtime.block_on(listen::serve(address));
        runtime.shutdown_timeout(DROPPED);
        return served.map(|()| ExitCode::SUCCESS);
    }
    let stdout = Stdout::open()?;
    let ended = runtime.block_on(async {
        let mut stdin = BufReader::new(tokio::io::stdin());
        // Its thread starts and reads the first message while this one makes the service and opens the door. What it has
        // read by now is kept.
        let _ = stdin.fill_buf().now_or_never();
        let (service, socket, death) = server::service(Environment::of_process());
        let shared = service.inner().shared();
        #[cfg(unix)]
        let _door =
            attached::socket::listen(&shared).inspect_err(|error| tracing::warn!("no terminal can attach: {error}"));
        let abandoned = async {
            tokio::select! {
                () = death.wait() => {}
                () = terminated() => {}
            }
        };
        let ended = pump::serve(stdin, stdout, service, socket, abandoned).await;
        turns::stop_all(&shared);
        ended
    });
    // Turns are dropped, and their child processes end with them.
    runtime.shutdown_timeout(DROPPED);
    // The thread that waits for stdin can't be stopped; nothing else is left to wait for.
    std::process::exit(match ended {
        Ended::Orderly => 0,
        Ended::Abruptly => 1,
    })
}

/// Standard output, written where the bytes are: tokio's own hands each write to another thread and waits for it, which
/// is a good part of the time between a keystroke and its findings.
struct Stdout(File);

impl Stdout {
    /// The file behind it: the standard library would write each frame in two parts, because it thinks in lines.
    fn open() -> io::Result<Self> {
        #[cfg(unix)]
        let file = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
        #[cfg(windows)]
        let file = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
        Ok(Self(file.into()))
    }
}

impl AsyncWrite for Stdout {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // Another thread takes over what else this one would run, as long as the client does not read.
        Poll::Ready(block_in_place(|| self.0.write(bytes)))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Waits until the process is asked to end.
async fn terminated() {
    #[cfg(unix)]
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
            return;
        }
        Err(error) => tracing::warn!("the signal to end can't be waited for: {error}"),
    }
    std::future::pending().await
}
