//! What lies around the files that are checked: the files beside them, the other skills, the files of the workspace.
//!
//! Everything here reads the disk, so it belongs on a thread that may block, and never on the way of a keystroke. What
//! was found is kept until somebody says that it has changed.

mod matches;

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use parking_lot::Mutex;
use skills_agent::catalog::{Catalog, ignoring};
use skills_agent::workspace::slashed;
use skills_schema::facts::{
    Around, Dangling, EntryKind, FileIndex, FileKind, Folder, FolderEntry, Found, Names, Outline, Plugin, Reference,
    ReferenceKind, SKILL_FOLDERS, Script, SkillCopy, normal, place_of_copy, references, scripts, scripts_of_hooks,
};
use skills_schema::rules::Finding;
use skills_schema::syntax::SkillFile;

use crate::analysis::Analysis;
use crate::paths::resolved;

use matches::Indexed;
pub use matches::Matches;

/// The most entries of a skill's folder that are looked at, and how deep.
const MAX_ENTRIES: usize = 2_000;
const MAX_DEPTH: usize = 8;
/// The most files of a folder of the workspace that are looked at.
const MAX_FILES: usize = 200_000;
/// The longest file that is read for its headings and links, or for how it begins and what it asks, in bytes.
const MAX_BYTES: u64 = 256 << 10;
/// The most files that are read for one that is checked.
const MAX_READ: usize = 200;
/// How many imports are followed, one after the other: one more than the reader that follows most.
const MAX_HOPS: usize = 6;

/// What was found, and is still so as far as anybody said. Threads share it: no lock is held while a folder is listed or
/// a file read, but for the index of the workspace, which is built once.
#[derive(Debug, Default)]
pub struct Surroundings {
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
    /// By the folder that holds the manifest.
    plugins: Mutex<HashMap<PathBuf, Package>>,
    /// The folders of skills that there are, by the folder that holds them.
    copies: Mutex<HashMap<PathBuf, Arc<[&'static str]>>>,
    outlines: Mutex<HashMap<PathBuf, Option<Outline>>>,
    scripts: Mutex<HashMap<PathBuf, Option<Script>>>,
    indexes: Mutex<HashMap<PathBuf, Arc<Indexed>>>,
}

/// What a look needs beside the file that is checked.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The workspace's folders.
    pub folders: Vec<PathBuf>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// All skills; `None` while they are looked for.
    pub catalog: Option<Arc<Catalog>>,
    /// The texts of open documents, which count instead of the disk's.
    pub open: HashMap<PathBuf, Arc<str>>,
}

impl Surroundings {
    /// What is wrong with a file in view of what is around it. Reads the disk.
    pub fn findings(&self, path: &Path, analysis: &Analysis, view: &View) -> Vec<Finding> {
        let folder = self.folder(path, analysis, view);
        let indexes = if analysis.file.entry("paths").is_some() {
            self.indexes(path, view)
        } else {
            Vec::new()
        };
        let files: Vec<&FileIndex> = indexes.iter().map(|index| &*index.files).collect();
        let around = Around {
            folder: Some(&folder),
            names: view.catalog.as_deref().map(|catalog| catalog as &dyn Names),
            files: &files,
        };
        // The catalog may have found the file by another path.
        let skill = view.catalog.as_ref().and_then(|catalog| catalog.at(path));
        let known = skill.and_then(|skill| skill.path.as_deref());
        analysis.findings_around(&slashed(known.unwrap_or(path)), around)
    }

    /// Forgets what a change of a file, or of files in a folder, made untrue.
    pub fn forget(&self, changed: &Path) {
        let is_apart = |folder: &Path| !changed.starts_with(folder) && !folder.starts_with(changed);
        self.folders.lock().retain(|folder, _| is_apart(folder));
        self.plugins.lock().retain(|folder, _| is_apart(folder));
        self.copies.lock().retain(|folder, _| is_apart(folder));
        self.outlines.lock().retain(|file, _| !file.starts_with(changed));
        self.scripts.lock().retain(|file, _| !file.starts_with(changed));
        let is_known = |folder: &Path, index: &FileIndex| {
            let Ok(relative) = changed.strip_prefix(folder) else {
                return true;
            };
            let relative = slashed(relative);
            let mut found = false;
            index.each(|path| {
                found = path == relative;
                !found
            });
            found && changed.exists()
        };
        self.indexes
            .lock()
            .retain(|folder, index| is_known(folder, &index.files));
    }

