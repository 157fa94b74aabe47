//! What the model is told about the skills that it may choose.

mod room;
mod wolffish;

use std::cmp::Ordering;

use crate::reader::{
    Runtime,
    listing::{self, Told},
};

pub use crate::reader::listing::{ListingEntry, MAX_ENTRY};
pub use wolffish::{Guide, skills_section, tools_section};

/// How many characters a listing may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// This many, whatever the reader allows.
    Characters(usize),
    /// What the reader allows for a model with a context window of so many tokens; `None` where that is not known.
    Window(Option<u64>),
    /// No limit.
    Unlimited,
}

/// Which of two skills keeps its description first.
pub type Ranking = fn(&ListingEntry<'_>, &ListingEntry<'_>) -> Ordering;

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
    /// The names whose description was cut: it is too long by itself, or all are too long together.
    pub shortened: Vec<String>,
    /// The names that the model is not told of.
    pub omitted: Vec<String>,
}

/// The order that is used where no other is wanted: the higher priority first, then what is bundled, then what was used
/// more and more lately, half as much with each week and a tenth at least. Equal ones stay as they are.
pub fn by_use(a: &ListingEntry<'_>, b: &ListingEntry<'_>) -> Ordering {
    let weight = |it: &ListingEntry<'_>| f64::from(it.uses) * 0.5_f64.powf(it.days / 7.0).max(0.1);
    let priority = |it: &ListingEntry<'_>| it.priority.unwrap_or(0);
    let bundled = b.is_bundled.cmp(&a.is_bundled);
    priority(b)
        .cmp(&priority(a))
        .then(bundled)
        .then(weight(b).total_cmp(&weight(a)))
}

/// How many characters a skill takes in a reader's listing, as long as nothing gives way.
pub fn length(entry: &ListingEntry<'_>, runtime: &Runtime) -> usize {
    let folders = listing::folders(std::slice::from_ref(entry));
    let lines = runtime.listing.map(|form| form.lines(entry, &folders, MAX_ENTRY));
    lines.map_or(0, |lines| characters(&lines.full))
}

/// How many characters the entries of a reader's listing may take in all; `None` without a limit.
pub fn room(runtime: &Runtime, budget: Budget) -> Option<usize> {
    runtime.room.and_then(|room| room::characters(room.size, budget))
}

