//! Which commands run without a question.

use serde_json::json;
use skills_agent::permission::{Asking, Mode};
use skills_agent::permission::{Grants, Patterns, Permissions, Rule, Severity, SkillRequest, TrustStore};
use std::sync::Arc;

use crate::host::Bench;

/// What happens to a call where nobody answers.
async fn fate(bench: &Bench, argv: &[&str]) -> &'static str {
    let before = bench.asked().len();
    let result = bench.call("run_shell", json!({"argv": argv})).await;
    let message = result.map_or_else(|error| error.to_string(), |output| output.text);
    match () {
        () if bench.asked().len() > before => "asks",
        () if message.contains("permissions.deny") || message.contains("too much") => "denied",
        () => "runs",
    }
}

#[tokio::test]
async fn rules_decide_in_their_order_for_every_part() {
    let bench = Bench::new(&[("a.txt", "a\n"), (".env", "KEY=a\n")]).with_rules(
        &["Bash(rm:*)", "Bash(git push:*)"],
        &["Bash(echo ask:*)"],
        &[
            "Bash(echo:*)",
            "Bash(true:*)",
            "Bash(rm:*)",
            "Bash(cat:*)",
            "Bash(sudo true)",
            "Bash(env:*)",
            "Bash(git:*)",
        ],
    );
    let many = vec!["true"; 51].join(";");
    let hidden = format!("{many};rm x");
    let endless = vec!["true"; 6000].join(";");
    let sh = |script| vec!["sh", "-c", script];
    for (argv, expected) in [
        (vec!["true"], "runs"),
        (vec!["rm", "x"], "denied"),
        (vec!["/bin/rm", "x"], "denied"),
        (vec!["false"], "asks"),
        (vec!["echo", "ask"], "asks"),
        (vec!["echo", "$(rm x)"], "runs"),
        (vec!["truely"], "asks"),
        (vec!["./true"], "asks"),
        (sh("true; echo a && echo b | cat"), "runs"),
        (sh("true; false"), "asks"),
        (sh("true\nfalse"), "asks"),
        (sh("true; rm x"), "denied"),
        (sh("tr\\\nue"), "runs"),
        (sh("echo $(false)"), "asks"),
        (sh("echo `false`"), "asks"),
        (sh("cat <(false)"), "asks"),
        (sh("echo $(rm x)"), "denied"),
        (sh("echo \"`rm x`\""), "denied"),
        (sh("echo${IFS}x"), "asks"),
        (sh("echo ${x@P}"), "asks"),
        (sh("echo ${x:=y}"), "asks"),
        (sh("echo ${!x}"), "asks"),
        (sh("echo {a,b}"), "asks"),
        (sh("echo *"), "asks"),
        (sh("cat <<E\nx\nE"), "asks"),
        (sh("echo x > y"), "asks"),
        (sh("echo x 2>/dev/null"), "runs"),
        (sh("GIT_SSH_COMMAND=x true"), "asks"),
        (sh("export PATH=x; true"), "asks"),
        (sh("typeset x=y; true"), "asks"),
        (sh("eval true"), "asks"),
        (sh("eval 'rm x'"), "denied"),
        (sh("source x"), "asks"),
        (sh("alias true=false; true"), "asks"),
        (vec!["env", "true"], "runs"),
        (vec!["env", "A=b", "true"], "asks"),
        (vec!["env", "-i", "rm", "x"], "denied"),
        (vec!["nice", "rm", "x"], "denied"),
        (vec!["timeout", "5", "true"], "runs"),
        (vec!["timeout", "-k", "1", "5", "rm", "x"], "denied"),
        (vec!["sudo", "true"], "runs"),
        (vec!["sudo", "echo"], "asks"),
        (vec!["sudo", "-u", "x", "rm", "y"], "denied"),
        (vec!["xargs", "rm"], "denied"),
        (vec!["find", ".", "-exec", "rm", "{}", "+"], "denied"),
        (vec!["watch", "rm x"], "denied"),
        (vec!["git", "-c", "core.pager=x", "log"], "asks"),
        (vec!["git", "push", "-f"], "denied"),
        (vec!["git", "-C", ".", "push"], "denied"),
        (vec!["git", "--no-pager", "push"], "denied"),
        (vec!["git", "--git-dir=x", "push"], "denied"),
        (vec!["bash", "-c", "sh -c 'rm x'"], "denied"),
        (sh(&many), "asks"),
        (sh(&hidden), "denied"),
        (sh(&endless), "denied"),
        (vec!["cat", ".env"], "asks"),
        (vec!["cat", "sub/../.ENV"], "asks"),
        (vec!["echo", ".git/hooks/pre-commit"], "asks"),
        (vec!["echo", "--file=.vscode/tasks.json"], "asks"),
        (vec!["cat", ".claude"], "asks"),
        (vec!["cat", "a.txt"], "runs"),
    ] {
        let shown: String = argv.join(" ").chars().take(60).collect();
        assert_eq!(fate(&bench, &argv).await, expected, "{shown}");
    }
}

