//! The files of a workspace that a command must not change or read: found before it runs, and looked at again afterwards.
//!
//! Where a command has mounts of its own, what is there is held by the kernel. What is not there yet can't be: it is taken
//! back while the command runs and when it has ended, and told. The folder is walked for it, because names decide, at any
//! depth.
#![expect(
    clippy::disallowed_methods,
    reason = "what a command wrote is taken back as it wrote it"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::disk::{Identity, entries, files, folder_of, has_other_names, identity, rights};
use self::taking::Change;
use self::text::{Text, text};
use self::tree::{MAX_DEPTH, Names};
use crate::permission::{PathRules, git};
use crate::workspace::sensitive::is_secret;
use crate::workspace::{Workspace, slashed};

pub(crate) use self::taking::TakenBack;
pub(crate) use self::tree::Trees;

mod disk;
mod taking;
mod text;
mod tree;
mod watch;

/// How a workspace is looked at.
#[derive(Debug)]
pub(crate) struct Look {
    /// Whether the person saw this very command: then only the person's own rules count.
    pub(crate) was_asked: bool,
    /// Whether it fills folders of packages: then what is in these does not count by its name.
    pub(crate) installs: bool,
    /// Whether texts are kept, because nothing holds the files.
    pub(crate) keeps_texts: bool,
    /// Where files go that are taken back.
    pub(crate) taken_folder: Option<PathBuf>,
    /// The folders that the command can move others to.
    pub(crate) writable: Vec<PathBuf>,
}

/// What was found before a command ran.
#[derive(Debug)]
pub(crate) struct Guarded {
    folders: Vec<PathBuf>,
    look: Look,
    trees: Arc<Trees>,
    rules: Option<Arc<PathRules>>,
    /// What the person is to know, a line each.
    notes: Vec<String>,
    /// What must not be read.
    pub(crate) hidden: BTreeSet<PathBuf>,
    /// Files and folders that must not be changed.
    pub(crate) held: BTreeSet<PathBuf>,
    /// Repositories, which stay where they are.
    pub(crate) repositories: BTreeSet<PathBuf>,
    /// What is put back: links, which no mount holds, and all files in them where the kernel does not hold them.
    texts: BTreeMap<PathBuf, Text>,
    /// What git is still to do in each repository.
    plans: BTreeMap<PathBuf, Text>,
    /// The folders above them, each with what it is: a command can move one away, and put another in its place.
    above: BTreeMap<PathBuf, Identity>,
    /// Their rights, which a command can change to close them or to let others in.
    rights: BTreeMap<PathBuf, u32>,
}

impl Guarded {
    /// Looks through the folders of a workspace. `rules` are the person's about files.
    pub(crate) fn find(workspace: &Workspace, look: Look, trees: Arc<Trees>, rules: Option<Arc<PathRules>>) -> Self {
        let mut guarded = Self {
            folders: workspace.folders().iter().map(|folder| folder.path.clone()).collect(),
            look,
            trees,
            rules,
            notes: Vec::new(),
            hidden: BTreeSet::new(),
            held: BTreeSet::new(),
            repositories: BTreeSet::new(),
            texts: BTreeMap::new(),
            plans: BTreeMap::new(),
            above: BTreeMap::new(),
            rights: BTreeMap::new(),
        };
        if !guarded.holds_anything() {
            return guarded;
        }
        for (root, found) in guarded.names() {
            if found.is_cut && guarded.trees.is_first(&root) {
                let name = root.file_name().unwrap_or_default().to_string_lossy();
                let most = guarded.trees.most;
                guarded.notes.push(format!(
                    "{name}: beyond {most} files, or {MAX_DEPTH} folders deep, commands may change anything"
                ));
            }
            guarded.hidden.extend(found.hidden);
            guarded.held.extend(found.held);
            guarded.repositories.extend(found.repositories);
            let plans = found.plans.into_iter().map(|plan| (Text::of(&plan), plan));
            guarded.plans.extend(plans.map(|(text, plan)| (plan, text)));
        }
        guarded.add_other_names();
        let is_inside = |path: &&Path| {
            guarded
                .folders
                .iter()
                .any(|root| path.starts_with(root) && path != root)
        };
        let above = guarded
            .held
            .iter()
            .flat_map(|place| place.ancestors().skip(1).filter(is_inside));
        for folder in above.collect::<BTreeSet<_>>() {
            guarded
                .rights
                .extend(rights(folder).map(|rights| (folder.to_owned(), rights)));
            guarded.above.extend(identity(folder).map(|is| (folder.to_owned(), is)));
        }
        let keeps = guarded.look.keeps_texts;
        let files = guarded.held.iter().flat_map(|place| match keeps {
            true => files(place).collect(),
            false => vec![place.clone()],
        });
        let texts = files
            .filter(|file| keeps || file.is_symlink())
            .map(|file| (Text::of(&file), file));
        guarded.texts = texts.map(|(text, file)| (file, text)).collect();
        guarded
    }

