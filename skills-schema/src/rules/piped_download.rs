//! `piped-download`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule},
    syntax::{SkillFile, lines, range_of},
};

/// A download that is run unseen.
pub(super) const RULE: Rule = Rule {
    code: "piped-download",
    summary: "what is downloaded is looked at before it is run",
    outcome: |_| Outcome::Tolerates,
    documentation: include_str!("piped_download.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    let has = |needle: &str| memchr::memmem::find(body.as_bytes(), needle.as_bytes()).is_some();
    if !(has("curl ") || has("wget ")) || !(has("|") || has("$(") || has("<(")) {
        return;
    }
    for line in lines(&file.text, file.body.range) {
        if let Some((start, end)) = download(line.text(&file.text)) {
            let base = usize::from(line.range.start());
            let message = "this runs whatever the server sends; download it, check its hash, then run it";
            report.add(range_of(base + start, base + end), message);
        }
    }
}

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "perl", "ruby", "iex",
];

/// Where a line downloads something and runs it.
fn download(line: &str) -> Option<(usize, usize)> {
    let start = ["curl ", "wget "].iter().filter_map(|it| line.find(it)).min()?;
    let rest = &line[start..];
    for (at, _) in rest.match_indices('|') {
        let piped = &rest[at + 1..];
        let words = piped
            .split_whitespace()
            .skip_while(|it| matches!(*it, "sudo" | "env" | "-E") || it.contains('='));
        let Some(word) = words
            .map(|it| it.trim_end_matches(['`', '"', '\'', ')', ';', '.', ',']))
            .next()
        else {
            continue;
        };
        if SHELLS.contains(&word.rsplit('/').next().unwrap_or(word)) {
            let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
            return Some((start, end));
        }
    }
    // `bash <(curl …)` and `sh -c "$(curl …)"`.
    let before = line[..start].trim_end();
    let shell = before.strip_suffix("<(").or_else(|| before.strip_suffix("$("))?;
    let mut words = shell.split_whitespace().rev();
    let first = words.find(|word| SHELLS.contains(&word.trim_start_matches('`')))?;
    let end = rest.find(')').map_or(line.len(), |at| start + at + 1);
    Some((first.as_ptr() as usize - line.as_ptr() as usize, end))
}
