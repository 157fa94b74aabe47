use std::path::PathBuf;

use proptest::prelude::*;
use skills_agent::workspace::{MAX_FILE_BYTES, Workspace};

use crate::host::{Bench, write};

#[test]
fn paths_that_lead_inside() {
    let bench = Bench::new(&[("src/a b.rs", "x"), ("é.md", "x")]);
    let root = bench.root();
    let uri = |rest: &str| format!("file://{}/{rest}", root.display());
    for (text, relative, exists) in [
        ("src/a b.rs".to_owned(), "src/a b.rs", true),
        ("./src/./a b.rs".into(), "src/a b.rs", true),
        ("src/../src/a b.rs".into(), "src/a b.rs", true),
        ("new/deep/file.rs".into(), "new/deep/file.rs", false),
        (root.join("src/a b.rs").display().to_string(), "src/a b.rs", true),
        (uri("src/a%20b.rs"), "src/a b.rs", true),
        (uri("%C3%A9.md"), "é.md", true),
        ("%2e%2e%2fx".into(), "%2e%2e%2fx", false),
        ("a:b".into(), "a:b", false),
    ] {
        let target = bench
            .context
            .workspace
            .resolve(&text)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((target.relative.as_str(), target.exists), (relative, exists), "{text}");
        assert_eq!(target.path, root.join(relative), "{text}");
    }
}

