//! `broken-import`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, ReferenceKind, normal},
    rules::{Look, Report, Rule, Severity},
    syntax::SkillFile,
};

/// How many files Claude Code goes through, one after the other.
const MAX_HOPS: usize = 4;

/// `@path` in instructions that are always read, where the file is missing or never reached.
pub(super) const RULE: Rule = Rule {
    code: "broken-import",
    summary: "an `@` import in CLAUDE.md that finds no file, or goes too deep",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::AlwaysOn],
    documentation: include_str!("broken_import.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let own = facts.path.rsplit('/').next().unwrap_or_default();
    // Other readers of such files import nothing: `@` may be a name there.
    let is_claude = own.eq_ignore_ascii_case("CLAUDE.md");
    let severity = if is_claude { Severity::Warning } else { Severity::Hint };
    for reference in report
        .references(file)
        .iter()
        .filter(|it| it.kind == ReferenceKind::Import)
    {
        match folder.find(&reference.path) {
            Found::Missing | Found::OtherCase(_) => {
                super::broken_link::check_path(file, folder, reference, severity, report);
            }
            Found::Here(_) | Found::Unknown => {
                if let Some(problem) = follow(&mut vec![own.to_owned(), reference.path.clone()], folder) {
                    report.add_at(severity, reference.range, problem);
                }
            }
        }
    }
}

/// Where a chain of imports goes wrong.
fn follow(chain: &mut Vec<String>, folder: &Folder) -> Option<String> {
    let last = chain.last()?;
    if chain[..chain.len() - 1].contains(last) {
        return Some(format!("circular import: {}", shown(chain)));
    }
    if chain.len() > MAX_HOPS + 1 {
        return Some(format!("import chain over {MAX_HOPS} files: {}", shown(chain)));
    }
    let Found::Here(entry) = folder.find(last) else {
        return None;
    };
    let base = last
        .rsplit_once('/')
        .map_or(String::new(), |(base, _)| format!("{base}/"));
    let imports = entry
        .outline
        .as_ref()
        .map(|outline| outline.imports.as_slice())
        .unwrap_or_default();
    imports.iter().find_map(|import| {
        let next = if import.starts_with(['~', '/']) {
            import.clone()
        } else {
            normal(&format!("{base}{import}"))
        };
        chain.push(next);
        let problem = follow(chain, folder);
        chain.pop();
        problem
    })
}

fn shown(chain: &[String]) -> String {
    format!("`{}`", chain.join(" → "))
}
