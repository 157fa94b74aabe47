//! Skills in a context of their own.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods)]

use std::sync::Arc;

use skills_agent::event::Outcome;
use skills_agent::model::{Block, Message, Request, Role, StopReason};
use tokio::sync::Barrier;

use crate::fakes::{Does, Scripted, Step, answer, block, call, reads, stop, text};
use crate::skills::{Place, skill};

/// A fork that the model calls for.
fn invoke(id: &str, name: &str) -> Vec<Step> {
    block(id, "skill", Ok(serde_json::json!({"name": name, "arguments": id})))
}

/// What the model was told about its last calls.
fn results(request: &Request) -> Vec<String> {
    let content = &request.messages.last().unwrap().content;
    let results = content.iter().filter_map(|block| match block {
        Block::ToolResult { content, .. } => Some(content.clone()),
        _ => None,
    });
    results.collect()
}

fn said(messages: &[Message]) -> Vec<(Role, String)> {
    let line = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let join = |message: &Message| message.content.iter().map(line).collect::<Vec<_>>().join("|");
    messages.iter().map(|message| (message.role, join(message))).collect()
}

#[tokio::test]
async fn a_fork_sees_nothing_of_the_conversation_and_only_its_last_words_come_back() {
    let model = Scripted::new([
        answer([text("hello"), stop(StopReason::EndTurn)]),
        answer([
            text("let me look"),
            block("a", "find_files", Ok(serde_json::json!({"pattern": "*"}))),
            stop(StopReason::ToolUse),
        ]),
        answer([text("two files"), stop(StopReason::EndTurn)]),
        answer([text("yes"), stop(StopReason::EndTurn)]),
    ]);
    let count = skill("context: fork\n", "Count $ARGUMENTS.");
    let mut place = Place::scripted(&[(".claude/skills/count/SKILL.md", &count)], model);
    place.bench.ask("SECRET of the conversation").await;
    assert_eq!(place.run("count", "files").await, Outcome::Finished);
    place.bench.ask("and now").await;

    let requests = place.model.requests();
    let fork = said(&requests[1].messages);
    assert_eq!(fork.len(), 1, "{fork:?}");
    assert!(
        fork[0].1.contains("Count files.") && !fork[0].1.contains("SECRET"),
        "{fork:?}"
    );
    let after = said(&requests[3].messages);
    let after: Vec<_> = after.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        after[2..],
        [
            "[/count files: this skill worked in a context of its own; what it answered follows]",
            "two files",
            "and now"
        ]
    );

    let told = place.bench.told();
    for line in [
        "note the skill count works in a context of its own (general-purpose)",
        "note the skill count ended: it is done",
        "text \"two files\"",
        "ended Finished, 20 in, 2 out",
    ] {
        assert!(told.iter().any(|told| told == line), "{line}: {told:#?}");
    }
    assert!(!told.iter().any(|line| line.contains("let me look")), "{told:#?}");
    let call = told.iter().find(|line| line.contains("find_files")).unwrap();
    assert!(call.contains("[count] "), "it is told whose call it is: {call}");
}

#[tokio::test]
async fn the_agent_of_a_fork_says_what_it_may_do() {
    for (agent, writes, note) in [
        ("Explore", false, None),
        ("general-purpose", true, None),
        ("reviewer", true, Some("wants the agent reviewer, which there is not")),
    ] {
        let model = Scripted::new([answer([text("ok"), stop(StopReason::EndTurn)])]);
        let look = skill(&format!("context: fork\nagent: {agent}\n"), "Look.");
        let mut place = Place::scripted(&[(".claude/skills/look/SKILL.md", &look)], model);
        place.run("look", "").await;
        let tools: Vec<_> = place.model.requests()[0].tools.iter().map(|tool| tool.name).collect();
        assert!(tools.contains(&"read_file_range"), "{agent}: {tools:?}");
        assert_eq!(tools.contains(&"create_file"), writes, "{agent}: {tools:?}");
        let told = place.bench.told().join("\n");
        assert_eq!(note.is_some_and(|note| told.contains(note)), note.is_some(), "{told}");
    }
}

#[tokio::test]
async fn forks_that_the_model_calls_for_run_at_once_and_answer_their_calls() {
    let meets = || answer([call("m", "meet", ""), stop(StopReason::ToolUse)]);
    let counted = || answer([text("counted"), stop(StopReason::EndTurn)]);
    let model = Scripted::new([
        answer([
            invoke("one", "count"),
            invoke("two", "count"),
            stop(StopReason::ToolUse),
        ]),
        meets(),
        meets(),
        counted(),
        counted(),
        answer([text("both are there"), stop(StopReason::EndTurn)]),
    ]);
    let count = skill("context: fork\n", "Count $ARGUMENTS.");
    let mut place = Place::scripted(&[(".claude/skills/count/SKILL.md", &count)], model);
    // One after the other they would wait for ever.
    let meet = reads("meet", Does::Meet(Arc::new(Barrier::new(2))));
    place.bench.engine.tools = [meet].into();
    assert_eq!(place.bench.ask("count both").await, Outcome::Finished);
    let requests = place.model.requests();
    // Which of the two asks first is open.
    let both = format!("{:?} {:?}", said(&requests[1].messages), said(&requests[2].messages));
    assert!(both.contains("Count one.") && both.contains("Count two."), "{both}");
    assert_eq!(results(&requests[5]), ["The skill count answered:\ncounted"; 2]);
    let told = place.bench.told();
    let ended = told
        .iter()
        .filter(|line| *line == "note the skill count ended: it is done");
    assert_eq!(ended.count(), 2, "{told:#?}");
    assert!(
        told.iter().any(|line| line == "ended Finished, 60 in, 6 out"),
        "{told:#?}"
    );
}

