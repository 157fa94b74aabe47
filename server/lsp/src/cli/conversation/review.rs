//! What the agent changed, in the terminal: it is listed with numbers, and a line says what happens to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::Conversation;
use crate::cli::output;
use crate::printable::printable;
use crate::protocol::commands;
use crate::protocol::{EDIT_RESOLVE, ListedChanges, ListedHunk, ResolveAction, ResolveAnswer, ResolveParams};

/// How a decision is typed.
const USAGE: &str = "keep or undo, then numbers, the name of a file, turn (the last one) or all, such as: undo 1 3; an \
                     empty line leaves all as it is";

/// The hunks that are listed: number 1 is the first.
pub(super) type Review = Vec<ListedHunk>;

impl Conversation {
    /// Lists what nobody decided about yet; the next lines decide.
    pub(super) async fn show_changes(&mut self) -> Result<()> {
        if !self.show_left().await? {
            output::note("the agent changed nothing that you have not decided about");
        }
        Ok(())
    }

    /// Lists what is left to decide, and says whether anything is.
    async fn show_left(&mut self) -> Result<bool> {
        let session = json!([self.attached.session_id]);
        let listed: ListedChanges = serde_json::from_value(self.execute(commands::CHANGES, session).await?)?;
        self.review = None;
        if listed.hunks.is_empty() {
            return Ok(false);
        }
        let mut place = ("", "");
        for (number, hunk) in listed.hunks.iter().enumerate() {
            if place != (&hunk.path, &hunk.turn_id) {
                place = (&hunk.path, &hunk.turn_id);
                let path = self.relative(&hunk.path);
                output::note(&format!("{} (turn {})", printable(path), printable(&hunk.turn_id)));
            }
            output::note(&format!("  {}: line {}", number + 1, hunk.line));
            for line in hunk.diff.lines() {
                output::note(&format!("     {}", printable(line)));
            }
        }
        if listed.more > 0 {
            output::note(&format!(
                "  and {} more, which are listed once these are decided",
                listed.more
            ));
        }
        output::note(USAGE);
        self.review = Some(listed.hunks);
        Ok(true)
    }

    /// Does what a line says of the listed changes; lists what is left.
    pub(super) async fn decide(&mut self, line: &str) -> Result<()> {
        let Some(review) = self.review.take() else {
            return Ok(());
        };
        if line.is_empty() {
            output::note("left as it is");
            return Ok(());
        }
        let (action, chosen) = match chosen(line, &review, &self.attached.folders) {
            Ok(chosen) => chosen,
            Err(problem) => {
                output::note(&format!("{problem}; {USAGE}"));
                self.review = Some(review);
                return Ok(());
            }
        };
        let mut changes: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for hunk in chosen {
            changes.entry(hunk.change_id).or_default().insert(hunk.hunk_id);
        }
        let (mut done, mut why) = (0, None);
        // What was changed last is taken back first: it may stand on what was changed before.
        for (change_id, hunks) in changes.into_iter().rev() {
            let params = ResolveParams {
                session_id: Some(self.attached.session_id.clone()),
                change_id,
                hunk_ids: hunks.iter().copied().collect(),
                action,
            };
            match self.link.request(EDIT_RESOLVE, json!(params)).await {
                Ok(answer) => {
                    let answer: ResolveAnswer = serde_json::from_value(answer)?;
                    let left = hunks.iter().filter(|hunk| answer.remaining.contains(hunk)).count();
                    done += hunks.len() - left;
                    why = why.or(answer.reason);
                }
                Err(error) => why = why.or(Some(error.to_string())),
            }
        }
        let why = why.map(|why| format!(": {}", printable(&why))).unwrap_or_default();
        let why = why.as_str();
        output::note(&match (action, done) {
            (ResolveAction::Keep, 0) => format!("nothing was kept{why}"),
            (ResolveAction::Undo, 0) => format!("nothing was taken back{why}"),
            (ResolveAction::Keep, _) => format!("kept {done} of the changes"),
            (ResolveAction::Undo, _) if why.is_empty() => format!("took back {done} of the changes"),
            (ResolveAction::Undo, _) => format!("took back {done} of the changes; others stay{why}"),
        });
        // What was typed over since could not be taken back.
        self.show_left().await?;
        Ok(())
    }