    /// The files beside a skill, and all that its text names.
    fn folder(&self, path: &Path, analysis: &Analysis, view: &View) -> Folder {
        let Some(base) = path.parent() else {
            return Folder::new(true);
        };
        // Other files share their folder with files that are none of their business.
        let mut folder = if analysis.kind() == FileKind::Skill {
            let known = self.folders.lock().get(base).cloned();
            let listed = known.unwrap_or_else(|| {
                let listed = Arc::new(list(base));
                self.folders.lock().insert(base.to_owned(), listed.clone());
                listed
            });
            let mut folder = Folder::clone(&listed);
            let open = |path: &&'static str| Some((*path, view.open.get(&base.join(path))?.to_string()));
            folder.texts.extend(Folder::READ.iter().filter_map(open));
            let above: Vec<Package> = base
                .ancestors()
                .skip(1)
                .take(MAX_DEPTH)
                .map(|it| self.package(it))
                .collect();
            folder.is_packaged = above.iter().any(|it| it.is_one);
            folder.plugin = above.into_iter().find_map(|it| it.plugin);
            folder.first_copy = self.first_copy(path, view);
            folder
        } else {
            Folder::new(true)
        };
        let mut reader = Reader {
            surroundings: self,
            view,
            base,
            left: MAX_READ,
        };
        let mut seen = HashSet::new();
        reader.add(references(&analysis.file), &mut folder, &mut seen, 1);
        if analysis.kind() == FileKind::Skill {
            reader.add_scripts(&analysis.file, &mut folder);
        }
        folder
    }

    /// The copy of a skill in the folder of the first system that has one, unless that is the skill itself.
    fn first_copy(&self, path: &Path, view: &View) -> Option<SkillCopy> {
        let slashed = slashed(path);
        let (root, own, rest) = place_of_copy(&slashed)?;
        let known = self.copies.lock().get(Path::new(root)).cloned();
        let folders = known.unwrap_or_else(|| {
            let is_there = |folder: &&&str| Path::new(root).join(folder).is_dir();
            let found: Arc<[_]> = SKILL_FOLDERS.iter().filter(is_there).copied().collect();
            self.copies.lock().insert(root.into(), found.clone());
            found
        });
        let before = folders.iter().take_while(|folder| **folder != own);
        before.into_iter().find_map(|folder| {
            let copy = Path::new(root).join(folder).join(rest);
            let open = || view.open.get(&copy).map(|text| text.to_string());
            let up = "../".repeat(rest.matches('/').count() + own.matches('/').count() + 1);
            Some(SkillCopy {
                text: open().or_else(|| read(&copy))?,
                path: format!("{up}{folder}/{rest}").into(),
            })
        })
    }

    /// What a folder ships; many skills share the folders above them.
    fn package(&self, folder: &Path) -> Package {
        if let Some(known) = self.plugins.lock().get(folder) {
            return known.clone();
        }
        let plugin = plugin(folder);
        let is_one = plugin.is_some() || folder.join(MARKETPLACE).is_file();
        let found = Package { plugin, is_one };
        self.plugins.lock().insert(folder.to_owned(), found.clone());
        found
    }

    /// The files of the workspace's folder that a skill lies in; of all folders for one that lies elsewhere.
    fn indexes(&self, path: &Path, view: &View) -> Vec<Arc<Indexed>> {
        let inside: Vec<_> = view.folders.iter().filter(|folder| path.starts_with(folder)).collect();
        let meant = if inside.is_empty() {
            view.folders.iter().collect()
        } else {
            inside
        };
        let mut indexes = self.indexes.lock();
        let index = |folder: &PathBuf| {
            let known = indexes.entry(folder.clone());
            known.or_insert_with(|| Indexed::new(index(folder))).clone()
        };
        meant.into_iter().map(index).collect()
    }
}

/// Adds what a text names to a folder.
struct Reader<'a> {
    surroundings: &'a Surroundings,
    view: &'a View,
    base: &'a Path,
    /// How many files may still be read.
    left: usize,
}

