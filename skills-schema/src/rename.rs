//! Other names for skills and for their arguments.

use text_size::{TextRange, TextSize};
use thiserror::Error;

use crate::{
    arguments,
    fixes::Edit,
    links,
    skill_names::{SkillNameKind, skill_names},
    subject::{Parameter, UseKind, uses},
    syntax::{PlaceholderKind, SkillFile, range_of},
};

/// The longest name of a skill, in characters.
const LONGEST: usize = 64;

/// Why something can't have another name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRenamed {
    /// Some reader does not accept it as the name of a skill.
    #[error(
        "`{0}` can't be the name of a skill: use lower-case letters, digits and single hyphens between them, at most \
         {LONGEST} characters, such as `release-notes`"
    )]
    NoSkillName(String),
    /// Nobody would take it for an argument.
    #[error("`{0}` can't be the name of an argument: begin with a letter, and go on with letters, digits and `_`")]
    NoArgumentName(String),
    /// It is a name of the readers' own.
    #[error("`{0}` means something else in a skill; take another name")]
    Reserved(String),
    /// Another argument has it.
    #[error("there is an argument `{0}` already; take another name")]
    Taken(String),
    /// The text would mean something else.
    #[error("`${0}` stands in the text already and would become this argument; take another name")]
    Caught(String),
    /// There is no such argument.
    #[error("this argument is not declared")]
    Undeclared,
    /// In a block of several lines, or with escapes, the place of one name is not known.
    #[error("its declaration is not written plainly; put each name on a line of its own")]
    Unclear,
}

/// Whether every reader accepts a name for a skill; the error says what is wrong and what a name may be.
pub fn check_skill_name(name: &str) -> Result<(), NotRenamed> {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.len() <= LONGEST && name.split('-').all(is_part) {
        return Ok(());
    }
    Err(NotRenamed::NoSkillName(name.to_owned()))
}

/// The edits of one text that follow when a skill gets another name. `is_own` says that it is the skill's own file.
pub fn skill(file: &SkillFile, old: &str, new: &str, is_own: bool) -> Vec<Edit> {
    skill_names(file)
        .into_iter()
        .filter(|it| match it.kind {
            SkillNameKind::Own => is_own,
            SkillNameKind::Listed | SkillNameKind::Mentioned => it.name == old,
        })
        .map(|it| Edit::replace(it.range, new))
        .collect()
}

/// The edits of the paths of one text that lead through a folder which gets another name, wherever they stand: in links,
/// in words and code, and in fields. All folders are paths with `/` between the parts: `folder` is the one that the text
/// lies in, `roots` are those of the workspace, where attachments and commands begin, `moved` is the one that is renamed.
pub fn paths_into(file: &SkillFile, folder: &str, roots: &[String], moved: &str, new: &str) -> Vec<Edit> {
    let linked = file.markdown().destinations();
    let linked = linked.filter_map(|it| part_of(file, it.range, folder, moved));
    let written = paths_to(file, moved.rsplit('/').next().unwrap_or(moved)).filter_map(|(base, range)| {
        let roots = roots.iter().map(String::as_str);
        let bases: Vec<&str> = match base {
            Base::Unsaid => std::iter::once(folder).chain(roots).collect(),
            Base::Folder => vec![folder],
            Base::Root => roots.collect(),
            Base::Disk => vec![""],
        };
        bases.into_iter().find_map(|base| part_of(file, range, base, moved))
    });
    let mut parts: Vec<TextRange> = linked.chain(written).collect();
    parts.sort_by_key(|part| part.start());
    parts.dedup();
    parts.into_iter().map(|part| Edit::replace(part, new)).collect()
}

/// Where a path begins.
#[derive(Clone, Copy)]
enum Base {
    /// Beside the text or at a root: readers and writers differ.
    Unsaid,
    /// In the folder of the text.
    Folder,
    /// At a root of the workspace.
    Root,
    /// At that of the disk.
    Disk,
}

/// How a path says where it begins.
const BASES: [(&str, Base); 6] = [
    ("${CLAUDE_SKILL_DIR}/", Base::Folder),
    ("$CLAUDE_SKILL_DIR/", Base::Folder),
    ("${CLAUDE_PROJECT_DIR}/", Base::Root),
    ("$CLAUDE_PROJECT_DIR/", Base::Root),
    ("/", Base::Disk),
    ("@", Base::Unsaid),
];

