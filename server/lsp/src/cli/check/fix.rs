//! `check --fix` and `check --diff`: the repairs that change no meaning.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use similar::TextDiff;
use skills_schema::fixes;

use super::files::{Reading, Task};
use crate::cli::output;

/// How often a repair may make room for another.
const ROUNDS: usize = 40;

/// The text after all safe repairs; `None` where there is none, or its bytes are no text.
pub fn fixed(before: &Reading, path: &Path, task: &Task) -> Option<Reading> {
    let mut after: Option<Reading> = None;
    for _ in 0..ROUNDS {
        let Reading { analysis, findings, .. } = after.as_ref().unwrap_or(before);
        if analysis.facts().invalid_utf8 {
            return None;
        }
        let safe = findings
            .iter()
            .filter_map(|finding| finding.fixes.iter().find(|fix| fix.safe));
        let text = fixes::apply(&analysis.file.text, &fixes::disjoint(safe));
        if text == *analysis.file.text {
            break;
        }
        after = Some(Reading::new(text.as_bytes(), path, task));
    }
    after
}

/// Puts the repaired text in the file's place, whole or not at all; its permissions stay.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("{} can't be written", path.display());
    // A link stays a link: the file that it leads to is replaced.
    let path = path.canonicalize().with_context(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.as_file()
        .set_permissions(fs::metadata(&path).with_context(failed)?.permissions())
        .with_context(failed)?;
    file.persist(&path).with_context(failed)?;
    Ok(())
}

/// What the repairs change, as a patch.
pub fn patch(path: &Path, before: &str, after: &str) -> String {
    let name = output::path(path);
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&name, &name).to_string()
}
