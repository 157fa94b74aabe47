//! The program that runs a skill's commands.

use std::time::Duration;

use skills_schema::arguments::Language;
use skills_schema::dialect::runtime::Commands;
use skills_schema::skill::Shell;

/// A program, and how it is used.
#[derive(Debug)]
pub(super) struct Interpreter {
    pub(super) program: &'static str,
    pub(super) options: &'static [&'static str],
    pub(super) language: Language,
    pub(super) timeout: Duration,
    pub(super) policy: Commands,
}

const POSIX: &[&str] = &["-c"];
const POWERSHELL: &[&str] = &["-NoProfile", "-NonInteractive", "-Command"];

/// The programs that a skill may name. Others might read a script in a way that makes values into commands.
const KNOWN: &[(&str, &str, &[&str], Language)] = &[
    ("bash", "bash", POSIX, Language::Posix),
    ("sh", "sh", POSIX, Language::Posix),
    ("dash", "dash", POSIX, Language::Posix),
    ("ksh", "ksh", POSIX, Language::Posix),
    ("zsh", "zsh", POSIX, Language::Posix),
    ("pwsh", "pwsh", POWERSHELL, Language::PowerShell),
    (
        "powershell",
        if cfg!(windows) { "powershell" } else { "pwsh" },
        POWERSHELL,
        Language::PowerShell,
    ),
];

/// The longest time that a skill may ask for, in seconds: ten minutes, as Claude Code 2.1 has it.
const MAX_TIMEOUT: u64 = 600;

/// Commands for which the exit code 1 is an answer and no failure. Claude Code 2.1.
const ANSWERS: &[&[&str]] = &[
    &["grep"],
    &["rg"],
    &["egrep"],
    &["fgrep"],
    &["find"],
    &["diff"],
    &["test"],
    &["["],
    &["git", "diff"],
    &["git", "grep"],
];

/// Why there is no program for a skill's commands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoInterpreter {
    /// They are text to the skill's reader.
    #[error("its reader runs none")]
    NotRun,
    /// The skill names another one than there are.
    #[error("`shell` names {0:?}; use one of {names}", names = KNOWN.iter().map(|known| known.0).collect::<Vec<_>>().join(", "))]
    Unknown(String),
}

impl Interpreter {
    /// The program of a reader, or the one that the skill names where that counts.
    pub(super) fn of(policy: Commands, shell: &Shell) -> Result<Self, NoInterpreter> {
        let wanted = shell.interpreter.as_deref().filter(|_| policy.reads_shell);
        let name = wanted.unwrap_or(policy.interpreter);
        let known = KNOWN.iter().find(|(known, ..)| *known == name);
        let Some((_, program, options, language)) = known else {
            return Err(NoInterpreter::Unknown(name.to_owned()));
        };
        let asked = shell.timeout.filter(|_| policy.reads_shell);
        Ok(Self {
            program,
            options,
            language: *language,
            timeout: asked.map_or(policy.timeout, |seconds| {
                Duration::from_secs(seconds.clamp(1, MAX_TIMEOUT))
            }),
            policy,
        })
    }
}

/// Whether the last command of a script says no by the exit code 1.
pub(super) fn is_answer(script: &str) -> bool {
    let last = script
        .rsplit(['|', ';', '&', '\n'])
        .find(|part| !part.trim().is_empty());
    let words: Vec<&str> = last.unwrap_or_default().split_whitespace().collect();
    ANSWERS.iter().any(|answer| words.starts_with(answer))
}
