//! Which value each argument has.

use super::{Input, asked, declared, words::split};
use crate::syntax::{PlaceholderKind, SkillFile};

/// What a person gave, by the names that the skill declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// What was typed, without the spaces around it.
    pub raw: String,
    /// Its words.
    pub words: Vec<String>,
    names: Vec<String>,
    inputs: Vec<(Input, Option<String>)>,
}

impl Values {
    /// Gives each declared name its value. An argument of `arguments` has the word at its place. An input has the word
    /// `name=value`, else the next word that is not of that form; the last one takes all words that are left.
    pub fn of(file: &SkillFile, raw: &str) -> Values {
        let raw = raw.trim();
        let words = split(raw);
        let inputs = asked(file);
        let named = |word: &str| {
            let (name, value) = word.split_once('=')?;
            let index = inputs.iter().position(|input| input.name == name)?;
            Some((index, value.to_owned()))
        };
        let mut given: Vec<Option<String>> = vec![None; inputs.len()];
        let mut others = Vec::new();
        for word in &words {
            match named(word) {
                Some((index, value)) => given[index] = Some(value),
                None => others.push(word.as_str()),
            }
        }
        let open: Vec<usize> = (0..inputs.len()).filter(|&index| given[index].is_none()).collect();
        let mut others = others.into_iter();
        for (place, &index) in open.iter().enumerate() {
            let rest: Vec<&str> = if place + 1 == open.len() {
                others.by_ref().collect()
            } else {
                others.by_ref().take(1).collect()
            };
            given[index] = Some(rest.join(" ")).filter(|_| !rest.is_empty());
        }
        Values {
            raw: raw.to_owned(),
            words,
            names: declared(file).into_iter().map(|it| it.name).collect(),
            inputs: inputs.into_iter().zip(given).collect(),
        }
    }

    /// The inputs that the skill can't run without and that were not given.
    pub fn missing(&self) -> Vec<&Input> {
        let is_missing = |(input, value): &&(Input, Option<String>)| input.is_required && value.is_none();
        self.inputs.iter().filter(is_missing).map(|(input, _)| input).collect()
    }

    /// Every declared name with its value; what was not given is empty.
    pub fn named(&self) -> Vec<(String, String)> {
        let words = self.names.iter().enumerate();
        let words = words.map(|(index, name)| (name.clone(), self.words.get(index).cloned().unwrap_or_default()));
        let inputs = self.inputs.iter().map(|(input, value)| {
            let value = value.as_ref().or(input.default.as_ref());
            (input.name.clone(), value.cloned().unwrap_or_default())
        });
        words.chain(inputs).collect()
    }

    /// What a placeholder stands for; `None` where it stays as it is.
    pub(super) fn get(&self, kind: PlaceholderKind) -> Option<&str> {
        match kind {
            PlaceholderKind::Arguments => Some(&self.raw),
            PlaceholderKind::Index(index) => self.words.get(index).map(String::as_str),
            PlaceholderKind::Named(index) => Some(self.words.get(index).map_or("", String::as_str)),
            PlaceholderKind::Input(index) => {
                let (input, value) = self.inputs.get(index)?;
                value.as_deref().or(input.default.as_deref())
            }
            PlaceholderKind::Undeclared | PlaceholderKind::Variable => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_values_by_name_and_by_place() {
        let file = SkillFile::parse(
            "---\ninputs:\n- name: bug\n- name: tests\n  required: false\n- name: style\n  default: short\n---\n"
                .into(),
        );
        let of = |raw: &str| {
            let values = Values::of(&file, raw);
            let named: Vec<String> = values
                .named()
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let missing: Vec<&str> = values.missing().iter().map(|it| it.name.as_str()).collect();
            (named.join(" "), missing.join(" "))
        };
        for (raw, named, missing) in [
            ("", "bug= tests= style=short", "bug"),
            (
                "it crashes here and there",
                "bug=it tests=crashes style=here and there",
                "",
            ),
            ("style=long 'it crashes'", "bug=it crashes tests= style=long", ""),
            ("tests=all style=x", "bug= tests=all style=x", "bug"),
            ("a=b", "bug=a=b tests= style=short", ""),
        ] {
            assert_eq!(of(raw), (named.to_owned(), missing.to_owned()), "{raw}");
        }
    }
}
