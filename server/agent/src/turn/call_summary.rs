//! What the person is told about a call: enough to follow it, never more than a screen can bear, and no secrets.

use serde_json::{Map, Value};

use skills_schema::shown::shortened;

use crate::redaction::redact;

/// The most characters of a line for the person.
const LINE_CHARS: usize = 200;
/// The most bytes of the arguments, and of the output, that the person is shown. The conversation has all of them.
const SHOWN_BYTES: usize = 8 * 1024;

/// A text on one line, cut.
pub(super) fn cut_line(text: &str) -> String {
    let mut line = String::new();
    for word in text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Long before the end of a giant text.
        if line.len() > LINE_CHARS * 4 {
            break;
        }
    }
    shortened(&line, LINE_CHARS).into_owned()
}

/// The arguments of a call, with long texts cut in their middle.
pub(super) fn arguments(input: &Value) -> Value {
    within(input, &mut SHOWN_BYTES.clone())
}

/// The output of a call, cut in its middle where it is long.
pub(super) fn output(text: &str) -> String {
    without_middle(text, SHOWN_BYTES)
}

/// The value with `left` bytes of text at most, which are taken off; what has no room is counted.
fn within(value: &Value, left: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            let text = without_middle(text, *left);
            *left = left.saturating_sub(text.len());
            Value::String(text)
        }
        Value::Array(items) => {
            let shown: Vec<_> = items.iter().map_while(|item| room(item, left)).collect();
            let missing = (items.len() - shown.len()) as u64;
            let rest = (missing > 0).then(|| Value::String(format!("{missing} more")));
            shown.into_iter().chain(rest).collect()
        }
        Value::Object(members) => {
            let shown: Map<_, _> = members
                .iter()
                .map_while(|(key, member)| {
                    *left = left.saturating_sub(key.len());
                    Some((output(key), room(member, left)?))
                })
                .collect();
            let missing = members.len().saturating_sub(shown.len());
            let rest = (missing > 0).then(|| ("…".to_owned(), Value::String(format!("{missing} more"))));
            Value::Object(shown.into_iter().chain(rest).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn room(value: &Value, left: &mut usize) -> Option<Value> {
    // Numbers and empty texts take some room too.
    *left = left.saturating_sub(4);
    (*left > 0).then(|| within(value, left))
}

fn without_middle(text: &str, most: usize) -> String {
    if text.len() <= most {
        return redact(text).into_owned();
    }
    let start = text.floor_char_boundary(most / 2);
    let end = text.ceil_char_boundary(text.len() - most / 2);
    let hidden = end - start;
    let (start, end) = (redact(&text[..start]), redact(&text[end..]));
    format!("{start}\n[{hidden} bytes are not shown here]\n{end}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn small_arguments_and_outputs_are_shown_whole() {
        let input = json!({"path": "a.rs", "lines": [1, 2], "all": true, "nothing": null});
        assert_eq!(arguments(&input), input);
        assert_eq!(output("two\nlines"), "two\nlines");
        assert_eq!(cut_line("two\n\t lines \u{1b}"), "two lines");
    }

    #[test]
    fn giant_ones_say_what_is_missing() {
        let long = "é".repeat(100_000);
        let shown = arguments(&json!({"after": "x", "content": long, "then": long, "last": "y"})).to_string();
        assert!(shown.len() < 3 * SHOWN_BYTES, "{}", shown.len());
        assert!(shown.contains("bytes are not shown here"), "{shown}");

        let list = arguments(&json!({"all": vec![1; 100_000]}));
        let list = list["all"].as_array().unwrap();
        assert_eq!(list.last().unwrap(), &json!(format!("{} more", 100_001 - list.len())));

        let members: Map<_, _> = (0..100_000).map(|n| (n.to_string(), Value::Null)).collect();
        let shown = arguments(&Value::Object(members));
        assert!(shown["…"].as_str().unwrap().ends_with(" more"));

        let text = output(&format!("first{long}last"));
        assert!(
            text.starts_with("first") && text.ends_with("last"),
            "both ends are of use"
        );
        assert!(
            text.contains("[191818 bytes are not shown here]") && text.len() < SHOWN_BYTES + 100,
            "{text}"
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = arguments(&json!({"command": "curl -H 'Authorization: Bearer abcdefghijkl'"}));
        assert_eq!(shown["command"], "curl -H 'Authorization: Bearer [redacted]'");
        assert_eq!(output("PASSWORD=hunter2hunter2"), "PASSWORD=[redacted]");
    }
}
