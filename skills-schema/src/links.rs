//! Where the links of a body lead.

use std::cell::LazyCell;
use std::collections::HashMap;

use text_size::{TextRange, TextSize};

use crate::syntax::{LinkKind, MentionKind, Placeholder, SkillFile, range_of};

/// Where a symbolic link leads that was stored as a file with its target as text, as git does it where links are off.
pub(crate) fn stored_link(text: &str) -> Option<&str> {
    let target = text.trim_end();
    let is_relative = target.starts_with("../") || target.starts_with("./");
    (is_relative && !target.contains(char::is_whitespace)).then_some(target)
}

/// Something that can be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What is clicked: the destination, or all of a link whose destination stands elsewhere.
    pub range: TextRange,
    /// Where it leads.
    pub target: Target,
    /// How it is written.
    pub origin: Origin,
}

/// How something is written that can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// As a link with its destination.
    Link,
    /// As a link with a label, whose definition has the destination.
    Label,
    /// As the definition of a label.
    Definition,
    /// As a mention.
    Mention(MentionKind),
    /// Behind the variable of the skill's folder.
    Variable,
    /// As an entry of `references`.
    Entry,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An address with a scheme: `https://…`, `mailto:…`.
    Address(String),
    /// A file, relative to the folder of the skill; escapes of the address are resolved.
    File {
        /// The path, with `/` between its parts.
        path: String,
        /// What stands behind `#`; empty where nothing does.
        fragment: String,
    },
    /// A heading of the same file.
    Heading(TextRange),
}

/// The links of a body in the order of the text. A path in backticks is one where it names a folder that skills keep
/// their files in: what else is named so belongs to the workspace, mostly, or to nobody.
pub fn links(file: &SkillFile) -> Vec<Link> {
    let tree = file.markdown();
    // Few texts link to their own headings.
    let anchors = LazyCell::new(|| anchors(file));
    let target = |destination: &str| target(destination, |anchor| anchors.get(anchor).copied());
    let mut found: Vec<Link> = Vec::new();
    for link in &tree.links {
        let (range, origin) = if link.kind == LinkKind::Reference {
            (link.range, Origin::Label)
        } else {
            (link.destination.range, Origin::Link)
        };
        found.extend(target(&link.destination.text).map(|target| Link { range, target, origin }));
    }
    for definition in &tree.definitions {
        let (range, origin) = (definition.destination.range, Origin::Definition);
        found.extend(target(&definition.destination.text).map(|target| Link { range, target, origin }));
    }
    // The text of a link is not where it leads.
    let in_link = |range: TextRange| {
        let behind = tree.links.partition_point(|link| link.range.start() <= range.start());
        let before = tree.links[..behind].last();
        before.is_some_and(|link| link.range.contains_range(range) && !link.destination.text.is_empty())
    };
    for mention in tree.mentions.iter().filter(|it| !in_link(it.range)) {
        let path = file.slice(mention.range);
        let leads = match mention.kind {
            MentionKind::Attachment => !path.starts_with('~'),
            MentionKind::Path => FOLDERS.iter().any(|folder| path.starts_with(folder)),
            MentionKind::Skill => false,
        };
        if leads {
            let (path, fragment) = (path.to_owned(), String::new());
            let target = Target::File { path, fragment };
            found.push(Link {
                range: mention.range,
                target,
                origin: Origin::Mention(mention.kind),
            });
        }
    }
    found.extend(tree.placeholders.iter().filter_map(|it| behind_variable(file, it)));
    found.retain(|link| !link.range.is_empty());
    found.sort_by_key(|link| (link.range.start(), link.range.end()));
    found
}

/// The heading that a link's fragment means.
pub fn heading(file: &SkillFile, fragment: &str) -> Option<TextRange> {
    let anchors = anchors(file);
    let fragment = fragment.to_lowercase();
    let typed_so = || anchors.iter().find(|(anchor, _)| typed(anchor) == typed(&fragment));
    let found = anchors.get(&fragment).or_else(|| typed_so().map(|(_, range)| range));
    found.copied()
}

/// The variable of the skill's folder, as Claude Code replaces it.
pub(crate) const SKILL_FOLDER: &str = "${CLAUDE_SKILL_DIR}";

/// The folders of a skill by the Agent Skills specification, and the skill's own.
pub(crate) const FOLDERS: [&str; 4] = ["references/", "scripts/", "assets/", "./"];

/// The path behind `${CLAUDE_SKILL_DIR}/`; none where only a part of it is known, as in a pattern.
fn behind_variable(file: &SkillFile, placeholder: &Placeholder) -> Option<Link> {
    if file.slice(placeholder.range) != SKILL_FOLDER {
        return None;
    }
    let rest = &file.text[usize::from(placeholder.range.end())..];
    let path = rest.strip_prefix('"').unwrap_or(rest).strip_prefix('/')?;
    let start = usize::from(TextSize::of(&*file.text)) - path.len();
    let length = path.find(|c: char| !(c.is_alphanumeric() || "/._-+".contains(c)));
    let (path, behind) = path.split_at(length.unwrap_or(path.len()));
    if behind.starts_with(['*', '?', '[', '{', '$', '<']) {
        return None;
    }
    let path = path.trim_end_matches('.');
    Some(Link {
        range: range_of(start, start + path.len()),
        target: Target::File {
            path: path.to_owned(),
            fragment: String::new(),
        },
        origin: Origin::Variable,
    })
}

fn target(destination: &str, heading: impl Fn(&str) -> Option<TextRange>) -> Option<Target> {
    if let Some(fragment) = destination.strip_prefix('#') {
        return heading(&decoded(fragment).to_lowercase()).map(Target::Heading);
    }
    if has_scheme(destination) {
        return Some(Target::Address(destination.to_owned()));
    }
    // `//host/path` has the scheme of a page that is not there; a placeholder names no file yet.
    if destination.is_empty() || destination.starts_with("//") || destination.contains('$') {
        return None;
    }
    let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    Some(Target::File {
        path: decoded(path),
        fragment: decoded(fragment),
    })
}

/// `scheme:` and more. One letter is the drive of a Windows path.
fn has_scheme(destination: &str) -> bool {
    destination.split_once(':').is_some_and(|(scheme, _)| {
        let mut chars = scheme.chars();
        scheme.len() > 1
            && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// The text with its `%20` resolved; as it is where that is no text.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// What GitHub keeps of a heading in its anchor (`\p{Word}` of Ruby): letters, marks, digits, connectors. An emoji goes;
/// the selector behind some of them (U+FE0F) is a mark and stays.
fn is_of_word(c: char) -> bool {
    use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let category = icu_properties::CodePointMapData::<GeneralCategory>::new().get(c);
    c.is_alphanumeric()
        || GeneralCategoryGroup::Mark.contains(category)
        || category == GeneralCategory::ConnectorPunctuation
}

/// An anchor as people write it: without the invisible characters of an emoji that is gone.
pub(crate) fn typed(anchor: &str) -> String {
    anchor.replace(['\u{fe0e}', '\u{fe0f}', '\u{200d}'], "")
}

/// The headings by the anchors that GitHub gives them: lower case, `-` for spaces, a number where one is taken.
pub(crate) fn anchors(file: &SkillFile) -> HashMap<String, TextRange> {
    let mut anchors = HashMap::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for heading in &file.markdown().headings {
        let words = heading.text.trim().to_lowercase();
        let slug: String = words
            .chars()
            .filter(|c| *c == ' ' || *c == '-' || is_of_word(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = counts.entry(slug.clone()).or_default();
        let slug = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        anchors.entry(slug).or_insert(heading.range);
    }
    anchors
}
