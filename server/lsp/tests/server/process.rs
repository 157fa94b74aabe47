//! How the process ends, and what it leaves behind: nothing.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A server whose turn waits for the key's command, and the pipe that the command holds open while it lives.
fn waiting_for_a_key() -> (Child, File, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut server = Command::new(env!("CARGO_BIN_EXE_skills-ls"))
        .env("HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let uri = format!("file://{}", folder.path().display());
    let command = format!("sh -c 'exec sleep 600 > {}'", pipe.display());
    let options = json!({"model": {
        "provider": "anthropic", "name": "m", "baseUrl": "http://127.0.0.1:9", "apiKeyCommand": command,
    }});
    let initialize = json!({"processId": null, "rootUri": uri, "capabilities": {}, "initializationOptions": options});
    send(
        &mut server,
        json!({"id": 1, "method": "initialize", "params": initialize}),
    );
    send(&mut server, json!({"method": "initialized", "params": {}}));
    let ask = json!({"command": "skills.server.ask", "arguments": ["go"]});
    send(
        &mut server,
        json!({"id": 2, "method": "workspace/executeCommand", "params": ask}),
    );
    // Opens once the command has opened its end.
    (server, File::open(&pipe).unwrap(), folder)
}

fn send(server: &mut Child, mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    let body = message.to_string();
    let input = server.stdin.as_mut().unwrap();
    write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    input.flush().unwrap();
}

#[test]
fn however_it_ends_its_child_processes_end_with_it() {
    type End = fn(&mut Child);
    let ends: [(&str, End); 4] = [
        ("end of input", |server| drop(server.stdin.take())),
        ("exit", |server| send(server, json!({"method": "exit"}))),
        ("a signal", |server| {
            let pid = server.id().to_string();
            assert!(Command::new("kill").arg(pid).status().unwrap().success());
        }),
        ("nobody reads", |server| {
            drop(server.stdout.take());
            send(server, json!({"id": 3, "method": "nothing"}));
        }),
    ];
    for (what, end) in ends {
        let (mut server, mut pipe, _folder) = waiting_for_a_key();
        end(&mut server);
        assert_eq!(server.wait().unwrap().code(), Some(1), "{what}");
        // The end of the pipe comes when its last writer is gone.
        pipe.read_to_end(&mut Vec::new()).unwrap();
    }
}

fn skills_ls(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_skills-ls"))
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder.join("home"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What can stand where a skill is looked for.
fn strange_folder() -> TempDir {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let skill = |name: &[u8]| {
        let path = folder
            .path()
            .join(".claude/skills")
            .join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(&path).unwrap();
        path.join("SKILL.md")
    };
    std::fs::create_dir(skill(b"folder")).unwrap();
    assert!(Command::new("mkfifo").arg(skill(b"pipe")).status().unwrap().success());
    symlink("/dev/zero", skill(b"device")).unwrap();
    symlink("SKILL.md", skill(b"loop")).unwrap();
    File::create(skill(b"huge")).unwrap().set_len(5 << 30).unwrap();
    let hostile = "---\nname: \u{1b}[2J\u{202e}\n\u{1b}]52;c;aGk=\u{7}: 1\n---\n";
    for name in [b"\xff".as_slice(), b"\x1b[31m\ne\xe2\x80\xaevil"] {
        std::fs::write(skill(name), hostile).unwrap();
    }
    folder
}

/// For machines it is JSON; for people it moves no cursor and turns no text around.
fn is_harmless(out: &str) {
    if out.starts_with('{') {
        serde_json::from_str::<Value>(out).unwrap();
    } else {
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{out:?}");
    }
}

#[test]
fn whatever_stands_there_the_rest_is_checked_and_listed() {
    let folder = strange_folder();
    for arguments in [&["check"][..], &["check", "--json"]] {
        let (code, out, err) = skills_ls(folder.path(), arguments);
        assert_eq!(code, Some(2), "{err}");
        assert_eq!(err.lines().count(), 4, "{err}");
        for (name, problem) in [
            ("pipe", "no regular file"),
            ("device", "no regular file"),
            ("loop", "symbolic links"),
            ("huge", "longer than"),
        ] {
            let told = err.lines().find(|line| line.contains(&format!("/{name}/SKILL.md")));
            assert!(told.is_some_and(|line| line.contains(problem)), "{name}: {err}");
        }
        assert!(out.contains("missing-description"), "{out}");
        is_harmless(&out);
    }
    for arguments in [&["list"][..], &["list", "--json"]] {
        let (code, out, err) = skills_ls(folder.path(), arguments);
        assert_eq!(code, Some(0), "{err}");
        is_harmless(&out);
    }
}
