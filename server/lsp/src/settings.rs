//! The person's settings, as an editor sends them.
//!
//! The section `skills` of the editor's settings and `initializationOptions` hold the same object. What is wrong in it
//! is said, and costs nothing else.

use std::path::PathBuf;

use serde_json::Value;
use skills_agent::model::{Effort, ModelSettings};
use skills_agent::permission::{Mode, Rule, Rules};

use crate::authority::Authority;
use crate::checks::{self, Checks};

/// What a person can set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model and how it is reached.
    pub model: ModelSettings,
    /// Whether the workspace is trusted; asked where unset.
    pub trust_workspace: Option<bool>,
    /// What goes through without a question.
    pub permission_mode: Mode,
    /// What is denied, asks or is allowed, in particular.
    pub permission_rules: Rules,
    /// Whether the kernel keeps commands from writing outside the workspace, where it can.
    pub shell_sandbox: bool,
    /// Absolute paths of further folders that commands may write to.
    pub shell_writable: Vec<PathBuf>,
    /// How files are found, read and checked.
    pub checks: Checks,
    /// Whether names of arguments and sizes are shown in the text.
    pub inlay_hints: bool,
    /// Where files are edited that are not open.
    pub closed_files: ClosedFiles,
}

/// Where files are edited that are not open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClosedFiles {
    /// In the editor where it saves what it opens, else on the disk.
    #[default]
    Editor,
    /// On the disk.
    Disk,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: ModelSettings::default(),
            trust_workspace: None,
            permission_mode: Mode::default(),
            permission_rules: Rules::default(),
            shell_sandbox: true,
            shell_writable: Vec::new(),
            checks: Checks::default(),
            inlay_hints: true,
            closed_files: ClosedFiles::default(),
        }
    }
}

/// One setting: its key and how its value is taken.
type Setting = (&'static str, fn(&mut Settings, &Value) -> Result<(), Wrong>);

/// What is wrong with a value.
enum Wrong {
    /// It must be this.
    MustBe(&'static str),
    /// Sentences about its parts.
    Parts(Vec<String>),
}

impl From<&'static str> for Wrong {
    fn from(expected: &'static str) -> Self {
        Self::MustBe(expected)
    }
}

/// All settings, by their dotted keys.
const SETTINGS: &[Setting] = &[
    ("model.provider", |settings, value| {
        text(value, &mut settings.model.provider)
    }),
    ("model.name", |settings, value| text(value, &mut settings.model.name)),
    ("model.baseUrl", |settings, value| {
        text(value, &mut settings.model.base_url)
    }),
    ("model.apiKeyEnv", |settings, value| {
        text(value, &mut settings.model.api_key_env)
    }),
    ("model.apiKeyCommand", |settings, value| {
        text(value, &mut settings.model.api_key_command)
    }),
    ("model.effort", |settings, value| {
        let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let effort = Effort::of(&text);
        settings.model.effort = Some(effort.ok_or("low, medium, high, xhigh, max or a number of tokens")?);
        Ok(())
    }),
    ("model.contextWindow", |settings, value| {
        let tokens = value.as_u64().filter(|tokens| *tokens > 0);
        settings.model.context_window = Some(tokens.ok_or("a number of tokens")?);
        Ok(())
    }),
    ("prices", |settings, value| {
        let expected = "an object of models, each with the numbers `input` and `output` and, if it has them, `cacheRead` and \
                        `cacheWrite`, for a million tokens";
        settings.model.prices = serde_json::from_value(value.clone()).map_err(|_| expected)?;
        Ok(())
    }),
    ("trust.workspace", |settings, value| {
        settings.trust_workspace = Some(value.as_bool().ok_or("true or false")?);
        Ok(())
    }),
    ("permissions.mode", |settings, value| {
        let mode = value.as_str().and_then(Mode::of);
        // Whoever sets a mode does not want everything to go through: one that is not understood asks.
        settings.permission_mode = mode.unwrap_or(Mode::Ask);
        mode.ok_or("acceptEdits, ask or readOnly; until then edits ask")?;
        Ok(())
    }),
    ("permissions.allow", |settings, value| {
        let mut texts = Vec::new();
        self::texts(value, &mut texts)?;
        let mut problems = Vec::new();
        let read = texts.iter().filter_map(|text| match Rule::parse(text) {
            Ok(rule) => {
                problems.extend(rule.problem());
                Some(rule)
            }
            Err(problem) => {
                problems.push(problem.to_string());
                None
            }
        });
        settings.permission_rules.allow = read.collect();
        told(problems)
    }),
    ("permissions.ask", |settings, value| {
        guards(value, &mut settings.permission_rules.ask)
    }),
    ("permissions.deny", |settings, value| {
        guards(value, &mut settings.permission_rules.deny)
    }),
    ("permissions.sandbox", |settings, value| {
        settings.shell_sandbox = value.as_bool().ok_or("true or false")?;
        Ok(())
    }),
    ("permissions.writable", |settings, value| {
        let mut folders = Vec::new();
        texts(value, &mut folders)?;
        settings.shell_writable = folders.into_iter().map(PathBuf::from).collect();
        let are_absolute = settings.shell_writable.iter().all(|folder| folder.is_absolute());
        settings.shell_writable.retain(|folder| folder.is_absolute());
        are_absolute.then_some(()).ok_or("a list of absolute paths")?;
        Ok(())
    }),
    ("inlayHints", |settings, value| {
        settings.inlay_hints = value.as_bool().ok_or("true or false")?;
        Ok(())
    }),
    ("edits.closedFiles", |settings, value| {
        settings.closed_files = match value.as_str() {
            Some("editor") => ClosedFiles::Editor,
            Some("disk") => ClosedFiles::Disk,
            _ => return Err("editor or disk".into()),
        };
        Ok(())
    }),
];

/// What the editor's other objects in the same place mean, which are no settings.
const OTHERS: &[&str] = &["agent", "token"];

/// What any client may set, the tools' too: how a skill's text is read, shown and checked. All else is the person's.
const ANYBODYS: &[&str] = &[
    "inlayHints",
    "paths",
    "rules",
    "dialects",
    "dialectProfiles",
    "readers",
    "ignore",
];

/// The keys of all settings: what is documented is held against them.
pub fn keys() -> impl Iterator<Item = &'static str> {
    let own = SETTINGS.iter().map(|(key, _)| *key);
    own.chain(checks::SETTINGS.iter().map(|(key, _)| *key))
}