/// Four files with plain names, and a rule that somebody kept for the most harmless of commands.
#[cfg(unix)]
#[tokio::test]
async fn a_repository_that_the_agent_makes_of_plain_files_runs_nothing() {
    let bench = Bench::new(&[]).with_rules(&[], &[], &["Bash(git status:*)"]);
    let config = "[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\tfsmonitor = \"touch ran; false\"\n";
    for (path, content) in [
        ("lib/HEAD", "ref: refs/heads/main\n"),
        ("lib/config", config),
        ("lib/objects/k", ""),
        ("lib/refs/k", ""),
    ] {
        bench
            .text("create_file", json!({"path": path, "content": content}))
            .await;
    }
    for input in [
        json!({"argv": ["git", "status"], "cwd": "lib"}),
        json!({"argv": ["git", "status"], "cwd": "lib/refs"}),
    ] {
        let refusal = bench.refusal("run_shell", input).await;
        assert!(refusal.contains("was not allowed"), "{refusal}");
    }
    assert!(bench.disk("ran").is_none() && bench.disk("lib/ran").is_none());
    let question = bench.host.asked.lock().unwrap()[0].clone();
    assert!(question.detail.contains("bare repository"), "{}", question.detail);
    assert_eq!(question.rules, "", "nothing can be kept");
}

/// A rule that forbids something and can't be understood forbids more, not less; paths count for commands too.
#[tokio::test]
async fn what_denies_fails_closed() {
    let files = &[("s/t.txt", "a\n"), ("a.txt", "a\n")];
    for (rule, tool, input) in [
        ("bash(touch:*)", "run_shell", json!({"argv": ["touch", "x"]})),
        ("Bsh(touch:*)", "run_shell", json!({"argv": ["touch", "x"]})),
        (
            "WebFetch(domain:*.x.invalid)",
            "read_url",
            json!({"url": "https://a.x.invalid/"}),
        ),
        (
            "WebFetch(https://x.invalid)",
            "read_url",
            json!({"url": "https://x.invalid/"}),
        ),
        ("Read(s/**)", "run_shell", json!({"argv": ["cat", "s/t.txt"]})),
        ("Edit(s/**)", "run_shell", json!({"argv": ["cp", "a.txt", "s/y"]})),
        ("MultiEdit(s/**)", "create_file", json!({"path": "s/y", "content": "x"})),
        ("Edit(S/)", "create_file", json!({"path": "s/y", "content": "x"})),
        ("Edit([)", "create_file", json!({"path": "s/y", "content": "x"})),
        (
            "Read(s)",
            "read_file_range",
            json!({"path": "s/t.txt", "start_line": 1}),
        ),
    ] {
        let bench = Bench::new(files).with_rules(&[rule], &[], &["Bash", "WebFetch"]);
        let refusal = bench.refusal(tool, input).await;
        assert!(refusal.contains("permissions.deny"), "{rule}: {refusal}");
        assert!(bench.asked().is_empty(), "{rule}");
    }
}

