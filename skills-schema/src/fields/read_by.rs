//! Who reads a field: the lines of the readers' files, turned round while this is compiled.

use crate::reader::{Dialect, Reads, fields::reads};

/// How many readers name a field.
pub(super) const fn count(path: &str) -> usize {
    let (mut reader, mut found) = (0, 0);
    while reader < Dialect::ALL.len() {
        if line(Dialect::ALL[reader], path).is_some() {
            found += 1;
        }
        reader += 1;
    }
    assert!(found > 0, "no reader names this field");
    found
}

/// Those readers, and what they say of it.
pub(super) const fn collect<const COUNT: usize>(path: &str) -> [(Dialect, &'static Reads); COUNT] {
    const NOBODY: &Reads = &reads("", "");
    let mut all = [(Dialect::Unified, NOBODY); COUNT];
    let (mut reader, mut found) = (0, 0);
    while reader < Dialect::ALL.len() {
        if let Some(line) = line(Dialect::ALL[reader], path) {
            all[found] = (Dialect::ALL[reader], line);
            found += 1;
        }
        reader += 1;
    }
    all
}

const fn line(dialect: Dialect, path: &str) -> Option<&'static Reads> {
    let fields = dialect.reader().fields;
    let mut at = 0;
    while at < fields.len() {
        if is_same(fields[at].field, path) {
            return Some(&fields[at]);
        }
        at += 1;
    }
    None
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The last key of a path: `arguments` of `metadata.arguments`.
pub(super) const fn last_key(path: &str) -> &str {
    let mut at = path.len();
    while at > 0 && path.as_bytes()[at - 1] != b'.' {
        at -= 1;
    }
    path.split_at(at).1
}
