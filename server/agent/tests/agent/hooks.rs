//! Hooks of a skill: listed before they run, run where something happens, and able to allow nothing.
// Tests make the files that the agent itself must not write.
#![allow(clippy::disallowed_methods)]

use std::sync::{Arc, Mutex};

use skills_agent::event::Outcome;
use skills_agent::model::{Block, Request, StopReason};
use skills_agent::permission::{Mode, Permissions, TrustStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::fakes::{Scripted, Step, answer, block, stop, text};
use crate::skills::{Place, skill};

/// A skill whose hooks are these lines below `hooks:`.
fn hooked(hooks: &str) -> String {
    let hooks: String = hooks.lines().map(|line| format!("  {line}\n")).collect();
    skill(&format!("hooks:\n{hooks}"), "Work.")
}

/// A command hook for an event.
fn command(event: &str, matcher: &str, command: &str) -> String {
    format!("{event}:\n  - matcher: {matcher:?}\n    hooks:\n      - type: command\n        command: {command:?}\n")
}

/// A workspace whose skill `work` has these hooks; the person answers yes.
fn place(hooks: &str, answers: impl IntoIterator<Item = Vec<Step>>) -> Place {
    let place = Place::scripted(
        &[(".claude/skills/work/SKILL.md", &hooked(hooks))],
        Scripted::new(answers),
    );
    *place.bench.host.answer.lock().unwrap() = Some("allow");
    place
}

fn reads(id: &str, path: &str) -> Vec<Step> {
    let input = serde_json::json!({"path": path, "start_line": 1});
    answer([block(id, "read_file_range", Ok(input)), stop(StopReason::ToolUse)])
}

fn done() -> Vec<Step> {
    answer([text("done"), stop(StopReason::EndTurn)])
}

fn results(request: &Request) -> String {
    let content = &request.messages.last().unwrap().content;
    let results = content.iter().filter_map(|block| match block {
        Block::ToolResult { content, .. } => Some(content.as_str()),
        _ => None,
    });
    results.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn hooks_are_listed_before_they_run_and_run_nowhere_else() {
    let hooks =
        command("PreToolUse", "Read", "touch ran") + "SessionStart:\n  - hooks: [{type: command, command: x}]\n";
    let script = || [reads("a", "a.txt"), done()];
    let mut yes = place(&hooks, script());
    assert_eq!(yes.run("work", "").await, Outcome::Finished);
    let (title, detail) = yes.asked()[0].clone();
    assert_eq!(title, "Let the skill work run these hooks?");
    assert_eq!(detail, "PreToolUse(Read): touch ran");
    assert!(yes.path("ran").exists());
    let told = yes.bench.told().join("\n");
    assert!(told.contains("this hook does not run here: SessionStart: x"), "{told}");

    let mut no = place(&hooks, script());
    *no.bench.host.answer.lock().unwrap() = Some("reject");
    assert_eq!(no.run("work", "").await, Outcome::Finished);
    assert!(!no.path("ran").exists() && no.bench.told().join("\n").contains("you did not allow them"));

    let mut untrusted = place(&hooks, script());
    untrusted.shelf.discovery.lock().unwrap().trusted.clear();
    assert_eq!(untrusted.run("work", "").await, Outcome::Finished);
    assert!(!untrusted.path("ran").exists() && untrusted.asked().is_empty());
}

#[tokio::test]
async fn hooks_end_with_the_trust_that_they_came_with() {
    let hooks = command("PreToolUse", "Read", "echo x >> ran");
    let mut place = place(&hooks, [reads("a", "a.txt"), done(), reads("b", "a.txt"), done()]);
    let store = TrustStore::new(&place.path("../state"));
    store.set(&place.path(""), true).unwrap();
    place.bench.engine.permissions = Arc::new(Permissions::new(Mode::AcceptEdits, None, store.clone()));
    assert_eq!(place.run("work", "").await, Outcome::Finished);
    store.set(&place.path(""), false).unwrap();
    assert_eq!(place.bench.ask("go on").await, Outcome::Finished);
    assert_eq!(std::fs::read_to_string(place.path("ran")).unwrap(), "x\n");
}

#[tokio::test]
async fn hooks_are_asked_about_again_where_the_skill_changed() {
    let hooks = command("PreToolUse", "Read", "touch ran");
    let mut place = place(&hooks, [done(), done(), reads("a", "a.txt"), done()]);
    place.run("work", "").await;
    place.run("work", "").await;
    assert_eq!(place.asked().len(), 1, "the same list of the same text");
    // A repository that is pulled brings another command under the name that was allowed.
    let path = place.path(".claude/skills/work/SKILL.md");
    std::fs::write(path, hooked(&hooks.replace("touch ran", "touch stolen"))).unwrap();
    *place.bench.host.answer.lock().unwrap() = Some("reject");
    place.run("work", "").await;
    assert_eq!(place.asked().len(), 2);
    assert!(!place.path("stolen").exists());
}

#[tokio::test]
async fn a_hook_forbids_changes_and_explains_a_call() {
    let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not that"}}"#;
    let other = r#"{"hookSpecificOutput":{"updatedInput":{"path":"b.txt","start_line":1},"additionalContext":"MIND"}}"#;
    let cases = [
        (
            command("PreToolUse", "Read", "echo 'no way' >&2; exit 2"),
            "a hook forbids this call: no way",
        ),
        (
            command("PreToolUse", "Read", &format!("echo '{deny}'")),
            "a hook forbids this call: not that",
        ),
        (
            command("PreToolUse", "read_.*", &format!("echo '{other}'")),
            "the other",
        ),
        (command("PreToolUse", "*", &format!("echo '{other}'")), "MIND"),
        (
            command("PostToolUse", "Read", "echo 'look again' >&2; exit 2"),
            "look again",
        ),
        // It is not for this tool, or fails by itself: all goes on.
        (command("PreToolUse", "Bash", "exit 2"), "the text"),
        (command("PreToolUse", "Read", "exit 3"), "the text"),
        (
            command(
                "PreToolUse",
                "Read",
                "grep -q '\"tool_name\":\"Read\"' && exit 0; exit 2",
            ),
            "the text",
        ),
        (
            "PreToolUse:\n  - hooks: [{type: command, command: exit 2, if: Read(b.txt)}]\n".to_owned(),
            "the text",
        ),
        (
            "PreToolUse:\n  - hooks: [{type: command, command: exit 2, if: Read(a.txt)}]\n".to_owned(),
            "a hook forbids this call: it gave no reason",
        ),
        (
            "PreToolUse:\n  - hooks: [{type: command, command: sleep 60, timeout: 0}]\n".to_owned(),
            "the text",
        ),
    ];
    for (hooks, expected) in cases {
        let mut place = place(&hooks, [reads("a", "a.txt"), done()]);
        std::fs::write(place.path("a.txt"), "the text\n").unwrap();
        std::fs::write(place.path("b.txt"), "the other\n").unwrap();
        assert_eq!(place.run("work", "").await, Outcome::Finished, "{hooks}");
        let given = results(&place.model.requests()[1]);
        assert!(given.contains(expected), "{hooks}: {given}\n{:#?}", place.bench.told());
    }
}

#[tokio::test]
async fn a_hook_allows_nothing() {
    let allow = r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#;
    let hooks = command("PreToolUse", "Read", &format!("echo '{allow}'"));
    let mut place = place(&hooks, [reads("a", ".env"), done()]);
    std::fs::write(place.path(".env"), "KEY=1\n").unwrap();
    place.run("work", "").await;
    let asked: Vec<_> = place.asked().into_iter().map(|(title, _)| title).collect();
    assert_eq!(asked.last().unwrap(), "Allow the model to read .env?");
}

#[tokio::test]
async fn a_hook_can_have_the_person_asked_and_end_the_turn() {
    let ask = r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"a big file"}}"#;
    let mut asks = place(
        &command("PreToolUse", "Read", &format!("echo '{ask}'")),
        [reads("a", "a.txt"), done()],
    );
    asks.run("work", "").await;
    let (title, detail) = asks.asked().pop().unwrap();
    assert_eq!(title, "Allow this call of read_file_range?");
    assert!(detail.contains("A hook of the skill work asks: a big file"), "{detail}");

    let end = r#"{"continue": false, "stopReason": "enough"}"#;
    let mut ends = place(
        &command("PostToolUse", "Read", &format!("echo '{end}'")),
        [reads("a", "a.txt")],
    );
    std::fs::write(ends.path("a.txt"), "one\n").unwrap();
    let outcome = ends.run("work", "").await;
    assert_eq!(
        outcome,
        Outcome::Failed("a hook of the skill work ended the turn: enough".into())
    );
}

