//! The files of a workspace that a command must not change or read: found before it runs, and looked at again afterwards.
//!
//! Where a command has mounts of its own, what is there is held by the kernel. What is not there yet can't be: it is taken
//! back while the command runs and when it has ended, and told. The folder is walked for it, because names decide, at any
//! depth.
#![expect(
    clippy::disallowed_methods,
    reason = "what a command wrote is taken back as it wrote it"
)]

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::before::Before;
use self::disk::{Identity, entries, files, has_other_names, identity, is_own, rights};
use self::harmless::is_harmless;
use self::taking::Change;
use self::text::Text;
use self::tree::{MAX_DEPTH, Names, is_of_packages, outermost};
use crate::permission::{PathRules, git};
use crate::workspace::{Workspace, slashed};

pub(crate) use self::home_secrets::secrets_of;
pub(crate) use self::taking::TakenBack;
pub(crate) use self::text::text;
pub(crate) use self::tree::Trees;

mod before;
mod disk;
mod harmless;
mod home_secrets;
mod keeping;
mod moved;
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

/// What a command must not touch.
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
    /// What is compared with what is there later.
    before: Before,
}

/// Whose work a file is: true where it is not a command's.
pub(crate) type IsTheirs<'a> = &'a dyn Fn(&Path) -> bool;

