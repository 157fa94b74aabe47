//! What the word at a place stands for, where it stands for something that is declared elsewhere.

use text_size::{TextRange, TextSize};

use crate::{
    arguments,
    links::{self, Link, Origin, Target},
    skill_names::{self, SkillName},
    syntax::{Placeholder, PlaceholderKind, SkillFile},
};

/// What a word stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A skill, if there is one of that name.
    Skill(SkillName),
    /// An argument.
    Parameter(Parameter),
    /// A file, a heading or an address.
    Link(Link),
}

/// What a person gives when a skill is invoked, by its place in the list of those that are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// One of `arguments`.
    Argument(usize),
    /// One of `inputs`.
    Input(usize),
}

/// A place where a parameter stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its name, or its number.
    pub range: TextRange,
    /// How it stands there.
    pub kind: UseKind,
}

/// How a parameter stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// It is declared.
    Declared,
    /// By its name.
    Named,
    /// By its number: `$0`, `$ARGUMENTS[0]`.
    Numbered,
    /// In `argument-hint`.
    Hinted,
}

/// What the word at a byte offset stands for.
pub fn subject(file: &SkillFile, offset: TextSize) -> Option<Subject> {
    if let Some((parameter, _)) = parameter_at(file, offset) {
        return Some(Subject::Parameter(parameter));
    }
    if let Some(link) = link_at(file, offset) {
        return Some(Subject::Link(link));
    }
    skill_names::skill_name_at(file, offset).map(Subject::Skill)
}

/// The parameter at a byte offset, and its place.
pub fn parameter_at(file: &SkillFile, offset: TextSize) -> Option<(Parameter, Use)> {
    // The cursor may rest on the `$` or the bracket before the name.
    let is_at = |it: &Use| {
        let sign = match it.kind {
            UseKind::Named | UseKind::Numbered => TextSize::from(1),
            UseKind::Declared | UseKind::Hinted => TextSize::from(0),
        };
        it.range.start() <= offset + sign && offset <= it.range.end()
    };
    let (declared, inputs) = (arguments::declared(file), arguments::inputs(file));
    if file.body.range.contains_inclusive(offset) {
        let all = &file.markdown().placeholders;
        let first = all.partition_point(|it| it.range.end() < offset);
        let near = all[first..].iter().take_while(|it| it.range.start() <= offset);
        return near.filter(|it| !it.is_escaped).find_map(|it| {
            let parameter = match it.kind {
                PlaceholderKind::Named(index) | PlaceholderKind::Index(index) if index < declared.len() => {
                    Parameter::Argument(index)
                }
                PlaceholderKind::Input(index) => Parameter::Input(index),
                _ => return None,
            };
            Some((parameter, used(file, it, parameter).filter(is_at)?))
        });
    }
    let mut above = (declared.iter().enumerate())
        .map(|(index, it)| (Parameter::Argument(index), it))
        .chain(
            inputs
                .iter()
                .enumerate()
                .map(|(index, it)| (Parameter::Input(index), it)),
        );
    above.find_map(|(parameter, it)| Some((parameter, above_body(file, parameter, it).into_iter().find(is_at)?)))
}

/// All places where a parameter stands, in the order of the text.
pub fn uses(file: &SkillFile, parameter: Parameter) -> Vec<Use> {
    let (all, index) = match parameter {
        Parameter::Argument(index) => (arguments::declared(file), index),
        Parameter::Input(index) => (arguments::inputs(file), index),
    };
    let Some(declared) = all.get(index) else {
        return Vec::new();
    };
    let mut found = above_body(file, parameter, declared);
    let placeholders = file.markdown().placeholders.iter().filter(|it| !it.is_escaped);
    found.extend(placeholders.filter_map(|it| used(file, it, parameter)));
    found.sort_by_key(|it| it.range.start());
    found
}

/// Where a parameter stands in the frontmatter.
fn above_body(file: &SkillFile, parameter: Parameter, declared: &arguments::Argument) -> Vec<Use> {
    let mut found = vec![Use {
        range: unquoted(file, declared.range, &declared.name),
        kind: UseKind::Declared,
    }];
    if matches!(parameter, Parameter::Argument(_)) {
        found.extend(hinted(file, &declared.name));
    }
    found
}

/// The links of the text: those of the body and the files under `references`.
pub fn link_at(file: &SkillFile, offset: TextSize) -> Option<Link> {
    if file.body.range.contains_inclusive(offset) {
        let mut links = links::links(file).into_iter();
        return links.find(|link| link.range.contains_inclusive(offset));
    }
    let references = file.entry("references").map_or(&[][..], |entry| entry.value.items());
    let scalar = references
        .iter()
        .filter_map(|item| item.as_scalar())
        .find(|scalar| scalar.range.contains_inclusive(offset) && !scalar.value.is_empty())?;
    Some(Link {
        range: scalar.inner(),
        target: Target::File {
            path: scalar.value.clone(),
            fragment: String::new(),
        },
        origin: Origin::Entry,
    })
}

/// The place of a name in a value that may have quotes around it.
fn unquoted(file: &SkillFile, range: TextRange, name: &str) -> TextRange {
    let text = file.slice(range);
    let quoted = text
        .strip_prefix(['"', '\''])
        .and_then(|text| text.strip_suffix(['"', '\'']));
    match quoted {
        Some(inner) if inner == name => {
            TextRange::new(range.start() + TextSize::from(1), range.end() - TextSize::from(1))
        }
        _ => range,
    }
}

fn used(file: &SkillFile, placeholder: &Placeholder, parameter: Parameter) -> Option<Use> {
    let kind = match (placeholder.kind, parameter) {
        (PlaceholderKind::Named(index), Parameter::Argument(it)) if index == it => UseKind::Named,
        (PlaceholderKind::Index(index), Parameter::Argument(it)) if index == it => UseKind::Numbered,
        (PlaceholderKind::Input(index), Parameter::Input(it)) if index == it => UseKind::Named,
        _ => return None,
    };
    let range = placeholder.range;
    let is_braced = file.slice(range).ends_with('}');
    let one = TextSize::from(1);
    let range = if is_braced {
        TextRange::new(range.start() + one + one, range.end() - one)
    } else {
        TextRange::new(range.start() + one, range.end())
    };
    Some(Use { range, kind })
}

/// The words of `argument-hint` that are a name.
fn hinted(file: &SkillFile, name: &str) -> Vec<Use> {
    let Some(entry) = file.entry("argument-hint").filter(|_| !name.is_empty()) else {
        return Vec::new();
    };
    let text = file.slice(entry.value.range);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let alone = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    };
    text.match_indices(name)
        .filter(|(at, _)| alone(*at))
        .map(|(at, _)| Use {
            range: TextRange::at(
                entry.value.range.start() + TextSize::of(&text[..at]),
                TextSize::of(name),
            ),
            kind: UseKind::Hinted,
        })
        .collect()
}
