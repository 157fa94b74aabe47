//! What a skill says, with real commands and real files.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![allow(clippy::disallowed_methods, reason = "tests make the files that are read")]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::BoxFuture;
use skills_agent::process::commands::Confined;
use skills_agent::process::launcher::Launcher;
use skills_agent::render::{self, Decision, Gate, Invocation, Origin, RenderError, Rendered};
use skills_schema::dialect::View;
use skills_schema::dialect::runtime::Runtime;
use skills_schema::syntax::SkillFile;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Gives one answer to every question and remembers what it was asked.
struct Answers(Decision, Mutex<Vec<String>>);

impl Answers {
    fn new(decision: Decision) -> Self {
        Self(decision, Mutex::default())
    }
}

impl Gate for Answers {
    fn decide<'a>(&'a self, command: &'a str) -> BoxFuture<'a, Decision> {
        self.1.lock().unwrap().push(command.to_owned());
        Box::pin(async { self.0.clone() })
    }
}

/// It runs, with nothing but its lifetime held.
fn run_it() -> Decision {
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_skills-command").into());
    Decision::Run(Box::new(Confined::free(launcher)))
}

fn reader(name: &str) -> &'static Runtime {
    name.parse::<View>().unwrap().runtime()
}

fn invocation<'a>(file: &'a SkillFile, reader: &str, arguments: &'a str, folder: &'a Path) -> Invocation<'a> {
    Invocation {
        name: "test",
        file,
        runtime: self::reader(reader),
        arguments,
        folder: Some(folder),
        project: folder,
        session: Some("session"),
        effort: None,
        origin: Origin::Trusted,
    }
}

async fn run(reader: &str, text: &str, arguments: &str) -> Result<Rendered, RenderError> {
    let folder = TempDir::new().unwrap();
    let file = SkillFile::parse(text.into());
    let invocation = invocation(&file, reader, arguments, folder.path());
    render::render(&invocation, &Answers::new(run_it()), &CancellationToken::new()).await
}

async fn text(reader: &str, body: &str) -> String {
    run(reader, body, "").await.unwrap().text
}

// Recorded from openhands-sdk 1.58.0.
#[tokio::test]
async fn openhands_replaces_commands_as_recorded() {
    let cases = [
        ("Branch: !`echo main`", "Branch: main"),
        ("!`echo a` and !`echo b`", "a and b"),
        ("!``", "!``"),
        ("`!`echo no``", "`!`echo no``"),
        ("```\n!`echo in`\n```\n!`echo out`", "```\n!`echo in`\n```\nout"),
        (
            "```\nblock1\n```\n!`echo mid`\n```\n!`echo sneaky`",
            "```\nblock1\n```\nmid\n```\n!`echo sneaky`",
        ),
        (r"\!`echo no`", "!`echo no`"),
        (r"\\!`echo no`", r"\!`echo no`"),
        ("```\n\\!`x`\n```", "```\n\\!`x`\n```"),
        ("~~~\n!`echo tilde`\n~~~", "~~~\ntilde\n~~~"),
        ("````\n```\n!`echo four`\n```\n````", "````\n```\nfour\n```\n````"),
        ("````!`echo i`````", "````!`echo i`````"),
        ("``!`echo dbl`` ``", "``!`echo dbl`` ``"),
        ("!`echo a\necho b`", "a\nb"),
        ("x!`echo y`z", "xyz"),
        ("KEY=!`echo k`", "KEY=k"),
        ("!`printf 'a\\n\\n'`|", "a|"),
        ("!`exit 3`", "[Error: Command `exit 3` exited with code 3: ]"),
        (
            "!`echo err 1>&2; exit 1`",
            "[Error: Command `echo err 1>&2; exit 1` exited with code 1: err\n]",
        ),
        ("!`echo ok; echo warn 1>&2`", "ok"),
        ("!`echo a >&2`|", "|"),
        ("text ``` !`echo in` ``` !`echo after`", "text ``` !`echo in` ``` after"),
        ("```! \necho block\n```", "```! \necho block\n```"),
        ("a `unclosed !`echo q` b", "a `unclosed !`echo q` b"),
        ("!`echo a`!`echo b`", "ab"),
        ("`!`echo c`", "`!`echo c`"),
        ("a`b`!`echo d`", "a`b`d"),
        ("\\`!`echo e`", "\\`!`echo e`"),
        ("```\n```\n!`echo f`", "```\n```\nf"),
        ("``` !`echo g`", "``` !`echo g`"),
        ("|!`  `", "|"),
        ("|!`\n`", "|"),
        ("\t!`echo h`", "\th"),
        ("! `echo sp`", "! `echo sp`"),
        ("!\u{a0}`echo`", "!\u{a0}`echo`"),
        ("<!-- !`echo html` -->", "<!-- html -->"),
        ("    !`echo indented`", "    indented"),
    ];
    for (body, expected) in cases {
        assert_eq!(text("openhands", body).await, expected, "{body}");
    }
    let long = text("openhands", "!`printf '%060000d' 0`").await;
    assert_eq!(long.len(), 51_223);
    assert!(long.ends_with("0\n... [output truncated]"));
    let wide = text("openhands", "!`yes é | head -40000 | tr -d '\\n'`").await;
    assert_eq!(wide.chars().filter(|c| *c == 'é').count(), 25_600);
    assert!(wide.ends_with("é\n... [output truncated]"));
}

