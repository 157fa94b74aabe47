//! The report in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), which code scanning takes.

use std::io::Write;
use std::path::Path;

use anyhow::{Error, Result};
use serde_json::{Map, Value, json};
use skills_schema::TextRange;
use skills_schema::rules::{Finding, Fix, RULES, Related, Severity};

use super::Checked;
use crate::cli::output::{self, Places};
use crate::headless::file_uri;
use crate::to_proto;

/// The folder that files are named from, as code scanning calls it.
const ROOT: &str = "%SRCROOT%";

/// Prints the report: one run, with every rule and its page.
pub fn print(checked: &[Checked], unreadable: &[Error], out: &mut impl Write) -> Result<()> {
    output::write_json(&log(checked, unreadable), out)
}

fn log(checked: &[Checked], unreadable: &[Error]) -> Value {
    let here = output::current_folder();
    let results: Vec<Value> = checked.iter().flat_map(|file| file_results(file, &here)).collect();
    let notifications = unreadable.iter();
    let notifications = notifications.map(|error| json!({"level": "error", "message": {"text": format!("{error:#}")}}));
    let mut run = json!({
        "tool": {"driver": {
            "name": "skills-ls",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules(),
        }},
        "invocations": [{
            "executionSuccessful": unreadable.is_empty(),
            "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
        }],
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    });
    // A base must end in a slash.
    if let Ok(uri) = file_uri(&here.join("")) {
        let uri = format!("{}/", uri.as_str().trim_end_matches('/'));
        run["originalUriBaseIds"] = json!({ROOT: {"uri": uri}});
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}

fn rules() -> Vec<Value> {
    let rules = RULES.iter().map(|rule| {
        json!({
            "id": rule.code,
            "shortDescription": {"text": rule.summary},
            "help": {
                "text": format!("{}. `skills-ls explain {}` tells more.", rule.summary, rule.code),
                "markdown": rule.documentation,
            },
        })
    });
    rules.collect()
}

fn file_results(checked: &Checked, here: &Path) -> Vec<Value> {
    let file = SarifFile {
        location: location(&checked.path, here),
        here,
        places: Places::of(&checked.text),
    };
    checked.findings.iter().map(|finding| file.result(finding)).collect()
}

/// Where a file lies: from the current folder where it is below it.
fn location(path: &Path, here: &Path) -> Value {
    let absolute = file_uri(path).map(|uri| uri.as_str().to_owned());
    let absolute = absolute.unwrap_or_else(|_| path.to_string_lossy().into_owned());
    let base = file_uri(here).map(|uri| format!("{}/", uri.as_str().trim_end_matches('/')));
    match base.ok().and_then(|base| absolute.strip_prefix(&base)) {
        Some(relative) => json!({"uri": relative, "uriBaseId": ROOT}),
        None => json!({"uri": absolute}),
    }
}

/// What all results of one file share.
struct SarifFile<'a> {
    location: Value,
    here: &'a Path,
    places: Places<'a>,
}

impl SarifFile<'_> {
    fn result(&self, finding: &Finding) -> Value {
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "note",
        };
        let mut result = Map::from_iter([
            ("ruleId".to_owned(), json!(finding.code)),
            ("level".to_owned(), json!(level)),
            ("message".to_owned(), json!({"text": finding.message})),
            ("locations".to_owned(), json!([self.place(finding.range)])),
        ]);
        if let Some(index) = RULES.iter().position(|rule| rule.code == finding.code) {
            result.insert("ruleIndex".to_owned(), json!(index));
        }
        let notes = finding.notes().into_iter().map(|note| {
            let mut place = self.place(finding.range);
            place["message"] = json!({"text": note});
            place
        });
        let related: Vec<Value> = finding.related.iter().map(|it| self.related(it)).chain(notes).collect();
        if !related.is_empty() {
            result.insert("relatedLocations".to_owned(), json!(related));
        }
        if !finding.readers.is_empty() {
            result.insert("properties".to_owned(), json!({"readers": to_proto::readers(finding)}));
        }
        // A file that is not there yet has no region to replace.
        let here = finding.fixes.iter().filter(|fix| fix.file.is_none());
        let fixes: Vec<Value> = here.map(|fix| self.fix(fix)).collect();
        if !fixes.is_empty() {
            result.insert("fixes".to_owned(), json!(fixes));
        }
        Value::Object(result)
    }

    fn place(&self, range: TextRange) -> Value {
        json!({"physicalLocation": {"artifactLocation": self.location, "region": self.region(range)}})
    }

    fn related(&self, related: &Related) -> Value {
        let mut place = match &related.file {
            None => self.place(related.range),
            // The lines of another file are not at hand.
            Some(file) => json!({"physicalLocation": {"artifactLocation": location(Path::new(file), self.here)}}),
        };
        place["message"] = json!({"text": related.message});
        place
    }

    fn fix(&self, fix: &Fix) -> Value {
        let replacements = fix
            .edits
            .iter()
            .map(|edit| json!({"deletedRegion": self.region(edit.range), "insertedContent": {"text": edit.new_text}}));
        json!({
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": self.location,
                "replacements": replacements.collect::<Vec<_>>(),
            }],
        })
    }

    fn region(&self, range: TextRange) -> Value {
        let (start, end) = self.places.ends(range);
        json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        })
    }
}