/// The words of a text that are paths, each up to a part of that name and without what says where it begins.
fn paths_to<'a>(file: &'a SkillFile, name: &'a str) -> impl Iterator<Item = (Base, TextRange)> + 'a {
    let text = &*file.text;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let is_path = move |c: char| is_part(c) || "/.+@%${}".contains(c);
    text.match_indices(name).filter_map(move |(at, _)| {
        let (end, rest) = (at + name.len(), &text[at + name.len()..]);
        let goes_on = rest.strip_prefix('.').unwrap_or(rest).starts_with(is_part);
        let word = &text[text[..at].trim_end_matches(is_path).len()..end];
        if goes_on || !(word.contains('/') || rest.starts_with('/')) {
            return None;
        }
        let mut bases = BASES.iter();
        let said = bases.find_map(|(sign, base)| Some((*base, word.strip_prefix(sign)?)));
        let (base, path) = said.unwrap_or((Base::Unsaid, word));
        Some((base, range_of(end - path.len(), end)))
    })
}

/// The part of a relative path that is the last part of a folder.
fn part_of(file: &SkillFile, range: TextRange, folder: &str, moved: &str) -> Option<TextRange> {
    let text = file.slice(range);
    let path = text.split(['#', '?']).next()?;
    if path.is_empty() || path.starts_with('/') || path.contains([':', '$']) {
        return None;
    }
    let mut resolved: Vec<String> = folder.split('/').map(str::to_owned).collect();
    let mut at = range.start();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = resolved.pop(),
            part => {
                resolved.push(links::decoded(part));
                if resolved.join("/") == moved {
                    return Some(TextRange::at(at, TextSize::of(part)));
                }
            }
        }
        at += TextSize::of(part) + TextSize::from(1);
    }
    None
}

