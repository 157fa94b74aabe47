/// The paths of all files of a folder, relative to it, with `/` separators: sorted, and each written as what differs
/// from the one before it, so that a file costs far less than 100 bytes.
#[derive(Clone, Debug, Default)]
pub struct FileIndex {
    /// For each path: how much of the last it shares (2 bytes), how much is new (2 bytes), what is new.
    bytes: Vec<u8>,
    count: usize,
    /// All files are there; `false` where there were too many, so that "no file matches" can't be said.
    pub is_complete: bool,
}

/// The longest path that is kept, in bytes.
const MAX_PATH: usize = 4096;

impl FileIndex {
    /// The index of these paths, in any order. Paths beyond 4,096 bytes are left out.
    pub fn new(paths: impl IntoIterator<Item = String>, is_complete: bool) -> FileIndex {
        let mut paths: Vec<String> = paths.into_iter().filter(|path| path.len() <= MAX_PATH).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut index = FileIndex {
            count: paths.len(),
            is_complete,
            ..FileIndex::default()
        };
        let mut last = "";
        for path in &paths {
            let shared = shared(last, path);
            let new = &path.as_bytes()[shared..];
            index.bytes.extend(length(shared).to_le_bytes());
            index.bytes.extend(length(new.len()).to_le_bytes());
            index.bytes.extend(new);
            last = path;
        }
        index.bytes.shrink_to_fit();
        index
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What the index takes, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// Calls `see` with every path in order, until it gives `false`.
    pub fn each(&self, mut see: impl FnMut(&str) -> bool) {
        let mut path = String::new();
        let mut rest = self.bytes.as_slice();
        while let [a, b, c, d, tail @ ..] = rest {
            let shared = usize::from(u16::from_le_bytes([*a, *b]));
            let (new, tail) = tail.split_at(usize::from(u16::from_le_bytes([*c, *d])).min(tail.len()));
            path.truncate(shared);
            path.push_str(std::str::from_utf8(new).unwrap_or_default());
            rest = tail;
            if !see(&path) {
                return;
            }
        }
    }

    /// How many files a condition holds for.
    pub fn count(&self, mut holds: impl FnMut(&str) -> bool) -> usize {
        let mut count = 0;
        self.each(|path| {
            count += usize::from(holds(path));
            true
        });
        count
    }
}

/// How many bytes two paths share, up to a character's start.
fn shared(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    b.floor_char_boundary(equal)
}

/// Paths are shorter than this type's limit.
fn length(bytes: usize) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_sorted_and_once_and_cost_little() {
        let index = FileIndex::new(
            ["src/é.rs", "src/è.rs", "a", "src/main.rs", "a"].map(str::to_owned),
            true,
        );
        let mut paths = Vec::new();
        index.each(|path| {
            paths.push(path.to_owned());
            true
        });
        assert_eq!(paths, ["a", "src/main.rs", "src/è.rs", "src/é.rs"]);
        assert_eq!((index.len(), index.count(|path| path.ends_with(".rs"))), (4, 3));

        let deep = (0..1_000).map(|n| format!("packages/a-rather-long-name/src/components/{:02}/file-{n}.tsx", n % 50));
        let index = FileIndex::new(deep, true);
        assert!(index.memory() < 100 * index.len(), "{}", index.memory());
    }
}
