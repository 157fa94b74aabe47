//! Whether a command runs.

use std::path::Path;

use super::command::{self, Certainty, Command, CommandLine, MAX_ALLOWED_COMMANDS};
use super::question::{Wish, denied};
use super::rule::{Call, Rule, Subject};
use super::{Asking, Mode, Permissions};
use crate::event::TurnId;
use crate::host::ApplyError;
use crate::workspace::{Folder, why_sensitive};

/// A command that a turn wants to run.
#[derive(Clone, Copy)]
pub struct CommandRequest<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The workspace's folder that it runs in.
    pub folder: &'a Folder,
    /// The folder that it starts in.
    pub cwd: &'a Path,
    /// What else the person should know, such as unsaved files that it will not see; lines.
    pub detail: &'a str,
    /// Whether the kernel keeps it from writing elsewhere.
    pub is_sandboxed: bool,
    /// Whether it wants the machine's network.
    pub wants_network: bool,
    /// The skill whose text has the command in it; `None` where the model wants it.
    pub skill: Option<&'a str>,
}

/// How a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leave {
    /// Whether a person was asked, so that time went by.
    pub asked: bool,
    /// Whether a person saw and answered this very command; else rules let it through.
    pub is_answered: bool,
    /// Whether it has the network.
    pub opens_network: bool,
}

impl Leave {
    /// A person saw it with all that it does.
    pub(crate) const ANSWERED: Self = Self {
        asked: true,
        is_answered: true,
        opens_network: true,
    };
}

/// What the person's rules leave of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Whether no rule forbids to read it.
    pub read: bool,
    /// Whether no rule forbids to write it.
    pub write: bool,
}

impl Access {
    /// No rule forbids anything.
    pub(crate) const ALL: Self = Self {
        read: true,
        write: true,
    };
}

/// Placeholder.
pub(crate) fn is_harmless_git_config(text: &str) -> bool {
    !text.contains("fsmonitor")
}

const NAMES: &[&str] = &["run_shell", "Bash"];
const UNSANDBOXED: &str = "run_shell_unsandboxed";
/// A rule that forbids means both kinds.
const ALL_NAMES: &[&str] = &["run_shell", "Bash", UNSANDBOXED];

/// Programs whose first words say what they do, with how many of them: a rule about these words can be kept.
const SUBCOMMANDS: &[(&str, usize)] = &[
    ("cargo", 1),
    ("dotnet", 1),
    ("gh", 2),
    ("git", 1),
    ("go", 1),
    ("just", 1),
    ("make", 1),
    ("npm", 1),
    ("pnpm", 1),
    ("yarn", 1),
];

/// First words that run whatever follows them.
const RUNNING: &[&str] = &["run", "exec", "x", "dlx", "run-script"];

impl Permissions {
    /// Whether a command is worth a question: an error where the mode or a rule forbids it, whatever a person says.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] with the reason.
    pub fn check_command(&self, turn: &TurnId, argv: &[String]) -> Result<(), ApplyError> {
        self.not_forbidden(turn, argv).map(drop)
    }

    /// Lets a command run, asking where no rule allows all of it; `true` where a person was asked, so time went by.
    ///
    /// A command line is taken apart as a shell would: what forbids or asks is looked for at any depth, and what allows
    /// must name every part. Substitutions, redirections and protected files are allowed by no rule.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person, a rule or the mode says no.
    pub async fn before_command(&self, asking: Asking<'_>, request: CommandRequest<'_>) -> Result<Leave, ApplyError> {
        let line = self.not_forbidden(asking.turn, request.argv)?;
        let shown = command::quoted(request.argv);
        let asked = self.trust(asking, request.folder).await?;
        let names = if request.is_sandboxed { NAMES } else { &[UNSANDBOXED] };
        let allowing = self.allowing(asking.turn, &request.folder.path);
        let reason = match self.why_to_ask(&line, request.cwd) {
            Some(reason) => Some(reason),
            None if request.wants_network => Some("It wants the network.\n".to_owned()),
            None if line.commands.iter().all(|command| command.is_allowed(names, &allowing)) => None,
            None => Some(String::new()),
        };
        let Some(reason) = reason else {
            return Ok(Leave {
                asked,
                is_answered: false,
                opens_network: false,
            });
        };
        let rules = if line.commands.len() > MAX_ALLOWED_COMMANDS || !reason.is_empty() {
            Vec::new()
        } else {
            offered(&line, names[0])
        };
        let sandbox = if request.is_sandboxed {
            ""
        } else {
            "It runs without the sandbox.\n"
        };
        let wish = Wish {
            title: match (request.skill, request.is_sandboxed) {
                (Some(skill), _) => format!("Run a command of the skill {skill}?"),
                (None, true) => "Run this command?".to_owned(),
                (None, false) => "Run this command without the sandbox?".to_owned(),
            },
            detail: format!(
                "{shown}\nin {}\n{sandbox}{reason}{}",
                request.cwd.display(),
                request.detail
            ),
            rules,
            exact: None,
            folder: request.folder,
            what: "the command".to_owned(),
        };
        self.wish(asking, wish).await?;
        Ok(Leave {
            asked: true,
            is_answered: true,
            opens_network: request.wants_network,
        })
    }

