//! What the model knows of skills and instructions, whatever happens to its conversation: each text once, as it is now.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::Arc;

use skills_agent::activation::known::{By, known};
use skills_agent::conversation::store::Store;
use skills_agent::event::{Outcome, TurnId};
use skills_agent::model::{Request, StopReason};
use skills_agent::session::Session;
use skills_agent::turn::{Invoke, TurnInput};

use crate::fakes::{Scripted, Step, answer, call, input, stop, text};
use crate::skills::Place;

/// A kind of text that a conversation is told.
struct Kind {
    name: &'static str,
    /// Its file.
    path: &'static str,
    /// What stands before its text.
    head: &'static str,
    /// The message that brings it.
    message: &'static str,
    by: By,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "instructions",
        path: "AGENTS.md",
        head: "",
        message: "hello",
        by: By::Always,
    },
    Kind {
        name: "instructions below",
        path: "web/AGENTS.md",
        head: "",
        message: "hello",
        by: By::Path,
    },
    Kind {
        name: "always",
        path: ".openhands/skills/always.md",
        head: "",
        message: "hello",
        by: By::Always,
    },
    Kind {
        name: "keyword",
        path: ".agents/skills/ship/SKILL.md",
        head: "---\nname: ship\ndescription: About it.\ntriggers: [launch]\n---\n",
        message: "launch it",
        by: By::Keyword,
    },
    Kind {
        name: "path",
        path: ".openhands/skills/said/SKILL.md",
        head: "---\nname: said\ndescription: About it.\npaths: '*.rs'\n---\n",
        message: "hello",
        by: By::Path,
    },
    Kind {
        name: "needed",
        path: ".agents/skills/base/SKILL.md",
        head: "---\nname: base\ndescription: About it.\n---\n",
        message: "needs it",
        by: By::Skill,
    },
    Kind {
        name: "invoked",
        path: ".claude/skills/deploy/SKILL.md",
        head: "---\nname: deploy\ndescription: About it.\n---\n",
        message: "/deploy",
        by: By::Invoked,
    },
];

/// A skill that needs another.
const NEEDS: &str =
    "---\nname: needs-it\ndescription: About it.\ntriggers: [needs]\nrequires: [base]\n---\nIt needs more.\n";

/// A conversation in a workspace that has one text of a kind.
struct Talk {
    place: Place,
    session: Arc<Session>,
    kind: &'static Kind,
}

impl Talk {
    /// A model that says so many times that it is done.
    fn new(kind: &'static Kind, answers: usize) -> Self {
        let done = || answer([text("done"), stop(StopReason::EndTurn)]);
        Self::scripted(kind, (0..answers).map(|_| done()).collect())
    }

    fn scripted(kind: &'static Kind, script: Vec<Vec<Step>>) -> Self {
        let body = format!("{}MARK one\n", kind.head);
        let needs = (".agents/skills/needs-it/SKILL.md", NEEDS);
        let place = Place::scripted(&[(kind.path, &body), needs], Scripted::new(script));
        let open = ["web/a.rs"].map(|file| place.path(file));
        place.shelf.discovery.lock().unwrap().touched.extend(open.clone());
        *place.bench.host.open.lock().unwrap() = open.to_vec();
        Self {
            place,
            session: Session::new(),
            kind,
        }
    }

    fn turn(&self, message: &str) -> TurnInput {
        let Some(name) = message.strip_prefix('/') else {
            return TurnInput {
                id: TurnId::random(),
                ..input(message)
            };
        };
        let skill = self.place.catalog().get(name).unwrap().clone();
        TurnInput {
            id: TurnId::random(),
            skills: vec![Invoke {
                skill,
                arguments: String::new(),
            }],
            ..input("")
        }
    }

    async fn say(&self, message: &str) -> Outcome {
        let turn = self.session.start(self.turn(message)).unwrap();
        turn.run(&self.place.bench.engine).await.0
    }

    fn file(&self) -> PathBuf {
        self.place.path(self.kind.path)
    }

    fn type_into(&self, text: &str) {
        let mut discovery = self.place.shelf.discovery.lock().unwrap();
        discovery.open.insert(self.file(), text.into());
    }

    /// How often the last request has the first and the second version of the text.
    fn marks(&self) -> (usize, usize) {
        marks(&self.place.last())
    }
}

fn marks(request: &Request) -> (usize, usize) {
    let said = format!("{:?}", request.messages);
    (said.matches("MARK one").count(), said.matches("MARK two").count())
}

/// Whether a kind comes again without being asked for.
fn comes_by_itself(kind: &Kind) -> bool {
    kind.by != By::Invoked
}

