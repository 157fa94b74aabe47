//! The word that another most likely means.

/// The word that another most likely means: the same but for its case, or a slip or two away.
pub(crate) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    let most = if wanted.len() < 6 { 1 } else { 2 };
    words
        .into_iter()
        .filter(|it| it.len().abs_diff(wanted.len()) <= most && (3..=200).contains(&wanted.len()))
        .filter_map(|it| Some((distance(&wanted, &it.to_lowercase(), most)?, it)))
        .min()
        .map(|(_, it)| it)
}

/// How many letters to change, add, leave out or swap with their neighbour; `None` where it is more than `most`.
pub(crate) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let width = b.len() + 1;
    // The last three rows of the table.
    let mut rows = vec![0; 3 * width];
    (0..width).for_each(|j| rows[j] = j);
    for i in 1..=a.len() {
        let (row, above, before) = (i % 3 * width, (i + 2) % 3 * width, (i + 1) % 3 * width);
        rows[row] = i;
        let mut least = i;
        for j in 1..width {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[above + j] + 1)
                .min(rows[row + j - 1] + 1)
                .min(rows[above + j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[before + j - 2] + 1);
            }
            rows[row + j] = best;
            least = least.min(best);
        }
        // A swap reaches back over one row, so that one alone decides nothing; two do.
        let least_above = rows[above..above + width].iter().min().copied().unwrap_or_default();
        if least > most && least_above >= most {
            return None;
        }
    }
    Some(rows[a.len() % 3 * width + b.len()]).filter(|distance| *distance <= most)
}