#[tokio::test]
async fn claude_code_runs_blocks_and_gives_up_at_a_failure() {
    let cases = [
        ("- PR: !`echo 1`", "- PR: 1"),
        ("KEY=!`echo k`", "KEY=!`echo k`"),
        ("```!\necho a\necho b >&2\necho c\n```", "a\nb\nc"),
        ("!`echo '!'; printf '\\140x\\140'`", "!\n`x`"),
        ("a !`grep x /dev/null` b", "a  b"),
        ("!`true && diff /dev/null /etc/passwd | grep nothing-like-this`", ""),
    ];
    for (body, expected) in cases {
        assert_eq!(text("claude", body).await, expected, "{body}");
    }
    let error = run("claude", "before !`echo why >&2; exit 2`", "")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Shell command failed for pattern \"!`echo why >&2; exit 2`\""),
        "{error}"
    );
    assert!(error.contains("[stderr]\nwhy"), "{error}");
    let long = text("claude", "!`printf '%040000d' 0`").await;
    assert_eq!(long.chars().count(), 30_000 + "\n... [output truncated]".len());
}

#[tokio::test]
async fn an_argument_is_only_ever_text() {
    let folder = TempDir::new().unwrap();
    let witness = folder.path().join("witness");
    let values = [
        "; touch witness",
        "$(touch witness)",
        "`touch witness`",
        "\" ; touch witness ; \"",
        "' ; touch witness ; '",
        "a\ntouch witness",
        "${x:=y} ${x@P}",
        "| touch witness &",
    ];
    let bodies = [
        "!`printf %s $0`",
        "!`printf %s \"$0\"`",
        "!`printf %s '$0'`",
        "```!\nprintf %s $0\n```",
    ];
    for value in values {
        for body in bodies {
            let file = SkillFile::parse(body.into());
            let raw = skills_schema::arguments::join([value]);
            let invocation = invocation(&file, "claude", &raw, folder.path());
            let rendered = render::render(&invocation, &Answers::new(run_it()), &CancellationToken::new()).await;
            assert_eq!(rendered.unwrap().text, value.trim(), "{body}");
            assert!(!witness.exists(), "{value} ran in {body}");
        }
    }
}

