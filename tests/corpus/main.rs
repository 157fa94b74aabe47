//! Real skills, good and broken: what is found in them is written down in `real.txt` and `broken.txt`, for a reader to review.
//!
//! The files are not part of the repository. `SKILLS_CORPUS` names the folder that holds them; without it this test is
//! named as left out. `UPDATE_EXPECT=1` writes the counts anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use skills_ls::analysis::{Analysis, Configured, is_skill};
use skills_ls::surroundings::{Surroundings, View};
use skills_schema::dialect::Dialect;
use skills_schema::rules::{Effect, Fate, Finding, Severity};
use skills_schema::syntax::SkillFile;
use skills_schema::verdict::verdicts;

/// Counts by group, then by what was found in a file.
type Counts = BTreeMap<String, BTreeMap<String, usize>>;

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("SKILLS_CORPUS").map(PathBuf::from) else {
        println!("skip  corpus: real skills are checked where SKILLS_CORPUS names their folder");
        println!("0 passed, 0 failed, 1 skipped");
        return ExitCode::SUCCESS;
    };
    let mut passed = 0;
    let mut failed = 0;
    for (name, result) in [
        ("real skills", real(&folder)),
        ("broken skills", broken(&folder)),
        ("readers", readers(&folder)),
        ("findings and verdicts agree", agreement(&folder)),
        ("typing", typing(&folder)),
    ] {
        match result {
            Ok(()) => {
                println!("ok    corpus: {name}");
                passed += 1;
            }
            Err(problem) => {
                println!("FAIL  corpus: {name}: {problem}");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

/// Skills that people use: each loads, so none has an error, and how often each rule speaks is known.
fn real(folder: &Path) -> Result<(), String> {
    let mut counts = Counts::new();
    let files = skills_below(&folder.join("skills-corpus"))?;
    let surroundings = Surroundings::default();
    for path in &files {
        let mut analysis = analyse(path)?;
        let around = surroundings.findings(path, &analysis, &View::default());
        analysis.findings.extend(around);
        for finding in analysis.findings {
            let severity = format!("{:?}", finding.severity);
            if severity == "Error" {
                return Err(format!("{}: {} [{}]", path.display(), finding.message, finding.code));
            }
            *counts
                .entry(severity)
                .or_default()
                .entry(finding.code.to_owned())
                .or_default() += 1;
        }
    }
    counts
        .entry("all".to_owned())
        .or_default()
        .insert("files".to_owned(), files.len());
    compare("real.txt", &counts)
}

/// What is known of real skills while they are edited is what a fresh look says: pieces of other files are typed, and
/// pieces are taken out, at places that are the same in each run.
fn typing(folder: &Path) -> Result<(), String> {
    let files = skills_below(&folder.join("skills-corpus"))?;
    let texts: Result<Vec<String>, _> = files.iter().map(std::fs::read_to_string).collect();
    let texts = texts.map_err(|error| error.to_string())?;
    let mut number = 1usize;
    let mut below = |limit: usize| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % limit.max(1)
    };
    for (path, text) in files.iter().zip(&texts) {
        let mut first = Some(Analysis::of(text.as_str().into(), PATH));
        let mut file = SkillFile::parse(text.as_str().into());
        file.markdown();
        for _ in 0..EDITS {
            let text = file.text.clone();
            let other = &texts[below(texts.len())];
            let from = other.floor_char_boundary(below(other.len()));
            let to = other.floor_char_boundary((from + below(60)).min(other.len())).max(from);
            let start = text.floor_char_boundary(below(text.len() + 1));
            let end = text
                .floor_char_boundary((start + below(3) * below(40)).min(text.len()))
                .max(start);
            let new = format!("{}{}{}", &text[..start], &other[from..to], &text[end..]);
            let mut typed = SkillFile::parse(new.as_str().into());
            typed.follow(&file);
            let opened = SkillFile::parse(new.as_str().into());
            if typed.markdown() != opened.markdown() {
                return Err(format!(
                    "{}: another tree after an edit at {start}: {new:?}",
                    path.display()
                ));
            }
            if let Some(first) = first.take() {
                let typed = Analysis::configured(new.as_str().into(), PATH, Configured::default(), Some(&first));
                if typed.findings != Analysis::of(new.as_str().into(), PATH).findings {
                    return Err(format!(
                        "{}: other findings after an edit at {start}: {new:?}",
                        path.display()
                    ));
                }
            }
            file = typed;
        }
    }
    Ok(())
}

/// Where each of them lies.
const PATH: &str = "deploy/SKILL.md";
/// How often each real skill is edited.
const EDITS: usize = 6;

/// What each agent makes of the skills that people use, as if they lay in `.agents/skills`: how many it does not load, or
/// keeps from its model, and for what.
fn readers(folder: &Path) -> Result<(), String> {
    const POPULAR: [&str; 6] = ["codex", "copilot", "vscode", "opencode", "gemini", "cursor"];
    let mut counts = Counts::new();
    let files = skills_below(&folder.join("skills-corpus"))?;
    let mut count =
        |group: &str, what: String| *counts.entry(group.to_owned()).or_default().entry(what).or_default() += 1;
    for path in &files {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.iter().rev().nth(1).unwrap_or_default().to_string_lossy();
        let analysis = Analysis::of_bytes(&bytes, &format!(".agents/skills/{name}/SKILL.md"), None);
        let mut is_dropped = false;
        for verdict in verdicts(&analysis.file, &analysis.facts()) {
            let name = verdict.dialect.name();
            if !verdict.loads || !verdict.listed {
                let reason = verdict.reason.as_deref().unwrap_or_default();
                count(name, format!("{}: {}", verdict.outcome(), kind(reason)));
            }
            is_dropped |= !verdict.loads && POPULAR.contains(&name);
        }
        if is_dropped {
            count("any of the popular six", "not loaded".to_owned());
        }
        count("all", "files".to_owned());
    }
    compare("readers.txt", &counts)
}

/// What findings say of a reader is what the reader's verdict says: it does not load a file exactly where a finding says
/// so, and where it is the file's own, that finding is an error: over all files, as if they lay in each reader's folder.
fn agreement(folder: &Path) -> Result<(), String> {
    let mut disputes = BTreeMap::<String, (usize, PathBuf)>::new();
    let mut dispute = |what: String, path: &Path| {
        disputes.entry(what).or_insert_with(|| (0, path.to_owned())).0 += 1;
    };
    // Of Cursor only the documents are known.
    let severity = |own| match own {
        Dialect::Cursor => Severity::Warning,
        _ => Severity::Error,
    };
    for path in skills_below(folder)? {
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.iter().rev().nth(1).unwrap_or_default().to_string_lossy();
        for own in Dialect::ALL {
            let place = format!(
                "{}/skills/{name}/SKILL.md",
                own.reader().folders.first().unwrap_or(&".agents")
            );
            let analysis = Analysis::of_bytes(&bytes, &place, Some(own));
            for verdict in verdicts(&analysis.file, &analysis.facts()) {
                let says_so = |finding: &&Finding| {
                    let is_refused = |effect: &Effect| effect.reader == verdict.dialect && effect.fate == Fate::Refused;
                    finding.readers.iter().any(is_refused)
                };
                let finding = analysis.findings.iter().find(says_so);
                let is_own = verdict.dialect == own;
                match finding {
                    Some(finding) if verdict.loads => {
                        dispute(format!("{}: loads, but {}", verdict.dialect, finding.code), &path);
                    }
                    Some(finding) if is_own && finding.severity != severity(own) => {
                        dispute(format!("{own}: not loaded, but {} says otherwise", finding.code), &path);
                    }
                    None if !verdict.loads && is_own => {
                        dispute(
                            format!(
                                "{own}: not loaded, and nothing says so: {}",
                                kind(verdict.reason.as_deref().unwrap_or_default())
                            ),
                            &path,
                        );
                    }
                    _ => {}
                }
            }
        }
    }
    if disputes.is_empty() {
        return Ok(());
    }
    let lines = disputes
        .iter()
        .map(|(what, (count, path))| format!("{count:>5}  {what} ({})", path.display()));
    Err(lines.collect::<Vec<_>>().join("\n"))
}

/// A reason without what differs from file to file: values, numbers, and what comes behind the first line.
fn kind(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let mut kind = String::new();
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => continue,
            None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
            None => {}
        }
        kind.push(if c.is_ascii_digit() { '0' } else { c });
    }
    kind.chars().take(90).collect()
}

