//! `unknown-skill`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Names},
    fixes::{Edit, Fix},
    permission_rule,
    rules::{Look, Report, Rule, Severity},
    syntax::{MentionKind, Node, NodeKind, SkillFile},
};

/// The name of a skill that there is not.
pub(super) const RULE: Rule = Rule {
    code: "unknown-skill",
    summary: "a skill that does not exist",
    outcome: |reader| reader.policy().unmet_requirement.max(Outcome::Recovers),
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("unknown_skill.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let (field, severity) = match facts.kind {
        FileKind::Agent => ("skills", Some(Severity::Warning)),
        _ => ("requires", facts.severity(|reader| reader.policy().unmet_requirement)),
    };
    if let (Some(entry), Some(severity)) = (file.entry(field), severity) {
        for (name, range) in listed(&entry.value) {
            // Skills of plugins are named after the plugin too; they are not looked for.
            if names.get(name).is_none() && !name.contains(':') {
                add(name, range, names, severity, report);
            }
        }
    }
    permitted(file, facts, names, report);
    // A command of the program, or of another one, is written in the same way: only a slip of the pen is told.
    for mention in &file.markdown().mentions {
        let name = file.slice(mention.range);
        if mention.kind == MentionKind::Skill
            && name.len() > 5
            && names.get(name).is_none()
            && names.near(name).is_some()
        {
            add(name, mention.range, names, Severity::Information, report);
        }
    }
}

/// The skills that `Skill(name)` stands for. Claude Code brings skills along too, so only a slip is likely a mistake.
fn permitted(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    for field in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = super::field(file, facts, field) else {
            continue;
        };
        for listed in permission_rule::listed(file, &entry.value) {
            let rule = permission_rule::parse(listed.text)
                .ok()
                .filter(|rule| rule.tool == "Skill");
            let Some(specifier) = rule.and_then(|rule| rule.specifier) else {
                continue;
            };
            // Arguments may stand behind the name, and a plugin before it.
            let name = specifier.split([' ', ':', '*']).next().unwrap_or_default();
            if name.is_empty() || specifier[name.len()..].starts_with('*') || names.get(name).is_some() {
                continue;
            }
            let is_of_plugin = specifier[name.len()..]
                .strip_prefix(':')
                .is_some_and(|rest| rest != "*");
            if !is_of_plugin {
                let severity = match names.near(name) {
                    Some(_) => Severity::Warning,
                    None => Severity::Information,
                };
                let start = specifier.as_ptr() as usize - listed.text.as_ptr() as usize;
                add(
                    name,
                    listed.part(file, start..start + name.len()),
                    names,
                    severity,
                    report,
                );
            }
        }
    }
}

/// The names of a list, or of a text with commas.
fn listed(node: &Node) -> Vec<(&str, TextRange)> {
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().flat_map(listed).collect(),
        NodeKind::Scalar(scalar) if !scalar.is_null() && !scalar.value.contains(',') => {
            vec![(scalar.value.trim(), scalar.inner())]
        }
        NodeKind::Scalar(scalar) if !scalar.is_null() => {
            let names = scalar.value.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(|name| (name, scalar.inner())).collect()
        }
        _ => Vec::new(),
    }
}

fn add(name: &str, range: TextRange, names: &dyn Names, severity: Severity, report: &mut Report) {
    let near = names.near(name);
    let way_out = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "add it or remove the name".to_owned(),
    };
    let finding = report.add_at(severity, range, format!("unknown skill `{name}`; {way_out}"));
    if let Some(near) = near.filter(|_| usize::from(range.len()) == name.len()) {
        let edits = vec![Edit::replace(range, near)];
        finding.fix(Fix::unsafe_(format!("Write `{near}`"), edits));
    }
}
