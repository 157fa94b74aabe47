//! The report for machines: one JSON document, whose keys only ever grow.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use skills_schema::fixes;

use super::{Checked, counts, severity_name};
use crate::cli::output::{self, Places};
use crate::to_proto;

/// Prints the report.
pub fn print(checked: &[Checked], out: &mut impl Write) -> Result<()> {
    output::write_json(&report(checked), out)
}

fn report(checked: &[Checked]) -> Value {
    let mut summary = json!({"files": checked.len()});
    for (_, name, count) in counts(checked) {
        summary[name] = json!(count);
    }
    json!({"files": checked.iter().map(file).collect::<Vec<_>>(), "summary": summary})
}

/// The path that is written from a file's folder, without `..`.
fn beside(file: &Path, relative: &str) -> PathBuf {
    let mut path = file.with_file_name("");
    for part in relative.split('/') {
        match part {
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

fn file(checked: &Checked) -> Value {
    let places = Places::of(&checked.text);
    let findings = checked.findings.iter().map(|finding| {
        let fixes = finding.fixes.iter().map(|fix| {
            // What a repair writes into another file is told as that file's whole text.
            let edits = fix.edits.iter().filter(|_| fix.file.is_none());
            let edits = edits.map(|edit| json!({"range": places.range(edit.range), "newText": edit.new_text}));
            let file = fix.file.as_ref().map(|file| {
                let text = fixes::apply(file.text.as_deref().unwrap_or_default(), &fix.edits);
                json!({"path": beside(&checked.path, &file.path), "text": text})
            });
            json!({"title": fix.title, "safe": fix.safe, "edits": edits.collect::<Vec<_>>(), "file": file})
        });
        let related = finding.related.iter().map(|it| {
            // The text of another file is not at hand.
            let range = it.file.is_none().then(|| places.range(it.range));
            json!({"file": it.file, "range": range, "message": it.message})
        });
        // The readers in words, for programs that show what is related.
        let notes = finding.notes().into_iter();
        let notes = notes.map(|note| json!({"file": null, "range": places.range(finding.range), "message": note}));
        json!({
            "code": finding.code,
            "severity": severity_name(finding.severity),
            "message": finding.message,
            "range": places.range(finding.range),
            "readers": to_proto::readers(finding),
            "related": related.chain(notes).collect::<Vec<_>>(),
            "fixes": fixes.collect::<Vec<_>>(),
        })
    });
    json!({
        "path": checked.path.to_string_lossy(),
        "dialect": checked.dialects[0].name(),
        "dialects": checked.dialects.iter().map(|dialect| dialect.name()).collect::<Vec<_>>(),
        "verdicts": verdicts(checked),
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// What each system makes of a file, by the system's name.
fn verdicts(checked: &Checked) -> Value {
    let entries = checked.verdicts.iter().map(|verdict| {
        let value = json!({
            "loads": verdict.loads,
            "listed": verdict.listed,
            "metadata": verdict.metadata,
            "name": verdict.name,
            "description": verdict.description,
            "reason": verdict.reason,
        });
        (verdict.dialect.name().to_owned(), value)
    });
    Value::Object(entries.collect())
}
