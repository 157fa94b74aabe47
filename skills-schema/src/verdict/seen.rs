//! What a reader shows of a file that it loads: its name and its description.

use super::{check, value::Value};
use crate::{
    facts::Facts,
    reader::{
        Stages,
        stages::{Otherwise, Seen, Shortens, Takes},
    },
    shown::one_line,
    syntax::SkillFile,
};

/// What is shown for a field; `None` where there is nothing.
pub(super) fn seen(
    wanted: Seen,
    fields: Option<&Value>,
    field: &str,
    file: &SkillFile,
    facts: &Facts<'_>,
) -> Option<String> {
    let found = fields
        .and_then(|fields| fields.get(field))
        .filter(|value| wanted.takes.takes(value));
    if let Some(value) = found {
        return Some(check::formed(value, wanted.form));
    }
    match wanted.otherwise {
        Otherwise::Nothing => None,
        Otherwise::Empty => Some(String::new()),
        Otherwise::Folder => facts.folder.map(str::to_owned),
        Otherwise::FirstParagraph => {
            let paragraph = file.body.first_paragraph(&file.text)?;
            Some(one_line(file.slice(paragraph)))
        }
        Otherwise::FirstWords => {
            let paragraph = file
                .body
                .first_paragraph(&file.text)
                .map(|range| one_line(file.slice(range)));
            paragraph.or_else(|| {
                let heading = file.slice(file.body.range).lines().find(|line| line.starts_with('#'))?;
                Some(heading.trim_matches(['#', ' ']).to_owned())
            })
        }
    }
}

impl Takes {
    fn takes(self, value: &Value) -> bool {
        match self {
            Takes::NotNull => !value.is_null(),
            Takes::Anything => true,
            Takes::Filled => !value.is_null() && value.scalar().is_none_or(|it| !it.text.trim().is_empty()),
            Takes::Text => value.as_text().is_some_and(|text| !text.is_empty()),
            Takes::Nothing => false,
        }
    }
}

/// A description as it is after a long one was cut.
pub(super) fn shortened(text: String, reader: &Stages, facts: &Facts<'_>) -> String {
    let length = text.chars().count();
    let most = match reader.shortens {
        Shortens::Middle(most) if length > most => most,
        Shortens::End(most) if length > most => return text.chars().take(most).collect(),
        _ => return text,
    };
    let notice = format!(
        "<response clipped><NOTE>Due to the max output limit, only part of the full description is shown. You can view \
         the complete skill content at {}/SKILL.md.</NOTE>",
        facts.folder.unwrap_or(".")
    );
    let rest = most.saturating_sub(notice.chars().count());
    let head: String = text.chars().take(rest.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - rest / 2).collect();
    format!("{head}{notice}{tail}")
}
