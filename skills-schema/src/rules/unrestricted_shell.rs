//! `unrestricted-shell`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    permission_rule,
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// A shell without limits.
pub(super) struct UnrestrictedShell;

impl Rule for UnrestrictedShell {
    fn code(&self) -> &'static str {
        "unrestricted-shell"
    }

    fn summary(&self) -> &'static str {
        "a skill gets only the commands that it needs"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        where_read(policy, "allowed-tools", Outcome::Doubts)
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let Some(entry) = field(file, facts, "allowed-tools") else {
            return;
        };
        for listed in permission_rule::listed(file, &entry.value) {
            let rule = permission_rule::parse(listed.text);
            if rule.is_ok_and(|rule| matches!(rule.tool, "Bash" | "PowerShell" | "shell") && rule.is_unrestricted()) {
                let message = "this allows every command without asking; name the commands: `Bash(git:*)`";
                report.add(severity, listed.range, message);
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("unrestricted_shell.md")
    }
}