#[test]
fn paths_that_lead_out_are_refused() {
    let bench = Bench::new(&[("a.txt", "x"), ("dir/b.txt", "x")]);
    let root = bench.root();
    write(&bench.outside("w-evil/x"), "x");
    let uri = |rest: &str| format!("file://{}/{rest}", root.display());
    for (text, expected) in [
        ("../x".to_owned(), "path escapes workspace root: ../x"),
        ("a/../../x".into(), "path escapes workspace root: a/../../x"),
        ("/etc/passwd".into(), "path escapes workspace root: /etc/passwd"),
        (
            bench.outside("w-evil/x").display().to_string(),
            "path escapes workspace root",
        ),
        (format!("{}/../w-evil/x", root.display()), "path escapes workspace root"),
        (uri("%2e%2e/x"), "path escapes workspace root"),
        (uri("..%2Fx"), "path escapes workspace root"),
        ("file:///etc/passwd".into(), "path escapes workspace root"),
        ("file://host/share/x".into(), "path escapes workspace root"),
        (uri("%zz"), "invalid path"),
        (uri("%+1"), "invalid path"),
        (uri("%4"), "invalid path"),
        (uri("a%00"), "invalid path"),
        ("http://example.com/x".into(), "invalid path"),
        ("untitled:Untitled-1".into(), "invalid path"),
        ("vscode-remote://host/x".into(), "invalid path"),
        ("a\0b".into(), "invalid path"),
        (String::new(), "path is empty"),
        ("  ".into(), "path is empty"),
        (".".into(), "not a file"),
        ("dir".into(), "not a file: dir is a folder"),
        ("a.txt/b".into(), "a part of a.txt/b is a file"),
    ] {
        let error = bench.context.workspace.resolve(&text).expect_err(&text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

/// A command puts a link in the place of a folder between the check of a path and its use.
#[cfg(unix)]
#[test]
fn what_was_judged_is_what_is_read() {
    let bench = Bench::new(&[("d/config", "plain"), (".kube/config", "hunter2")]);
    let target = bench.context.workspace.resolve("d/config").unwrap();
    assert!(target.secret.is_none());
    std::fs::rename(bench.root().join("d"), bench.root().join("e")).unwrap();
    std::os::unix::fs::symlink(".kube", bench.root().join("d")).unwrap();
    let read = bench.context.workspace.read(&target);
    assert!(read.is_err(), "{read:?}");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_other_traps() {
    use std::os::unix::fs::symlink;
    let bench = Bench::new(&[("a.txt", "inside"), ("dir/b.txt", "x"), (".git/config", "x")]);
    let root = bench.root();
    write(&bench.outside("secret/s.txt"), "outside");
    for (link, to) in [
        ("out.txt", bench.outside("secret/s.txt")),
        ("out", bench.outside("secret")),
        ("dangling", bench.outside("nothing")),
        ("dangling-inside", PathBuf::from("nothing")),
        ("loop", PathBuf::from("loop")),
        ("in.txt", PathBuf::from("a.txt")),
        ("in-absolute.txt", root.join("a.txt")),
        ("in", PathBuf::from("dir")),
        ("harmless", PathBuf::from(".git")),
        ("relative-out", PathBuf::from("../secret/s.txt")),
        ("proc", PathBuf::from("/proc/self/environ")),
    ] {
        symlink(to, root.join(link)).unwrap();
    }
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    std::fs::hard_link(bench.outside("secret/s.txt"), root.join("hard.txt")).unwrap();

    let resolve = |text: &str| bench.context.workspace.resolve(text);
    for text in [
        "out.txt",
        "out/s.txt",
        "out/new.txt",
        "dangling",
        "dangling-inside",
        "dangling/x",
        "loop",
        "loop/x",
        "relative-out",
        "proc",
    ] {
        let error = resolve(text).expect_err(text).to_string();
        assert!(
            error.starts_with("path escapes workspace root through symlink"),
            "{text}: {error}"
        );
    }
    for text in ["pipe", "socket"] {
        let error = resolve(text).expect_err(text).to_string();
        assert!(error.contains("a pipe, socket or device"), "{text}: {error}");
    }
    for (text, relative) in [
        ("in.txt", "a.txt"),
        ("in-absolute.txt", "a.txt"),
        ("in/b.txt", "dir/b.txt"),
        ("in/new", "dir/new"),
    ] {
        assert_eq!(
            resolve(text).unwrap().relative,
            relative,
            "one file is one path, whatever its spelling"
        );
    }
    assert!(
        resolve("harmless/config").unwrap().protection.is_some(),
        "by its real name"
    );
    let hard = resolve("hard.txt").unwrap();
    assert!(hard.hard_links && bench.context.workspace.read(&hard).is_ok());
}

#[cfg(unix)]
#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    let bench = Bench::new(&[("dir/a.txt", "inside")]);
    write(&bench.outside("secret/a.txt"), "outside");
    let target = bench.context.workspace.resolve("dir/a.txt").unwrap();
    std::fs::rename(bench.root().join("dir"), bench.outside("moved")).unwrap();
    std::os::unix::fs::symlink(bench.outside("secret"), bench.root().join("dir")).unwrap();
    assert!(bench.context.workspace.read(&target).is_err());
    assert!(
        bench
            .context
            .workspace
            .write_atomically(&target, b"evil", Some("inside"))
            .is_err()
    );
    assert!(bench.context.workspace.remove(&target).is_err());
    assert_eq!(
        std::fs::read_to_string(bench.outside("secret/a.txt")).unwrap(),
        "outside"
    );
}

#[cfg(unix)]
#[test]
fn a_root_that_is_given_through_a_link_is_its_folder_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write(&root.join("proj/a.txt"), "inside");
    write(&root.join("proj-evil/a.txt"), "outside");
    let link = root.join("link");
    std::os::unix::fs::symlink("proj", &link).unwrap();
    let workspace = Workspace::open(std::slice::from_ref(&link)).unwrap();
    let spelled = |path: PathBuf| path.display().to_string();
    for text in [
        "a.txt".to_owned(),
        spelled(link.join("a.txt")),
        spelled(root.join("proj/a.txt")),
        format!("file://{}/a.txt", link.display()),
    ] {
        let target = workspace
            .resolve(&text)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            (target.path, target.relative),
            (root.join("proj/a.txt"), "a.txt".into())
        );
    }
    let outside = [
        spelled(root.join("proj-evil/a.txt")),
        spelled(root.join("link-evil/a.txt")),
        spelled(link.join("../proj-evil/a.txt")),
        spelled(root.clone()),
    ];
    for text in outside {
        let error = workspace.resolve(&text).expect_err(&text).to_string();
        assert!(error.starts_with("path escapes workspace root"), "{text}: {error}");
    }
    // Opened by its handle: a link that is turned round afterwards leads the tools nowhere else.
    let target = workspace.resolve("a.txt").unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("proj-evil", &link).unwrap();
    assert_eq!(workspace.read(&target).unwrap(), "inside");
    assert!(workspace.resolve(&spelled(link.join("../proj-evil/a.txt"))).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_files_without_a_length_end() {
    let devices = Workspace::open(&["/dev".into()]).unwrap();
    for device in ["zero", "null", "full"] {
        let error = devices.resolve(device).expect_err(device).to_string();
        assert!(error.contains("a pipe, socket or device"), "{error}");
    }
    // Its length is said to be none: the read itself is bounded.
    let processes = Workspace::open(&["/proc".into()]).unwrap();
    let environment = processes.resolve("self/environ").unwrap();
    let error = processes
        .read(&environment)
        .expect_err("variables end with a NUL")
        .to_string();
    assert!(error.contains("is binary"), "{error}");
}

#[test]
fn names_that_only_look_alike_are_other_files() {
    let bench = Bench::new(&[("caf\u{e9}.txt", "composed")]);
    let resolve = |text: &str| bench.context.workspace.resolve(text).unwrap();
    let (composed, decomposed) = (resolve("caf\u{e9}.txt"), resolve("cafe\u{301}.txt"));
    // Of one file there is one path, whatever the file system makes of its names.
    assert_eq!(decomposed.exists, decomposed.path == composed.path);
    assert_eq!(bench.context.workspace.read(&composed).unwrap(), "composed");
    for dots in ["\u{ff0e}\u{ff0e}/x", "\u{2025}/x", "..\u{200b}/x", "\u{2024}\u{2024}/x"] {
        assert!(
            resolve(dots).path.starts_with(bench.root()),
            "{dots:?} is a name, no way out"
        );
    }
}

#[test]
fn what_is_no_text_is_told() {
    let bench = Bench::new(&[("bin", "a\0b")]);
    std::fs::write(bench.root().join("latin"), b"caf\xe9").unwrap();
    let huge = std::fs::File::create(bench.root().join("huge")).unwrap();
    huge.set_len(MAX_FILE_BYTES + 1).unwrap();
    // Two gigabytes that take no room on the disk.
    let giant = std::fs::File::create(bench.root().join("giant")).unwrap();
    giant.set_len(2 << 30).unwrap();
    for (path, expected) in [
        ("bin", "not a text file: bin is binary"),
        ("latin", "not a text file: latin is not UTF-8"),
        ("huge", "file too large: huge has 16777217 bytes"),
        ("giant", "file too large: giant has 2147483648 bytes"),
        ("none", "file not found: none"),
    ] {
        let workspace = &bench.context.workspace;
        let error = workspace
            .read(&workspace.resolve(path).unwrap())
            .expect_err(path)
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_write_keeps_the_mode_and_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new(&[("run.sh", "old")]);
    let workspace = &bench.context.workspace;
    let path = bench.root().join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let target = workspace.resolve("run.sh").unwrap();
    workspace.write_atomically(&target, b"new", Some("old")).unwrap();
    assert_eq!(
        (
            bench.disk("run.sh").unwrap().as_str(),
            path.metadata().unwrap().permissions().mode() & 0o777
        ),
        ("new", 0o640)
    );

    let late = workspace.write_atomically(&target, b"newer", Some("old")).unwrap_err();
    assert!(late.to_string().contains("changed meanwhile"), "{late}");
    assert_eq!(bench.disk("run.sh").unwrap(), "new");

    let new = workspace.resolve("a/b/c.txt").unwrap();
    workspace.write_atomically(&new, b"1", None).unwrap();
    let again = workspace.write_atomically(&new, b"2", None).unwrap_err();
    assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(bench.disk("a/b/c.txt").unwrap(), "1");
    let names = |folder: &str| std::fs::read_dir(bench.root().join(folder)).unwrap().count();
    assert_eq!((names("."), names("a/b")), (2, 1));
    workspace.remove(&new).unwrap();
    assert_eq!(names("a/b"), 0);
}

#[test]
fn several_folders() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write(&root.join("one/x/app/a.txt"), "1");
    write(&root.join("two/app/a.txt"), "2");
    let workspace = Workspace::open(&[
        root.join("one"),
        root.join("two/app"),
        root.join("one/x"),
        root.join("one"),
    ])
    .unwrap();
    let names: Vec<_> = workspace.folders().iter().map(|folder| folder.name.as_str()).collect();
    assert_eq!(names, ["one", "app", "x"]);
    for (text, path) in [
        ("app/a.txt", root.join("two/app/a.txt")),
        ("one/x/app/a.txt", root.join("one/x/app/a.txt")),
        ("x/app/a.txt", root.join("one/x/app/a.txt")),
        ("other/new.txt", root.join("one/other/new.txt")),
    ] {
        let target = workspace.resolve(text).unwrap();
        assert_eq!(target.path, path, "{text}");
        assert_eq!(
            workspace.resolve(&target.relative).unwrap(),
            target,
            "what is shown can be given back"
        );
    }
    for text in ["app/../../x", "two/app/../../../x"] {
        assert!(workspace.resolve(text).is_err(), "{text}");
    }
    assert!(Workspace::open(&[]).is_err() && Workspace::open(&[PathBuf::from("/nowhere")]).is_err());
}

#[cfg(unix)]
#[test]
fn no_text_whatever_leads_out() {
    let bench = Bench::new(&[("a/b/f.txt", "x")]);
    write(&bench.outside("a/f.txt"), "x");
    std::os::unix::fs::symlink(bench.outside("a"), bench.root().join("out")).unwrap();
    std::os::unix::fs::symlink("../a/b", bench.root().join("a/in")).unwrap();
    let root = bench.root();
    let part = prop::sample::select(vec![
        "..", ".", "a", "b", "in", "out", "f.txt", "w", "new", "", "%2e%2e", "..%2f..", "file:", "file://", "\0", "~",
        "\\",
    ]);
    let texts = (prop::collection::vec(part, 0..8), prop::bool::ANY);
    proptest!(|((parts, absolute) in texts)| {
        let text = parts.join("/");
        let text = if absolute { format!("{}/{text}", root.display()) } else { text };
        if let Ok(target) = bench.context.workspace.resolve(&text) {
            prop_assert!(target.path.starts_with(&root), "{text:?} is {}", target.path.display());
            prop_assert_eq!(target.exists, target.path.exists());
            if target.exists {
                prop_assert_eq!(target.path.canonicalize().unwrap(), target.path);
            }
        }
    });
}
