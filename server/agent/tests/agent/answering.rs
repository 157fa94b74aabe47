//! Skills that want another model, and what its answers cost.

use std::sync::{Arc, Mutex};

use skills_agent::event::{EventKind, Outcome};
use skills_agent::model::choice::Chooser;
use skills_agent::model::{Choice, Price, StopReason};
use skills_agent::turn::ChosenModel;

use crate::fakes::{Scripted, Step, answer, block, stop, text};
use crate::skills::{Place, skill};

fn invoke(name: &str) -> Vec<Step> {
    let input = serde_json::json!({"name": name});
    answer([block("a", "skill", Ok(input)), stop(StopReason::ToolUse)])
}

fn says(said: &str) -> Vec<Step> {
    answer([text(said), stop(StopReason::EndTurn)])
}

fn price(input: f64) -> Option<Price> {
    Some(Price {
        input,
        output: 0.0,
        cache_read: None,
        cache_write: None,
    })
}

/// A place whose skills may ask for one other model; gives it, and what was asked for.
fn place(fields: &str, small: Arc<Scripted>, large: &Arc<Scripted>) -> (Place, Arc<Mutex<Vec<Choice>>>) {
    let deep = skill(fields, "Think.");
    let mut place = Place::scripted(&[(".claude/skills/deep/SKILL.md", &deep)], small);
    *place.bench.host.answer.lock().unwrap() = Some("allow");
    place.bench.engine.price = price(1e6);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (seen, large) = (asked.clone(), large.clone());
    place.bench.engine.models = Arc::new(move |choices: &[Choice]| {
        seen.lock().unwrap().extend_from_slice(choices);
        Ok(ChosenModel {
            model: large.clone(),
            price: price(2e6),
            context_tokens: None,
            notes: Vec::new(),
        })
    });
    (place, asked)
}

#[tokio::test]
async fn a_skill_that_the_model_invokes_changes_the_model_for_the_rest_of_the_turn() {
    let small = Scripted::new([invoke("deep"), says("next")]);
    let large = Scripted::new([says("deeply")]);
    let (mut place, asked) = place("model: large\neffort: high\n", small.clone(), &large);
    assert_eq!(place.bench.ask("go").await, Outcome::Finished);
    assert_eq!((small.requests().len(), large.requests().len()), (1, 1));
    assert!(large.requests()[0].messages.len() > 2, "the conversation goes on");
    let expected = Choice {
        by: Chooser::Skill("deep".into()),
        model: Some("large".into()),
        effort: Some("high".into()),
    };
    assert_eq!(*asked.lock().unwrap(), [expected]);
    let costs = |place: &Place| {
        let events = place.bench.host.events();
        events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Ended { cost, .. } => Some(*cost),
            _ => None,
        })
    };
    assert_eq!(costs(&place), Some(Some(30.0)), "ten tokens at one and ten at two");

    assert_eq!(place.bench.ask("and now").await, Outcome::Finished);
    assert_eq!(
        (small.requests().len(), large.requests().len()),
        (2, 1),
        "for that turn alone"
    );
    assert_eq!(costs(&place), Some(Some(10.0)));
}

#[tokio::test]
async fn a_fork_has_the_model_of_its_skill_and_the_conversation_keeps_its_own() {
    let small = Scripted::new([invoke("deep"), says("done")]);
    let large = Scripted::new([says("deeply")]);
    let (mut place, _) = place("model: large\ncontext: fork\n", small.clone(), &large);
    assert_eq!(place.bench.ask("go").await, Outcome::Finished);
    assert_eq!((small.requests().len(), large.requests().len()), (2, 1));
}

#[tokio::test]
async fn a_model_that_can_not_be_had_is_told_and_the_turn_goes_on() {
    let small = Scripted::new([invoke("deep"), says("done")]);
    let (mut place, _) = place("model: large\n", small.clone(), &Scripted::new([]));
    place.bench.engine.models = Arc::new(|_| Err("no key".into()));
    assert_eq!(place.bench.ask("go").await, Outcome::Finished);
    let told = place.bench.told().join("\n");
    assert!(told.contains("a script goes on: no key"), "{told}");
}
