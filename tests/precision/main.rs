//! Measures which findings are worth reading: checks public repositories, and prints per rule how many of the findings
//! people judged useful, noise or false. Prints; judges nothing.
//!
//! `repositories.tsv` names each repository, its commit, and its set: one person judged the first while the rules were
//! tuned on it; two who did not know the rules judged the second and the third, each before anything was changed for it,
//! and where they disagree it counts as noise. `judged.jsonl` holds a finding per line; one that is no longer given still counts as lost
//! where it was useful.
//!
//! Arguments: the folder of the checkouts, `OWNER/NAME` below it; what is missing is fetched. `--open` lists the findings
//! that nobody judged, as lines for `judged.jsonl` without verdict and reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A finding's place: repository, mode, file, line, rule.
type Place = (String, String, String, u64, String);

const REPOSITORIES: &str = include_str!("repositories.tsv");
const JUDGED: &str = include_str!("judged.jsonl");
const VERDICTS: [&str; 3] = ["useful", "noise", "false"];
/// How the checks are run, by the name in `judged.jsonl`.
const MODES: [(&str, &[&str]); 2] = [("default", &[]), ("portable", &["--portable"])];

/// How often each verdict was given, in the order of [`VERDICTS`], and how many findings nobody judged.
#[derive(Clone, Copy, Default)]
struct Counts {
    judged: [usize; 3],
    open: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let lists_open = arguments.iter().any(|argument| argument == "--open");
    let folder = arguments.iter().find(|argument| !argument.starts_with("--"));
    let folder = PathBuf::from(folder.context("in which folder are the checkouts?")?);
    let skills_ls = std::env::current_exe()?.with_file_name("skills-ls");
    ensure!(skills_ls.exists(), "{} is missing: build it first", skills_ls.display());

    let mut repositories: BTreeMap<&str, Vec<(&str, PathBuf)>> = BTreeMap::new();
    for line in REPOSITORIES.lines() {
        let [name, commit, set] = <[&str; 3]>::try_from(line.split('\t').collect::<Vec<_>>())
            .map_err(|_| anyhow::anyhow!("repositories.tsv: {line}"))?;
        repositories
            .entry(set)
            .or_default()
            .push((name, checkout(&folder, name, commit)?));
    }
    for (set, checkouts) in repositories {
        for (mode, options) in MODES {
            measure(set, &checkouts, mode, options, &skills_ls, lists_open)?;
        }
    }
    Ok(())
}

/// The repository at its commit, fetched where it is not there.
fn checkout(folder: &Path, name: &str, commit: &str) -> Result<PathBuf> {
    let path = folder.join(name);
    if path.join(".git").exists() {
        return Ok(path);
    }
    std::fs::create_dir_all(&path)?;
    let url = format!("https://github.com/{name}");
    for arguments in [
        vec!["init", "--quiet"],
        vec!["fetch", "--quiet", "--depth=1", &url, commit],
        vec!["checkout", "--quiet", "FETCH_HEAD"],
    ] {
        let status = Command::new("git").current_dir(&path).args(&arguments).status()?;
        ensure!(status.success(), "git {} failed for {name}", arguments.join(" "));
    }
    Ok(path)
}

fn measure(
    set: &str,
    checkouts: &[(&str, PathBuf)],
    mode: &str,
    options: &[&str],
    skills_ls: &Path,
    lists_open: bool,
) -> Result<()> {
    let mut found: BTreeMap<Place, Vec<Value>> = BTreeMap::new();
    let mut files = 0;
    for (name, path) in checkouts {
        let output = Command::new(skills_ls)
            .args(["check", "--json"])
            .args(options)
            .current_dir(path)
            .stderr(Stdio::inherit())
            .output()?;
        let answer: Value = serde_json::from_slice(&output.stdout).with_context(|| format!("{name}: no JSON"))?;
        for file in answer["files"].as_array().context("no files")? {
            files += 1;
            let checked = Path::new(file["path"].as_str().unwrap_or_default());
            let checked = checked.strip_prefix(path.canonicalize()?).unwrap_or(checked);
            for finding in file["findings"].as_array().context("no findings")? {
                let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
                let place = (
                    (*name).to_owned(),
                    mode.to_owned(),
                    checked.display().to_string(),
                    finding["range"]["line"].as_u64().unwrap_or_default(),
                    text("code"),
                );
                found.entry(place).or_default().push(json!(text("message")));
            }
        }
    }
    let given = found.values().map(Vec::len).sum::<usize>();

    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut lost = Vec::new();
    for line in JUDGED.lines() {
        let row: Value = serde_json::from_str(line).with_context(|| format!("judged.jsonl: {line}"))?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let (name, verdict) = (text("repository"), text("verdict"));
        if text("mode") != mode || checkouts.iter().all(|(one, _)| *one != name) {
            continue;
        }
        let verdict = VERDICTS.iter().position(|one| *one == verdict);
        let verdict = verdict.with_context(|| format!("no verdict: {line}"))?;
        let place = (
            name,
            text("mode"),
            text("file"),
            row["line"].as_u64().unwrap_or_default(),
            text("rule"),
        );
        match found.get_mut(&place).and_then(Vec::pop) {
            Some(_) => counts.entry(place.4).or_default().judged[verdict] += 1,
            None if verdict == 0 => lost.push(format!("{}: {}:{} {}", place.0, place.2, place.3, text("reason"))),
            None => {}
        }
    }
    for ((_, _, _, _, rule), open) in &found {
        counts.entry(rule.clone()).or_default().open += open.len();
    }

    println!(
        "\n{mode}, {set}: {} repositories, {files} files, {given} findings, {:.2} per file",
        checkouts.len(),
        given as f64 / files.max(1) as f64
    );
    println!(
        "{:<28}{:>8}{:>8}{:>8}{:>8}{:>10}",
        "rule", "useful", "noise", "false", "open", "precision"
    );
    let mut all = Counts::default();
    for (rule, one) in &counts {
        row(rule, *one);
        all.open += one.open;
        for (sum, number) in all.judged.iter_mut().zip(one.judged) {
            *sum += number;
        }
    }
    row("all", all);
    for one in lost {
        println!("useful, and lost: {one}");
    }
    if lists_open {
        for ((repository, mode, file, line, rule), messages) in found {
            for message in messages {
                println!(
                    "{}",
                    json!({"repository": repository, "file": file, "line": line, "rule": rule, "mode": mode,
                        "message": message})
                );
            }
        }
    }
    Ok(())
}

fn row(title: &str, Counts { judged, open }: Counts) {
    let sum: usize = judged.iter().sum();
    let precision = match sum {
        0 => "-".to_owned(),
        sum => format!("{} %", judged[0] * 100 / sum),
    };
    let [useful, noise, wrong] = judged;
    println!("{title:<28}{useful:>8}{noise:>8}{wrong:>8}{open:>8}{precision:>10}");
}