    /// Whether there can be something that is kept from the command.
    pub(crate) fn holds_anything(&self) -> bool {
        !self.look.was_asked || self.rules.is_some()
    }

    /// What names say of each folder of the workspace now.
    fn names(&self) -> Vec<(PathBuf, Names)> {
        let by_table = !self.look.was_asked;
        let find = |root: &PathBuf| {
            (
                root.clone(),
                self.trees.find(root, by_table, self.look.installs, self.rules.as_ref()),
            )
        };
        self.folders.iter().map(find).collect()
    }

    /// Other names of the files (hard links) are as good as their own.
    fn add_other_names(&mut self) {
        let linked = |path: &PathBuf| identity(path).filter(|_| has_other_names(path));
        let hidden: HashSet<Identity> = self.hidden.iter().filter_map(linked).collect();
        let held: HashSet<Identity> = self.held.iter().filter_map(linked).collect();
        let numbers: HashSet<u64> = hidden.iter().chain(&held).map(|(_, number, _)| *number).collect();
        if numbers.is_empty() {
            return;
        }
        for folder in self
            .folders
            .iter()
            .flat_map(|root| self.trees.folders_with(root, &numbers))
        {
            for file in entries(&folder) {
                let Some(is) = identity(&file) else { continue };
                if hidden.contains(&is) {
                    self.hidden.insert(file.clone());
                }
                if held.contains(&is) {
                    self.held.insert(file);
                }
            }
        }
    }