/// Skills that their authors had to repair, by the way in which they were broken.
fn broken(folder: &Path) -> Result<(), String> {
    let folder = folder.join("broken-skills");
    let mut counts = Counts::new();
    for path in skills_below(&folder)? {
        let kind = path
            .strip_prefix(&folder)
            .ok()
            .and_then(|path| path.iter().next())
            .unwrap_or_default();
        let mut found: Vec<_> = analyse(&path)?
            .findings
            .into_iter()
            .map(|finding| format!("{:?} {}", finding.severity, finding.code))
            .collect();
        found.sort();
        found.dedup();
        let found = if found.is_empty() {
            "nothing".to_owned()
        } else {
            found.join(", ")
        };
        *counts
            .entry(kind.to_string_lossy().into_owned())
            .or_default()
            .entry(found)
            .or_default() += 1;
    }
    compare("broken.txt", &counts)
}

fn analyse(path: &Path) -> Result<Analysis, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // The folder's name counts; where the corpus lies does not.
    let mut parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
    parts.reverse();
    Ok(Analysis::of_bytes(&bytes, &parts.join("/"), None))
}

fn skills_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            files.extend(skills_below(&path)?);
        } else if is_skill(&path.to_string_lossy(), "") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Compares counts with the committed ones.
fn compare(name: &str, counts: &Counts) -> Result<(), String> {
    let mut text = String::new();
    for (group, found) in counts {
        let mut found: Vec<_> = found.iter().collect();
        found.sort_by_key(|(what, count)| (std::cmp::Reverse(**count), *what));
        for (what, count) in found {
            writeln!(text, "{group:<24} {count:>5}  {what}").map_err(|error| error.to_string())?;
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(&path, text).map_err(|error| error.to_string());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if text == expected {
        return Ok(());
    }
    Err(format!(
        "{name} is out of date; UPDATE_EXPECT=1 writes it anew. It would be:\n{text}"
    ))
}
