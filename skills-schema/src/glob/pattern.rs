//! One pattern without braces, and its match in bounded time.

use super::GlobError;

/// The longest path that is matched, in bytes: what systems allow.
pub const MAX_PATH_BYTES: usize = 4_096;

/// Which characters are special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `**` as a whole component, `*`, `?`, brackets, and a backslash before any of them.
    Components,
    /// `**/`, `**` anywhere, `*` and `?`.
    Stars,
}

/// What every path has that matches a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literals {
    /// What it starts with: whole folders with their slash, or all of it. Empty where nothing is known.
    pub prefix: String,
    /// Its last component.
    pub name: Option<String>,
    /// One of the folders that it goes through.
    pub folder: Option<String>,
    /// What stands behind the last dot of its last component.
    pub extension: Option<String>,
}

/// A pattern, ready to match.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    steps: Box<[Step]>,
    classes: Box<[Class]>,
    /// A path with fewer characters can't match.
    shortest: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// This character.
    Char(char),
    /// One character that is no slash.
    One,
    /// One character of that class, no slash.
    Class(u32),
    /// Any characters without a slash.
    Star,
    /// Any characters.
    All,
    /// Nothing, or any characters up to a slash.
    Folders,
}

/// `[a-z]`
#[derive(Clone, Debug)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Pattern {
    pub(super) fn new(syntax: Syntax, source: &str) -> Result<Pattern, GlobError> {
        let mut steps: Vec<Step> = Vec::new();
        let mut classes = Vec::new();
        let mut at = 0;
        while let Some(char) = source[at..].chars().next() {
            let rest = &source[at..];
            let (step, length) = match (syntax, char) {
                (_, '*') => stars(syntax, source, at),
                (_, '?') => (Step::One, 1),
                (Syntax::Components, '[') => {
                    let (class, length) = class(source, at)?;
                    classes.push(class);
                    (
                        Step::Class(u32::try_from(classes.len() - 1).unwrap_or(u32::MAX)),
                        length,
                    )
                }
                (Syntax::Components, '\\') => match rest[1..].chars().next() {
                    Some(next) => (Step::Char(next), 1 + next.len_utf8()),
                    None => {
                        let message = "nothing stands behind the backslash, so the pattern matches nothing; write two \
                                       for a backslash of the path";
                        return Err(error(at..at + 1, message.to_owned()));
                    }
                },
                _ => (Step::Char(char), char.len_utf8()),
            };
            // Two that mean the same in a row cost and say nothing more.
            if !(matches!(step, Step::Star | Step::All | Step::Folders) && steps.last() == Some(&step)) {
                steps.push(step);
            }
            at += length;
        }
        let one = |step: &&Step| !matches!(step, Step::Star | Step::All | Step::Folders);
        Ok(Pattern {
            shortest: steps.iter().filter(one).count(),
            steps: steps.into(),
            classes: classes.into(),
        })
    }

    /// Whether the whole path matches. All places of the pattern that can be reached are followed at once, so nothing is
    /// tried twice.
    pub(super) fn is_match(&self, path: &str) -> bool {
        // What is left of a hostile pattern is not longer than the path.
        if path.len() < self.shortest || self.steps.is_empty() {
            return false;
        }
        let mut now = Places::new(self.steps.len());
        self.enter(0, &mut now);
        let mut next = Places::new(self.steps.len());
        for char in path.chars() {
            next.clear();
            for &place in &now.list {
                match self.steps.get(place) {
                    Some(Step::Char(expected)) if *expected == char => self.enter(place + 1, &mut next),
                    Some(Step::One) if char != '/' => self.enter(place + 1, &mut next),
                    Some(Step::Class(class)) if char != '/' && self.classes[*class as usize].has(char) => {
                        self.enter(place + 1, &mut next);
                    }
                    Some(Step::Star) if char != '/' => self.enter(place, &mut next),
                    Some(Step::All) => self.enter(place, &mut next),
                    Some(Step::Folders) => {
                        next.add(place);
                        if char == '/' {
                            self.enter(place + 1, &mut next);
                        }
                    }
                    _ => {}
                }
            }
            if next.list.is_empty() {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.list.contains(&self.steps.len())
    }

    /// Adds a place and those behind it that need no character.
    fn enter(&self, place: usize, places: &mut Places) {
        let mut place = place;
        loop {
            let is_new = places.add(place);
            let is_optional = matches!(self.steps.get(place), Some(Step::Star | Step::All | Step::Folders));
            // One that was only stayed at before is left now, so it is passed again.
            if !is_optional || (!is_new && self.steps[place] != Step::Folders) {
                return;
            }
            place += 1;
        }
    }

    pub(super) fn literals(&self) -> Literals {
        let literal = |step: &Step| match step {
            Step::Char(char) => Some(*char),
            _ => None,
        };
        let prefix: String = self.steps.iter().map_while(literal).collect();
        let is_whole = prefix.chars().count() == self.steps.len();
        let suffix: String = self.steps.iter().rev().map_while(literal).collect();
        let suffix: String = suffix.chars().rev().collect();
        let (folder, last) = match suffix.rfind('/') {
            Some(slash) => (true, &suffix[slash + 1..]),
            None => (is_whole, suffix.as_str()),
        };
        // `**/name` is the name too: what stands before it ends with a slash, or is nothing.
        let before = self.steps.len() - suffix.chars().count();
        let whole_name = folder || (before > 0 && self.is_component(before));
        Literals {
            name: Some(last.to_owned()).filter(|name| whole_name && !name.is_empty()),
            folder: self.folder(),
            extension: last.rsplit_once('.').map(|(_, extension)| extension.to_owned()),
            prefix: match (is_whole, prefix.rfind('/')) {
                (true, _) => prefix,
                (false, Some(slash)) => prefix[..=slash].to_owned(),
                (false, None) => String::new(),
            },
        }
    }

    /// The longest folder that stands in the pattern letter by letter.
    fn folder(&self) -> Option<String> {
        let mut longest: Option<String> = None;
        let mut start = 0;
        while start < self.steps.len() {
            let letters = self.steps[start..].iter().map_while(|step| match step {
                Step::Char(char) if *char != '/' => Some(*char),
                _ => None,
            });
            let letters: String = letters.collect();
            let end = start + letters.chars().count();
            let is_whole = self.is_component(start) && self.steps.get(end) == Some(&Step::Char('/'));
            if is_whole && letters.len() > longest.as_ref().map_or(0, String::len) {
                longest = Some(letters);
            }
            start = end + 1;
        }
        longest
    }

    /// Whether a place is at the start of a component.
    fn is_component(&self, place: usize) -> bool {
        match place.checked_sub(1) {
            None => true,
            Some(before) => match self.steps[before] {
                Step::Char(char) => char == '/',
                Step::Folders => self.is_component(before),
                _ => false,
            },
        }
    }
}

/// Places of a pattern, each once.
struct Places {
    list: Vec<usize>,
    has: Vec<bool>,
}

impl Places {
    fn new(steps: usize) -> Places {
        Places {
            list: Vec::new(),
            has: vec![false; steps + 1],
        }
    }

    fn add(&mut self, place: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.has[place], true);
        if is_new {
            self.list.push(place);
        }
        is_new
    }

    fn clear(&mut self) {
        for &place in &self.list {
            self.has[place] = false;
        }
        self.list.clear();
    }
}

