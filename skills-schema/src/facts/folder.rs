use std::collections::{BTreeMap, BTreeSet};

use text_size::{TextRange, TextSize};

use super::{copies::SkillCopy, script::Script};
use crate::paths::normal;
use crate::{
    links::{self, Origin, Target},
    manifest::OPENAI_YAML,
    syntax::{MentionKind, NodeKind, SkillFile},
};

/// The files below the folder of a skill, and those elsewhere that its text names.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    entries: BTreeMap<String, FolderEntry>,
    /// All files are there; `false` where there were too many, so that "it is missing" can't be said.
    pub is_complete: bool,
    /// The texts of those of [`Folder::READ`] that are there.
    pub texts: BTreeMap<&'static str, String>,
    /// The first copy of the skill for another system, where it is not the first itself.
    pub first_copy: Option<SkillCopy>,
    /// The symbolic links that lead nowhere.
    pub dangling: Vec<Dangling>,
    /// The plugin that it lies in, by a manifest in a folder above.
    pub plugin: Option<Plugin>,
    /// A plugin or a marketplace above ships it, so that its name has the plugin's before it where it is installed.
    pub is_packaged: bool,
    /// The paths that the text names and that lead somewhere from the root of the workspace, where the model works.
    pub at_root: BTreeSet<String>,
}

/// A symbolic link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dangling {
    /// Its path from the folder.
    pub path: String,
    /// Where it should lead, as it is written.
    pub target: String,
}

/// A plugin around a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Its manifest, an absolute path with `/`.
    pub manifest: String,
}

/// What lies at a path.
#[derive(Clone, Debug, Default)]
pub struct FolderEntry {
    /// What it is.
    pub kind: EntryKind,
    /// Its length in bytes; 0 for a folder.
    pub bytes: u64,
    /// Whether the system lets it be run as a program; `None` where that is not known.
    pub is_executable: Option<bool>,
    /// What a Markdown file holds, where somebody has read it.
    pub outline: Option<Outline>,
    /// What a script holds, where somebody has read it.
    pub script: Option<Script>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    #[default]
    File,
    /// A folder.
    Folder,
    /// A symbolic link to something outside the folder.
    LeadsOut,
}

/// What other files need to know of a Markdown file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The anchors of its headings.
    pub anchors: BTreeSet<String>,
    /// The files that it links to, by their paths from its own folder.
    pub links: Vec<String>,
    /// The files that it imports with `@`, likewise.
    pub imports: Vec<String>,
    /// How many lines it has.
    pub lines: usize,
    /// It lists its own headings: under one that says so, or by links.
    pub has_contents: bool,
}

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// To this entry.
    Here(&'a FolderEntry),
    /// To the entry of that name, if upper and lower case were the same.
    OtherCase(&'a str),
    /// Nowhere.
    Missing,
    /// There were too many files to say.
    Unknown,
}

/// A file that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where: the destination of a link, the path of a mention.
    pub range: TextRange,
    /// The path from the folder of the file, without `.` and as few `..` as possible; absolute where it is written so.
    pub path: String,
    /// What stands behind `#`.
    pub fragment: String,
    /// How it is named.
    pub kind: ReferenceKind,
}

/// How a file is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// A link or an image.
    Link,
    /// A path in backticks.
    Mention,
    /// `@path`
    Import,
    /// An entry of `references`.
    Entry,
}

