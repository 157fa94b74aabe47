//! What a person typed: text, a skill, or a command of the program.

/// A line of input, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Text for the model.
    Text(String),
    /// `/NAME arguments`: a command of the program.
    Command(SlashCommand, String),
    /// `/NAME arguments`: a skill, if there is one of that name.
    Skill {
        /// Its name.
        name: String,
        /// What follows it.
        arguments: String,
    },
}

/// A command of the program, which goes before a skill of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashCommand {
    /// Lists the commands.
    Help,
    /// Lists what runs in the background.
    Background,
    /// Ends the session.
    Quit,
    /// Begins the conversation anew.
    Clear,
    /// Shows or chooses the model.
    Model,
    /// Lists the skills.
    Skills,
}

/// All commands: name, meaning, whether it works while a turn runs, and what it does.
pub const COMMANDS: &[(&str, SlashCommand, bool, &str)] = &[
    ("help", SlashCommand::Help, true, "lists these commands"),
    (
        "bg",
        SlashCommand::Background,
        true,
        "lists what runs in the background; /bg cancel [NUMBER] stops it",
    ),
    (
        "quit",
        SlashCommand::Quit,
        true,
        "stops the turn, drops what waits and ends the session",
    ),
    ("exit", SlashCommand::Quit, true, "the same as /quit"),
    (
        "clear",
        SlashCommand::Clear,
        false,
        "begins the conversation anew and drops what waits",
    ),
    (
        "model",
        SlashCommand::Model,
        false,
        "shows the models; /model NAME [EFFORT] chooses one",
    ),
    ("skills", SlashCommand::Skills, false, "lists the skills"),
];

impl Input {
    /// Tells apart what was typed. `//x` is the text `/x`; a slash that no name follows is text too, such as a path.
    #[must_use]
    pub fn of(typed: &str) -> Self {
        let text = typed.trim();
        let Some(rest) = text.strip_prefix('/') else {
            return Self::Text(typed.to_owned());
        };
        if rest.starts_with('/') {
            return Self::Text(rest.to_owned());
        }
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let is_name = |c: char| c.is_alphanumeric() || "-_:.".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return Self::Text(typed.to_owned());
        }
        let arguments = arguments.trim().to_owned();
        match COMMANDS.iter().find(|(known, ..)| *known == name) {
            Some((_, command, ..)) => Self::Command(*command, arguments),
            None => Self::Skill {
                name: name.to_owned(),
                arguments,
            },
        }
    }
}

/// How many skills one line can run beside the first, as in Claude Code 2.1.
const STACKED: usize = 5;

/// The skills of `/a /b text`, and the text that all of them are given. `name` is the first, `rest` what follows it; what
/// is no name of a skill ends the list.
pub fn stacked(name: String, rest: &str, is_skill: impl Fn(&str) -> bool) -> (Vec<String>, String) {
    let (mut names, mut rest) = (vec![name], rest.to_owned());
    while names.len() <= STACKED
        && rest.starts_with('/')
        && let Input::Skill { name, arguments } = Input::of(&rest)
        && is_skill(&name)
        && !names.contains(&name)
    {
        names.push(name);
        rest = arguments;
    }
    (names, rest)
}

impl SlashCommand {
    /// Why the command can't be used while a turn runs; `None` where it can.
    #[must_use]
    pub fn refused_while_running(self) -> Option<String> {
        let (name, ..) = COMMANDS
            .iter()
            .find(|(_, command, works, _)| *command == self && !works)?;
        Some(format!(
            "/{name} is not available while the agent is working; wait for the turn's end or stop it, or use //{name} \
             to queue it as text"
        ))
    }
}

/// The list of commands, a line each.
#[must_use]
pub fn help() -> String {
    let lines = COMMANDS.iter().map(|(name, _, works, what)| {
        let when = if *works { "" } else { " (not while a turn runs)" };
        format!("/{name}: {what}{when}\n")
    });
    lines
        .chain(["/SKILL arguments: runs a skill\n//text: sends /text as it is\n".to_owned()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_text_a_skill_or_a_command() {
        let text = |text: &str| Input::Text(text.to_owned());
        let skill = |name: &str, arguments: &str| Input::Skill {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        for (typed, expected) in [
            ("hello /clear", text("hello /clear")),
            ("//clear after this", text("/clear after this")),
            ("/etc/hosts is wrong", text("/etc/hosts is wrong")),
            ("/", text("/")),
            ("/deploy  to staging\nnow", skill("deploy", "to staging\nnow")),
            ("/plugin:deploy", skill("plugin:deploy", "")),
            (" /clear ", Input::Command(SlashCommand::Clear, String::new())),
            (
                "/model opus high",
                Input::Command(SlashCommand::Model, "opus high".to_owned()),
            ),
            ("/exit", Input::Command(SlashCommand::Quit, String::new())),
        ] {
            assert_eq!(Input::of(typed), expected, "{typed}");
        }
    }

    #[test]
    fn skills_are_stacked_until_something_else_is_typed() {
        let known = |name: &str| name.len() == 1;
        for (rest, names, text) in [
            ("/b 123", "a b", "123"),
            ("/b /c  do it", "a b c", "do it"),
            ("see /b", "a", "see /b"),
            ("/unknown /b", "a", "/unknown /b"),
            ("//b", "a", "//b"),
            ("/a again", "a", "/a again"),
            ("/clear now", "a", "/clear now"),
            ("/b /c /d /e /f /g x", "a b c d e f", "/g x"),
        ] {
            let (found, given) = stacked("a".to_owned(), rest, known);
            assert_eq!((found.join(" ").as_str(), given.as_str()), (names, text), "{rest}");
        }
    }

    #[test]
    fn what_would_disturb_a_turn_is_refused_with_the_way_out() {
        for (name, command, works, _) in COMMANDS {
            let refused = command.refused_while_running();
            assert_eq!(refused.is_none(), *works, "{name}");
            assert!(refused.is_none_or(|reason| reason.contains(&format!("//{name}"))));
        }
    }
}