impl Reader<'_> {
    fn add(&mut self, named: Vec<Reference>, folder: &mut Folder, seen: &mut HashSet<String>, hop: usize) {
        for reference in named {
            if reference.path.starts_with('/') || !seen.insert(reference.path.clone()) {
                continue;
            }
            let Some(path) = self.real(&reference.path) else {
                continue;
            };
            if !matches!(folder.find(&reference.path), Found::Here(_)) {
                match entry(&path).or_else(|| entry(&self.written(&reference.path))) {
                    Some(entry) => folder.insert(reference.path.clone(), entry),
                    None => {
                        self.look_at_root(&reference.path, folder);
                        continue;
                    }
                }
            }
            let is_read = matches!(reference.kind, ReferenceKind::Link | ReferenceKind::Import);
            let outline = if is_read { self.outline(&path) } else { None };
            let (Some(outline), Some(entry)) = (outline, folder.get_mut(&reference.path)) else {
                continue;
            };
            entry.outline = Some(outline.clone());
            if hop < MAX_HOPS && reference.kind == ReferenceKind::Import {
                let parent = reference.path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let imports = outline.imports.iter().map(|import| Reference {
                    path: beside(parent, import),
                    ..reference.clone()
                });
                self.add(imports.collect(), folder, seen, hop + 1);
            }
        }
    }

    /// Adds what the scripts hold that a text names.
    fn add_scripts(&mut self, file: &SkillFile, folder: &mut Folder) {
        for named in scripts(file).chain(scripts_of_hooks(file)) {
            let path = normal(file.slice(named.range));
            if !matches!(folder.find(&path), Found::Here(_)) && !path.starts_with('/') {
                let found = entry(&self.base.join(&path)).or_else(|| entry(&self.written(&path)));
                match found {
                    Some(entry) => folder.insert(path.clone(), entry),
                    None => self.look_at_root(&path, folder),
                }
            }
            if let Some(entry) = folder.get_mut(&path).filter(|entry| entry.script.is_none())
                && entry.kind == EntryKind::File
            {
                entry.script = self.script(&path);
            }
        }
    }

    /// The path as it is written: the system follows the links on its way before it goes up.
    fn written(&self, path: &str) -> PathBuf {
        PathBuf::from(normal(&format!("{}/{path}", slashed(self.base))))
    }

    /// Notes a path that leads somewhere from where the model works: the workspace's root, the folder that the
    /// reader's own folder lies in, and that of a plugin.
    fn look_at_root(&self, path: &str, folder: &mut Folder) {
        if path.starts_with(['/', '~']) || path.starts_with("..") {
            return;
        }
        let workspace = self.view.folders.iter().filter(|root| self.base.starts_with(root));
        let is_readers = |it: &&Path| {
            let name = it.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with('.') && name.len() > 1
        };
        let project = self.base.ancestors().find(is_readers).and_then(Path::parent);
        let plugin = self
            .base
            .parent()
            .filter(|it| it.ends_with("skills"))
            .and_then(Path::parent);
        let mut roots = workspace.map(PathBuf::as_path).chain(project).chain(plugin);
        if roots.any(|root| root.join(path).exists()) {
            folder.at_root.insert(path.trim_end_matches('/').to_owned());
        }
    }

    fn script(&mut self, name: &str) -> Option<Script> {
        let path = self.known_as(&self.base.join(name));
        if let Some(text) = self.view.open.get(&path) {
            return Some(Script::of(name, text));
        }
        if let Some(known) = self.surroundings.scripts.lock().get(&path) {
            return known.clone();
        }
        self.left = self.left.checked_sub(1)?;
        let script = read(&path).map(|text| Script::of(name, &text));
        self.surroundings.scripts.lock().insert(path, script.clone());
        script
    }

    /// Where a path of a text leads on the disk.
    fn real(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix("~/") {
            Some(rest) => Some(self.view.home.as_ref()?.join(rest)),
            None => Some(self.base.join(path)),
        }
    }

    /// The one name of a file: what is open, and what changes, is told by it. Without an editor there is neither, and
    /// where nothing leads up, two names of one file are rare.
    fn known_as(&self, path: &Path) -> PathBuf {
        let leads_up = path.components().any(|component| component == Component::ParentDir);
        if self.view.open.is_empty() && !leads_up {
            return path.to_owned();
        }
        resolved(path)
    }

    /// What a Markdown file holds, from the editor where it is open.
    fn outline(&mut self, path: &Path) -> Option<Outline> {
        if path
            .extension()
            .is_none_or(|extension| !extension.eq_ignore_ascii_case("md"))
        {
            return None;
        }
        let path = self.known_as(path);
        if let Some(text) = self.view.open.get(&path) {
            return Some(Outline::of(text));
        }
        if let Some(known) = self.surroundings.outlines.lock().get(&path) {
            return known.clone();
        }
        self.left = self.left.checked_sub(1)?;
        let outline = read(&path).map(|text| Outline::of(&text));
        self.surroundings.outlines.lock().insert(path, outline.clone());
        outline
    }
}

