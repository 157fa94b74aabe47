//! `skills-ls attach`: a terminal joins the session of a running server.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStderr, Stdio};

use serde_json::{Value, json};

use crate::place::Place;
use crate::recording;

/// A server as an editor starts it, with a recorded model; its workspace is not trusted.
fn serve(place: &Place) -> Child {
    fs::write(place.folder.path().join("recording.sse"), recording::edit()).unwrap();
    let mut server = place
        .command(&["lsp"])
        .env("SKILLS_LS_MODEL_PROVIDER", "replay")
        .env("SKILLS_LS_MODEL_NAME", place.folder.path().join("recording.sse"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let uri = format!("file://{}", place.root.display());
    let initialize = json!({"processId": null, "rootUri": uri, "capabilities": {}});
    send(
        &mut server,
        json!({"id": 1, "method": "initialize", "params": initialize}),
    );
    send(&mut server, json!({"method": "initialized", "params": {}}));
    // Its answer says that it serves, and that its door is open.
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("Content-Length"), "{line}");
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    server
}

fn send(server: &mut Child, mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    let body = message.to_string();
    let input = server.stdin.as_mut().unwrap();
    write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    input.flush().unwrap();
}

struct Terminal {
    child: Child,
    notes: BufReader<ChildStderr>,
    seen: String,
}

impl Terminal {
    fn attach(place: &Place) -> Self {
        let command = &mut place.command(&["attach"]);
        let pipes = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        Self {
            notes: BufReader::new(child.stderr.take().unwrap()),
            child,
            seen: String::new(),
        }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// A key that means something at once.
    fn presses(&mut self, key: &str) {
        self.child.stdin.as_mut().unwrap().write_all(key.as_bytes()).unwrap();
    }

    /// Waits until this is said.
    fn sees(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let read = self.notes.read_line(&mut self.seen).unwrap();
            assert_ne!(read, 0, "it ended without {text:?}:\n{}", self.seen);
        }
        self.seen.clear();
    }

    /// The input is over: gives the exit code and what stood on stdout.
    fn ends(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }
}

#[test]
fn a_terminal_says_something_sees_what_happens_and_answers() {
    let place = Place::new(&[("notes.txt", "one\n")]);
    let mut server = serve(&place);
    let mut terminal = Terminal::attach(&place);
    terminal.sees("Esc: stop");
    terminal.types("change it");
    terminal.sees("Trust the folder workspace?");
    terminal.sees("2: Trust this folder");
    // Somebody else sees the same, from the beginning of the turn.
    let mut other = Terminal::attach(&place);
    other.sees("Trust the folder workspace?");
    terminal.types("2");
    terminal.sees("tokens read");
    other.sees("tokens read");
    terminal.types("/help");
    terminal.sees("/bg: lists what runs in the background");
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "two\n");
    let (code, said) = terminal.ends();
    assert_eq!((code, said.trim()), (Some(0), "Shipped."));

    let servers = place.folder.path().join("state/skills-ls/servers");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&servers), 0o700);
    for entry in fs::read_dir(&servers).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    drop(server.stdin.take());
    server.wait().unwrap();
    assert_eq!(fs::read_dir(&servers).unwrap().count(), 0, "it leaves nothing behind");
    other.sees("the session is closed");
}

#[test]
fn what_was_changed_is_listed_and_taken_back_or_kept() {
    const CTRL_R: &str = "\u{12}";
    for (decision, outcome, text) in [
        ("undo notes.txt", "took back 1 of the changes", "one\n"),
        ("keep all", "kept 1 of the changes", "two\n"),
    ] {
        let place = Place::new(&[("notes.txt", "one\n")]);
        let mut server = serve(&place);
        let mut terminal = Terminal::attach(&place);
        terminal.sees("Ctrl+R: keep or undo changes");
        terminal.presses(CTRL_R);
        terminal.sees("the agent changed nothing that you have not decided about");
        terminal.types("change it");
        terminal.sees("2: Trust this folder");
        terminal.types("2");
        terminal.sees("tokens read");
        terminal.presses(CTRL_R);
        terminal.sees("notes.txt (turn ");
        for line in ["1: line 1", "- one", "+ two", "keep or undo, then numbers"] {
            terminal.sees(line);
        }
        terminal.types("2");
        terminal.sees("2 says neither keep nor undo");
        terminal.types("");
        terminal.sees("left as it is");
        assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "two\n");
        terminal.presses(CTRL_R);
        terminal.types(decision);
        terminal.sees(outcome);
        assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), text);
        terminal.presses(CTRL_R);
        terminal.sees("the agent changed nothing that you have not decided about");
        drop(server.stdin.take());
        server.wait().unwrap();
    }
}

