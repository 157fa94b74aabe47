//! Fields and values, by the lines around the cursor: works on text that is no YAML yet.

use text_size::{TextRange, TextSize};

use super::{Completion, Completions, Kind, Wanted, What, folder_of, snippet};
use crate::{
    facts::Facts,
    fields::{Field, Holds, Place, Type},
    fixes::scalar,
    hover,
    permission_rule::PermissionRule,
    skill_names::LISTS,
    syntax::{Line, Node, SkillFile, key_length, lines},
    template,
    vocabulary::{self, Matched, TOOLS, Tool},
};

/// The proposals at an offset in the lines of the frontmatter, or of another YAML text, whose top is `top`.
pub(super) fn complete(
    file: &SkillFile,
    facts: &Facts<'_>,
    top: Place,
    content: TextRange,
    offset: TextSize,
) -> Completions {
    let text = &*file.text;
    let all: Vec<Line> = lines(text, content).collect();
    let at = all.iter().rposition(|line| line.range.start() <= offset);
    let Some((at, line)) = at
        .map(|at| (at, all[at]))
        .filter(|(_, line)| offset <= line.range.end())
    else {
        // The empty line behind the last one.
        let cursor = Cursor::new("", Line::empty(offset), offset);
        return Completions {
            items: fields(facts, top, &cursor, &used_keys(text, &all, all.len(), &cursor)),
            wanted: None,
        };
    };
    let cursor = Cursor::new(text, line, offset);
    if cursor.is_comment || is_in_block(file, line) {
        return Completions::default();
    }
    let (cursor, path) = match opener(text, &all[..at], line) {
        Some(above) => {
            let opener = Cursor::new(text, all[above], all[above].range.end());
            (cursor.inside(&opener), path(text, &all[..above], &opener))
        }
        None => {
            let path = path(text, &all[..at], &cursor);
            (cursor, path)
        }
    };
    let place = path.iter().rev().try_fold(top, |place, key| place.step(key));
    let mut found = Completions::default();
    match cursor.key {
        None => {
            if let Some(place) = place.filter(|_| cursor.is_word) {
                found.items = fields(facts, place, &cursor, &used_keys(text, &all, at, &cursor));
            }
            if cursor.dash {
                let key = path.first().copied().unwrap_or_default();
                values(&mut found, &cursor, place, key, path.len() == 1, None);
            }
        }
        Some(key) => {
            let is_top = path.is_empty();
            let place = place.and_then(|place| place.step(key));
            let event = path.first().copied().filter(|_| key == "matcher");
            values(&mut found, &cursor, place, key, is_top, event);
            let folder = facts.folder.filter(|_| is_top && key == "name");
            if let Some((name, word)) = folder.map(scalar).zip(cursor.token(Holds::Anything)) {
                let documentation = "The name of the folder: what every reader accepts.";
                found
                    .items
                    .insert(0, Completion::new(&name, Kind::Value, word, documentation));
            }
            for item in &mut found.items {
                if text[..usize::from(item.replace.start())].ends_with(':') {
                    item.insert.insert(0, ' ');
                }
            }
        }
    }
    found
}