#[tokio::test]
async fn what_wants_to_stop_goes_on_until_its_hook_is_content() {
    let hooks = command(
        "Stop",
        "",
        "test -e ready && exit 0; touch ready; echo 'run the tests' >&2; exit 2",
    );
    let mut place = place(&hooks, [done(), done(), done(), done()]);
    assert_eq!(place.run("work", "").await, Outcome::Finished);
    let requests = place.model.requests();
    assert_eq!(requests.len(), 2);
    assert!(format!("{:?}", requests[1].messages.last()).contains("run the tests"));
    // They stay for the session.
    std::fs::remove_file(place.path("ready")).unwrap();
    assert_eq!(place.bench.ask("again").await, Outcome::Finished);
    assert_eq!(place.model.requests().len(), 4);
}

#[tokio::test]
async fn a_hook_that_runs_once_runs_once_and_a_message_can_be_refused() {
    let once = "UserPromptSubmit:\n  - hooks: [{type: command, command: 'echo seen', once: true}]\n";
    let mut place = place(once, [done(), done()]);
    place.run("work", "").await;
    place.bench.ask("again").await;
    let requests = place.model.requests();
    let seen = |request: usize| format!("{:?}", requests[request].messages.last()).contains("seen");
    assert!(seen(0) && !seen(1));

    let refuse = command("UserPromptSubmit", "", "echo 'not today' >&2; exit 2");
    let mut refused = self::place(&refuse, []);
    let outcome = refused.run("work", "").await;
    assert_eq!(outcome, Outcome::Failed("a hook refused the message: not today".into()));
}