impl Class {
    fn has(&self, char: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&char)) != self.negated
    }
}

/// What the stars at a place mean, and their length.
fn stars(syntax: Syntax, source: &str, at: usize) -> (Step, usize) {
    let rest = &source[at..];
    let is_double = rest.starts_with("**");
    match syntax {
        Syntax::Stars if rest.starts_with("**/") => (Step::Folders, 3),
        Syntax::Stars if is_double => (Step::All, 2),
        Syntax::Components if is_double && (at == 0 || source[..at].ends_with('/')) => match rest[2..].chars().next() {
            Some('/') => (Step::Folders, 3),
            None => (Step::All, 2),
            Some(_) => (Step::Star, 1),
        },
        _ => (Step::Star, 1),
    }
}

/// The class that starts at a place, and its length.
fn class(source: &str, at: usize) -> Result<(Class, usize), GlobError> {
    let mut chars = source[at + 1..]
        .char_indices()
        .map(|(offset, char)| (at + 1 + offset, char))
        .peekable();
    let negated = chars.next_if(|(_, char)| matches!(char, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut is_first = true;
    let unclosed = || {
        let message = "unclosed `[`, so this never matches; add `]` or write `\\[`";
        error(at..at + 1, message.to_owned())
    };
    loop {
        let (start, char) = chars.next().ok_or_else(unclosed)?;
        if char == ']' && !is_first {
            return Ok((Class { negated, ranges }, start + 1 - at));
        }
        is_first = false;
        let mut literal = |char| match char {
            '\\' => chars.next().map(|(_, char)| char).ok_or_else(unclosed),
            char => Ok(char),
        };
        let low = literal(char)?;
        let mut ahead = chars.clone();
        let is_range =
            ahead.next().is_some_and(|(_, char)| char == '-') && ahead.next().is_some_and(|(_, it)| it != ']');
        if !is_range {
            ranges.push((low, low));
            continue;
        }
        chars.next();
        let (last, char) = chars.next().ok_or_else(unclosed)?;
        let (end, high) = match char {
            '\\' => chars.next().ok_or_else(unclosed)?,
            char => (last, char),
        };
        if high < low {
            let range = start..end + high.len_utf8();
            let message = format!(
                "reversed range `{}` never matches; swap its ends",
                &source[range.clone()]
            );
            return Err(error(range, message));
        }
        ranges.push((low, high));
    }
}

fn error(at: std::ops::Range<usize>, message: String) -> GlobError {
    GlobError { at, message }
}