    /// Placeholder.
    pub(crate) fn path_rules(
        &self,
        _: &TurnId,
        _: &crate::workspace::Workspace,
    ) -> Option<crate::process::shell::PathRules> {
        None
    }

    /// What a command runs, unless the mode or a rule forbids it, whatever a person says.
    fn not_forbidden(&self, turn: &TurnId, argv: &[String]) -> Result<CommandLine, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied("the session is read-only (setting permissions.mode); say which command you would run");
        }
        let line = command::read(argv);
        if line.is_endless {
            return denied("the command runs too much to be looked through; run its parts one by one");
        }
        if let Some(by) = self.denying(turn, |rule| line.names_anything_of(rule)) {
            return denied(&format!("`{}` is denied by {by}; do without it", command::quoted(argv)));
        }
        Ok(line)
    }

    /// What no allowing rule stands above; lines.
    fn why_to_ask(&self, line: &CommandLine, cwd: &Path) -> Option<String> {
        if let Some(rule) = self.rules.ask.iter().find(|rule| line.names_anything_of(rule)) {
            return Some(format!("The rule {} asks (setting permissions.ask).\n", rule.text()));
        }
        if let Some((word, why)) = line.sensitive(cwd) {
            return Some(format!("It names {word}, which {why}.\n"));
        }
        if line.commands.len() > MAX_ALLOWED_COMMANDS {
            return Some(format!("It runs {} commands.\n", line.commands.len()));
        }
        let is_unknown = line
            .commands
            .iter()
            .any(|command| command.certainty == Certainty::Unknown);
        is_unknown.then(|| "What exactly it runs is known only when it runs.\n".to_owned())
    }
}

impl CommandLine {
    fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        self.commands.iter().map(|command| &command.words).chain(&self.inside)
    }

    /// Whether a rule that forbids or asks means any part, however it is spelt.
    fn names_anything_of(&self, rule: &Rule) -> bool {
        self.all().any(|words| {
            let mut named = words.clone();
            if let Some(program) = named.first_mut() {
                *program = command::program(program).into_owned();
            }
            let forms = [
                command::quoted(words),
                words.join(" "),
                command::quoted(&named),
                named.join(" "),
            ];
            let names = ALL_NAMES;
            forms.iter().any(|text| {
                rule.covers(Call {
                    names,
                    subject: Subject::Words(text),
                })
            })
        })
    }

    /// A word that names a protected or a secret file, there or not yet.
    fn sensitive(&self, cwd: &Path) -> Option<(String, &'static str)> {
        let words = self.all().flatten();
        let mut candidates = words.flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value);
            [Some(word.as_str()), value].into_iter().flatten()
        });
        candidates.find_map(|word| {
            let word = word.trim_start_matches('@');
            let why = why_sensitive(Path::new(word)).or_else(|| why_sensitive(&cwd.join(word)))?;
            Some((word.to_owned(), why))
        })
    }
}

impl Command {
    fn is_allowed(&self, names: &[&str], allowing: &[Rule]) -> bool {
        let text = command::quoted(&self.words);
        allowing.iter().any(|rule| {
            let suits = match self.certainty {
                Certainty::Plain => true,
                Certainty::Wrapped => rule.is_exact(),
                Certainty::Unknown => false,
            };
            suits
                && rule.covers(Call {
                    names,
                    subject: Subject::Words(&text),
                })
        })
    }
}

/// The narrowest useful rule for each part; none where a part can have no rule.
fn offered(line: &CommandLine, tool: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for command in &line.commands {
        let Some(rule) = narrow(command, tool) else {
            return Vec::new();
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

fn narrow(command: &Command, tool: &str) -> Option<Rule> {
    let words = &command.words;
    let depth = SUBCOMMANDS
        .iter()
        .find(|(program, _)| words.first().is_some_and(|word| word == program))
        .map(|(_, depth)| *depth)
        .filter(|depth| words.len() > *depth && command.certainty == Certainty::Plain);
    let is_name = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c));
    let is_prefix = |words: &[String]| {
        let names = &words[1..];
        names
            .iter()
            .all(|word| is_name(word) && !word.starts_with('-') && !RUNNING.contains(&word.as_str()))
    };
    let prefix = depth.map(|depth| &words[..=depth]).filter(|words| is_prefix(words));
    let text = match prefix {
        Some(prefix) => format!("{}:*", command::quoted(prefix)),
        // A star in the rule would mean more than the star in the command.
        None => Some(command::quoted(words)).filter(|text| !text.contains('*'))?,
    };
    Rule::parse(&format!("{tool}({text})")).ok()
}