impl Folder {
    /// The files whose texts rules look at, by their paths from the folder.
    pub const READ: &'static [&'static str] = &[".mcp.json", OPENAI_YAML];

    /// An empty folder.
    pub fn new(is_complete: bool) -> Folder {
        Folder {
            is_complete,
            ..Folder::default()
        }
    }

    /// Adds what lies at a path from the folder, and the folders above it; the path may lead out of it with `..`.
    pub fn insert(&mut self, path: impl Into<String>, entry: FolderEntry) {
        let path = path.into();
        for (at, _) in path.match_indices('/').filter(|(at, _)| *at > 0) {
            let above = self.entries.entry(path[..at].to_owned());
            above.or_insert_with(|| FolderEntry {
                kind: EntryKind::Folder,
                ..FolderEntry::default()
            });
        }
        self.entries.insert(path, entry);
    }

    /// What lies at a path, which is written as [`Reference::path`].
    pub fn find(&self, path: &str) -> Found<'_> {
        let path = path.trim_end_matches('/');
        if path.is_empty() {
            return Found::Here(&HERE);
        }
        if let Some(entry) = self.entries.get(path) {
            return Found::Here(entry);
        }
        let same = |other: &&String| other.len() == path.len() && other.to_lowercase() == path.to_lowercase();
        if let Some(other) = self.entries.keys().find(same) {
            return Found::OtherCase(other);
        }
        if self.is_complete {
            Found::Missing
        } else {
            Found::Unknown
        }
    }

    /// Whether a path leads to a file that the model finds from where it works.
    pub fn is_at_root(&self, path: &str) -> bool {
        self.at_root.contains(path.trim_end_matches('/'))
    }

    /// Every entry by its path, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FolderEntry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// An entry, to add what was read of it.
    pub fn get_mut(&mut self, path: &str) -> Option<&mut FolderEntry> {
        self.entries.get_mut(path)
    }

    /// The file that was most likely meant by a path that leads nowhere: the only one of that name, or one that is
    /// written almost so.
    pub fn near(&self, path: &str) -> Option<&str> {
        let name = file_name(path);
        let files = || self.iter().filter(|(_, entry)| entry.kind == EntryKind::File);
        // The skill does not mean itself.
        let is_other = |other: &str| !other.starts_with("../") && other != "SKILL.md";
        let mut of_name = files().filter(|(other, _)| file_name(other) == name && is_other(other));
        if let (Some((only, _)), None) = (of_name.next(), of_name.next()) {
            return Some(only);
        }
        crate::nearest::nearest(path, files().map(|(path, _)| path))
    }
}

static HERE: FolderEntry = FolderEntry {
    kind: EntryKind::Folder,
    bytes: 0,
    is_executable: None,
    outline: None,
    script: None,
};

impl Outline {
    /// What a Markdown file holds.
    pub fn of(text: &str) -> Outline {
        let file = SkillFile::parse(text.into());
        let named = references(&file);
        let of_kind = |wanted: ReferenceKind| {
            let found = named.iter().filter(move |reference| reference.kind == wanted);
            found.map(|reference| reference.path.clone()).collect()
        };
        Outline {
            anchors: anchors(&file),
            links: of_kind(ReferenceKind::Link),
            imports: of_kind(ReferenceKind::Import),
            lines: text.lines().count(),
            has_contents: has_contents(&file),
        }
    }
}

/// The anchors of a file: those of its headings, and those that its author wrote.
pub(crate) fn anchors(file: &SkillFile) -> BTreeSet<String> {
    let written = written_anchors(&file.text);
    let own = links::anchors(file).into_keys();
    own.flat_map(|anchor| [links::typed(&anchor), anchor])
        .chain(written)
        .collect()
}

/// Whether a text lists its own headings.
fn has_contents(file: &SkillFile) -> bool {
    const TITLES: [&str; 4] = ["contents", "table of contents", "toc", "index"];
    let mut headings = file.markdown().headings.iter();
    let links = links::links(file);
    let own = links.iter().filter(|link| matches!(link.target, Target::Heading(_)));
    headings.any(|heading| TITLES.contains(&heading.text.trim().to_lowercase().as_str())) || own.count() >= 3
}

/// The anchors that an author wrote: `<a id="…">`, `<a name="…">`, `# Heading {#…}`.
fn written_anchors(text: &str) -> impl Iterator<Item = String> + '_ {
    let forms = [("id=\"", '"'), ("name=\"", '"'), ("{#", '}')];
    forms.into_iter().flat_map(move |(open, close)| {
        let starts = text.match_indices(open).map(move |(at, _)| &text[at + open.len()..]);
        starts.filter_map(move |rest| Some(rest.split_once(close)?.0.to_lowercase()))
    })
}

/// The files that a text names: links, paths in backticks that start at a folder of skills, `@` imports, and the
/// entries of `references`. Patterns, placeholders and addresses name no file.
pub fn references(file: &SkillFile) -> Vec<Reference> {
    let tree = file.markdown();
    let mut found = Vec::new();
    for link in links::links(file) {
        if let Target::File { path, fragment } = link.target
            // What stands behind the variable is a script, mostly: those are looked up for themselves.
            && !matches!(link.origin, Origin::Label | Origin::Variable)
            && is_plain(&path)
        {
            found.push(Reference {
                range: link.range,
                path: normal(&path),
                fragment,
                kind: match link.origin {
                    Origin::Mention(MentionKind::Attachment) => ReferenceKind::Import,
                    Origin::Mention(_) => ReferenceKind::Mention,
                    Origin::Link | Origin::Label | Origin::Variable | Origin::Definition => ReferenceKind::Link,
                    Origin::Entry => ReferenceKind::Entry,
                },
            });
        }
    }
    let home = |mention: &&crate::syntax::Mention| {
        mention.kind == MentionKind::Attachment && file.slice(mention.range).starts_with('~')
    };
    found.extend(tree.mentions.iter().filter(home).map(|mention| Reference {
        range: mention.range,
        path: file.slice(mention.range).to_owned(),
        fragment: String::new(),
        kind: ReferenceKind::Import,
    }));
    let entries = file.entry("references").map(|entry| &entry.value);
    if let Some(NodeKind::Sequence(items)) = entries.map(|node| &node.kind) {
        for item in items {
            if let Some(scalar) = item.as_scalar().filter(|scalar| !scalar.value.trim().is_empty()) {
                found.push(Reference {
                    range: scalar.inner(),
                    path: normal(scalar.value.trim()),
                    fragment: String::new(),
                    kind: ReferenceKind::Entry,
                });
            }
        }
    }
    found
}

