//! What gives way where a listing is too long for its reader.

use super::{Budget, ListingEntry, Ranking, characters as length};
use crate::reader::{
    listing::{EntryLines, ListingForm},
    runtime::{Beyond, Size},
};
use crate::shown::CHARACTERS_PER_TOKEN;

/// How an entry is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// As it is.
    Full,
    /// With so many characters of its description.
    Cut(usize),
    /// Without its description.
    Bare,
    /// By its name alone, behind the others.
    Named,
    /// Not at all.
    Omitted,
}

/// The entries that are to be listed.
pub(super) struct List<'a> {
    pub(super) form: &'a ListingForm,
    pub(super) entries: &'a [ListingEntry<'a>],
    pub(super) folders: &'a [&'a str],
    pub(super) full: &'a [EntryLines],
}

/// How many characters a listing may have; `None` without a limit.
pub(super) fn characters(size: Size, budget: Budget) -> Option<usize> {
    match (budget, size) {
        (Budget::Unlimited, _) => None,
        (Budget::Characters(characters), _) | (Budget::Window(_), Size::Characters(characters)) => Some(characters),
        (Budget::Window(None), Size::Window { unknown, .. }) => Some(unknown),
        (Budget::Window(Some(tokens)), Size::Window { hundredths, .. }) => {
            let window = tokens.saturating_mul(CHARACTERS_PER_TOKEN as u64);
            let part = window.saturating_mul(u64::from(hundredths)) / 100;
            Some(usize::try_from(part).unwrap_or(usize::MAX).max(1))
        }
    }
}

impl Beyond {
    /// How many characters entries count for.
    pub(super) fn counted(self, full: &[EntryLines]) -> usize {
        full.iter().map(|lines| self.cost(&lines.full)).sum()
    }

    fn cost(self, line: &str) -> usize {
        match self {
            // Each line is counted in tokens.
            Beyond::AllDescriptions => length(line).next_multiple_of(CHARACTERS_PER_TOKEN),
            Beyond::RankedDescriptions | Beyond::LaterDescriptions => length(line),
        }
    }
}

impl List<'_> {
    /// How each entry is shown so that all fit into `most` characters, as far as that can be.
    pub(super) fn fitted(&self, beyond: Beyond, most: usize, ranking: Ranking) -> Vec<Shown> {
        match beyond {
            Beyond::RankedDescriptions => self.ranked(most, ranking),
            Beyond::AllDescriptions => self.alike(most),
            Beyond::LaterDescriptions => self.first(most),
        }
    }

    /// An entry as it is shown; `None` where it is in no line of its own.
    pub(super) fn line(&self, index: usize, shown: &Shown) -> Option<String> {
        match shown {
            Shown::Full => Some(self.full[index].full.clone()),
            Shown::Cut(most) => Some(self.form.lines(&self.entries[index], self.folders, *most).full),
            Shown::Bare => Some(self.full[index].bare.clone()),
            Shown::Named | Shown::Omitted => None,
        }
    }

    /// Descriptions are kept whole in the order of the ranking, until one does not fit; those of bundled skills stay.
    fn ranked(&self, most: usize, ranking: Ranking) -> Vec<Shown> {
        let extra = |index: usize| length(&self.full[index].full) - length(&self.full[index].bare);
        let bundled = |index: &usize| self.entries[*index].is_bundled;
        let mut used: usize = self.full.iter().map(|lines| length(&lines.bare)).sum();
        used += (0..self.entries.len()).filter(bundled).map(extra).sum::<usize>();
        let mut ranked: Vec<usize> = (0..self.entries.len()).filter(|index| !bundled(index)).collect();
        ranked.sort_by(|a, b| ranking(&self.entries[*a], &self.entries[*b]));
        let mut shown = vec![Shown::Full; self.entries.len()];
        let mut is_full = false;
        for index in ranked {
            is_full |= used + extra(index) > most;
            if is_full {
                shown[index] = Shown::Bare;
            } else {
                used += extra(index);
            }
        }
        shown
    }

    /// All descriptions have the same length at most, the longest that fits.
    fn alike(&self, most: usize) -> Vec<Shown> {
        let cost = |shown: Shown| {
            let lines = (0..self.entries.len()).filter_map(|index| self.line(index, &shown));
            lines.map(|line| Beyond::AllDescriptions.cost(&line)).sum::<usize>()
        };
        if cost(Shown::Bare) <= most {
            let (mut fits, mut fails) = (0, super::MAX_ENTRY);
            while fits + 1 < fails {
                let middle = usize::midpoint(fits, fails);
                if cost(Shown::Cut(middle)) <= most {
                    fits = middle;
                } else {
                    fails = middle;
                }
            }
            let shown = |index: usize| match length(self.entries[index].description) {
                _ if fits == 0 => Shown::Bare,
                characters if characters <= fits => Shown::Full,
                _ => Shown::Cut(fits),
            };
            return (0..self.entries.len()).map(shown).collect();
        }
        let mut used = 0;
        let mut shown = Vec::new();
        for lines in self.full {
            used += Beyond::AllDescriptions.cost(&lines.bare);
            shown.push(if used <= most { Shown::Bare } else { Shown::Omitted });
        }
        shown
    }

    /// The first ones that fit.
    fn first(&self, most: usize) -> Vec<Shown> {
        let mut used = 0;
        let mut shown = Vec::new();
        for lines in self.full {
            used += Beyond::LaterDescriptions.cost(&lines.full);
            shown.push(if used <= most { Shown::Full } else { Shown::Named });
        }
        shown
    }
}
