//! The files that a skill declares under `references`, as thndrs 0.1.0 loads them, with bounds that hold.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use skills_schema::reader::runtime::References;

use crate::digest::Digest;
use crate::workspace::{other_than_file, reading, sensitive};

/// How many names of a folder are read.
const MAX_ENTRIES: usize = 1_000;
/// How many places are reported, loaded or not.
const MAX_REPORTED: usize = 200;

/// A file that came with a skill, or did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its absolute path; as it was declared where there is none.
    pub path: PathBuf,
    /// How many bytes of it were loaded.
    pub bytes: usize,
    /// The SHA-256 of what was loaded, in hexadecimal; empty where nothing was.
    pub sha256: String,
    /// Why the rest of it was not loaded; `None` where there is no rest.
    pub stopped: Option<String>,
}

/// All that was loaded.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// What the model is told behind the skill's own text.
    pub(super) text: String,
    pub(super) references: Vec<Reference>,
}

/// Loads files and folders below a skill's folder.
pub(super) fn load<'a>(folder: &Path, most: References, names: impl Iterator<Item = &'a str>) -> Loaded {
    let mut loader = match Loader::new(folder, most) {
        Ok(loader) => loader,
        Err(error) => {
            let mut loaded = Loaded::default();
            loaded
                .references
                .push(stopped(folder, format!("the folder can't be read: {error}")));
            return loaded;
        }
    };
    for name in names {
        match inner(name) {
            Ok(path) => loader.load(&path, 0),
            Err(reason) => loader.stop(Path::new(name), reason),
        }
    }
    loader.loaded
}

struct Loader {
    most: References,
    root: PathBuf,
    dir: Dir,
    seen: BTreeSet<PathBuf>,
    files: usize,
    bytes: usize,
    loaded: Loaded,
}

impl Loader {
    fn new(folder: &Path, most: References) -> std::io::Result<Self> {
        let root = folder.canonicalize()?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self {
            most,
            root,
            dir,
            seen: BTreeSet::new(),
            files: 0,
            bytes: 0,
            loaded: Loaded::default(),
        })
    }

    fn load(&mut self, path: &Path, depth: usize) {
        let Ok(real) = self.root.join(path).canonicalize() else {
            return self.stop(&self.root.join(path), "reference path does not exist");
        };
        let is_named_so = sensitive::is_secret(path);
        let Ok(path) = real.strip_prefix(&self.root).map(Path::to_owned) else {
            return self.stop(&self.root.join(path), "reference path must stay inside skill root");
        };
        if is_named_so || sensitive::is_secret(&path) {
            return self.stop(&real, "it looks like keys or passwords");
        }
        // A circle of links comes back to what was seen.
        if !self.seen.insert(real.clone()) {
            return;
        }
        if depth > self.most.max_depth {
            return self.stop(&real, "maximum reference depth reached");
        }
        if real.is_dir() {
            match self.children(&path) {
                Ok(children) => children.iter().for_each(|child| self.load(child, depth + 1)),
                Err(error) => self.stop(&real, &format!("the folder can't be read: {error}")),
            }
        } else if self.files >= self.most.max_files || self.bytes >= self.most.max_bytes {
            self.stop(&real, "reference traversal budget reached");
        } else {
            match self.read(&path) {
                Ok(bytes) => self.add(real, &bytes),
                Err(error) => self.stop(&real, &format!("the file can't be read: {error}")),
            }
        }
    }

    /// What lies in a folder, sorted.
    fn children(&self, path: &Path) -> std::io::Result<Vec<PathBuf>> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let entries = self.dir.read_dir(path)?.take(MAX_ENTRIES);
        let mut children: Vec<PathBuf> = entries
            .map(|entry| Ok(path.join(entry?.file_name())))
            .collect::<std::io::Result<_>>()?;
        children.sort();
        Ok(children)
    }

    /// The first bytes of a file, and one more than may be loaded where it has more.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let file = self.dir.open_with(path, &reading())?;
        // Checked on the handle: what the path names may be something else by now.
        if let Some(kind) = other_than_file(&file.metadata()?) {
            return Err(std::io::Error::other(format!("it is {kind}")));
        }
        let mut bytes = Vec::new();
        file.take(self.most.max_file_bytes as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn add(&mut self, path: PathBuf, bytes: &[u8]) {
        let room = self.most.max_file_bytes.min(self.most.max_bytes - self.bytes);
        let end = bytes.len().min(room);
        // A character that the end cuts in two is left out.
        let end = match std::str::from_utf8(&bytes[..end]) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => end,
        };
        let is_cut = end < bytes.len();
        let text = String::from_utf8_lossy(&bytes[..end]);
        let fence = "`".repeat(longest_run(&text).max(2) + 1);
        let note = if is_cut { " (truncated)" } else { "" };
        if self.files == 0 {
            self.loaded.text.push_str("\n\n## Loaded References");
        }
        let shown: String = path
            .display()
            .to_string()
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect();
        let end_of_line = if text.ends_with('\n') { "" } else { "\n" };
        self.loaded.text.push_str(&format!(
            "\n\n### {shown}{note}\n\n{fence}text\n{text}{end_of_line}{fence}"
        ));
        self.files += 1;
        self.bytes += end;
        let limit = if room < self.most.max_file_bytes {
            self.most.max_bytes
        } else {
            self.most.max_file_bytes
        };
        self.loaded.references.push(Reference {
            path,
            bytes: end,
            sha256: Digest::of(&bytes[..end]).to_string(),
            stopped: is_cut.then(|| format!("cut at {} KiB", limit >> 10)),
        });
    }

    fn stop(&mut self, path: &Path, reason: &str) {
        match self.loaded.references.len() {
            MAX_REPORTED.. => {}
            length if length + 1 == MAX_REPORTED => {
                let rest = stopped(path, format!("{reason}; what follows is not listed"));
                self.loaded.references.push(rest);
            }
            _ => self.loaded.references.push(stopped(path, reason.to_owned())),
        }
    }
}

fn stopped(path: &Path, reason: String) -> Reference {
    Reference {
        path: path.to_owned(),
        bytes: 0,
        sha256: String::new(),
        stopped: Some(reason),
    }
}

/// A declared path without `.`; `Err` says why it is none.
fn inner(name: &str) -> Result<PathBuf, &'static str> {
    if name.trim().is_empty() {
        return Err("path must not be empty");
    }
    let mut path = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err("path must not contain parent traversal"),
            Component::RootDir | Component::Prefix(_) => return Err("path must be relative"),
        }
    }
    Ok(path)
}

/// The longest run of backticks: a fence must be longer, or the text gets out of it.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}
