//! `tool-parameters`

use crate::{
    dialect::{Dialect, Outcome, Profile, titles},
    facts::Facts,
    fields::{FIELDS, Field},
    rules::{Report, Rule, field, where_read},
    syntax::{Entry, SkillFile},
};

/// Parameters as a JSON Schema, which the product takes for parameters of these names.
pub(super) const RULE: Rule = Rule {
    code: "tool-parameters",
    summary: "`parameters` of a tool that are a JSON Schema",
    outcome,
    documentation: include_str!("tool_parameters.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    match reader {
        // Our own reading takes both forms.
        Dialect::Unified => Outcome::Fine,
        _ => where_read(reader, "tools", Outcome::Recovers),
    }
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.profile == Some(Profile::Documented) {
        return;
    }
    let readers = Field::find(FIELDS, "tools").map_or(&[][..], |tools| tools.readers);
    let readers = || readers.iter().map(|(reader, _)| *reader);
    let tools = field(file, facts, "tools").map_or(&[][..], |entry| entry.value.items());
    let parameters = tools.iter().flat_map(|tool| tool.entries());
    for parameters in parameters.filter(|entry| entry.key.value == "parameters" && is_schema(entry)) {
        let keys = parameters.value.entries().iter();
        let keys: Vec<String> = keys.map(|entry| format!("`{}`", entry.key.value)).collect();
        let message = format!(
            "{} takes {} for parameters; list each one",
            titles(readers()),
            keys.join(", ")
        );
        report.add(parameters.key.range, message);
    }
}

/// Whether it says of itself that it is an object, and lists properties. A parameter named `type` is a mapping.
fn is_schema(parameters: &Entry) -> bool {
    let says = parameters.value.get("type").and_then(|it| it.as_str());
    says == Some("object") && parameters.value.get("properties").is_some()
}