#[tokio::test]
async fn the_rule_that_is_shown_is_the_rule_that_is_kept() {
    for (argv, rule) in [
        (vec!["cargo", "test", "-p", "x"], "run_shell(cargo test -p x)"),
        (vec!["git", "status", "-s"], "run_shell(git status -s)"),
        (vec!["npm", "run", "build"], "run_shell(npm run build)"),
        (vec!["rm", "-r", "x"], "run_shell(rm -r x)"),
        (
            vec!["sh", "-c", "cargo test && rm x"],
            "run_shell(sh -c 'cargo test && rm x')",
        ),
        (vec!["timeout", "5", "make"], "run_shell(timeout 5 make)"),
        (vec!["echo", "a, b"], "run_shell(echo 'a, b')"),
        (vec!["echo", "x)", "Bash(rm"], ""),
        (vec!["echo", "a\nb"], ""),
        (vec!["rm", "*"], ""),
        (vec!["sh", "-c", "rm *"], ""),
        (vec!["sh", "-c", "true > x"], ""),
        (vec!["cat", ".git/config"], ""),
    ] {
        let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
        bench.call("run_shell", json!({"argv": argv})).await.unwrap_err();
        let question = bench.host.asked.lock().unwrap()[0].clone();
        assert_eq!(question.rules, rule, "{argv:?}");
        let keeps = question
            .choices
            .iter()
            .filter(|choice| choice.id.starts_with("allow") && choice.id != "allow");
        assert!(keeps.clone().all(|choice| choice.label.contains(rule)), "{argv:?}");
        assert_eq!(keeps.count() > 0, !rule.is_empty(), "{argv:?}");
    }
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    bench.answer(&["allowWorkspace"]);
    for _ in 0..2 {
        bench.text("run_shell", json!({"argv": ["true", "x"]})).await;
    }
    assert_eq!(bench.asked().len(), 1);
    let record = std::fs::read_to_string(bench.outside("state/permissions.json")).unwrap();
    assert!(record.contains("\"run_shell(true x)\""), "{record}");
    let state = bench.outside("state");
    let again = Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&state))
        .with_rules(Default::default(), Arc::new(Grants::new(&state)));
    let mut bench = bench;
    bench.context.permissions = Arc::new(again);
    bench.text("run_shell", json!({"argv": ["true", "x"]})).await;
    assert_eq!(bench.asked().len(), 1, "kept for other sessions");
    assert_eq!(fate(&bench, &["true", "y"]).await, "asks");
}

#[tokio::test]
async fn a_session_keeps_its_rules_to_itself() {
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    bench.answer(&["allowSession"]);
    bench.text("run_shell", json!({"argv": ["true", "x"]})).await;
    assert_eq!(fate(&bench, &["true", "x"]).await, "runs");
    assert!(!bench.outside("state/permissions.json").exists());
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    assert_eq!(fate(&bench, &["true", "x"]).await, "asks");
}

#[tokio::test]
async fn nothing_but_an_offered_answer_approves() {
    for answer in ["yes", "", "ALLOW", "trust", "text"] {
        let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
        bench.answer(&[answer]);
        assert!(
            bench
                .refusal("run_shell", json!({"argv": ["true"]}))
                .await
                .contains("not allowed")
        );
    }
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    bench.answer(&["allowUser"]);
    bench.refusal("run_shell", json!({"argv": ["rm", "*"]})).await;
    assert!(!bench.outside("state/permissions.json").exists(), "it was not offered");
}

#[tokio::test]
async fn patterns_of_skills_stand_above_what_is_allowed() {
    let mut bench = Bench::new(&[("f.txt", "a\n")]);
    let mut patterns = Patterns::default();
    patterns.add("early", Severity::Confirm, "rm", None);
    patterns.add("late", Severity::Block, "rm -rf", None);
    let state = bench.outside("state");
    let rules = skills_agent::permission::Rules {
        allow: vec![Rule::parse("Bash").unwrap()],
        ..Default::default()
    };
    let permissions =
        Permissions::new(Mode::AcceptEdits, Some(true), TrustStore::new(&state)).with_rules(rules, Arc::default());
    bench.context.permissions = Arc::new(permissions);
    let asking = Asking {
        host: &*bench.context.host,
        turn: &bench.context.turn,
        cancel: &bench.context.cancel,
    };
    let judge = async |argv: &[&str]| {
        let input = json!({"argv": argv});
        bench
            .context
            .permissions
            .before_call(asking, &patterns, "run_shell", &input)
            .await
    };
    let refusal = judge(&["rm", "-rf", "x"]).await.unwrap_err().to_string();
    assert!(
        refusal.starts_with("Blocked by safety policy") && refusal.contains("skill late"),
        "{refusal}"
    );
    assert!(bench.asked().is_empty(), "nobody is asked");
    assert!(
        judge(&["rm", "x"])
            .await
            .unwrap_err()
            .to_string()
            .starts_with("Denied by user")
    );
    bench.answer(&["allow"]);
    assert_eq!(judge(&["rm", "x"]).await, Ok(true));
    assert_eq!(judge(&["ls"]).await, Ok(false));
}

