//! `skill-file-name`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// `skill.md`.
pub(super) const RULE: Rule = Rule {
    code: "skill-file-name",
    summary: "`SKILL.md` in other letters",
    outcome: |reader| reader.policy().file_name_case,
    kinds: &[FileKind::Skill],
    documentation: include_str!("skill_file_name.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let name = facts.path.rsplit('/').next().unwrap_or_default();
    if name == "SKILL.md" || !name.eq_ignore_ascii_case("SKILL.md") {
        return;
    }
    let message = format!("rename `{name}` to `SKILL.md`; some readers look for nothing else");
    report.add(super::head(file), message);
}
