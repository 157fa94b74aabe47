//! What programs rewrite in frontmatter that they could not read, before they read it again.

use super::document::Document;
use crate::{reader::stages::Repair, syntax::range_of};

impl Repair {
    /// The text after the repair; `None` where nothing changes.
    pub(super) fn apply(self, yaml: &str) -> Option<String> {
        let mut changed = false;
        let lines: Vec<String> = yaml
            .lines()
            .map(|line| match self.line(line) {
                Some(line) => {
                    changed = true;
                    line
                }
                None => line.to_owned(),
            })
            .collect();
        changed.then(|| lines.join("\n") + "\n")
    }

    fn line(self, line: &str) -> Option<String> {
        let (key, value) = line.split_once(':')?;
        let behind = value;
        let value = value.trim();
        if value.is_empty() || value.starts_with(['"', '\'']) || key.trim_start().starts_with('#') {
            return None;
        }
        match self {
            Repair::Quotes => {
                let is_plain = behind.starts_with([' ', '\t']) && !value.starts_with(['|', '>', '&', '*', '!', '#']);
                let is_key = !key.trim().is_empty() && !key.trim_start().starts_with('-');
                let is_flow = value.starts_with(['[', '{', '@', '`']);
                let wanted = value.contains(": ") || is_flow && !is_yaml(value);
                (is_plain && is_key && wanted).then(|| format!("{key}: '{}'", value.replace('\'', "''")))
            }
            Repair::Blocks => {
                let key = key.trim_end();
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let is_key =
                    !key.starts_with(|c: char| c.is_ascii_digit()) && !key.is_empty() && key.chars().all(is_word);
                (is_key && value.contains(':')).then(|| format!("{key}: |-\n  {value}"))
            }
        }
    }
}

fn is_yaml(value: &str) -> bool {
    Document::read(value, range_of(0, value.len())).error.is_none()
}