#[tokio::test]
async fn a_model_is_asked_whether_to_go_on() {
    let hooks = "PreToolUse:\n  - hooks: [{type: prompt, prompt: 'Is it safe? $ARGUMENTS'}]\n";
    let no = answer([
        text("{\"ok\": false, \"reason\": \"it is not\"}"),
        stop(StopReason::EndTurn),
    ]);
    let mut place = place(hooks, [reads("a", "a.txt"), no, done()]);
    place.run("work", "").await;
    let requests = place.model.requests();
    let asked = format!("{:?}", requests[1].messages);
    assert!(
        asked.contains("Is it safe? {") && asked.contains("tool_name\\\":\\\"Read"),
        "{asked}"
    );
    assert!(results(&requests[2]).contains("a hook forbids this call: it is not"));
    let told = place.bench.told();
    assert!(
        told.iter().any(|line| line == "ended Finished, 30 in, 3 out"),
        "{told:#?}"
    );
}

/// Answers requests one after the other with these texts; gives its port, and what it was sent.
async fn endpoint(answers: &'static [&'static str]) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = sent.clone();
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut text, mut piece) = (String::new(), [0; 4096]);
            // The body is one line of JSON that ends the request.
            while !text.trim_end().ends_with('}') {
                let length = stream.read(&mut piece).await.unwrap();
                text.push_str(&String::from_utf8_lossy(&piece[..length]));
            }
            seen.lock().unwrap().push(text);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (port, sent)
}

/// A hook that sends to this machine.
fn posts(event: &str, port: u16, more: &str) -> String {
    format!("{event}:\n  - hooks: [{{type: http, url: \"http://127.0.0.1:{port}/hook\"{more}}}]\n")
}

const NO: &str =
    "HTTP/1.1 200 OK\r\nContent-Length: 36\r\nConnection: close\r\n\r\n{\"decision\":\"block\",\"reason\":\"late\"}";
