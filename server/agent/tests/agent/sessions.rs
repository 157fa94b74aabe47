//! What a session promises: one turn at a time, one conversation.

use std::path::Path;
use std::sync::Arc;

use skills_agent::catalog::Discovery;
use skills_agent::conversation::entry::Entry;
use skills_agent::conversation::store::Store;
use skills_agent::event::{Outcome, TurnId};
use skills_agent::model::{Block, ModelEvent, StopReason};
use skills_agent::session::Session;
use skills_agent::turn::{Invoke, TurnInput};
use tokio::sync::Notify;

use crate::fakes::{Bench, Scripted, Step, answer, input, stop, text};

#[tokio::test]
async fn one_turn_runs_at_a_time_and_the_next_goes_on_with_the_conversation() {
    let began = Arc::new(Notify::new());
    let model = Scripted::new([
        answer([text("one"), vec![Step::Hang(began.clone())]]),
        answer([text("two"), stop(StopReason::EndTurn)]),
    ]);
    let bench = Bench::new(model.clone(), []);
    let session = Session::new();
    let first = session.start(input("first")).unwrap();
    let running = tokio::spawn(async move { first.run(&bench.engine).await });
    began.notified().await;

    let busy = session.start(input("second")).unwrap_err();
    assert_eq!(
        busy.to_string(),
        "turn t is still running: cancel it, or wait for its end"
    );
    assert_eq!(session.running(), Some(TurnId("t".into())));
    assert!(!session.cancel(Some(&TurnId("another".into()))));
    assert!(session.cancel(None));
    assert_eq!(running.await.unwrap().0, Outcome::Cancelled);
    assert!(!session.cancel(None));

    let bench = Bench::new(model.clone(), []);
    let second = session
        .start(TurnInput {
            id: TurnId::random(),
            ..input("second")
        })
        .unwrap();
    assert_eq!(second.run(&bench.engine).await.0, Outcome::Finished);
    assert_eq!(model.requests()[1].messages.len(), 3);
}

#[tokio::test]
async fn a_turn_whose_task_is_dropped_gives_the_conversation_back() {
    let began = Arc::new(Notify::new());
    let call = crate::fakes::call("a", "hang", "x");
    let model = Scripted::new([
        answer([call, stop(StopReason::ToolUse)]),
        answer([text("two"), stop(StopReason::EndTurn)]),
    ]);
    let bench = Bench::new(
        model.clone(),
        [crate::fakes::reads("hang", crate::fakes::Does::Hang(began.clone()))],
    );
    let session = Session::new();
    let first = session.start(input("first")).unwrap();
    let engine = bench.engine.clone();
    let running = tokio::spawn(async move { first.run(&engine).await });
    began.notified().await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());

    assert_eq!(session.running(), None);
    assert_eq!(
        session.start(input("second")).unwrap().run(&bench.engine).await.0,
        Outcome::Finished
    );
    assert_eq!(
        model.requests()[1].messages.len(),
        3,
        "the open call was answered, the prompt follows"
    );
}

#[tokio::test]
async fn what_is_said_into_a_turn_reaches_the_model_before_its_next_request() {
    let model = Scripted::new([
        answer([crate::fakes::call("a", "meet", "x"), stop(StopReason::ToolUse)]),
        answer([text("done"), stop(StopReason::EndTurn)]),
    ]);
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let bench = Bench::new(
        model.clone(),
        [crate::fakes::reads("meet", crate::fakes::Does::Meet(barrier.clone()))],
    );
    let session = Session::new();
    assert_eq!(session.steer("nobody listens"), None);
    let turn = session.start(input("first")).unwrap();
    let engine = bench.engine.clone();
    let running = tokio::spawn(async move { turn.run(&engine).await });
    while model.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(session.steer("mind the tests"), Some(TurnId("t".into())));
    assert_eq!(session.steering(), ["mind the tests"]);
    barrier.wait().await;
    assert_eq!(running.await.unwrap(), (Outcome::Finished, Vec::new()));
    let last = model.requests()[1].messages.last().unwrap().content.clone();
    assert_eq!(last.last(), Some(&Block::Text("[steering]\nmind the tests".into())));
    assert!(bench.told().contains(&"steered \"mind the tests\"".to_owned()));
}

