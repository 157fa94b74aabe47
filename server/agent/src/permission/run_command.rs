//! Whether a command runs.

use std::path::Path;

use super::command_line::{self, Certainty, Command, CommandLine, MAX_ALLOWED_COMMANDS};
use super::paths::{self, Named};
use super::question::{Wish, denied};
use super::rule::{Call, Called, Rule, Subject};
use super::{Asking, Mode, Permissions, git};
use crate::changes::ChangeLog;
use crate::event::TurnId;
use crate::host::ApplyError;
use crate::tool_names::Does;
use crate::workspace::Folder;
use crate::workspace::sensitive::{self, Asks, Found, Row};

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
    /// Whether it asks for the network, which is closed otherwise.
    pub wants_network: bool,
    /// What the agent wrote in this session.
    pub changes: &'a ChangeLog,
    /// The skill whose text has the command in it; `None` where the model wants it.
    pub skill: Option<&'a str>,
}

/// That a command may run, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leave {
    /// Whether a person was asked something, so that time went by.
    pub asked: bool,
    /// Whether a person saw this very command and said yes; else rules let it through.
    pub is_answered: bool,
    /// Whether it may use the network.
    pub opens_network: bool,
}

impl Permissions {
    /// Whether a command is worth a question: an error where the mode or a rule forbids it, whatever a person says.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] with the reason.
    pub fn check_command(&self, turn: &TurnId, argv: &[String]) -> Result<(), ApplyError> {
        self.not_forbidden(turn, argv).map(drop)
    }

    /// Lets a command run, asking where no rule allows all of it.
    ///
    /// A command line is taken apart as a shell would: what forbids or asks is looked for at any depth, and what allows
    /// must name every part. Substitutions, redirections, protected files and repositories that the agent made are allowed
    /// by no rule. The network opens by an answer to a question that says so, or by rules for it that name every part.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person, a rule or the mode says no.
    pub async fn before_command(&self, asking: Asking<'_>, request: CommandRequest<'_>) -> Result<Leave, ApplyError> {
        let line = self.not_forbidden(asking.turn, request.argv)?;
        let kind = Kind::of(&request);
        self.not_denied_as(asking.turn, &line, kind, request.argv)?;
        let mut reasons = Vec::new();
        match self.named_paths(asking.turn, &line, request.folder, request.cwd) {
            Some(Named::Denied(message)) => return denied(&message),
            Some(Named::Asks(reason)) => reasons.push(reason),
            None => {}
        }
        let asked = self.trust(asking, request.folder).await?;
        let allowing = self.allowing(asking.turn, &request.folder.path);
        let allows = |does| line.is_allowed(does, &command_line::quoted(request.argv), &allowing);
        let has_network =
            kind == Kind::Sandboxed && self.opens_network(asking.turn, &line, request.argv, request.folder);
        reasons.extend(self.why_to_ask(&line, &request));
        if reasons.is_empty() && (has_network || allows(kind.by_rule())) {
            return Ok(Leave {
                asked,
                is_answered: false,
                opens_network: has_network || kind != Kind::Sandboxed,
            });
        }
        let opens_network = has_network || kind != Kind::Sandboxed;
        let rule = reasons.is_empty().then(|| offered(&line, kind, request.argv)).flatten();
        let means = match kind {
            Kind::Unsandboxed => "It runs without the sandbox, and may use the network.\n",
            _ if opens_network => "It may use the network.\n",
            _ => "",
        };
        let shown = command_line::quoted(request.argv);
        let wish = Wish {
            title: kind.title(request.skill),
            reason: format!("{means}{}{}", reasons.concat(), line.programs(&shown)),
            detail: format!("{shown}\nin {}\n{}", request.cwd.display(), request.detail),
            rules: rule.into_iter().collect(),
            exact: None,
            folder: request.folder,
            what: "the command".to_owned(),
        };
        self.wish(asking, wish).await?;
        Ok(Leave {
            asked: true,
            is_answered: true,
            opens_network,
        })
    }