    /// Takes back what is new while the command runs, as [`Guarded::settle`]; files in which nothing is yet can wait, because
    /// their text may make them harmless.
    pub(crate) fn look(&self, is_theirs: &dyn Fn(&Path) -> bool) -> Vec<TakenBack> {
        let is_empty = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() == 0);
        let finds = [Self::opened, Self::made, Self::relinked, Self::planned];
        self.put_back(&finds, false, &|path| is_empty(path) || is_theirs(path))
    }

    /// Takes back what is otherwise now, and must not be: a line for each. `is_theirs` says what somebody else made.
    pub(crate) fn settle(&self, is_theirs: &dyn Fn(&Path) -> bool) -> Vec<String> {
        let finds = [Self::opened, Self::made, Self::rewritten, Self::planned];
        let taken = self.put_back(&finds, true, is_theirs);
        let taken = taken.into_iter().map(|taken| taken.line);
        self.notes.iter().cloned().chain(taken).collect()
    }

    /// In this order: nobody sees what is new in a closed folder, and what is taken away with a new one is missing afterwards.
    fn put_back(
        &self,
        finds: &[fn(&Self) -> Vec<Change>],
        is_over: bool,
        is_theirs: &dyn Fn(&Path) -> bool,
    ) -> Vec<TakenBack> {
        let mut done = Vec::new();
        // What lies in a folder is looked at where it belongs. Each that is put back can have others in it.
        let mut left: BTreeMap<&PathBuf, &Identity> = self.above.iter().collect();
        while let Some((place, change)) = self.swapped(&left, is_over) {
            left.remove(&place);
            done.extend(change.map(|change| self.take_back(&change)));
        }
        for find in finds {
            let found = find(self).into_iter().filter(|change| !is_theirs(change.path()));
            done.extend(found.map(|change| self.take_back(&change)));
        }
        done
    }

    /// The outermost folder in whose place another one is, or none when the command has ended, and what to do about it.
    fn swapped(&self, left: &BTreeMap<&PathBuf, &Identity>, is_over: bool) -> Option<(PathBuf, Option<Change>)> {
        let is_swapped = |(place, was): &(&&PathBuf, &&Identity)| match identity(place) {
            Some(is) => is != ***was,
            // What goes with its parent comes back with it.
            None => is_over && place.parent().is_some_and(Path::is_dir),
        };
        let (place, was) = left.iter().find(is_swapped)?;
        let place = (**place).clone();
        let roots = self.folders.iter().chain(&self.look.writable);
        let now = roots.into_iter().find_map(|root| folder_of(root, **was));
        // A folder that is gone was made anew, as git does it; a link in its place leads elsewhere.
        let is_link = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink());
        let change = match now {
            Some(now) => Some(Change::Swapped {
                place: place.clone(),
                now,
            }),
            None => is_link.then(|| Change::New(place.clone())),
        };
        Some((place, change))
    }

    /// What is new.
    fn made(&self) -> Vec<Change> {
        if !self.holds_anything() {
            return Vec::new();
        }
        let now = self.names().into_iter().flat_map(|(_, found)| found.held);
        let is_other = |(folder, was): &(&PathBuf, &Identity)| identity(folder) != Some(**was);
        let others: HashSet<&Path> = self
            .above
            .iter()
            .filter(is_other)
            .map(|(folder, _)| &**folder)
            .collect();
        let is_known = |place: &Path| {
            let held = place.ancestors().find(|above| self.held.contains(*above));
            held.is_some_and(|held| held.ancestors().skip(1).all(|above| !others.contains(above)))
        };
        // What was held before and moved with a folder comes back with it.
        let places: HashMap<&Identity, &PathBuf> = self.above.iter().map(|(folder, was)| (was, folder)).collect();
        let has_moved = |place: &Path| {
            place.ancestors().skip(1).any(|folder| {
                let origin = identity(folder).and_then(|is| places.get(&is).copied());
                let origin = origin.filter(|origin| *origin != folder);
                let inner = place.strip_prefix(folder).ok();
                let before = origin.zip(inner).map(|(origin, inner)| origin.join(inner));
                before.is_some_and(|before| before.ancestors().any(|above| self.held.contains(above)))
            })
        };
        let is_denied = |place: &Path| self.rules.as_ref().is_some_and(|rules| !rules.access(place).write);
        let new = now.filter(|place| {
            !is_known(place) && !has_moved(place) && (is_denied(place) || !is_harmless(place, &self.folders))
        });
        new.map(Change::New).collect()
    }

    /// What is in the place of a link. One that is missing can wait, because git may make it again.
    fn relinked(&self) -> Vec<Change> {
        let links = self.texts.iter().filter(|(_, before)| matches!(before, Text::Link(_)));
        let differs =
            |(link, before): &(&PathBuf, &Text)| fs::symlink_metadata(link).is_ok() && Text::of(link) != **before;
        let changed = links.filter(differs);
        changed
            .map(|(link, before)| Change::Old(link.clone(), before.clone()))
            .collect()
    }

    /// What has another text than was kept.
    fn rewritten(&self) -> Vec<Change> {
        let now = self
            .held
            .iter()
            .filter(|_| self.look.keeps_texts)
            .flat_map(|place| files(place));
        let is_new = |file: &PathBuf| !self.texts.contains_key(file) && fs::symlink_metadata(file).is_ok();
        let new = now.filter(is_new).map(Change::New);
        let differs = |(file, before): &(&PathBuf, &Text)| **before != Text::Other && Text::of(file) != **before;
        let old = self.texts.iter().filter(differs);
        let old = old.map(|(file, before)| Change::Old(file.clone(), before.clone()));
        new.chain(old).collect()
    }

    /// What git is to do that it was not to do before: the commands that a rebase runs.
    fn planned(&self) -> Vec<Change> {
        if self.look.was_asked {
            return Vec::new();
        }
        let now = self.names().into_iter().flat_map(|(_, names)| names.plans);
        let change = |plan: PathBuf| {
            let before = self.plans.get(&plan);
            let known = before.map_or_else(Vec::new, Text::commands);
            let is_known = match Text::of(&plan) {
                text @ Text::Bytes(_) => text.commands().iter().all(|command| known.contains(command)),
                text => before == Some(&text),
            };
            let old = || before.filter(|text| **text != Text::Other).cloned();
            (!is_known).then(|| old().map_or_else(|| Change::New(plan.clone()), |text| Change::Old(plan.clone(), text)))
        };
        now.filter_map(change).collect()
    }

    /// Folders that the command closed to the person, or opened to others.
    fn opened(&self) -> Vec<Change> {
        let differs = |(folder, before): &(&PathBuf, &u32)| {
            let now = rights(folder).unwrap_or(**before);
            now & !**before & 0o022 != 0 || **before & !now & 0o700 != 0
        };
        let changed = self.rights.iter().filter(differs);
        changed
            .map(|(folder, before)| Change::Rights(folder.clone(), *before))
            .collect()
    }

    /// What a place is called in the workspace.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let inner = self.folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
        slashed(inner.unwrap_or(path)).into_owned()
    }
}

