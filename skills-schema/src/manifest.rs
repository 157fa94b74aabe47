//! The files beside skills that are data as a whole: what they hold is a table of fields each, as for the frontmatter.

mod mcp;
mod openai_yaml;
mod plugin;

use text_size::{TextRange, TextSize};

use crate::{
    fields::{Place, Type},
    kind::FileKind,
    severity::Severity,
    syntax::SkillFile,
};

/// What is known of one sort of such files.
#[derive(Debug)]
pub struct Manifest {
    /// Its sort.
    pub kind: FileKind,
    /// It is JSON, which is stricter than YAML.
    pub is_json: bool,
    /// What it holds: a mapping.
    pub types: &'static [Type],
    /// The fields that must be there.
    pub required: &'static [&'static str],
    /// The severity of a violation.
    pub severity: Severity,
    /// What a violation costs, in words.
    pub costs: &'static str,
    /// Who reads it: the reader of a field that nobody knows.
    pub reader: &'static str,
    /// An unknown field on top costs nothing.
    pub is_open: bool,
    /// What the table can't say.
    pub(crate) problems: fn(&SkillFile) -> Vec<Problem>,
    /// Whether a file of the name is meant for these readers: others use the name too.
    is_meant: fn(&SkillFile) -> bool,
}

/// Something that is wrong with a file in a way of its own.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Where.
    pub(crate) range: TextRange,
    /// What, and what it costs.
    pub(crate) message: String,
    /// Its severity.
    pub(crate) severity: Severity,
}

/// What Codex reads beside a `SKILL.md`, by its path from there.
pub const OPENAI_YAML: &str = "agents/openai.yaml";

static MANIFESTS: &[Manifest] = &[openai_yaml::MANIFEST, plugin::MANIFEST, mcp::MANIFEST];

impl Manifest {
    /// What is known of a sort of files; `None` for one that is no data.
    pub fn of(kind: FileKind) -> Option<&'static Manifest> {
        MANIFESTS.iter().find(|manifest| manifest.kind == kind)
    }

    /// Every sort.
    pub fn all() -> impl Iterator<Item = &'static Manifest> {
        MANIFESTS.iter()
    }

    /// The top of its table of fields.
    pub fn place(&self) -> Place {
        Place {
            field: None,
            types: self.types,
        }
    }

    /// Whether the file is what its name says: other programs call files so, too.
    pub fn is_meant(&self, file: &SkillFile) -> bool {
        (self.is_meant)(file)
    }
}

/// Where a text is no JSON, and why; `None` for one that is.
pub(crate) fn json_error(text: &str) -> Option<(TextRange, String)> {
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    let at = character(text, error.line(), error.column());
    Some((at, format!("it is no JSON: {error}")))
}

/// A character by its line and column, which are counted from 1, the column in bytes.
fn character(text: &str, line: usize, column: usize) -> TextRange {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let length = text[at..].chars().next().map_or(0, char::len_utf8);
    let offset = |bytes| TextSize::try_from(bytes).unwrap_or_default();
    TextRange::at(offset(at), offset(length))
}

/// The place of the Agent Plugins specification in the files that follow it.
const AGENT_PLUGINS: &str = "agent-plugins.org";

/// Nothing is written yet that another program could mean.
fn is_new(file: &SkillFile) -> bool {
    let colons = file.text.matches(':').count();
    colons == 0 || colons == 1 && file.text.contains("\"$schema\"")
}
