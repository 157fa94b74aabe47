//! `duplicate-key`

use std::collections::HashMap;

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, line_start},
    rules::{Report, Rule},
    syntax::{Entry, Node, NodeKind, SkillFile, lines},
};

/// The same key twice in one mapping.
pub(super) const RULE: Rule = Rule {
    code: "duplicate-key",
    summary: "a duplicate key in the frontmatter",
    outcome: |reader| reader.policy().duplicate_key,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("duplicate_key.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    entries(file, facts, file.entries(), report);
}

fn entries(file: &SkillFile, facts: &Facts<'_>, all: &[Entry], report: &mut Report) {
    let mut seen: HashMap<&str, TextRange> = HashMap::with_capacity(all.len());
    for entry in all {
        let key = entry.key.value.as_str();
        match seen.get(key) {
            // `<<` merges other mappings and may stand more than once.
            Some(first) if key != "<<" => {
                let message = format!("duplicate key `{key}`; some readers keep the last, others refuse the file");
                let finding = report.add(entry.key.range, message);
                finding.dropped(facts, |reader| reader.policy().duplicate_key);
                finding.relate(*first, "first one here");
                finding.fix(Fix::unsafe_(
                    format!("Remove this `{key}`"),
                    vec![Edit::delete(whole_lines(file, entry.range))],
                ));
            }
            _ => {
                seen.entry(key).or_insert(entry.key.range);
            }
        }
        node(file, facts, &entry.value, report);
    }
}

fn node(file: &SkillFile, facts: &Facts<'_>, value: &Node, report: &mut Report) {
    match &value.kind {
        NodeKind::Mapping(nested) => entries(file, facts, nested, report),
        NodeKind::Sequence(items) => items.iter().for_each(|item| node(file, facts, item, report)),
        _ => {}
    }
}

/// The lines of an entry; only the entry itself where others share them.
pub(super) fn whole_lines(file: &SkillFile, range: TextRange) -> TextRange {
    let text = &*file.text;
    let from = TextRange::new(line_start(text, range.start()), TextSize::of(text));
    let covered = lines(text, from).take_while(|line| line.range.start() < range.end());
    let Some(whole) = covered.map(|line| line.full).reduce(TextRange::cover) else {
        return range;
    };
    let is_blank = |start, end| text[TextRange::new(start, end)].trim().is_empty();
    let alone = is_blank(whole.start(), range.start()) && is_blank(range.end(), whole.end());
    if alone { whole } else { range }
}
