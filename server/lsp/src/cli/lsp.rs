//! `skills-ls lsp`: the server on stdin and stdout.

use std::process::ExitCode;

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

/// Serves until the connection ends.
pub fn run(_options: &Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let (service, socket, death) = server::service(Environment::of_process());
        let shared = service.inner().shared();
        let ended = pump::serve(tokio::io::stdin(), tokio::io::stdout(), service, socket, death.wait()).await;
        turns::stop_all(&shared);
        ended
    });
    // The thread that waits for stdin can't be stopped; nothing else is left to wait for.
    std::process::exit(match ended {
        Ended::Orderly => 0,
        Ended::Abruptly => 1,
    })
}
