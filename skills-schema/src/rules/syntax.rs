//! What the rules about YAML share: a finding for a syntax error, and the repair of its value.

mod prose;
mod quotes;

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    fields::{Field, Place, Type},
    fixes::{self, Edit, Fix},
    rules::{Fate, Finding, Report, Rule},
    syntax::{Entry, Line, SkillFile, SyntaxError, SyntaxErrorKind as Kind, key_length, lines},
};

/// Reports the syntax errors of some kinds, each with the repair that fits it.
pub(super) fn syntax_findings(
    rule: &Rule,
    file: &SkillFile,
    facts: &Facts<'_>,
    is_meant: impl Fn(Kind) -> bool,
    report: &mut Report,
) {
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    for error in file.errors().iter().filter(|error| is_meant(error.kind)) {
        let finding = report.add(error.range, error.message.as_str());
        let since = facts.dialect.policy().colon_read_since;
        if let Some(version) = since.filter(|_| error.kind == Kind::UnquotedColon) {
            let since = format!("since {version}");
            finding.affects(facts, facts.dialect, Fate::Repaired, Some(&since));
        }
        finding.dropped(facts, rule.outcome);
        repair(file, error, finding);
    }
}

/// Offers a repair where one helps: it is tried on the text, and must mend the error.
fn repair(file: &SkillFile, error: &SyntaxError, finding: &mut Finding) {
    let candidates = match error.kind {
        Kind::MissingColon if !file.text[error.subject].contains('：') => prose::into_value(file, error.subject),
        Kind::UnquotedColon => prose::of_value(file, error.subject)
            .into_iter()
            .chain(candidate(file, error))
            .collect(),
        _ => Vec::from_iter(candidate(file, error)),
    };
    if let Some(fix) = candidates.into_iter().find(|fix| mends(file, error, fix)) {
        finding.fix(fix);
    }
}

/// A repair. It is safe where the text has one plain meaning, which no strict reader sees as it is.
fn candidate(file: &SkillFile, error: &SyntaxError) -> Option<Fix> {
    let text = &*file.text;
    let subject = error.subject;
    let value = &text[subject];
    Some(match error.kind {
        Kind::UnquotedColon | Kind::Reserved => Fix {
            title: "Quote the value".to_owned(),
            safe: !has_comment(value),
            edits: match of_list(file, error) {
                Some(list) => quotes::items(text, list),
                None => fixes::quote(text, subject),
            },
            file: None,
        },
        Kind::MissingSpace => Fix::safe("Add a space after the colon", vec![Edit::insert(subject.end(), " ")]),
        Kind::Tab => Fix::safe("Indent with spaces", spaces(text, subject)),
        Kind::UnclosedQuote => {
            let quote = value.chars().next()?;
            let end = lines(text, subject).last()?.range.end();
            Fix {
                title: format!("Close the quote with `{quote}`"),
                safe: !has_comment(value),
                edits: vec![Edit::insert(end, quote.to_string())],
                file: None,
            }
        }
        Kind::UnclosedBracket if holds(file, subject) == Some(Holds::Text) => {
            Fix::safe("Quote the value", fixes::quote(text, subject))
        }
        Kind::UnclosedBracket => {
            let close = if value[usize::from(error.range.start() - subject.start())..].starts_with('[') {
                "]"
            } else {
                "}"
            };
            Fix {
                title: format!("Close the bracket with `{close}`"),
                safe: holds(file, subject).is_some() && !value.contains(['\n', '\r', '#']),
                edits: vec![Edit::insert(subject.end(), close)],
                file: None,
            }
        }
        Kind::TextAfterValue => return after_value(file, error),
        Kind::TextAfterBlockIndicator => {
            let header = TextRange::new(subject.start(), error.range.start());
            let mut below = lines(text, subject).skip(1).filter(|line| !line.is_blank(text));
            let below = below.next();
            // `> 90 % of all`: no block.
            if below.is_none() && text[error.range].starts_with(|c: char| c.is_ascii_digit() || c == '=') {
                return Some(Fix::safe("Quote the value", fixes::quote(text, subject)));
            }
            let indent = below.map_or(2, |line| line.indent(text).max(1));
            let blank = TextSize::of(text[header].trim_end_matches([' ', '\t']));
            let gap = TextRange::new(subject.start() + blank, error.range.start());
            Fix::safe(
                "Start the text on the next line",
                vec![Edit::replace(gap, format!("\n{}", " ".repeat(indent)))],
            )
        }
        Kind::Escape => {
            let at = error.range.start();
            let before = &text[subject.start().into()..at.into()];
            Fix {
                title: "Write a backslash as `\\\\`".to_owned(),
                safe: quotes::has_plain_escapes(before),
                edits: quotes::escapes(text, subject, at),
                file: None,
            }
        }
        Kind::MissingColon => Fix::safe("Use a plain colon", vec![Edit::replace(error.range, ": ")]),
        Kind::Prefix => Fix::safe(format!("Remove `{}`", value.trim_end()), vec![Edit::delete(subject)]),
        Kind::Indentation => {
            let line = lines(text, subject).next()?;
            let above = TextRange::new(file.frontmatter.as_ref()?.content.start(), line.range.start());
            let is_item = |line: &Line| line.text(text).trim_start().starts_with("- ");
            let neighbour = lines(text, above)
                .filter(|it| {
                    is_item(it) == is_item(&line) && (is_item(it) || key_length(it.text(text).trim()).is_some())
                })
                .last()?;
            let own = TextRange::at(line.range.start(), TextSize::try_from(line.indent(text)).ok()?);
            let end = file.frontmatter.as_ref()?.content.end();
            let below = TextRange::new(line.full.end().min(end), end);
            let next = lines(text, below).find(|it| !it.is_blank(text));
            let indent = neighbour.indent(text);
            Fix {
                title: "Indent the line like its neighbours".to_owned(),
                safe: is_item(&line) || next.is_none_or(|next| next.indent(text) == indent),
                edits: vec![Edit::replace(own, " ".repeat(indent))],
                file: None,
            }
        }
        Kind::NotMapping | Kind::TooLong | Kind::Other => return None,
    })
}

