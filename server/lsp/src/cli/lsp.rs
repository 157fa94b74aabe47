//! `skills-ls lsp`: the server on stdin and stdout.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::environment::Environment;
use crate::pump::{self, Ended};
use crate::{server, turns};

/// What the server can be told.
#[derive(Debug, Default, Args)]
pub struct Options {
    /// Use stdin and stdout; there is no other way yet, and some editors pass this.
    #[arg(long)]
    stdio: bool,
}

/// How long what runs may take to end once it is dropped.
const DROPPED: Duration = Duration::from_millis(100);

/// Serves until the connection ends.
pub fn run(_options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let (service, socket, death) = server::service(Environment::of_process());
        let shared = service.inner().shared();
        let abandoned = async {
            tokio::select! {
                () = death.wait() => {}
                () = terminated() => {}
            }
        };
        let ended = pump::serve(tokio::io::stdin(), tokio::io::stdout(), service, socket, abandoned).await;
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
