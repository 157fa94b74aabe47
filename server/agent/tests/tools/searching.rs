use serde_json::json;

use crate::host::{Bench, write};

fn bench() -> Bench {
    Bench::new(&[
        ("README.md", "needle one\n"),
        ("src/main.rs", "fn main() {\n    needle();\n}\n"),
        ("src/lib.rs", "// nothing\r\nneedle\r\n"),
        ("src/.hidden.rs", "needle\n"),
        ("target/out.rs", "needle\n"),
        (".gitignore", "target\n"),
        (".env", "needle=1\n"),
        ("server.key", "needle\n"),
        ("image.png", "\0needle\n"),
        (".git/config", "needle\n"),
    ])
}

/// The reader of such rules goes down into itself for each brace, and waits for a pipe.
#[tokio::test]
async fn no_rules_of_a_repository_end_the_process() {
    let braces = |count: usize| format!("{}a{}\n", "{".repeat(count), "}".repeat(count));
    for place in [".gitignore", ".ignore", ".git/info/exclude", "src/.gitignore"] {
        let bench = bench();
        write(&bench.root().join(place), &format!("target\n{}", braces(100_000)));
        let found = bench.text("find_files", json!({"pattern": "needle|README"})).await;
        assert_eq!(found, "README.md", "{place}");
    }
    let bench = bench();
    for count in [300, 100_000] {
        let glob = json!({"pattern": "", "glob": braces(count).trim()});
        let refusal = bench.refusal("find_files", glob).await;
        assert!(refusal.contains("too many braces"), "{refusal}");
    }
    #[cfg(target_os = "linux")]
    {
        std::fs::remove_file(bench.root().join(".gitignore")).unwrap();
        let pipe = bench.root().join("src/.gitignore");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_bits_truncate(0o600),
            0,
        )
        .unwrap();
        let found = bench.text("find_files", json!({"pattern": "README"})).await;
        assert_eq!(found, "README.md");
    }
}

#[tokio::test]
async fn files_by_name() {
    let bench = bench();
    for (input, expected) in [
        (
            json!({"pattern": ""}),
            "README.md\nimage.png\nserver.key\nsrc/lib.rs\nsrc/main.rs",
        ),
        (json!({"pattern": "readme"}), "README.md"),
        (json!({"pattern": "Readme"}), "no files match"),
        (json!({"pattern": "^src/l"}), "src/lib.rs"),
        (json!({"pattern": "", "glob": "*.rs"}), "src/lib.rs\nsrc/main.rs"),
        (json!({"pattern": "", "glob": "/*.rs"}), "no files match"),
        (
            json!({"pattern": "", "glob": "src/*.{rs,md}"}),
            "src/lib.rs\nsrc/main.rs",
        ),
        (
            json!({"pattern": "", "glob": "!*.rs"}),
            "README.md\nimage.png\nserver.key",
        ),
        (
            json!({"pattern": "", "extensions": [".RS", "md"]}),
            "README.md\nsrc/lib.rs\nsrc/main.rs",
        ),
        (
            json!({"pattern": "", "max_depth": 1}),
            "README.md\nimage.png\nserver.key",
        ),
        (json!({"pattern": "hidden", "include_hidden": true}), "src/.hidden.rs"),
        (json!({"pattern": "config", "include_hidden": true}), "no files match"),
    ] {
        assert_eq!(bench.text("find_files", input.clone()).await, expected, "{input}");
    }
    let refusal = bench.refusal("find_files", json!({"pattern": "*.rs"})).await;
    assert!(refusal.contains("use glob for *.rs"), "{refusal}");
    assert!(
        bench
            .refusal("find_files", json!({"pattern": "", "glob": "a["}))
            .await
            .starts_with("invalid glob")
    );
}

#[tokio::test]
async fn of_many_files_the_first_by_path_are_given_and_one_that_is_only_open_before_them() {
    let bench = bench();
    // Written in an order that is not that of their paths, in folders whose names begin alike.
    for number in (0..400).rev() {
        for folder in ["b", "a", "a-z", "a/b"] {
            write(&bench.root().join(folder).join(format!("file{number:03}.rs")), "");
        }
    }
    bench.open("z/new-file.rs", "");
    let first = |paths: Vec<String>| {
        format!(
            "{}\n[there are more than 100 files; narrow the call to see the rest]",
            paths.join("\n")
        )
    };
    let numbers = |folder: &'static str| (0..400).map(move |number| format!("{folder}/file{number:03}.rs"));
    let all = ["z/new-file.rs".to_owned()]
        .into_iter()
        .chain(numbers("a/b"))
        .take(100)
        .collect();
    assert_eq!(bench.text("find_files", json!({"pattern": "file"})).await, first(all));
    let ends_with_7 = numbers("a/b")
        .chain(numbers("a"))
        .chain(numbers("a-z"))
        .filter(|path| path.ends_with("7.rs"))
        .take(100)
        .collect();
    let found = bench.text("find_files", json!({"pattern": "7\\.rs$"})).await;
    assert_eq!(found, first(ends_with_7));
    let exactly = bench
        .text(
            "find_files",
            json!({"pattern": "file[0-3]?[0-9][05]\\.rs", "glob": "/b/*"}),
        )
        .await;
    assert_eq!(exactly.lines().count(), 80, "{exactly}");
    let listed = bench.text("list_searchable_files", json!({"glob": "b/file"})).await;
    assert_eq!(listed, first(numbers("a/b").take(100).collect()));
}

