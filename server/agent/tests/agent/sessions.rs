//! What a session promises: one turn at a time, one conversation.

use std::sync::Arc;

use skills_agent::event::{Outcome, TurnId};
use skills_agent::model::StopReason;
use skills_agent::session::Session;
use skills_agent::turn::TurnInput;
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
    assert_eq!(running.await.unwrap(), Outcome::Cancelled);
    assert!(!session.cancel(None));

    let bench = Bench::new(model.clone(), []);
    let second = session
        .start(TurnInput {
            id: TurnId::random(),
            ..input("second")
        })
        .unwrap();
    assert_eq!(second.run(&bench.engine).await, Outcome::Finished);
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
        session.start(input("second")).unwrap().run(&bench.engine).await,
        Outcome::Finished
    );
    assert_eq!(
        model.requests()[1].messages.len(),
        3,
        "the open call was answered, the prompt follows"
    );
}

#[test]
fn identifiers_are_random() {
    assert_ne!(Session::new().id, Session::new().id);
    assert_eq!(TurnId::random().to_string().len(), 32);
    assert_ne!(TurnId::random(), TurnId::random());
}
