//! From bytes to the messages of an editor: mostly such as an editor sends, and now and then what none should.

use std::rc::Rc;

use serde_json::{Value, json};
use skills_ls::framing::encode;

use super::{
    model::{Counting, Text},
    seen::{Seen, changed},
};

/// The most that an editor does in one session.
const STEPS: usize = 40;
/// A text that is longer is begun anew.
const LONGEST: usize = 4_000;

/// The files that are edited, below the workspace.
const FILES: [&str; 7] = [
    ".claude/skills/deploy/SKILL.md",
    ".agents/skills/ship it/SKILL.md",
    "brain/cerebellum/x/SKILL.md",
    ".openhands/microagents/a.md",
    ".claude/agents/b.md",
    "pack/plugin.json",
    "notes [é].txt",
];

/// What texts are made of.
const PIECES: [&str; 96] = [
    "---\n",
    "---",
    "---\r\n",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    " ",
    "  ",
    "\t",
    "name: deploy\n",
    "name: ",
    "name",
    "n",
    "description: Ships it. Use when asked.\n",
    "description: ",
    "paths:\n  - src/**\n",
    "paths: a,b\n",
    "- ",
    "- a\n",
    "allowed-tools: Read, Bash(git:*)\n",
    "allowed-tools: ",
    "Raed",
    "Bash(",
    "arguments: [a, b]\n",
    "arguments: a b\n",
    "argument-hint: \"[a] [b]\"\n",
    "inputs:\n  - name: i\n",
    "hooks:\n",
    "  PreToolUse:\n",
    "    - matcher: A|B\n",
    "      hooks:\n        - type: command\n          command: x\n",
    "metadata:\n",
    "  dialect: openhands\n",
    "triggers: [a]\n",
    "requires: [b]\n",
    "references:\n  - a.md\n",
    "context: fork\n",
    "model: opus\n",
    "key: value\n",
    "kye: x\n",
    "a: b: c\n",
    "a:b\n",
    ": ",
    ":",
    "# c\n",
    "# skills-ls: allow unknown-field\n",
    "\"",
    "'",
    "\\",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|\n",
    ">\n",
    "&a ",
    "*a",
    "!t ",
    "@",
    "`",
    "? ",
    "<<: ",
    "$ARGUMENTS",
    "$0",
    "$a",
    "${i}",
    "${CLAUDE_SKILL_DIR}",
    "$",
    "# Title\n",
    "## Part\n\n",
    "[a](b.md)",
    "[a](#title)",
    "[a][b]\n\n[b]: c.md\n",
    "<https://a.b>",
    "![a](b.png)",
    "```sh\nls\n```\n",
    "```\n",
    "!`git status`",
    "!`",
    "`scripts/a.sh`",
    "/deploy ",
    "@a.md ",
    "<!-- c -->",
    "<b>",
    "> q\n",
    "| a | b |\n|---|---|\n",
    "é",
    "語",
    "🦀",
    "\u{feff}",
    "\u{2028}",
    "\0",
    "text ",
    "{\"$schema\": \"https://agent-plugins.org/x\"",
];

/// The requests about a place of a document, with what they take beside it.
const REQUESTS: [&str; 21] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/onTypeFormatting",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
    "textDocument/diagnostic",
    "textDocument/codeAction",
    "skills/readers",
    "skills/preview",
    "skills/active",
    "workspace/symbol",
];

/// Streams that break the frame or the message.
const BROKEN: [&str; 20] = [
    "Content-Length: +5\r\n\r\n{}",
    "Content-Length: -1\r\n\r\n",
    "Content-Length:\r\n\r\n{}",
    "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "Content-Length: 0\r\n\r\n",
    "Content-Length: 7\r\n\r\n{}\n\n",
    "Content-Type: x\r\n\r\n{}",
    "hello\n\n",
    "\r\n\r\n",
    "content-length:2\n\n{}",
    "Content-Length: 2\r\n\r\n[]",
    "Content-Length: 4\r\n\r\nnull",
    "Content-Length: 2\r\n\r\n\u{fffd}",
    "Content-Length: 17\r\n\r\n{\"jsonrpc\":\"2.0\"}",
    "Content-Length: 24\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1}",
    "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}",
    "Content-Length: 35\r\n\r\n{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}",
    "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":1}",
    "Content-Length: 30\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
    "Content-Length: x\r\n\r\n",
];

