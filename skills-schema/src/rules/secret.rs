//! `secret`

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule},
    syntax::{SkillFile, range_of},
};

/// A key or a password in the text.
pub(super) const RULE: Rule = Rule {
    code: "secret",
    summary: "a secret, such as an API key",
    outcome: |_| Outcome::Recovers,
    documentation: include_str!("secret.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let Some(finder) = FINDER.as_ref() else { return };
    let mut after = 0;
    for found in finder.find_iter(&*file.text) {
        let Some(kind) = KINDS.get(found.pattern().as_usize()).filter(|_| found.start() >= after) else {
            continue;
        };
        let Some(length) = secret(&file.text, found.start(), kind) else {
            continue;
        };
        after = found.start() + length;
        // The message stays in logs: it does not repeat the secret.
        let message = format!(
            "this looks like {}; revoke it and read it from the environment",
            kind.what
        );
        report.add(range_of(found.start(), after), message);
    }
}

/// A sort of key: how it starts, how much follows, and of what.
struct Kind {
    prefix: &'static str,
    what: &'static str,
    least: usize,
    most: usize,
    more: &'static str,
}

const fn kind(prefix: &'static str, what: &'static str, least: usize, most: usize, more: &'static str) -> Kind {
    Kind {
        prefix,
        what,
        least,
        most,
        more,
    }
}

const LONG: usize = 400;

const KINDS: &[Kind] = &[
    kind("ghp_", "a GitHub token", 36, 36, ""),
    kind("gho_", "a GitHub token", 36, 36, ""),
    kind("ghs_", "a GitHub token", 36, 36, ""),
    kind("github_pat_", "a GitHub token", 60, 100, "_"),
    kind("glpat-", "a GitLab token", 20, 60, "-_."),
    kind("sk-ant-", "an Anthropic API key", 40, LONG, "-_"),
    kind("sk-proj-", "an OpenAI API key", 40, LONG, "-_"),
    kind("xoxb-", "a Slack token", 24, 120, "-"),
    kind("xoxp-", "a Slack token", 24, 120, "-"),
    kind("AKIA", "an AWS key", 16, 16, ""),
    kind("AIza", "a Google API key", 35, 35, "-_"),
    kind("sk_live_", "a Stripe key", 24, 120, ""),
    kind("npm_", "an npm token", 36, 36, ""),
    kind("hf_", "a Hugging Face token", 34, 40, ""),
    kind("-----BEGIN ", "a private key", 0, 0, ""),
];

/// One look at the text for all of them.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // Only of leftmost matches many are looked for at once.
    let mut builder = AhoCorasick::builder();
    let builder = builder.match_kind(MatchKind::LeftmostFirst);
    builder.build(KINDS.iter().map(|kind| kind.prefix)).ok()
});

/// The length of the secret that starts here.
fn secret(text: &str, start: usize, kind: &Kind) -> Option<usize> {
    let rest = &text[start + kind.prefix.len()..];
    if kind.most == 0 {
        let line = rest.lines().next()?;
        let end = line.find("PRIVATE KEY-----")? + "PRIVATE KEY-----".len();
        // An example has no key below its first line.
        let key = rest[end..].trim_start().as_bytes();
        let is_key = key.len() > 40
            && key[..40]
                .iter()
                .all(|it| it.is_ascii_alphanumeric() || b"+/=\r\n".contains(it));
        return is_key.then_some(kind.prefix.len() + end);
    }
    let is_more = |c: char| c.is_ascii_alphanumeric() || kind.more.contains(c);
    let is_inside = text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    // One more than fits is too many already.
    let length = rest
        .bytes()
        .take(kind.most + 1)
        .take_while(|it| is_more(char::from(*it)))
        .count();
    let key = &rest[..length];
    let fits = (kind.least..=kind.most).contains(&length);
    if !fits || is_inside {
        return None;
    }
    let mut letters: Vec<u8> = key.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    let lower = key.to_ascii_lowercase();
    let is_example = [
        "example",
        "xxx",
        "your",
        "placeholder",
        "redacted",
        "dummy",
        "fake",
        "1234567890",
    ]
    .iter()
    .any(|it| lower.contains(it));
    (!is_example && letters.len() > 8).then_some(kind.prefix.len() + length)
}
