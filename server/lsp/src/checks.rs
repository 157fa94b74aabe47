//! How files are found, read and checked, as a person or a repository configures it.
//!
//! These are settings that widen nothing, so a workspace may bring them in `skills-ls.yaml`. What stands in front goes
//! first: the editor's settings, the workspace's file, the person's file in the configuration folder. The file of a
//! workspace names folders of skills inside of it alone.

mod file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use skills_agent::catalog;
use skills_schema::dialect::{Dialect, Profiles};
use skills_schema::glob::{Flavour, PathMatcher};
use skills_schema::levels::Levels;
use skills_schema::rules;

use crate::environment::Environment;
use crate::paths::resolved;

pub use file::{Problem, Read};

/// The name of the configuration file.
pub const FILE: &str = "skills-ls.yaml";

/// How files are found, read and checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checks {
    /// Further folders of skills, as they are written: absolute, from the home with `~/`, or from the workspace's folder.
    pub directories: Vec<String>,
    /// Bundled skills that the person does not want, by name.
    pub bundled_disabled: Vec<String>,
    /// How the patterns of `paths` are read; unset, as each skill's own system does.
    pub flavour: Option<Flavour>,
    /// The severity of the rules.
    pub levels: Levels,
    /// Who reads the files below the workspace's folder that a pattern matches; the first that matches counts.
    dialects: Vec<(Pattern, Dialect)>,
    /// Which profile of each reader counts.
    pub profiles: Profiles,
    /// Other systems that are to read the files; empty for those that read the place of a file anyway.
    pub readers: Vec<Dialect>,
    ignored: Vec<Ignored>,
}

/// What is not reported in some files.
#[derive(Debug, Clone, PartialEq)]
struct Ignored {
    files: Pattern,
    /// Codes; none means all.
    rules: Vec<String>,
}

/// A pattern of paths below the workspace's folder.
#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    matcher: PathMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The checks of every folder of the workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checking {
    /// For files of no folder.
    elsewhere: Arc<Checks>,
    folders: Vec<(PathBuf, Arc<Checks>)>,
}

/// What could not be understood of a setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The key below the setting's own that it is about; `None` for the whole value.
    pub below: Option<String>,
    /// What is wrong, for the person.
    pub message: String,
}

