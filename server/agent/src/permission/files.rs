//! Whether a file is read or written.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::question::{ALLOW, REJECT, Wish, choice, denied, question, says};
use super::rule::{Call, Rule, Subject as Of};
use super::{Asking, Mode, Permissions, Subject};
use crate::event::TurnId;
use crate::host::{ApplyError, ChoiceKind};
use crate::workspace::{Folder, Target};

const READING: &[&str] = &["Read", "read_file_range"];
const EDITING: &[&str] = &["Edit", "Write", "create_file", "replace_range", "write_patch"];

impl Permissions {
    /// Lets a write go on, asking where it must; `true` where a person was asked, so time went by.
    ///
    /// `detail` is what exactly will happen, such as a diff; `texts` are those before and after.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a setting says no.
    pub async fn before_write(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        target: &Target,
        detail: &str,
        texts: (Option<&str>, Option<&str>),
    ) -> Result<bool, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied(
                "the session is read-only (setting permissions.mode); describe the edit instead of making it",
            );
        }
        let call = Call {
            names: EDITING,
            subject: Of::Path(&target.relative),
        };
        self.not_denied(asking.turn, call, &format!("the edit of {target}"))?;
        let asked = self.trust(asking, folder).await?;
        let mut rules = Vec::new();
        let reason = if target.protected {
            "It can change what programs run or what an agent may do.".to_owned()
        } else if target.hard_links {
            "The file has another name elsewhere (a hard link).".to_owned()
        } else if fetches_schema(texts) {
            "Editors fetch what `$schema` names.".to_owned()
        } else if let Some(rule) = self.asks(call) {
            format!("The rule {} asks (setting permissions.ask).", rule.text())
        } else if self.mode == Mode::Ask && !self.allows(asking.turn, folder, call) {
            rules.extend(
                Rule::parse(&format!("Edit(/{})", target.relative))
                    .ok()
                    .filter(Rule::is_exact),
            );
            "Edits ask (setting permissions.mode).".to_owned()
        } else {
            return Ok(asked);
        };
        let wish = Wish {
            title: format!("Allow the edit of {target}?"),
            detail: format!("{reason}\n{detail}"),
            rules,
            exact: None,
            folder,
            what: format!("the edit of {target}"),
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Lets a read go on; a secret is asked for once a turn, whatever is allowed. `true` where a person was asked now.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_read(&self, asking: Asking<'_>, target: &Target) -> Result<bool, ApplyError> {
        let call = Call {
            names: READING,
            subject: Of::Path(&target.relative),
        };
        self.not_denied(asking.turn, call, &format!("reading {target}"))?;
        let reason = if target.secret {
            format!("{} looks like a file with keys or passwords.", target.path.display())
        } else if let Some(rule) = self.asks(call) {
            format!(
                "{}\nThe rule {} asks (setting permissions.ask).",
                target.path.display(),
                rule.text()
            )
        } else {
            return Ok(false);
        };
        let mut answers = self.answers.lock().await;
        let key = (asking.turn.clone(), Subject::Read(target.path.clone()));
        let (allowed, asked) = match answers.get(&key) {
            Some(allowed) => (*allowed, false),
            None => {
                let choices = vec![
                    choice(REJECT, "Reject", ChoiceKind::RejectOnce),
                    choice(ALLOW, "Allow in this turn", ChoiceKind::AllowOnce),
                ];
                let question = question(format!("Allow the model to read {target}?"), reason, choices);
                let allowed = says(asking, question, ALLOW).await;
                answers.insert(key, allowed);
                (allowed, true)
            }
        };
        if allowed {
            Ok(asked)
        } else {
            denied(&format!("reading {target} was not allowed; go on without it"))
        }
    }

    /// Whether a search may look into a file without a question.
    pub fn may_search(&self, turn: &TurnId, target: &Target) -> bool {
        let call = Call {
            names: READING,
            subject: Of::Path(&target.relative),
        };
        !target.secret && self.asks(call).is_none() && self.denying(turn, |rule| rule.covers(call)).is_none()
    }
}

/// Whether an edit makes an editor send a request by a mere look at the file: it names a schema on another machine that
/// was not named before.
fn fetches_schema((before, after): (Option<&str>, Option<&str>)) -> bool {
    let known = schemas(before.unwrap_or_default());
    schemas(after.unwrap_or_default())
        .iter()
        .any(|schema| schema.contains("//") && !known.contains(schema))
}

/// The schemas that a text names, as servers of JSON, YAML and TOML read them.
fn schemas(text: &str) -> BTreeSet<String> {
    static ESCAPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\u([0-9a-fA-F]{4})|\\(/)").ok());
    // Between the key and its value may stand comments.
    static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let blank = r"(?:\s|/\*(?s:.*?)\*/|//[^\n]*\n)*";
        Regex::new(&format!(
            r#"(?:\$schema["']?{blank}[:=]{blank}|#:schema\s+)["']?([^\s"']+)"#
        ))
        .ok()
    });
    if !text.contains("schema") && !text.contains('\\') {
        return BTreeSet::new();
    }
    let (Some(escape), Some(named)) = (&*ESCAPE, &*NAMED) else {
        return BTreeSet::new();
    };
    let plain = escape.replace_all(text, |found: &Captures<'_>| {
        let code = found
            .get(1)
            .and_then(|code| u32::from_str_radix(code.as_str(), 16).ok());
        code.and_then(char::from_u32).unwrap_or('/').to_string()
    });
    named.captures_iter(&plain).map(|found| found[1].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_from_elsewhere_is_found_however_it_is_written() {
        let old = r#"{"$schema": "https://a.example/s.json"}"#;
        for (before, after, asks) in [
            (None, old, true),
            (Some(old), r#"{"$schema": "https://a.example/s.json", "b": 1}"#, false),
            (Some(old), r#"{"$schema": "https://a.example/s.json?secret"}"#, true),
            (None, r#"{"$schema": "./s.json"}"#, false),
            (None, r#"{"\u0024schema": "https:\/\/a.example"}"#, true),
            (None, "{\"$schema\" /* x */ :\n// y\n \"https://a.example\"}", true),
            (None, "# yaml-language-server: $schema=https://a.example\n", true),
            (None, "#:schema https://a.example\n", true),
            (None, r#"{"see": "https://a.example"}"#, false),
        ] {
            assert_eq!(fetches_schema((before, Some(after))), asks, "{before:?} {after}");
        }
        assert!(!fetches_schema((Some(old), None)));
    }
}
