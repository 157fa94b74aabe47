//! What a skill waits for: the files and words that its frontmatter names.

use std::ops::Range;
use std::path::Path;

use skills_schema::dialect::runtime::OnMatch;
use skills_schema::glob::{EVERY_FILE, Flavour, Literals, PathMatcher};
use skills_schema::shown::shortened;
use skills_schema::trigger;

use super::{Skill, SkillState, relative};
use crate::catalog::{Why, WhyKind};

/// How many characters of a pattern are shown: a hostile one is longer than a page.
const SHOWN: usize = 200;

impl Skill {
    /// Whether it waits for a file: it has patterns that its reader uses. Where a match lists a skill, `**` is no
    /// condition; where it says the skill, every file meets it.
    pub(in crate::catalog) fn is_conditional(&self) -> bool {
        let waits = |effect: OnMatch| effect == OnMatch::Inject || !self.has_pattern_for_all();
        !self.metadata.paths.is_empty() && self.runtime.paths.is_some_and(|paths| waits(paths.effect))
    }

    /// What can't be read of its patterns and keywords, and so matches nothing: each with the part that is wrong.
    pub fn unreadable(&self) -> Vec<String> {
        let patterns = self.metadata.paths.iter().enumerate();
        let patterns = patterns.filter_map(|(index, pattern)| {
            let error = self.matcher().error(index)?;
            Some(unreadable(&pattern.text, error.at.clone(), &error.message))
        });
        let reads_regex = self.runtime.triggers.is_some_and(|triggers| triggers.reads_regex);
        let keywords = self.metadata.triggers.keywords(self.runtime).filter(|_| reads_regex);
        let keywords = keywords.filter_map(|keyword| {
            let error = trigger::check(&keyword.text)?;
            Some(unreadable(&keyword.text, error.at, &error.message))
        });
        patterns.chain(keywords).collect()
    }

    /// What every file has that one of its patterns matches.
    pub(in crate::catalog) fn literals(&self) -> Vec<Literals> {
        self.patterns().literals()
    }

    /// The pattern that a file matches, if the skill counts.
    pub(in crate::catalog) fn activated_by(&self, file: &Path) -> Option<Why> {
        self.bases.iter().find_map(|base| self.matches(&relative(base, file)?))
    }

    /// The pattern that a path relative to one of its bases matches, if the skill counts.
    pub(in crate::catalog) fn matches(&self, relative: &str) -> Option<Why> {
        if !self.counts() || !self.is_conditional() {
            return None;
        }
        let pattern = self.metadata.paths.get(self.matcher().matches(relative)?)?;
        Some(Why {
            kind: WhyKind::Path,
            text: pattern.text.clone(),
            range: pattern.range,
            matched: relative.to_owned(),
        })
    }

    /// What else brings it in than a trigger: a file that it waits for, or somebody who chooses it.
    pub fn chooser(&self) -> String {
        let metadata = &self.metadata;
        if self.is_conditional() {
            let patterns: Vec<_> = metadata
                .paths
                .iter()
                .map(|pattern| shortened(&pattern.text, SHOWN))
                .collect();
            return format!("it waits for a file that matches {}", patterns.join(" or "));
        }
        match (metadata.disable_model_invocation, metadata.user_invocable) {
            (false, true) => "the model or a person may choose it",
            (false, false) => "only the model may choose it",
            (true, true) => "only a person may choose it",
            (true, false) => "nobody may choose it",
        }
        .to_owned()
    }

    /// Why a file does not activate it.
    pub(in crate::catalog) fn why_not(&self, file: &Path) -> String {
        match (self.state, &self.shadowed_by) {
            (SkillState::Shadowed, Some(winner)) => return format!("shadowed by {}", winner.display()),
            (SkillState::Shadowed, None) => return format!("shadowed by the bundled skill {}", self.name),
            (SkillState::Broken, _) => return format!("not loaded: {}", self.errors.join("; ")),
            _ => {}
        }
        if !self.is_conditional() {
            let condition = if self.flavour.is_none() && !self.metadata.paths.is_empty() {
                format!("{} does not read `paths`", self.runtime.dialect.title())
            } else {
                "it has no condition".to_owned()
            };
            return format!("{condition}; {}", self.chooser());
        }
        let Some(relative) = self.bases.iter().find_map(|base| relative(base, file)) else {
            let bases: Vec<_> = self.bases.iter().map(|base| base.display().to_string()).collect();
            return format!("{} is not below {}", file.display(), bases.join(" or "));
        };
        let patterns = self.metadata.paths.iter();
        let texts: Vec<_> = patterns.map(|pattern| pattern.text.as_str()).collect();
        let shown: Vec<_> = texts.iter().map(|text| shortened(text, SHOWN)).collect();
        let mut reason = format!("{relative} matches none of {}", shown.join(", "));
        for (index, text) in texts.iter().enumerate() {
            if let Some(error) = self.matcher().error(index) {
                reason.push_str("; ");
                reason.push_str(&unreadable(text, error.at.clone(), &error.message));
            } else if self.flavour == Some(Flavour::Claude)
                && !text.contains('/')
                && PathMatcher::new([format!("**/{text}").as_str()])
                    .matches(&relative)
                    .is_some()
            {
                let hint = format!("; {text} means files of the project's own folder, **/{text} those of all");
                reason.push_str(&hint);
            }
        }
        reason
    }

    fn has_pattern_for_all(&self) -> bool {
        self.flavour.is_some() && self.metadata.paths.iter().any(|pattern| pattern.text == EVERY_FILE)
    }

    fn matcher(&self) -> &PathMatcher {
        self.matcher.get_or_init(|| Box::new(self.patterns()))
    }

    fn patterns(&self) -> PathMatcher {
        let patterns = self.metadata.paths.iter().map(|pattern| pattern.text.as_str());
        self.flavour
            .map_or_else(PathMatcher::default, |flavour| PathMatcher::of(flavour, patterns))
    }
}

fn unreadable(text: &str, at: Range<usize>, message: &str) -> String {
    let part = text.get(at).filter(|part| !part.is_empty() && *part != text);
    let part = part
        .map(|part| format!(" at `{}`", shortened(part, SHOWN)))
        .unwrap_or_default();
    format!(
        "{} can't be read{part} and matches nothing: {message}",
        shortened(text, SHOWN)
    )
}
