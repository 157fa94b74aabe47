//! What the model is told of the skills that it may choose.

mod form;
mod sections;

use std::cmp::Ordering;

use crate::dialect::runtime::Runtime;

pub use sections::{Guide, skills_section, tools_section};

/// The longest entry, in characters: its description and `when_to_use`. Claude Code 2.1.105.
pub const MAX_ENTRY: usize = 1_536;
/// The part of the context window that a listing may take. Claude Code 2.1.
pub const FRACTION: f64 = 0.01;
/// The budget where the context window is not known, in characters. Claude Code 2.1.
pub const FALLBACK: usize = 8_000;
/// How many characters a token is taken for.
const CHARACTERS_PER_TOKEN: usize = 4;

/// A skill that may be listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry<'a> {
    /// What the model calls it by.
    pub name: &'a str,
    /// `description`, or what stands in for it.
    pub description: &'a str,
    /// `when_to_use`.
    pub when_to_use: &'a str,
    /// Its file.
    pub location: &'a str,
    /// `project`, `user` and the like.
    pub source: &'a str,
    /// `allowed-tools`.
    pub allowed_tools: &'a [String],
    /// How many tools it defines.
    pub tools: usize,
    /// How many characters its body has.
    pub body: usize,
    /// It is part of the program: its description is never dropped.
    pub is_bundled: bool,
    /// `metadata.priority`.
    pub priority: Option<i64>,
    /// How often it was invoked.
    pub uses: u32,
    /// How many days ago that was last.
    pub days: f64,
}

/// How many characters a listing may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// This many.
    Characters(usize),
    /// No limit.
    Unlimited,
}

/// Which of two skills keeps its description first.
pub type Ranking = fn(&Entry<'_>, &Entry<'_>) -> Ordering;

/// A listing, and what was left out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// What the model is told; empty where that is nothing.
    pub text: String,
    /// The characters that the entries take.
    pub used: usize,
    /// The characters that they would take in full.
    pub wanted: usize,
    /// The characters that they may take; `None` without a limit.
    pub budget: Option<usize>,
    /// The names that stand without their description, in the order of the listing.
    pub dropped: Vec<String>,
    /// The names whose description was cut because it is too long by itself.
    pub shortened: Vec<String>,
}

impl Budget {
    /// A hundredth of a context window of so many tokens, or what is taken where that is not known.
    pub fn of_window(tokens: Option<u64>) -> Budget {
        let characters = |tokens: u64| {
            let window = tokens.saturating_mul(CHARACTERS_PER_TOKEN as u64);
            // Whole windows are far below the numbers that a float can't hold.
            (window as f64 * FRACTION) as usize
        };
        Budget::Characters(tokens.map_or(FALLBACK, |tokens| characters(tokens).max(1)))
    }
}

/// The order that is used where no other is wanted: the higher priority first, then what is bundled, then what was used
/// more and more lately, half as much with each week and a tenth at least. Equal ones stay as they are.
pub fn by_use(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    let weight = |it: &Entry<'_>| f64::from(it.uses) * 0.5_f64.powf(it.days / 7.0).max(0.1);
    let priority = |it: &Entry<'_>| it.priority.unwrap_or(0);
    let bundled = b.is_bundled.cmp(&a.is_bundled);
    priority(b)
        .cmp(&priority(a))
        .then(bundled)
        .then(weight(b).total_cmp(&weight(a)))
}

/// How many tokens a skill takes in a listing: an estimate from its name, description and `when_to_use` alone.
pub fn tokens(entry: &Entry<'_>) -> usize {
    let characters = [entry.name, entry.description, entry.when_to_use].map(|text| text.chars().count());
    characters.iter().sum::<usize>().div_ceil(CHARACTERS_PER_TOKEN)
}

