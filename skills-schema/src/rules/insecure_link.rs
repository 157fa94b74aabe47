//! `insecure-link`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    links::{self, Target},
    rules::{Report, Rule},
    syntax::{SkillFile, range_of},
};

/// An address whose answer anybody on the way can change.
pub(super) const RULE: Rule = Rule {
    code: "insecure-link",
    summary: "an `http:` link",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: FileKind::TEXTS,
    documentation: include_str!("insecure_link.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    for link in links::links(file) {
        let Target::Address(address) = link.target else {
            continue;
        };
        let start = usize::from(link.range.start());
        let range = range_of(start, start + "http".len());
        let is_written = file.slice(link.range).starts_with("http:");
        let host = address
            .strip_prefix("http://")
            .map(|rest| rest.split(['/', ':', '?', '#']).next());
        let Some(host) = host.flatten().filter(|host| is_written && !is_near(host)) else {
            continue;
        };
        let message = format!("insecure link to `{host}`; use `https:`");
        report
            .add(range, message)
            .fix(Fix::unsafe_("Write `https`", vec![Edit::replace(range, "https")]));
    }
}

/// Whether a host is on this computer or in this network.
fn is_near(host: &str) -> bool {
    let is_number = host.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_number
        || host.starts_with('[')
        || !host.contains('.')
        || host.ends_with(".local")
        || host.ends_with(".localhost")
}
