//! Nothing that a command starts outlives it, whatever ends first, and no command ends the server.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use skills_tests::process::{self, Machine, Place, Served};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::{KEY, allowing, place, side_by_side};

/// Ways to start what is to stay: each runs `sh stay`.
const DAEMONS: &[(&str, &str)] = &[
    ("in the background", "sh stay &"),
    ("without hanging up", "nohup sh stay > /dev/null 2>&1 &"),
    (
        "in a session of its own",
        "setsid sh stay > /dev/null 2>&1 < /dev/null &",
    ),
    ("forked by setsid", "setsid -f sh stay > /dev/null 2>&1 < /dev/null"),
    ("as a daemon", DAEMON),
    (
        "deaf to signals",
        "(trap '' HUP INT TERM; setsid sh stay > /dev/null 2>&1) &",
    ),
    (
        "in namespaces of its own",
        "setsid unshare -Urpf sh stay > /dev/null 2>&1 || setsid -f sh stay > /dev/null 2>&1 &",
    ),
];

/// Forks twice, with a session of its own between, and closes all that it was given.
const DAEMON: &str =
    r#"perl -MPOSIX -e 'fork and exit; setsid(); fork and exit; POSIX::close($_) for 0..63; exec "sh", "stay"'"#;

/// Says that it is there, and holds the pipe for as long as it is.
const STAY: &str = "exec 8> pipe\necho up >&8\ntouch up\nexec sleep 600\n";

/// What ends while the daemon stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The command, by itself.
    Command,
    /// The command, because the turn is stopped.
    Turn,
    /// The server, in order.
    Server,
    /// The server, killed.
    Kill,
}

/// Far longer than a process takes to die, far shorter than the daemon stays.
const PATIENCE: Duration = Duration::from_secs(120);

/// The reading end of the pipe that a daemon holds, and a writing end that keeps it open until then.
struct Pipe {
    read: pipe::Receiver,
    held: pipe::Sender,
}

impl Pipe {
    fn new(place: &Place) -> Result<Self> {
        let path = place.root.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status()?;
        anyhow::ensure!(made.success(), "no pipe");
        place.own(&path)?;
        let read = pipe::OpenOptions::new().open_receiver(&path)?;
        let held = pipe::OpenOptions::new().open_sender(&path)?;
        Ok(Self { read, held })
    }

    /// Waits until the daemon is there.
    async fn is_up(&mut self) -> Result<()> {
        let mut word = [0; 3];
        tokio::time::timeout(PATIENCE, self.read.read_exact(&mut word))
            .await
            .context("nothing came up")??;
        Ok(())
    }

    /// Whether the daemon is gone, for which it has some time.
    async fn goes(mut self) -> bool {
        drop(self.held);
        let mut rest = Vec::new();
        let end = tokio::time::timeout(PATIENCE, self.read.read_to_end(&mut rest)).await;
        matches!(end, Ok(Ok(_)))
    }
}

/// Starts a daemon and ends something; gives whether the daemon is gone then.
async fn ends(machine: Machine, daemon: &str, end: End) -> Result<bool> {
    let place = place(machine)?;
    // It stays until the daemon is up, and for good where something else ends it.
    let then = if end == End::Command {
        "exit 0"
    } else {
        "exec sleep 600"
    };
    let start = format!("{daemon}\nwhile [ ! -e up ]; do sleep 0.01; done\n{then}\n");
    place.fill(&[("start", &start), ("stay", STAY)])?;
    let mut pipe = Pipe::new(&place)?;
    let mut served = Served::start(&place, None, allowing(&["Bash(sh start)"]), &[KEY], process::no).await?;
    let request = served.says("go").await?;
    let background = matches!(end, End::Server | End::Kill);
    let input = json!({"argv": ["sh", "start"], "timeout_ms": 60_000, "background": background});
    served.calls(&request, "run_shell", &input).await?;
    let up = pipe.is_up().await;
    if up.is_err() {
        let told = served.asked().await.and_then(|request| process::result(&request));
        anyhow::bail!("it did not start: {told:?}");
    }
    match end {
        End::Command => drop(served.asked().await?),
        End::Turn => {
            let cancel = json!({"command": "skills.server.cancel", "arguments": []});
            served.editor.request("workspace/executeCommand", cancel).await?;
        }
        End::Server => {
            served.asked().await?;
            served.editor.shut_down().await?;
            served.server.wait().await?;
        }
        End::Kill => {
            served.asked().await?;
            served.server.kill().await?;
        }
    }
    Ok(pipe.goes().await)
}

/// What stays on a machine: every daemon where it lacks nothing, elsewhere the hardest.
async fn stays(machine: Machine) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    for (name, daemon) in DAEMONS
        .iter()
        .filter(|(_, daemon)| machine.is_whole() || *daemon == DAEMON)
    {
        for end in [End::Command, End::Turn, End::Server, End::Kill] {
            let is_gone = ends(machine, daemon, end).await;
            if !is_gone.with_context(|| format!("{}: {name}, {end:?}", machine.name()))? {
                failed.push(format!(
                    "{}: what is started {name} stays after {end:?}",
                    machine.name()
                ));
            }
        }
    }
    Ok(failed)
}

#[test]
fn what_a_command_starts_ends_with_it_whatever_ends_it() {
    let failed = side_by_side(Machine::all(), stays);
    assert!(failed.is_empty(), "{} stay:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test]
async fn no_command_ends_the_server() {
    for machine in Machine::all() {
        // Without both nothing is kept from commands: doctor says so.
        if !machine.has("landlock") && !machine.has("mounts") {
            continue;
        }
        let place = place(machine).unwrap();
        let options = allowing(&["Bash(sh attack)"]);
        place.fill(&[]).unwrap();
        let mut served = Served::start(&place, None, options, &[KEY], process::no).await.unwrap();
        let attack = format!("kill -9 {0}; kill -9 -{0}; kill -9 $PPID; kill -9 0\n", served.id());
        place.fill(&[("attack", &attack)]).unwrap();
        let call = json!({"argv": ["sh", "attack"], "timeout_ms": 60_000});
        let told = served.obeys("go", &[("run_shell", call)]).await;
        assert!(told.is_ok(), "{}: the server ended: {told:?}", machine.name());
    }
}