/// The path of an import from the first file's folder.
fn beside(parent: &str, import: &str) -> String {
    if import.starts_with(['~', '/']) {
        import.to_owned()
    } else {
        normal(&format!("{parent}/{import}")).trim_start_matches('/').to_owned()
    }
}

/// The text of a file that is neither long nor a pipe.
fn read(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// What lies at a path.
fn entry(path: &Path) -> Option<FolderEntry> {
    let metadata = path.metadata().ok()?;
    Some(FolderEntry {
        kind: if metadata.is_dir() {
            EntryKind::Folder
        } else {
            EntryKind::File
        },
        bytes: if metadata.is_file() { metadata.len() } else { 0 },
        is_executable: is_executable(&metadata),
        outline: None,
        script: None,
    })
}

/// Whether the system lets a file be run as a program, where it tells.
#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file().then(|| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> Option<bool> {
    None
}

/// The entries below a folder.
fn list(base: &Path) -> Folder {
    let mut folder = Folder::new(true);
    let root = LazyCell::new(|| resolved(base));
    let walk = WalkBuilder::new(base)
        .standard_filters(false)
        .max_depth(Some(MAX_DEPTH + 1))
        .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != "node_modules")
        .build();
    for (count, found) in walk.filter_map(Result::ok).skip(1).enumerate() {
        if count >= MAX_ENTRIES || found.depth() > MAX_DEPTH {
            folder.is_complete = false;
            if count >= MAX_ENTRIES {
                break;
            }
        }
        let Ok(relative) = found.path().strip_prefix(base) else {
            continue;
        };
        let Some(mut entry) = entry(found.path()) else {
            let target = found.path().read_link().ok();
            folder.dangling.extend(target.map(|target| Dangling {
                path: slashed(relative).into_owned(),
                target: slashed(&target).into_owned(),
            }));
            continue;
        };
        if found.path_is_symlink() && !resolved(found.path()).starts_with(&*root) {
            entry.kind = EntryKind::LeadsOut;
        }
        folder.insert(slashed(relative).into_owned(), entry);
    }
    // A folder on the way to one may be a link, which the walk does not follow.
    let may_be_there = |path: &str| {
        let first = path.split('/').next().unwrap_or(path);
        !matches!(folder.find(first), Found::Missing)
    };
    let texts = Folder::READ.iter().filter(|path| may_be_there(path));
    let texts = texts.filter_map(|path| Some((*path, read(&base.join(path))?)));
    folder.texts = texts.collect();
    folder
}

/// What names the plugins of a repository.
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

/// What a folder ships.
#[derive(Debug, Clone)]
struct Package {
    /// The plugin that it is.
    plugin: Option<Plugin>,
    /// It is a plugin, or names some.
    is_one: bool,
}

/// The plugin that a folder is to Codex.
fn plugin(folder: &Path) -> Option<Plugin> {
    const MANIFESTS: [&str; 3] = [
        ".codex-plugin/plugin.json",
        ".claude-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
    ];
    let manifests = MANIFESTS.iter().map(|manifest| folder.join(manifest));
    let found = manifests.filter_map(|manifest| Some((read(&manifest)?, manifest)));
    let named = found.filter_map(|(text, manifest)| {
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(Plugin {
            name: value["name"].as_str()?.to_owned(),
            manifest: slashed(&manifest).into_owned(),
        })
    });
    named.into_iter().next()
}

/// The files of a folder of the workspace, by the rules of .gitignore.
fn index(folder: &Path) -> FileIndex {
    let walk = ignoring::walk(folder, &[]).hidden(false).build();
    let files = walk
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<String> = files
        .filter_map(|entry| Some(slashed(entry.path().strip_prefix(folder).ok()?).into_owned()))
        .take(MAX_FILES + 1)
        .collect();
    let is_complete = paths.len() <= MAX_FILES;
    paths.truncate(MAX_FILES);
    FileIndex::new(paths, is_complete)
}
