//! `wrong-type`

use std::cell::OnceCell;

use text_size::TextRange;

use crate::{
    dialect::Dialect,
    facts::{Facts, FileKind},
    fields::{Field, Place, Type, type_name},
    fixes::{self, Edit, Fix},
    rules::{Report, Rule, Severity, distance},
    syntax::{Node, NodeKind, Scalar, SkillFile, Style},
    verdict,
};

/// A value that is not what its field holds.
pub(super) const RULE: Rule = Rule {
    code: "wrong-type",
    summary: "a value of the wrong type",
    outcome: |reader| reader.policy().wrong_type,
    documentation: include_str!("wrong_type.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    let mut check = Check {
        file,
        facts,
        report,
        refused: OnceCell::new(),
    };
    for entry in file.entries() {
        let field = Field::find(Place::TOP.fields(), &entry.key.value);
        // One reader's own word may be anything where that reader does not look.
        let matters = |field: &&Field| match field.readers {
            [(reader, _)] if facts.dialect == Dialect::Unified && !facts.path.is_empty() => facts.is_read_by(*reader),
            _ => field.is_read_by(facts.dialect),
        };
        if let Some(field) = field.filter(matters) {
            check.node(&entry.value, &entry.key.value, field.types);
        }
    }
}

struct Check<'a> {
    file: &'a SkillFile,
    facts: &'a Facts<'a>,
    report: &'a mut Report,
    /// What the file's own reader does not take; asked at the first need, `None` where nobody knows.
    refused: OnceCell<Option<Vec<TextRange>>>,
}

impl Check<'_> {
    fn node(&mut self, node: &Node, key: &str, types: &'static [Type]) {
        let unread = matches!(node.kind, NodeKind::Alias(_) | NodeKind::Invalid | NodeKind::Null) || node.is_null();
        if unread || types.iter().any(|it| matches!(it, Type::Any)) {
            return;
        }
        match types.iter().find(|it| accepts(it, node)) {
            None => self.mismatch(node, key, types),
            Some(Type::BracketedText) => {
                let message = format!("YAML reads this `{key}` as a list; quote it to keep the brackets");
                let edits = fixes::quote(&self.file.text, node.range);
                self.report
                    .add_at(Severity::Hint, node.range, message)
                    .fix(Fix::safe("Quote the value", edits));
            }
            Some(Type::Text) => self.text(node, key),
            Some(Type::Boolean) => self.boolean(node, key),
            Some(Type::List(types)) => node.items().iter().for_each(|item| self.node(item, key, types)),
            Some(Type::Mapping(..)) => {
                for entry in node.entries() {
                    if let Some(place) = (Place { field: None, types }).step(&entry.key.value) {
                        self.node(&entry.value, &entry.key.value, place.types);
                    }
                }
            }
            Some(_) => {}
        }
    }

    fn mismatch(&mut self, node: &Node, key: &str, types: &'static [Type]) {
        let message = format!("`{key}` must be {}", type_name(types));
        let fix = self.repair(node, types);
        let severity = self.severity(node, self.report.severity, Severity::Warning);
        let finding = self.report.add_at(severity, node.range, message);
        finding.fixes.extend(fix);
    }

    fn repair(&self, node: &Node, types: &'static [Type]) -> Option<Fix> {
        let text = &self.file.text;
        let source = &text[node.range];
        let one_line = !source.contains(['\n', '\r']);
        match (&node.kind, types) {
            (NodeKind::Sequence(_) | NodeKind::Mapping(_), [Type::Text, ..])
                if source.starts_with(['[', '{']) && one_line =>
            {
                Some(Fix::unsafe_("Quote the value", fixes::quote(text, node.range)))
            }
            (NodeKind::Scalar(_), [Type::List(_), ..]) if one_line && !source.contains([',', '[', ']', '{', '}']) => {
                Some(Fix::unsafe_(
                    "Turn it into a list",
                    vec![Edit::replace(node.range, format!("[{source}]"))],
                ))
            }
            (NodeKind::Scalar(scalar), _) => {
                let words = types.iter().flat_map(|it| match it {
                    Type::Choice(choices) => *choices,
                    _ => &[],
                });
                let value = scalar.value.to_lowercase();
                let (_, word) = words
                    .filter_map(|choice| Some((distance(&value, choice.value, 2)?, choice.value)))
                    .min()?;
                let near = value.len() > 2;
                near.then(|| Fix::unsafe_(format!("Change to `{word}`"), vec![Edit::replace(node.range, word)]))
            }
            _ => None,
        }
    }

    /// `"true"` is text; some readers take it for a boolean, others refuse the file or pass over the field.
    fn boolean(&mut self, node: &Node, key: &str) {
        let quoted = node.as_scalar().filter(|scalar| scalar.style != Style::Plain);
        let severity = self.facts.severity(|reader| reader.policy().scalar_for_text);
        let (Some(scalar), Some(value), Some(severity)) = (quoted, node.as_bool(), severity) else {
            return;
        };
        let message = format!("`{key}` is text in quotes; write `{value}` without them");
        let edit = Edit::replace(scalar.range, value.to_string());
        let severity = self.severity(node, severity, Severity::Hint);
        self.report
            .add_at(severity, node.range, message)
            .fix(Fix::safe(format!("Write `{value}`"), vec![edit]));
    }

    /// Text that some readers take for a number or a boolean.
    fn text(&mut self, node: &Node, key: &str) {
        let is_plain = |scalar: &&Scalar| scalar.style == Style::Plain && node.tag.is_none();
        let Some(scalar) = node.as_scalar().filter(is_plain) else {
            return;
        };
        let Some((sort, _)) = verdict::sorts(&scalar.value).next() else {
            return;
        };
        if let Some(severity) = self.facts.severity(|reader| reader.policy().scalar_for_text) {
            let message = format!("some readers read this `{key}` as {}; quote it", sort.words());
            let edits = fixes::quote(&self.file.text, node.range);
            let severity = self.severity(node, severity, Severity::Hint);
            self.report
                .add_at(severity, node.range, message)
                .fix(Fix::safe("Quote the value", edits));
        }
    }

    /// An error is only what the file's own reader refuses: most take some values of another type all the same.
    fn severity(&self, node: &Node, severity: Severity, otherwise: Severity) -> Severity {
        let refused = || verdict::refused_values(self.facts.dialect, self.file, self.facts);
        let is_taken = || {
            let refused = self.refused.get_or_init(refused).as_ref();
            refused.is_some_and(|all| all.iter().all(|range| range.intersect(node.range).is_none()))
        };
        match severity {
            Severity::Error if is_taken() => otherwise,
            severity => severity,
        }
    }
}

/// Whether a value is of a type, looking at its outside alone.
fn accepts(it: &Type, node: &Node) -> bool {
    match (it, &node.kind) {
        (Type::Any, _) | (Type::Text, NodeKind::Scalar(_)) => true,
        (Type::Choice(choices), NodeKind::Scalar(scalar)) => choices.iter().any(|choice| choice.value == scalar.value),
        (Type::Boolean, NodeKind::Scalar(_)) => node.as_bool().is_some(),
        (Type::Integer, NodeKind::Scalar(scalar)) => scalar.value.parse::<i64>().is_ok(),
        (Type::List(_) | Type::BracketedText, NodeKind::Sequence(_)) | (Type::Mapping(..), NodeKind::Mapping(_)) => {
            true
        }
        _ => false,
    }
}
