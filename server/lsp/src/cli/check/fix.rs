//! `check --fix` and `check --diff`: the repairs that change no meaning.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use similar::TextDiff;
use skills_schema::dialect::Dialect;
use skills_schema::fixes;

use super::Checked;
use crate::analysis::Analysis;
use crate::cli::output;

/// How often a repair may make room for another.
const ROUNDS: usize = 40;

/// The file after all safe repairs; `None` where there is none, or its bytes are no text.
pub fn fixed(checked: &Checked, dialect: Option<Dialect>) -> Option<Checked> {
    let mut after: Option<Analysis> = None;
    for _ in 0..ROUNDS {
        let analysis = after.as_ref().unwrap_or(&checked.analysis);
        if analysis.facts().invalid_utf8 {
            return None;
        }
        let safe = analysis
            .findings
            .iter()
            .filter_map(|finding| finding.fixes.iter().find(|fix| fix.safe));
        let text = fixes::apply(&analysis.file.text, safe.flat_map(|fix| &fix.edits));
        if text == *analysis.file.text {
            break;
        }
        after = Some(Analysis::of_bytes(text.as_bytes(), analysis.path(), dialect));
    }
    Some(Checked {
        path: checked.path.clone(),
        analysis: after?,
    })
}

/// Puts the repaired text in the file's place, whole or not at all; its permissions stay.
pub fn write(after: &Checked) -> Result<()> {
    let failed = || format!("{} can't be written", after.path.display());
    // A link stays a link: the file that it leads to is replaced.
    let path = after.path.canonicalize().with_context(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(after.analysis.file.text.as_bytes())
        .with_context(failed)?;
    file.as_file()
        .set_permissions(fs::metadata(&path).with_context(failed)?.permissions())
        .with_context(failed)?;
    file.persist(&path).with_context(failed)?;
    Ok(())
}

/// Prints what the repairs would change, as a patch.
pub fn print_diff(before: &Checked, after: &Checked) -> Result<()> {
    let name = output::path(&before.path);
    let diff = TextDiff::from_lines(&*before.analysis.file.text, &*after.analysis.file.text);
    let mut out = output::stdout();
    write!(out, "{}", diff.unified_diff().header(&name, &name))?;
    Ok(out.flush()?)
}
