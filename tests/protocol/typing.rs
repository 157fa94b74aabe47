//! A person types while the agent edits, in models of editors with what each does wrong: no typed character is
//! lost, and the agent knows what happened to each of its edits.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ropey::Rope;
use serde_json::{Value, json};
use skills_agent::changes::undo::undo_all;
use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::event::TurnId;
use skills_agent::host::{Applied, ApplyError, Intent, Replacement};
use skills_agent::workspace::Workspace;
use skills_ls::edits;
use skills_ls::headless::file_uri;
use skills_ls::position::Encoding;
use skills_ls::state::Shared;
use skills_tests::Session;
use tower_lsp::ls_types::TextEdit;

const FILE: &str = "notes.txt";
const WORDS: usize = 8;
/// For each editor.
const RUNS: u64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Opens at version 0, jumps over versions, tells of changes up to 150 ms late, takes version 0 for any version,
    /// and answers "applied" to an edit that it skips as too old.
    Neovim,
    /// Refuses what is too old; now and then says "applied" and drops the edit.
    Helix,
    /// Refuses what is too old without a reason, and tells of the change after it answered.
    VsCode,
    /// Refuses what is too old, and tells of an edit and of what was typed after it in one change, as one whole text.
    Late,
}

const KINDS: [Kind; 4] = [Kind::Neovim, Kind::Helix, Kind::VsCode, Kind::Late];

/// Numbers that look random and are the same in every run of a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// One buffer of the model of an editor.
struct Buffer {
    kind: Kind,
    text: Rope,
    version: i32,
    /// Whether the text is one that the server was not told of.
    untold: bool,
    /// The server's edits that were not looked at yet.
    edits: VecDeque<Value>,
    /// What was typed and not deleted by the person since.
    typed: BTreeSet<char>,
    /// The agent's words that the person typed into or deleted.
    disturbed: HashSet<String>,
}

impl Buffer {
    /// The person inserts a character that occurs nowhere else, or deletes a few.
    fn type_something(&mut self, chance: &mut Chance, next: &mut u32, words: &[String]) {
        let before = self.text.to_string();
        let present = words.iter().find_map(|word| before.find(word.as_str()));
        let at = match present {
            // Close to what the agent wrote: in its line and in the ones beside it.
            Some(word) if self.kind == Kind::Late => {
                let around = (self.text.byte_to_char(word) + chance.below(30)).saturating_sub(12);
                around.min(self.text.len_chars())
            }
            _ => chance.below(self.text.len_chars() + 1),
        };
        if chance.below(4) == 0 {
            let end = (at + 1 + chance.below(4)).min(self.text.len_chars());
            for gone in self.text.slice(at..end).chars() {
                self.typed.remove(&gone);
            }
            self.text.remove(at..end);
        } else {
            let typed = char::from_u32(*next).unwrap();
            *next += 1;
            self.typed.insert(typed);
            let line_end = if chance.below(5) == 0 { "\n" } else { "" };
            self.text.insert(at, &format!("{typed}{line_end}"));
        }
        let after = self.text.to_string();
        let hit = words
            .iter()
            .filter(|word| before.contains(*word) && !after.contains(*word));
        self.disturbed.extend(hit.cloned());
        self.changed(chance);
    }

    fn changed(&mut self, chance: &mut Chance) {
        let jump = match self.kind {
            Kind::Neovim => 1 + i32::try_from(chance.below(4)).unwrap(),
            Kind::Helix | Kind::VsCode | Kind::Late => 1,
        };
        self.version += jump;
        self.untold = true;
    }

    async fn tell(&mut self, session: &mut Session) {
        if std::mem::take(&mut self.untold) {
            let uri = file_uri(&session.path(FILE)).unwrap();
            let document = json!({"uri": uri, "version": self.version});
            let changes = json!([{"text": self.text.to_string()}]);
            let params = json!({"textDocument": document, "contentChanges": changes});
            session.editor.notify("textDocument/didChange", params).await.unwrap();
        }
    }

    /// Looks at one of the server's edits as this editor does.
    async fn take_edit(&mut self, session: &mut Session, chance: &mut Chance) {
        let Some(message) = self.edits.pop_front() else {
            return;
        };
        let changes = message["params"]["edit"]["documentChanges"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "one document a request");
        let version = changes[0]["textDocument"]["version"].as_i64().unwrap();
        let edits: Vec<TextEdit> = serde_json::from_value(changes[0]["edits"].clone()).unwrap();
        for pair in edits.windows(2) {
            assert!(
                pair[0].range.end < pair[1].range.start,
                "overlapping edits were sent: {edits:?}"
            );
        }
        let fits = version == i64::from(self.version) || (self.kind == Kind::Neovim && version == 0);
        let dropped = self.kind == Kind::Helix && chance.below(20) == 0;
        if fits && !dropped {
            for edit in edits.iter().rev() {
                let offset = |position| self.text.byte_to_char(Encoding::Utf16.offset(&self.text, position));
                let (start, end) = (offset(edit.range.start), offset(edit.range.end));
                self.text.remove(start..end);
                self.text.insert(start, &edit.new_text);
            }
            self.changed(chance);
        }
        let late = match self.kind {
            Kind::Neovim => chance.below(2) == 0,
            Kind::Helix => false,
            Kind::VsCode | Kind::Late => true,
        };
        if !late {
            self.tell(session).await;
        }
        let applied = fits || self.kind == Kind::Neovim;
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": applied}});
        session.editor.send(reply).await.unwrap();
        if self.kind == Kind::VsCode {
            self.tell(session).await;
        }
    }
}

