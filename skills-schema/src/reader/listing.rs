//! How a reader tells its model of the skills that it may choose.

use std::{cmp::Ordering, fmt::Write as _};

use crate::shown::one_line;

/// The longest entry, in characters: its description and `when_to_use`. Claude Code 2.1.105.
pub const MAX_ENTRY: usize = 1_536;

/// A skill that may be listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListingEntry<'a> {
    /// What the model calls it by.
    pub name: &'a str,
    /// `description`, or what stands in for it.
    pub description: &'a str,
    /// `when_to_use`.
    pub when_to_use: &'a str,
    /// Its file.
    pub location: &'a str,
    /// `project`, `user` and the like.
    pub source: &'a str,
    /// `allowed-tools`.
    pub allowed_tools: &'a [String],
    /// How many tools it defines.
    pub tools: usize,
    /// How many characters its body has.
    pub body: usize,
    /// How many of them are left out where a line of the body stands in for a missing description.
    pub left_out: usize,
    /// It is part of the program: its description is never dropped.
    pub is_bundled: bool,
    /// `metadata.priority`.
    pub priority: Option<i64>,
    /// How often it was invoked.
    pub uses: u32,
    /// How many days ago that was last.
    pub days: f64,
}

/// The form of a listing. What a text can't say is a function in the reader's file.
#[derive(Debug)]
pub struct ListingForm {
    /// The order of the entries.
    pub(crate) order: fn(&ListingEntry<'_>, &ListingEntry<'_>) -> Ordering,
    /// The description as it is shown, with so many characters at most, and whether it was cut.
    pub(crate) description: fn(&ListingEntry<'_>, usize) -> (String, bool),
    /// An entry with that description, which may be empty; of all folders that skills lie in.
    pub(crate) entry: fn(&ListingEntry<'_>, &str, &[&str]) -> String,
    /// What it says before its entries.
    pub(crate) before: &'static str,
    /// What it says behind them; `{named}` is the line of those that are only named.
    pub(crate) after: &'static str,
    /// What it says where there are none.
    pub(crate) none: &'static str,
    /// The most characters of names in the line of those that are only named.
    pub(crate) most_named: usize,
    /// All of the listing, where there is more than that around the entries.
    pub(crate) frame: fn(&ListingForm, &Told<'_>) -> String,
    /// The texts that a message brings in come behind it, in the same prompt.
    pub texts_follow: bool,
}

/// An entry's lines.
#[derive(Debug)]
pub(crate) struct EntryLines {
    pub(crate) full: String,
    /// Without its description.
    pub(crate) bare: String,
    pub(crate) is_shortened: bool,
}

/// What a listing tells.
pub(crate) struct Told<'a> {
    /// The entries as they are written.
    pub(crate) lines: &'a [String],
    pub(crate) entries: &'a [ListingEntry<'a>],
    /// The folders that they lie in.
    pub(crate) folders: &'a [&'a str],
    /// The skills that have no entry.
    pub(crate) named: &'a [String],
}

impl ListingForm {
    /// `<available_skills>` with the path of each, nothing escaped and nothing cut.
    pub(crate) const USUAL: ListingForm = ListingForm {
        order: |_, _| Ordering::Equal,
        description: |it, _| (it.description.to_owned(), false),
        entry: |it, description, _| located(it.name, description, it.location),
        before: "<available_skills>\n",
        after: "\n</available_skills>",
        none: "",
        most_named: usize::MAX,
        frame: ListingForm::around,
        texts_follow: false,
    };

    /// An entry's lines; `most` characters of its description.
    pub(crate) fn lines(&self, entry: &ListingEntry<'_>, folders: &[&str], most: usize) -> EntryLines {
        let (description, is_shortened) = (self.description)(entry, most);
        EntryLines {
            full: (self.entry)(entry, &description, folders),
            bare: (self.entry)(entry, "", folders),
            is_shortened,
        }
    }

    /// All of the listing.
    pub(crate) fn text(&self, told: &Told<'_>) -> String {
        if told.lines.is_empty() && told.named.is_empty() {
            return self.none.to_owned();
        }
        (self.frame)(self, told)
    }

    /// The entries between what the reader says before and behind them.
    pub(crate) fn around(&self, told: &Told<'_>) -> String {
        let after = self.after.replace("{named}", &by_name(told.named, self.most_named));
        format!("{}{}{after}", self.before, told.lines.join("\n"))
    }
}

/// The order of names.
pub(crate) fn by_name_and_path(a: &ListingEntry<'_>, b: &ListingEntry<'_>) -> Ordering {
    (a.name, a.location).cmp(&(b.name, b.location))
}

/// An entry with its path, indented.
pub(crate) fn located(name: &str, description: &str, location: &str) -> String {
    format!(
        "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
         <location>{location}</location>\n  </skill>"
    )
}

/// The same, all escaped.
pub(crate) fn located_escaped(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let [name, description, location] = [it.name, description, it.location].map(apostrophes);
    located(&name, &description, &location)
}

/// The folders of skills that entries lie in.
pub(crate) fn folders<'a>(entries: &[ListingEntry<'a>]) -> Vec<&'a str> {
    let mut folders: Vec<&str> = Vec::new();
    for (folder, _) in entries.iter().map(|entry| folder_of(entry.location)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The folder of skills that a file lies in, and the rest of its path.
pub(crate) fn folder_of(location: &str) -> (&str, &str) {
    let end = location.rfind("/skills/").map(|at| at + "/skills".len());
    let end = end.or_else(|| location.match_indices('/').rev().nth(1).map(|(at, _)| at));
    end.map_or(("", location), |end| {
        (&location[..end], location[end..].trim_start_matches('/'))
    })
}

/// The line of the skills that are only named, with so many characters of names; nothing where there is none.
fn by_name(named: &[String], most: usize) -> String {
    if named.is_empty() {
        return String::new();
    }
    let mut used = 0;
    let fits = |name: &&String| {
        used += name.chars().count() + 2;
        used <= most
    };
    let shown: Vec<&str> = named.iter().take_while(fits).map(String::as_str).collect();
    let mut line = format!("\nAdditional skills available (invoke by name): {}", shown.join(", "));
    if shown.len() < named.len() {
        let comma = if shown.is_empty() { "" } else { ", " };
        let _ = write!(line, "{comma}... and {} more", named.len() - shown.len());
    }
    line
}

/// A description on one line, and whether it was cut.
pub(crate) fn cut_line(text: &str, most: usize) -> (String, bool) {
    cut(&one_line(text), most)
}

/// The first characters of a text, and whether there are more.
pub(crate) fn cut(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) fn quoted(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\'', "&#x27;")
}

pub(crate) fn apostrophes(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\'', "&apos;")
}
