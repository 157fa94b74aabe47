//! `check --fix` and `check --diff`: the repairs that change no meaning.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use skills_agent::changes::diff;
use skills_schema::rules::Finding;

use crate::analysis::Analysis;
use crate::cli::output;

/// How often a repair may make room for another's.
const ROUNDS: usize = 10;

/// The text after all safe repairs for every system that it was read for; `None` where there is none, or its bytes are
/// no text. `around` says what is wrong in view of the files around.
pub fn repaired(analyses: &[Analysis], around: impl Fn(&Analysis) -> Vec<Finding>) -> Option<Arc<str>> {
    let mut text: Option<Arc<str>> = None;
    for _ in 0..ROUNDS {
        let before = text.clone();
        for analysis in analyses {
            let current = text.clone().map(|text| analysis.with(text));
            let current = current.as_ref().unwrap_or(analysis);
            text = current.repaired(&around(current)).or(text);
        }
        if text == before {
            break;
        }
    }
    text
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
    diff::patch(&output::path(path), before, after)
}
