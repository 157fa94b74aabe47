//! Whether each system would load a file, and what it would see.
//!
//! A reader is a row of stages (`reader::READERS`): where it finds the frontmatter, how it reads the YAML, what it
//! demands of the fields, what it takes for the name and the description. Each stage is a value with its code in one
//! place, so a further system is one more row. Stages that readers share are computed once.

mod check;
mod document;
mod fields;
mod lines;
mod messages;
mod page;
mod quirks;
mod reader;
mod reading;
mod recovery;
mod repair;
mod schema;
mod splitter;
mod text;
mod value;

use std::rc::Rc;

pub use page::page;

use text_size::TextRange;

use crate::{dialect::Dialect, facts::Facts, syntax::SkillFile};
use document::Document;
use reader::{Hides, Otherwise, READERS, Reader, Seen, Shortens, Takes, Tells, Without, Yaml};
use reading::{Reading, Trouble};
use splitter::Absence;
use value::{Value, ValueKind};

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
    /// they are known.
    pub reason: Option<String>,
    /// The characters that the reason is about, where it is about some.
    pub range: Option<TextRange>,
}

impl Verdict {
    /// What becomes of the file, in words.
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
        let template = self.dialect.policy().command;
        let name = self.name.as_deref().filter(|_| self.loads && !template.is_empty())?;
        Some(template.replace("{name}", name))
    }
}

/// The verdict of every system whose behaviour is known, in the order of [`Dialect::ALL`].
pub fn verdicts(file: &SkillFile, facts: &Facts<'_>) -> Vec<Verdict> {
    let mut documents = Documents { file, read: Vec::new() };
    READERS
        .iter()
        .map(|reader| verdict(reader, &mut documents, facts))
        .collect()
}

fn verdict(reader: &Reader, documents: &mut Documents<'_>, facts: &Facts<'_>) -> Verdict {
    let file = documents.file;
    let mut verdict = Verdict {
        dialect: reader.dialect,
        loads: true,
        listed: false,
        metadata: false,
        name: None,
        description: None,
        reason: None,
        range: None,
    };
    match judge(reader, documents, facts, &mut verdict.metadata) {
        Ok((fields, note)) => {
            let fields = fields.as_ref();
            verdict.name = seen(reader.name, fields, "name", file, facts);
            let description = seen(reader.description, fields, "description", file, facts);
            verdict.description = description.map(|text| shortened(text, reader, facts));
            let hidden = reader.hides.iter().find(|hides| hides.applies(&verdict, fields));
            verdict.listed = hidden.is_none();
            verdict.reason = note.or(hidden.map(|hides| hides.reason().to_owned()));
        }
        Err(trouble) => {
            verdict.loads = false;
            verdict.reason = Some(trouble.message);
            verdict.range = trouble.range;
        }
    }
    verdict
}

impl Hides {
    fn applies(self, verdict: &Verdict, fields: Option<&Value>) -> bool {
        match self {
            Hides::NoDescription => verdict.description.is_none(),
            Hides::ModelInvocationDisabled => fields
                .and_then(|fields| fields.get("disable-model-invocation"))
                .is_some_and(|value| value.is_true()),
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Hides::NoDescription => "without a description it is only a command",
            Hides::ModelInvocationDisabled => "`disable-model-invocation` keeps it from the model",
        }
    }
}

/// The systems that refuse a file, each with its reason.
pub fn droppers(file: &SkillFile, facts: &Facts<'_>) -> Vec<Verdict> {
    let mut verdicts = verdicts(file, facts);
    verdicts.retain(|verdict| !verdict.loads);
    verdicts
}

/// How many systems load a file, in words.
pub fn summary(verdicts: &[Verdict]) -> String {
    let loading = verdicts.iter().filter(|verdict| verdict.loads).count();
    format!("Loads in {loading} of {} systems", verdicts.len())
}

