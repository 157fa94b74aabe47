//! How the time of each feature grows with hostile text: each family of texts at half a length and at the whole.
//!
//! `cargo bench -p skills-schema --bench hostile [-- [--kib N] [--only FEATURE]… [--all] [WORD…]]` prints the families that cost more than
//! their length, or than a keystroke may, and the slowest of all. WORD picks families by a part of their name.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it takes times and prints them"
)]

mod families;

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use families::{Family, families};
use skills_schema::{
    TextSize, completion,
    facts::{Facts, FileKind},
    folding, hints, hover, links,
    rules::{self, Pass},
    selection, semantic_tokens,
    skill::Metadata,
    skill_names::skill_names,
    subject, symbols,
    syntax::SkillFile,
    verdict,
};

/// What no keystroke may cost.
const MOST: Duration = Duration::from_millis(100);
/// A time that doubles with the length is linear; so much more is not the clock's doing.
const GROWTH: f64 = 3.0;
/// A feature that is slower than this at some length is not measured at a longer one.
const ENOUGH: Duration = Duration::from_secs(2);

type Feature = (&'static str, fn(&SkillFile, &Facts<'_>));

const FEATURES: &[Feature] = &[
    // What comes between a key and its findings: all is read anew.
    ("keystroke", |file, facts| {
        let file = facts.kind.parse(file.text.clone());
        drop(black_box(rules::report(&file, facts, Pass::Text)))
    }),
    ("findings", |file, facts| {
        drop(black_box(rules::report(file, facts, Pass::Text)))
    }),
    // Matters of taste, for those who turn them on.
    ("other rules", |file, facts| {
        for rule in rules::RULES
            .iter()
            .filter(|rule| rule.default_off && rule.kinds.contains(&facts.kind))
        {
            drop(black_box(rules::check_rule(rule, file, facts)));
        }
    }),
    ("errors", |file, facts| drop(black_box(rules::errors(file, facts)))),
    ("readers", |file, facts| drop(black_box(verdict::view(file, facts)))),
    ("verdicts", |file, facts| {
        drop(black_box(verdict::summary(&verdict::verdicts(file, facts), facts)))
    }),
    ("metadata", |file, _| drop(black_box(Metadata::of(file)))),
    ("hints", |file, facts| drop(black_box(hints::hints(file, facts)))),
    ("tokens", |file, facts| {
        drop(black_box(semantic_tokens::tokens(file, facts, |_| true)))
    }),
    ("links", |file, _| drop(black_box(links::links(file)))),
    ("symbols", |file, _| drop(black_box(symbols::symbols(file)))),
    ("folds", |file, _| drop(black_box(folding::folds(file)))),
    ("skill names", |file, _| drop(black_box(skill_names(file)))),
    ("selections", |file, _| {
        at_places(file, |at| drop(black_box(selection::selections(file, at))))
    }),
    ("completion", |file, facts| {
        at_places(file, |at| drop(black_box(completion::complete(file, facts, at))))
    }),
    ("hover", |file, facts| {
        at_places(file, |at| drop(black_box(hover::hover(file, facts, at))))
    }),
    ("subject", |file, _| {
        at_places(file, |at| {
            if let Some(subject::Subject::Parameter(parameter)) = subject::subject(file, at) {
                black_box(subject::uses(file, parameter));
            }
        })
    }),
    ("repairs", |file, facts| {
        drop(black_box(rules::repaired(
            file,
            facts,
            &rules::report(file, facts, Pass::Text),
        )))
    }),
    ("allowances", |file, facts| {
        let found = rules::report(file, facts, Pass::Text);
        for finding in &found {
            black_box(rules::allow(file, finding));
        }
    }),
];

/// Asks at three places: near the start, in the middle and near the end. Each must be quick by itself, so that the sum
/// is not what a keystroke costs, but near enough.
fn at_places(file: &SkillFile, ask: impl Fn(TextSize)) {
    for part in [1, 50, 99] {
        let mut at = file.text.len() * part / 100;
        while !file.text.is_char_boundary(at) {
            at -= 1;
        }
        ask(TextSize::try_from(at).unwrap_or_default());
    }
}

