//! The socket of a running server, and the file that leads to it: for the person alone.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use skills_agent::event::random_id;
use tokio::net::UnixListener;

use super::converse;
use crate::authority::Tokens;
use crate::environment::{create_private, write_private};
use crate::state::Shared;

/// How a terminal reaches a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Door {
    /// The socket.
    pub socket: PathBuf,
    /// What the terminal must say.
    pub token: String,
}

/// An open socket; dropped, it is gone with its files.
#[derive(Debug)]
pub struct Listening {
    files: [PathBuf; 3],
}

/// How the file with the tools' token ends; the person's ends in `.json` alone.
const FOR_TOOLS: &str = "tools.json";

impl Drop for Listening {
    fn drop(&mut self) {
        for file in &self.files {
            // The next server takes away what can't be removed now.
            let _ = fs::remove_file(file);
        }
    }
}

/// Where the doors of a person's servers are.
fn folder(state: &Path) -> PathBuf {
    state.join("servers")
}

/// Opens this process's socket. Called in a runtime.
///
/// # Errors
/// Where the state folder can't be written to, or leads elsewhere.
pub fn listen(shared: &Arc<Shared>) -> io::Result<Listening> {
    let state = shared.environment.state_folder().map_err(io::Error::other)?;
    let folder = folder(state);
    // Nobody else can enter the folder, so nobody is quick enough to reach the socket before its mode is set.
    create_private(&folder)?;
    if !fs::symlink_metadata(&folder)?.is_dir() {
        let folder = folder.display();
        return Err(io::Error::other(format!("{folder} is no folder of its own; remove it")));
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
    let id = random_id();
    let name = &id[..12];
    let (socket, file) = (folder.join(format!("{name}.sock")), folder.join(format!("{name}.json")));
    let for_tools = file.with_extension(FOR_TOOLS);
    let listening = Listening {
        files: [socket.clone(), file.clone(), for_tools.clone()],
    };
    let listener = UnixListener::bind(&socket)?;
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600))?;
    let tokens = Tokens::random();
    for (file, token) in [(&for_tools, &tokens.tools), (&file, &tokens.person)] {
        let door = Door {
            socket: socket.clone(),
            token: token.clone(),
        };
        write_private(file, serde_json::to_string(&door)?.as_bytes())?;
    }
    let shared = Arc::downgrade(shared);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Some(shared) = shared.upgrade() else { return };
            let tokens = tokens.clone();
            tokio::spawn(async move {
                if let Err(error) = converse(&shared, stream, &tokens).await {
                    tracing::debug!("a terminal went away: {error}");
                }
            });
        }
    });
    Ok(listening)
}

/// The person's doors to all of their servers, the newest first. Some may lead nowhere: [`forget`] them.
pub fn doors(state: &Path) -> Vec<(PathBuf, Door)> {
    let entries = fs::read_dir(folder(state)).into_iter().flatten().flatten();
    let mut doors: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_name()?.to_str()?;
            let is_persons = name.ends_with(".json") && !name.ends_with(FOR_TOOLS);
            let text = is_persons.then(|| fs::read(&path).ok())??;
            let door: Door = serde_json::from_slice(&text).ok()?;
            let made = entry.metadata().and_then(|metadata| metadata.modified()).ok()?;
            Some((made, path, door))
        })
        .collect();
    doors.sort_by_key(|(made, ..)| std::cmp::Reverse(*made));
    doors.into_iter().map(|(_, path, door)| (path, door)).collect()
}

/// Takes away the files of a server that is gone.
pub fn forget(file: &Path, door: &Door) {
    for file in [file, &file.with_extension(FOR_TOOLS), &door.socket] {
        // Whoever comes next tries again.
        let _ = fs::remove_file(file);
    }
}