    /// How the command of a hook runs, which the person confirmed once for the session: as what a rule lets through. Nobody
    /// sees it again, and the agent may have changed since what it runs.
    pub(crate) fn leave_of_hook(&self, turn: &TurnId, argv: &[String], folder: &Folder) -> Leave {
        Leave {
            asked: false,
            is_answered: false,
            opens_network: self.opens_network(turn, &command_line::read(argv), argv, folder),
        }
    }

    /// Whether rules open the network for all that a command line runs, and none closes it.
    fn opens_network(&self, turn: &TurnId, line: &CommandLine, argv: &[String], folder: &Folder) -> bool {
        let guards = |rule: &Rule| line.names_anything_of(rule, Kind::Network);
        let allowing = self.allowing(turn, &folder.path);
        line.is_allowed(&[Does::RunWithNetwork], &command_line::quoted(argv), &allowing)
            && self.denying(turn, guards).is_none()
            && !self.rules.ask.iter().any(guards)
    }

    /// What a command runs, unless the mode or a rule forbids it, whatever a person says.
    fn not_forbidden(&self, turn: &TurnId, argv: &[String]) -> Result<CommandLine, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied("the session is read-only (setting permissions.mode); say which command you would run");
        }
        let line = command_line::read(argv);
        if line.is_endless {
            return denied("the command runs too much to be looked through; run its parts one by one");
        }
        self.not_denied_as(turn, &line, Kind::Sandboxed, argv)?;
        Ok(line)
    }

    fn not_denied_as(&self, turn: &TurnId, line: &CommandLine, kind: Kind, argv: &[String]) -> Result<(), ApplyError> {
        match self.denying(turn, |rule| line.names_anything_of(rule, kind)) {
            Some(by) => denied(&format!(
                "`{}` is denied by {by}; do without it",
                command_line::quoted(argv)
            )),
            None => Ok(()),
        }
    }

    /// What no allowing rule stands above; a line.
    fn why_to_ask(&self, line: &CommandLine, request: &CommandRequest<'_>) -> Option<String> {
        let kind = Kind::of(request);
        if let Some(rule) = self.rules.ask.iter().find(|rule| line.names_anything_of(rule, kind)) {
            return Some(format!("The rule {} asks (setting permissions.ask).\n", rule.text()));
        }
        if let Some((word, why)) = line.sensitive(request.cwd) {
            return Some(format!("It names {word}, which {why}.\n"));
        }
        if line.commands.len() > MAX_ALLOWED_COMMANDS {
            return Some(format!("It runs {} commands.\n", line.commands.len()));
        }
        if let Some(why) = git::why_to_ask(line.all(), request.cwd, request.changes) {
            return Some(why);
        }
        let is_unknown = line
            .commands
            .iter()
            .any(|command| command.certainty == Certainty::Unknown);
        is_unknown.then(|| "What exactly it runs is known only when it runs.\n".to_owned())
    }
}

/// What a command is allowed to do beyond running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sandboxed,
    /// In the sandbox, with the network.
    Network,
    Unsandboxed,
}

impl Kind {
    fn of(request: &CommandRequest<'_>) -> Self {
        match (request.is_sandboxed, request.wants_network) {
            (false, _) => Self::Unsandboxed,
            (true, true) => Self::Network,
            (true, false) => Self::Sandboxed,
        }
    }

    /// What rules have to allow.
    fn by_rule(self) -> &'static [Does] {
        match self {
            // Whoever may use the network may do without.
            Self::Sandboxed => &[Does::Run, Does::RunWithNetwork],
            Self::Network => &[Does::RunWithNetwork],
            Self::Unsandboxed => &[Does::RunUnsandboxed],
        }
    }

    /// What a rule may forbid or ask about to mean it: a rule about commands means all kinds.
    fn guarded_by(self) -> &'static [Does] {
        match self {
            Self::Sandboxed => &[Does::Run],
            Self::Network => &[Does::Run, Does::RunWithNetwork],
            Self::Unsandboxed => &[Does::Run, Does::RunWithNetwork, Does::RunUnsandboxed],
        }
    }

    fn rule_name(self) -> &'static str {
        match self {
            Self::Sandboxed => "run_shell",
            Self::Network => "run_shell_network",
            Self::Unsandboxed => "run_shell_unsandboxed",
        }
    }

    fn title(self, skill: Option<&str>) -> String {
        match (skill, self) {
            (Some(skill), _) => format!("Run a command of the skill {skill}?"),
            (None, Self::Sandboxed) => "Run this command?".to_owned(),
            (None, Self::Network) => "Run this command with the network?".to_owned(),
            (None, Self::Unsandboxed) => "Run this command without the sandbox?".to_owned(),
        }
    }
}

