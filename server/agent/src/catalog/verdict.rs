//! What a system makes of the text of a skill.

use skills_schema::dialect::{Dialect, Outcome};
use skills_schema::facts::{Facts, FileKind};
use skills_schema::rules;
use skills_schema::skill::{self, Metadata};
use skills_schema::syntax::SkillFile;
use skills_schema::verdict;

use super::read::Content;

/// What a reader makes of a text.
pub(super) struct Reading {
    pub(super) dialect: Dialect,
    pub(super) metadata: Metadata,
    pub(super) errors: Vec<String>,
    /// Another name than the place's.
    pub(super) name: Option<String>,
    pub(super) broken: bool,
    pub(super) body: std::ops::Range<usize>,
}

impl Reading {
    /// As the system reads it that it is written for: the one that is configured, else that of the text or the place.
    pub(super) fn by_own_dialect(content: &Content, mut facts: Facts<'_>, configured: Option<Dialect>) -> Self {
        let file = SkillFile::parse(content.text.clone());
        let mut metadata = Metadata::of(&file);
        facts.dialect = configured.or_else(|| skill::dialect(&file)).unwrap_or(facts.dialect);
        let mut errors: Vec<String> = Vec::new();
        let mut worst = Outcome::Fine;
        for finding in rules::errors(&file, &facts) {
            let outcome = rules::find(finding.code).map(|rule| rule.outcome(facts.dialect));
            worst = worst.max(outcome.unwrap_or(Outcome::Misreads));
            errors.push(finding.message);
        }
        // What is recorded of the system's program decides. It was recorded of skills; of other files the rules know more.
        let is_skill = facts.kind == FileKind::Skill;
        let verdict = is_skill
            .then(|| verdict::verdict_of(facts.dialect, &file, &facts))
            .flatten();
        let (broken, has_metadata) = match &verdict {
            Some(verdict) => (!verdict.loads, verdict.metadata),
            None => (
                worst == Outcome::Drops,
                !facts.dialect.loads_unreadable() || worst != Outcome::Misreads,
            ),
        };
        if let Some(reason) = verdict.and_then(|it| it.reason).filter(|_| broken && errors.is_empty()) {
            errors.push(reason);
        }
        let body = file.body.range;
        if !broken && !has_metadata {
            // The body of such a file is loaded as if it had no frontmatter.
            metadata = Metadata::of(&SkillFile::parse(file.slice(body).into()));
        }
        Self {
            dialect: facts.dialect,
            metadata,
            errors,
            name: None,
            broken,
            body: body.start().into()..body.end().into(),
        }
    }

    /// As one system's product reads it.
    pub(super) fn as_seen_by(dialect: Dialect, content: &Content, facts: Facts<'_>) -> Self {
        let file = SkillFile::parse(content.text.clone());
        let facts = Facts { dialect, ..facts };
        let verdict = verdict::verdict_of(dialect, &file, &facts);
        let mut metadata = Metadata::of(&file);
        let body = file.body.range;
        let Some(verdict) = verdict else {
            return Self::by_own_dialect(content, facts, None);
        };
        if !verdict.metadata {
            metadata = Metadata::of(&SkillFile::parse(file.slice(body).into()));
        }
        if verdict.loads {
            metadata.description = verdict.description;
        }
        Self {
            dialect,
            metadata,
            errors: verdict.reason.into_iter().collect(),
            name: verdict.name.filter(|_| !dialect.reader().name_is_label),
            broken: !verdict.loads,
            body: body.start().into()..body.end().into(),
        }
    }
}
