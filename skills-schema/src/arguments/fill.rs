//! What the text of a skill becomes: one scan from left to right, in which no value is looked at again.

mod positional;

use text_size::{TextRange, TextSize};

use super::{
    Script, Unsafe, Values,
    shell::{self, Language},
};
use crate::{
    dialect::runtime::Runtime,
    syntax::{Command, CommandForm, Placeholder, PlaceholderKind, SkillFile},
};

/// A skill's text with its values, and the commands whose output is still to come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The parts, in order.
    pub pieces: Vec<Piece>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stays.
    Text(String),
    /// A command: its output stands here.
    Command(ShellCommand),
}

/// A command of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    /// All of it in the skill's file, which the output replaces.
    pub range: TextRange,
    /// How it is written.
    pub form: CommandForm,
    /// The command with its values in it, for a person to read. Never run this.
    pub shown: String,
    /// What is run; `Err` says why it can't be made safe, and what to write instead.
    pub script: Result<Script, Unsafe>,
}

/// Fills a skill's text with values as a reader does. `variables` are those that are known: `CLAUDE_SKILL_DIR` and its
/// like, by their names; others stay as they are.
///
/// Where the person typed something and no placeholder took it, it stands at the end.
pub fn fill(
    file: &SkillFile,
    runtime: &Runtime,
    values: &Values,
    variables: &[(&str, &str)],
    language: Language,
) -> Filled {
    let policy = runtime.arguments;
    if let Some(scheme) = policy.positional {
        let folder = variables.iter().find(|(name, _)| *name == "SKILL_ROOT");
        let folder = folder.map_or("", |(_, folder)| *folder);
        return positional::fill(file, scheme, values, folder, language);
    }
    let value = |kind: PlaceholderKind, text: &str| match kind {
        PlaceholderKind::Variable => {
            let name = text.trim_start_matches("${").trim_end_matches('}');
            let known = variables.iter().find(|(variable, _)| *variable == name);
            known.map(|(_, value)| *value).filter(|_| policy.are_replaced)
        }
        PlaceholderKind::Input(_) => values.get(kind).filter(|_| policy.inputs_are_replaced),
        PlaceholderKind::Index(_) if policy.missing_is_empty => Some(values.get(kind).unwrap_or_default()),
        _ => values.get(kind).filter(|_| policy.are_replaced),
    };
    let mut scan = Scan {
        file,
        value: &value,
        values,
        replaced: false,
        escapes: policy.are_replaced,
    };
    let with_frontmatter = runtime.references.is_some_and(|it| it.with_frontmatter);
    let start = match (with_frontmatter, &file.frontmatter) {
        (true, Some(frontmatter)) => frontmatter.range.start(),
        _ => file.body.range.start(),
    };
    let text = file.slice(TextRange::new(start, file.body.range.end()));
    let lead = text.len() - text.trim_start_matches(['\n', '\r']).len();
    let mut at = start + length(lead);
    let end = at + length(text.trim_matches(['\n', '\r']).len());

    let mut pieces: Vec<Piece> = Vec::new();
    for command in &file.markdown().commands {
        let range = command.range;
        if range.start() < at || range.end() > end {
            continue;
        }
        if runtime.dialect.unescapes(command) {
            // The backslash before it goes, the rest stays.
            add(&mut pieces, &scan.text(TextRange::new(at, range.start() - length(1))));
            at = range.start();
        } else if runtime.commands.is_some() && runtime.dialect.runs(command) {
            add(&mut pieces, &scan.text(TextRange::new(at, range.start())));
            pieces.push(Piece::Command(scan.command(command, language)));
            at = range.end();
        }
    }
    add(&mut pieces, &scan.text(TextRange::new(at, end)));
    if policy.asks_for_inputs && asks(file) {
        add(&mut pieces, ASK);
    }
    if !values.raw.is_empty() && !scan.replaced {
        add(&mut pieces, &format!("\n\nARGUMENTS: {}", values.raw));
    }
    Filled { pieces }
}