/// The most characters of a command that are taken in at a glance.
const GLANCE: usize = 200;

impl CommandLine {
    /// Of a long command the programs that it runs, as a line: what matters may stand anywhere in it.
    fn programs(&self, shown: &str) -> String {
        if shown.len() <= GLANCE && !shown.contains('\n') {
            return String::new();
        }
        let mut programs: Vec<&str> = Vec::new();
        for program in self.all().filter_map(|words| words.first()) {
            if !programs.contains(&program.as_str()) {
                programs.push(program);
            }
        }
        format!("It runs {}.\n", programs.join(", "))
    }

    /// The words of everything that may run.
    pub(super) fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        self.commands.iter().map(|command| &command.words).chain(&self.inside)
    }

    /// Whether a rule that forbids or asks means any part, however it is spelt.
    fn names_anything_of(&self, rule: &Rule, kind: Kind) -> bool {
        let tool = Called::Doing(kind.guarded_by());
        let is_meant = |words: &Vec<String>| {
            let subject = Subject::Words(words);
            rule.covers(Call { tool, subject })
        };
        rule.is_called(tool) && self.all().any(is_meant)
    }

    /// Whether rules allow every part, or name exactly the whole line.
    fn is_allowed(&self, does: &'static [Does], shown: &str, allowing: &[Rule]) -> bool {
        let is_known = self
            .commands
            .iter()
            .all(|command| command.certainty != Certainty::Unknown);
        let names_all = || allowing.iter().any(|rule| rule.names_exactly(does, shown));
        let names_each = || self.commands.iter().all(|command| command.is_allowed(does, allowing));
        is_known && !self.commands.is_empty() && (names_all() || names_each())
    }

    /// A word that names a protected or a secret file, there or not yet. What people edit all day is read by programs that
    /// only read, and put into its record by Git, without a question.
    fn sensitive(&self, cwd: &Path) -> Option<(String, &'static str)> {
        self.all().find_map(|words| {
            let program = words.first().map(|word| command_line::program(word))?;
            let leaves_daily = program == "git" || paths::only_reads(&program);
            let counts = |row: &&Row| !(leaves_daily && row.asks == Some(Asks::OncePerSession));
            let why = |path: &Path| {
                let Found { protection, secret } = sensitive::find(path);
                secret.or(protection.filter(counts)).map(|row| row.why)
            };
            let mut candidates = words.iter().flat_map(|word| command_line::parts(word, false));
            candidates.find_map(|word| {
                let why = why(Path::new(word)).or_else(|| why(&cwd.join(word)))?;
                Some((word.to_owned(), why))
            })
        })
    }
}

impl Command {
    fn is_allowed(&self, does: &'static [Does], allowing: &[Rule]) -> bool {
        allowing.iter().any(|rule| {
            let suits = match self.certainty {
                Certainty::Plain => true,
                Certainty::Wrapped => rule.is_exact(),
                Certainty::Unknown => false,
            };
            suits
                && rule.covers(Call {
                    tool: Called::Doing(does),
                    subject: Subject::Words(&self.words),
                })
        })
    }
}

/// The rule that names exactly this command line; none where no rule can.
fn offered(line: &CommandLine, kind: Kind, argv: &[String]) -> Option<Rule> {
    let shown = command_line::quoted(argv);
    // Rules are kept and edited as lists on one line.
    let text = format!("{}({shown})", kind.rule_name());
    let [rule] = <[Rule; 1]>::try_from(Rule::parse_all(&text).ok()?).ok()?;
    let is_plain = !shown.contains(char::is_control);
    let holds = || line.is_allowed(kind.by_rule(), &shown, std::slice::from_ref(&rule));
    (is_plain && rule.text() == text && rule.is_exact() && holds()).then_some(rule)
}