const AWAY: &str =
    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Lets the person name this machine in a rule, so that hooks may reach it.
fn naming(place: &mut Place) {
    let rules = skills_agent::permission::Rules {
        allow: vec![skills_agent::permission::Rule::parse("WebFetch(private:127.0.0.1)").unwrap()],
        ..Default::default()
    };
    let permissions = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&place.path("../state")));
    place.bench.engine.permissions = Arc::new(permissions.with_rules(rules, Arc::default()));
}

/// What a hook's command makes and a rule forbids goes again, as with any command; in a turn, when the turn is stopped
/// meanwhile, and outside of one.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_a_hook_may_not_write_is_taken_back() {
    const MAKES: &str = "mkdir -p gen; touch gen/x";
    let denying = |hooks: &str| {
        let mut place = place(hooks, [reads("a", "a.txt"), done()]);
        let rules = skills_agent::permission::Rules {
            deny: vec![skills_agent::permission::Rule::guarding("Edit(gen/**)").0],
            ..Default::default()
        };
        let permissions = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&place.path("../state")));
        place.bench.engine.permissions = Arc::new(permissions.with_rules(rules, Arc::default()));
        place.bench.engine.shell.taken_folder = Some(place.path("../state/taken"));
        place
    };
    let mut in_turn = denying(&command("PreToolUse", "Read", MAKES));
    assert_eq!(in_turn.run("work", "").await, Outcome::Finished);
    let told = in_turn.bench.told().join("\n");
    assert!(
        !in_turn.path("gen/x").exists() && told.contains("took back gen"),
        "{told}"
    );

    let mut outside = denying(&command("ConfigChange", "", MAKES));
    assert_eq!(outside.run("work", "").await, Outcome::Finished);
    let told = outside
        .bench
        .engine
        .hooks
        .tell("ConfigChange", "skills", serde_json::json!({}))
        .await;
    assert!(
        !outside.path("gen/x").exists() && told.join("\n").contains("took back gen"),
        "{told:?}"
    );

    let mut stopped = denying(&command(
        "PreToolUse",
        "Read",
        &format!("{MAKES}; touch up; exec sleep 1000"),
    ));
    let (cancel, up) = (stopped.bench.control.cancel.clone(), stopped.path("up"));
    let (outcome, ()) = tokio::join!(stopped.run("work", ""), async {
        while !up.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        cancel.cancel();
    });
    assert_eq!(outcome, Outcome::Cancelled);
    assert!(!stopped.path("gen/x").exists());
}

/// A yes to a list lasts for a session, in which the agent may change what the list names: it opens no more than a rule does.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_a_hook_runs_is_held_as_what_a_rule_allows() {
    let hooks = command("PreToolUse", "Read", "sh ./check.sh");
    let mut place = place(&hooks, [reads("a", "a.txt"), done()]);
    std::fs::write(place.path("check.sh"), "touch .envrc; cat /proc/net/dev > devices\n").unwrap();
    place.bench.engine.shell.taken_folder = Some(place.path("../state/taken"));
    assert_eq!(place.run("work", "").await, Outcome::Finished);
    assert_eq!(place.asked().len(), 1, "only about the list");
    let told = place.bench.told().join("\n");
    assert!(
        !place.path(".envrc").exists() && told.contains("took back .envrc"),
        "{told}"
    );
    let devices = std::fs::read_to_string(place.path("devices")).unwrap_or_default();
    let mut others = devices
        .lines()
        .filter(|line| line.contains(':') && !line.trim_start().starts_with("lo:"));
    assert_eq!(others.next(), None, "the network is closed");
}

