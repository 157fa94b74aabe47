//! What a check must know beside the text.

mod copies;
mod folder;
mod index;
mod names;
mod script;

use crate::{
    dialect::{Dialect, Outcome, Profile, View, runtime::Runtime},
    levels::Levels,
    severity::Severity,
};

pub use crate::{kind::FileKind, paths::normal};
pub(crate) use copies::are_copies;
pub use copies::{SKILL_FOLDERS, SkillCopy, place_of_copy};
pub(crate) use folder::anchors;
pub use folder::{
    Dangling, EntryKind, Folder, FolderEntry, Found, Outline, Plugin, Reference, ReferenceKind, references,
};
pub use index::FileIndex;
pub use names::{Named, Names, Standing};
pub use script::{NamedScript, Prompt, Script, ScriptStart, scripts, scripts_in, scripts_of_hooks};

/// What the caller knows about a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The system that the file is written for.
    pub dialect: Dialect,
    /// Which profile of it counts; `None` leaves that to what is asked.
    pub profile: Option<Profile>,
    /// What sort of file it is.
    pub kind: FileKind,
    /// Where the file lies, with `/` separators; empty for an unsaved text.
    pub path: &'a str,
    /// The name of the folder that the file stands in; `None` for an unsaved text.
    pub folder: Option<&'a str>,
    /// Other systems that read the files of this place. What makes one of them drop the file is a warning.
    pub readers: &'a [Dialect],
    /// Systems that the person wants to read the file like its own, wherever they look. What makes one of them drop it is
    /// an error.
    pub wanted: &'a [Dialect],
    /// The file is no UTF-8, and its text has replacement characters for the bytes that are none.
    pub invalid_utf8: bool,
    /// What is around the file. Rules that need what is not known here say nothing.
    pub around: Around<'a>,
    /// The severity of the rules; `None` for each rule's own.
    pub levels: Option<&'a Levels>,
}

/// What is around a file: the caller looks, the rules only compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// The files beside it, and those elsewhere that it names.
    pub folder: Option<&'a Folder>,
    /// All skills that there are.
    pub names: Option<&'a dyn Names>,
    /// The files of each folder of the workspace that the file's patterns may mean; empty while they are not known.
    pub files: &'a [&'a FileIndex],
}

impl Around<'_> {}

impl<'a> Facts<'a> {
    /// What a path alone says; it has `/` separators.
    pub fn of_path(path: &'a str) -> Facts<'a> {
        Facts::of_place(path, FileKind::of_path(path).unwrap_or_default())
    }

    /// What a path says of a file whose sort is known; it has `/` separators.
    pub fn of_place(path: &'a str, kind: FileKind) -> Facts<'a> {
        let (dialect, readers) = kind.readers(path);
        Facts {
            dialect,
            kind,
            path,
            folder: kind.folder(path),
            readers,
            ..Facts::default()
        }
    }

    /// The profile of the file's reader that the server itself follows.
    pub fn runtime(&self) -> &'static Runtime {
        let (dialect, profile) = (self.dialect, self.profile);
        View { dialect, profile }.runtime()
    }

    /// The profile of the file's reader that its triggers and patterns are checked against.
    pub fn checked(&self) -> &'static Runtime {
        match self.profile {
            Some(_) => self.runtime(),
            None => self.dialect.checked(),
        }
    }

    /// Whether that system looks for skills in this place.
    pub fn is_read_by(&self, dialect: Dialect) -> bool {
        self.dialect == dialect || self.readers.contains(&dialect)
    }

    /// Whether anything is said of a system: of each agent always, of the others where the person named them.
    pub fn is_asked(&self, dialect: Dialect) -> bool {
        !dialect.reader().on_request || self.is_read_by(dialect)
    }

    /// How severe a finding is in this file: by its own dialect, and at least as a warning where another reader of
    /// the place drops or misreads the file.
    pub fn severity(&self, outcome: impl Fn(Dialect) -> Outcome) -> Option<Severity> {
        let own = outcome(self.dialect).severity();
        let dropped = self.readers.iter().any(|reader| outcome(*reader) >= Outcome::Misreads);
        let wanted = self.wanted.iter().map(|reader| outcome(*reader));
        let wanted = wanted.filter(|outcome| *outcome >= Outcome::Misreads);
        own.into_iter()
            .chain(dropped.then_some(Severity::Warning))
            .chain(wanted.filter_map(Outcome::severity))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_one_that_holds_the_file() {
        assert_eq!(Facts::of_path(".claude/skills/deploy/SKILL.md").folder, Some("deploy"));
        assert_eq!(Facts::of_path("SKILL.md").folder, None);
        assert_eq!(Facts::of_path("/SKILL.md").folder, None);
        assert_eq!(Facts::of_path(".agents/skills/python.md").folder, None);
    }

    #[test]
    fn a_plain_file_of_the_shared_folder_is_openhands_alone() {
        let cases = [
            (".agents/skills/python.md", Dialect::OpenHands),
            ("home/.agents/skills/python.md", Dialect::OpenHands),
            (".openhands/microagents/repo.md", Dialect::OpenHands),
            (".openhands/skills/python.md", Dialect::OpenHands),
        ];
        for (path, dialect) in cases {
            let facts = Facts::of_path(path);
            assert_eq!((facts.dialect, facts.readers), (dialect, &[][..]), "{path}");
        }
        let shared = Facts::of_path(".agents/skills/python/SKILL.md");
        assert!(shared.dialect == Dialect::Unified && shared.is_read_by(Dialect::Codex));
    }
}