    fn relative<'a>(&self, path: &'a str) -> &'a str {
        relative(path, &self.attached.folders)
    }
}

/// The path below the folder of the workspace that it is in.
fn relative<'a>(path: &'a str, folders: &[String]) -> &'a str {
    let inner = folders
        .iter()
        .find_map(|folder| Path::new(path).strip_prefix(folder).ok());
    inner.and_then(Path::to_str).unwrap_or(path)
}

/// What a line says is to be done, and with which hunks; the error says what it does not say.
fn chosen<'a>(
    line: &str,
    review: &'a [ListedHunk],
    folders: &[String],
) -> Result<(ResolveAction, Vec<&'a ListedHunk>), String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let action = match word {
        "k" | "keep" => ResolveAction::Keep,
        "u" | "undo" => ResolveAction::Undo,
        _ => return Err(format!("{word} says neither keep nor undo")),
    };
    let rest = rest.trim();
    let of = |is_meant: &dyn Fn(&ListedHunk) -> bool| review.iter().filter(|hunk| is_meant(hunk)).collect::<Vec<_>>();
    let last_turn = review.iter().max_by_key(|hunk| hunk.change_id);
    let hunks = match rest {
        "" => return Err(format!("{word} what?")),
        "all" => of(&|_| true),
        "turn" => of(&|hunk| last_turn.is_some_and(|last| last.turn_id == hunk.turn_id)),
        _ if rest
            .split([',', ' '])
            .all(|part| part.is_empty() || part.parse::<usize>().is_ok()) =>
        {
            let numbers: BTreeSet<usize> = rest.split([',', ' ']).filter_map(|part| part.parse().ok()).collect();
            if let Some(unknown) = numbers.iter().find(|number| !(1..=review.len()).contains(*number)) {
                return Err(format!("there is no number {unknown}"));
            }
            numbers.iter().map(|number| &review[number - 1]).collect()
        }
        path => of(&|hunk| hunk.path == path || relative(&hunk.path, folders) == path),
    };
    if hunks.is_empty() {
        return Err(format!("nothing is listed of {rest}"));
    }
    Ok((action, hunks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_happens_to_which_changes() {
        let hunk = |change_id, hunk_id, turn: &str, path: &str| ListedHunk {
            change_id,
            hunk_id,
            turn_id: turn.to_owned(),
            path: path.to_owned(),
            line: 1,
            diff: String::new(),
        };
        let review = [
            hunk(1, 1, "t1", "/w/a.rs"),
            hunk(1, 2, "t1", "/w/a.rs"),
            hunk(3, 1, "t2", "/w/a.rs"),
            hunk(2, 1, "t1", "/w/b c/7"),
        ];
        let folders = ["/w".to_owned()];
        let (keep, undo) = (ResolveAction::Keep, ResolveAction::Undo);
        for (line, expected) in [
            ("undo 1", Ok((undo, vec![0]))),
            ("u 3, 1 1", Ok((undo, vec![0, 2]))),
            ("keep a.rs", Ok((keep, vec![0, 1, 2]))),
            ("k /w/a.rs", Ok((keep, vec![0, 1, 2]))),
            ("keep b c/7", Ok((keep, vec![3]))),
            ("undo turn", Ok((undo, vec![2]))),
            ("keep  all", Ok((keep, vec![0, 1, 2, 3]))),
            ("undo 5", Err("there is no number 5")),
            ("undo 0", Err("there is no number 0")),
            ("undo", Err("undo what?")),
            ("undo z.rs", Err("nothing is listed of z.rs")),
            ("yes", Err("yes says neither keep nor undo")),
            ("1", Err("1 says neither keep nor undo")),
        ] {
            let chosen = chosen(line, &review, &folders);
            let places = |hunks: Vec<&ListedHunk>| -> Vec<usize> {
                let place = |hunk: &&ListedHunk| review.iter().position(|it| it == *hunk).unwrap();
                hunks.iter().map(place).collect()
            };
            let chosen = chosen.map(|(action, hunks)| (action, places(hunks)));
            assert_eq!(chosen, expected.map_err(str::to_owned), "{line}");
        }
    }
}
