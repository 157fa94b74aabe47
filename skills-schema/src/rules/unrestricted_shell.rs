//! `unrestricted-shell`

use crate::{
    dialect::Outcome,
    facts::Facts,
    permission_rule,
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// A shell without limits.
pub(super) const RULE: Rule = Rule {
    code: "unrestricted-shell",
    summary: "`Bash` without a pattern under `allowed-tools`",
    outcome: |reader| where_read(reader, "allowed-tools", Outcome::Doubts),
    default_off: true,
    documentation: include_str!("unrestricted_shell.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(entry) = field(file, facts, "allowed-tools") else {
        return;
    };
    for listed in permission_rule::listed(file, &entry.value) {
        let rule = permission_rule::parse(listed.text);
        if rule.is_ok_and(|rule| matches!(rule.tool, "Bash" | "PowerShell" | "shell") && rule.is_unrestricted()) {
            let message = "this allows every command; list the commands, as in `Bash(git:*)`";
            report.add(listed.range, message);
        }
    }
}
