//! `encoded-command`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule},
    syntax::{SkillFile, lines, range_of},
};

/// A command that nobody can read, and that is run.
pub(super) const RULE: Rule = Rule {
    code: "encoded-command",
    summary: "an encoded command that nobody can read before it runs",
    outcome: |_| Outcome::Recovers,
    documentation: include_str!("encoded_command.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range).as_bytes();
    if !DECODERS
        .iter()
        .any(|it| memchr::memmem::find(body, it.as_bytes()).is_some())
    {
        return;
    }
    for line in lines(&file.text, file.body.range) {
        if let Some((start, end)) = decoded(line.text(&file.text)) {
            let base = usize::from(line.range.start());
            let message = "this runs an encoded command; write it in plain text";
            report.add(range_of(base + start, base + end), message);
        }
    }
}

/// What makes a command of something unreadable.
const DECODERS: &[&str] = &[
    "base64 -d",
    "base64 -D",
    "base64 --decode",
    "xxd -r",
    "b64decode(",
    "-EncodedCommand ",
];

/// Where a line decodes something and runs it.
fn decoded(line: &str) -> Option<(usize, usize)> {
    let (at, decoder) = DECODERS.iter().find_map(|it| Some((line.find(it)?, *it)))?;
    let behind = at + decoder.len();
    let (before, rest) = (&line[..at], &line[behind..]);
    let is_run = |word: &str| SHELLS.contains(&word.trim_matches(['`', '"', '\'', ')', ';']));
    let is_piped = rest.split_once('|').is_some_and(|(_, next)| {
        let mut words = next.split_whitespace().skip_while(|it| matches!(*it, "sudo" | "env"));
        words.next().is_some_and(is_run)
    });
    let is_evaluated = ["eval ", "exec(", "sh -c "].iter().any(|it| before.contains(it));
    let is_argument = decoder.starts_with("-Enc") && !rest.trim_start().starts_with('<');
    let is_fed = is_argument || is_fed(before, rest);
    ((is_piped || is_evaluated || is_argument) && is_fed).then(|| (at, line.trim_end().len()))
}

/// Whether something is decoded: a text that only names the pattern has nothing before it, or dots.
fn is_fed(before: &str, rest: &str) -> bool {
    let code = before.rsplit(['`', '|']).find(|part| !part.trim().is_empty());
    let source = code.unwrap_or_default().trim();
    let is_left_out = source.ends_with("...") || source.ends_with('…') || source.ends_with('>');
    let is_pattern = ["grep ", "rg "].iter().any(|it| before.contains(it));
    let file = rest.split(['|', ')', '`']).next().unwrap_or_default();
    let is_piped = before.trim_end().ends_with('|') && before.trim_start() != "|" && !source.is_empty();
    let is_of_file = file
        .split_whitespace()
        .any(|word| !word.starts_with('-') && word.len() > 1);
    !is_pattern && !is_left_out && (is_piped || is_of_file)
}

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby"];
