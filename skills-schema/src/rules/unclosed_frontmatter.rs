//! `unclosed-frontmatter`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{SkillFile, lines},
};

/// Frontmatter without a closing `---`.
pub(super) struct UnclosedFrontmatter;

impl Rule for UnclosedFrontmatter {
    fn code(&self) -> &'static str {
        "unclosed-frontmatter"
    }

    fn summary(&self) -> &'static str {
        "the frontmatter must end with a line `---`"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.unclosed
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::WITH_FRONTMATTER
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(frontmatter) = file.frontmatter.as_ref().filter(|it| it.close.is_none()) else {
            return;
        };
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        // A file that is always in the context may start with a thematic break.
        if facts.kind == FileKind::AlwaysOn {
            return;
        }
        let text = &*file.text;
        let message = "the frontmatter is never closed; end it with a line `---`";
        let finding = report.add(severity, frontmatter.open, message);
        let end = frontmatter.content.end();
        let next = lines(text, TextRange::new(end, TextSize::of(text))).next();
        let edit = match next {
            Some(line) if line.text(text).trim_end() == "..." => Edit::replace(line.range, "---"),
            _ if text[..usize::from(end)].ends_with(['\n', '\r']) => Edit::insert(end, "---\n"),
            _ => Edit::insert(end, "\n---\n"),
        };
        finding.fix(Fix::unsafe_("Close the frontmatter", vec![edit]));
    }

    fn documentation(&self) -> &'static str {
        include_str!("unclosed_frontmatter.md")
    }
}