impl Settings {
    /// Whether an object has any of our settings: some clients send those of others, or none.
    pub fn are_in(object: &Value) -> bool {
        let mut found = Vec::new();
        flatten(object, "", &mut found);
        found.iter().any(|(key, _)| keys().any(|name| name == key))
    }

    /// The same for a client that speaks for somebody: what only the person sets is left out, and named.
    pub fn with_those_of(&self, authority: Authority, object: &Value) -> (Self, Vec<String>) {
        if authority == Authority::Person {
            return self.with(object);
        }
        let mut found = Vec::new();
        flatten(object, "", &mut found);
        let is_anybodys = |(key, _): &(String, &Value)| {
            let first = key.split('.').next().unwrap_or_default();
            ANYBODYS.contains(&first) || OTHERS.contains(&first)
        };
        let (theirs, persons): (Vec<_>, Vec<_>) = found.into_iter().partition(is_anybodys);
        let theirs = theirs.into_iter().map(|(key, value)| (key, value.clone())).collect();
        let (settings, mut problems) = self.with(&Value::Object(theirs));
        if !persons.is_empty() {
            let keys: Vec<_> = persons.into_iter().map(|(key, _)| key).collect();
            problems.push(format!("left out without the person's token: {}", keys.join(", ")));
        }
        (settings, problems)
    }

    /// These settings with those of the object on top; the second value says what could not be understood.
    pub fn with(&self, object: &Value) -> (Self, Vec<String>) {
        let mut settings = self.clone();
        let mut problems = Vec::new();
        let mut found = Vec::new();
        let mut on_top = Checks::default();
        flatten(object, "", &mut found);
        for (key, value) in found {
            let checks = checks::SETTINGS.iter().find(|(name, _)| *name == key);
            if let Some((_, take)) = checks {
                let found = take(&mut on_top, value);
                problems.extend(found.into_iter().map(|wrong| format!("skills.{}", wrong.message)));
                continue;
            }
            match SETTINGS.iter().find(|(name, _)| *name == key) {
                Some((_, take)) => match take(&mut settings, value) {
                    Ok(()) => {}
                    Err(Wrong::MustBe(expected)) => {
                        problems.push(format!("skills.{key} is {value}; it must be {expected}"));
                    }
                    Err(Wrong::Parts(parts)) => {
                        problems.extend(parts.iter().map(|part| format!("skills.{key}: {part}")));
                    }
                },
                None if OTHERS.iter().any(|other| key.split('.').next() == Some(other)) => {}
                None => problems.push(format!("skills.{key} is no setting of skills-ls")),
            }
        }
        settings.checks = on_top.over(&settings.checks);
        (settings, problems)
    }
}

fn text(value: &Value, target: &mut Option<String>) -> Result<(), Wrong> {
    *target = Some(value.as_str().ok_or("a text")?.to_owned());
    Ok(())
}

fn texts(value: &Value, target: &mut Vec<String>) -> Result<(), Wrong> {
    let items = value.as_array().ok_or("a list of texts")?;
    let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
    *target = texts.collect::<Option<_>>().ok_or("a list of texts")?;
    Ok(())
}