/// The stream of a whole session that the bytes stand for, with `initialized` or without; the workspace has this URI.
pub fn stream(data: &[u8], root: &str, is_started: bool) -> Vec<u8> {
    let mut writer = Writer {
        bytes: Bytes(data),
        root: root.to_owned(),
        version: 0,
        asked: 0,
        stream: Vec::new(),
        seen: Seen::default(),
    };
    writer.initialize(is_started);
    for _ in 0..STEPS {
        if writer.bytes.0.is_empty() {
            break;
        }
        writer.step();
    }
    writer.stream
}

/// What is left of the bytes; where nothing is, they are zero.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() % limit.max(1)
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(12) {
            match self.next() {
                // Whatever stands in the bytes.
                length @ 250.. => {
                    let taken = (length - 249).min(self.0.len());
                    text += &String::from_utf8_lossy(&self.0[..taken]);
                    self.0 = &self.0[taken..];
                }
                piece => text += PIECES[piece % PIECES.len()],
            }
        }
        text
    }
}

struct Writer<'a> {
    bytes: Bytes<'a>,
    root: String,
    version: i64,
    asked: usize,
    stream: Vec<u8>,
    /// What the server knows unless a broken frame takes a message with it.
    seen: Seen,
}

impl Writer<'_> {
    fn send(&mut self, message: &Value) {
        self.stream.extend(encode(message.to_string().as_bytes()));
        self.seen.take(message);
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: &Value) {
        let id = format!("request {}", self.asked);
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn initialize(&mut self, is_started: bool) {
        let choice = self.bytes.next();
        let counting = Counting::ALL[choice % 3];
        let has = |bit: u32| choice >> bit & 1 == 1;
        let capabilities = json!({
            "general": {"positionEncodings": [counting.name()]},
            "workspace": {"applyEdit": has(2), "configuration": false, "workspaceEdit": {"documentChanges": true}},
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": has(3)}},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": has(4)},
                "diagnostic": if has(5) { json!({"dynamicRegistration": false}) } else { Value::Null },
                "publishDiagnostics": {"versionSupport": true, "relatedInformation": true},
            },
            "experimental": {"skillsAgent": {"version": 1, "active": {}, "preview": {}}},
        });
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": {"trust": {"workspace": false}},
        });
        // Some editors are too early.
        if choice > 250 {
            self.request("textDocument/hover", &json!({}));
        }
        self.request("initialize", &params);
        if is_started {
            self.notify("initialized", json!({}));
        }
    }

    fn step(&mut self) {
        match self.bytes.below(16) {
            0 | 1 => self.open(),
            2..=6 => self.change(),
            7 => self.close(),
            8..=12 => self.ask(),
            13 => {
                let broken = BROKEN[self.bytes.below(BROKEN.len())];
                self.stream.extend(broken.as_bytes());
            }
            14 => self.tell(),
            _ => {
                let length = self.bytes.below(32).min(self.bytes.0.len());
                let raw = self.bytes.0[..length].to_vec();
                self.bytes.0 = &self.bytes.0[length..];
                // In a frame, or for the reader of frames to find out.
                let framed = self.bytes.below(2) == 0;
                self.stream.extend(if framed { encode(&raw) } else { raw });
            }
        }
    }

    /// One of the files; its URI is spelt as strict clients spell it.
    fn uri(&mut self) -> String {
        let file = FILES[self.bytes.below(FILES.len())];
        let file = file
            .replace(' ', "%20")
            .replace('[', "%5B")
            .replace(']', "%5D")
            .replace('é', "%C3%A9");
        format!("{}/{file}", self.root)
    }

    fn open(&mut self) {
        let (uri, mut text) = (self.uri(), self.bytes.text());
        if self.bytes.below(4) > 0 {
            text = format!("---\n{text}");
        }
        self.version += 1;
        let document = json!({"uri": uri, "languageId": "markdown", "version": self.version, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// One of the open documents; one is opened where there is none.
    fn opened(&mut self) -> String {
        if self.seen.texts.is_empty() {
            self.open();
        }
        let at = self.bytes.below(self.seen.texts.len());
        let uri = self.seen.texts.keys().nth(at);
        uri.expect("it is below their number").clone()
    }

    fn change(&mut self) {
        let uri = self.opened();
        let mut text = self.seen.texts[&uri].clone();
        let mut changes = Vec::new();
        for _ in 0..=self.bytes.below(3) {
            let typed = self.bytes.text();
            if text.len() > LONGEST || self.bytes.below(8) == 0 {
                changes.push(json!({"text": typed}));
                text = Rc::new(typed.into());
                continue;
            }
            let (start, end) = (self.place(&text), self.place(&text));
            let (start, end) = (start.min(end), start.max(end));
            let change = json!({"range": range(start, end), "text": typed});
            text = Rc::new(changed(self.seen.counting, &text, &change));
            changes.push(change);
        }
        self.version += 1;
        let document = json!({"uri": uri, "version": self.version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// A line and a column, seldom outside of the text.
    fn place(&mut self, text: &Text) -> (usize, usize) {
        let lines = text.lines();
        let (line, column) = (self.bytes.next(), self.bytes.next());
        match line {
            255 => (u32::MAX as usize, column),
            254 => (lines.len() + column, 0),
            _ => {
                let line = line % lines.len();
                let (start, end) = lines[line];
                let length = self.seen.counting.length(&text[start..end]);
                let column = if column > 250 {
                    length + column
                } else {
                    column % (length + 1)
                };
                (line, column)
            }
        }
    }

    fn close(&mut self) {
        let uri = self.opened();
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    fn ask(&mut self) {
        let uri = self.opened();
        let text = self.seen.texts[&uri].clone();
        let method = REQUESTS[self.bytes.below(REQUESTS.len())];
        let (place, other) = (self.place(&text), self.place(&text));
        let new_name = self.bytes.text();
        // Each takes what it knows of this.
        let params = json!({
            "textDocument": {"uri": uri},
            "uri": uri,
            "position": position(place),
            "positions": [position(place), position(other)],
            "range": range(place.min(other), place.max(other)),
            "context": {"includeDeclaration": true, "diagnostics": []},
            "newName": new_name,
            "query": "",
            "ch": "\n",
            "options": {"tabSize": 2, "insertSpaces": true},
        });
        self.request(method, &params);
        if self.bytes.below(8) == 0 {
            let id = format!("request {}", self.asked - 1);
            self.notify("$/cancelRequest", json!({"id": id}));
        }
    }

    fn tell(&mut self) {
        let uri = self.opened();
        match self.bytes.below(5) {
            0 => self.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}})),
            1 => self.notify(
                "workspace/didChangeConfiguration",
                json!({"settings": {"skills": {"inlayHints": true}}}),
            ),
            2 => self.notify(
                "workspace/didChangeWatchedFiles",
                json!({"changes": [{"uri": uri, "type": 2}]}),
            ),
            3 => self.notify("skills/textDocument/didFocus", json!({"uri": uri})),
            _ => self.notify("nobody/knowsThis", json!([])),
        }
    }
}

fn position((line, character): (usize, usize)) -> Value {
    json!({"line": line, "character": character})
}

fn range(start: (usize, usize), end: (usize, usize)) -> Value {
    json!({"start": position(start), "end": position(end)})
}
