//! What is left of a file's findings when its safe repairs are made.

use crate::{
    facts::Facts,
    fixes::{Fix, apply},
    rules::Finding,
    syntax::SkillFile,
    verdict::verdicts,
};

/// The text after the first safe repair of each finding that takes the file from no system which read it whole. Of two
/// that meet, the first is made.
pub fn repaired(file: &SkillFile, facts: &Facts<'_>, findings: &[Finding]) -> String {
    let is_safe = |fix: &&Fix| fix.safe && fix.file.is_none();
    let safe = disjoint(findings.iter().filter_map(|finding| finding.fixes.iter().find(is_safe)));
    let applied = |fixes: &[&Fix]| apply(&file.text, fixes.iter().flat_map(|fix| &fix.edits));
    if safe.is_empty() {
        return applied(&[]);
    }
    let before = verdicts(file, facts);
    let takes_from_nobody = |text: &str| {
        let after = verdicts(&facts.kind.parse(text.into()), facts);
        let mut both = before.iter().zip(&after);
        both.all(|(before, after)| !(before.loads && before.metadata) || after.loads && after.metadata)
    };
    let all = applied(&safe);
    if takes_from_nobody(&all) {
        return all;
    }
    // Readers guess at broken files in ways that no rule foresees: what is left out is for the person to decide.
    let mut kept = Vec::new();
    for fix in safe {
        kept.push(fix);
        if !takes_from_nobody(&applied(&kept)) {
            kept.pop();
        }
    }
    applied(&kept)
}

/// The repairs that change different places.
fn disjoint<'a>(fixes: impl IntoIterator<Item = &'a Fix>) -> Vec<&'a Fix> {
    let mut taken: Vec<&Fix> = Vec::new();
    for fix in fixes {
        let mut edits = taken.iter().flat_map(|other| &other.edits);
        let meets = edits.any(|other| fix.edits.iter().any(|edit| other.range.intersect(edit.range).is_some()));
        if !meets {
            taken.push(fix);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use text_size::TextRange;

    use super::*;
    use crate::fixes::Edit;

    fn range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    #[test]
    fn of_two_repairs_that_meet_one_is_kept_whole() {
        let fix = |edits| Fix::safe("", edits);
        let fixes = [
            fix(vec![Edit::delete(range(4, 6)), Edit::insert(9.into(), "x")]),
            fix(vec![Edit::insert(0.into(), "y"), Edit::delete(range(5, 7))]),
            fix(vec![Edit::insert(2.into(), "z")]),
        ];
        assert_eq!(disjoint(&fixes), [&fixes[0], &fixes[2]]);
    }
}
