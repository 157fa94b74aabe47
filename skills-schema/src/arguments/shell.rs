//! Values in a command. None becomes command text: each travels in the environment, and what stands in its place refers
//! to it, quoted as the place needs. A place where that can't be decided is refused.

mod posix;
mod powershell;

use thiserror::Error;

/// How an interpreter reads its commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// sh, bash, zsh and their like.
    #[default]
    Posix,
    /// PowerShell.
    PowerShell,
}

/// What an interpreter is given. Values stand in the environment alone, so none of them becomes a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The text.
    pub text: String,
    /// The variables that it refers to.
    pub environment: Vec<(String, String)>,
}

/// Writes the script of one command, part by part.
pub(super) struct Writer {
    reader: Box<dyn Reader>,
    script: Script,
    refused: Option<Unsafe>,
}

/// Why a command can't be made safe, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsafe {
    /// What is read at the placeholder can't be told.
    #[error("`{placeholder}` stands {place}, where it might be read as a command; {WAY_OUT}")]
    Place {
        /// As it is written.
        placeholder: String,
        /// Where, in words.
        place: &'static str,
    },
    /// The placeholder would choose what is run.
    #[error("`{0}` would choose which program is run; {WAY_OUT}")]
    Program(String),
    /// The program reads its arguments as commands.
    #[error("`{program}` may run what `{placeholder}` stands for; {WAY_OUT}")]
    Runs {
        /// As it is written.
        placeholder: String,
        /// The program.
        program: String,
    },
    /// The value of a variable.
    #[error("the value of {0} has a NUL character, which no command can be given")]
    Nul(String),
}

const WAY_OUT: &str = "put the command into a script beside the skill and give it the value as an argument";

/// Where in a command its writer is.
trait Reader {
    /// Reads text of the skill's author, which may be rewritten in `out` where a value comes into it.
    fn source(&mut self, text: &str, out: &mut String);

    /// Writes a reference to variables: all of them as words of their own where nothing quotes them, else the first
    /// alone, which has the whole value. `is_argument`: a person or a model chose the value, not the author.
    fn value(&mut self, whole: &str, words: &[String], is_argument: bool, out: &mut String) -> Result<(), Refusal>;
}

/// Why a value can't stand at its place.
enum Refusal {
    /// What is read there can't be told.
    Place(&'static str),
    /// It would choose what is run.
    Program,
    /// This command reads its arguments as commands.
    Runs(String),
}

impl Writer {
    pub(super) fn new(language: Language) -> Writer {
        Writer {
            reader: match language {
                Language::Posix => Box::new(posix::Posix::default()),
                Language::PowerShell => Box::new(powershell::PowerShell::default()),
            },
            script: Script::default(),
            refused: None,
        }
    }

    pub(super) fn source(&mut self, text: &str) {
        self.reader.source(text, &mut self.script.text);
    }

    /// Writes one value; `placeholder` is what stands for it in the skill.
    pub(super) fn value(&mut self, placeholder: &str, variable: &str, value: &str) {
        let is_argument = variable.starts_with("SKILL_ARGUMENT") || variable.starts_with("SKILL_INPUT");
        let words = [variable.to_owned()];
        // An empty text is no word, as if it stood there itself.
        let words = if value.is_empty() { &[][..] } else { &words };
        self.set(variable, value);
        self.refer(placeholder, variable, words, is_argument);
    }

    /// Writes all that was typed, as words of their own where nothing quotes them.
    pub(super) fn words(&mut self, placeholder: &str, raw: &str, words: &[String]) {
        let name = |index: usize| format!("SKILL_ARGUMENT_{index}");
        for (index, word) in words.iter().enumerate() {
            self.set(&name(index), word);
        }
        self.set(ALL, raw);
        let words: Vec<String> = (0..words.len()).map(name).collect();
        self.refer(placeholder, ALL, &words, true);
    }