/// The keys and passwords that programs keep in a home folder: its hidden files, those of its hidden folders, and those of
/// each program in `.config`.
pub(crate) fn secrets_of(home: &Path) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = entries(home).filter(is_hidden).collect();
    while let Some(path) = waiting.pop() {
        let inner = path.strip_prefix(home).unwrap_or(&path);
        if is_secret(inner) {
            found.extend(path.canonicalize().ok().filter(|target| *target != path));
            found.push(path);
        } else if inner.components().count() == 1 || inner.parent() == Some(Path::new(".config")) {
            waiting.extend(entries(&path));
        }
    }
    found
}

/// Whether something new of a repository can make nothing run, as what `git clone` and `git init` make.
fn is_harmless(place: &Path, roots: &[PathBuf]) -> bool {
    let name = place.file_name().unwrap_or_default();
    if name == "config" || name == "config.worktree" {
        return text(place).is_some_and(|text| git::is_harmless_git_config(&String::from_utf8_lossy(&text)));
    }
    if name == "commondir" {
        // As every work tree has it.
        let is_of_tree = place
            .ancestors()
            .nth(2)
            .is_some_and(|folder| folder.ends_with(".git/worktrees"));
        return is_of_tree && text(place).is_some_and(|text| text.trim_ascii() == b"../..");
    }
    if name == ".git" {
        // As submodules and work trees have it: it leads into a repository that is looked after.
        let leads_to = git::linked(place).filter(|_| !place.is_symlink());
        let is_known = |folder: &Path| {
            let names: Vec<_> = folder.components().map(|part| part.as_os_str()).collect();
            names
                .windows(2)
                .any(|pair| pair[0] == ".git" && (pair[1] == "modules" || pair[1] == "worktrees"))
        };
        return leads_to
            .and_then(|folder| folder.canonicalize().ok())
            .is_some_and(|folder| is_known(&folder) && roots.iter().any(|root| folder.starts_with(root)));
    }
    name == "hooks" && files(place).all(|file| file.extension().is_some_and(|it| it == "sample"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Looks as for a command that a rule let through; `taken` is the folder of what is taken back.
    fn find(workspace: &Workspace, taken: Option<PathBuf>, writable: Vec<PathBuf>, trees: &Arc<Trees>) -> Guarded {
        let look = Look {
            was_asked: false,
            installs: false,
            keeps_texts: taken.is_some(),
            taken_folder: taken,
            writable,
        };
        Guarded::find(workspace, look, trees.clone(), None)
    }

    /// What is taken back where the kernel holds nothing: each script may do what it wants.
    #[test]
    fn what_no_kernel_holds_is_put_back() {
        let targets =
            ".git/config .git/hooks/pre-commit tools/.git/config tools/.vscode/tasks.json .claude/settings.json";
        let missing = ".git/hooks/post-commit tools/.cursor/mcp.json AGENTS.md";
        let ways = [
            r#"mkdir -p "$(dirname "$t")"; echo won > "$t""#,
            r#"rm -rf "$t"; mkdir -p "$(dirname "$t")"; echo won > "$t""#,
            r#"echo won > n; mkdir -p "$(dirname "$t")"; mv n "$t""#,
            r#"d=$(dirname "$t"); [ "$d" = . ] || { mv "$d" m; mkdir -p "$d"; cp -r m/. "$d"; echo won > "$t"; }"#,
            r#"d=$(dirname "$t"); [ "$d" = . ] || { mkdir -p m; echo won > "m/${t##*/}"; rm -rf "$d"; ln -s "$PWD/m" "$d"; }"#,
            r#"d=${t%%/*}; mkdir -p "o/$(dirname "$t")"; echo won > "o/$t"; mv "$d" gone; mv "o/$d" "$d""#,
        ];
        for (way, clears) in ways.into_iter().flat_map(|way| [(way, false), (way, true)]) {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap().join("w");
            for target in targets.split(' ') {
                fs::create_dir_all(root.join(target).parent().unwrap()).unwrap();
                fs::write(root.join(target), "before").unwrap();
            }
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let guarded = find(
                &workspace,
                Some(folder.path().join("taken")),
                Vec::new(),
                &Arc::default(),
            );
            let clear = if clears { "rm -rf m n o gone" } else { "true" };
            let script = format!("for t in {targets} {missing}; do {way}; {clear}; done 2> /dev/null; true");
            let ran = std::process::Command::new("sh")
                .args(["-c", &script])
                .current_dir(&root)
                .status();
            assert!(ran.unwrap().success());
            let told = guarded.settle(&|_| false);
            for target in targets.split(' ') {
                let text = fs::read_to_string(root.join(target)).unwrap_or_default();
                assert_eq!(text, "before", "{target}: {way}\n{}", told.join("\n"));
            }
            for target in missing.split(' ') {
                let is_there = root.join(target).exists();
                assert!(!is_there, "{target}: {way}\n{}", told.join("\n"));
            }
            assert!(!told.is_empty(), "{way}");
        }
    }

    /// Where it is moved out of the workspace, and deeper than a path is long.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_is_fetched_from_wherever_it_was_moved() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("w"), folder.path().join("other"));
        fs::create_dir_all(&other).unwrap();
        let deep = r#"d=$(printf "%0200d" 0); for n in $(seq 30); do mkdir $d; cd -P $d; done; perl -e 'rename "$ENV{W}/.git", "x"'"#;
        for way in [format!("mv .git {}", other.join("x").display()), deep.to_owned()] {
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git/HEAD"), "before").unwrap();
            fs::write(root.join(".git/config"), "before").unwrap();
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let guarded = find(
                &workspace,
                Some(folder.path().join("taken")),
                vec![other.clone()],
                &Arc::default(),
            );
            let script = format!("{way}; cd \"$W\"; mkdir .git; echo won > .git/config");
            let ran = std::process::Command::new("sh")
                .args(["-c", &script])
                .env("W", &root)
                .current_dir(&root)
                .status();
            assert!(ran.unwrap().success());
            let told = guarded.settle(&|_| false);
            assert!(!told.is_empty(), "{way}");
            for name in [".git/HEAD", ".git/config"] {
                assert_eq!(
                    fs::read_to_string(root.join(name)).unwrap_or_default(),
                    "before",
                    "{way}: {told:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_too_much_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/AGENTS.md"), "").unwrap();
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let told = |trees| find(&workspace, None, Vec::new(), trees).settle(&|_| false);
        let few = Arc::new(Trees {
            most: 2,
            ..Trees::default()
        });
        let lines = told(&few);
        assert!(lines.len() == 1 && lines[0].contains("beyond 2 files"), "{lines:?}");
        assert!(told(&few).is_empty());
        assert!(told(&Arc::default()).is_empty());
    }

    /// Where the kernel holds nothing, what can't be kept, and links, are left alone.
    #[test]
    fn what_nobody_changed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        fs::create_dir_all(root.join(".github")).unwrap();
        fs::write(root.join(".github/big.png"), vec![0; 2 << 20]).unwrap();
        std::os::unix::fs::symlink(".github/big.png", root.join("CLAUDE.md")).unwrap();
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let guarded = find(
            &workspace,
            Some(folder.path().join("taken")),
            Vec::new(),
            &Arc::default(),
        );
        assert_eq!(guarded.settle(&|_| false), Vec::<String>::new());
    }

    #[test]
    fn keys_of_the_home_folder_are_found() {
        let home = tempfile::tempdir().unwrap();
        let secrets = [
            ".ssh",
            ".aws",
            ".netrc",
            ".git-credentials",
            ".bash_history",
            ".claude/.credentials.json",
            ".codex/auth.json",
            ".config/gh/hosts.yml",
            ".config/gcloud",
            ".docker",
            ".m2/settings.xml",
            ".gradle/gradle.properties",
            ".mozilla",
        ];
        for secret in secrets {
            fs::create_dir_all(home.path().join(secret).parent().unwrap()).unwrap();
            fs::write(home.path().join(secret), "").unwrap();
        }
        for other in [".bashrc", ".config/git/config", "work/.env"] {
            fs::create_dir_all(home.path().join(other).parent().unwrap()).unwrap();
            fs::write(home.path().join(other), "").unwrap();
        }
        let found: BTreeSet<_> = secrets_of(home.path()).into_iter().collect();
        assert_eq!(found, secrets.iter().map(|secret| home.path().join(secret)).collect());
    }
}
