//! One message and many skills.

use std::ops::Range;

use text_size::TextRange;

use super::{Candidate, Decision, Match, MatchKind, keyword::Message};
use crate::dialect::runtime::{Filter, Matcher, Runtime, Triggers};

/// What a message does to each skill, in the order of the skills. Broken ones must not be among them. Skills compete
/// for a reader's places among themselves alone.
pub fn decide(candidates: &[Candidate<'_>], message: &str) -> Vec<Decision> {
    let message = Message::new(message);
    let mut decisions: Vec<Decision> = Vec::with_capacity(candidates.len());
    let mut scores: Vec<usize> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let (decision, score) = alone(candidate, &message);
        decisions.push(decision);
        scores.push(score);
    }
    let mut readers: Vec<&'static Runtime> = Vec::new();
    for candidate in candidates {
        if !readers.iter().any(|reader| std::ptr::eq(*reader, candidate.runtime)) {
            readers.push(candidate.runtime);
        }
    }
    for reader in readers {
        if let Some((policy, limit)) = reader.triggers.and_then(|policy| Some((policy, policy.limit?))) {
            let members = (0..candidates.len()).filter(|&index| std::ptr::eq(candidates[index].runtime, reader));
            let members: Vec<usize> = members.collect();
            cut(candidates, &mut decisions, &scores, &members, policy, limit);
        }
    }
    decisions
}

/// What the message does to a skill, were it the only one, and how many of its keywords it holds.
fn alone(candidate: &Candidate<'_>, message: &Message<'_>) -> (Decision, usize) {
    let no = |reason: String| (Decision::Inactive(reason), 0);
    let triggers = candidate.triggers;
    let mut keywords: Vec<(&str, Option<TextRange>)> = triggers
        .keywords(candidate.runtime)
        .map(|keyword| (keyword.text.as_str(), Some(keyword.range)))
        .collect();
    let Some(policy) = candidate.runtime.triggers else {
        let is_ignored = !triggers.list.is_empty() || !triggers.mapping.is_empty() || triggers.inputs.is_some();
        let reason = if is_ignored {
            format!("{} does not read triggers", candidate.runtime.dialect.title())
        } else {
            NO_TRIGGER.to_owned()
        };
        return no(reason);
    };
    let own_name = format!("/{}", candidate.name);
    // Wolffish knows no tasks.
    let is_task = triggers.inputs.is_some() && policy.limit.is_none();
    if is_task && !keywords.iter().any(|(text, _)| *text == own_name) {
        keywords.push((&own_name, None));
    }
    if candidate.has_paths && !policy.beside_paths {
        return no(if keywords.is_empty() {
            NO_TRIGGER.to_owned()
        } else {
            "it has `paths`, and then its reader drops the triggers".to_owned()
        });
    }
    let found = |text: &str, range, matched: Range<usize>, kind| {
        Decision::Active(Match {
            kind,
            text: text.to_owned(),
            range,
            matched,
            rank: 0,
        })
    };
    if keywords.is_empty() {
        if candidate.is_flat && candidate.runtime.is_always_on && !candidate.has_paths {
            return (found("", None, 0..0, MatchKind::Always), 0);
        }
        return no(NO_TRIGGER.to_owned());
    }
    if policy.filter == Filter::PureBeforeLimit && !candidate.is_pure {
        return no(NOT_PURE.to_owned());
    }
    if let Some((text, range)) = keywords.iter().find(|(text, _)| policy.star_is_always && *text == "*") {
        return (found(text, *range, 0..0, MatchKind::Always), 0);
    }
    let hits = keywords.iter().filter_map(|(text, range)| {
        let matched = message.find(text, &policy)?;
        Some((*text, *range, matched))
    });
    let hits: Vec<_> = hits.collect();
    let Some((text, range, matched)) = hits.first().cloned() else {
        return no(missed(&keywords, message, policy));
    };
    if policy.is_once && candidate.was_told {
        return no(format!(
            "`{text}` matches, and its text is in this conversation already"
        ));
    }
    let kind = if is_task { MatchKind::Task } else { MatchKind::Keyword };
    (found(text, range, matched, kind), hits.len())
}

const NO_TRIGGER: &str = "it has no trigger";
const NOT_PURE: &str = "triggers bring in texts alone, and this skill defines tools or has no text";

/// Leaves a reader's skills with the highest scores; of equal ones those that come first.
fn cut(
    candidates: &[Candidate<'_>],
    decisions: &mut [Decision],
    scores: &[usize],
    members: &[usize],
    policy: Triggers,
    limit: usize,
) {
    let mut ranked: Vec<usize> = members.iter().copied().filter(|&index| scores[index] > 0).collect();
    ranked.sort_by_key(|&index| std::cmp::Reverse(scores[index]));
    let best: Vec<&str> = ranked.iter().take(limit).map(|&index| candidates[index].name).collect();
    for (place, &index) in ranked.iter().take(limit).enumerate() {
        if let Decision::Active(found) = &mut decisions[index] {
            found.rank = place + 1;
        }
    }
    for &index in ranked.iter().skip(limit) {
        let reason = format!(
            "it matches, but {} match as many of their triggers or more",
            best.join(", ")
        );
        decisions[index] = Decision::Inactive(reason);
    }
    if policy.filter == Filter::PureAfterLimit {
        for &index in members {
            if !candidates[index].is_pure && matches!(decisions[index], Decision::Active(_)) {
                decisions[index] = Decision::Inactive(NOT_PURE.to_owned());
            }
        }
    }
}

/// Why no keyword was found.
fn missed(keywords: &[(&str, Option<TextRange>)], message: &Message<'_>, policy: Triggers) -> String {
    let shown: Vec<String> = keywords.iter().take(8).map(|(text, _)| format!("`{text}`")).collect();
    let more = if keywords.len() > shown.len() { ", …" } else { "" };
    let how = match policy.matcher {
        Matcher::Token => "holds none as a word of its own",
        Matcher::Substring => "holds none",
    };
    let near = keywords
        .iter()
        .find_map(|(text, _)| Some((text, message.inside_word(text)?)));
    let near = near.filter(|_| policy.matcher == Matcher::Token);
    let near = near.map_or(String::new(), |(text, word)| {
        format!("; `{text}` stands only inside `{word}`")
    });
    format!("the message {how}: {}{more}{near}", shown.join(", "))
}
