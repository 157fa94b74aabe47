//! What a skill's text becomes in opencode 1.18.33 and goose 1.52.0, which count arguments from 1.
//!
//! opencode puts what is typed into its commands as text, so that it can become a command of its own. That is told by a
//! finding and not done here: each value travels in the environment, as in all other commands.

use super::{Filled, Piece, ShellCommand, add};
use crate::{
    arguments::{
        Values,
        shell::{Language, Writer},
    },
    reader::runtime::Positional,
    syntax::{CommandForm, Node, NodeKind, SkillFile, range_of},
};

/// The text of a skill with its values; `folder` is that of the skill.
pub(super) fn fill(file: &SkillFile, scheme: Positional, values: &Values, folder: &str, language: Language) -> Filled {
    let body = file.slice(file.body.range);
    let names = if scheme.last_takes_rest {
        Vec::new()
    } else {
        names(file)
    };
    let mut scan = Scan {
        scheme,
        values,
        names,
        last: last_index(body),
        replaced: false,
    };
    let mut pieces = Vec::new();
    let mut at = 0;
    if scheme.runs_commands {
        for (start, end) in commands(body) {
            add(&mut pieces, &scan.text(&body[at..start]));
            let base = usize::from(file.body.range.start());
            let mut command = scan.command(&body[start + 2..end - 1], language);
            command.range = range_of(base + start, base + end);
            pieces.push(Piece::Command(command));
            at = end;
        }
    }
    add(&mut pieces, &scan.text(&body[at..]));
    add(&mut pieces, &scheme.after.replace("{folder}", folder));
    if !values.raw.is_empty() && !scan.replaced {
        add(&mut pieces, &format!("{}{}", scheme.before_typed, values.raw));
    }
    Filled { pieces }
}

