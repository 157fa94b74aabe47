//! Whether each system would load a file, and what it would see.
//!
//! A reader is a row of stages (`reader::READERS`): where it finds the frontmatter, how it reads the YAML, what it
//! demands of the fields, what it takes for the name and the description. Each stage is a value with its code in one
//! place, so a further system is one more row. Stages that readers share are computed once.

mod check;
mod document;
mod fields;
mod messages;
mod quirks;
mod reader;
mod reading;
mod recovery;
mod schema;
mod splitter;
mod text;
mod value;

use std::rc::Rc;

use text_size::TextRange;

use crate::{dialect::Dialect, facts::Facts, syntax::SkillFile};
use document::Document;
use reader::{Otherwise, READERS, Reader, Seen, Tells, Without, Yaml};
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
    /// It sees the frontmatter; otherwise the whole file is instructions to it, or nothing is.
    pub metadata: bool,
    /// The name that it would show.
    pub name: Option<String>,
    /// The description that it would show.
    pub description: Option<String>,
    /// Why the file is refused, or loads without its frontmatter: in the program's own words, where they are known.
    pub reason: Option<String>,
    /// The characters that the reason is about, where it is about some.
    pub range: Option<TextRange>,
}

/// The verdict of every system whose behaviour is known, in the order of [`Dialect::ALL`].
pub fn verdicts(file: &SkillFile, facts: &Facts<'_>) -> Vec<Verdict> {
    let mut documents = Documents { file, read: Vec::new() };
    READERS
        .iter()
        .map(|reader| {
            let mut verdict = Verdict {
                dialect: reader.dialect,
                loads: true,
                metadata: false,
                name: None,
                description: None,
                reason: None,
                range: None,
            };
            match judge(reader, &mut documents, facts, &mut verdict.metadata) {
                Ok((fields, note)) => {
                    let fields = fields.as_ref();
                    verdict.name = seen(reader.name, fields, "name", file, facts);
                    let description = seen(reader.description, fields, "description", file, facts);
                    verdict.description = description.map(|text| shortened(text, reader, facts));
                    verdict.reason = note;
                }
                Err(trouble) => {
                    verdict.loads = false;
                    verdict.reason = Some(trouble.message);
                    verdict.range = trouble.range;
                }
            }
            verdict
        })
        .collect()
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
    table += "| System | Loads | Name | Why not |\n|---|---|---|---|\n";
    for verdict in verdicts {
        let loads = match (verdict.loads, verdict.metadata) {
            (false, _) => "no",
            (true, true) => "yes",
            (true, false) => "yes, without metadata",
        };
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
            "| {title} | {loads} | {} | {} |\n",
            cell(&verdict.name),
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
    if facts.invalid_utf8
        && let Some(message) = reader.not_utf8
    {
        return Err(reading::trouble(message, None));
    }
    let file = documents.file;
    let (without, error) = match reader.splitter.split(file) {
        Err(Absence::Unopened) => (reader.unopened, None),
        Err(Absence::Unclosed) => (reader.unclosed, None),
        Ok(range) => match read(reader, documents, range) {
            Err(trouble) => (reader.unreadable, Some(trouble)),
            Ok(None) => (reader.empty, None),
            Ok(Some(value)) if matches!(value.kind, ValueKind::Map(_)) => {
                *metadata = true;
                fields::check(reader.fields, &value)?;
                check_rules(reader, &value, facts)?;
                return Ok((Some(value), None));
            }
            Ok(Some(_)) => (reader.no_mapping, None),
        },
    };
    let filled = |template: &str| {
        let error = error.as_ref().map_or("", |trouble| trouble.message.as_str());
        template
            .replace("{folder}", facts.folder.unwrap_or_default())
            .replace("{error}", error)
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

fn read(reader: &Reader, documents: &mut Documents<'_>, range: TextRange) -> Result<Option<Value>, Trouble> {
    match reader.yaml {
        Yaml::Library(reading) => documents.value(reading, range),
        Yaml::Recovering(reading) => {
            let file = documents.file;
            let recovered = |trouble| match recovery::recover(file, reading) {
                Some(value) => Ok(Some(value)),
                None => Err(trouble),
            };
            documents.value(reading, range).or_else(recovered)
        }
    }
}

/// Unknown fields and broken rules.
fn check_rules(reader: &Reader, map: &Value, facts: &Facts<'_>) -> Result<(), Trouble> {
    let mut failures: Vec<Trouble> = fields::unknown(reader.fields, map).into_iter().collect();
    for rule in reader.rules {
        failures.extend(check::failures(rule, map, facts.folder));
        if reader.tells == Tells::First && !failures.is_empty() {
            break;
        }
    }
    let Some(first) = failures.first() else {
        return Ok(());
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
        .filter(|value| !value.is_null());
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
    }
}

/// A description as it is after the middle of a long one was cut out.
fn shortened(text: String, reader: &Reader, facts: &Facts<'_>) -> String {
    let length = text.chars().count();
    let Some(most) = reader.shortens.filter(|most| length > *most) else {
        return text;
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
