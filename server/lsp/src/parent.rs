//! Ends the server when the process that started it is gone: editors that crash close no connection on some systems.

use std::future::pending;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use tokio::sync::watch;

/// How often the parent is looked for.
const INTERVAL: Duration = Duration::from_secs(1);

/// Takes the process identifier once the client has told it.
#[derive(Debug)]
pub struct Watch(watch::Sender<Option<Pid>>);

/// Completes when the process is gone.
#[derive(Debug)]
pub struct Death(watch::Receiver<Option<Pid>>);

/// The two ends.
pub fn watch() -> (Watch, Death) {
    let (sender, receiver) = watch::channel(None);
    (Watch(sender), Death(receiver))
}

impl Watch {
    /// Watches a process. One that can't be seen from here, such as one outside this container, is not watched.
    pub fn watch(&self, process: Option<u32>) {
        let pid = process.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        self.0.send_replace(pid.filter(|pid| is_alive(*pid)));
    }
}

impl Death {
    /// Waits until the watched process is gone; for ever where none is watched.
    pub async fn wait(mut self) {
        loop {
            let watched = *self.0.borrow_and_update();
            match watched {
                Some(pid) if !is_alive(pid) => return,
                Some(_) => tokio::time::sleep(INTERVAL).await,
                None => {
                    if self.0.changed().await.is_err() {
                        pending::<()>().await;
                    }
                }
            }
        }
    }
}

/// A process that may not be signalled is alive too.
fn is_alive(pid: Pid) -> bool {
    !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}