/// What OpenHands 1.58 adds to a skill with inputs.
pub const ASK: &str = "\n\nIf the user didn't provide any of these variables, ask the user to provide them first before the \
                   agent can proceed with the task.";

/// Whether the skill has inputs, or `${name}` in its body.
fn asks(file: &SkillFile) -> bool {
    let has_inputs = file
        .entry("inputs")
        .is_some_and(|entry| !entry.value.items().is_empty());
    let body = file.slice(file.body.range);
    let is_variable = |(at, _): (usize, &str)| {
        let rest = &body.as_bytes()[at + 2..];
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(is_word).count();
        length > 0 && !rest[0].is_ascii_digit() && rest.get(length) == Some(&b'}')
    };
    has_inputs || (file.entry("inputs").is_some() && body.match_indices("${").any(is_variable))
}

struct Scan<'a> {
    file: &'a SkillFile,
    value: &'a dyn Fn(PlaceholderKind, &str) -> Option<&'a str>,
    values: &'a Values,
    /// A placeholder took what the person typed.
    replaced: bool,
    /// A backslash before a placeholder is an escape.
    escapes: bool,
}

/// A part of a text that holds placeholders.
enum Part<'a> {
    Source(&'a str),
    Value(&'a Placeholder, &'a str),
}

impl<'a> Scan<'a> {
    /// The parts of a range of the file.
    fn parts(&mut self, range: TextRange) -> Vec<Part<'a>> {
        let placeholders = &self.file.markdown().placeholders;
        let first = placeholders.partition_point(|it| it.range.start() < range.start());
        let mut parts = Vec::new();
        let mut at = range.start();
        for placeholder in placeholders[first..]
            .iter()
            .take_while(|it| it.range.end() <= range.end())
        {
            let source = self.file.slice(placeholder.range);
            if placeholder.is_escaped {
                let start = placeholder.range.start() - length(1);
                if self.escapes && placeholder.kind != PlaceholderKind::Undeclared && start >= at {
                    parts.push(Part::Source(self.file.slice(TextRange::new(at, start))));
                    at = placeholder.range.start();
                }
                continue;
            }
            if let Some(value) = (self.value)(placeholder.kind, source) {
                parts.push(Part::Source(
                    self.file.slice(TextRange::new(at, placeholder.range.start())),
                ));
                parts.push(Part::Value(placeholder, value));
                self.replaced |= placeholder.kind != PlaceholderKind::Variable;
                at = placeholder.range.end();
            }
        }
        parts.push(Part::Source(self.file.slice(TextRange::new(at, range.end()))));
        parts
    }

    fn text(&mut self, range: TextRange) -> String {
        let parts = self.parts(range);
        let text = parts.iter().map(|part| match part {
            Part::Source(text) | Part::Value(_, text) => *text,
        });
        text.collect()
    }

    fn command(&mut self, command: &Command, language: Language) -> ShellCommand {
        let mut shown = String::new();
        let mut writer = shell::Writer::new(language);
        for part in self.parts(command.text) {
            match part {
                Part::Source(text) => {
                    shown.push_str(text);
                    writer.source(text);
                }
                Part::Value(placeholder, value) => {
                    shown.push_str(value);
                    let source = self.file.slice(placeholder.range);
                    match placeholder.kind {
                        PlaceholderKind::Arguments => writer.words(source, value, &self.values.words),
                        PlaceholderKind::Variable => writer.value(source, source.trim_matches(['$', '{', '}']), value),
                        PlaceholderKind::Index(index) => {
                            writer.value(source, &format!("SKILL_ARGUMENT_{index}"), value)
                        }
                        PlaceholderKind::Named(index) => {
                            writer.value(source, &format!("SKILL_ARGUMENT_{index}"), value)
                        }
                        PlaceholderKind::Input(index) => writer.value(source, &format!("SKILL_INPUT_{index}"), value),
                        PlaceholderKind::Undeclared => writer.source(source),
                    }
                }
            }
        }
        ShellCommand {
            range: command.range,
            form: command.form,
            shown,
            script: writer.finish(),
        }
    }
}

