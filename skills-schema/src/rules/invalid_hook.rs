//! `invalid-hook`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::Facts,
    fields::Place,
    fixes::{Edit, Fix},
    pattern,
    rules::{Finding, Report, Rule, Severity, field, nearest, where_read},
    syntax::{Entry, Node, NodeKind, Scalar, SkillFile},
    vocabulary::{self, Matched},
};

/// A hook that never runs.
pub(super) const RULE: Rule = Rule {
    code: "invalid-hook",
    summary: "a hook without a known event or without anything to run",
    outcome: |reader| where_read(reader, "hooks", Outcome::Recovers),
    documentation: include_str!("invalid_hook.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(hooks) = field(file, facts, "hooks") else {
        return;
    };
    let mut check = Check { file, report };
    for event in hooks.value.entries() {
        check.event(event);
        event
            .value
            .items()
            .iter()
            .for_each(|group| check.group(&event.key.value, group));
    }
}

struct Check<'a> {
    file: &'a SkillFile,
    report: &'a mut Report,
}

/// What each type of hook must say beside its type.
const NEEDS: &[(&str, &[&str])] = &[
    ("command", &["command"]),
    ("http", &["url"]),
    ("mcp_tool", &["server", "tool"]),
    ("prompt", &["prompt"]),
    ("agent", &["prompt"]),
];

