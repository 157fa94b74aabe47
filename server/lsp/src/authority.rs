//! Whom a caller speaks for, and what that lets it do.
//!
//! A server has two tokens. With the person's a caller may do all that the person may: it is for the editor, and for the
//! terminals that they open. With the tools' it can read, ask the model and stop it; it never answers a question, trusts a
//! folder, keeps or takes back changes, chooses the mode or the model, or sets what belongs to the person. Where a caller
//! comes from proves nothing, its process's parents and its terminal included: only the token counts, and what gives power
//! that lasts is told in the editor (see `turns::questions`).

use skills_agent::event::random_id;
use tower_lsp::ls_types::notification::Notification;

use crate::protocol::{Active, DID_FOCUS, MODELS_LIST, PREVIEW, PROGRESS_CANCEL, READERS, commands, session};
use crate::refusal::Refusal;

/// Whom a caller speaks for. What one may do, those after it may do too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// For nobody: it showed no token of this server. There is no agent for it.
    Nobody,
    /// For the person, as a tool that they or the agent started.
    Tools,
    /// For the person, as themselves. Also whoever started this process, and talks with it over its stdin.
    #[default]
    Person,
}

/// What nobody in particular, and what a tool may do. All else is the person's alone: a command or a message that is new
/// is, until it is named here.
const NEEDED: &[(&str, Authority)] = &[
    // Nothing of it runs, or changes what runs.
    (commands::EXPLAIN, Authority::Nobody),
    (commands::PREVIEW, Authority::Nobody),
    (commands::NEW_SKILL, Authority::Nobody),
    (Active::METHOD, Authority::Nobody),
    (PREVIEW, Authority::Nobody),
    (READERS, Authority::Nobody),
    (DID_FOCUS, Authority::Nobody),
    // Whatever the model wants then is asked of the person.
    (commands::ASK, Authority::Tools),
    (commands::STEER, Authority::Tools),
    (session::PROMPT, Authority::Tools),
    // What a tool can begin it can stop.
    (commands::CANCEL, Authority::Tools),
    (session::CANCEL, Authority::Tools),
    (PROGRESS_CANCEL, Authority::Tools),
    // It only tells.
    (commands::QUEUE, Authority::Tools),
    (commands::CHANGES, Authority::Tools),
    (session::LIST, Authority::Tools),
    (MODELS_LIST, Authority::Tools),
    // Of its own connection, which no terminal shares.
    (session::NEW, Authority::Tools),
    (session::RESUME, Authority::Tools),
    (session::FORK, Authority::Tools),
];

impl Authority {
    /// Whether a command or a message may be sent; the error says what is missing.
    ///
    /// # Errors
    /// Where it may not.
    pub fn may(self, name: &str) -> Result<(), Refusal> {
        let needed = NEEDED.iter().find(|(known, _)| *known == name);
        let needed = needed.map_or(Self::Person, |(_, needed)| *needed);
        if self >= needed {
            return Ok(());
        }
        Err(match self {
            Self::Nobody => {
                "the agent is off on this connection: put the token of the file that the server named when it \
                             started into initializationOptions.token"
                    .into()
            }
            Self::Tools | Self::Person => {
                format!("{name} is the person's alone, and this is the token for tools").into()
            }
        })
    }
}

/// Who sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Whom it speaks for.
    pub authority: Authority,
    /// Whether it is a terminal that is attached, and no client of the protocol.
    pub is_terminal: bool,
}

/// The tokens of one server, which can't be guessed.
#[derive(Clone)]
pub struct Tokens {
    /// The person's.
    pub person: String,
    /// The one for tools.
    pub tools: String,
}

impl Tokens {
    /// New ones.
    pub fn random() -> Self {
        Self {
            person: random_id(),
            tools: random_id(),
        }
    }

    /// Whom a caller that shows this token speaks for.
    pub fn authority(&self, given: &str) -> Authority {
        match (is_same(given, &self.person), is_same(given, &self.tools)) {
            (true, _) => Authority::Person,
            (false, true) => Authority::Tools,
            (false, false) => Authority::Nobody,
        }
    }
}

/// Never shows them.
impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

/// Whether two tokens are the same; how long it takes tells nothing of where they differ.
fn is_same(given: &str, token: &str) -> bool {
    let differing = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && !token.is_empty() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_the_persons() {
        for name in ["skills.server.answer", "skills/edit/resolve", "skills.server.isNew", ""] {
            assert!(Authority::Tools.may(name).is_err(), "{name}");
            assert!(Authority::Nobody.may(name).is_err(), "{name}");
            assert!(Authority::Person.may(name).is_ok(), "{name}");
        }
        assert!(Authority::Nobody.may("skills.server.ask").is_err());
    }

    #[test]
    fn only_a_whole_token_speaks_for_anybody() {
        let tokens = Tokens::random();
        assert_ne!(tokens.person, tokens.tools);
        for (given, authority) in [
            (tokens.person.as_str(), Authority::Person),
            (&tokens.tools, Authority::Tools),
            (&tokens.person[1..], Authority::Nobody),
            ("", Authority::Nobody),
        ] {
            assert_eq!(tokens.authority(given), authority);
        }
        let empty = Tokens {
            person: String::new(),
            tools: String::new(),
        };
        assert_eq!(empty.authority(""), Authority::Nobody);
        assert!(!format!("{tokens:?}").contains(&tokens.person));
    }
}
