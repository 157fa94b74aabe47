//! What holds for every session of an editor, whatever it sends: bytes become framed messages, the real service answers
//! behind the real pump in memory, and nothing that it says may be untrue of the texts that it was given.
//!
//! The idea is that of LSPFuzz (Zhu and others, 2025): whole sessions, not single texts.

mod model;
mod script;
mod seen;
mod truth;

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::{Value, json};
use skills_agent::process::launcher::Launcher;
use skills_ls::{
    analysis::Analysis,
    environment::Environment,
    framing::{Decoder, Frame, encode},
    pump, server,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex, split},
    runtime::Runtime,
};

use seen::Seen;

/// What the last request is called: when it is answered, all before it must be.
const LAST: &str = "last";
/// Who says nothing for so long says nothing more; no time passes while something is done.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the session that the bytes stand for, of an editor that never says `initialized`: what needs threads and the disk
/// does not start, so that thousands of sessions fit into a second.
///
/// - No handler panics.
/// - Each request has one answer.
/// - All positions lie inside of the texts, on characters, in the encoding that was agreed on.
/// - What is known of a text after its changes is what a fresh look at it says.
/// - Nothing of a session outlives it.
pub fn session(data: &[u8]) {
    play(&script::stream(data, uri_of_root(), false));
}

/// The same with `initialized`: skills are looked for, and what lies around the files, also after the last request.
pub fn started(data: &[u8]) {
    play(&script::stream(data, uri_of_root(), true));
}

fn play(stream: &[u8]) {
    thread_local!(static RUNTIME: Runtime = runtime());
    RUNTIME.with(|runtime| runtime.block_on(run(stream)));
}

/// Its clock stands still while something is done, and jumps ahead where all wait: what is never answered is known at
/// once.
fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build();
    runtime.expect("a runtime starts")
}

/// A folder of its own for all sessions of this process: nothing is in it, and nothing outside of it is looked at.
fn root() -> &'static Path {
    static ROOT: OnceLock<tempfile::TempDir> = OnceLock::new();
    ROOT.get_or_init(|| tempfile::tempdir().expect("there is room for a folder"))
        .path()
}

fn uri_of_root() -> &'static str {
    static URI: OnceLock<String> = OnceLock::new();
    URI.get_or_init(|| {
        let root = root().canonicalize().expect("the folder is there").join("workspace");
        let uri = skills_ls::headless::file_uri(&root).expect("a folder has a URI");
        uri.as_str().to_owned()
    })
}

async fn run(stream: &[u8]) {
    let Some((stream, seen)) = in_step(stream) else { return };
    let environment = Environment::new(root().join("home"), root().join("state"), [], Launcher::default());
    let (client, server) = duplex(1 << 20);
    let (service, socket, death) = server::service(environment);
    let shared = service.inner().shared();
    let served = tokio::spawn(async move {
        let (reader, writer) = split(server);
        pump::serve(reader, writer, service, socket, death.wait()).await
    });
    let (mut reader, mut writer) = split(client);
    let writing = tokio::spawn(async move {
        // A server that ends takes no more; the answers say whether it should have.
        let _ = writer.write_all(&stream).await;
        writer
    });
    let (mut decoder, mut chunk) = (Decoder::default(), vec![0; 64 << 10]);
    let mut heard = Vec::new();
    let mut open: BTreeSet<&str> = seen.requests.keys().map(String::as_str).chain([LAST]).collect();
    while let Ok(count) = tokio::time::timeout(PATIENCE, reader.read(&mut chunk)).await {
        let count = count.expect("memory can be read");
        assert!(count > 0, "the server ended and owes answers: {open:?}");
        decoder.feed(&chunk[..count]);
        while let Some(frame) = decoder.next_frame() {
            let Frame::Body(body) = frame else {
                panic!("the server frames its messages badly")
            };
            let message: Value = serde_json::from_slice(&body).expect("the server writes JSON");
            if let Some(id) = message["id"].as_str().filter(|_| message.get("method").is_none()) {
                open.remove(id);
            }
            heard.push(message);
        }
    }
    assert!(open.is_empty(), "never answered: {open:?}");

    truth::check(&seen, &heard);
    for (uri, text) in &*seen.texts {
        let uri = uri.parse().expect("our own URI");
        let state = shared.state();
        let document = state.documents.get(&uri).expect("what is open is known");
        assert_eq!(**document.text(), ***text, "the text is another than the editor's");
        // The sort of a file decides whether it is looked at, and one without a name is none.
        if let Some(analysis) = document.analysis.as_deref().filter(|_| document.kind().is_some()) {
            let fresh = Analysis::of((&***text).into(), &document.slash_path());
            assert_eq!(
                analysis.findings, fresh.findings,
                "it is seen otherwise than afresh: {text:?}"
            );
        }
    }
    let mut writer = writing.await.expect("nothing fails in memory");
    let exit = encode(json!({"jsonrpc": "2.0", "method": "exit"}).to_string().as_bytes());
    let _ = writer.write_all(&exit).await;
    // Nobody reads any more what is still said.
    drop(reader);
    let ended = tokio::time::timeout(PATIENCE, served).await;
    let ended = ended.expect("it ends").expect("the pump does not panic");
    assert_eq!(ended, pump::Ended::Orderly);
    let rest = Arc::downgrade(&shared);
    drop(shared);
    // Threads may still be at it.
    let is_gone = async {
        while rest.strong_count() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, is_gone).await;
    assert!(in_time.is_ok(), "the session is over and its state still there");
}

/// The stream with the last request behind it, and so much between the two that a reader of frames is in step again; and
/// what stands in its frames. A broken frame may take the next one with it. `None` where a length swallows it all.
fn in_step(stream: &[u8]) -> Option<(Vec<u8>, Seen)> {
    let last = json!({"jsonrpc": "2.0", "id": LAST, "method": "shutdown"}).to_string();
    [0, 2, 64, 4 << 10, 64 << 10].into_iter().find_map(|blanks| {
        let mut all = stream.to_vec();
        all.extend(std::iter::repeat_n(b'\n', blanks));
        all.extend(encode(last.as_bytes()));
        let mut decoder = Decoder::default();
        decoder.feed(&all);
        let (mut seen, mut is_in_step) = (Seen::default(), false);
        while let Some(frame) = decoder.next_frame() {
            let Frame::Body(body) = frame else {
                if frame == Frame::TooLong {
                    return None;
                }
                continue;
            };
            let Ok(message) = serde_json::from_slice::<Value>(&body) else {
                continue;
            };
            // What ends the session before its time.
            if message["method"] == "exit" {
                return None;
            }
            is_in_step = message["id"] == LAST;
            seen.take(&message);
        }
        is_in_step.then_some((all, seen))
    })
}