#[tokio::test]
async fn searchable_files() {
    let bench = bench();
    for (input, expected) in [
        (json!({"glob": "*.md"}), "README.md"),
        (json!({"glob": "rc/m"}), "src/main.rs"),
        (json!({"glob": "xyz"}), "no files match"),
        (json!({"glob": ".env", "include_hidden": true}), ".env"),
    ] {
        assert_eq!(
            bench.text("list_searchable_files", input.clone()).await,
            expected,
            "{input}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_on_request_and_never_outside() {
    let bench = bench();
    write(&bench.outside("out/secret.rs"), "needle\n");
    std::os::unix::fs::symlink(bench.outside("out"), bench.root().join("zlink")).unwrap();
    std::os::unix::fs::symlink(bench.root().join("src"), bench.root().join("src/loop")).unwrap();
    let plain = bench.text("find_files", json!({"pattern": "rs$"})).await;
    assert_eq!(plain, "src/lib.rs\nsrc/main.rs");
    let followed = bench
        .text("find_files", json!({"pattern": "rs$", "follow_symlinks": true}))
        .await;
    assert!(!followed.contains("secret"), "{followed}");
    assert!(
        !bench
            .text("search_text", json!({"pattern": "needle"}))
            .await
            .contains("secret.rs")
    );
}

#[tokio::test]
async fn texts() {
    let bench = bench();
    for (input, expected) in [
        (
            json!({"pattern": "needle"}),
            "README.md:1:needle one\nsrc/lib.rs:2:needle\nsrc/main.rs:2:    needle();\n\
             [1 file that look like secrets left out]",
        ),
        (json!({"pattern": "needle$", "glob": "*.rs"}), "src/lib.rs:2:needle"),
        (
            json!({"pattern": "needle", "extensions": ["md"]}),
            "README.md:1:needle one",
        ),
        (
            json!({"pattern": "needle", "glob": "main.rs", "context_lines": 1}),
            "src/main.rs:1:fn main() {\nsrc/main.rs:2:    needle();\nsrc/main.rs:3:}",
        ),
        (json!({"pattern": "absent", "glob": "*.rs"}), "no matches"),
    ] {
        assert_eq!(bench.text("search_text", input.clone()).await, expected, "{input}");
    }
    let hidden = bench
        .text("search_text", json!({"pattern": "needle", "include_hidden": true}))
        .await;
    assert!(
        hidden.contains("src/.hidden.rs:1") && !hidden.contains("=1") && !hidden.contains(".git/"),
        "{hidden}"
    );
    for (pattern, expected) in [
        ("", "pattern is empty"),
        ("(", "unclosed group"),
        ("a{9999}{9999}", "size limit"),
    ] {
        let refusal = bench.refusal("search_text", json!({"pattern": pattern})).await;
        assert!(refusal.contains(expected), "{pattern}: {refusal}");
        assert!(refusal.lines().count() <= 5);
    }
}

#[tokio::test]
async fn unsaved_texts_are_searched_instead_of_the_disks() {
    let bench = bench();
    bench.open("src/main.rs", "haystack\nneedle typed\n");
    bench.open("src/new.rs", "needle new\n");
    bench.open("README.md", "gone\n");
    let text = bench
        .text("search_text", json!({"pattern": "needle", "extensions": ["rs", "md"]}))
        .await;
    assert_eq!(
        text,
        "src/new.rs:1:needle new\nsrc/lib.rs:2:needle\nsrc/main.rs:2:needle typed"
    );
    assert!(
        bench
            .text("find_files", json!({"pattern": "new"}))
            .await
            .contains("src/new.rs")
    );
}

#[tokio::test]
async fn results_have_caps_and_say_when_they_cut() {
    let names: Vec<_> = (0..150).map(|n| format!("f{n:03}.txt")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let bench = Bench::new(&files);
    for tool in ["find_files", "search_text", "list_searchable_files"] {
        let input = if tool == "list_searchable_files" {
            json!({})
        } else {
            json!({"pattern": "[fx]"})
        };
        let output = bench.call(tool, input).await.unwrap();
        assert!(output.truncated, "{tool}");
        assert_eq!(output.text.lines().count(), 101, "{tool}: {}", output.text);
        assert!(output.text.contains("there are more than 100"), "{tool}");
    }
}

#[tokio::test]
async fn a_stopped_turn_ends_the_search() {
    let bench = bench();
    bench.context.cancel.cancel();
    let output = bench.call("search_text", json!({"pattern": "needle"})).await.unwrap();
    assert!(
        output.truncated && output.text.contains("stopped by the person"),
        "{}",
        output.text
    );
}