#[tokio::test]
async fn a_hook_over_http_hears_what_a_command_hears_and_answers_alike() {
    let (port, sent) = endpoint(&[NO]).await;
    // Each is set where tests run; only one may be sent, and a key of a model never.
    let more = ", headers: {X-Path: 'p$PATH', X-Home: 'h$HOME', X-Key: 'k$ANTHROPIC_API_KEY$CARGO_PKG_NAME'}, allowedEnvVars: \
                [PATH, ANTHROPIC_API_KEY, CARGO_PKG_NAME]";
    let mut place = place(&posts("PreToolUse", port, more), [reads("a", "a.txt"), done()]);
    naming(&mut place);
    place.bench.engine.hooks.withhold("CARGO_PKG_NAME");
    assert_eq!(place.run("work", "").await, Outcome::Finished);
    let detail = place.asked()[0].1.clone();
    assert!(
        detail.contains("sends what happened to http://127.0.0.1") && detail.contains("$ANTHROPIC_API_KEY"),
        "{detail}"
    );
    let request = sent.lock().unwrap()[0].clone();
    let header = |name: &str| {
        let line = request
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{request}"));
        line.split_once(": ").unwrap().1.to_owned()
    };
    assert!(header("x-path").len() > 1, "{request}");
    assert_eq!((header("x-home"), header("x-key")), ("h".into(), "k".into()));
    assert!(request.contains("\"tool_name\":\"Read\""), "{request}");
    assert!(
        results(&place.last()).contains("a hook forbids this call: late"),
        "{}",
        results(&place.last())
    );
}

#[tokio::test]
async fn a_hook_over_http_reaches_no_private_address_by_itself_and_follows_nobody() {
    let (port, sent) = endpoint(&[AWAY]).await;
    for (named, url, why) in [
        (false, format!("http://127.0.0.1:{port}/"), "no public address"),
        (false, "http://169.254.169.254/".to_owned(), "no public address"),
        (true, format!("http://127.0.0.1:{port}/"), "answered 302"),
        (true, "file:///etc/passwd".to_owned(), "only http and https"),
    ] {
        let hook = format!("PreToolUse:\n  - hooks: [{{type: http, url: \"{url}\"}}]\n");
        let mut place = place(&hook, [reads("a", "a.txt"), done()]);
        if named {
            naming(&mut place);
        }
        assert_eq!(
            place.run("work", "").await,
            Outcome::Finished,
            "a hook that fails stops nothing"
        );
        let told = place.bench.told().join("\n");
        assert!(told.contains(why), "{url}: {told}");
    }
    assert_eq!(sent.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_agent_looks_at_files_before_it_answers_for_a_hook() {
    let hook = "Stop:\n  - hooks: [{type: agent, prompt: Are there tests?}]\n";
    let no = answer([
        text("{\"ok\": false, \"reason\": \"no tests\"}"),
        stop(StopReason::EndTurn),
    ]);
    let yes = answer([text("{\"ok\": true}"), stop(StopReason::EndTurn)]);
    let answers = [done(), reads("a", "a.txt"), no, done(), yes];
    let mut place = place(hook, answers);
    assert_eq!(place.run("work", "").await, Outcome::Finished);
    let requests = place.model.requests();
    let looks = &requests[1];
    let tools: Vec<_> = looks.tools.iter().map(|tool| tool.name).collect();
    assert!(tools.contains(&"read_file_range") && !tools.contains(&"create_file") && !tools.contains(&"skill"));
    assert_eq!(
        looks.messages.len(),
        1,
        "it sees the event and nothing of the conversation"
    );
    assert!(looks.system.contains("You decide for a hook"), "{}", looks.system);
    let again = format!("{:?}", requests[3].messages);
    assert!(again.contains("no tests"), "{again}");
    let told = place.bench.told().join("\n");
    assert!(told.contains("ended Finished, 50 in, 5 out"), "it is counted: {told}");
}

#[tokio::test]
async fn all_calls_of_an_answer_and_a_turn_that_fails_reach_hooks() {
    let batch = command("PostToolBatch", "", "cat > batch");
    let failure = command("StopFailure", "", "cat > failure");
    let script = [reads("a", "a.txt"), vec![Step::Fail("no network")]];
    let mut place = place(&format!("{batch}{failure}"), script);
    assert_eq!(place.run("work", "").await, Outcome::Failed("no network".into()));
    let heard = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(place.path(name)).unwrap()).unwrap()
    };
    assert_eq!(heard("batch")["tool_calls"][0]["tool_name"], "Read");
    assert_eq!(heard("failure")["error_details"], "no network");
}