/// The verdicts as a table in Markdown.
pub fn table(verdicts: &[Verdict]) -> String {
    let mut table = format!("{}.\n\n", summary(verdicts));
    table += "| System | Outcome | Name | Command | Reason |\n|---|---|---|---|---|\n";
    for verdict in verdicts {
        let loads = verdict.outcome();
        let cell = |text: &Option<String>| {
            let words: Vec<&str> = text.as_deref().unwrap_or_default().split_whitespace().collect();
            words
                .join(" ")
                .replace('\\', "\\\\")
                .replace('|', "\\|")
                .replace('<', "\\<")
        };
        let title = verdict.dialect.title();
        let title = title.strip_prefix("the ").unwrap_or(title);
        table += &format!(
            "| {title} | {loads} | {} | {} | {} |\n",
            cell(&verdict.name),
            cell(&verdict.command()),
            cell(&verdict.reason)
        );
    }
    table
}

/// The documents of a file, by the range of their YAML: most readers cut out the same one.
struct Documents<'a> {
    file: &'a SkillFile,
    read: Vec<(TextRange, Document)>,
}

impl Documents<'_> {
    fn value(&mut self, reading: &Reading, range: TextRange) -> Result<Option<Value>, Trouble> {
        let file = self.file;
        reading.read(&file.text, range, self.of(range))
    }

    /// A message about a place in the YAML, with that place filled in.
    fn placed(&self, trouble: Trouble, yaml: TextRange) -> Trouble {
        let message = reading::placed(
            &trouble.message,
            trouble.range,
            &self.file.text[yaml],
            yaml.start().into(),
        );
        Trouble { message, ..trouble }
    }

    fn of(&mut self, range: TextRange) -> &Document {
        let at = match self.read.iter().position(|(other, _)| *other == range) {
            Some(at) => at,
            None => {
                self.read.push((range, Document::read(&self.file.text, range)));
                self.read.len() - 1
            }
        };
        &self.read[at].1
    }
}

/// The fields that a reader sees and what it has to say about them; why it refuses the file.
fn judge(
    reader: &Reader,
    documents: &mut Documents<'_>,
    facts: &Facts<'_>,
    metadata: &mut bool,
) -> Result<(Option<Value>, Option<String>), Trouble> {
    let file = documents.file;
    if facts.invalid_utf8
        && let Some(message) = reader.not_utf8
    {
        let index = file.text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
        let message = message
            .replace("{index}", &index.to_string())
            .replace("{folder}", facts.folder.unwrap_or_default());
        return Err(reading::trouble(&message, None));
    }
    let (without, error) = match reader.splitter.split(file) {
        Err(Absence::Unopened) => (reader.unopened, None),
        Err(Absence::Unclosed) => (reader.unclosed, None),
        Ok(range) => match read(reader, documents, range) {
            Err(Stop::Unreadable(trouble)) => (reader.unreadable, Some(trouble)),
            Err(Stop::Fields(trouble)) => {
                *metadata = true;
                return Err(trouble);
            }
            Ok(None) => (reader.empty, None),
            Ok(Some(value)) if matches!(value.kind, ValueKind::Map(_)) => {
                *metadata = true;
                let note = check_rules(reader, &value, facts)?;
                return Ok((Some(value), note));
            }
            Ok(Some(value)) => match reader.no_mapping {
                Without::Refused(template) => {
                    let message = template.replace("{folder}", facts.folder.unwrap_or_default());
                    let trouble = reading::trouble(&fields::told(&message, &value), Some(value.range));
                    return Err(documents.placed(trouble, range));
                }
                other => (other, None),
            },
        },
    };
    let filled = |template: &str| {
        let said = error.as_ref().map_or("", |trouble| trouble.message.as_str());
        template
            .replace("{folder}", facts.folder.unwrap_or_default())
            .replace("{error}", said)
    };
    match without {
        Without::Refused(template) => Err(Trouble {
            message: filled(template),
            range: error.as_ref().and_then(|trouble| trouble.range),
        }),
        Without::Loads(template) => Ok((None, Some(filled(template)))),
        Without::NoFields(note) => {
            let nothing = Value {
                range: TextRange::default(),
                foreign: false,
                depth: 0,
                kind: ValueKind::Map(Rc::default()),
            };
            check_rules(reader, &nothing, facts)?;
            Ok((None, Some(note.to_owned())))
        }
    }
}

/// Where reading stopped.
enum Stop {
    /// The YAML can't be read.
    Unreadable(Trouble),
    /// It can, and a field has a value that the reader can't take.
    Fields(Trouble),
}

