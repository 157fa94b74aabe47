//! What the configuration of a system turns off.

use std::path::PathBuf;

use serde_json::Value;

/// Where a system keeps what is turned off.
#[derive(Debug)]
pub struct Switch {
    /// Its files below the opened folder: JSON, or TOML by their ending.
    pub project: &'static [&'static str],
    /// Its files below the home.
    pub home: &'static [&'static str],
    /// What one of them turns off.
    pub read: fn(&Value) -> Vec<Off>,
}

/// What is turned off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Off {
    /// The skills of a name; `*` stands for any characters.
    Name(String),
    /// The skills of a name, in any case.
    AnyCase(String),
    /// The skill of a file.
    File(PathBuf),
    /// All of them.
    All,
}

/// The names in a list of a configuration, by a JSON pointer.
pub(crate) fn names(config: &Value, pointer: &str, off: fn(String) -> Off) -> Vec<Off> {
    let items = config.pointer(pointer).and_then(Value::as_array);
    let names = items.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| off(name.to_owned())).collect()
}