/// What the agent did in one run: its words, and what it was told about each.
type Told = Vec<(String, Result<Applied, ApplyError>)>;

/// The agent: it read the file once, and from then on knows what its edits left.
async fn work(
    shared: Arc<Shared>,
    workspace: Arc<Workspace>,
    path: std::path::PathBuf,
    seen: String,
    seed: u64,
) -> Told {
    let mut chance = Chance(seed);
    let mut seen: Arc<str> = seen.into();
    let mut told = Told::new();
    for number in 0..1 + chance.below(5) {
        let (old, new) = (format!("word{};", chance.below(WORDS)), format!("<agent{number}>"));
        if seen.matches(&old).count() != 1 {
            continue;
        }
        let intent = if chance.below(2) == 0 {
            let replacements = vec![Replacement { old, new: new.clone() }];
            Intent::Edit { replacements }
        } else {
            Intent::Overwrite {
                content: seen.replace(&old, &new),
                seen: Some(seen.clone()),
            }
        };
        let plan = |current: Option<&str>| intent.apply_to(current);
        let applied = edits::apply(&shared, &workspace, &path, "agent", &plan).await;
        if let Ok(applied) = &applied {
            seen = applied.known.clone().unwrap();
        }
        told.push((new, applied));
    }
    told
}

/// One run; gives how many edits arrived, and how many there were.
async fn run(session: &mut Session, workspace: &Arc<Workspace>, kind: Kind, seed: u64) -> (usize, usize) {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let path = session.path(FILE);
    let start: String = (0..WORDS).map(|word| format!("\u{1f980} word{word};\n")).collect();
    let mut buffer = Buffer {
        kind,
        text: Rope::from_str(&start),
        version: i32::from(kind == Kind::VsCode),
        untold: false,
        edits: VecDeque::new(),
        typed: BTreeSet::new(),
        disturbed: HashSet::new(),
    };
    let uri = file_uri(&path).unwrap();
    let document = json!({"uri": uri, "languageId": "text", "version": buffer.version, "text": start});
    let opened = json!({"textDocument": document});
    session.editor.notify("textDocument/didOpen", opened).await.unwrap();
    session
        .until("the document", |state| state.documents.of_path(&path).is_some())
        .await;
    let mut texts = session.shared.state().documents.watch(&uri);
    let mut known = start.clone();
    let work = work(session.shared.clone(), workspace.clone(), path.clone(), start, chance.0);
    let mut agent = tokio::spawn(work);
    let words: Vec<String> = (0..5).map(|number| format!("<agent{number}>")).collect();
    let mut keys = chance.below(14);
    let mut next = 0xE000;
    let mut told = None;
    while told.is_none() || buffer.untold || !buffer.edits.is_empty() || keys > 0 {
        let pause = Duration::from_millis(chance.below(120) as u64);
        tokio::select! {
            biased;
            message = session.editor.receive_unanswered() => {
                let message = message.unwrap();
                if message["method"] == "workspace/applyEdit" {
                    buffer.edits.push_back(message);
                }
            }
            ended = &mut agent, if told.is_none() => told = Some(ended.unwrap()),
            () = tokio::time::sleep(pause) => match chance.below(4) {
                0 | 1 if keys > 0 => {
                    // What is told late is several keys at once.
                    let burst = if kind == Kind::Late { 1 + chance.below(5) } else { 1 };
                    for _ in 0..burst.min(keys) {
                        keys -= 1;
                        buffer.type_something(&mut chance, &mut next, &words);
                    }
                    // The others wait until they tell.
                    if [Kind::Helix, Kind::VsCode].contains(&kind) {
                        buffer.tell(session).await;
                    }
                }
                2 => buffer.take_edit(session, &mut chance).await,
                _ => buffer.tell(session).await,
            },
        }
    }
    let told = told.unwrap();
    let text = buffer.text.to_string();
    let context = format!("{kind:?}, seed {seed}: {told:?}\n{text}");
    for typed in &buffer.typed {
        assert_eq!(
            text.matches(*typed).count(),
            1,
            "{typed:?} was lost or doubled: {context}"
        );
    }
    for (word, result) in &told {
        let count = text.matches(word).count();
        match result {
            Ok(_) if buffer.disturbed.contains(word) => assert!(count <= 1, "{word}: {context}"),
            Ok(_) => assert_eq!(count, 1, "{word} is said to be there: {context}"),
            Err(_) => assert_eq!(count, 0, "{word} is said not to be there: {context}"),
        }
    }
    take_back(&buffer, &told, &text, &context);
    let document = json!({"textDocument": {"uri": uri}});
    session.editor.notify("textDocument/didClose", document).await.unwrap();
    while let Some(document) = texts.recv().await.flatten() {
        known = document.text().to_string();
    }
    assert_eq!(known, text, "the server has another text: {context}");
    (told.iter().filter(|(_, result)| result.is_ok()).count(), told.len())
}

