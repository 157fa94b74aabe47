//! `check --fix` and `check --diff`: the repairs that change no meaning.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use similar::TextDiff;
use skills_schema::rules;

use super::Checked;
use super::project::Project;
use crate::analysis::Analysis;
use crate::cli::output;

/// The file after all safe repairs; `None` where there is none, or its bytes are no text.
pub fn fixed(checked: &Checked, project: &Project) -> Option<Checked> {
    let before = &checked.analysis;
    let text = before.repaired(&[])?;
    let configured = project.configured(&checked.path);
    let mut analysis = Analysis::of_file(text.as_bytes(), before.path(), Some(before.dialect), configured);
    analysis
        .findings
        .extend(project.findings_around(&checked.path, &analysis));
    rules::sort(&mut analysis.findings);
    Some(Checked {
        path: checked.path.clone(),
        analysis,
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