impl Guarded {
    /// Looks through the folders of a workspace. `rules` are the person's about files, `running` what the commands that
    /// run already must not touch, the oldest first.
    pub(crate) fn find(
        workspace: &Workspace,
        look: Look,
        trees: Arc<Trees>,
        rules: Option<Arc<PathRules>>,
        running: &[Arc<Self>],
        is_theirs: IsTheirs,
    ) -> Self {
        let mut guarded = Self {
            folders: workspace.folders().iter().map(|folder| folder.path.clone()).collect(),
            look,
            trees,
            rules,
            notes: Vec::new(),
            hidden: BTreeSet::new(),
            held: BTreeSet::new(),
            repositories: BTreeSet::new(),
            before: Before::default(),
        };
        if !guarded.holds_anything() {
            return guarded;
        }
        let (mut plans, mut closed, mut unseen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for (root, found) in guarded.names() {
            if found.is_cut && guarded.trees.is_first(&root) {
                let name = root.file_name().unwrap_or_default().to_string_lossy();
                let most = guarded.trees.most;
                guarded.notes.push(format!(
                    "{name}: beyond {most} files, or {MAX_DEPTH} folders deep, commands may change anything"
                ));
            }
            guarded.hidden.extend(found.hidden);
            guarded
                .held
                .extend(found.held.into_iter().chain(found.targets.into_keys()));
            guarded.repositories.extend(found.repositories);
            plans.extend(found.plans);
            closed.extend(found.closed);
            unseen.extend(found.unseen);
        }
        outermost(&mut guarded.held);
        guarded.add_other_names();
        guarded.before = Before::of(&guarded, plans, closed, running, is_theirs);
        if running.iter().any(|older| older.before.has_strays()) {
            // It may be there, where nobody looks.
            guarded.hidden.extend(unseen);
        }
        guarded
    }

    /// Whether there can be something that is kept from the command.
    pub(crate) fn holds_anything(&self) -> bool {
        !self.look.was_asked || self.rules.is_some()
    }

    /// Whether a place is kept from the command if its name says so.
    fn covers(&self, place: &Path) -> bool {
        let is_of_packages = |root: &PathBuf| place.starts_with(root) && is_of_packages(root, place);
        let is_filled = self.look.installs && self.folders.iter().any(is_of_packages);
        !self.look.was_asked && !is_filled || self.denies(place)
    }

    /// Whether the person's rules forbid to write there.
    fn denies(&self, place: &Path) -> bool {
        self.rules.as_ref().is_some_and(|rules| !rules.access(place).write)
    }

    /// What names say of each folder of the workspace now.
    fn names(&self) -> Vec<(PathBuf, Names)> {
        if !self.holds_anything() {
            return Vec::new();
        }
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
        let linked = |path: &PathBuf| has_other_names(path).then(|| identity(path)).flatten();
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
    pub(crate) fn look(&self, is_theirs: IsTheirs) -> Vec<TakenBack> {
        let is_empty = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() == 0);
        self.put_back(false, &|path| is_empty(path) || is_theirs(path))
    }

    /// Takes back what is otherwise now, and must not be: a line for each. `is_theirs` says what somebody else made.
    pub(crate) fn settle(&self, is_theirs: IsTheirs) -> Vec<String> {
        let taken = self.put_back(true, is_theirs);
        let taken = taken.into_iter().map(|taken| taken.line);
        self.notes.iter().cloned().chain(taken).collect()
    }

    /// In this order: nobody sees what is new in a closed folder, and what is taken away with a new one is missing afterwards.
    fn put_back(&self, is_over: bool, is_theirs: IsTheirs) -> Vec<TakenBack> {
        let mut done = Vec::new();
        let mut names = self.names();
        // A closed folder can hold another.
        for _ in 0..MAX_DEPTH {
            let closed = self.closed(&names);
            if closed.is_empty() {
                break;
            }
            done.extend(closed.iter().filter_map(|change| self.take_back(change)));
            names = self.names();
        }
        let known = done.len();
        done.extend(self.move_back(is_over));
        done.extend(self.opened().iter().filter_map(|change| self.take_back(change)));
        if done.len() > known {
            names = self.names();
        }
        let changed = || match is_over {
            true => self.rewritten(),
            false => self.relinked(),
        };
        let finds: [&dyn Fn() -> Vec<Change>; 3] = [&|| self.made(&names), &changed, &|| self.planned(&names)];
        for find in finds {
            let found = find()
                .into_iter()
                .filter(|change| !all_theirs(change.path(), is_theirs));
            done.extend(found.filter_map(|change| self.take_back(&change)));
        }
        done
    }

    /// Folders that the command closed, so that nobody sees what is in them.
    fn closed(&self, names: &[(PathBuf, Names)]) -> Vec<Change> {
        let closed = names.iter().flat_map(|(_, found)| &found.closed);
        let new = closed.filter(|folder| !self.before.closed.contains(*folder) && is_own(folder));
        new.cloned().map(Change::Closed).collect()
    }

    /// What is new.
    fn made(&self, names: &[(PathBuf, Names)]) -> Vec<Change> {
        let now = names.iter().flat_map(|(_, found)| found.held.difference(&found.closed));
        // A link that is new goes, and what it leads to stays.
        let is_old = |link: &PathBuf| self.before.texts.get(link) == Some(&Text::of(link));
        let targets = names.iter().flat_map(|(_, found)| &found.targets);
        let targets = targets.filter(|(_, links)| links.iter().any(is_old));
        let now = now.chain(targets.map(|(target, _)| target));
        let others = self.before.others();
        let new = now.filter(|place| {
            !self.before.knows(place, &others) && (self.denies(place) || !is_harmless(place, &self.folders))
        });
        new.cloned().map(Change::New).collect()
    }

    /// What is in the place of a link. One that is missing can wait, because git may make it again.
    fn relinked(&self) -> Vec<Change> {
        let links = self
            .before
            .texts
            .iter()
            .filter(|(_, before)| matches!(before, Text::Link(_)));
        let differs =
            |(link, before): &(&PathBuf, &Text)| fs::symlink_metadata(link).is_ok() && Text::of(link) != **before;
        let changed = links.filter(differs);
        changed
            .map(|(link, before)| Change::Old(link.clone(), before.clone()))
            .collect()
    }

    /// What has another text than was kept.
    fn rewritten(&self) -> Vec<Change> {
        let texts = &self.before.texts;
        let held = self.before.held.iter().filter(|_| self.look.keeps_texts);
        let now = held.flat_map(|place| files(place));
        let is_new = |file: &PathBuf| !texts.contains_key(file) && fs::symlink_metadata(file).is_ok();
        let new = now.filter(is_new).map(Change::Instead);
        let differs = |(file, before): &(&PathBuf, &Text)| **before != Text::Other && Text::of(file) != **before;
        let old = texts.iter().filter(differs);
        let old = old.map(|(file, before)| Change::Old(file.clone(), before.clone()));
        new.chain(old).collect()
    }

    /// What git is to run that it was not to run before, as a rebase goes on.
    fn planned(&self, names: &[(PathBuf, Names)]) -> Vec<Change> {
        if self.look.was_asked {
            return Vec::new();
        }
        let now = names.iter().flat_map(|(_, names)| names.plans.clone());
        // One can be gone with what was taken back.
        let now = now.filter(|plan| fs::symlink_metadata(plan).is_ok());
        let change = |plan: PathBuf| {
            let before = self.before.plans.get(&plan);
            let known = match before {
                Some(Text::Bytes(text)) => git::state::runs(&plan, text),
                _ => Vec::new(),
            };
            let is_known = match Text::of(&plan) {
                Text::Bytes(text) => git::state::runs(&plan, &text).iter().all(|it| known.contains(it)),
                text => before == Some(&text),
            };
            let old = || before.filter(|text| text.is_kept()).cloned();
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
        let changed = self.before.rights.iter().filter(differs);
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

/// Whether a file, or all that is in a folder, is somebody else's work.
fn all_theirs(place: &Path, is_theirs: IsTheirs) -> bool {
    is_theirs(place) || {
        let mut files = files(place).peekable();
        files.peek().is_some_and(|file| file != place) && files.all(|file| is_theirs(&file))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::disk::{Found, set_rights};
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
        Guarded::find(workspace, look, trees.clone(), None, &[], &|_| false)
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

    /// As a command in the workspace does it.
    fn run(root: &Path, script: &str) {
        let ran = std::process::Command::new("sh")
            .args(["-c", script])
            .current_dir(root)
            .status();
        assert!(ran.is_ok_and(|status| status.success()), "{script}");
    }

    fn write(path: &Path, text: &str) {
        let is_there = path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
        assert!(is_there && fs::write(path, text).is_ok(), "{}", path.display());
    }

    /// A command that begins while another one runs puts nothing back that the other one made, and takes nothing for the
    /// person's that the other one changed; whichever ends first.
    #[test]
    fn no_command_restores_what_another_one_made() {
        const TODO: &str = ".git/rebase-merge/git-rebase-todo";
        let made = format!(
            "ln -sfn sub .vscode; ln -sfn src AGENTS.md; echo won > GEMINI.md; mkdir -p .claude new/.git; \
             echo won > .claude/settings.json; echo won > new/.git/config; echo 'exec touch won' > {TODO}"
        );
        let changed = "echo won > sub/CLAUDE.md; rm -f sub/.mcp.json; echo won > sub/.cursor/more; mv sub away; mkdir sub; \
             echo won > sub/CLAUDE.md";
        for (keeps, again, first) in [false, true]
            .into_iter()
            .flat_map(|keeps| [(keeps, false, 0), (keeps, false, 1), (keeps, true, 0), (keeps, true, 1)])
        {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap().join("w");
            let files = [
                "sub/CLAUDE.md",
                "sub/.mcp.json",
                "sub/.cursor/mcp.json",
                "src/a.rs",
                ".git/config",
            ];
            for file in files {
                write(&root.join(file), "before");
            }
            write(&root.join(TODO), "pick a\n");
            std::os::unix::fs::symlink("sub/CLAUDE.md", root.join("AGENTS.md")).unwrap();
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let trees = Arc::default();
            let look = || Look {
                was_asked: false,
                installs: false,
                keeps_texts: keeps,
                taken_folder: Some(folder.path().join("taken")),
                writable: Vec::new(),
            };
            let find = |running: &[Arc<Guarded>]| {
                Arc::new(Guarded::find(
                    &workspace,
                    look(),
                    Arc::clone(&trees),
                    None,
                    running,
                    &|_| false,
                ))
            };
            // Where mounts hold what is there nobody changes it.
            let script = format!("{made}; {}", if keeps { changed } else { "true" });
            let one = find(&[]);
            run(&root, &script);
            let two = find(std::slice::from_ref(&one));
            let three = find(&[one.clone(), two.clone()]);
            let mut told = Vec::new();
            let mut commands = [one, two, three];
            commands.rotate_left(first);
            for command in &commands {
                told.extend(command.settle(&|_| false));
                if again {
                    run(&root, &script.replace("mv sub away", "rm -rf away; mv sub away"));
                }
            }
            if again {
                told.extend(commands[2].settle(&|_| false));
            }
            for gone in [
                ".vscode",
                "GEMINI.md",
                ".claude/settings.json",
                "new/.git/config",
                "sub/.cursor/more",
            ] {
                let is_there = fs::symlink_metadata(root.join(gone)).is_ok();
                assert!(!is_there, "{gone}: {keeps} {again} {first}\n{}", told.join("\n"));
            }
            for file in files {
                let text = fs::read_to_string(root.join(file)).unwrap_or_default();
                assert_eq!(text, "before", "{file}: {keeps} {again} {first}\n{}", told.join("\n"));
            }
            let told = told.join("\n");
            assert_eq!(fs::read_to_string(root.join(TODO)).unwrap(), "pick a\n", "{told}");
            let leads_to = fs::read_link(root.join("AGENTS.md")).unwrap();
            assert_eq!(leads_to, Path::new("sub/CLAUDE.md"), "{told}");
        }
    }

    /// A folder can be away at one moment of a look and there at the next: what was in it before is not taken for new.
    #[test]
    fn what_was_there_stays_however_its_folder_moves() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        for name in ["sub/AGENTS.md", "sub/.vscode/tasks.json", "sub/x/CLAUDE.md"] {
            write(&root.join(name), "mine");
        }
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let guarded = find(
            &workspace,
            Some(folder.path().join("taken")),
            Vec::new(),
            &Arc::default(),
        );
        for place in ["sub", "sub2"] {
            for name in ["AGENTS.md", ".vscode", "x/CLAUDE.md"] {
                let path = root.join(place).join(name);
                assert!(
                    guarded.take_back(&Change::New(path.clone())).is_none(),
                    "{}",
                    path.display()
                );
                assert!(path.exists());
            }
            write(&root.join(place).join("GEMINI.md"), "won");
            assert!(
                guarded
                    .take_back(&Change::New(root.join(place).join("GEMINI.md")))
                    .is_some()
            );
            assert!(!root.join(place).join("GEMINI.md").exists());
            let _ = fs::rename(root.join("sub"), root.join("sub2"));
        }
    }

    /// A command can put a link in a folder's place between a look and what follows from it: nothing that lies behind the link
    /// is moved, written or opened, because this process may write there.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_put_back_goes_through_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, outside) = (base.join("w"), base.join("home"));
        write(&root.join("moved/evil.desktop"), "won");
        write(&outside.join(".vimrc"), "mine");
        write(&outside.join("keys/id"), "mine");
        assert!(set_rights(&outside.join("keys"), 0o700));
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let guarded = find(&workspace, Some(base.join("taken")), Vec::new(), &Arc::default());
        std::os::unix::fs::symlink("../home", root.join("x")).unwrap();
        let at = |name: &str| root.join(name);
        let was = identity(&at("moved")).unwrap();
        let swapped = |place: &str, now: &str| Change::Swapped {
            place: at(place),
            now: Found::at(at(now)),
            was,
        };
        for change in [
            Change::New(at("x/.vimrc")),
            Change::Old(at("x/.vimrc"), Text::Bytes(b"won".to_vec())),
            Change::Old(at("x/.profile"), Text::Bytes(b"won".to_vec())),
            Change::Old(at("x/.vimrc"), Text::Link(at("moved"))),
            Change::Closed(at("x/keys")),
            Change::Rights(at("x/keys"), 0o777),
            Change::Rights(at("x"), 0o777),
            swapped("x/autostart", "moved"),
            swapped("x/keys", "moved"),
            swapped("new", "x/keys"),
        ] {
            let had = rights(&outside);
            let told = guarded.take_back(&change).unwrap().line;
            let names: BTreeSet<_> = entries(&outside).collect();
            assert_eq!(
                names,
                BTreeSet::from([outside.join(".vimrc"), outside.join("keys")]),
                "{change:?}: {told}"
            );
            assert_eq!(fs::read(outside.join(".vimrc")).unwrap(), b"mine", "{change:?}: {told}");
            assert_eq!(
                fs::read(outside.join("keys/id")).unwrap(),
                b"mine",
                "{change:?}: {told}"
            );
            assert_eq!(rights(&outside.join("keys")), Some(0o700), "{change:?}: {told}");
            assert_eq!(rights(&outside), had, "{change:?}: {told}");
            assert!(told.contains("could not be taken back"), "{change:?}: {told}");
        }
    }

    /// What can't be moved to where it does no harm goes all the same, and as much of it is kept as can be.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_hard_to_keep_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
        for taken in [elsewhere.path().join("taken"), PathBuf::from("/proc/self/none")] {
            for script in [
                "mkdir .cursor; mkfifo .cursor/pipe; echo won > .cursor/mcp.json",
                "mkdir -p .cursor/a/b; echo won > .cursor/mcp.json; touch .cursor/a/b/c; chmod 000 .cursor/a/b .cursor/a",
                "mkdir .cursor; truncate -s 1T .cursor/long; echo won > .cursor/mcp.json",
                "mkfifo AGENTS.md",
                "truncate -s 1T AGENTS.md",
                "echo won > AGENTS.md",
                "ln -s nowhere .claude",
            ] {
                fs::create_dir_all(&root).unwrap();
                let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
                let guarded = find(&workspace, Some(taken.clone()), Vec::new(), &Arc::default());
                run(&root, script);
                let told = guarded.settle(&|_| false);
                assert_eq!(entries(&root).count(), 0, "{script}: {told:?}");
                let is_kept = told.iter().any(|line| line.contains("it is kept as"));
                let is_whole = taken.starts_with("/dev/shm") && script.contains("echo won > AGENTS.md");
                assert!(!told.is_empty() && (is_kept || !is_whole), "{script}: {told:?}");
            }
        }
    }

    /// What is in a folder's place is the person's, whatever it is and on whichever disk: it is put aside.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_put_in_the_place_of_a_folder_stays_whole() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
        write(&root.join("a/AGENTS.md"), "mine");
        write(&root.join("b/long"), "long");
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let taken = elsewhere.path().join("taken");
        let guarded = find(&workspace, Some(taken), Vec::new(), &Arc::default());
        run(&root, "truncate -s 1T b/long; mv a c; mv b a");
        let told = guarded.settle(&|_| false);
        assert_eq!(
            fs::read_to_string(root.join("a/AGENTS.md")).unwrap(),
            "mine",
            "{told:?}"
        );
        let lengths = files(&root).map(|file| fs::metadata(file).unwrap().len());
        assert!(lengths.into_iter().any(|length| length == 1 << 40), "{told:?}");
    }

    /// Files that are too long to be kept can't be put back; the person knows.
    #[test]
    fn what_can_not_be_put_back_is_reported() {
        for script in [
            "echo won >> AGENTS.md",
            "rm AGENTS.md",
            "mv AGENTS.md x; cp x AGENTS.md",
            "printf x | dd of=AGENTS.md bs=1 seek=7 conv=notrunc; touch -d 2000-01-01 AGENTS.md",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap().join("w");
            fs::create_dir_all(&root).unwrap();
            fs::write(root.join("AGENTS.md"), vec![b'a'; 2 << 20]).unwrap();
            run(&root, "touch -d 2000-01-01 AGENTS.md");
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let taken = Some(folder.path().join("taken"));
            let guarded = find(&workspace, taken, Vec::new(), &Arc::default());
            run(&root, &format!("{{ {script}; }} 2> /dev/null"));
            let told = guarded.settle(&|_| false);
            let expected = ["AGENTS.md was changed by the command and can't be put back; look at it"];
            assert_eq!(told, expected, "{script}");
        }
    }

    /// Only a folder that is too large itself is not looked at.
    #[test]
    fn a_large_folder_hides_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["a", "m", "z"] {
            for number in 0..100 {
                write(&root.join(name).join(number.to_string()), "");
            }
            write(&root.join(name).join("b/AGENTS.md"), "");
        }
        write(&root.join("k/b/c/AGENTS.md"), "");
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let trees = Arc::new(Trees {
            most: 60,
            ..Trees::default()
        });
        let guarded = find(&workspace, None, Vec::new(), &trees);
        assert!(
            guarded.held.contains(&root.join("k/b/c/AGENTS.md")),
            "{:?}",
            guarded.held
        );
        assert!(guarded.settle(&|_| false)[0].contains("beyond 60 files"));
    }