/// The least of three times, as far as one is long enough to count: other programs only add to it.
fn least<T>(mut measured: impl FnMut() -> T) -> Duration {
    let mut time = || {
        let begin = Instant::now();
        black_box(measured());
        begin.elapsed()
    };
    let first = time();
    if first < MOST / 10 || first > ENOUGH {
        return first;
    }
    first.min(time()).min(time())
}

/// The time of each feature, that of reading the text first.
fn times(family: &Family, bytes: usize, skip: &[&str]) -> Vec<(&'static str, Duration)> {
    let text: Arc<str> = family.text(bytes).into();
    let facts = Facts::of_path(family.path);
    let kind = FileKind::of_path(family.path).unwrap_or_default();
    let read = || kind.parse(text.clone());
    let frontmatter = least(read);
    let mut times = vec![("frontmatter", frontmatter)];
    if !skip.contains(&"body") {
        let both = least(|| read().markdown().blocks.len());
        times.push(("body", both.saturating_sub(frontmatter)));
    }
    let file = read();
    file.markdown();
    for (name, feature) in FEATURES.iter().filter(|(name, _)| !skip.contains(name)) {
        times.push((name, least(|| feature(&file, &facts))));
    }
    times
}

fn main() {
    let (mut kib, mut all, mut words, mut only) = (1000, false, Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--kib" => kib = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(kib),
            "--all" => all = true,
            "--only" => only.extend(arguments.next()),
            "--bench" => {}
            word => words.push(word.to_owned()),
        }
    }
    let others: Vec<&str> = ["body"]
        .into_iter()
        .chain(FEATURES.iter().map(|(name, _)| *name))
        .collect();
    let others = others
        .into_iter()
        .filter(|name| !only.is_empty() && !only.iter().any(|it| it == name));
    let others: Vec<&str> = others.collect();
    println!(
        "{:<42}{:<36}{:<14}{:>9}{:>11}{:>8}",
        "", "", "feature", "KiB", "ms", "growth"
    );
    let mut slowest: Vec<(Duration, &str, &str)> = Vec::new();
    let families = families();
    let wanted = |family: &&Family| words.is_empty() || words.iter().any(|word| family.name.contains(word.as_str()));
    let (mut counted, mut bad) = (0, 0);
    for family in families.iter().filter(wanted) {
        counted += 1;
        let mut earlier: Vec<(&str, Duration)> = Vec::new();
        let mut skip = others.clone();
        for size in [kib / 16, kib / 8, kib / 4, kib / 2, kib] {
            let found = times(family, size * 1024, &skip);
            for &(name, time) in &found {
                let before = earlier.iter().find(|(it, _)| *it == name).map(|(_, time)| *time);
                let growth = before.map_or(f64::NAN, |before| time.as_secs_f64() / before.as_secs_f64());
                let is_last = size == kib || time > ENOUGH;
                let is_bad = time > MOST || (growth > GROWTH && time > MOST / 4);
                if is_last && (is_bad || all) {
                    println!(
                        "{:<42}{:<36}{name:<14}{size:>9}{:>11.1}{growth:>8.1}",
                        family.name,
                        family.path,
                        time.as_secs_f64() * 1e3
                    );
                    bad += usize::from(is_bad);
                }
                if time > ENOUGH {
                    skip.push(name);
                } else if is_last {
                    slowest.push((time, family.name, name));
                }
            }
            earlier = found;
        }
    }
    slowest.sort_unstable();
    println!("\n{counted} families, {bad} beyond the measure; the slowest of the others:");
    for (time, family, feature) in slowest.iter().rev().filter(|it| it.0 <= MOST).take(10) {
        println!("{:>11.1} ms  {feature} of {family}", time.as_secs_f64() * 1e3);
    }
}
