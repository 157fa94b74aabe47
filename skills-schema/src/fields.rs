//! The one table of frontmatter fields: completion, hover, type checks, unknown fields and JSON Schemas come from it.

mod read_by;
mod reference;
mod table;
mod values;

use crate::dialect::Dialect;
use crate::kind::FileKind;
use crate::reader::{Fallback, Reads};

pub use reference::{page_of, reference};
pub use table::{FIELDS, UNREAD};
pub(crate) use values::{choice, field};

/// One field of the frontmatter, or of a mapping inside it.
#[derive(Debug)]
pub struct Field {
    /// The key, in the spelling that is best understood.
    pub name: &'static str,
    /// What to write instead, where the field is out of use.
    pub deprecated: Option<&'static str>,
    /// What its value may be: any of these.
    pub types: &'static [Type],
    /// The longest text that the specification allows, in characters.
    pub max_length: Option<usize>,
    /// What it is, in a sentence or two of Markdown.
    pub documentation: &'static str,
    /// A value as one would write it.
    pub example: &'static str,
    /// What its words name, where they name something that can be proposed and explained.
    pub holds: Holds,
    /// Who reads it, and to what effect. A nested field without readers has those of the field around it.
    pub readers: &'static [(Dialect, &'static Reads)],
}

/// What the words of a value name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing that is known.
    Anything,
    /// Tools and permission patterns: [`TOOLS`](crate::vocabulary::TOOLS).
    Tools,
    /// Other skills.
    Skills,
    /// Files and folders beside the skill.
    Files,
    /// Globs from the project's root.
    Globs,
}

/// What a value may be.
#[derive(Debug)]
pub enum Type {
    /// Text.
    Text,
    /// One of a few words.
    Choice(&'static [Choice]),
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Nothing.
    Null,
    /// A list with such items.
    List(&'static [Type]),
    /// A list that stands for the text it was written as, brackets and all: `[file]`.
    BracketedText,
    /// `key: value` lines: the known keys, and what other keys may hold.
    Mapping(&'static [Field], Others),
    /// Anything.
    Any,
}

/// The keys of a mapping beside the known ones.
#[derive(Debug)]
pub enum Others {
    /// There are none.
    Unknown,
    /// They hold such values.
    Hold(&'static [Type]),
}

/// One of the words that a field may hold.
#[derive(Debug)]
pub struct Choice {
    /// The word.
    pub value: &'static str,
    /// What it does.
    pub documentation: &'static str,
}

impl Field {
    /// The field of that name or spelling in a table; the dialects spell some fields differently.
    pub fn find(fields: &'static [Field], name: &str) -> Option<&'static Field> {
        fields
            .iter()
            .find(|field| field.name == name || field.spellings().any(|it| it == name))
    }

    /// Other spellings that some reader takes.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.readers.iter().flat_map(|(_, reads)| reads.spellings).copied()
    }

    /// Whether a reader of the field takes it by that name or spelling. Our own takes what any does.
    pub fn is_spelt(&self, name: &str, dialect: Dialect) -> bool {
        let takes = |reads: &Reads| reads.spellings.contains(&name);
        let is_meant = |reader: &Dialect| dialect == Dialect::Unified || *reader == dialect;
        self.name == name
            || self
                .readers
                .iter()
                .any(|(reader, reads)| is_meant(reader) && takes(reads))
    }

    /// The field at a path of keys from the top. List items need no step of their own: `tools` → `name`.
    pub fn at_path<'a>(path: impl IntoIterator<Item = &'a str>) -> Option<&'static Field> {
        let mut at = Place::TOP;
        for key in path {
            at = at.step(key)?;
        }
        at.field
    }

    /// Whether that dialect reads the field. Our own reads what any does.
    pub fn is_read_by(&self, dialect: Dialect) -> bool {
        dialect == Dialect::Unified
            || self.readers.is_empty()
            || self.readers.iter().any(|(reader, _)| *reader == dialect)
    }

    /// The value that a missing field stands for in that dialect; in our own where all who have one agree.
    pub fn default_in(&self, dialect: Dialect) -> Option<&'static str> {
        let readers = self.readers.iter();
        let meant = readers.filter(|(reader, _)| dialect == Dialect::Unified || *reader == dialect);
        let mut values = meant.filter_map(|(_, reads)| match reads.default? {
            Fallback::Value(value) => Some(value),
            Fallback::Words(_) => None,
        });
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }

    /// The words that its value may be, booleans too.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.types.iter().flat_map(|it| {
            let words: Vec<(&'static str, &'static str)> = match it {
                Type::Choice(choices) => choices
                    .iter()
                    .map(|choice| (choice.value, choice.documentation))
                    .collect(),
                Type::Boolean => vec![("true", ""), ("false", "")],
                _ => Vec::new(),
            };
            words
        })
    }

    /// The type in words: `text or a list of text`.
    pub fn type_name(&self) -> String {
        type_name(self.types)
    }
}

/// A place in the table: where a path of keys leads.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The field; `None` at the top, and for a key that the author chose, such as the name of a server.
    pub field: Option<&'static Field>,
    /// What the value there may be.
    pub types: &'static [Type],
}

impl Place {
    /// The frontmatter itself.
    pub const TOP: Place = Place {
        field: None,
        types: &[Type::Mapping(FIELDS, Others::Unknown)],
    };

    /// A field's value.
    pub fn of(field: &'static Field) -> Place {
        Place {
            field: Some(field),
            types: field.types,
        }
    }