    /// The script; `Err` says why it can't be made.
    pub(super) fn finish(self) -> Result<Script, Unsafe> {
        self.refused.map_or(Ok(self.script), Err)
    }

    fn set(&mut self, variable: &str, value: &str) {
        if value.contains('\0') {
            self.refused = Some(Unsafe::Nul(variable.to_owned()));
        }
        let environment = &mut self.script.environment;
        if !environment.iter().any(|(name, _)| name == variable) {
            environment.push((variable.to_owned(), value.to_owned()));
        }
    }

    fn refer(&mut self, placeholder: &str, whole: &str, words: &[String], is_argument: bool) {
        let Err(refusal) = self.reader.value(whole, words, is_argument, &mut self.script.text) else {
            return;
        };
        let placeholder = placeholder.to_owned();
        self.refused.get_or_insert(match refusal {
            Refusal::Place(place) => Unsafe::Place { placeholder, place },
            Refusal::Program => Unsafe::Program(placeholder),
            Refusal::Runs(program) => Unsafe::Runs { placeholder, program },
        });
    }
}

/// The variable that has all that was typed.
const ALL: &str = "SKILL_ARGUMENTS";

#[cfg(test)]
mod tests {
    use super::*;

    /// `$0` is an argument, `$ARGUMENTS` two, `$D` the skill's folder.
    fn script(language: Language, command: &str) -> Result<String, Unsafe> {
        let mut writer = Writer::new(language);
        let mut rest = command;
        while let Some(at) = rest.find('$') {
            let words = ["a".to_owned(), "b c".to_owned()];
            writer.source(&rest[..at]);
            rest = &rest[at..];
            let length = if rest.starts_with("$0") {
                writer.value("$0", "SKILL_ARGUMENT_0", "a");
                2
            } else if rest.starts_with("$ARGUMENTS") {
                writer.words("$ARGUMENTS", "a 'b c'", &words);
                10
            } else if rest.starts_with("$D") {
                writer.value("${CLAUDE_SKILL_DIR}", "CLAUDE_SKILL_DIR", "/a b");
                2
            } else {
                let length = rest[1..].find('$').map_or(rest.len(), |it| it + 1);
                writer.source(&rest[..length]);
                length
            };
            rest = &rest[length..];
        }
        writer.source(rest);
        writer.finish().map(|script| script.text)
    }

