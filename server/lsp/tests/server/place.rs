//! A workspace on disk and the built program in it, for the tests of the command line.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A workspace on disk, with a home and a state folder beside it.
pub struct Place {
    /// The folder that holds the workspace, and a home beside it.
    pub folder: TempDir,
    /// The workspace.
    pub root: PathBuf,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("workspace");
        fs::create_dir_all(&root).unwrap();
        let place = Self { folder, root };
        for (name, text) in files {
            place.write(name, text.as_bytes());
        }
        place
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skills-ls"));
        command
            .args(arguments)
            .current_dir(&self.root)
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            .env("XDG_STATE_HOME", self.folder.path().join("state"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// Asserts that all of `expected` is there. Objects may have more keys: that is what the contract allows to be added.
#[track_caller]
pub fn assert_holds(actual: &Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (key, value) in expected {
                assert_holds(
                    actual.get(key).unwrap_or_else(|| panic!("no {key} in {actual:#?}")),
                    value,
                );
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert_eq!(actual.len(), expected.len(), "{actual:#?}\n{expected:#?}");
            for (actual, expected) in actual.iter().zip(expected) {
                assert_holds(actual, expected);
            }
        }
        _ => assert_eq!(actual, expected),
    }
}