#[tokio::test]
async fn nothing_forks_from_a_fork() {
    let model = Scripted::new([
        answer([invoke("one", "outer"), stop(StopReason::ToolUse)]),
        answer([invoke("two", "inner"), stop(StopReason::ToolUse)]),
        answer([text("done"), stop(StopReason::EndTurn)]),
        answer([text("fine"), stop(StopReason::EndTurn)]),
    ]);
    let fork = |body| skill("context: fork\n", body);
    let (outer, inner) = (fork("OUTER"), fork("INNER"));
    let files = [
        (".claude/skills/outer/SKILL.md", outer.as_str()),
        (".claude/skills/inner/SKILL.md", inner.as_str()),
    ];
    let mut place = Place::scripted(&files, model);
    assert_eq!(place.bench.ask("go").await, Outcome::Finished);
    let given = results(&place.model.requests()[2]);
    assert!(
        given[0].contains("INNER"),
        "its text comes as any other skill's: {given:?}"
    );
}

#[tokio::test]
async fn a_fork_that_took_its_tokens_is_stopped_and_the_conversation_goes_on() {
    let look = |id| {
        answer([
            block(id, "find_files", Ok(serde_json::json!({"pattern": "*"}))),
            stop(StopReason::ToolUse),
        ])
    };
    let model = Scripted::new([
        answer([invoke("one", "count"), stop(StopReason::ToolUse)]),
        look("a"),
        look("b"),
        answer([text("it took too much"), stop(StopReason::EndTurn)]),
    ]);
    let count = skill("context: fork\n", "Count.");
    let mut place = Place::scripted(&[(".claude/skills/count/SKILL.md", &count)], model);
    // An answer is 11: two of them are more than that, and so is what the conversation takes.
    place.bench.engine.limits.fork_tokens = 20;
    assert_eq!(place.bench.ask("go").await, Outcome::Finished);
    let why = "stopped after 22 tokens; a skill in a context of its own may take 20, so give it a smaller task";
    let given = results(&place.model.requests()[3]);
    assert!(given[0].contains(why), "{given:?}");
    let told = place.bench.told();
    let note = format!("note the skill count ended: {why}");
    assert!(told.contains(&note), "{told:#?}");
}

const AGENT: &str = "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep, Skill, Write\ndisallowedTools: Write\n\
                     maxTurns: 2\nskills: [style, absent]\n---\nYou are a PICKY reviewer.\n";

fn names(request: &Request) -> Vec<&'static str> {
    request.tools.iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn an_agent_that_a_file_describes_does_the_work_of_a_fork() {
    let look = || {
        answer([
            block("a", "search_text", Ok(serde_json::json!({"pattern": "x"}))),
            stop(StopReason::ToolUse),
        ])
    };
    let model = Scripted::new([look(), look()]);
    let files = [
        (
            ".claude/skills/look/SKILL.md",
            skill("context: fork\nagent: reviewer\n", "Look."),
        ),
        (".claude/skills/style/SKILL.md", skill("", "Two blanks.")),
        (".claude/agents/anything.md", AGENT.to_owned()),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let mut place = Place::scripted(&files, model);
    let Outcome::Limited(why) = place.run("look", "").await else {
        panic!("it goes on after two answers");
    };
    assert!(why.contains("after 2 rounds"), "{why}");
    let request = &place.model.requests()[0];
    assert_eq!(
        names(request),
        ["read_file_range", "read_skill_file", "search_text", "skill"]
    );
    assert!(
        request.system.starts_with(skills_agent::turn::SYSTEM.trim_end()),
        "what holds for all comes first"
    );
    assert!(
        request.system.contains("You are a PICKY reviewer."),
        "{}",
        request.system
    );
    let first = &said(&request.messages)[0].1;
    assert!(first.find("Two blanks.") < first.find("Look."), "{first}");
    let told = place.bench.told().join("\n");
    assert!(
        told.contains("the agent reviewer wants the skill absent, which it can't have"),
        "{told}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn no_agent_comes_through_a_link_that_leads_out_of_a_folder_that_is_not_trusted() {
    for trusted in [true, false] {
        let model = Scripted::new([answer([text("ok"), stop(StopReason::EndTurn)])]);
        let look = skill("context: fork\nagent: reviewer\n", "Look.");
        let mut place = Place::scripted(&[(".claude/skills/look/SKILL.md", &look)], model);
        std::fs::create_dir(place.path("../elsewhere")).unwrap();
        std::fs::write(place.path("../elsewhere/reviewer.md"), AGENT).unwrap();
        std::os::unix::fs::symlink("../../elsewhere", place.path(".claude/agents")).unwrap();
        if !trusted {
            place.shelf.discovery.lock().unwrap().trusted.clear();
        }
        place.run("look", "").await;
        assert_eq!(place.model.requests()[0].system.contains("PICKY"), trusted);
    }
}
