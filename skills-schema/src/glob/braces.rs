//! `{a,b}`: what one pattern stands for.

use super::GlobError;

/// Expanded patterns of one list.
const MAX_EXPANSIONS: usize = 1_000;
/// Bytes of the expanded patterns of one list.
const MAX_EXPANDED_BYTES: usize = 4 << 20;

/// What is left for the patterns of a list that are still to come.
pub(super) struct Budget {
    expansions: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            expansions: MAX_EXPANSIONS,
            bytes: MAX_EXPANDED_BYTES,
        }
    }
}

/// The patterns that a pattern with braces stands for, in order; itself where it has none. A group without a comma of
/// its own is plain text.
pub(super) fn expand(pattern: &str, budget: &mut Budget) -> Result<Vec<String>, GlobError> {
    let groups = groups(pattern);
    let Some(outermost) = groups.first() else {
        return Ok(vec![pattern.to_owned()]);
    };
    let too_many = || GlobError {
        at: outermost.open..outermost.close + 1,
        message: format!(
            "the braces stand for more than what is left of {MAX_EXPANSIONS} patterns and {} MiB for the whole list, \
             so the pattern matches nothing; use fewer of them",
            MAX_EXPANDED_BYTES >> 20
        ),
    };
    // Counted first: what is too much is never made.
    let count = count(pattern, &groups).ok_or_else(too_many)?;
    let bytes = count.checked_mul(pattern.len()).ok_or_else(too_many)?;
    let left = budget
        .expansions
        .checked_sub(count)
        .zip(budget.bytes.checked_sub(bytes));
    (budget.expansions, budget.bytes) = left.ok_or_else(too_many)?;

    let mut expanded = Vec::new();
    let mut waiting = vec![pattern.to_owned()];
    while let Some(text) = waiting.pop() {
        let groups = self::groups(&text);
        match groups.first() {
            None => expanded.push(text),
            Some(group) => {
                let choices: Vec<String> = group
                    .choices()
                    .map(|choice| format!("{}{}{}", &text[..group.open], &text[choice], &text[group.close + 1..]))
                    .collect();
                waiting.extend(choices.into_iter().rev());
            }
        }
    }
    Ok(expanded)
}

/// Matching braces that hold a comma of their own.
struct Group {
    open: usize,
    commas: Vec<usize>,
    close: usize,
}

impl Group {
    fn choices(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(self.open).chain(self.commas.iter().copied());
        let ends = self.commas.iter().copied().chain([self.close]);
        starts.map(|at| at + 1).zip(ends).map(|(start, end)| start..end)
    }
}

/// The groups of a pattern, by their opening brace.
fn groups(pattern: &str) -> Vec<Group> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut groups = Vec::new();
    let mut escaped = false;
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => {}
            b'{' => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                if let Some((open, commas)) = open.pop().filter(|(_, commas)| !commas.is_empty()) {
                    let close = at;
                    groups.push(Group { open, commas, close });
                }
            }
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    groups.sort_by_key(|group| group.open);
    groups
}

/// How many patterns the groups stand for; `None` where that is more than any budget.
fn count(pattern: &str, groups: &[Group]) -> Option<usize> {
    // The groups around a place, each with the sum of its finished choices and the product of the current one.
    let mut around: Vec<(&Group, usize, usize)> = Vec::new();
    let mut total: usize = 1;
    let mut next = groups.iter().peekable();
    for at in 0..pattern.len() {
        if let Some(group) = next.next_if(|group| group.open == at) {
            around.push((group, 0, 1));
        } else if let Some((group, sum, current)) = around.last_mut() {
            if group.close == at {
                let choices = sum.checked_add(*current)?;
                around.pop();
                let outer = around.last_mut().map_or(&mut total, |(_, _, current)| current);
                *outer = outer.checked_mul(choices).filter(|it| *it <= MAX_EXPANSIONS)?;
            } else if group.commas.binary_search(&at).is_ok() {
                *sum = sum.checked_add(*current).filter(|it| *it <= MAX_EXPANSIONS)?;
                *current = 1;
            }
        }
    }
    Some(total)
}
