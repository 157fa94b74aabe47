//! What a reader makes of a file: where it finds the frontmatter, what it reads there, and why it refuses it.

use std::rc::Rc;

use text_size::TextRange;

use super::{
    check,
    document::Document,
    fields,
    reading::Reading,
    recovery,
    splitter::Absence,
    trouble::{Trouble, trouble},
    value::{Value, ValueKind},
};
use crate::{
    facts::Facts,
    reader::{
        Stages,
        stages::{Repair, Tells, Without, Yaml},
    },
    syntax::{MAX_FRONTMATTER, SkillFile},
};

/// The documents of a file, by the range of their YAML: most readers cut out the same one.
pub(super) struct Documents<'a> {
    pub(super) file: &'a SkillFile,
    read: Vec<(TextRange, Document)>,
}

impl<'a> Documents<'a> {
    pub(super) fn new(file: &'a SkillFile) -> Documents<'a> {
        Documents { file, read: Vec::new() }
    }

    pub(super) fn value(&mut self, reading: &Reading, range: TextRange) -> Result<Option<Value>, Trouble> {
        let file = self.file;
        reading.read(&file.text, range, self.of(range))
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
pub(super) fn judge(
    reader: &Stages,
    documents: &mut Documents<'_>,
    facts: &Facts<'_>,
    metadata: &mut bool,
) -> Result<(Option<Value>, Option<String>), Trouble> {
    let file = documents.file;
    if file.is_too_long() {
        let message = format!("skills-ls reads no frontmatter over {} KiB", MAX_FRONTMATTER >> 10);
        return Err(trouble(message, file.errors().first().map(|error| error.range)));
    }
    if facts.invalid_utf8
        && let Some(message) = reader.not_utf8
    {
        let index = file.text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
        let message = message
            .replace("{index}", &index.to_string())
            .replace("{folder}", facts.folder.unwrap_or_default());
        return Err(trouble(message, None));
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
                    return Err(trouble(message, Some(value.range)));
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
        Without::Refused(template) => Err(trouble(
            filled(template),
            error.as_ref().and_then(|trouble| trouble.range),
        )),
        Without::Loads(template) => Ok((None, Some(filled(template)))),
        Without::NoFields(note) => {
            let nothing = Value::new(TextRange::default(), ValueKind::Map(Rc::default()));
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

fn read(reader: &Stages, documents: &mut Documents<'_>, range: TextRange) -> Result<Option<Value>, Stop> {
    let text = &documents.file.text;
    let check = |value: Option<Value>| {
        let checked = value
            .as_ref()
            .map_or(Ok(()), |value| fields::check(reader.fields, value));
        checked.map(|()| value).map_err(Stop::Fields)
    };
    match reader.yaml {
        Yaml::Library(library) => {
            let value = documents.value(library.reading(), range).map_err(Stop::Unreadable)?;
            check(value)
        }
        Yaml::Recovering(library) => {
            let (file, reading) = (documents.file, library.reading());
            let recovered = |trouble| match recovery::recover(file, reading) {
                Some(value) => Ok(Some(value)),
                None => Err(Stop::Unreadable(trouble)),
            };
            let value = documents.value(reading, range).or_else(recovered)?;
            check(value)
        }
        Yaml::Repairing(library, repair) => {
            let reading = library.reading();
            let first = documents.value(reading, range).map_err(Stop::Unreadable);
            let first = first.and_then(check);
            // Only a text that was refused is repaired; where that does not help, the first refusal is told.
            first.or_else(|stop| repaired(reader, reading, repair, &text[range]).ok_or(stop))
        }
        Yaml::Lines(lines) => Ok(Some(lines.read(text, range))),
        Yaml::LibraryOrLines(library, lines, wanted) => {
            let found = documents.value(library.reading(), range).ok().flatten();
            let is_text = |value: &Value, key: &&str| value.get(key).is_some_and(|it| it.as_text().is_some());
            let complete = found.filter(|value| wanted.iter().all(|key| is_text(value, key)));
            Ok(Some(complete.unwrap_or_else(|| lines.read(text, range))))
        }
    }
}

/// What the reader makes of the repaired text. Its places are not those of the file, so it has none.
fn repaired(reader: &Stages, reading: &Reading, repair: Repair, yaml: &str) -> Option<Option<Value>> {
    let text = repair.apply(yaml)?;
    let range = crate::syntax::range_of(0, text.len());
    let value = reading.read(&text, range, &Document::read(&text, range)).ok()?;
    if let Some(value) = &value {
        fields::check(reader.fields, value).ok()?;
    }
    Some(value)
}

/// Unknown fields and broken rules; what is only a warning is told where nothing is broken.
fn check_rules(reader: &Stages, map: &Value, facts: &Facts<'_>) -> Result<Option<String>, Trouble> {
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
    let (range, culprit, missing) = (first.range, first.culprit, first.missing);
    let told = match reader.tells {
        Tells::First => 1,
        Tells::All => failures.len(),
    };
    let messages: Vec<&str> = failures[..told].iter().map(|it| it.message.as_str()).collect();
    let message = messages
        .join("\n")
        .replace("{folder}", facts.folder.unwrap_or_default());
    Err(Trouble {
        message,
        range,
        culprit,
        missing,
    })
}