#[tokio::test]
async fn it_is_told_once_and_why() {
    for kind in &KINDS {
        let talk = Talk::new(kind, 2);
        talk.say(kind.message).await;
        assert_eq!(talk.marks(), (1, 0), "{}", kind.name);
        let request = talk.place.last();
        let known = known(&request.messages);
        let found = known.iter().find(|known| known.path == Some(talk.file())).unwrap();
        assert_eq!((found.by, found.message), (kind.by, 0), "{}", kind.name);
        assert!(!found.reason.is_empty() && found.tokens > 2, "{found:?}");
        let again = if comes_by_itself(kind) { kind.message } else { "go on" };
        talk.say(again).await;
        assert_eq!(talk.marks(), (1, 0), "{}, again", kind.name);
    }
}

#[tokio::test]
async fn after_the_conversation_is_cleared_it_comes_as_at_first() {
    for kind in &KINDS {
        let talk = Talk::new(kind, 3);
        talk.say(kind.message).await;
        talk.session.clear().unwrap();
        talk.say("go on").await;
        let stays = matches!(kind.by, By::Always | By::Path);
        assert_eq!(talk.marks(), (usize::from(stays), 0), "{}", kind.name);
        talk.say(kind.message).await;
        assert_eq!(talk.marks(), (1, 0), "{}, asked for", kind.name);
    }
}

#[tokio::test]
async fn after_a_summary_it_is_still_there() {
    for kind in &KINDS {
        let mut talk = Talk::new(kind, 3);
        talk.place.bench.engine.limits.context_tokens = Some(12);
        talk.say(kind.message).await;
        talk.say("go on").await;
        let request = talk.place.last();
        assert!(format!("{request:?}").contains("[summary of"), "{}", kind.name);
        assert_eq!(marks(&request), (1, 0), "{}", kind.name);
    }
}

#[tokio::test]
async fn where_it_changed_it_is_told_again_once() {
    for kind in &KINDS {
        let talk = Talk::new(kind, 3);
        talk.say(kind.message).await;
        std::fs::write(talk.file(), format!("{}MARK two\n", kind.head)).unwrap();
        talk.say("go on").await;
        let again = usize::from(comes_by_itself(kind));
        assert_eq!(talk.marks(), (1, again), "{}", kind.name);
        assert!(
            again == 0 || format!("{:?}", talk.place.last()).contains("It changed since you were told"),
            "{}",
            kind.name
        );
        talk.say("go on").await;
        assert_eq!(talk.marks(), (1, again), "{}, later", kind.name);
    }
}

#[tokio::test]
async fn what_is_typed_counts_before_what_is_saved() {
    for kind in &KINDS {
        let talk = Talk::new(kind, 1);
        talk.type_into(&format!("{}MARK two\n", kind.head));
        talk.say(kind.message).await;
        assert_eq!(talk.marks(), (0, 1), "{}", kind.name);
    }
}

#[tokio::test]
async fn what_is_said_into_a_turn_brings_it_too() {
    for kind in KINDS.iter().filter(|kind| comes_by_itself(kind)) {
        let script = vec![
            answer([
                call("1", "read_file_range", "{\"path\":\"AGENTS.md\"}"),
                stop(StopReason::ToolUse),
            ]),
            answer([text("done"), stop(StopReason::EndTurn)]),
        ];
        let talk = Talk::scripted(kind, script);
        let turn = talk.session.start(talk.turn("begin")).unwrap();
        talk.session.steer(kind.message);
        assert_eq!(turn.run(&talk.place.bench.engine).await.0, Outcome::Finished);
        assert_eq!(marks(&talk.place.model.requests()[0]), (1, 0), "{}", kind.name);
    }
}

#[tokio::test]
async fn a_session_that_goes_on_knows_what_it_knew() {
    for kind in &KINDS {
        let mut talk = Talk::new(kind, 2);
        let state = tempfile::tempdir().unwrap();
        let store = Store::new(state.path());
        talk.session.keep(&store, Vec::new()).unwrap();
        talk.say(kind.message).await;
        let id = talk.session.id.clone();
        talk.session = Session::new();
        talk.session = Session::resume(&store, &id).unwrap().0;
        talk.say("go on").await;
        assert_eq!(talk.marks(), (1, 0), "{}", kind.name);
    }
}

#[tokio::test]
async fn what_was_taken_back_with_its_message_comes_with_the_next() {
    for kind in &KINDS {
        let script = vec![
            answer([stop(StopReason::Refusal)]),
            answer([text("done"), stop(StopReason::EndTurn)]),
        ];
        let talk = Talk::scripted(kind, script);
        talk.say(kind.message).await;
        talk.say(kind.message).await;
        assert_eq!(talk.marks(), (1, 0), "{}", kind.name);
    }
}