#[test]
fn where_nothing_can_be_taken_back_it_says_so_and_why() {
    let place = Place::new(&[("notes.txt", "one\n")]);
    let mut server = serve(&place);
    let mut terminal = Terminal::attach(&place);
    terminal.types("change it");
    terminal.sees("2: Trust this folder");
    terminal.types("2");
    terminal.sees("tokens read");
    fs::write(place.root.join("notes.txt"), "mine\n").unwrap();
    terminal.presses("\u{12}");
    terminal.sees("keep or undo, then numbers");
    terminal.types("undo all");
    terminal.sees("nothing was taken back: the lines were changed since");
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "mine\n");
    drop(server.stdin.take());
    server.wait().unwrap();
}

#[test]
fn it_says_that_a_turn_was_stopped_elsewhere() {
    let place = Place::new(&[("notes.txt", "one\n")]);
    let mut server = serve(&place);
    let mut terminal = Terminal::attach(&place);
    terminal.types("change it");
    terminal.sees("2: Trust this folder");
    let cancel = json!({"command": "skills.server.cancel", "arguments": []});
    send(
        &mut server,
        json!({"id": 2, "method": "workspace/executeCommand", "params": cancel}),
    );
    terminal.sees("note: stopped");
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "one\n");
    drop(server.stdin.take());
    server.wait().unwrap();
}

#[test]
fn it_opens_with_the_skills_and_the_model() {
    let place = Place::new(&[]);
    let mut server = serve(&place);
    // The server finds them in its own time.
    let lists_them = (0..200).any(|_| {
        let mut terminal = Terminal::attach(&place);
        let mut greeting = String::new();
        while !greeting.contains("Esc: stop") {
            assert_ne!(terminal.notes.read_line(&mut greeting).unwrap(), 0, "{greeting}");
        }
        terminal.ends();
        assert!(
            greeting.contains("note: model: replay (recorded, no model)\n"),
            "{greeting}"
        );
        greeting.contains("note: debug: Finds the cause of a bug")
    });
    assert!(lists_them);
    drop(server.stdin.take());
    server.wait().unwrap();
}

#[test]
fn without_a_server_or_its_token_nothing_is_joined() {
    let place = Place::new(&[]);
    let ran = place.run(&["attach"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no server of yours is running"), "{ran:?}");

    let mut server = serve(&place);
    let ran = place.run(&["attach", "another"]);
    assert!(ran.err.contains("session another is not open"), "{ran:?}");
    let servers = place.folder.path().join("state/skills-ls/servers");
    let files = fs::read_dir(&servers).unwrap().map(|entry| entry.unwrap().path());
    let door = files
        .into_iter()
        .find(|path| {
            path.to_str()
                .is_some_and(|path| path.ends_with(".json") && !path.ends_with(".tools.json"))
        })
        .unwrap();
    let for_tools: Value = serde_json::from_slice(&fs::read(door.with_extension("tools.json")).unwrap()).unwrap();
    let mut text: Value = serde_json::from_slice(&fs::read(&door).unwrap()).unwrap();
    assert_eq!(text["socket"], for_tools["socket"]);
    assert_ne!(text["token"], for_tools["token"]);
    text["token"] = json!("0".repeat(32));
    fs::write(&door, text.to_string()).unwrap();
    let ran = place.run(&["attach"]);
    assert!(ran.err.contains("the token is not that of this server"), "{ran:?}");
    server.kill().unwrap();
    server.wait().unwrap();

    // One that was killed leaves its files; the next terminal takes them away.
    assert_eq!(fs::read_dir(&servers).unwrap().count(), 3);
    assert!(place.run(&["attach"]).err.contains("no server of yours"));
    assert_eq!(fs::read_dir(&servers).unwrap().count(), 0);
}

#[test]
fn a_folder_for_sockets_that_leads_elsewhere_is_not_used() {
    let place = Place::new(&[]);
    let state = place.folder.path().join("state/skills-ls");
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir_all(&state).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join("servers")).unwrap();
    let mut server = serve(&place);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    let ran = place.run(&["attach"]);
    assert!(ran.err.contains("no server of yours is running"), "{ran:?}");
    server.kill().unwrap();
    server.wait().unwrap();
}
