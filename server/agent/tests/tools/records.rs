//! Records of the state folder that several servers of a person write at once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use futures_util::future::join_all;
use skills_agent::activation::usage::UseCounts;
use skills_agent::permission::{Grants, Rule, Scope, TrustStore};

/// Names the state folder to a process that keeps something, and its number.
const STATE: &str = "SKILLS_TEST_STATE";
const NUMBER: &str = "SKILLS_TEST_NUMBER";
const PROCESSES: usize = 3;
/// Of each process.
const ANSWERS: usize = 10;

fn rule(process: usize, answer: usize) -> String {
    format!("Bash(make p{process}a{answer})")
}

fn folder(process: usize, answer: usize) -> PathBuf {
    format!("/w/p{process}a{answer}").into()
}

/// What each process of the test below does; by itself it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_process_keeps_many_answers_at_once() {
    let (Ok(state), Ok(number)) = (std::env::var(STATE), std::env::var(NUMBER)) else {
        return;
    };
    let (state, process) = (PathBuf::from(state), number.parse().unwrap());
    let keep = |answer: usize| {
        let state = state.clone();
        tokio::spawn(async move {
            // As a server of its own.
            let rules = Rule::parse_all(&rule(process, answer)).unwrap();
            let grants = Grants::new(&state);
            let scope = if answer.is_multiple_of(2) {
                Scope::User
            } else {
                Scope::Workspace
            };
            grants.keep(scope, Path::new("/w"), &rules).await.unwrap();
            let done = tokio::task::spawn_blocking(move || {
                TrustStore::new(&state).set(&folder(process, answer), true).unwrap();
                UseCounts::new(&state).count("deploy", SystemTime::now()).unwrap();
            });
            done.await.unwrap();
        })
    };
    for kept in join_all((0..ANSWERS).map(keep)).await {
        kept.unwrap();
    }
}

#[test]
fn answers_that_are_kept_at_once_all_stay() {
    let state = tempfile::tempdir().unwrap();
    let processes = (0..PROCESSES).map(|number| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "records::one_process_keeps_many_answers_at_once"])
            .env(STATE, state.path())
            .env(NUMBER, number.to_string())
            .spawn()
            .unwrap()
    });
    for mut process in processes.collect::<Vec<_>>() {
        assert!(process.wait().unwrap().success());
    }
    let grants = Grants::new(state.path()).of(Path::new("/w"));
    let trust = TrustStore::new(state.path());
    for process in 0..PROCESSES {
        for answer in 0..ANSWERS {
            let rule = rule(process, answer);
            assert!(grants.iter().any(|kept| kept.text() == rule), "{rule} is lost");
            let folder = folder(process, answer);
            assert_eq!(trust.get(&folder), Some(true), "{} is lost", folder.display());
        }
    }
    assert_eq!(grants.len(), PROCESSES * ANSWERS);
    let used = UseCounts::new(state.path()).read()["deploy"];
    assert_eq!(used.count as usize, PROCESSES * ANSWERS);
}

#[tokio::test]
async fn a_record_that_is_not_understood_keeps_what_it_holds() {
    for text in ["{\"version\": 1, \"user\": [\"Bash(ls)\"", "{\"user\": 1}", ""] {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("permissions.json");
        std::fs::write(&file, text).unwrap();
        let rules = Rule::parse_all("Bash(make)").unwrap();
        let kept = Grants::new(state.path())
            .keep(Scope::User, Path::new("/w"), &rules)
            .await;
        let error = kept.unwrap_err().to_string();
        assert!(
            error.contains("permissions.json") && error.contains("mend it or remove it"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
