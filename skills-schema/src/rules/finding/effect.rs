//! What readers make of what a rule found. Rules name readers here as data; [`Finding::notes`] is the one place that puts
//! them in words, for the terminal, editors, machines and agents.

use crate::{
    dialect::{Dialect, Outcome, titles},
    facts::Facts,
    rules::Finding,
};

/// What one reader makes of what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The reader.
    pub reader: Dialect,
    /// What it does.
    pub fate: Fate,
    /// Why, or what it takes instead: in the program's own words where they are known.
    pub reason: Option<String>,
    /// It reads the folder that the file is in.
    pub is_here: bool,
}

/// What a reader does with a file, or with the part of it that was found; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It does not load the file.
    Refused,
    /// It does not look there.
    Unfound,
    /// It does not tell its model of the skill.
    Hidden,
    /// It tells its model of a skill that is to be kept from it.
    Told,
    /// It shows another name or description, or loads another skill.
    Altered,
    /// It cuts the value off.
    Cut,
    /// It passes over the field, or the skill.
    Ignored,
    /// It leaves a command as text.
    NotRun,
    /// It runs a command.
    Run,
    /// It repairs the text, and loads the file.
    Repaired,
    /// It reads the field, or takes the skill.
    Read,
}

impl Fate {
    /// Every fate, the worst first.
    pub const ALL: [Fate; 11] = [
        Fate::Refused,
        Fate::Unfound,
        Fate::Hidden,
        Fate::Told,
        Fate::Altered,
        Fate::Cut,
        Fate::Ignored,
        Fate::NotRun,
        Fate::Run,
        Fate::Repaired,
        Fate::Read,
    ];

    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Refused => "refused",
            Fate::Unfound => "unfound",
            Fate::Hidden => "hidden",
            Fate::Told => "told",
            Fate::Altered => "altered",
            Fate::Cut => "cut",
            Fate::Ignored => "ignored",
            Fate::NotRun => "notRun",
            Fate::Run => "run",
            Fate::Repaired => "repaired",
            Fate::Read => "read",
        }
    }

    /// What stands before the readers.
    fn words(self) -> &'static str {
        match self {
            Fate::Refused => "not loaded by",
            Fate::Unfound => "not found by",
            Fate::Hidden => "kept from the model by",
            Fate::Told => "told to the model by",
            Fate::Altered => "read otherwise by",
            Fate::Cut => "cut by",
            Fate::Ignored => "ignored by",
            Fate::NotRun => "not run by",
            Fate::Run => "run by",
            Fate::Repaired => "repaired by",
            Fate::Read => "read by",
        }
    }
}

impl Finding {
    /// Adds what a reader does. A reader has one fate in a finding: the first that is named stays, and takes the reason
    /// of a later one where it has none.
    pub fn affects(&mut self, facts: &Facts<'_>, reader: Dialect, fate: Fate, reason: Option<&str>) -> &mut Finding {
        let reason = reason.filter(|reason| !reason.is_empty()).map(str::to_owned);
        match self.readers.iter_mut().find(|effect| effect.reader == reader) {
            Some(known) if known.reason.is_none() => known.reason = reason,
            Some(_) => {}
            None => self.readers.push(Effect {
                reader,
                fate,
                reason,
                is_here: facts.is_read_by(reader),
            }),
        }
        self
    }

    /// Adds the same for several readers, without a reason.
    pub fn affects_all(
        &mut self,
        facts: &Facts<'_>,
        fate: Fate,
        readers: impl IntoIterator<Item = Dialect>,
    ) -> &mut Finding {
        for reader in readers {
            self.affects(facts, reader, fate, None);
        }
        self
    }

    /// Adds what other readers do that were asked apart.
    pub fn merge(&mut self, readers: Vec<Effect>) {
        for effect in readers {
            if !self.readers.iter().any(|known| known.reader == effect.reader) {
                self.readers.push(effect);
            }
        }
    }

    /// Adds the readers, of all there are, that drop the file for what was found.
    pub(in crate::rules) fn dropped(
        &mut self,
        facts: &Facts<'_>,
        outcome: impl Fn(Dialect) -> Outcome,
    ) -> &mut Finding {
        let drops = |reader: &Dialect| *reader != Dialect::Unified && outcome(*reader).is_refusal();
        let reads = |reader: &Dialect| facts.kind.is_read_by(*reader) && facts.is_asked(*reader);
        let readers = Dialect::ALL.into_iter().filter(reads).filter(drops);
        self.affects_all(facts, Fate::Refused, readers)
    }