/// What stands at the cursor, by its line alone.
struct Cursor<'a> {
    line: &'a str,
    /// The offset of the line in the file.
    start: TextSize,
    /// The column of the key, behind dashes.
    column: usize,
    /// The line starts with `- `.
    dash: bool,
    /// The column of the first dash, or of the key.
    indent: usize,
    /// The key before the cursor, where the cursor stands in its value.
    key: Option<&'a str>,
    /// The column where the value starts, or the key that is being typed.
    from: usize,
    /// The column of the cursor.
    at: usize,
    /// What is typed at `from` is one word.
    is_word: bool,
    /// The cursor is in a comment.
    is_comment: bool,
    /// The value is a list in brackets that an earlier line opens.
    in_list: bool,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, line: Line, offset: TextSize) -> Cursor<'a> {
        let content = if text.is_empty() { "" } else { line.text(text) };
        let (indent, column) = columns(content);
        let at = usize::from(offset - line.range.start());
        let before = &content[column.min(at)..at];
        let (key, from) = match before.find(": ").or_else(|| before.strip_suffix(':').map(str::len)) {
            Some(colon) => {
                let blank = before[colon + 1..].len() - before[colon + 1..].trim_start().len();
                (Some(before[..colon].trim()), column + colon + 1 + blank)
            }
            None => (None, column.min(at)),
        };
        Cursor {
            line: content,
            start: line.range.start(),
            column,
            dash: column > indent,
            indent,
            key,
            from,
            at,
            is_word: content[from..at].chars().all(is_word),
            is_comment: before.starts_with('#') || before.contains(" #"),
            in_list: false,
        }
    }

    /// The cursor on a line of a list in brackets, which another line opens.
    fn inside(self, opener: &Cursor<'a>) -> Cursor<'a> {
        Cursor {
            key: opener.key,
            column: opener.column,
            indent: opener.indent,
            dash: false,
            from: (self.line.len() - self.line.trim_start().len()).min(self.at),
            in_list: true,
            ..self
        }
    }

    fn range(&self, from: usize, to: usize) -> TextRange {
        let offset = |column: usize| self.start + TextSize::of(&self.line[..column]);
        TextRange::new(offset(from), offset(to))
    }

    /// The word of a key at the cursor, and what follows it.
    fn word(&self) -> (TextRange, &'a str) {
        let rest = &self.line[self.at..];
        let end = self.at + rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        (self.range(self.from, end), &self.line[end..])
    }

    /// The part of the value at the cursor that a proposal replaces: an item of a list in brackets, a tool among
    /// others, or all. `None` where the cursor stands in running text, or behind a quote that is closed.
    fn token(&self, holds: Holds) -> Option<TextRange> {
        let separates = |c: char, in_flow: bool| match c {
            ',' => in_flow || matches!(holds, Holds::Tools | Holds::Globs | Holds::Skills),
            ' ' => matches!(holds, Holds::Tools | Holds::Skills),
            '|' => holds == Holds::Tools,
            _ => false,
        };
        let before = &self.line[self.from..self.at];
        let (mut start, mut depth, mut in_flow, mut is_closed) = (0, 0usize, self.in_list, false);
        let mut quote = None;
        for (at, c) in before.char_indices() {
            let is_start = start == at && !is_closed;
            let end = at + c.len_utf8();
            match c {
                c if depth == 0 && separates(c, in_flow) && (in_flow || !is_closed) => {
                    (start, is_closed) = (end, false)
                }
                '"' | '\'' if is_start && quote.is_none() => (quote, start) = (Some(c), end),
                c if Some(c) == quote => (quote, is_closed) = (None, true),
                '[' if is_start && at == 0 => (in_flow, start) = (true, end),
                ' ' if is_start => start = end,
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let is_text = depth == 0 && before[start..].contains([' ', '\t']);
        if is_closed || is_text {
            return None;
        }
        let mut end = self.at;
        for c in self.line[self.at..].chars() {
            let ends = match c {
                '(' | '{' => {
                    depth += 1;
                    false
                }
                ')' | '}' if depth > 0 => {
                    depth -= 1;
                    false
                }
                '"' | '\'' | ']' => true,
                c => depth == 0 && (c.is_whitespace() || separates(c, in_flow)),
            };
            if ends {
                break;
            }
            end += c.len_utf8();
        }
        Some(self.range(self.from + start, end))
    }

    /// What is typed of a token.
    fn typed(&self, token: TextRange) -> &'a str {
        &self.line[usize::from(token.start() - self.start)..self.at]
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

impl Line {
    fn empty(at: TextSize) -> Line {
        let range = TextRange::empty(at);
        Line { range, full: range }
    }
}

/// The column where a line starts, and the one behind its dashes.
fn columns(line: &str) -> (usize, usize) {
    let start = line.len() - line.trim_start_matches(' ').len();
    let mut column = start;
    while line[column..].starts_with("- ") {
        column += 2 + line[column + 2..].bytes().take_while(|&byte| byte == b' ').count();
    }
    (start, column)
}

/// Whether a line is inside a scalar of several lines.
fn is_in_block(file: &SkillFile, line: Line) -> bool {
    fn find(node: &Node, line: Line) -> bool {
        match node.as_scalar() {
            Some(scalar) => scalar.range.start() < line.range.start() && line.range.start() < scalar.range.end(),
            None => {
                node.items().iter().any(|item| find(item, line))
                    || node.entries().iter().any(|entry| find(&entry.value, line))
            }
        }
    }
    file.entries()
        .iter()
        .any(|entry| entry.value.range.contains_range(line.range) && find(&entry.value, line))
}

/// The line with the key of a list in brackets that is still open where another line begins, or opens there.
fn opener(text: &str, above: &[Line], line: Line) -> Option<usize> {
    let key = |line: &Line| {
        let content = line.text(text);
        let (_, column) = columns(content);
        Some(line.range.start() + TextSize::of(&content[..column + key_length(&content[column..])?]))
    };
    let at = above.iter().rposition(|line| key(line).is_some())?;
    let list = text[TextRange::new(key(&above[at])?, line.range.start())].strip_prefix(':')?;
    // Nobody closed the list, and goes on with the next field.
    let is_out = columns(line.text(text)).0 <= columns(above[at].text(text)).1;
    let goes_on = list.trim_end().ends_with([',', '[']) || line.text(text).trim_start().starts_with(['[', ']']);
    if is_out && (key(&line).is_some() || !list.trim().is_empty() && !goes_on) {
        return None;
    }
    if list.trim().is_empty() {
        return line.text(text).trim_start().starts_with('[').then_some(at);
    }
    let (mut depth, mut quote) = (0usize, None);
    for c in list.trim_start().starts_with('[').then_some(list)?.chars() {
        match c {
            c if quote.is_some() => quote = quote.filter(|open| *open != c),
            '"' | '\'' => quote = Some(c),
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (depth > 0).then_some(at)
}

/// The keys that the lines above lead through, the innermost first: each line further left that ends a key is a parent.
fn path<'a>(text: &'a str, above: &[Line], cursor: &Cursor<'_>) -> Vec<&'a str> {
    let mut path = Vec::new();
    // A key in the parent's column is the parent of a dash.
    let (mut column, mut dash) = if cursor.dash {
        (cursor.indent, true)
    } else {
        (cursor.column, false)
    };
    for line in above.iter().rev().filter(|line| !line.is_blank(text)) {
        if column == 0 && !dash {
            break;
        }
        let content = line.text(text);
        let (start, own) = columns(content);
        let is_parent = own < column || (dash && own == column && own == start);
        if is_parent {
            path.push(content[own..].split(':').next().unwrap_or_default().trim());
            (column, dash) = (start, own > start);
        } else if own == column && own > start {
            (column, dash) = (start, true);
        }
    }
    path
}

/// The other keys beside the one at the cursor.
fn used_keys<'a>(text: &'a str, all: &[Line], at: usize, cursor: &Cursor<'_>) -> Vec<&'a str> {
    let own = |line: &Line| {
        let content = line.text(text);
        let (start, column) = columns(content);
        (
            start,
            column,
            content[column..].split(':').next().unwrap_or_default().trim(),
        )
    };
    let mut used = Vec::new();
    if !cursor.dash {
        for line in all[..at].iter().rev().filter(|line| !line.is_blank(text)) {
            let (start, column, key) = own(line);
            if column == cursor.column {
                used.push(key);
            }
            // An item of a list begins with its first key.
            if column < cursor.column || (column == cursor.column && start < column) {
                break;
            }
        }
    }
    for line in all.iter().skip(at + 1).filter(|line| !line.is_blank(text)) {
        let (start, column, key) = own(line);
        if start < cursor.column {
            break;
        }
        if column == cursor.column {
            used.push(key);
        }
    }
    used
}

fn fields(facts: &Facts<'_>, place: Place, cursor: &Cursor<'_>, used: &[&str]) -> Vec<Completion> {
    let (word, after) = cursor.word();
    let has_colon = after.trim_start().starts_with(':');
    let is_used = |field: &Field| {
        let mut names = std::iter::once(field.name).chain(field.spellings());
        names.any(|name| used.contains(&name))
    };
    place
        .fields()
        .iter()
        .filter(|field| field.is_read_by(facts.dialect) && field.deprecated.is_none() && !is_used(field))
        .map(|field| {
            let documentation = hover::documentation(field);
            let item = Completion {
                detail: field.type_name(),
                ..Completion::new(field.name, Kind::Field, word, &documentation)
            };
            if has_colon {
                return item;
            }
            Completion {
                insert: format!("{}:{}", field.name, opening(field, cursor.column)),
                snippet: Some(snippet::field(field, cursor.column - cursor.indent)),
                ..item
            }
        })
        .collect()
}

/// What follows the colon of a key in that column, up to where one types on.
fn opening(field: &Field, column: usize) -> String {
    let (indent, dash) = match field.types {
        [Type::List(items), ..] if !matches!(items, [Type::Any]) => (column + 2, "- "),
        [Type::Mapping(..), ..] => (column + 2, ""),
        _ => return " ".to_owned(),
    };
    format!("\n{}{dash}", " ".repeat(indent))
}

/// The values of a key; of a matcher by its event.
fn values(
    found: &mut Completions,
    cursor: &Cursor<'_>,
    place: Option<Place>,
    key: &str,
    is_top: bool,
    event: Option<&str>,
) {
    let is_list_of_skills = is_top && LISTS.contains(&key);
    let holds = match place.and_then(|place| place.field) {
        Some(field) => field.holds,
        None if is_list_of_skills => Holds::Skills,
        None => Holds::Anything,
    };
    let Some(word) = cursor.token(holds) else {
        return;
    };
    let value = |(word_, documentation): (&str, &str), kind| Completion::new(word_, kind, word, documentation);
    let choices = place
        .and_then(|place| place.field)
        .map_or(Vec::new(), |field| choices(field.types));
    found.items.extend(choices.into_iter().map(|it| value(it, Kind::Value)));
    let typed = cursor.typed(word);
    match holds {
        Holds::Anything => {}
        Holds::Tools => match event.map(vocabulary::matched) {
            Some(Some(Matched::Word(words))) => {
                found.items.extend(words.iter().map(|it| value(*it, Kind::Value)));
            }
            Some(Some(Matched::Name | Matched::Nothing)) => {}
            Some(Some(Matched::Tool) | None) | None => found.items.extend(tools(typed, event.is_some(), word)),
        },
        Holds::Skills => {
            found.wanted = Some(Wanted {
                replace: word,
                what: What::Skills,
            });
        }
        Holds::Files | Holds::Globs => {
            let typed = typed
                .strip_prefix('/')
                .filter(|_| holds == Holds::Globs)
                .unwrap_or(typed);
            // Below a wildcard nothing is known.
            let inside = folder_of(typed).filter(|(folder, _)| !folder.starts_with("../"));
            found.wanted = inside.map(|(folder, name)| Wanted {
                replace: TextRange::new(
                    cursor.start + TextSize::of(&cursor.line[..cursor.at]) - name,
                    word.end(),
                ),
                what: match holds {
                    Holds::Globs => What::Globs { folder },
                    _ => What::Files {
                        folder,
                        is_address: false,
                    },
                },
            });
        }
    }
}

/// The words that a value or the items of a list may be.
pub(super) fn choices(types: &'static [Type]) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    for it in types {
        match it {
            Type::Choice(choices) => found.extend(choices.iter().map(|choice| (choice.value, choice.documentation))),
            Type::Boolean => found.extend([("true", ""), ("false", "")]),
            Type::List(items) => found.extend(choices(items)),
            _ => {}
        }
    }
    found
}

/// Tools; behind a bracket the patterns of one. A matcher takes names alone.
fn tools(typed: &str, names_only: bool, word: TextRange) -> Vec<Completion> {
    let pattern = |tool: &Tool, specifier: &str| {
        let rule = PermissionRule {
            tool: tool.name,
            specifier: Some(specifier),
        };
        let label = format!("{}({specifier})", tool.name);
        Completion::new(&label, Kind::Tool, word, &hover::permission(&rule))
    };
    if let Some((name, _)) = typed.split_once('(') {
        let tool = vocabulary::tool(name).filter(|_| !names_only);
        return tool.map_or(Vec::new(), |tool| {
            tool.patterns.iter().map(|it| pattern(tool, it)).collect()
        });
    }
    let mut found: Vec<Completion> = Vec::new();
    for tool in TOOLS {
        found.push(Completion::new(tool.name, Kind::Tool, word, tool.documentation));
        if let Some(specifier) = tool.patterns.first().filter(|_| !names_only) {
            found.push(Completion {
                snippet: Some(format!("{}(${{1:{}}})", tool.name, template::escaped(specifier))),
                ..pattern(tool, specifier)
            });
        }
    }
    found.push(Completion {
        snippet: Some("mcp__${1:server}__${2:tool}".to_owned()),
        ..Completion::new("mcp__server__tool", Kind::Tool, word, "A tool of an MCP server.")
    });
    found
}