    /// Nobody knows whether what is missing lies there.
    #[test]
    fn a_large_folder_is_closed_where_something_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for number in 0..100 {
            write(&root.join("m").join(number.to_string()), "");
        }
        write(&root.join("m/b/c"), "");
        write(&root.join("keys/server.pem"), "");
        let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
        let trees = Arc::new(Trees {
            most: 60,
            ..Trees::default()
        });
        let older = Arc::new(find(&workspace, None, Vec::new(), &trees));
        let hidden = || {
            let look = Look {
                was_asked: false,
                installs: false,
                keeps_texts: false,
                taken_folder: None,
                writable: Vec::new(),
            };
            let running = [older.clone()];
            Guarded::find(&workspace, look, trees.clone(), None, &running, &|_| false).hidden
        };
        assert_eq!(hidden(), BTreeSet::from([root.join("keys/server.pem")]));
        fs::rename(root.join("keys"), root.join("m/b/keys")).unwrap();
        assert_eq!(hidden(), BTreeSet::from([root.join("m")]));
    }

    /// Root looks into all folders: this one counts where an ordinary user runs it.
    #[test]
    fn what_is_moved_into_a_closed_folder_comes_back() {
        for script in [
            "mkdir z; mv sub z/sub; chmod 000 z",
            "mkdir -p z/y/x; mv sub z/y/x/sub; chmod 000 z/y/x z/y z",
            "mkdir -p z; mv sub z/sub; chmod 444 z",
            "mv sub ../tmp/z/sub; chmod 000 ../tmp/z",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().canonicalize().unwrap();
            let root = base.join("w");
            write(&root.join("sub/AGENTS.md"), "mine");
            write(&base.join("tmp/z/a"), "");
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let guarded = find(
                &workspace,
                Some(base.join("taken")),
                vec![base.join("tmp")],
                &Arc::default(),
            );
            run(&root, script);
            let told = guarded.settle(&|_| false);
            let text = fs::read_to_string(root.join("sub/AGENTS.md")).unwrap_or_default();
            run(&base, "chmod -R u+rwx .");
            assert_eq!(text, "mine", "{script}: {told:?}");
        }
    }

    /// A command can put a pipe in the place of a file at any moment.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_is_not_waited_for() {
        use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        fs::write(&file, "text").unwrap();
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let path = file.clone();
        std::thread::spawn(move || {
            for _ in 0..20_000 {
                text(&path);
            }
            sender.send(()).unwrap();
        });
        let began = std::time::Instant::now();
        while receiver.try_recv().is_err() {
            renameat_with(CWD, &file, CWD, &pipe, RenameFlags::EXCHANGE).unwrap();
            assert!(began.elapsed().as_secs() < 100, "a pipe is waited for");
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
}
