//! `copies-differ`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    difference::Difference,
    facts::{Facts, FileKind, Folder},
    fixes::{Edit, Fix, OtherFile},
    rules::{Look, Report, Rule, head},
    shown::{MESSAGE, one_line, shortened},
    syntax::{SkillFile, range_of},
};

/// A skill that is no longer what its copy for another system is.
pub(super) const RULE: Rule = Rule {
    code: "copies-differ",
    summary: "copies of a skill for several systems that differ",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("copies_differ.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let copy = folder.first_copy.as_ref();
    let Some(copy) = copy.filter(|copy| *file.text != *copy.text) else {
        return;
    };
    let other = SkillFile::parse(copy.text.as_str().into());
    let (here, back) = (edits(file, &other), edits(&other, file));
    let (Some(own), Some(others)) = (here.first(), back.first()) else {
        return;
    };
    let there = copy.path.trim_start_matches("../");
    let line = line_around(&file.text, own.range);
    let place = if file.slice(line).trim().is_empty() {
        head(file)
    } else {
        line
    };
    let finding = report.add(place, format!("`{there}` differs from this copy; make both alike"));
    let said = one_line(other.slice(line_around(&other.text, others.range)));
    finding.relate(place, shortened(&format!("there: {said}"), MESSAGE).into_owned());
    finding.relate_file(absolute(facts.path, &copy.path), "the other copy");
    finding.fix(Fix::unsafe_(format!("Make this copy like `{there}`"), here));
    finding.fix(Fix {
        file: Some(OtherFile {
            path: copy.path.clone(),
            text: Some(copy.text.as_str().into()),
        }),
        ..Fix::unsafe_(format!("Make `{there}` like this copy"), back)
    });
}

/// What makes one copy say what the other says. What else stands in its frontmatter stays.
fn edits(file: &SkillFile, other: &SkillFile) -> Vec<Edit> {
    let description = |file: &SkillFile| file.entry("description").map(|entry| entry.value.range);
    let mut edits = Vec::new();
    if let (Some(own), Some(others)) = (description(file), description(other))
        && said(file).0 != said(other).0
    {
        edits.push(Edit::replace(own, other.slice(others)));
    }
    if said(file).1 != said(other).1 {
        let (own, others) = (file.slice(file.body.range), other.slice(other.body.range));
        let difference = Difference::between(own, others);
        let start = usize::from(file.body.range.start());
        let range = range_of(start + difference.start, start + difference.old_end);
        edits.push(Edit::replace(range, &others[difference.start..difference.new_end]));
    }
    edits
}

/// What a copy says to a model: its description and its body. Other fields may be for one system on purpose, and what ends
/// a line is Git's.
fn said(file: &SkillFile) -> (Option<String>, String) {
    let description = file.entry("description").and_then(|entry| entry.value.as_str());
    let body = file.slice(file.body.range).replace("\r\n", "\n");
    (description.map(one_line), body.trim().to_owned())
}

/// The first line of a range, without its end.
fn line_around(text: &str, range: TextRange) -> TextRange {
    let at = usize::from(range.start());
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
    range_of(start, end)
}

/// A path from the folder of a file, from where that file's path begins.
fn absolute(path: &str, relative: &str) -> String {
    let up = relative.matches("../").count();
    let kept = path
        .rsplitn(up + 2, '/')
        .last()
        .filter(|_| path.matches('/').count() > up);
    match kept {
        Some(kept) => format!("{kept}/{}", relative.trim_start_matches("../")),
        None => relative.trim_start_matches("../").to_owned(),
    }
}
