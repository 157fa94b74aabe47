//! The report for machines: one JSON document, whose keys only ever grow.

use anyhow::Result;
use serde_json::{Value, json};
use skills_schema::verdict;

use super::{Checked, counts, severity_name};
use crate::cli::output;

/// Prints the report.
pub fn print(checked: &[Checked]) -> Result<()> {
    output::json(&report(checked))
}

fn report(checked: &[Checked]) -> Value {
    let mut summary = json!({"files": checked.len()});
    for (_, name, count) in counts(checked) {
        summary[name] = json!(count);
    }
    let files = checked.iter().map(|checked| {
        let Checked { path, analysis, .. } = checked;
        let text = &analysis.file.text;
        let findings = analysis.findings.iter().map(|finding| {
            let fixes = finding.fixes.iter().map(|fix| {
                let edits = fix.edits.iter();
                let edits =
                    edits.map(|edit| json!({"range": output::range(text, edit.range), "newText": edit.new_text}));
                json!({"title": fix.title, "safe": fix.safe, "edits": edits.collect::<Vec<_>>()})
            });
            json!({
                "code": finding.code,
                "severity": severity_name(finding.severity),
                "message": finding.message,
                "range": output::range(text, finding.range),
                "fixes": fixes.collect::<Vec<_>>(),
            })
        });
        json!({
            "path": path.to_string_lossy(),
            "dialect": analysis.dialect.name(),
            "verdicts": verdicts(checked),
            "findings": findings.collect::<Vec<_>>(),
        })
    });
    json!({"files": files.collect::<Vec<_>>(), "summary": summary})
}

/// What each system makes of a file, by the system's name.
fn verdicts(checked: &Checked) -> Value {
    let verdicts = verdict::verdicts(&checked.analysis.file, &checked.analysis.facts()).into_iter();
    let entries = verdicts.map(|verdict| {
        let value = json!({
            "loads": verdict.loads,
            "metadata": verdict.metadata,
            "name": verdict.name,
            "description": verdict.description,
            "reason": verdict.reason,
        });
        (verdict.dialect.name().to_owned(), value)
    });
    Value::Object(entries.collect())
}