/// What is undone goes, or is said to stay; what was typed stays.
fn take_back(buffer: &Buffer, told: &Told, text: &str, context: &str) {
    let log = ChangeLog::default();
    let turn = TurnId("turn".into());
    let changes: Vec<_> = told
        .iter()
        .filter_map(|(word, result)| Some((word, result.clone().ok()?)))
        .map(|(word, applied)| (word, log.record(&turn, "call", FILE.as_ref(), applied).id))
        .collect();
    let undecided = log
        .undecided(&Selection::Session)
        .into_values()
        .flatten()
        .collect::<Vec<_>>();
    let undone = undo_all(&undecided, Some(text));
    let left = undone.text.unwrap();
    for typed in &buffer.typed {
        assert_eq!(
            left.matches(*typed).count(),
            1,
            "undo took {typed:?}: {left}\n{context}"
        );
    }
    for (word, change) in changes {
        let is_taken = undone.taken.iter().any(|(id, _)| *id == change);
        assert!(
            !left.contains(word) || !is_taken,
            "{word} is said to be gone: {left}\n{context}"
        );
        assert!(
            is_taken || !undone.kept.is_empty(),
            "{word} stays without a word: {left}\n{context}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn no_typed_character_is_lost_and_every_edit_is_accounted_for() {
    for kind in KINDS {
        let mut session = Session::start(&[(FILE, "")]).await.unwrap();
        let mut client = (*session.shared.state().client).clone();
        client.ignores_version_zero = kind == Kind::Neovim;
        session.shared.state().client = Arc::new(client);
        let workspace = Arc::new(Workspace::open(std::slice::from_ref(&session.root)).unwrap());
        let (mut arrived, mut all) = (0, 0);
        for seed in 1..=RUNS {
            let (these, of) = run(&mut session, &workspace, kind, seed).await;
            arrived += these;
            all += of;
        }
        assert!(arrived * 5 > all * 2, "{kind:?}: only {arrived} of {all} edits arrived");
    }
}

/// The server's threads run beside the editor's: what was told before an answer counts, whoever looks first.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_edit_that_is_refused_because_of_what_was_just_typed_is_tried_again() {
    const EDITS: usize = 400;
    const REFUSALS: usize = 4;
    let mut session = Session::start(&[(FILE, "")]).await.unwrap();
    let workspace = Arc::new(Workspace::open(std::slice::from_ref(&session.root)).unwrap());
    let (path, uri) = (session.path(FILE), file_uri(&session.path(FILE)).unwrap());
    let mut text = "\n\n\n\nthe agent's:\n".to_owned();
    let document = json!({"uri": uri, "languageId": "text", "version": 1, "text": text});
    let opened = json!({"textDocument": document});
    session.editor.notify("textDocument/didOpen", opened).await.unwrap();
    session.code_actions(FILE, 0, 0).await.unwrap();
    let shared = session.shared.clone();
    let mut agent = tokio::spawn(async move {
        for number in 0..EDITS {
            let plan = |current: Option<&str>| Ok(Some(format!("{}agent{number};\n", current.unwrap_or_default())));
            edits::apply(&shared, &workspace, &path, "agent", &plan).await?;
        }
        Ok::<_, ApplyError>(())
    });
    let (mut version, mut refused) = (1, 0);
    let result = loop {
        let message = tokio::select! {
            result = &mut agent => break result.unwrap(),
            message = session.editor.receive_unanswered() => message.unwrap(),
        };
        if message["method"] != "workspace/applyEdit" {
            continue;
        }
        let applied = refused == REFUSALS;
        if applied {
            refused = 0;
            let edit = &message["params"]["edit"]["documentChanges"][0]["edits"][0];
            text.push_str(edit["newText"].as_str().unwrap());
        } else {
            refused += 1;
            text.insert(0, 'x');
        }
        version += 1;
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        session.editor.notify("textDocument/didChange", params).await.unwrap();
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": applied}});
        session.editor.send(reply).await.unwrap();
    };
    assert_eq!(result, Ok(()));
    assert_eq!(text.matches(";\n").count(), EDITS);
    assert!(text.starts_with(&"x".repeat(EDITS * REFUSALS)));
}
