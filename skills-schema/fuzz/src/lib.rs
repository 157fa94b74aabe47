//! What holds for every text. Each target checks one of these.

use skills_schema::{
    TextRange, TextSize, completion,
    dialect::Dialect,
    facts::Facts,
    folding, hover, links,
    rules::{self, Finding, MAX_FINDINGS, Severity},
    selection, semantic_tokens,
    skill::Metadata,
    skill_names::skill_names,
    subject::{self, Subject},
    symbols,
    syntax::{Entry, Node, NodeKind, SkillFile},
    verdict,
};

/// Any frontmatter: its tree, findings and verdicts have their ranges in the text.
pub fn frontmatter(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let file = SkillFile::parse(format!("---\n{text}\n---\nBody\n").into());
    tree(&file);
    findings(&file, &facts(data));
    judged(&file, &facts(data));
}

/// Any body below frontmatter that declares arguments: so do its links, tokens, symbols and folds.
pub fn body(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let head = "---\nname: deploy\ndescription: Ships it.\narguments: [issue, target]\n---\n";
    let file = SkillFile::parse(format!("{head}{text}").into());
    findings(&file, &facts(data));
    features(&file, &facts(data), somewhere(&file, data));
}

/// Any bytes as a whole file: every feature answers.
pub fn file(data: &[u8]) {
    let facts = Facts {
        invalid_utf8: std::str::from_utf8(data).is_err(),
        ..facts(data)
    };
    let file = SkillFile::parse(String::from_utf8_lossy(data).into());
    tree(&file);
    findings(&file, &facts);
    judged(&file, &facts);
    features(&file, &facts, somewhere(&file, data));
}

/// The repairs that change no meaning come to rest, and no system stops seeing the metadata of what it loaded.
pub fn fixes(data: &[u8]) {
    let facts = facts(data);
    let text = String::from_utf8_lossy(data);
    let before = SkillFile::parse(format!("---\n{text}").into());
    let mut after = before.text.to_string();
    for round in 0.. {
        let next = repaired(&after, &facts);
        if next == after {
            break;
        }
        assert!(round < 1_000, "the repairs of {before:?} don't come to rest");
        after = next;
    }
    if *before.text == *after {
        return;
    }
    let verdicts = |file: &SkillFile| verdict::verdicts(file, &facts);
    let after = SkillFile::parse(after.into());
    for (before, after) in verdicts(&before).iter().zip(&verdicts(&after)) {
        assert!(
            !(before.loads && before.metadata) || after.metadata,
            "the repair takes the file from {}: {after:?}",
            before.dialect
        );
    }
}

/// A place that depends on the length alone.
fn somewhere(file: &SkillFile, data: &[u8]) -> TextSize {
    let at = data.len().wrapping_mul(2_654_435_761) % (file.text.len() + 1);
    TextSize::try_from(at).unwrap_or_default()
}

/// The first byte chooses the reader, so that all are met.
fn facts(data: &[u8]) -> Facts<'static> {
    let dialect = usize::from(data.first().copied().unwrap_or_default()) % Dialect::ALL.len();
    Facts {
        dialect: Dialect::ALL[dialect],
        ..Facts::of_path(".agents/skills/deploy/SKILL.md")
    }
}

fn repaired(text: &str, facts: &Facts<'_>) -> String {
    let file = SkillFile::parse(text.into());
    rules::repaired(&file, facts, &rules::check(&file, facts))
}

/// Slicing panics where a range is outside the text or inside a character.
pub fn tree(file: &SkillFile) {
    let _ = file.slice(file.body.range);
    let Some(it) = &file.frontmatter else { return };
    entries(file, &it.entries, it.content);
    for range in [it.range, it.open, it.content]
        .iter()
        .chain(&it.close)
        .chain(&it.leading)
        .chain(&it.comments)
    {
        let _ = file.slice(*range);
    }
    for error in &it.errors {
        let _ = (file.slice(error.range), file.slice(error.subject));
        assert!(!error.message.is_empty());
    }
}

fn entries(file: &SkillFile, entries: &[Entry], within: TextRange) {
    for entry in entries {
        let _ = file.slice(entry.range);
        assert!(within.contains_range(entry.range), "{:?} in {within:?}", entry.range);
        assert!(entry.range.contains_range(entry.key.range));
        let _ = entry.colon.map(|colon| assert_eq!(file.slice(colon), ":"));
        node(file, &entry.value, entry.range);
    }
}

fn node(file: &SkillFile, value: &Node, within: TextRange) {
    let _ = file.slice(value.range);
    assert!(within.contains_range(value.range), "{:?} in {within:?}", value.range);
    let _ = value.anchor.or(value.tag).map(|range| file.slice(range));
    match &value.kind {
        NodeKind::Sequence(items) => items.iter().for_each(|item| node(file, item, value.range)),
        NodeKind::Mapping(nested) => entries(file, nested, value.range),
        NodeKind::Scalar(scalar) => _ = file.slice(scalar.inner()),
        _ => {}
    }
}

/// Every finding and its repairs lie in the text, and the errors alone are those among all findings.
pub fn findings(file: &SkillFile, facts: &Facts<'_>) {
    let found = rules::check(file, facts);
    let errors = |all: &[Finding]| {
        let errors = all.iter().filter(|it| it.severity == Severity::Error);
        errors.map(|it| (it.range.start(), it.code)).collect::<Vec<_>>()
    };
    if found.len() < MAX_FINDINGS {
        assert_eq!(errors(&rules::errors(file, facts)), errors(&found), "{file:?}");
    }
    for finding in found {
        let _ = file.slice(finding.range);
        finding.related.iter().for_each(|it| _ = file.slice(it.range));
        for fix in &finding.fixes {
            let sorted = fix.edits.is_sorted_by(|a, b| a.range.end() <= b.range.start());
            assert!(sorted, "{fix:?}");
            fix.edits.iter().for_each(|edit| _ = file.slice(edit.range));
        }
    }
}

/// Every verdict that a file is not loaded has its reason.
pub fn judged(file: &SkillFile, facts: &Facts<'_>) {
    for verdict in verdict::verdicts(file, facts) {
        let _ = verdict.range.map(|range| file.slice(range));
        assert!(verdict.loads || verdict.reason.is_some(), "{verdict:?}");
    }
}

/// Every feature answers at any place, also inside a character.
pub fn features(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) {
    let _ = Metadata::of(file);
    links::links(file).iter().for_each(|it| _ = file.slice(it.range));
    semantic_tokens::tokens(file, facts, |_| true)
        .iter()
        .for_each(|it| _ = file.slice(it.range));
    symbols::symbols(file).iter().for_each(|it| _ = file.slice(it.range));
    folding::folds(file).iter().for_each(|it| _ = file.slice(it.range));
    let ranges = selection::selections(file, offset);
    ranges.iter().for_each(|range| _ = file.slice(*range));
    let completions = completion::complete(file, facts, offset);
    completions.items.iter().for_each(|it| _ = file.slice(it.replace));
    let _ = completions.wanted.map(|it| file.slice(it.replace).len());
    skill_names(file).iter().for_each(|it| _ = file.slice(it.range));
    let _ = hover::hover(file, facts, offset).map(|it| file.slice(it.range).len());
    if let Some(Subject::Parameter(parameter)) = subject::subject(file, offset) {
        subject::uses(file, parameter)
            .iter()
            .for_each(|it| _ = file.slice(it.range));
    }
}
