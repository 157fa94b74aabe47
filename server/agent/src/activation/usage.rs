//! How often each skill was invoked, and when last: what is used keeps its description in a list that is too long.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::record;

/// So many skills are remembered; of more, those that were used longest ago are forgotten.
const MAX_SKILLS: usize = 10_000;

/// The record of a person's uses: `usage.json` in the state folder.
///
/// Other servers of the same person write it too, so it is read anew each time, and a use is added to what they counted.
#[derive(Debug, Clone)]
pub struct UseCounts {
    file: PathBuf,
}

/// The uses of each skill, by name.
pub type Uses = BTreeMap<String, Used>;

/// The uses of one skill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// How often it was invoked.
    pub count: u32,
    /// When last, in seconds since 1970.
    pub last: u64,
}

impl UseCounts {
    /// The record in a state folder, which is made when a use is counted.
    pub fn new(state: &Path) -> Self {
        Self {
            file: state.join("usage.json"),
        }
    }

    /// The uses so far; none where the record is missing or can't be read.
    pub fn read(&self) -> Uses {
        record::read(&self.file).unwrap_or_default()
    }

    /// Counts one use. Waits up to 10 seconds for other programs that write the record, and blocks the thread.
    ///
    /// # Errors
    /// Where the record can't be read or written, or the others take longer: it is left as it was.
    pub fn count(&self, name: &str, now: SystemTime) -> io::Result<()> {
        record::update(&self.file, record::PATIENCE, |uses: &mut Uses| {
            let used = uses.entry(name.to_owned()).or_default();
            used.count = used.count.saturating_add(1);
            used.last = seconds(now);
            while uses.len() > MAX_SKILLS {
                let oldest = uses
                    .iter()
                    .min_by_key(|(_, used)| used.last)
                    .map(|(name, _)| name.clone());
                oldest.and_then(|name| uses.remove(&name));
            }
        })
    }
}

impl Used {
    /// How many days ago the last use was.
    pub fn days(&self, now: SystemTime) -> f64 {
        Duration::from_secs(seconds(now).saturating_sub(self.last)).as_secs_f64() / (24.0 * 60.0 * 60.0)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn uses_are_counted_and_a_broken_record_is_left_alone() {
        let state = tempfile::tempdir().expect("a folder");
        let usage = UseCounts::new(state.path());
        assert_eq!(usage.read(), Uses::new());
        let day = |days: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(days * 24 * 60 * 60);
        for (name, when) in [("a", day(1)), ("b", day(2)), ("a", day(3))] {
            usage.count(name, when).expect("written");
        }
        let uses = UseCounts::new(state.path()).read();
        assert_eq!((uses["a"].count, uses["a"].days(day(4))), (2, 1.0));
        assert_eq!(
            (uses["b"].count, uses["b"].days(day(1))),
            (1, 0.0),
            "a clock that went back"
        );
        for text in ["", "{", "[]", r#"{"a": 1}"#, "\u{0}"] {
            let written =
                File::create(state.path().join("usage.json")).and_then(|mut file| file.write_all(text.as_bytes()));
            written.expect("written");
            assert_eq!(usage.read(), Uses::new(), "{text}");
        }
        let error = usage.count("c", day(1)).expect_err("it may hold other uses");
        assert!(error.to_string().contains("usage.json"), "{error}");
    }
}