/// The names under `metadata.arguments`, which goose reads.
fn names(file: &SkillFile) -> Vec<String> {
    let list = file.entry("metadata").and_then(|entry| entry.value.get("arguments"));
    let items = list.map_or(&[][..], Node::items);
    let name = |item: &Node| match &item.kind {
        NodeKind::Scalar(scalar) => Some(scalar.value.clone()),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

/// The highest number behind a `$`.
fn last_index(body: &str) -> Option<usize> {
    let numbers = body
        .match_indices('$')
        .filter_map(|(at, _)| digits(&body[at + 1..]).parse().ok());
    numbers.max()
}

/// The commands in a text, wherever they stand.
fn commands(body: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in body.match_indices("!`") {
        let length = body[at + 2..].find('`').filter(|length| *length > 0);
        if let Some(length) = length.filter(|_| found.last().is_none_or(|(_, end)| at >= *end)) {
            found.push((at, at + length + 3));
        }
    }
    found
}

fn digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

struct Scan<'a> {
    scheme: Positional,
    values: &'a Values,
    names: Vec<String>,
    last: Option<usize>,
    /// A placeholder took what was typed.
    replaced: bool,
}

/// A part of a text.
enum Part<'a> {
    Source(&'a str),
    /// What stands there, the number of its variable, and its value; without a number it is all that was typed.
    Value(&'a str, Option<usize>, String),
}

impl Scan<'_> {
    fn text(&mut self, source: &str) -> String {
        let parts = self.parts(source).into_iter();
        let text = parts.map(|part| match part {
            Part::Source(text) => text.to_owned(),
            Part::Value(_, _, value) => value,
        });
        text.collect()
    }

    fn command(&mut self, source: &str, language: Language) -> ShellCommand {
        let mut shown = String::new();
        let mut writer = Writer::new(language);
        for part in self.parts(source) {
            match part {
                Part::Source(text) => {
                    shown.push_str(text);
                    writer.source(text);
                }
                Part::Value(placeholder, number, value) => {
                    shown.push_str(&value);
                    match number {
                        Some(number) => writer.value(placeholder, &format!("SKILL_ARGUMENT_{number}"), &value),
                        None => writer.words(placeholder, &value, &self.values.words),
                    }
                }
            }
        }
        ShellCommand {
            range: range_of(0, 0),
            form: CommandForm::Inline,
            shown,
            script: writer.finish(),
        }
    }

    fn parts<'b>(&mut self, source: &'b str) -> Vec<Part<'b>> {
        let mut parts = Vec::new();
        let mut at = 0;
        for (dollar, _) in source.match_indices('$') {
            if dollar < at {
                continue;
            }
            let Some((length, number, value)) = self.placeholder(&source[dollar + 1..]) else {
                continue;
            };
            let end = dollar + 1 + length;
            parts.push(Part::Source(&source[at..dollar]));
            parts.push(Part::Value(&source[dollar..end], number, value));
            self.replaced = true;
            at = end;
        }
        parts.push(Part::Source(&source[at..]));
        parts
    }

    /// The length of what stands behind a `$`, the number of its variable, and its value.
    fn placeholder(&self, after: &str) -> Option<(usize, Option<usize>, String)> {
        let words = &self.values.words;
        let word = |index: usize| words.get(index).cloned().unwrap_or_default();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let number = digits(after);
        match self.scheme.last_takes_rest {
            true => {
                if let Ok(index) = number.parse::<usize>() {
                    let value = match index {
                        0 => "undefined".to_owned(),
                        // The last one takes all that is left.
                        _ if Some(index) == self.last => words.get(index - 1..).unwrap_or_default().join(" "),
                        _ => word(index - 1),
                    };
                    return Some((number.len(), Some(index), value));
                }
                after
                    .starts_with("ARGUMENTS")
                    .then(|| ("ARGUMENTS".len(), None, self.values.raw.clone()))
            }
            // Without arguments the text stays as it is.
            false if words.is_empty() => None,
            false => {
                if let Ok(index) = number.parse::<usize>() {
                    let value = index.checked_sub(1).map(word).unwrap_or_default();
                    return Some((number.len(), Some(index), value));
                }
                if let Some(rest) = after.strip_prefix("ARGUMENTS") {
                    let inner = rest.strip_prefix('[').map_or("", digits);
                    if !inner.is_empty() && rest[1 + inner.len()..].starts_with(']') {
                        let length = "ARGUMENTS[]".len() + inner.len();
                        return Some((length, None, inner.parse().map(word).unwrap_or_default()));
                    }
                    return (!rest.starts_with(is_word)).then(|| ("ARGUMENTS".len(), None, self.values.raw.clone()));
                }
                let named = self.names.iter().enumerate();
                let named = named.filter(|(_, name)| {
                    let rest = after.strip_prefix(name.as_str());
                    !name.is_empty() && rest.is_some_and(|rest| !rest.starts_with(is_word))
                });
                let (index, name) = named.max_by_key(|(_, name)| name.len())?;
                Some((name.len(), Some(index), word(index)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arguments, dialect::Dialect};

    /// The text; a command as `<shown|script|variables>`, or with why it is refused.
    fn filled(dialect: Dialect, body: &str, raw: &str) -> String {
        let file = SkillFile::parse(format!("---\nname: a\nmetadata:\n  arguments: [who, what]\n---\n{body}").into());
        let values = Values::of(&file, raw);
        let variables = [("SKILL_ROOT", "/s")];
        let filled = arguments::fill(&file, dialect.runtime(), &values, &variables, Language::Posix);
        let pieces = filled.pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Command(command) => match command.script {
                Ok(script) => format!("<{}|{}|{}>", command.shown, script.text, script.environment.len()),
                Err(_) => format!("<{}|refused>", command.shown),
            },
        });
        pieces.collect()
    }

    const BASE: &str = "\n\nBase directory for this skill: /s\nRelative paths in this skill (e.g., scripts/, references/) are \
                        relative to this base directory.";
    const TYPED: &str = r#"aa "b c" dd"#;

    /// What opencode 1.18.33 and goose 1.52.0 made of these bodies when they were run.
    #[test]
    fn arguments_are_those_of_the_original_programs() {
        let cases = [
            ("[$1][$2][$3]", TYPED, "[aa][b c][dd]", "[aa][b c][dd]"),
            ("[$1][$2][$3]", "aa", "[aa][][]", "[aa][][]"),
            ("[$1][$2][$3]", "", "[][][]", "[$1][$2][$3]"),
            ("[$1]", TYPED, "[aa b c dd]", "[aa]"),
            ("[$2]", TYPED, "[b c dd]", "[b c]"),
            ("[$0]", TYPED, "[undefined]", "[]"),
            ("[$ARGUMENTS]", TYPED, r#"[aa "b c" dd]"#, r#"[aa "b c" dd]"#),
            ("[$ARGUMENTS]", "", "[]", "[$ARGUMENTS]"),
            ("[$ARGUMENTS[1]]", TYPED, r#"[aa "b c" dd[1]]"#, "[b c]"),
            (r"[\$1][$$1][$10]", TYPED, r"[\aa][$aa][]", r"[\aa][$aa][]"),
        ];
        for (body, typed, opencode, goose) in cases {
            assert_eq!(
                filled(Dialect::OpenCode, body, typed),
                format!("{opencode}{BASE}"),
                "{body}"
            );
            assert_eq!(filled(Dialect::Goose, body, typed), goose, "{body}");
        }
        let added = "\n\nARGUMENTS: aa \"b c\" dd";
        assert_eq!(
            filled(Dialect::OpenCode, "[$ARGUMENTSx]", TYPED),
            format!("[aa \"b c\" ddx]{BASE}")
        );
        assert_eq!(
            filled(Dialect::Goose, "[$ARGUMENTSx]", TYPED),
            format!("[$ARGUMENTSx]{added}")
        );
        for body in ["${ARGUMENTS} $name %1", "text"] {
            assert_eq!(
                filled(Dialect::OpenCode, body, TYPED),
                format!("{body}{BASE}\n\n{TYPED}")
            );
            assert_eq!(filled(Dialect::OpenCode, body, ""), format!("{body}{BASE}"));
            assert_eq!(filled(Dialect::Goose, body, TYPED), format!("{body}{added}"));
            assert_eq!(filled(Dialect::Goose, body, ""), body);
        }
        assert_eq!(
            filled(Dialect::Goose, "$who, $what, $whoever", TYPED),
            "aa, b c, $whoever"
        );
    }

    #[test]
    fn opencode_runs_commands_wherever_they_stand_and_goose_none() {
        for (body, expected) in [
            ("x!`echo a`y", "x<echo a|echo a|0>y"),
            ("`!`echo in-code``", "`<echo in-code|echo in-code|0>`"),
            ("```\n!`echo f`\n```", "```\n<echo f|echo f|0>\n```"),
            (r"\!`echo esc`", r"\<echo esc|echo esc|0>"),
        ] {
            assert_eq!(filled(Dialect::OpenCode, body, ""), format!("{expected}{BASE}"));
            assert_eq!(filled(Dialect::Goose, body, ""), body);
        }
    }

    /// In opencode the text of an argument becomes text of the command; here it never does.
    #[test]
    fn no_argument_becomes_a_command() {
        let hostile = "x'; echo INJECTED; echo 'y";
        for body in ["!`echo '$1'`", "!`echo $1`", "!`echo $ARGUMENTS`", "!`echo \"$2\"`"] {
            let text = filled(Dialect::OpenCode, body, hostile);
            let script = text.split('|').nth(1).unwrap();
            assert!(!script.contains("INJECTED"), "{body}: {text}");
        }
    }
}