    #[test]
    fn a_value_is_quoted_as_its_place_needs() {
        let cases = [
            ("gh pr view $0", r#"gh pr view "${SKILL_ARGUMENT_0}""#),
            ("gh --x=$0.y", r#"gh --x="${SKILL_ARGUMENT_0}".y"#),
            (r#"echo "pr $0""#, r#"echo "pr ${SKILL_ARGUMENT_0}""#),
            ("echo 'pr $0 x'", r#"echo 'pr '"${SKILL_ARGUMENT_0}"' x'"#),
            (
                "git log $ARGUMENTS",
                r#"git log "${SKILL_ARGUMENT_0}" "${SKILL_ARGUMENT_1}""#,
            ),
            (r#"echo "$ARGUMENTS""#, r#"echo "${SKILL_ARGUMENTS}""#),
            ("$D/run.sh $0", r#""${CLAUDE_SKILL_DIR}"/run.sh "${SKILL_ARGUMENT_0}""#),
            (
                "bash $D/run.sh $0",
                r#"bash "${CLAUDE_SKILL_DIR}"/run.sh "${SKILL_ARGUMENT_0}""#,
            ),
            ("python3 x.py $0", r#"python3 x.py "${SKILL_ARGUMENT_0}""#),
            ("A=$0 cmd", r#"A="${SKILL_ARGUMENT_0}" cmd"#),
            ("cmd 2>&1 >$0", r#"cmd 2>&1 >"${SKILL_ARGUMENT_0}""#),
            (
                "a | b $0 && c $0",
                r#"a | b "${SKILL_ARGUMENT_0}" && c "${SKILL_ARGUMENT_0}""#,
            ),
            (
                "if grep $0 f; then echo $0; fi",
                r#"if grep "${SKILL_ARGUMENT_0}" f; then echo "${SKILL_ARGUMENT_0}"; fi"#,
            ),
            ("echo it\\'s $0", r#"echo it\'s "${SKILL_ARGUMENT_0}""#),
            ("# it's\necho $0", "# it's\necho \"${SKILL_ARGUMENT_0}\""),
            ("echo ${HOME} $0", r#"echo ${HOME} "${SKILL_ARGUMENT_0}""#),
            ("echo $(cat $D/x)", r#"echo $(cat ${CLAUDE_SKILL_DIR}/x)"#),
            ("find . -name $0", r#"find . -name "${SKILL_ARGUMENT_0}""#),
            (
                "for x in $0; do echo $x; done",
                r#"for x in "${SKILL_ARGUMENT_0}"; do echo $x; done"#,
            ),
        ];
        for (command, expected) in cases {
            assert_eq!(script(Language::Posix, command).as_deref(), Ok(expected), "{command}");
        }
        let cases = [
            ("gh pr view $0", "gh pr view ${env:SKILL_ARGUMENT_0}"),
            ("gh \"pr $0\"", "gh \"pr ${env:SKILL_ARGUMENT_0}\""),
            ("gh 'it''s $0 `x'", "gh \"it's ${env:SKILL_ARGUMENT_0} ``x\""),
            (
                "git log $ARGUMENTS",
                "git log ${env:SKILL_ARGUMENT_0} ${env:SKILL_ARGUMENT_1}",
            ),
            (
                "$D/run.ps1 $0",
                "${env:CLAUDE_SKILL_DIR}/run.ps1 ${env:SKILL_ARGUMENT_0}",
            ),
            ("# it's\ngh $0", "# it's\ngh ${env:SKILL_ARGUMENT_0}"),
        ];
        for (command, expected) in cases {
            assert_eq!(
                script(Language::PowerShell, command).as_deref(),
                Ok(expected),
                "{command}"
            );
        }
    }

    #[test]
    fn a_place_that_cannot_be_decided_is_refused_with_the_way_out() {
        let posix = [
            "$0",
            "a; $0 x",
            "A=1 $0",
            "PATH=$0 cmd",
            "LD_PRELOAD=$0 cmd",
            "echo $[1+$0]",
            "coproc $0",
            "if $0; then x; fi",
            "echo $(cat $0)",
            "echo `cat $0`",
            "cat <<EOF\n$0\nEOF",
            "diff <(a $0) b",
            "echo ${x:-$0}",
            "echo $((1 + $0))",
            "echo $'\\n' $0",
            "eval echo $0",
            "sh -c \"echo $0\"",
            "docker exec c bash -lc 'echo $0'",
            "bash $0",
            "python3 -c \"print('$0')\"",
            "awk '/$0/'",
            "sed -n \"/$0/p\" f",
            "x | xargs $0",
            "sudo $0",
            "[[ $0 -eq 1 ]]",
            "find . -exec $0 {} +",
            "export $0",
            "A=1 eval $0",
            "/usr/bin/env $0",
            "\\eval $0",
            "'eval' $0",
            "e''val $0",
        ];
        let powershell = [
            "$0",
            "& $0",
            "iex $0",
            "Invoke-Expression \"x $0\"",
            "gh $(x $0)",
            "gh @'\n$0\n'@",
            "gh “$0”",
            "pwsh -Command \"$0\"",
            "a { b $0 }",
        ];
        for (language, commands) in [(Language::Posix, &posix[..]), (Language::PowerShell, &powershell[..])] {
            for command in commands {
                let refused = script(language, command).expect_err(command);
                assert!(
                    refused.to_string().contains("put the command into a script"),
                    "{refused}"
                );
            }
        }
    }
}