/// Rules that forbid or ask: what can't be understood guards more, never less.
fn guards(value: &Value, target: &mut Vec<Rule>) -> Result<(), Wrong> {
    let items = match value {
        Value::Array(items) => items.clone(),
        other => vec![other.clone()],
    };
    let read = items.iter().map(|item| match item {
        Value::String(text) => Rule::guarding(text),
        other => Rule::guarding(&other.to_string()),
    });
    let (rules, problems): (Vec<_>, Vec<_>) = read.unzip();
    *target = rules;
    told(problems.into_iter().flatten().collect())
}

fn told(problems: Vec<String>) -> Result<(), Wrong> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Wrong::Parts(problems)),
    }
}

/// Editors send `{"model": {"name": …}}` or `{"model.name": …}`; null means unset.
pub fn flatten<'a>(value: &'a Value, prefix: &str, found: &mut Vec<(String, &'a Value)>) {
    let Value::Object(members) = value else {
        return;
    };
    for (key, value) in members {
        let key = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Null => {}
            // An object that is a setting's whole value: its keys are the person's own, and may have dots.
            Value::Object(_) if keys().any(|name| name == key) => found.push((key, value)),
            Value::Object(_) => flatten(value, &key, found),
            _ => found.push((key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_read_and_mistakes_are_named() {
        let (settings, problems) = Settings::default().with(&json!({
            "agent": {"active": {}},
            "model": {"name": "claude-sonnet-4-5", "baseUrl": null},
            "trust.workspace": true,
            "permissions": {"mode": "readOnly"},
        }));
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.model.name.as_deref(), Some("claude-sonnet-4-5"));
        assert_eq!(settings.trust_workspace, Some(true));
        assert_eq!(settings.permission_mode, Mode::ReadOnly);

        let (settings, problems) = Settings::default().with(&json!({
            "model": {"effort": 2000, "contextWindow": 0},
            "prices": {"gpt-4.1": {"input": 2, "output": 8, "cacheRead": 0.5}},
        }));
        assert_eq!(settings.model.effort, Effort::of("2000"));
        assert_eq!(settings.model.prices["gpt-4.1"].cache_read, Some(0.5));
        assert_eq!(
            problems,
            ["skills.model.contextWindow is 0; it must be a number of tokens"]
        );
        let (_, problems) = Settings::default().with(&json!({"prices": {"x": {"in": 2}}, "model.effort": "lots"}));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].ends_with("it must be low, medium, high, xhigh, max or a number of tokens"),
            "{problems:?}"
        );
        assert!(problems[1].contains("an object of models"), "{problems:?}");

        let (settings, problems) =
            Settings::default().with(&json!({"model": {"name": 3}, "trust": {"workspace": "yes"}, "modle": 1}));
        assert_eq!(settings, Settings::default());
        assert_eq!(
            problems,
            [
                "skills.model.name is 3; it must be a text",
                "skills.modle is no setting of skills-ls",
                "skills.trust.workspace is \"yes\"; it must be true or false",
            ]
        );
        assert_eq!(Settings::default().with(&json!(null)).0, Settings::default());

        let checks = json!({"rules": {"too-long": "off", "tolong": "off"}, "dialects": {"a.b/**": "claude"}});
        let (settings, problems) = Settings::default().with(&checks);
        assert_eq!(
            settings.checks.dialect("a.b/x"),
            Some(skills_schema::dialect::Dialect::Claude)
        );
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("did you mean `too-long`?"), "{problems:?}");

        let (settings, problems) = Settings::default().with(&json!({"permissions": {
            "deny": ["Bash(rm:*)", "bash(touch:*)", 3],
            "ask": "Edit([)",
            "allow": ["Bash(ls:*)", "bash(ls)", "Bash(x"],
        }}));
        let rules = &settings.permission_rules;
        assert_eq!((rules.deny.len(), rules.ask.len(), rules.allow.len()), (3, 1, 2));
        assert_eq!(
            problems,
            [
                "skills.permissions.allow: `bash(ls)` allows nothing; write `Bash(ls)`",
                "skills.permissions.allow: `Bash(x` is no rule; write one like `Bash(git status:*)` or `Edit(src/**)`",
                "skills.permissions.ask: `Edit([)` is no rule, so it holds for all of Edit; write one like `Edit(src/**)`",
                "skills.permissions.deny: `bash(touch:*)` is no rule, so it holds for all of Bash; write `Bash(touch:*)`",
                "skills.permissions.deny: `3` is no rule, so it holds for every tool; write one like `Bash(rm:*)`",
            ]
        );

        let (settings, problems) = Settings::default().with(&json!({"permissions": {"mode": "readonly"}}));
        assert_eq!(settings.permission_mode, Mode::Ask, "a slip of the pen allows nothing");
        let expected = "it must be acceptEdits, ask or readOnly; until then edits ask";
        assert_eq!(
            problems,
            [format!("skills.permissions.mode is \"readonly\"; {expected}")]
        );
    }
}