impl Reference {
    /// Where the path stands without what is behind `#`; `None` where it is written with escapes.
    pub fn path_range(&self, file: &SkillFile) -> Option<TextRange> {
        let written = file.slice(self.range);
        let path = written.split(['#', '?']).next().unwrap_or(written);
        (normal(path) == self.path).then(|| TextRange::at(self.range.start(), TextSize::of(path)))
    }

    /// Whether it leaves the folder.
    pub fn leads_out(&self) -> bool {
        self.path == ".." || self.path.starts_with("../") || self.path.starts_with('/') || self.path.starts_with('~')
    }
}

/// A path that a person wrote for a file: no pattern, no placeholder, no prose.
fn is_plain(path: &str) -> bool {
    let is_word = path.contains(['/', '.']);
    is_word && !path.contains(['*', '<', '>', '{', '}', '|', '"', '\\', '…', '\n']) && !path.contains("...")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<(String, ReferenceKind)> {
        let found = references(&SkillFile::parse(text.into()));
        found.into_iter().map(|it| (it.path, it.kind)).collect()
    }

    #[test]
    fn a_text_names_files_in_four_ways() {
        use ReferenceKind::{Entry, Import, Link, Mention};
        let text = "---\nreferences:\n  - ./a.md\n  - 'b/'\n---\n[x](c/../d.md#e) ![](img%20a.png) `scripts/run.sh` \
                    `src/lib.rs` @docs/x.md @~/y.md [z][z]\n\n[z]: ../up.md\n";
        let expected = [
            ("d.md", Link),
            ("img a.png", Link),
            ("scripts/run.sh", Mention),
            ("docs/x.md", Import),
            ("../up.md", Link),
            ("~/y.md", Import),
            ("a.md", Entry),
            ("b", Entry),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, kind)| ((*path).to_owned(), *kind))
            .collect();
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn patterns_placeholders_and_words_name_no_file() {
        for text in [
            "[a](url)",
            "[a](src/*.md)",
            "[a](<path>/x.md)",
            "[a](https://x.y/z.md)",
            "[a](#b)",
            "[a](...)",
        ] {
            assert_eq!(paths(text), [], "{text}");
        }
    }

    #[test]
    fn a_folder_finds_what_was_meant() {
        let mut folder = Folder::new(true);
        for path in ["references/api.md", "scripts/run.sh", "../shared/x.md"] {
            folder.insert(path, FolderEntry::default());
        }
        assert!(matches!(folder.find("references/api.md"), Found::Here(_)));
        assert!(matches!(
            folder.find("References/API.md"),
            Found::OtherCase("references/api.md")
        ));
        assert!(matches!(folder.find("../shared/x.md"), Found::Here(_)));
        assert!(matches!(folder.find("other.md"), Found::Missing));
        assert_eq!(folder.near("docs/api.md"), Some("references/api.md"));
        assert_eq!(folder.near("scripts/rum.sh"), Some("scripts/run.sh"));
        assert_eq!(folder.near("x/y/z.md"), None);
        folder.is_complete = false;
        assert!(matches!(folder.find("other.md"), Found::Unknown));
    }

    #[test]
    fn an_outline_has_anchors_links_and_imports() {
        let outline = Outline::of("# One Two\n\n[a](b.md) @c.md <a id=\"Own\"></a>\n\n## X {#y}\n");
        for anchor in ["one-two", "own", "y"] {
            assert!(outline.anchors.contains(anchor), "{anchor}: {:?}", outline.anchors);
        }
        assert_eq!(
            (outline.links, outline.imports),
            (vec!["b.md".to_owned()], vec!["c.md".to_owned()])
        );
    }
}
