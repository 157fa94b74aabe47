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
    summary: "a download that runs without being looked at",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("piped_download.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    let has = |needle: &&str| memchr::memmem::find(body.as_bytes(), needle.as_bytes()).is_some();
    if !HINTS.iter().any(has) || !["|", "("].iter().any(has) {
        return;
    }
    let mut lines = lines(&file.text, file.body.range);
    while let Some(line) = lines.next() {
        let mut range = line.range;
        let mut last = line.text(&file.text);
        while goes_on(last) {
            let Some(next) = lines.next() else { break };
            range = range.cover(next.range);
            last = next.text(&file.text);
        }
        let base = usize::from(range.start());
        let text = file.slice(range);
        if memchr::memchr2(b'|', b'(', text.as_bytes()).is_none() {
            continue;
        }
        for (start, end) in downloads(text) {
            if INSTALLERS.iter().any(|it| text[start..end].contains(it)) {
                continue;
            }
            // A table of what not to do, or a message that tells a person what to run.
            let is_said = ["echo ", "printf "].iter().any(|it| text[..start].contains(it));
            if is_said || text.trim_start().starts_with('|') {
                continue;
            }
            let message = "this runs a download unseen; check its hash before running it";
            report.add(range_of(base + start, base + end), message);
        }
    }
}

/// What a text that downloads something has, as it is mostly written.
const HINTS: &[&str] = &[
    "curl ",
    "wget ",
    "irm ",
    "iwr ",
    "Invoke-",
    "invoke-",
    "ownloadString",
    "ownloadstring",
];

/// Installers that their vendors document this way.
const INSTALLERS: &[&str] = &[
    "https://astral.sh/uv/",
    "https://sh.rustup.rs",
    "https://bun.sh/install",
    "https://deno.land/install",
    "https://get.docker.com",
    "https://raw.githubusercontent.com/Homebrew/",
    "https://get.pnpm.io/",
    "https://raw.githubusercontent.com/nvm-sh/",
    "https://fnm.vercel.app/",
    "https://nixos.org/nix/",
    "https://claude.ai/install",
    "https://opencode.ai/install",
];

/// What downloads, in lower case, up to where its arguments begin.
const DOWNLOADS: &[&str] = &[
    "curl ",
    "wget ",
    "irm ",
    "iwr ",
    "invoke-restmethod ",
    "invoke-webrequest ",
    ".downloadstring(",
];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "fish", "pwsh", "powershell"];

const INTERPRETERS: &[&str] = &["python", "python3", "node", "perl", "ruby"];

/// What runs a text in PowerShell.
const EXPRESSIONS: &[&str] = &["iex", "invoke-expression"];

/// Whether a command goes on in the next line. The rows of a table end with a bar too.
fn goes_on(line: &str) -> bool {
    let line = line.trim();
    line.ends_with('\\') || (line.ends_with('|') && !line.starts_with('|'))
}

/// Where a command downloads something and runs it, each time.
fn downloads(line: &str) -> Vec<(usize, usize)> {
    let lower = line.to_ascii_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let mut starts: Vec<usize> = DOWNLOADS
        .iter()
        .flat_map(|it| lower.match_indices(it))
        .filter(|(at, it)| it.starts_with('.') || !lower[..*at].ends_with(is_part))
        .map(|(at, _)| at)
        .collect();
    starts.sort_unstable();
    let mut found = Vec::new();
    let mut from = 0;
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(line.len());
        if let Some((start, end)) = download(&lower, from, start, end).filter(|(start, _)| *start >= from) {
            found.push((start, end));
            from = end;
        }
        // What comes before the next one is looked at once.
        from = from.max(start + 1);
    }
    found
}

/// Where what is downloaded at `start` is run: before it, not before `from`, or behind it, before `end`.
fn download(line: &str, from: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let rest = &line[start..end];
    for (at, _) in rest.match_indices('|') {
        let mut words = rest[at + 1..]
            .split_whitespace()
            .take(8)
            .skip_while(|it| matches!(*it, "sudo" | "env" | "-e" | "\\") || it.contains('='));
        let Some(raw) = words.next() else { continue };
        let word = raw.trim_end_matches(['`', '"', '\'', ')', ';', '.', ',']);
        let name = word.rsplit('/').next().unwrap_or(word);
        // With a program of its own an interpreter only reads what comes: `python3 -m json.tool`.
        let next = words.next().filter(|_| raw.len() == word.len()).unwrap_or("-");
        // A program that stands in the text itself is no download: `python3 - <<'PY'`.
        let has_program = words.next().is_some_and(|it| it.starts_with("<<"))
            || next.starts_with("<<")
            || next != "-" && !next.starts_with(['|', '&', ';', ')', '#', '>', '2']);
        let runs = SHELLS.contains(&name) || EXPRESSIONS.contains(&name) || INTERPRETERS.contains(&name);
        if runs && !(INTERPRETERS.contains(&name) && has_program) {
            return Some((start, place(word) + word.len()));
        }
    }
    let close = || line[start..].find(')').map_or(line.len(), |at| start + at + 1);
    let before = line.get(from..start)?.trim_end();
    // `iex (irm …)`.
    let command = before.rsplit([';', '|']).next().unwrap_or(before);
    let mut words = command.split(|c: char| c.is_whitespace() || "`('\"&{".contains(c));
    if let Some(word) = words.find(|word| EXPRESSIONS.contains(word))
        && line[place(word)..start].contains('(')
    {
        return Some((place(word), close()));
    }
    // `bash <(curl …)` and `sh -c "$(curl …)"`.
    let shell = before.strip_suffix("<(").or_else(|| before.strip_suffix("$("))?;
    let mut words = shell.split_whitespace().rev();
    let is_run = |word: &str| SHELLS.contains(&word) || INTERPRETERS.contains(&word);
    let first = words.find(|word| is_run(word.trim_start_matches('`')))?;
    Some((place(first), close()))
}