/// A repair of a value behind which there is more.
fn after_value(file: &SkillFile, error: &SyntaxError) -> Option<Fix> {
    let text = &*file.text;
    let subject = error.subject;
    let value = &text[subject];
    let rest = &text[error.range];
    let gap = TextSize::of(text[subject.start().into()..error.range.start().into()].trim_end());
    let removed = vec![Edit::delete(TextRange::new(subject.start() + gap, error.range.end()))];
    // A mark that says nothing, or one of those that a chat leaves behind its sentences.
    if !rest.contains(char::is_alphanumeric) && error.range.end() == subject.end() || is_citation(rest) {
        return Some(Fix::safe(format!("Remove `{rest}`"), removed));
    }
    let is_list = value.starts_with(['[', '{']);
    let has_items = value.starts_with('[') && value[1..].contains(", ");
    let holds = holds(file, subject);
    // `[a, b]   - name`: what some program left there.
    if is_list && holds.is_none() && rest.starts_with("- ") && !rest.contains(['\n', '\r']) {
        let edit = Edit::insert(error.range.start(), "# ");
        return Some(Fix::safe("Make the text after the list a comment", vec![edit]));
    }
    // `[a, b]` and then more is a list that somebody joined badly, unless it is text: `[file] [target]`.
    if is_list && (value.contains(['\n', '\r']) || holds == Some(Holds::List) && !has_items) {
        return None;
    }
    if has_items && holds != Some(Holds::Text) {
        return Some(Fix::unsafe_("Remove the text after the list", removed));
    }
    Some(Fix {
        title: "Quote the whole value".to_owned(),
        safe: !has_comment(value),
        edits: quotes::requote(text, subject),
        file: None,
    })
}

/// What people write in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    List,
}

/// What the field holds that a value belongs to; `None` where nobody knows.
fn holds(file: &SkillFile, subject: TextRange) -> Option<Holds> {
    let is_its = |entry: &&Entry| entry.value.range.start() == subject.start();
    let entry = file.entries().iter().find(is_its)?;
    let types = Field::find(Place::TOP.fields(), &entry.key.value)?.types;
    let is_list = |it: &Type| matches!(it, Type::List(_) | Type::Mapping(..) | Type::Any);
    let is_text = |it: &Type| matches!(it, Type::Text | Type::BracketedText);
    match (types.iter().any(is_list), types.iter().any(is_text)) {
        (true, _) => Some(Holds::List),
        (false, true) => Some(Holds::Text),
        (false, false) => None,
    }
}

/// The list in brackets of whose items the error is one.
fn of_list(file: &SkillFile, error: &SyntaxError) -> Option<TextRange> {
    let holds_it = |entry: &&Entry| entry.value.range.contains_range(error.subject);
    let list = file.entries().iter().find(holds_it)?.value.range;
    let is_item = error.kind == Kind::Reserved && list != error.subject && file.slice(list).starts_with('[');
    let starts = file.slice(error.subject).starts_with(['@', '`', '%']);
    (is_item && starts && !file.slice(list).contains(['\n', '\r'])).then_some(list)
}

/// ` # …`: what may be a comment and may be text, so that only a person knows. `#3` and `#tag` are text.
fn has_comment(value: &str) -> bool {
    value
        .split([' ', '\t'])
        .skip(1)
        .any(|word| word.starts_with('#') && word.trim_matches('#').is_empty())
}

/// `[cite: 4]`
fn is_citation(text: &str) -> bool {
    text.starts_with("[cite") && text.ends_with(']') && text.matches(']').count() == 1
}

/// The error is gone, and no new one has come.
fn mends(file: &SkillFile, error: &SyntaxError, fix: &Fix) -> bool {
    // A file with dozens of errors is no skill; nobody goes through its repairs.
    const MOST: usize = 50;
    let before = file.errors().len();
    if before > MOST {
        return false;
    }
    let after = SkillFile::parse(fixes::apply(&file.text, &fix.edits).into());
    let closed = |file: &SkillFile| file.frontmatter.as_ref().is_some_and(|it| it.close.is_some());
    let same = after
        .errors()
        .iter()
        .any(|it| it.kind == error.kind && it.range.start() == error.range.start());
    // Behind a mark that is gone there may be more to mend.
    let most = before - usize::from(error.kind != Kind::Prefix);
    after.errors().len() <= most && !same && closed(&after) == closed(file)
}

/// Two spaces for every tab that a line starts with.
fn spaces(text: &str, subject: TextRange) -> Vec<Edit> {
    let mut edits = Vec::new();
    for line in lines(text, subject) {
        let content = line.text(text);
        let blank = &content[..content.len() - content.trim_start_matches([' ', '\t']).len()];
        if blank.contains('\t') {
            edits.push(Edit::replace(
                TextRange::at(line.range.start(), TextSize::of(blank)),
                blank.replace('\t', "  "),
            ));
        }
    }
    edits
}