#[tokio::test]
async fn a_session_is_resumed_from_its_log_with_its_conversation_and_nothing_that_waited() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let thinking = Block::Thinking {
        text: "hm".into(),
        signature: "sk-signature-as-received".into(),
    };
    let model = Scripted::new([
        answer([
            vec![Step::Event(ModelEvent::Block(thinking.clone()))],
            crate::fakes::call("a", "echo", "API_KEY=abcdefgh"),
            stop(StopReason::ToolUse),
        ]),
        answer([text("one"), stop(StopReason::EndTurn)]),
        answer([text("refused"), stop(StopReason::Refusal)]),
        answer([text("two"), stop(StopReason::EndTurn)]),
    ]);
    let bench = Bench::new(model.clone(), [crate::fakes::reads("echo", crate::fakes::Does::Echo)]);
    let session = Session::new();
    session.keep(&store, vec!["/w".into()]).unwrap();
    assert!(store.list().is_empty(), "nothing was said, nothing is kept");
    for prompt in ["first", "bad"] {
        session.start(input(prompt)).unwrap().run(&bench.engine).await;
    }
    for event in bench.host.events() {
        session.record(&event);
    }
    session.audit(Entry::Queued {
        turn: "u".into(),
        kind: "follow-up".into(),
        text: "later".into(),
    });
    assert_eq!(session.take_problem(), None);
    let error = Session::resume(&store, &session.id).unwrap_err().to_string();
    assert!(error.contains("another server has this session open"), "{error}");
    let id = session.id.clone();
    drop(session);

    let path = store.path(&id).unwrap();
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(!kept.contains("abcdefgh"), "secrets are not written down");
    // A crash in the middle of a line.
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, b"{\"seq\":99,\"ti").unwrap();
    let listed = store.list();
    assert_eq!(
        (listed[0].id.as_str(), listed[0].title.as_str()),
        (id.as_str(), "first")
    );
    assert_eq!(listed[0].folders, [Path::new("/w")]);

    let (resumed, stored) = Session::resume(&store, &id).unwrap();
    assert!(stored.torn);
    assert_eq!((resumed.running(), resumed.steering()), (None, Vec::new()));
    let sequence: Vec<u64> = stored.records.iter().map(|record| record.seq).collect();
    assert_eq!(sequence, (1..=sequence.len() as u64).collect::<Vec<_>>());
    let next = TurnInput {
        id: TurnId::random(),
        ..input("second")
    };
    resumed.start(next).unwrap().run(&bench.engine).await;
    let messages = &model.requests()[3].messages;
    assert_eq!(messages[1].content[0], thinking, "signatures are kept");
    let texts = messages.last().unwrap().content.clone();
    assert_eq!(texts, [Block::Text("second".into())], "the refused turn is gone");
    let again = store.read(&id).unwrap();
    assert_eq!(again.conversation.messages().len(), messages.len() + 1);

    let fork = store.fork(&id).unwrap();
    assert_eq!(store.read(&fork).unwrap().conversation, again.conversation);
    drop(resumed);
    store.delete(&id).unwrap();
    assert_eq!(store.list().len(), 1);
    for id in ["../../etc/passwd", "", &"x".repeat(32)] {
        assert!(store.read(id).is_err(), "{id}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_is_its_owners_alone_follows_no_link_and_a_failed_write_costs_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(&folder.path().join("state"));
    let ask = async |session: &Arc<Session>| {
        let model = Scripted::new([answer([text("one"), stop(StopReason::EndTurn)])]);
        let bench = Bench::new(model, []);
        session.start(input("first")).unwrap().run(&bench.engine).await.0
    };
    let session = Session::new();
    session.keep(&store, Vec::new()).unwrap();
    assert_eq!(ask(&session).await, Outcome::Finished);
    let path = store.path(&session.id).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));

    let linked = Session::new();
    let target = folder.path().join("target");
    std::os::unix::fs::symlink(&target, store.path(&linked.id).unwrap()).unwrap();
    linked.keep(&store, Vec::new()).unwrap();
    assert_eq!(ask(&linked).await, Outcome::Finished);
    let problem = linked.take_problem().unwrap();
    assert!(problem.contains("can't be written"), "{problem}");
    assert!(!target.exists());
    assert_eq!(linked.take_problem(), None, "it is said once");
}

#[tokio::test]
async fn a_conversation_that_nears_the_models_limit_is_replaced_by_a_summary_and_its_skills() {
    let model = Scripted::new([
        answer([text("one"), stop(StopReason::EndTurn)]),
        answer([text("what was said"), stop(StopReason::EndTurn)]),
        answer([text("two"), stop(StopReason::EndTurn)]),
    ]);
    let mut bench = Bench::new(model.clone(), []);
    bench.engine.limits.context_tokens = Some(12);
    let session = Session::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".claude/skills/deploy/SKILL.md");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!(
        "---\nname: deploy\ndescription: Ships.\n---\n{}\n",
        "Ship it. ".repeat(5_000)
    );
    let mut file = std::fs::File::create(&path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let discovery = Discovery {
        folders: vec![folder.path().to_owned()],
        ..Discovery::default()
    };
    let long = TurnInput {
        skills: vec![Invoke {
            skill: discovery.run().get("deploy").unwrap().clone(),
            arguments: String::new(),
        }],
        ..input("first")
    };
    session.start(long).unwrap().run(&bench.engine).await;
    session.start(input("second")).unwrap().run(&bench.engine).await;
    let messages = model.requests()[2].messages.clone();
    assert_eq!(messages.len(), 1);
    let texts = messages[0].content.iter().map(|block| match block {
        Block::Text(text) => text.as_str(),
        other => panic!("{other:?}"),
    });
    let texts: Vec<_> = texts.collect();
    assert_eq!(texts[0], "[summary of the conversation so far]\nwhat was said");
    assert!(texts[1].starts_with("<skill-") && texts[1].contains("\n[cut]\n</skill-"));
    assert!(texts[1].len() < 20_100);
    assert_eq!(texts.last(), Some(&"second"));
    let told = bench.told();
    assert!(
        told.iter()
            .any(|line| line.starts_with("note the conversation was long")),
        "{told:?}"
    );
}

#[test]
fn identifiers_are_random() {
    assert_ne!(Session::new().id, Session::new().id);
    assert_eq!(TurnId::random().to_string().len(), 32);
    assert_ne!(TurnId::random(), TurnId::random());
}
