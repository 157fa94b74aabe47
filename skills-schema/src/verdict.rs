//! Whether each system would load a file, and what it would see.
//!
//! Each reader states its `Stages`: where it finds the frontmatter, how it reads the YAML, what it demands of the
//! fields, what it takes for the name and the description. The code of each stage is here, and runs once for the readers
//! that share it.

mod check;
mod demands;
mod document;
mod fields;
mod judge;
mod lines;
mod messages;
mod page;
mod quirks;
mod reading;
mod recovery;
mod refused;
mod rewrite;
mod scalars;
mod seen;
mod splitter;
mod table;
mod text;
mod trouble;
mod value;

pub(crate) use demands::demands;
pub use page::page;
pub(crate) use refused::refused_values;
pub(crate) use scalars::{Sort, sorts};
pub use table::{summary, table, view};

use text_size::{TextRange, TextSize};

use crate::{
    facts::Facts,
    reader::{Dialect, Stages, stages::Hides},
    syntax::SkillFile,
};
use judge::{Documents, judge};
use seen::{seen, shortened};
use value::Value;

/// What one system makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The system.
    pub dialect: Dialect,
    /// It loads the file.
    pub loads: bool,
    /// It tells the model of the skill; otherwise only a person can call it.
    pub listed: bool,
    /// It sees the frontmatter; otherwise the whole file is instructions to it, or nothing is.
    pub metadata: bool,
    /// The name that it would show.
    pub name: Option<String>,
    /// The description that it would show.
    pub description: Option<String>,
    /// Why the file is refused, loads without its frontmatter, or loads with a warning: in the program's own words, where
    /// they are known. What its YAML library says is told in the same words for all.
    pub reason: Option<String>,
    /// The characters that the reason is about, where it is about some.
    pub range: Option<TextRange>,
    /// The field that the reason misses, where it misses one.
    pub missing: Option<&'static str>,
}

impl Verdict {
    /// What happens to the file, in words.
    pub fn outcome(&self) -> &'static str {
        match (self.loads, self.listed, self.metadata) {
            (false, ..) => "not loaded",
            (true, false, _) => "loads but the model is not told",
            (true, true, true) => "loads",
            (true, true, false) => "loads without metadata",
        }
    }

    /// What a person types there to call the skill; `None` where it does not load, or there is no such command.
    pub fn command(&self) -> Option<String> {
        let template = self.dialect.reader().command;
        let name = self.name.as_deref().filter(|_| self.loads && !template.is_empty())?;
        Some(template.replace("{name}", name))
    }
}

/// The verdict of every agent whose behaviour is known, and of what is asked only on request where it is asked, in the
/// order of [`Dialect::ALL`].
pub fn verdicts(file: &SkillFile, facts: &Facts<'_>) -> Vec<Verdict> {
    verdicts_of(Dialect::ALL.into_iter().filter(|it| facts.is_asked(*it)), file, facts)
}

/// The verdicts of these systems, as far as their behaviour is known.
pub fn verdicts_of(dialects: impl IntoIterator<Item = Dialect>, file: &SkillFile, facts: &Facts<'_>) -> Vec<Verdict> {
    let mut documents = Documents::new(file);
    let verdict = |dialect| verdict(dialect, &mut documents, facts);
    dialects.into_iter().filter_map(verdict).collect()
}

/// The verdict of one system; `None` where its behaviour is not known. The others are not asked.
pub fn verdict_of(dialect: Dialect, file: &SkillFile, facts: &Facts<'_>) -> Option<Verdict> {
    verdict(dialect, &mut Documents::new(file), facts)
}

fn verdict(dialect: Dialect, documents: &mut Documents<'_>, facts: &Facts<'_>) -> Option<Verdict> {
    let reader: &Stages = dialect.reader().stages.as_ref()?;
    let file = documents.file;
    let mut verdict = Verdict {
        dialect,
        loads: true,
        listed: false,
        metadata: false,
        name: None,
        description: None,
        reason: None,
        range: None,
        missing: None,
    };
    match judge(reader, documents, facts, &mut verdict.metadata) {
        Ok((fields, note)) => {
            let fields = fields.as_ref();
            verdict.name = seen(reader.name, fields, "name", file, facts);
            let description = seen(reader.description, fields, "description", file, facts);
            verdict.description = description.map(|text| shortened(text, reader, facts));
            let hidden = reader.hides.iter().find(|hides| hides.applies(&verdict, fields));
            verdict.listed = hidden.is_none();
            verdict.missing = hidden.and_then(|hides| hides.missing());
            verdict.reason = note.or(hidden.map(|hides| hides.reason().to_owned()));
        }
        Err(trouble) => {
            verdict.loads = false;
            verdict.reason = Some(trouble.message);
            verdict.missing = trouble.missing;
            verdict.range = trouble
                .culprit
                .or(trouble.range)
                .map(|range| whole_characters(&file.text, range));
        }
    }
    Some(verdict)
}

/// The characters that a range touches: some programs name a byte.
fn whole_characters(text: &str, range: TextRange) -> TextRange {
    let one = TextSize::from(1);
    let is_boundary = |at: &TextSize| text.is_char_boundary((*at).into());
    let start = std::iter::successors(Some(range.start()), |at| at.checked_sub(one)).find(is_boundary);
    let end = std::iter::successors(Some(range.end()), |at| Some(*at + one)).find(is_boundary);
    TextRange::new(start.unwrap_or_default(), end.unwrap_or(TextSize::of(text)))
}

impl Hides {
    fn applies(self, verdict: &Verdict, fields: Option<&Value>) -> bool {
        match self {
            Hides::NoDescription => verdict.description.is_none(),
            Hides::ModelInvocationDisabled => fields
                .and_then(|fields| fields.get("disable-model-invocation"))
                .is_some_and(|value| value.is_true()),
            Hides::ModelInvocationDisabledByWord => ["disable-model-invocation", "disable_model_invocation"]
                .iter()
                .find_map(|field| fields?.get(field))
                .is_some_and(|value| check::boolean(value) == Some(true)),
        }
    }

    /// The field whose absence hides the skill.
    fn missing(self) -> Option<&'static str> {
        match self {
            Hides::NoDescription => Some("description"),
            Hides::ModelInvocationDisabled | Hides::ModelInvocationDisabledByWord => None,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Hides::NoDescription => "without a description it is only a command",
            Hides::ModelInvocationDisabled | Hides::ModelInvocationDisabledByWord => {
                "`disable-model-invocation` keeps it from the model"
            }
        }
    }
}