/// Adds text to the text before it.
pub(super) fn add(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Offsets of a file fit: a text has 4 GiB at most.
fn length(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dialect::{Dialect, View};

    /// The text with each command as `<script>`, or `<!>` where it is refused.
    fn filled(reader: &str, frontmatter: &str, body: &str, raw: &str) -> String {
        let file = SkillFile::parse(format!("---\n{frontmatter}\n---\n{body}").into());
        let runtime = reader.parse::<View>().unwrap().runtime();
        let variables = [("CLAUDE_SKILL_DIR", "/s"), ("SKILL_ROOT", "/r")];
        let filled = fill(&file, runtime, &Values::of(&file, raw), &variables, Language::Posix);
        let pieces = filled.pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Command(command) => match command.script {
                Ok(script) => format!("<{}>", script.text),
                Err(_) => "<!>".to_owned(),
            },
        });
        pieces.collect()
    }

    #[test]
    fn placeholders_are_those_of_claude_code() {
        let cases: &[(&str, &str, &str, &str)] = &[
            ("", "Fix $ARGUMENTS", "123", "Fix 123"),
            (
                "",
                "$0|$1|$ARGUMENTS",
                r#""hello world" second"#,
                r#"hello world|second|"hello world" second"#,
            ),
            ("", "$ARGUMENTS[1] $ARGUMENTS[0]", "a b", "b a"),
            ("", "$0 $2", "one", "one $2"),
            ("", "$0 $ARGUMENTS[7]", "one", "one $ARGUMENTS[7]"),
            ("arguments: issue branch", "$issue:$branch.", "7", "7:."),
            ("arguments: issue", "$unknown $issue", "7", "$unknown 7"),
            (
                "arguments: issue",
                "$issues $issue[0] $issue",
                "7",
                "$issues $issue[0] 7",
            ),
            ("arguments: a a-b", "$a-b $a", "1 2", "2 1"),
            ("", r"costs \$1.00 for $0", "x", "costs $1.00 for x"),
            ("", r"\$1.00", "", "$1.00"),
            ("", r"\\$0", "a", r"\\a"),
            ("arguments: name", r"\$ARGUMENTS \$name $0", "a", "$ARGUMENTS $name a"),
            ("", r"\$HOME $0", "a", r"\$HOME a"),
            ("", "$0 $1", "'$1' '$ARGUMENTS'", "$1 $ARGUMENTS"),
            ("", "$1st $0x $0", "a b", "$1st $0x a"),
            ("", "$ARGUMENTS_FILE $0", "a", "$ARGUMENTS_FILE a"),
            ("", "$ARGUMENTS[x]", "a", "a[x]"),
            ("", "$$0 $", "a", "$a $"),
            ("", "`$0` and ```sh\n$0\n```", "a", "`a` and ```sh\na\n```"),
            ("", "${0} ${ARGUMENTS} $0", "a", "${0} ${ARGUMENTS} a"),
            ("", "$99999999999999999999999 $0", "a", "$99999999999999999999999 a"),
            ("", "é$0é", "ü", "éüé"),
            (
                "",
                r"${CLAUDE_SKILL_DIR} \${CLAUDE_SKILL_DIR} ${SKILL_ROOT} ${CLAUDE_X}",
                "",
                r"/s \/s /r ${CLAUDE_X}",
            ),
            ("", "\nBody.\n", "feature-123", "Body.\n\nARGUMENTS: feature-123"),
            ("", "Body.\n", "  ", "Body."),
            ("", "$5", "a", "$5\n\nARGUMENTS: a"),
            ("", r"\$0", "a", "$0\n\nARGUMENTS: a"),
            ("", "${CLAUDE_SKILL_DIR}", "a", "/s\n\nARGUMENTS: a"),
        ];
        for (frontmatter, body, raw, expected) in cases {
            for reader in ["claude", "unified"] {
                assert_eq!(filled(reader, frontmatter, body, raw), *expected, "{body} <- {raw}");
            }
        }
        assert_eq!(filled("claude@2.1.209", "", "$0 $2.", "a"), "a .");
    }

    #[test]
    fn inputs_are_filled_in_by_us_and_asked_for_by_openhands() {
        let inputs = "inputs:\n  - name: bug";
        assert_eq!(
            filled("unified", inputs, "Fix ${bug}.", "it is slow"),
            "Fix it is slow."
        );
        assert_eq!(
            filled("unified", inputs, "Fix ${bug} ${other}.", ""),
            "Fix ${bug} ${other}."
        );
        assert_eq!(
            filled("openhands", inputs, "Fix ${bug}.", ""),
            format!("Fix ${{bug}}.{ASK}")
        );
        assert_eq!(
            filled("openhands", "inputs: []", "Fix ${bug}.", ""),
            format!("Fix ${{bug}}.{ASK}")
        );
        assert_eq!(filled("openhands", "inputs: []", "Fix.", ""), "Fix.");
        assert_eq!(filled("openhands", "", "Fix ${bug} $0.", ""), "Fix ${bug} $0.");
    }

    #[test]
    fn other_readers_leave_the_text_and_thndrs_gives_all_of_it() {
        let body = "$0 !`ls` ${CLAUDE_SKILL_DIR}";
        for reader in ["agentskills", "wolffish"] {
            assert_eq!(filled(reader, "", body, ""), body);
        }
        assert_eq!(
            filled("thndrs", "name: a", body, ""),
            format!("---\nname: a\n---\n{body}")
        );
    }

    #[test]
    fn commands_keep_their_places_and_never_take_a_value_as_text() {
        let cases = [
            (
                "unified",
                "PR: !`gh pr view $0`.",
                "; rm",
                "PR: <gh pr view \"${SKILL_ARGUMENT_0}\">.",
            ),
            (
                "claude",
                "```!\nls $ARGUMENTS\n```",
                "a b",
                "<ls \"${SKILL_ARGUMENT_0}\" \"${SKILL_ARGUMENT_1}\">",
            ),
            ("claude", "$0", "'!`rm`'", "!`rm`"),
            ("claude", "`` !`a` ``", "", "`` <a> ``"),
            ("unified", "`` !`a` ``", "", "`` !`a` ``"),
            ("unified", r"\!`a` KEY=!`b`", "", "!`a` KEY=!`b`"),
            ("openhands", r"\!`a` \\!`a` KEY=!`b`", "", r"!`a` \!`a` KEY=<b>"),
            ("claude", r"\!`a`", "", r"\!`a`"),
            ("unified", "!`$0`", "rm", "<!>"),
            (
                "unified",
                "!`${CLAUDE_SKILL_DIR}/x $0`",
                "a",
                "<\"${CLAUDE_SKILL_DIR}\"/x \"${SKILL_ARGUMENT_0}\">",
            ),
            ("openhands", "!`echo $0`", "a", "<echo $0>\n\nARGUMENTS: a"),
        ];
        for (reader, body, raw, expected) in cases {
            assert_eq!(filled(reader, "", body, raw), expected, "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_filled(
            body in r"[\\$0-9A-Za-z\[\]{}`! é\n]{0,40}",
            raw in r#"[a-z$'"\\ é=]{0,12}"#,
        ) {
            let file = SkillFile::parse(
                format!("---\narguments: a é\ninputs:\n  - name: b\n---\n{body}").into(),
            );
            for runtime in Runtime::all() {
                for language in [Language::Posix, Language::PowerShell] {
                    fill(&file, runtime, &Values::of(&file, &raw), &[("CLAUDE_X", "x")], language);
                }
            }
        }

        #[test]
        fn a_text_without_placeholders_stays(body in "[a-z!$ ]{0,30}[a-z]") {
            let file = SkillFile::parse(format!("---\n---\n{body}").into());
            let filled = fill(&file, Dialect::Unified.runtime(), &Values::default(), &[], Language::Posix);
            prop_assert_eq!(filled.pieces, vec![Piece::Text(body)]);
        }
    }
}