/// The listing of skills as a reader writes it. What gives way where the budget is too small is the reader's to say;
/// `ranking` tells which descriptions stay first where they go one by one.
pub fn listing(entries: &[ListingEntry<'_>], runtime: &Runtime, budget: Budget, ranking: Ranking) -> Listing {
    let Some(form) = runtime.listing else {
        return Listing {
            budget: room(runtime, budget),
            ..Listing::default()
        };
    };
    let mut sorted = entries.to_vec();
    sorted.sort_by(form.order);
    let entries = &sorted[..];
    let folders = listing::folders(entries);
    let full: Vec<listing::EntryLines> = entries
        .iter()
        .map(|entry| form.lines(entry, &folders, MAX_ENTRY))
        .collect();
    let wanted: usize = full.iter().map(|lines| characters(&lines.full)).sum();
    let room = runtime.room.zip(room(runtime, budget));
    let list = room::List {
        form,
        entries,
        folders: &folders,
        full: &full,
    };
    let shown = match room {
        Some((room, most)) if room.beyond.counted(&full) > most => list.fitted(room.beyond, most, ranking),
        _ => vec![room::Shown::Full; entries.len()],
    };
    let names = |which: &dyn Fn(usize) -> bool| -> Vec<String> {
        let indices = (0..entries.len()).filter(|index| which(*index));
        indices.map(|index| entries[index].name.to_owned()).collect()
    };
    let has_more = |index: usize| full[index].full != full[index].bare;
    let text = |index: usize| list.line(index, &shown[index]);
    let lines: Vec<String> = (0..entries.len()).filter_map(text).collect();
    let named = names(&|index| shown[index] == room::Shown::Named);
    Listing {
        used: lines.iter().map(|line| characters(line)).sum(),
        text: form.text(&Told {
            lines: &lines,
            entries,
            folders: &folders,
            named: &named,
        }),
        wanted,
        budget: room.map(|(_, most)| most),
        dropped: names(&|index| matches!(shown[index], room::Shown::Bare | room::Shown::Named) && has_more(index)),
        shortened: names(&|index| match shown[index] {
            room::Shown::Full => full[index].is_shortened,
            room::Shown::Cut(_) => true,
            _ => false,
        }),
        omitted: names(&|index| shown[index] == room::Shown::Omitted),
    }
}

/// What a reader writes for one skill alone; empty where it is not known.
pub fn line(entry: &ListingEntry<'_>, runtime: &Runtime) -> String {
    let lines = runtime.listing.map(|form| form.lines(entry, &[], MAX_ENTRY));
    lines.map(|lines| lines.full).unwrap_or_default()
}

fn characters(text: &str) -> usize {
    text.chars().count()
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
        if !self.omitted.is_empty() {
            parts.push(format!(
                "the model is not told of {} of the skills at all: {}; remove some, or hide them",
                self.omitted.len(),
                names(&self.omitted)
            ));
        }
        Some(parts.join("; ")).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn entry<'a>(name: &'a str, description: &'a str) -> ListingEntry<'a> {
        ListingEntry {
            name,
            description,
            location: "/w/SKILL.md",
            source: "project",
            ..ListingEntry::default()
        }
    }

    fn of(dialect: Dialect, entries: &[ListingEntry<'_>]) -> Listing {
        listing(entries, dialect.runtime(), Budget::Window(None), by_use)
    }

    #[test]
    fn each_reader_has_its_form() {
        let tools = ["Bash(git:*)".to_owned(), "Read".to_owned()];
        let entries = [ListingEntry {
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

    /// The listings of Codex CLI 0.169.0, GitHub Copilot CLI 1.0.102, opencode 1.18.33 and goose 1.52.0 were recorded; the
    /// others are those of their sources.
    #[test]
    fn each_agent_has_its_form() {
        let described = ListingEntry {
            location: "/w/.agents/skills/ok/SKILL.md",
            ..entry("ok", "does <b>&amp; \"x\" it's")
        };
        let located = |name: &str, description: &str| {
            format!(
                "<available_skills>\n  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
                 <location>/w/.agents/skills/ok/SKILL.md</location>\n  </skill>\n</available_skills>"
            )
        };
        let plain = "does <b>&amp; \"x\" it's";
        let escaped = "does &lt;b&gt;&amp;amp; &quot;x&quot; it&apos;s";
        let cases = [
            (
                Dialect::Codex,
                format!(
                    "### Skill roots\n- `r0` = `/w/.agents/skills`\n### Available skills\n- ok: {plain} (file: r0/ok/SKILL.md)\n"
                ),
            ),
            (
                Dialect::Copilot,
                format!(
                    "<skill>\n  <name>ok</name>\n  <description>{escaped}</description>\n  <location>project</location>\n</skill>"
                ),
            ),
            (
                Dialect::VsCode,
                format!(
                    "<skill>\n<name>ok</name>\n<description>{escaped}</description>\n<file>/w/.agents/skills/ok/SKILL.md</file>\n"
                ),
            ),
            (Dialect::OpenCode, located("ok", plain)),
            (Dialect::Pi, located("ok", escaped)),
            (Dialect::Gemini, located("ok", plain)),
            (Dialect::Goose, format!("asked to use them:\n• ok - {plain}")),
            (Dialect::Crush, located("ok", escaped)),
        ];
        for (dialect, expected) in cases {
            let text = of(dialect, &[described]).text;
            assert!(text.contains(&expected), "{dialect}: {text}");
        }
        assert_eq!(of(Dialect::Cursor, &[described]).text, "", "its documents don't say");
        for (dialect, ending) in [
            (Dialect::OpenCode, "No skills are currently available."),
            (Dialect::Pi, ""),
            (Dialect::Goose, ""),
        ] {
            assert!(of(dialect, &[]).text.ends_with(ending) && of(dialect, &[]).text.is_empty() == ending.is_empty());
        }
    }

    /// As recorded from Codex CLI 0.169.0 with a window of 272,000 tokens: 120 long descriptions are cut to about 140
    /// characters each, and of 1,500 skills about 540 names are left.
    #[test]
    fn codex_cuts_all_descriptions_alike_before_it_leaves_skills_out() {
        let long = "d".repeat(900);
        let names: Vec<String> = (0..1_500).map(|number| format!("sk{number:04}")).collect();
        let locations: Vec<String> = names
            .iter()
            .map(|name| format!("/w/.agents/skills/{name}/SKILL.md"))
            .collect();
        let all: Vec<ListingEntry<'_>> = (names.iter().zip(&locations))
            .map(|(name, location)| ListingEntry {
                location,
                ..entry(name, &long)
            })
            .collect();
        let codex = |count: usize| {
            listing(
                &all[..count],
                Dialect::Codex.runtime(),
                Budget::Window(Some(272_000)),
                by_use,
            )
        };
        let cut = codex(120);
        assert_eq!((cut.shortened.len(), cut.dropped.len(), cut.omitted.len()), (120, 0, 0));
        let kept = cut.text.matches('d').count() / 120;
        assert!((130..160).contains(&kept), "{kept} characters each");
        let bare = codex(1_500);
        let left = bare.dropped.len();
        assert!((500..620).contains(&left), "{left} names");
        assert_eq!((left + bare.omitted.len(), bare.shortened.len()), (1_500, 0));
        assert!(bare.notice().unwrap().contains("not told of"), "{:?}", bare.notice());
        assert!(codex(10).dropped.is_empty() && codex(10).shortened.is_empty());
    }

    #[test]
    fn copilot_only_names_what_comes_after_15000_characters() {
        let long = "d".repeat(700);
        let names: Vec<String> = (0..300).map(|number| format!("sk{number:03}")).collect();
        let all: Vec<ListingEntry<'_>> = names.iter().map(|name| entry(name, &long)).collect();
        let listing = listing(&all, Dialect::Copilot.runtime(), Budget::Window(None), by_use);
        let told = 300 - listing.dropped.len();
        assert!(
            listing.used <= 15_000 && told > 10,
            "{told} in {} characters",
            listing.used
        );
        let more = format!("Additional skills available (invoke by name): sk{told:03}, ");
        assert!(
            listing.text.contains(&more) && listing.text.contains("sk299\n</skill>"),
            "{}",
            listing.text
        );
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
    fn openhands_says_how_much_it_leaves_out() {
        let long = "x".repeat(1_034);
        let entries = [entry("a", &long)];
        let listing = of(Dialect::OpenHands, &entries);
        let notice = "... [10 characters truncated. Call invoke_skill(name=\"a\") to load the full skill]";
        assert!(listing.text.contains(notice), "{}", listing.text);
        assert_eq!(listing.shortened, ["a"]);
        let entries = [ListingEntry {
            left_out: 7,
            ..entry("b", "First line.")
        }];
        let text = of(Dialect::OpenHands, &entries).text;
        assert!(
            text.contains("<description>First line.... [7 characters truncated. Call"),
            "{text}"
        );
    }

    #[test]
    fn names_stay_and_descriptions_go_by_rank() {
        let long = "d".repeat(100);
        let used = |name, uses, days| ListingEntry {
            uses,
            days,
            ..entry(name, &long)
        };
        let entries = [
            used("never", 0, 0.0),
            used("lately", 2, 0.0),
            used("long-ago", 3, 70.0),
            ListingEntry {
                is_bundled: true,
                ..entry("bundled", &long)
            },
            ListingEntry {
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
    fn the_budget_is_a_part_of_the_window_or_fixed() {
        for (reader, tokens, expected) in [
            (Dialect::Claude, None, Some(8_000)),
            (Dialect::Claude, Some(200_000), Some(8_000)),
            (Dialect::Claude, Some(1_000_000), Some(40_000)),
            (Dialect::Claude, Some(1), Some(1)),
            (Dialect::Codex, None, Some(8_000)),
            (Dialect::Codex, Some(272_000), Some(21_760)),
            (Dialect::Copilot, Some(1_000_000), Some(15_000)),
            (Dialect::VsCode, None, Some(15_000)),
            (Dialect::Goose, Some(1), None),
        ] {
            let listing = listing(&[entry("a", "b")], reader.runtime(), Budget::Window(tokens), by_use);
            assert_eq!(listing.budget, expected, "{reader} {tokens:?}");
        }
    }

    // Read in the bundle of Visual Studio Code 1.139.1.
    #[test]
    fn vs_code_names_what_has_no_room_and_counts_the_rest() {
        let names: Vec<String> = (0..700).map(|at| format!("skill-{at:04}")).collect();
        let long = "d".repeat(900);
        let entries: Vec<ListingEntry<'_>> = names.iter().map(|name| entry(name, &long)).collect();
        let listing = of(Dialect::VsCode, &entries);
        let (listed, named) = listing
            .text
            .split_once("\nAdditional skills available (invoke by name): ")
            .unwrap();
        let shown = listed.matches("<skill>").count();
        assert!(listing.used <= 15_000 && (12..=16).contains(&shown), "{shown}");
        let (names, more) = named.split_once(", ... and ").unwrap();
        assert!(names.len() <= 5_000 && names.len() > 4_900, "{}", names.len());
        let left = 700 - shown - names.split(", ").count();
        assert_eq!(more, format!("{left} more\n</skills>"));
    }

    #[test]
    fn an_entry_has_1536_characters_at_most() {
        let (description, when) = ("é".repeat(1_000), "w".repeat(1_000));
        let entries = [ListingEntry {
            when_to_use: &when,
            ..entry("a", &description)
        }];
        let listing = of(Dialect::Claude, &entries);
        assert_eq!(listing.used, "- a: ".len() + MAX_ENTRY);
        assert_eq!(listing.shortened, ["a"]);
        assert!(listing.notice().unwrap().contains("descriptions of a"));
    }

    #[test]
    fn ten_thousand_skills_with_a_megabyte_are_listed() {
        let huge = "x".repeat(1 << 20);
        let entries: Vec<_> = (0..200).map(|_| entry("a", &huge)).collect();
        assert!(of(Dialect::Unified, &entries).text.len() < 10_000);
    }
}
