//! The values that a reader does not take, each judged for itself.

use std::rc::Rc;

use text_size::TextRange;

use super::{
    check, fields,
    judge::Documents,
    value::{Value, ValueKind},
    verdict_of,
};
use crate::{
    facts::Facts,
    reader::{Dialect, stages::Yaml},
    syntax::SkillFile,
};

/// Where the values stand for which a system refuses a file: all of them, while the verdict tells the first alone. None
/// in a file that it loads with its frontmatter; `None` where that can't be told apart.
pub(crate) fn refused_values(dialect: Dialect, file: &SkillFile, facts: &Facts<'_>) -> Option<Vec<TextRange>> {
    let verdict = verdict_of(dialect, file, facts)?;
    if verdict.loads {
        return verdict.metadata.then(Vec::new);
    }
    let reader = dialect.reader().stages.as_ref()?;
    let reading = match reader.yaml {
        Yaml::Library(it) | Yaml::Recovering(it) | Yaml::Repairing(it, _) => it.reading(),
        Yaml::Lines(_) | Yaml::LibraryOrLines(..) => return None,
    };
    let range = reader.splitter.split(file).ok()?;
    let map = Documents::new(file).value(reading, range).ok()??;
    let ValueKind::Map(entries) = &map.kind else {
        return None;
    };
    let alone = |entry: &(Value, Value)| Value {
        kind: ValueKind::Map(Rc::new(vec![entry.clone()])),
        ..map.clone()
    };
    let unfit = entries
        .iter()
        .filter_map(|entry| fields::check(reader.fields, &alone(entry)).err());
    let demands = reader.rules.iter().filter(|rule| !rule.warns);
    let broken = demands.flat_map(|rule| check::failures(rule, &map, facts.folder));
    Some(unfit.chain(broken).filter_map(|trouble| trouble.range).collect())
}