fn read(reader: &Reader, documents: &mut Documents<'_>, range: TextRange) -> Result<Option<Value>, Stop> {
    let text = &documents.file.text;
    let check = |documents: &Documents<'_>, value: Option<Value>| {
        let checked = value
            .as_ref()
            .map_or(Ok(()), |value| fields::check(reader.fields, value));
        checked
            .map(|()| value)
            .map_err(|trouble| Stop::Fields(documents.placed(trouble, range)))
    };
    match reader.yaml {
        Yaml::Library(reading) => {
            let value = documents.value(reading, range).map_err(Stop::Unreadable)?;
            check(documents, value)
        }
        Yaml::Recovering(reading) => {
            let file = documents.file;
            let recovered = |trouble| match recovery::recover(file, reading) {
                Some(value) => Ok(Some(value)),
                None => Err(Stop::Unreadable(trouble)),
            };
            let value = documents.value(reading, range).or_else(recovered)?;
            check(documents, value)
        }
        Yaml::Repairing(reading, repair) => {
            let first = documents.value(reading, range).map_err(Stop::Unreadable);
            let first = first.and_then(|value| check(documents, value));
            // Only a text that was refused is repaired; where that does not help, the first refusal is told.
            first.or_else(|stop| repaired(reader, reading, repair, &text[range]).ok_or(stop))
        }
        Yaml::Lines(lines) => Ok(Some(lines.read(text, range))),
        Yaml::LibraryOrLines(reading, lines, wanted) => {
            let found = documents.value(reading, range).ok().flatten();
            let is_text = |value: &Value, key: &&str| value.get(key).is_some_and(|it| it.as_text().is_some());
            let complete = found.filter(|value| wanted.iter().all(|key| is_text(value, key)));
            Ok(Some(complete.unwrap_or_else(|| lines.read(text, range))))
        }
    }
}

/// What the reader makes of the repaired text. Its places are not those of the file, so it has none.
fn repaired(reader: &Reader, reading: &Reading, repair: repair::Repair, yaml: &str) -> Option<Option<Value>> {
    let text = repair.apply(yaml)?;
    let range = crate::syntax::range_of(0, text.len());
    let value = reading.read(&text, range, &Document::read(&text, range)).ok()?;
    if let Some(value) = &value {
        fields::check(reader.fields, value).ok()?;
    }
    Some(value)
}

/// Unknown fields and broken rules; what is only a warning is told where nothing is broken.
fn check_rules(reader: &Reader, map: &Value, facts: &Facts<'_>) -> Result<Option<String>, Trouble> {
    let mut failures: Vec<Trouble> = fields::unknown(reader.fields, map).into_iter().collect();
    for rule in reader.rules.iter().filter(|rule| !rule.warns) {
        failures.extend(check::failures(rule, map, facts.folder));
        if reader.tells == Tells::First && !failures.is_empty() {
            break;
        }
    }
    let Some(first) = failures.first() else {
        let warnings = reader.rules.iter().filter(|rule| rule.warns);
        let warnings = warnings.flat_map(|rule| check::failures(rule, map, facts.folder));
        let warnings: Vec<String> = warnings.map(|it| it.message).collect();
        return Ok((!warnings.is_empty()).then(|| warnings.join("\n")));
    };
    let range = first.range;
    let told = match reader.tells {
        Tells::First => 1,
        Tells::All => failures.len(),
    };
    let messages: Vec<&str> = failures[..told].iter().map(|it| it.message.as_str()).collect();
    let message = messages
        .join("\n")
        .replace("{folder}", facts.folder.unwrap_or_default());
    Err(Trouble { message, range })
}

fn seen(wanted: Seen, fields: Option<&Value>, field: &str, file: &SkillFile, facts: &Facts<'_>) -> Option<String> {
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
            let words: Vec<&str> = file.slice(paragraph).split_whitespace().collect();
            Some(words.join(" "))
        }
        Otherwise::FirstWords => {
            let words = |range| file.slice(range).split_whitespace().collect::<Vec<_>>().join(" ");
            let paragraph = file.body.first_paragraph(&file.text).map(words);
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
fn shortened(text: String, reader: &Reader, facts: &Facts<'_>) -> String {
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