impl Check<'_> {
    fn event(&mut self, event: &Entry) {
        let known = Place::TOP.step("hooks").map_or(&[][..], Place::fields);
        let name = event.key.value.as_str();
        if known.iter().any(|it| it.name == name) {
            return;
        }
        match nearest(name, known.iter().map(|it| it.name)) {
            Some(near) => {
                let message = format!("unknown event `{name}`; did you mean `{near}`?");
                let edit = Edit::replace(event.key.range, near);
                let fix = Fix::unsafe_(format!("Change to `{near}`"), vec![edit]);
                self.report.add(event.key.range, message).fix(fix);
            }
            None => {
                let message = format!("unknown event `{name}`; use one such as `PreToolUse` or `Stop`");
                self.report.add_at(
                    self.report.severity.max(Severity::Information),
                    event.key.range,
                    message,
                );
            }
        }
    }

    fn group(&mut self, event: &str, group: &Node) {
        let NodeKind::Mapping(entries) = &group.kind else {
            return;
        };
        if let Some(matcher) = entries.iter().find(|entry| entry.key.value == "matcher") {
            self.matcher(event, matcher);
        }
        match entries.iter().find(|entry| entry.key.value == "hooks") {
            Some(hooks)
                if hooks.value.is_null() || matches!(&hooks.value.kind, NodeKind::Sequence(it) if it.is_empty()) =>
            {
                self.report.add(hooks.range, "this list of hooks is empty");
            }
            Some(hooks) => hooks.value.items().iter().for_each(|hook| self.hook(hook)),
            None => {
                let first = entries.first().map_or(group.range, |entry| entry.key.range);
                let is_flat = group.get("command").is_some() || group.get("type").is_some();
                let message = if is_flat {
                    "never runs; put the hook in a list under `hooks:`"
                } else {
                    "never runs; add a list of hooks under `hooks:`"
                };
                self.report.add(first, message);
            }
        }
    }

    fn hook(&mut self, hook: &Node) {
        let NodeKind::Mapping(entries) = &hook.kind else { return };
        let first = entries.first().map_or(hook.range, |entry| entry.key.range);
        let Some(kind) = hook.get("type").and_then(Node::as_scalar) else {
            self.report.add(first, "missing `type`; add `type: command`");
            return;
        };
        let Some((_, needed)) = NEEDS.iter().find(|(name, _)| *name == kind.value) else {
            let types = NEEDS.iter().map(|(name, _)| *name);
            let near = nearest(&kind.value, types.clone());
            let way_out = near.map_or_else(
                || format!("use one of {}", types.collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("unknown hook type `{}`; {way_out}", kind.value);
            let finding = self.report.add(kind.range, message);
            if let Some(near) = near {
                let edit = Edit::replace(kind.range, near);
                finding.fix(Fix::unsafe_(format!("Change to `{near}`"), vec![edit]));
            }
            return;
        };
        self.timeout(hook);
        for name in needed.iter().filter(|name| hook.get(name).is_none_or(Node::is_null)) {
            let message = format!("a `{}` hook needs `{name}`", kind.value);
            self.report.add(kind.range, message);
        }
    }

    fn timeout(&mut self, hook: &Node) {
        let timeout = hook.get("timeout").and_then(Node::as_scalar);
        let is_time = |scalar: &&Scalar| scalar.value.parse().is_ok_and(|seconds: f64| seconds <= 0.0);
        if let Some(scalar) = timeout.filter(is_time) {
            let message = "the timeout must be more than 0 seconds";
            self.report.add(scalar.range, message);
        }
    }

    fn matcher(&mut self, event: &str, matcher: &Entry) {
        let Some(scalar) = matcher
            .value
            .as_scalar()
            .filter(|it| !it.is_null() && !it.value.is_empty())
        else {
            return;
        };
        let matched = vocabulary::matched(event);
        if matched == Some(Matched::Nothing) {
            let message = format!("`{event}` ignores `matcher`; the hook always runs");
            self.add_quietly(matcher.range, message);
            return;
        }
        let value = scalar.value.as_str();
        if !value.chars().all(|c| c.is_alphanumeric() || "_- ,|".contains(c)) {
            if let Some(fault) = pattern::fault(value).filter(|_| value != "*") {
                let range = scalar.part(&self.file.text, fault.range);
                self.report.add(range, fault.message);
            }
            return;
        }
        let mut start = 0;
        for name in value.split(['|', ',']) {
            let end = start + name.len();
            if name.trim().is_empty() {
                // With the separator before it, or behind the first.
                let part = start.saturating_sub(1)..if start == 0 { end + 1 } else { end };
                let range = scalar.part(&self.file.text, part);
                let fix = Fix::unsafe_("Remove it", vec![Edit::delete(range)]);
                let message = "an empty name never matches; remove it";
                self.report.add(range, message).fix(fix);
            } else {
                let start = start + name.len() - name.trim_start().len();
                let range = scalar.part(&self.file.text, start..start + name.trim().len());
                self.name(event, matched, name.trim(), range);
            }
            start = end + 1;
        }
    }

    /// One name of a matcher that is a list of them.
    fn name(&mut self, event: &str, matched: Option<Matched>, name: &str, range: TextRange) {
        let tools = || vocabulary::TOOLS.iter().map(|tool| tool.name);
        let (near, fault) = match matched {
            Some(Matched::Tool) if vocabulary::tool(name).is_none() => {
                (nearest(name, tools()), format!("unknown tool `{name}`"))
            }
            Some(Matched::Word(words)) if words.iter().all(|(word, _)| *word != name) => {
                let near = nearest(name, words.iter().map(|(word, _)| *word));
                (near, format!("`{event}` never matches `{name}`"))
            }
            _ => return,
        };
        match (near, matched) {
            (Some(near), _) => {
                let message = format!("{fault}; did you mean `{near}`?");
                let fix = Fix::unsafe_(format!("Change to `{near}`"), vec![Edit::replace(range, near)]);
                self.report.add(range, message).fix(fix);
            }
            (None, Some(Matched::Word(words))) => {
                let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                // A newer version may have more of them.
                let finding = match vocabulary::tool(name) {
                    Some(_) => self.report.add(range, fault),
                    None => self.add_quietly(range, fault),
                };
                finding.relate(range, format!("write one of {}", words.join(", ")));
            }
            // Servers and plugins bring tools of their own.
            _ => {}
        }
    }

    fn add_quietly(&mut self, range: TextRange, message: String) -> &mut Finding {
        let severity = self.report.severity.max(Severity::Information);
        self.report.add_at(severity, range, message)
    }
}