/// One setting of this kind: its key, and how its value is taken.
type Setting = (&'static str, fn(&mut Checks, &Value) -> Vec<Wrong>);

/// The settings of this kind.
pub const SETTINGS: &[Setting] = &[
    ("directories", |checks, value| {
        texts(value, "directories", &mut checks.directories)
    }),
    ("bundled.disabled", |checks, value| {
        texts(value, "bundled.disabled", &mut checks.bundled_disabled)
    }),
    ("paths.flavour", Checks::take_flavour),
    ("rules", Checks::take_rules),
    ("dialects", Checks::take_dialects),
    ("dialectProfiles", Checks::take_profiles),
    ("readers", Checks::take_readers),
    ("ignore", Checks::take_ignored),
];

impl Checks {
    /// These checks where they say something, the others elsewhere.
    pub fn over(&self, base: &Self) -> Self {
        let (own, others) = (&self.dialects, &base.dialects);
        let both = |own: &[String], others: &[String]| own.iter().chain(others).cloned().collect();
        Self {
            directories: both(&self.directories, &base.directories),
            bundled_disabled: both(&self.bundled_disabled, &base.bundled_disabled),
            flavour: self.flavour.or(base.flavour),
            levels: self.levels.over(&base.levels),
            dialects: own.iter().chain(others).cloned().collect(),
            profiles: self.profiles.over(&base.profiles),
            readers: if self.readers.is_empty() {
                &base.readers
            } else {
                &self.readers
            }
            .clone(),
            ignored: self.ignored.iter().chain(&base.ignored).cloned().collect(),
        }
    }

    /// Who reads a file, by its path from the workspace's folder.
    pub fn dialect(&self, path: &str) -> Option<Dialect> {
        let matches = |(pattern, _): &&(Pattern, Dialect)| pattern.matcher.matches(path).is_some();
        self.dialects.iter().find(matches).map(|(_, dialect)| *dialect)
    }

    /// Whether a finding of that code is left out in a file, by its path from the workspace's folder.
    pub fn ignores(&self, path: &str, code: &str) -> bool {
        self.ignored.iter().any(|ignored| {
            let is_meant = ignored.rules.is_empty() || ignored.rules.iter().any(|rule| rule == code);
            is_meant && ignored.files.matcher.matches(path).is_some()
        })
    }

    /// What the catalog of skills needs to know, for the files of a folder.
    fn configured(&self, folder: PathBuf) -> catalog::Configured {
        let dialects = self.dialects.iter();
        catalog::Configured {
            folder,
            dialects: dialects
                .map(|(pattern, dialect)| (pattern.matcher.clone(), *dialect))
                .collect(),
            profiles: self.profiles.clone(),
            flavour: self.flavour,
        }
    }

    /// Leaves the further folders that lie inside of the workspace's; the texts name the others.
    fn keep_inside(&mut self, folder: &Path) -> Vec<Wrong> {
        let is_inside = |text: &String| !text.starts_with("~/") && resolved(&folder.join(text)).starts_with(folder);
        let (inside, others) = std::mem::take(&mut self.directories).into_iter().partition(is_inside);
        self.directories = inside;
        let wrong = |text: String| {
            let outside = "lies outside of this folder; name it in your own settings or skills-ls.yaml";
            Wrong::new(format!("`directories`: {text} {outside}"))
        };
        let others: Vec<String> = others;
        others.into_iter().map(wrong).collect()
    }

    fn take_flavour(&mut self, value: &Value) -> Vec<Wrong> {
        self.flavour = value.as_str().and_then(Flavour::of);
        let wrong = || {
            Wrong::new(format!(
                "`paths.flavour` is {value}; it must be claude, openhands or gitignore"
            ))
        };
        self.flavour.is_none().then(wrong).into_iter().collect()
    }

    fn take_rules(&mut self, value: &Value) -> Vec<Wrong> {
        each(value, "rules", |code, level| match level {
            Value::String(level) => rules::set_level(&mut self.levels, code, level).map_err(Wrong::new),
            // YAML reads `off` as a boolean where it has no quotes.
            Value::Bool(false) => rules::set_level(&mut self.levels, code, "off").map_err(Wrong::new),
            _ => Err(Wrong::new(format!(
                "`{code}` is {level}; it must be off, hint, info, warning or error"
            ))),
        })
    }

    fn take_dialects(&mut self, value: &Value) -> Vec<Wrong> {
        each(value, "dialects", |files, name| {
            let name = name
                .as_str()
                .ok_or_else(|| format!("`{files}` is {name}; it must be a dialect's name"))?;
            let dialect = name.parse().map_err(|error| format!("`{files}`: {error}"))?;
            self.dialects.push((Pattern::new(files)?, dialect));
            Ok(())
        })
    }

    fn take_profiles(&mut self, value: &Value) -> Vec<Wrong> {
        each(value, "dialectProfiles", |dialect, profile| {
            let profile = profile.as_str().ok_or_else(|| {
                format!("`{dialect}` is {profile}; it must be documented, current or a version in quotes")
            })?;
            self.profiles.set(dialect, profile).map_err(Wrong::new)
        })
    }

    fn take_readers(&mut self, value: &Value) -> Vec<Wrong> {
        let Some(names) = value.as_array() else {
            return vec![Wrong::new("`readers` must be a list of dialects")];
        };
        let mut problems = Vec::new();
        for name in names {
            match name.as_str().unwrap_or_default().parse() {
                Ok(dialect) => self.readers.push(dialect),
                Err(error) => problems.push(Wrong::new(format!("`readers`: {error}"))),
            }
        }
        problems
    }

    fn take_ignored(&mut self, value: &Value) -> Vec<Wrong> {
        let Some(items) = value.as_array() else {
            return vec![Wrong::new(
                "`ignore` must be a list of {files: pattern, rules: [codes]}",
            )];
        };
        let mut problems = Vec::new();
        for item in items {
            match Ignored::of(item) {
                Ok(ignored) => {
                    let unknown = ignored.rules.iter().filter(|code| rules::find(code).is_none());
                    problems.extend(
                        unknown.map(|code| Wrong::new(format!("`ignore`: {}", rules::UnknownRule(code.clone())))),
                    );
                    self.ignored.push(ignored);
                }
                Err(problem) => problems.push(problem),
            }
        }
        problems
    }
}

impl Wrong {
    fn new(message: impl ToString) -> Self {
        Self {
            below: None,
            message: message.to_string(),
        }
    }
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

/// Takes a list of texts; gives what is wrong with it.
fn texts(value: &Value, key: &str, target: &mut Vec<String>) -> Vec<Wrong> {
    let items = value.as_array().map(|items| items.iter().map(Value::as_str));
    match items.and_then(|mut items| items.by_ref().collect::<Option<Vec<_>>>()) {
        Some(texts) => target.extend(texts.into_iter().map(str::to_owned)),
        None => return vec![Wrong::new(format!("`{key}` is {value}; it must be a list of texts"))],
    }
    Vec::new()
}

/// Takes every entry of a mapping; gives what is wrong with them.
fn each(value: &Value, key: &str, mut take: impl FnMut(&str, &Value) -> Result<(), Wrong>) -> Vec<Wrong> {
    let Value::Object(members) = value else {
        return vec![Wrong::new(format!("`{key}` must hold `key: value` lines"))];
    };
    let members: &Map<String, Value> = members;
    let wrong = |(name, value): (&String, &Value)| {
        let problem = take(name, value).err()?;
        Some(Wrong {
            below: Some(name.clone()),
            message: format!("`{key}`: {}", problem.message),
        })
    };
    members.iter().filter_map(wrong).collect()
}

impl Ignored {
    fn of(value: &Value) -> Result<Self, Wrong> {
        let files = value["files"].as_str();
        let files =
            files.ok_or_else(|| Wrong::new("`ignore`: every entry needs `files`, a pattern such as \"vendor/**\""))?;
        let rules = match &value["rules"] {
            Value::Null => Vec::new(),
            Value::Array(codes) => codes
                .iter()
                .map(|code| code.as_str().unwrap_or_default().to_owned())
                .collect(),
            other => return Err(format!("`ignore`: `rules` is {other}; it must be a list of codes").into()),
        };
        Ok(Self {
            files: Pattern::new(files).map_err(|problem| format!("`ignore`: {}", problem.message))?,
            rules,
        })
    }
}

impl Pattern {
    fn new(text: &str) -> Result<Self, Wrong> {
        let matcher = PathMatcher::new([text]);
        if !matcher.is_valid(0) {
            return Err(format!("`{text}` is no pattern; write it as `docs/**/SKILL.md`").into());
        }
        Ok(Self {
            text: text.to_owned(),
            matcher,
        })
    }
}

impl Checking {
    /// What the files of these folders and the person's file say, under the editor's settings; and the files that were
    /// read. Reads the disk.
    pub fn read(folders: &[PathBuf], environment: &Environment, editor: &Checks) -> (Self, Vec<Read>) {
        let mut files = Vec::new();
        let mut read = |folder: &Path, is_workspace: bool| {
            let (checks, read) = file::read(folder, is_workspace);
            files.push(read);
            checks
        };
        let person = environment.configuration_folder();
        let person = person.map(|folder| read(&folder, false)).unwrap_or_default();
        let mut of_folder = |folder: &PathBuf| {
            let checks = editor.over(&read(folder, true).over(&person));
            (folder.clone(), Arc::new(checks))
        };
        let checking = Self {
            folders: folders.iter().map(&mut of_folder).collect(),
            elsewhere: Arc::new(editor.over(&person)),
        };
        (checking, files)
    }

    /// What is said for each folder; the empty path stands for files of none.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &Checks)> {
        let folders = self.folders.iter().map(|(folder, checks)| (&**folder, &**checks));
        folders.chain([(Path::new(""), &*self.elsewhere)])
    }

    /// What the catalog of skills needs to know.
    pub fn configured(&self) -> Arc<[catalog::Configured]> {
        let configured = self.all().map(|(folder, checks)| checks.configured(folder.to_owned()));
        configured.collect()
    }

    /// The checks for a file, and its path from the folder that they are for.
    pub fn of(&self, path: &Path) -> (Arc<Checks>, String) {
        let slashed = |path: &Path| path.to_string_lossy().replace('\\', "/");
        let inside = |(folder, _): &&(PathBuf, Arc<Checks>)| path.starts_with(folder);
        // The innermost of folders in each other.
        let folder = self
            .folders
            .iter()
            .filter(inside)
            .max_by_key(|(folder, _)| folder.components().count());
        match folder {
            Some((folder, checks)) => {
                let relative = path.strip_prefix(folder).unwrap_or(path);
                (checks.clone(), slashed(relative))
            }
            None => (self.elsewhere.clone(), slashed(path).trim_start_matches('/').to_owned()),
        }
    }
}

/// The folder of the project that something lies in: the innermost with a configuration file or a repository, else the
/// folder itself.
pub fn project_of(place: &Path) -> PathBuf {
    let folder = if place.is_dir() {
        place
    } else {
        place.parent().unwrap_or(place)
    };
    let is_project = |folder: &&Path| folder.join(FILE).is_file() || folder.join(".git").exists();
    folder.ancestors().find(is_project).unwrap_or(folder).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_how_files_are_checked_and_mistakes_are_named() {
        let (checks, problems) = file::of_yaml(
            "rules: {broken-link: error, name-folder: off}\ndialects: {'vendor/**': openhands}\nreaders: [claude]\n\
             ignore:\n  - files: vendor/**\n    rules: [too-long]\n  - files: old/**\n",
        );
        assert_eq!(problems, Vec::new());
        assert_eq!(checks.dialect("vendor/a/SKILL.md"), Some(Dialect::OpenHands));
        assert_eq!(checks.dialect("own/a/SKILL.md"), None);
        assert_eq!(checks.readers, [Dialect::Claude]);
        for (path, code, expected) in [
            ("vendor/a/SKILL.md", "too-long", true),
            ("vendor/a/SKILL.md", "broken-link", false),
            ("old/SKILL.md", "broken-link", true),
            ("SKILL.md", "too-long", false),
        ] {
            assert_eq!(checks.ignores(path, code), expected, "{path} {code}");
        }

        let cases = [
            ("rules: {brokn-link: off}", "did you mean `broken-link`?"),
            (
                "rules: {broken-link: loud}",
                "use one of off, hint, info, warning, error",
            ),
            ("rules: [a]", "`rules` must hold `key: value` lines"),
            ("dialects: {'a/**': cascade}", "use one of agentskills, claude"),
            (
                "dialectProfiles: {openhands: 2}",
                "`openhands` is 2; it must be documented, current or a version in quotes",
            ),
            (
                "dialectProfiles: {claude: newest}",
                "`claude` has no profile `newest`; use one of documented, current, 2.1.209",
            ),
            ("readers: claude", "`readers` must be a list of dialects"),
            ("ignore: [{rules: [too-long]}]", "needs `files`"),
            (
                "ignore: [{files: 'a/**', rules: [tolong]}]",
                "there is no rule `tolong`",
            ),
            ("model: {name: x}", "`model.name` is no setting of this file"),
            ("paths: {flavour: rust}", "it must be claude, openhands or gitignore"),
            (
                "directories: here",
                "`directories` is \"here\"; it must be a list of texts",
            ),
            ("- a", "it must hold `key: value` lines"),
            ("a: [", "it is no YAML"),
        ];
        for (text, expected) in cases {
            let problems = file::of_yaml(text).1;
            let is_named = problems.iter().any(|problem| problem.message.contains(expected));
            assert!(is_named, "{text}: {problems:?}");
        }
        assert_eq!(file::of_yaml(""), (Checks::default(), Vec::new()));
    }

    #[test]
    fn what_stands_in_front_goes_first() {
        let of = |text: &str| file::of_yaml(text).0;
        let editor = of("rules: {broken-link: hint}\ndialects: {'a/**': claude}\nreaders: [claude]");
        let file = of(
            "rules: {broken-link: error, too-long: off}\ndialects: {'a/**': thndrs, 'b/**': thndrs}\nreaders: [thndrs]",
        );
        let both = editor.over(&file);
        assert_eq!(both.levels.get("broken-link"), editor.levels.get("broken-link"));
        assert_eq!(both.levels.get("too-long"), file.levels.get("too-long"));
        assert_eq!(both.dialect("a/x"), Some(Dialect::Claude));
        assert_eq!(both.dialect("b/x"), Some(Dialect::Thndrs));
        assert_eq!(both.readers, [Dialect::Claude]);
    }
}