    /// The frontmatter of a file of a sort: what has it and is no skill has fields that are not in the table.
    pub fn top(kind: FileKind) -> Place {
        match FileKind::SKILLS.contains(&kind) {
            true => Place::TOP,
            false => Place {
                field: None,
                types: &[],
            },
        }
    }

    /// The place behind a key; `None` where the key has no meaning.
    pub fn step(self, key: &str) -> Option<Place> {
        fn find(types: &'static [Type], key: &str) -> Option<Place> {
            types.iter().find_map(|it| match it {
                Type::List(items) => find(items, key),
                Type::Mapping(fields, others) => match (Field::find(fields, key), others) {
                    (Some(field), _) => Some(Place::of(field)),
                    (None, Others::Hold(types)) => Some(Place { field: None, types }),
                    (None, Others::Unknown) => None,
                },
                _ => None,
            })
        }
        find(self.types, key)
    }

    /// The fields that may stand here.
    pub fn fields(self) -> &'static [Field] {
        fn find(types: &'static [Type]) -> &'static [Field] {
            let fields = |it: &'static Type| match it {
                Type::List(items) => find(items),
                Type::Mapping(fields, _) => fields,
                _ => &[],
            };
            types
                .iter()
                .map(fields)
                .find(|fields| !fields.is_empty())
                .unwrap_or(&[])
        }
        find(self.types)
    }
}

/// Types in words.
pub(crate) fn type_name(types: &[Type]) -> String {
    let one = |it: &Type| match it {
        Type::Text => "text".to_owned(),
        Type::Choice(choices) => {
            let words: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.value)).collect();
            words.join(" or ")
        }
        Type::Boolean => "`true` or `false`".to_owned(),
        Type::Integer => "a whole number".to_owned(),
        Type::Null => "nothing".to_owned(),
        Type::List(items) => match type_name(items).as_str() {
            "anything" => "a list".to_owned(),
            items => format!("a list of {items}"),
        },
        Type::BracketedText => String::new(),
        Type::Mapping(..) => "`key: value` lines".to_owned(),
        Type::Any => "anything".to_owned(),
    };
    let names: Vec<String> = types.iter().map(one).filter(|name| !name.is_empty()).collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(fields: &'static [Field]) {
        for field in fields {
            assert!(!field.documentation.is_empty(), "{} is not documented", field.name);
            assert!(!field.types.is_empty(), "{} has no type", field.name);
            let same = fields
                .iter()
                .filter(|it| it.name == field.name || it.spellings().any(|it| it == field.name));
            assert_eq!(same.count(), 1, "{} is there twice", field.name);
            walk(Place::of(field).fields());
        }
    }

    #[test]
    fn every_field_is_documented_and_typed() {
        walk(FIELDS);
    }

    #[test]
    fn every_field_that_a_reader_names_is_in_the_table() {
        for dialect in Dialect::ALL {
            for reads in dialect.reader().fields {
                let field = Field::at_path(reads.field.split('.'));
                let readers = field.map_or(&[][..], |it| it.readers).iter();
                let named = readers
                    .filter(|(reader, _)| *reader == dialect)
                    .map(|(_, reads)| reads.field);
                assert_eq!(named.collect::<Vec<_>>(), [reads.field], "{dialect}");
            }
        }
    }

    #[test]
    fn a_file_may_be_written_for_any_system() {
        let field = Field::at_path(["metadata", "dialect"]).unwrap();
        let words: Vec<&str> = field.choices().map(|(word, _)| word).collect();
        assert_eq!(words, Dialect::ALL.map(Dialect::name));
    }

    #[test]
    fn every_field_of_the_specification_and_the_five_systems_is_there() {
        let paths = [
            // The Agent Skills specification.
            "name",
            "description",
            "license",
            "compatibility",
            "metadata",
            "allowed-tools",
            // Claude Code.
            "when_to_use",
            "argument-hint",
            "arguments",
            "context",
            "model",
            "effort",
            "version",
            "user-invocable",
            "paths",
            "hooks",
            "agent",
            "shell",
            "disable-model-invocation",
            "disallowed-tools",
            "background",
            "shell.interpreter",
            "shell.timeout",
            "hooks.PreToolUse",
            "hooks.PreToolUse.matcher",
            "hooks.PreToolUse.hooks.command",
            "hooks.PreToolUse.hooks.args",
            "hooks.Stop.hooks.type",
            "hooks.Stop.hooks.if",
            "hooks.Stop.hooks.statusMessage",
            "hooks.Stop.hooks.url",
            "hooks.Stop.hooks.server",
            // thndrs.
            "references",
            // Wolffish.
            "triggers",
            "tools.name",
            "tools.description",
            "tools.parameters",
            "tools.parameters.properties",
            "tools.parameters.required",
            "danger_patterns",
            "confirm_patterns",
            "requires",
            "danger_patterns.pattern",
            "danger_patterns.level",
            "packages.brew",
            // OpenHands.
            "trigger.type",
            "trigger.keywords",
            "mcp_tools.mcpServers",
            "mcp_tools.mcpServers.files.command",
            "mcp_tools.mcpServers.files.args",
            "inputs.name",
            "inputs.description",
            "inputs.required",
            "inputs.type",
            "inputs.default",
            "allowed_tools",
            "disable_model_invocation",
            "mcp_tools.mcpServers.files.env",
            "mcp_tools.mcpServers.files.url",
            "mcp_tools.mcpServers.files.headers",
            // Codex, Cursor.
            "metadata.short-description",
            "metadata.arguments",
            "globs",
        ];
        for path in paths {
            assert!(Field::at_path(path.split('.')).is_some(), "{path}");
        }
    }
}