/// The edits that give an argument or an input another name: its declaration, its uses and the hint. Uses by number
/// stay. The error says why the name can't be taken.
pub fn parameter(file: &SkillFile, parameter: Parameter, new: &str) -> Result<Vec<Edit>, NotRenamed> {
    let (all, index, allows_hyphen) = match parameter {
        Parameter::Argument(index) => (arguments::declared(file), index, true),
        Parameter::Input(index) => (arguments::inputs(file), index, false),
    };
    let Some(declared) = all.get(index) else {
        return Err(NotRenamed::Undeclared);
    };
    let starts = new.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c == '-' && allows_hyphen);
    if !starts || !new.chars().all(is_part) {
        return Err(NotRenamed::NoArgumentName(new.to_owned()));
    }
    if new == "ARGUMENTS" || new.starts_with("CLAUDE_") {
        return Err(NotRenamed::Reserved(new.to_owned()));
    }
    let others = all.iter().enumerate().filter(|(at, _)| *at != index);
    if others.into_iter().any(|(_, other)| other.name == new) {
        return Err(NotRenamed::Taken(new.to_owned()));
    }
    let catches = file.markdown().placeholders.iter().any(|it| {
        it.kind == PlaceholderKind::Undeclared && file.slice(it.range).get(1..) == Some(new) && declared.name != new
    });
    if catches {
        return Err(NotRenamed::Caught(new.to_owned()));
    }
    let mut edits = Vec::new();
    for it in uses(file, parameter) {
        match it.kind {
            UseKind::Numbered => {}
            _ if file.slice(it.range) == declared.name => edits.push(Edit::replace(it.range, new)),
            _ => return Err(NotRenamed::Unclear),
        }
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixes::apply,
        subject::{Subject, parameter_at, subject},
    };

    fn renamed(text: &str, new: &str) -> Result<String, NotRenamed> {
        let at = text.find('§').unwrap();
        let text = text.replace('§', "");
        let file = SkillFile::parse(text.as_str().into());
        let (it, _) = parameter_at(&file, TextSize::try_from(at).unwrap()).unwrap();
        Ok(apply(&text, &parameter(&file, it, new)?))
    }

    #[test]
    fn an_argument_is_renamed_with_its_uses_and_the_hint() {
        let text =
            "---\narguments: file target\nargument-hint: \"[file] [target] profile\"\n---\n$fi§le $0 \\$file $target\n";
        let expected = text.replace('§', "").replace("arguments: file", "arguments: path");
        let expected = expected.replace("[file]", "[path]").replacen("\n$file", "\n$path", 1);
        assert_eq!(renamed(text, "path").unwrap(), expected);
        let list = "---\narguments:\n  - \"fi§le\"\n  - b\n---\n$ARGUMENTS[0] $file\n";
        assert_eq!(
            renamed(list, "a-b").unwrap(),
            "---\narguments:\n  - \"a-b\"\n  - b\n---\n$ARGUMENTS[0] $a-b\n"
        );
        let input = "---\ninputs:\n- name: what\n---\n${wh§at} ${other}\n";
        assert_eq!(
            renamed(input, "thing").unwrap(),
            "---\ninputs:\n- name: thing\n---\n${thing} ${other}\n"
        );
    }

    #[test]
    fn a_name_that_means_something_else_is_refused() {
        let text = "---\narguments: fi§le b\n---\n$file $taken\n";
        for (new, why) in [
            ("b", "already"),
            ("ARGUMENTS", "something else"),
            ("1a", "begin with a letter"),
            ("a b", "begin with a letter"),
            ("", "begin with a letter"),
            ("taken", "stands in the text"),
        ] {
            let error = renamed(text, new).unwrap_err();
            assert!(error.to_string().contains(why), "{new}: {error}");
        }
        let folded = "---\narguments: >\n  fi§le\n---\n$file\n";
        assert!(renamed(folded, "x").is_err());
    }

    #[test]
    fn a_skill_is_renamed_where_it_is_named() {
        let text = "---\nname: other\nrequires: [deploy, deploy-all]\n---\nRun `/deploy`, /deploy-all, $deploy; see \
                    [it](../deploy/notes.md#deploy) and [x]: ../deploy/x\n\n[r]: <../deploy/a b.md>\n";
        let file = SkillFile::parse(text.into());
        let mut edits = skill(&file, "deploy", "ship", false);
        edits.extend(paths_into(&file, "/w/skills/other", &[], "/w/skills/deploy", "ship"));
        edits.sort_by_key(|edit| edit.range.start());
        assert_eq!(
            apply(text, &edits),
            "---\nname: other\nrequires: [ship, deploy-all]\n---\nRun `/ship`, /deploy-all, $ship; see \
             [it](../ship/notes.md#deploy) and [x]: ../ship/x\n\n[r]: <../ship/a b.md>\n"
        );
        assert_eq!(skill(&file, "other", "new", true).len(), 1, "the file's own name");
    }

    #[test]
    fn a_path_through_the_folder_follows_it_wherever_it_is_written() {
        let renamed = |text: &str| {
            let file = SkillFile::parse(text.into());
            let roots = ["/w".to_owned(), "/v".to_owned()];
            let edits = paths_into(
                &file,
                "/w/.claude/skills/other",
                &roots,
                "/w/.claude/skills/alpha",
                "beta",
            );
            apply(text, &edits)
        };
        for text in [
            "See @.claude/skills/alpha/SKILL.md.",
            "Run `.claude/skills/alpha/scripts/h.sh`, or `../alpha/scripts/h.sh x`.",
            "```sh\npython3 ./.claude/skills/alpha/scripts/h.py --in=../alpha/a.json\n```\n",
            "The folder ../alpha, and ../alpha.",
            "/w/.claude/skills/alpha/SKILL.md and \"${CLAUDE_PROJECT_DIR}/.claude/skills/alpha\"",
            "${CLAUDE_SKILL_DIR}/../alpha/x.sh $CLAUDE_PROJECT_DIR/.claude/skills/alpha/x.sh",
            "---\nreferences: [../alpha/r.md]\nallowed-tools: Bash(.claude/skills/alpha/x.sh *)\n---\n",
            "[a](../alpha/a.md) [b]\n\n[b]: <../../../.claude/skills/alpha/b c.md>\n",
        ] {
            assert_eq!(renamed(text), text.replace("alpha", "beta"), "{text}");
        }
        for text in [
            "alpha/x ../alpha-two/x ../alpha.md ../alpha_x alpha",
            "./alpha/x skills/alpha/x .claude/skills/other/alpha",
            "https://a.b/.claude/skills/alpha/x /.claude/skills/alpha/x ~/.claude/skills/alpha/x",
            "${CLAUDE_SKILL_DIR}/.claude/skills/alpha/x ${CLAUDE_PROJECT_DIR}/../alpha ${OTHER}/../alpha",
        ] {
            assert_eq!(renamed(text), text);
        }
    }

    #[test]
    fn names_of_skills_are_those_that_every_reader_accepts() {
        for name in ["a", "release-notes", "a1-2"] {
            assert_eq!(check_skill_name(name), Ok(()));
        }
        for name in ["", "-a", "a-", "a--b", "A", "a b", "a/b", "..", "é", &"a".repeat(65)] {
            assert!(check_skill_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_word_stands_for_what_is_declared_elsewhere() {
        let text = "---\nname: deploy\nreferences:\n  - notes.md\narguments: file\n---\n$file /ship [a](b.md) plain\n";
        let file = SkillFile::parse(text.into());
        let at = |word: &str| subject(&file, TextSize::try_from(text.rfind(word).unwrap()).unwrap());
        assert!(matches!(at("deploy"), Some(Subject::Skill(_))));
        assert!(matches!(at("ship"), Some(Subject::Skill(_))));
        assert!(matches!(at("file /"), Some(Subject::Parameter(Parameter::Argument(0)))));
        assert!(matches!(at("b.md"), Some(Subject::Link(_))));
        assert!(matches!(at("notes.md"), Some(Subject::Link(_))));
        assert_eq!(at("plain"), None);
    }
}