#[tokio::test]
async fn nothing_runs_unless_it_is_trusted_and_allowed() {
    let folder = TempDir::new().unwrap();
    let file = SkillFile::parse("Now: !`touch ran $0`".into());
    let cancel = CancellationToken::new();
    let trusted = invocation(&file, "unified", "x", folder.path());

    let preview = render::preview(&trusted);
    assert_eq!(preview.text, "Now: [would run: touch ran x]");
    assert!(!preview.commands[0].ran && preview.commands[0].output.is_none());

    let no = Answers::new(Decision::Refuse("the person said no".into()));
    let error = render::render(&trusted, &no, &cancel).await.unwrap_err().to_string();
    assert!(
        error.starts_with("Shell command permission check failed for pattern \"!`touch ran $0`\": the person said no"),
        "{error}"
    );
    assert_eq!(*no.1.lock().unwrap(), ["touch ran x"]);

    let disabled = Answers::new(Decision::Disabled);
    let rendered = render::render(&trusted, &disabled, &cancel).await.unwrap();
    assert_eq!(rendered.text, "Now: [shell command execution disabled by policy]");

    let yes = Answers::new(run_it());
    let origin = |origin| Invocation { origin, ..trusted };
    let error = render::render(&origin(Origin::Untrusted), &yes, &cancel)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("trust it first"), "{error}");
    let remote = render::render(&origin(Origin::Remote), &yes, &cancel).await.unwrap();
    assert!(remote.text.starts_with("Now: !`touch ran $0`") && remote.commands.is_empty());
    assert!(yes.1.lock().unwrap().is_empty(), "nobody is asked");

    let refused = SkillFile::parse("!`bash -c \"echo $0\"`".into());
    let refused = invocation(&refused, "unified", "x", folder.path());
    let error = render::render(&refused, &yes, &cancel).await.unwrap_err().to_string();
    assert!(error.contains("put the command into a script"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_command_knows_its_place_and_no_keys() {
    let folder = TempDir::new().unwrap();
    let file =
        SkillFile::parse("!`echo ${CLAUDE_SKILL_DIR} \"$(pwd)\" [$CARGO_MANIFEST_DIR] ${CLAUDE_SESSION_ID}`".into());
    let invocation = invocation(&file, "claude", "", folder.path());
    let rendered = render::render(&invocation, &Answers::new(run_it()), &CancellationToken::new())
        .await
        .unwrap();
    let path = folder.path().display();
    let real = folder.path().canonicalize().unwrap();
    assert_eq!(rendered.text, format!("{path} {} [] session", real.display()));
}

#[tokio::test]
async fn the_skill_names_its_interpreter() {
    let of = async |shell: &str| {
        run(
            "claude",
            &format!("---\nshell: {shell}\n---\n!`echo $BASH_VERSION`"),
            "",
        )
        .await
    };
    assert_ne!(of("bash").await.unwrap().text, "");
    let error = of("/tmp/evil").await.unwrap_err().to_string();
    assert!(error.contains("use one of bash, sh"), "{error}");
    let error = of("{interpreter: sh, timeout: 1}").await;
    assert!(error.is_ok(), "{error:?}");
    let slow = run("claude", "---\nshell: {timeout: 1}\n---\n!`sleep 60`", "")
        .await
        .unwrap_err();
    assert!(slow.to_string().contains("longer than 1 seconds"), "{slow}");
}

#[tokio::test]
async fn whatever_a_command_starts_ends_with_it() {
    let folder = TempDir::new().unwrap();
    let body = "!`sleep 300 & echo $! > background; sleep 300`";
    let file = SkillFile::parse(body.into());
    let invocation = invocation(&file, "claude", "", folder.path());
    let cancel = CancellationToken::new();
    let gate = Answers::new(run_it());
    let pid = folder.path().join("background");
    let started = async {
        let written = until("the command never began", || {
            fs::read_to_string(&pid).ok().filter(|text| text.ends_with('\n'))
        });
        let pid = written.await;
        cancel.cancel();
        pid.trim().to_owned()
    };
    let (rendered, pid) = tokio::join!(render::render(&invocation, &gate, &cancel), started);
    assert_eq!(rendered, Err(RenderError::Cancelled));
    // A killed process may wait for init to notice.
    let state = || fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let is_gone = || state().is_none_or(|stat| stat.contains(") Z ")).then_some(());
    until("the process outlived the turn", is_gone).await;
}

/// Waits for what another process does; in vain, the test fails.
async fn until<T>(otherwise: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            match look() {
                Some(found) => return found,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let found = tokio::time::timeout(Duration::from_secs(60), found).await;
    found.unwrap_or_else(|_| panic!("{otherwise}"))
}

#[tokio::test]
async fn a_command_that_leaves_a_process_behind_does_not_wait_for_it() {
    assert_eq!(text("claude", "!`sleep 300 & echo done`").await, "done");
    let flood = run("claude", "---\nshell: {timeout: 1}\n---\n!`yes`", "")
        .await
        .unwrap_err();
    assert!(flood.to_string().contains("longer than 1 seconds"), "{flood}");
}

#[test]
fn references_are_loaded_within_their_bounds() {
    let folder = TempDir::new().unwrap();
    let outside = TempDir::new().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("workers", b"Workers.\n");
    write("pages", b"```\nout\n````");
    write("d/1/2/deep", b"deep");
    write("d/1/2/3/deeper", b"deeper");
    write("long", "é".repeat(10_000).as_bytes());
    fs::write(outside.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("d"), folder.path().join("d/1/circle")).unwrap();

    let preview = |reader: &str, references: &str| {
        let file = SkillFile::parse(format!("---\nreferences: {references}\n---\nBody.").into());
        render::preview(&invocation(&file, reader, "", folder.path()))
    };
    let stopped = |rendered: &Rendered| {
        let of = rendered.references.iter().filter_map(|it| it.stopped.clone());
        of.collect::<Vec<_>>().join("|")
    };

    let rendered = preview("unified", "[workers, ./pages, workers]");
    let root = folder.path().canonicalize().unwrap();
    let root = root.display();
    assert_eq!(
        rendered.text,
        format!(
            "Body.\n\n## Loaded References\n\n### {root}/workers\n\n```text\nWorkers.\n```\n\n### {root}/pages\n\n\
             `````text\n```\nout\n````\n`````"
        )
    );
    assert_eq!(stopped(&rendered), "");
    assert!(
        preview("thndrs", "[workers]")
            .text
            .starts_with("---\nreferences: [workers]\n---\nBody.")
    );
    assert_eq!(preview("claude", "[workers]").text, "Body.");

    let rendered = preview("unified", "[long]");
    assert_eq!(
        (rendered.references[0].bytes, stopped(&rendered).as_str()),
        (16_384, "cut at 16 KiB")
    );
    assert!(rendered.text.contains("/long (truncated)\n"));

    // A skill may lie beside a person's keys, at the top of a repository say.
    write("e/.env", b"KEY=hunter2");
    std::os::unix::fs::symlink(folder.path().join("e/.env"), folder.path().join("notes.md")).unwrap();
    let rendered = preview("unified", "[e, e/.env, notes.md]");
    assert_eq!(stopped(&rendered), ["it looks like keys or passwords"; 3].join("|"));
    assert_eq!(rendered.text, "Body.");

    let rendered = preview("unified", "[d]");
    assert_eq!(rendered.references.len(), 2);
    assert_eq!(stopped(&rendered), "maximum reference depth reached");

    let rendered = preview("unified", "[/etc/passwd, ../x, '', link, nothing]");
    assert_eq!(
        stopped(&rendered),
        "path must be relative|path must not contain parent traversal|path must not be empty|\
         reference path must stay inside skill root|reference path does not exist"
    );
    assert_eq!(rendered.text, "Body.");

    for number in 0..30 {
        write(&format!("many/{number:02}"), b"x");
    }
    let rendered = preview("unified", "[many]");
    assert_eq!(rendered.references.iter().filter(|it| it.bytes == 1).count(), 24);
    assert!(stopped(&rendered).starts_with("reference traversal budget reached|"));
    for number in 0..6 {
        write(&format!("big/{number}"), "x".repeat(15_000).as_bytes());
    }
    let rendered = preview("unified", "[big]");
    assert_eq!(rendered.references.iter().map(|it| it.bytes).sum::<usize>(), 65_536);
    assert_eq!(stopped(&rendered), "cut at 64 KiB|reference traversal budget reached");
}
