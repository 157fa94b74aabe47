//! `plugin-variable`

use crate::{
    facts::Facts,
    rules::{Report, Rule},
    syntax::{SkillFile, range_of},
};

/// A variable of plugins in a skill of no plugin.
pub(super) const RULE: Rule = Rule {
    code: "plugin-variable",
    summary: "a plugin's variable outside a plugin",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("plugin_variable.md"),
    check,
    ..Rule::DEFAULT
};

const VARIABLES: [&str; 2] = ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"];

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    // Elsewhere it may lie in a plugin whose manifest is in a marketplace.
    let is_of_no_plugin = format!("/{}", facts.path).contains("/.claude/skills/");
    if !is_of_no_plugin {
        return;
    }
    let (body, base) = (file.slice(file.body.range), usize::from(file.body.range.start()));
    for variable in VARIABLES {
        for at in memchr::memmem::find_iter(body.as_bytes(), variable.as_bytes()) {
            let message = format!("`{variable}` is only set in plugins; use `${{CLAUDE_SKILL_DIR}}`");
            report.add(range_of(base + at, base + at + variable.len()), message);
        }
    }
}
