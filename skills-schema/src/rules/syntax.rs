//! What the rules about YAML share: a finding for a syntax error, and the repair of its value.

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    fixes::{self, Edit, Fix},
    rules::{Fate, Finding, Report, Rule},
    syntax::{Line, SkillFile, SyntaxError, SyntaxErrorKind as Kind, key_length, lines},
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
    let Some(fix) = candidate(file, error) else { return };
    if mends(file, error, &fix) {
        finding.fix(fix);
    }
}

fn candidate(file: &SkillFile, error: &SyntaxError) -> Option<Fix> {
    let text = &*file.text;
    let subject = error.subject;
    let value = &text[subject];
    Some(match error.kind {
        Kind::UnquotedColon | Kind::Reserved => {
            // Behind ` #` may be a comment or a part of the text: a person knows. At `---` some reader ends the frontmatter.
            let safe = !["\t#", " #", "---"].iter().any(|it| value.contains(it));
            Fix {
                title: "Quote the value".to_owned(),
                safe,
                edits: fixes::quote(text, subject),
                file: None,
            }
        }
        Kind::MissingSpace => Fix::safe("Add a space after the colon", vec![Edit::insert(subject.end(), " ")]),
        Kind::Tab => Fix::safe("Indent with spaces", spaces(text, subject)),
        Kind::UnclosedQuote => {
            let quote = value.chars().next()?;
            let end = lines(text, subject).last()?.range.end();
            Fix::unsafe_(
                format!("Close the quote with `{quote}`"),
                vec![Edit::insert(end, quote.to_string())],
            )
        }
        Kind::UnclosedBracket => {
            let close = if value[usize::from(error.range.start() - subject.start())..].starts_with('[') {
                "]"
            } else {
                "}"
            };
            Fix::unsafe_(
                format!("Close the bracket with `{close}`"),
                vec![Edit::insert(subject.end(), close)],
            )
        }
        // `[a, b]` and then more is a list that somebody joined badly, unless it is all on one line: `[file] [target]`.
        Kind::TextAfterValue if value.starts_with(['[', '{']) && value.contains(['\n', '\r']) => return None,
        Kind::TextAfterValue if value.starts_with('[') && value[1..].contains(", ") => {
            let gap = TextSize::of(text[subject.start().into()..error.range.start().into()].trim_end());
            let gap = TextRange::new(subject.start() + gap, subject.end());
            Fix::unsafe_("Remove the text after the list", vec![Edit::delete(gap)])
        }
        Kind::TextAfterValue => Fix {
            title: "Quote the whole value".to_owned(),
            safe: false,
            edits: requote(text, subject),
            file: None,
        },
        Kind::TextAfterBlockIndicator => {
            let header = TextRange::new(subject.start(), error.range.start());
            let indent = lines(text, subject)
                .skip(1)
                .find(|line| !line.is_blank(text))
                .map_or(2, |line| line.indent(text).max(1));
            let blank = TextSize::of(text[header].trim_end_matches([' ', '\t']));
            let gap = TextRange::new(subject.start() + blank, error.range.start());
            Fix::unsafe_(
                "Start the text on the next line",
                vec![Edit::replace(gap, format!("\n{}", " ".repeat(indent)))],
            )
        }
        Kind::Escape => {
            let at = error.range.start();
            Fix::unsafe_("Write a backslash as `\\\\`", escapes(text, subject, at))
        }
        Kind::MissingColon if value.contains('：') => {
            Fix::safe("Use a plain colon", vec![Edit::replace(error.range, ": ")])
        }
        Kind::MissingColon => Fix::unsafe_("Indent the line into the value above", indented(text, subject)),
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
            let edit = Edit::replace(own, " ".repeat(neighbour.indent(text)));
            Fix::unsafe_("Indent the line like its neighbours", vec![edit])
        }
        Kind::NotMapping | Kind::TooLong | Kind::Other => return None,
    })
}

/// The error is gone, and no new one has come.
fn mends(file: &SkillFile, error: &SyntaxError, fix: &Fix) -> bool {
    // A file with dozens of errors is no skill; nobody goes through its repairs.
    const MOST: usize = 20;
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
    after.errors().len() < before && !same && closed(&after) == closed(file)
}

/// The whole value in quotes, without those that it starts with.
fn requote(text: &str, subject: TextRange) -> Vec<Edit> {
    let value = &text[subject];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote.filter(|&quote| !is_quoted_word(value, quote)) else {
        return fixes::quote(text, subject);
    };
    let inner = value[1..].strip_suffix(quote).unwrap_or(&value[1..]);
    let new = if quote == '\'' {
        // What is doubled stays so; a quote alone is one that ended the value too early.
        inner.replace("''", "\u{0}").replace(['\'', '\u{0}'], "''")
    } else {
        let mut new = String::new();
        let mut escaped = false;
        for c in inner.chars() {
            if c == '"' && !escaped {
                new.push('\\');
            }
            escaped = c == '\\' && !escaped;
            new.push(c);
        }
        new
    };
    vec![Edit::replace(subject, format!("{quote}{new}{quote}"))]
}

/// `"Ships" and more`: the quotes belong to the text, not around it.
fn is_quoted_word(value: &str, quote: char) -> bool {
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    // `"a" or "b"`: the first quote is closed before text, and the last one opened behind it.
    let closes = |(_, rest): (&str, &str)| is_space(rest.chars().next());
    let mut parts = value.rsplitn(3, quote).skip(2);
    let opens = parts.next().is_some_and(|before| is_space(before.chars().next_back()));
    let is_list = value[1..].split_once(quote).is_some_and(closes) && value.ends_with(quote) && opens;
    if is_list {
        return true;
    }
    let first = value[1..].split(quote).next().unwrap_or("");
    !value.ends_with(quote) && first.split_whitespace().count() <= 4
}

/// Every backslash from `at` on that starts no escape, doubled; the valid ones too, for a path has them all or none.
fn escapes(text: &str, subject: TextRange, at: TextSize) -> Vec<Edit> {
    let rest = TextRange::new(at, subject.end());
    let mut edits = Vec::new();
    let mut characters = text[rest].char_indices();
    while let Some((offset, c)) = characters.next() {
        let escape = (c == '\\').then(|| characters.next()).flatten();
        if escape.is_some_and(|(_, next)| !matches!(next, '"' | '\\' | '\n' | '\r')) {
            edits.push(Edit::insert(at + TextSize::of(&text[rest][..offset]), "\\"));
        }
    }
    edits
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

/// Two spaces before every line.
fn indented(text: &str, subject: TextRange) -> Vec<Edit> {
    let start = fixes::line_start(text, subject.start());
    lines(text, TextRange::new(start, subject.end()))
        .filter(|line| !line.is_blank(text))
        .map(|line| Edit::insert(line.range.start(), "  "))
        .collect()
}
