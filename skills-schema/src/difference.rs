//! Where two texts differ.

/// The piece of two texts behind what they begin with alike and before what they end with alike, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it starts in both.
    pub start: usize,
    /// Where it ends in the old text.
    pub old_end: usize,
    /// Where it ends in the new one.
    pub new_end: usize,
}

/// So many bytes are compared at once.
const STEP: usize = 64;

impl Difference {
    /// Compares two texts; the places are on characters of both, and all are alike where the texts are.
    pub fn between(old: &str, new: &str) -> Difference {
        let mut start = common(old.as_bytes(), new.as_bytes());
        while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
            start -= 1;
        }
        let mut same = common_end(&old.as_bytes()[start..], &new.as_bytes()[start..]);
        while !(old.is_char_boundary(old.len() - same) && new.is_char_boundary(new.len() - same)) {
            same -= 1;
        }
        Difference {
            start,
            old_end: old.len() - same,
            new_end: new.len() - same,
        }
    }

    /// Where a place behind the difference is in the new text.
    pub fn moved(&self, place: usize) -> usize {
        place - self.old_end + self.new_end
    }
}

/// How many bytes two texts begin with alike.
fn common(a: &[u8], b: &[u8]) -> usize {
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP));
    let same = steps.take_while(|(a, b)| a == b).count() * STEP;
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// How many bytes two texts end with alike.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let steps = a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP));
    let same = steps.take_while(|(a, b)| a == b).count() * STEP;
    let rest = a[..a.len() - same].iter().rev().zip(b[..b.len() - same].iter().rev());
    same + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_lies_between() {
        let long = "x".repeat(200);
        for (old, new, expected) in [
            ("", "", (0, 0, 0)),
            ("abc", "abc", (3, 3, 3)),
            ("abc", "axc", (1, 2, 2)),
            ("aa", "aaa", (2, 2, 3)),
            ("aaa", "aa", (2, 3, 2)),
            ("", "a", (0, 0, 1)),
            // Characters that begin or end with the same bytes.
            ("é", "è", (0, 2, 2)),
            ("aéb", "a\u{129}b", (1, 3, 3)),
            (&format!("{long}y{long}"), &format!("{long}zz{long}"), (200, 201, 202)),
        ] {
            let found = Difference::between(old, new);
            assert_eq!((found.start, found.old_end, found.new_end), expected, "{old} {new}");
        }
    }
}
