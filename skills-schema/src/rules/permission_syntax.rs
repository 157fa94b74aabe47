//! `permission-syntax`

use std::ops::Range;

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    glob::{Flavour, PathMatcher},
    permission_rule::{self, Listed, PermissionRule, Problem, ProblemKind},
    rules::{Report, Rule, field, where_read},
    syntax::{Node, SkillFile},
    vocabulary,
};

/// An entry of a list of tools that can't be read.
pub(super) const RULE: Rule = Rule {
    code: "permission-syntax",
    summary: "an entry of `allowed-tools` that is not `Tool` or `Tool(pattern)`",
    outcome: |reader| where_read(reader, "allowed-tools", Outcome::Recovers),
    documentation: include_str!("permission_syntax.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for name in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = field(file, facts, name) else {
            continue;
        };
        for item in entry.value.items().iter().filter_map(Node::as_scalar) {
            if !item.is_null() && item.value.trim().is_empty() {
                report.add(item.range, "empty entry; remove it");
            }
        }
        for listed in permission_rule::listed(file, &entry.value) {
            match permission_rule::parse(listed.text) {
                Err(problem) => {
                    let range = listed.part(file, problem.range.clone());
                    let finding = report.add(range, message(problem.kind));
                    finding.fixes.extend(fix(file, &listed, &problem, range));
                }
                Ok(rule) => {
                    let Some(doubt) = doubt(listed.text, &rule) else {
                        continue;
                    };
                    let range = listed.part(file, doubt.range.clone());
                    let is_exact = file.slice(range) == &listed.text[doubt.range];
                    let finding = report.add(range, doubt.message);
                    if let Some(text) = doubt.instead.filter(|_| is_exact) {
                        let edit = Edit::replace(range, text.as_str());
                        let title = match text.as_str() {
                            "" => "Remove it".to_owned(),
                            text => format!("Change to `{text}`"),
                        };
                        finding.fix(Fix::unsafe_(title, vec![edit]));
                    }
                }
            }
        }
    }
}

/// What an entry that can be read says to no effect.
struct Doubt {
    /// The wrong bytes of the entry.
    range: Range<usize>,
    message: String,
    /// What to write there.
    instead: Option<String>,
}

fn doubt(entry: &str, rule: &PermissionRule<'_>) -> Option<Doubt> {
    let Some(specifier) = rule.specifier else {
        let (name, rest) = rule.tool.split_once('[')?;
        vocabulary::tool(name)?;
        return Some(Doubt {
            range: name.len()..entry.len(),
            message: format!("put the pattern in parentheses: `{name}(…)`"),
            instead: rest.strip_suffix(']').map(|what| format!("({what})")),
        });
    };
    let start = specifier.as_ptr() as usize - entry.as_ptr() as usize;
    let range = start..start + specifier.len();
    match rule.tool {
        _ if rule.mcp().is_some() => Some(Doubt {
            range: rule.tool.len()..entry.len(),
            message: "tools of an MCP server take no pattern; remove it".to_owned(),
            instead: Some(String::new()),
        }),
        "WebFetch" if !rule.is_unrestricted() => {
            let domain = specifier.strip_prefix("domain:").map(str::trim);
            let message = match domain {
                Some("") => "missing domain; write `domain:example.com`",
                Some(_) => return None,
                None => "`WebFetch` takes only a domain; write `domain:example.com`",
            };
            // Of an address only the domain counts.
            let address = specifier.split_once("://").map_or(specifier, |(_, rest)| rest);
            let host = address.split('/').next().filter(|host| host.contains('.'));
            Some(Doubt {
                range,
                message: message.to_owned(),
                instead: host.map(|host| format!("domain:{host}")),
            })
        }
        "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "NotebookRead" | "LS" => {
            let matcher = PathMatcher::of(Flavour::Gitignore, [specifier]);
            let error = matcher.error(0)?;
            Some(Doubt {
                range: start + error.at.start..start + error.at.end,
                message: error.message.clone(),
                instead: None,
            })
        }
        _ => None,
    }
}

fn message(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Unclosed => "unclosed `(`; the entry allows nothing",
        ProblemKind::Unopened => "unmatched `)`; remove it",
        ProblemKind::NoTool => "missing tool; write `Bash(…)`",
        ProblemKind::Blank => "the space ends the entry, which then allows every use; remove it",
        ProblemKind::Empty => "empty parentheses; write a pattern or remove them",
        ProblemKind::TextAfter => "text after `)`; separate entries with commas or spaces",
        ProblemKind::PrefixInside => "`:*` works only at the end; write `*`",
    }
}

fn fix(file: &SkillFile, listed: &Listed<'_>, problem: &Problem, range: TextRange) -> Option<Fix> {
    // Nobody knows where a value is to be changed that is not written as it reads.
    let is_exact = file.slice(range) == &listed.text[problem.range.clone()];
    let (title, edit) = match problem.kind {
        _ if !is_exact => return None,
        ProblemKind::Unclosed => {
            let end = range.start() + TextSize::of(listed.text.split(',').next()?)
                - TextSize::try_from(problem.range.start).ok()?;
            ("Close it", Edit::insert(end.max(range.end()), ")"))
        }
        ProblemKind::Unopened => ("Remove it", Edit::delete(range)),
        ProblemKind::Blank => ("Remove the space", Edit::delete(range)),
        ProblemKind::Empty => ("Remove the parentheses", Edit::delete(range)),
        ProblemKind::PrefixInside => ("Write `*`", Edit::replace(range, " *")),
        ProblemKind::NoTool | ProblemKind::TextAfter => return None,
    };
    Some(Fix::unsafe_(title, vec![edit]))
}
