//! `skills-ls lsp --listen`: for clients that reach the server by an address of this machine.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;
use crate::recording;

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: &str, place: &Place, token: Value) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // Far longer than any answer takes on a slow machine.
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut client = Self(BufReader::new(stream));
        let uri = format!("file://{}", place.root.display());
        let options = json!({"token": token, "trust": {"workspace": true}});
        let params =
            json!({"processId": 4_000_000, "rootUri": uri, "capabilities": {}, "initializationOptions": options});
        client.request("initialize", params);
        client
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.0.get_mut(), "content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.0.read_line(&mut header).unwrap();
        let length = header.trim().rsplit(' ').next().unwrap().parse().unwrap();
        self.0.read_line(&mut String::new()).unwrap();
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == 1 && message["method"].is_null() {
                return message;
            }
        }
    }

    /// The next message of this method that has this in it.
    fn until(&mut self, method: &str, text: &str) -> String {
        loop {
            let message = self.receive();
            if message["method"] == method && message.to_string().contains(text) {
                return message.to_string();
            }
        }
    }

    fn execute(&mut self, command: &str, arguments: Value) -> Value {
        self.request(
            "workspace/executeCommand",
            json!({"command": command, "arguments": arguments}),
        )
    }
}

#[test]
fn the_agent_works_for_who_has_the_token_and_a_browser_gets_nothing() {
    let place = Place::new(&[("notes.txt", "one\n")]);
    fs::write(place.folder.path().join("recording.sse"), recording::edit()).unwrap();
    let mut server = place
        .command(&["lsp", "--listen", "127.0.0.1:0"])
        .env("SKILLS_LS_MODEL_PROVIDER", "replay")
        .env("SKILLS_LS_MODEL_NAME", place.folder.path().join("recording.sse"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut line, mut for_tools) = (String::new(), String::new());
    let mut notes = BufReader::new(server.stderr.take().unwrap());
    notes.read_line(&mut line).unwrap();
    notes.read_line(&mut for_tools).unwrap();
    let address = line.split(['n', ';']).find(|it| it.contains("127.0.0.1")).unwrap();
    let address = address.rsplit(' ').next().unwrap().to_owned();
    let file = line.trim().rsplit(' ').next().unwrap().to_owned();
    let token = fs::read_to_string(&file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let mut browser = TcpStream::connect(&address).unwrap();
    // It may be closed before all is written.
    let _ = browser.write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    let mut answer = Vec::new();
    let _ = browser.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{answer:?}");

    for wrong in [json!(null), json!("guess"), json!("")] {
        let mut client = Client::connect(&address, &place, wrong);
        for (command, arguments) in [
            ("skills.server.ask", json!(["go"])),
            ("skills.server.sessions", json!([])),
            ("skills.server.trust", json!([place.root, true])),
        ] {
            let refused = client.execute(command, arguments);
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.contains("initializationOptions.token"), "{refused}");
        }
        for method in ["skills/session/list", "skills/session/new", "skills/models/list"] {
            let refused = client.request(method, json!({}));
            assert!(
                refused["error"]["message"].as_str().unwrap().contains("agent is off"),
                "{refused}"
            );
        }
    }
    let for_tools = for_tools.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(fs::metadata(&for_tools).unwrap().permissions().mode() & 0o777, 0o600);
    assert_ne!(fs::read_to_string(&for_tools).unwrap(), token);
    let mut tool = Client::connect(&address, &place, json!(fs::read_to_string(&for_tools).unwrap()));
    let begun = tool.request("skills/session/new", json!({}));
    let session = begun["result"]["sessionId"].as_str().unwrap().to_owned();
    for (method, params) in [
        (
            "skills/session/setConfigOption",
            json!({"sessionId": session, "configId": "mode", "value": "acceptEdits"}),
        ),
        ("skills/session/delete", json!({"sessionId": session})),
        ("skills/edit/resolve", json!({"changeId": 1, "action": "keep"})),
        (
            "workspace/executeCommand",
            json!({"command": "skills.server.trust", "arguments": [place.root, true]}),
        ),
        (
            "workspace/executeCommand",
            json!({"command": "skills.server.answer", "arguments": ["x", "trust"]}),
        ),
    ] {
        let refused = tool.request(method, params);
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("is the person's alone"), "{refused}");
    }
    // Neither does what it says of trust count, nor a second token.
    let folder = json!([{"folderUri": format!("file://{}", place.root.display()), "trusted": true}]);
    tool.notify("skills/workspace/didChangeTrust", json!({"items": folder}));
    let settings = json!({"skills": {"trust": {"workspace": true}}});
    tool.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let again = json!({"processId": null, "capabilities": {}, "initializationOptions": {"token": token}});
    assert!(tool.request("initialize", again)["error"].is_object());
    tool.execute("skills.server.ask", json!(["change it"]));
    let told = tool.until("window/showMessage", "with the token for tools");
    assert!(told.contains("Trust the folder"), "nobody can answer: {told}");
    assert_eq!(fs::read_to_string(place.root.join("notes.txt")).unwrap(), "one\n");

    let mut client = Client::connect(&address, &place, json!(token));
    let begun = client.request("skills/session/new", json!({}));
    assert!(begun["result"]["sessionId"].is_string(), "{begun}");

    // Asked to end, it takes its token with it.
    let id = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert!(server.wait().unwrap().success());
    assert!(!std::path::Path::new(&file).exists());
    assert!(!std::path::Path::new(&for_tools).exists());
}

#[test]
fn only_addresses_of_this_machine_are_served() {
    let place = Place::new(&[]);
    for address in ["0.0.0.0:0", "192.0.2.1:4389", "[::]:0"] {
        let ran = place.run(&["lsp", "--listen", address]);
        assert_eq!(ran.code, 2, "{address}");
        assert!(ran.err.contains("is no address of this machine alone"), "{ran:?}");
    }
}