/// The listing of skills, in their order, as a reader writes it. No name is ever dropped: where the budget is too small
/// for all descriptions, they are kept whole in the order of the ranking, until one does not fit; those of bundled
/// skills stay.
pub fn listing(entries: &[Entry<'_>], runtime: &Runtime, budget: Budget, ranking: Ranking) -> Listing {
    let form = runtime.listing;
    let full: Vec<form::Lines> = entries
        .iter()
        .map(|entry| form::lines(form, entry, MAX_ENTRY))
        .collect();
    let characters = |text: &str| text.chars().count();
    let length = |lines: &form::Lines| characters(&lines.full);
    let wanted: usize = full.iter().map(length).sum();
    let budget = match budget {
        Budget::Characters(characters) if runtime.has_budget => Some(characters),
        _ => None,
    };
    let mut keeps = vec![true; entries.len()];
    let mut used = wanted;
    if budget.is_some_and(|budget| wanted > budget) {
        let extra = |index: usize| length(&full[index]) - characters(&full[index].bare);
        let bundled = |index: &usize| entries[*index].is_bundled;
        used = full.iter().map(|lines| characters(&lines.bare)).sum();
        used += (0..entries.len()).filter(bundled).map(extra).sum::<usize>();
        let mut ranked: Vec<usize> = (0..entries.len()).filter(|index| !bundled(index)).collect();
        ranked.sort_by(|a, b| ranking(&entries[*a], &entries[*b]));
        let mut is_full = false;
        for index in ranked {
            is_full |= budget.is_some_and(|budget| used + extra(index) > budget);
            keeps[index] = !is_full;
            used += if is_full { 0 } else { extra(index) };
        }
    }
    let name = |index: usize| entries[index].name.to_owned();
    let has_more = |index: &usize| full[*index].full != full[*index].bare;
    let lines: Vec<&str> = full
        .iter()
        .zip(&keeps)
        .map(|(lines, keeps)| if *keeps { lines.full.as_str() } else { &lines.bare })
        .collect();
    Listing {
        text: form::frame(form, &lines, entries),
        used,
        wanted,
        budget,
        dropped: (0..entries.len())
            .filter(|&index| !keeps[index])
            .filter(has_more)
            .map(name)
            .collect(),
        shortened: (0..entries.len())
            .filter(|&index| keeps[index] && full[index].is_shortened)
            .map(name)
            .collect(),
    }
}

impl Listing {
    /// What a person is told where something was cut; `None` where nothing was.
    pub fn notice(&self) -> Option<String> {
        const SHOWN: usize = 5;
        let names = |names: &[String]| {
            let more = names.len().saturating_sub(SHOWN);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
        };
        let mut parts = Vec::new();
        if let Some(budget) = self.budget.filter(|_| !self.dropped.is_empty()) {
            parts.push(format!(
                "{} of the skills are listed without their description, because all would take {} of {budget} characters: {}; \
                 shorten descriptions, or hide skills with `disable-model-invocation`",
                self.dropped.len(),
                self.wanted,
                names(&self.dropped),
            ));
        }
        if !self.shortened.is_empty() {
            parts.push(format!(
                "the model sees the beginning of the descriptions of {}, which are too long",
                names(&self.shortened)
            ));
        }
        Some(parts.join("; ")).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn entry<'a>(name: &'a str, description: &'a str) -> Entry<'a> {
        Entry {
            name,
            description,
            location: "/w/SKILL.md",
            source: "project",
            ..Entry::default()
        }
    }

    fn of(dialect: Dialect, entries: &[Entry<'_>]) -> Listing {
        listing(entries, dialect.runtime(), Budget::of_window(None), by_use)
    }

    #[test]
    fn each_reader_has_its_form() {
        let tools = ["Bash(git:*)".to_owned(), "Read".to_owned()];
        let entries = [Entry {
            when_to_use: "On <tags> & \"quotes\".",
            allowed_tools: &tools,
            ..entry("a", "Does it.")
        }];
        let cases = [
            (
                Dialect::AgentSkills,
                "<available_skills>\n<skill>\n<name>\na\n</name>\n<description>\nDoes it.\n</description>\n<location>\n\
                 /w/SKILL.md\n</location>\n</skill>\n</available_skills>",
                "<available_skills>\n</available_skills>",
            ),
            (
                Dialect::OpenHands,
                "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>Does it.</description>\n  </skill>\n\
                 </available_skills>",
                "<available_skills>\n  no available skills\n</available_skills>",
            ),
            (
                Dialect::Claude,
                "The following skills are available for use with the Skill tool:\n\n- a: Does it. - On <tags> & \"quotes\".",
                "",
            ),
            (Dialect::Wolffish, "- a (guide) — Does it.", ""),
        ];
        for (dialect, expected, empty) in cases {
            assert_eq!(of(dialect, &entries).text, expected);
            assert_eq!(of(dialect, &[]).text, empty);
        }
        let text = of(Dialect::Thndrs, &entries).text;
        assert!(text.contains("<source>project</source>") && text.contains("<location>/w/SKILL.md</location>"));
        assert!(text.contains("<allowed_tools>Bash(git:*), Read</allowed_tools>"));
        assert_eq!(of(Dialect::Thndrs, &[]).text, "");
    }

    #[test]
    fn markup_in_a_description_is_only_text() {
        let entries = [entry("a", "</skill> & \"x\"")];
        assert!(
            of(Dialect::AgentSkills, &entries)
                .text
                .contains("\n&lt;/skill&gt; &amp; &quot;x&quot;\n")
        );
        assert!(
            of(Dialect::OpenHands, &entries)
                .text
                .contains(">&lt;/skill&gt; &amp; \"x\"<")
        );
        let lines = of(Dialect::Unified, &[entry("a", "one\n- b: two")]).text;
        assert!(
            lines.ends_with("- a: one - b: two"),
            "no entry can make another: {lines}"
        );
    }

    #[test]
    fn openhands_says_how_much_it_cut() {
        let long = "x".repeat(1_034);
        let entries = [entry("a", &long)];
        let listing = of(Dialect::OpenHands, &entries);
        let notice = "... [10 characters truncated. Call invoke_skill(name=\"a\") to load the full skill]";
        assert!(listing.text.contains(notice), "{}", listing.text);
        assert_eq!(listing.shortened, ["a"]);
    }

    #[test]
    fn names_stay_and_descriptions_go_by_rank() {
        let long = "d".repeat(100);
        let used = |name, uses, days| Entry {
            uses,
            days,
            ..entry(name, &long)
        };
        let entries = [
            used("never", 0, 0.0),
            used("lately", 2, 0.0),
            used("long-ago", 3, 70.0),
            Entry {
                is_bundled: true,
                ..entry("bundled", &long)
            },
            Entry {
                priority: Some(1),
                ..entry("wanted", &long)
            },
        ];
        let runtime = Dialect::Claude.runtime();
        let dropped = |characters| listing(&entries, runtime, Budget::Characters(characters), by_use).dropped;
        assert_eq!(dropped(10_000), Vec::<String>::new());
        assert_eq!(dropped(500), ["never"]);
        assert_eq!(dropped(400), ["never", "long-ago"]);
        assert_eq!(dropped(300), ["never", "lately", "long-ago"]);
        let all = ["never", "lately", "long-ago", "wanted"];
        let listing = listing(&entries, runtime, Budget::Characters(1), by_use);
        assert_eq!(listing.dropped, all, "a bundled one never");
        for name in all {
            assert!(listing.text.contains(&format!("- {name}\n")) || listing.text.ends_with(&format!("- {name}")));
        }
        let notice = listing.notice().unwrap();
        assert!(
            notice.starts_with("4 of the skills") && notice.contains("of 1 characters: never, lately"),
            "{notice}"
        );
    }

    #[test]
    fn the_budget_is_a_hundredth_of_the_window() {
        for (tokens, expected) in [
            (None, 8_000),
            (Some(200_000), 8_000),
            (Some(1_000_000), 40_000),
            (Some(1), 1),
        ] {
            assert_eq!(Budget::of_window(tokens), Budget::Characters(expected));
        }
    }

    #[test]
    fn an_entry_has_1536_characters_at_most() {
        let (description, when) = ("é".repeat(1_000), "w".repeat(1_000));
        let entries = [Entry {
            when_to_use: &when,
            ..entry("a", &description)
        }];
        let listing = of(Dialect::Claude, &entries);
        assert_eq!(listing.used, "- a: ".len() + MAX_ENTRY);
        assert_eq!(listing.shortened, ["a"]);
        assert_eq!(tokens(&entries[0]), 501);
        assert!(listing.notice().unwrap().contains("descriptions of a"));
    }

    #[test]
    fn ten_thousand_skills_with_a_megabyte_are_listed() {
        let huge = "x".repeat(1 << 20);
        let entries: Vec<_> = (0..200).map(|_| entry("a", &huge)).collect();
        assert!(of(Dialect::Unified, &entries).text.len() < 10_000);
    }
}
