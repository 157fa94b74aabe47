//! Whether what the server said is true of the texts that it was given.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::Value;

use super::{
    model::{Counting, Text},
    seen::{Asked, Seen, Texts},
};

/// Checks all received messages against the session.
pub fn check(seen: &Seen, heard: &[Value]) {
    let mut answered: BTreeMap<&str, usize> = BTreeMap::new();
    for message in heard {
        match (message["method"].as_str(), message["id"].as_str()) {
            (None, Some(id)) => {
                *answered.entry(id).or_default() += 1;
                if let Some(asked) = seen.requests.get(id) {
                    answer(seen.counting, asked, message);
                }
            }
            (Some("textDocument/publishDiagnostics"), _) => published(seen, &message["params"]),
            _ => {}
        }
    }
    for id in seen.requests.keys() {
        let count = answered.get(id.as_str()).copied().unwrap_or_default();
        assert_eq!(count, 1, "{id} is answered {count} times");
    }
}

fn answer(counting: Counting, asked: &Asked, message: &Value) {
    let Asked { method, texts, .. } = asked;
    if let Some(error) = message.get("error") {
        let said = error["message"].as_str().unwrap_or_default();
        assert!(!said.contains("failed inside the server"), "{method}: {said}");
        assert!(!said.is_empty() && error["code"].is_i64(), "{method}: {message}");
        return;
    }
    let result = &message["result"];
    let Some(uri) = &asked.uri else { return };
    inside(counting, texts, uri, result, method);
    let text = texts.get(uri).cloned().unwrap_or_default();
    let text = &*text;
    match method.as_str() {
        "textDocument/semanticTokens/full" => tokens(counting, text, result),
        "textDocument/foldingRange" => {
            for fold in result.as_array().into_iter().flatten() {
                let line = |key: &str| fold[key].as_u64().expect("a fold has lines");
                let last = line("endLine");
                assert!(
                    line("startLine") <= last && (last as usize) < text.lines().len(),
                    "{fold}"
                );
            }
        }
        "textDocument/selectionRange" if !result.is_null() => {
            assert_eq!(result.as_array().map(Vec::len), Some(2), "one answer a position");
        }
        "textDocument/completion" => completions(counting, text, asked, result),
        _ => {}
    }
}

/// An editor takes a proposal only where it changes the cursor's line, around the cursor.
fn completions(counting: Counting, text: &Text, asked: &Asked, result: &Value) {
    let items = result.as_array().or_else(|| result["items"].as_array());
    let Some((line, character)) = asked.place else { return };
    // Where the position is none, the text says which is meant.
    if !counting.is_in(text, line, character) {
        return;
    }
    for item in items.into_iter().flatten() {
        let range = &item["textEdit"]["range"];
        let at = |end: &str| (number(&range[end]["line"]), number(&range[end]["character"]));
        let (start, end) = (at("start"), at("end"));
        assert!(
            start.0 == line && end.0 == line && start.1 <= character && character <= end.1,
            "at {line}:{character} of {text:?}: {item}"
        );
    }
}

fn published(seen: &Seen, params: &Value) {
    let uri = params["uri"].as_str().expect("findings have a file");
    let Some(version) = params["version"].as_i64() else {
        return;
    };
    let Some(text) = seen.versions.get(&(uri.to_owned(), version)) else {
        panic!("findings of a text that never was: {uri} {version}");
    };
    let texts = Texts::from([(uri.to_owned(), Rc::clone(text))]);
    inside(seen.counting, &texts, uri, &params["diagnostics"], "publishDiagnostics");
}

/// Every position in an answer stands in the document that it is about; those of files that are not open can't be told.
fn inside(counting: Counting, texts: &Texts, uri: &str, value: &Value, method: &str) {
    match value {
        Value::Array(items) => {
            for item in items {
                inside(counting, texts, uri, item, method);
            }
        }
        Value::Object(members) => {
            let document = &value["textDocument"]["uri"];
            let own = [&value["uri"], &value["targetUri"], document];
            let uri = own.into_iter().find_map(Value::as_str).unwrap_or(uri);
            if members.contains_key("line") && members.contains_key("character") {
                let place = (number(&value["line"]), number(&value["character"]));
                if let Some(text) = texts.get(uri) {
                    assert!(
                        counting.is_in(text, place.0, place.1),
                        "{method} names {place:?} in {counting:?} of {text:?}"
                    );
                }
            }
            if let (Some(start), Some(end)) = (members.get("start"), members.get("end")) {
                let at = |value: &Value| (number(&value["line"]), number(&value["character"]));
                assert!(at(start) <= at(end), "{method}: {value}");
            }
            for (key, inner) in members {
                // Edits of files that are made have no text yet.
                if key != "data" && key != "arguments" {
                    inside(counting, texts, uri, inner, method);
                }
            }
        }
        _ => {}
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().map_or(usize::MAX, |number| number as usize)
}

fn tokens(counting: Counting, text: &Text, result: &Value) {
    let data: Vec<usize> = result["data"].as_array().into_iter().flatten().map(number).collect();
    let (mut line, mut start) = (0, 0);
    for token in data.chunks(5) {
        if token[0] > 0 {
            (line, start) = (line + token[0], 0);
        }
        start += token[1];
        let end = start + token[2];
        assert!(token[2] > 0, "an empty token in {text:?}");
        assert!(
            counting.is_in(text, line, start) && counting.is_in(text, line, end),
            "a token at {line}:{start} in {counting:?} of {text:?}"
        );
    }
}