#[tokio::test]
async fn a_skill_that_asks_for_nothing_runs_silently() {
    let bench = Bench::new(&[]).with_rules(&["Skill(evil)"], &[], &["Skill(good:*)"]);
    let wants = ["allowed-tools: Bash".to_owned()];
    for (name, arguments, wants, expected) in [
        ("plain", "", &[][..], Ok(false)),
        ("good", "now", &wants[..], Ok(false)),
        ("goodness", "", &wants[..], Err(())),
        ("evil", "", &[][..], Err(())),
        ("evil", "with arguments", &[][..], Err(())),
    ] {
        let asking = Asking {
            host: &*bench.context.host,
            turn: &bench.context.turn,
            cancel: &bench.context.cancel,
        };
        let folder = &bench.context.workspace.folders()[0];
        let request = SkillRequest {
            name,
            arguments,
            wants,
            folder,
        };
        let found = bench.context.permissions.before_skill(asking, request).await;
        assert_eq!(found.map_err(drop), expected, "{name}");
    }
    assert_eq!(bench.asked(), ["Let the model run the skill goodness?"]);
    assert_eq!(bench.host.asked.lock().unwrap()[0].rules, "Skill(goodness:*)");
}

#[tokio::test]
async fn a_skill_is_allowed_for_good_as_it_was_called_or_with_whatever_arguments() {
    let wants = ["allowed-tools: Bash".to_owned()];
    for (arguments, answer, kept, covered) in [
        ("", "allowExactSession", "Skill(deploy)", [true, false, false]),
        ("now", "allowExactSession", "Skill(deploy now)", [false, true, false]),
        ("now", "allowSession", "Skill(deploy:*)", [true, true, true]),
        ("x), Bash(rm", "allowExactSession", "", [false, false, false]),
        ("*", "allowExactSession", "", [false, false, false]),
    ] {
        let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
        let call = async |arguments| {
            let asking = Asking {
                host: &*bench.context.host,
                turn: &bench.context.turn,
                cancel: &bench.context.cancel,
            };
            let request = SkillRequest {
                name: "deploy",
                arguments,
                wants: &wants,
                folder: &bench.context.workspace.folders()[0],
            };
            bench.context.permissions.before_skill(asking, request).await.is_ok()
        };
        bench.answer(&[answer]);
        assert_eq!(call(arguments).await, !kept.is_empty(), "{arguments} {answer}");
        let offered = |id: &str| {
            let questions = bench.host.asked.lock().unwrap();
            let choice = questions[0].choices.iter().find(|choice| choice.id == id);
            choice.map(|choice| choice.label.clone()).unwrap_or_default()
        };
        assert!(offered(answer).contains(kept), "{}", offered(answer));
        assert!(offered("allowSession").contains("Skill(deploy:*)"));
        let mut found = [false; 3];
        for (found, arguments) in found.iter_mut().zip(["", "now", "later"]) {
            *found = call(arguments).await;
        }
        assert_eq!(found, covered, "{arguments} {answer}");
    }
}

#[tokio::test]
async fn allowed_tools_count_once_confirmed_for_that_text_and_turn() {
    let mut bench = Bench::new(&[]).with_rules(&["Bash(rm:*)"], &[], &[]);
    let tools = ["Bash".to_owned()];
    let confirm = async |bench: &Bench, hash: &str, tools: &[String]| {
        let asking = Asking {
            host: &*bench.context.host,
            turn: &bench.context.turn,
            cancel: &bench.context.cancel,
        };
        let folder = &bench.context.workspace.folders()[0];
        bench
            .context
            .permissions
            .confirm_tools(asking, folder, "s", hash, tools)
            .await
    };
    assert_eq!(confirm(&bench, "1", &tools).await, Ok(false));
    assert_eq!(fate(&bench, &["true"]).await, "asks");
    bench.answer(&["allow"]);
    assert_eq!(confirm(&bench, "1", &tools).await, Ok(true));
    assert_eq!(fate(&bench, &["true"]).await, "runs");
    assert_eq!(fate(&bench, &["rm", "x"]).await, "denied");
    assert_eq!(fate(&bench, &["cat", ".env"]).await, "asks");
    assert_eq!(confirm(&bench, "2", &tools).await, Ok(false), "another text asks again");
    bench.context.turn = skills_agent::event::TurnId("2".into());
    assert_eq!(fate(&bench, &["true"]).await, "asks");
    assert_eq!(
        confirm(&bench, "1", &tools).await,
        Ok(true),
        "the same list for the same text does not"
    );
    assert_eq!(fate(&bench, &["true"]).await, "runs");
}