    /// The readers in words, one line for each fate and then one for each reason: `not loaded by pi, which reads this
    /// folder, nor by thndrs`, `pi: description is required`. No line where no reader is named.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut reasons: Vec<(String, Vec<Dialect>)> = Vec::new();
        for fate in Fate::ALL {
            let of_fate: Vec<&Effect> = self.readers.iter().filter(|effect| effect.fate == fate).collect();
            if of_fate.is_empty() {
                continue;
            }
            // The message may be the reason, in the words of the reader.
            let reason = |effect: &Effect| effect.reason.clone().filter(|reason| *reason != self.message);
            let first = reason(of_fate[0]);
            let shared = first
                .as_ref()
                .filter(|_| of_fate.iter().all(|effect| reason(effect) == first));
            match shared {
                Some(reason) => notes.push(format!("{}: {reason}", readers_in_words(fate, &of_fate))),
                None => {
                    notes.push(readers_in_words(fate, &of_fate));
                    for effect in of_fate {
                        let Some(reason) = reason(effect) else { continue };
                        match reasons.iter_mut().find(|(other, _)| *other == reason) {
                            Some((_, readers)) => readers.push(effect.reader),
                            None => reasons.push((reason, vec![effect.reader])),
                        }
                    }
                }
            }
        }
        let reasons = reasons.into_iter();
        notes.extend(reasons.map(|(reason, readers)| format!("{}: {reason}", titles(readers))));
        notes
    }

    /// The message and the notes on one line, for those who are shown nothing else.
    pub fn summary(&self) -> String {
        let mut summary = self.message.clone();
        for note in self.notes() {
            summary += "; ";
            summary += &note;
        }
        summary
    }
}

/// The readers of one fate: those of the folder first, since the others are a matter of where the file goes next.
fn readers_in_words(fate: Fate, effects: &[&Effect]) -> String {
    let (here, elsewhere): (Vec<&Effect>, Vec<&Effect>) = effects.iter().partition(|effect| effect.is_here);
    let names = |effects: &[&Effect]| {
        let mut readers: Vec<Dialect> = effects.iter().map(|effect| effect.reader).collect();
        readers.sort_unstable();
        titles(readers)
    };
    let words = fate.words();
    let read = if here.len() == 1 { "reads" } else { "read" };
    match (here.is_empty(), elsewhere.is_empty()) {
        (true, _) => format!("{words} {}", names(&elsewhere)),
        (_, true) => format!("{words} {}", names(&here)),
        _ => {
            let and = if words.starts_with("not ") { "nor" } else { "and" };
            format!(
                "{words} {}, which {read} this folder, {and} by {}",
                names(&here),
                names(&elsewhere)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Report, Severity};

    fn notes(effects: &[(Dialect, Fate, Option<&str>)]) -> Vec<String> {
        let facts = Facts::of_path(".claude/skills/x/SKILL.md");
        let mut report = Report::of("name-format", Severity::Hint);
        let finding = report.add(text_size::TextRange::default(), "wrong");
        for (reader, fate, reason) in effects {
            finding.affects(&facts, *reader, *fate, *reason);
        }
        finding.notes()
    }

    #[test]
    fn readers_are_listed_by_their_fate_and_those_of_the_folder_first() {
        use Dialect::{AgentSkills, Claude, Crush, Pi};
        assert_eq!(notes(&[]), Vec::<String>::new());
        assert_eq!(notes(&[(Pi, Fate::Refused, None)]), ["not loaded by pi"]);
        assert_eq!(
            notes(&[(Pi, Fate::Refused, Some("no")), (Crush, Fate::Refused, Some("no"))]),
            ["not loaded by Crush, which reads this folder, nor by pi: no"]
        );
        assert_eq!(
            notes(&[
                (Claude, Fate::Ignored, None),
                (Crush, Fate::Refused, Some("no")),
                (AgentSkills, Fate::Refused, None),
            ]),
            [
                "not loaded by Crush, which reads this folder, nor by the Agent Skills validator",
                "ignored by Claude Code",
                "Crush: no",
            ]
        );
        // A reader that is named twice keeps its fate, and gets the reason that it lacks.
        assert_eq!(
            notes(&[(Pi, Fate::Refused, None), (Pi, Fate::Altered, Some("why"))]),
            ["not loaded by pi: why"]
        );
    }
}
