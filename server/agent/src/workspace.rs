//! The folders that a turn may touch, and the one way to a path in them.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

mod inside;
mod linked;
pub mod sensitive;
mod spelling;
mod write;

use sensitive::{Found, Row};

pub(crate) use inside::reading;

/// The longest file that is read, in bytes: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// A path with `/` between its parts.
pub fn slashed(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    match MAIN_SEPARATOR {
        '/' => text,
        separator => Cow::Owned(text.replace(separator, "/")),
    }
}

/// The workspace's folders.
#[derive(Debug)]
pub struct Workspace {
    folders: Vec<Folder>,
    secrets: linked::Secrets,
}

/// One folder of the workspace.
#[derive(Debug)]
pub struct Folder {
    /// What a path of a workspace with several folders begins with; unique in the workspace.
    pub name: String,
    /// The absolute path without symbolic links.
    pub path: PathBuf,
    /// The path as it was given, for texts that use that spelling.
    given: PathBuf,
    /// Whether there are others, so that paths for people and models begin with the name.
    is_one_of_several: bool,
    /// Everything is opened below this handle, so no path leads out.
    dir: Dir,
}

/// A place of a file inside the workspace; the file may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The absolute path without symbolic links: the file's identity.
    pub path: PathBuf,
    /// The path for people and models: relative, with the folder's name in front where there are several.
    pub relative: String,
    /// Whether there is a file on the disk.
    pub exists: bool,
    /// Whether the file has another name somewhere, which a write would part from this one.
    pub hard_links: bool,
    /// Why a write asks a person: the file decides what programs run or what an agent may do.
    pub protection: Option<&'static Row>,
    /// Why a read asks a person: the file may hold keys or passwords.
    pub secret: Option<&'static Row>,
    folder: usize,
    inner: PathBuf,
}

/// Why a path is refused. Each message is written for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing was given.
    #[error("path is empty; give a path inside the workspace")]
    Empty,
    /// The text can be no path of a file.
    #[error("invalid path: {0}; give a plain path inside the workspace, such as src/main.rs")]
    Invalid(String),
    /// It leads out by `..` or as an absolute path.
    #[error("path escapes workspace root: {0}")]
    Outside(String),
    /// It leads out by a symbolic link, or the link leads nowhere.
    #[error("path escapes workspace root through symlink: {0}")]
    Link(String),
    /// There is something else than a file.
    #[error("not a file: {0} is {1}; give the path of a regular file")]
    NotAFile(String, &'static str),
    /// There is no file.
    #[error("file not found: {0}; find_files lists what there is")]
    Missing(String),
    /// It is too long to be read.
    #[error("file too large: {0} has {1} bytes, more than {max}; use search_text", max = MAX_FILE_BYTES)]
    TooLarge(String, u64),
    /// It is no text.
    #[error("not a text file: {0} is {1}")]
    NotText(String, &'static str),
    /// It is another name of a file with keys, which nobody was asked about.
    #[error("{0} is another name of a file that holds keys or passwords; do without it")]
    Secret(String),
    /// The file system refused.
    #[error("read failed: {0}: {1}")]
    Io(String, String),
}

impl Workspace {
    /// Opens the folders; the first is the one that relative paths start at.
    ///
    /// # Errors
    /// Where a folder can't be opened, or none is given.
    pub fn open(folders: &[PathBuf]) -> io::Result<Self> {
        let mut opened: Vec<Folder> = Vec::new();
        for given in folders {
            let path = given.canonicalize()?;
            if opened.iter().any(|folder| folder.path == path) {
                continue;
            }
            let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
            let base = path
                .file_name()
                .map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
            let taken = |name: &str| opened.iter().any(|folder| folder.name == name);
            let name = std::iter::once(base.clone())
                .chain((2..).map(|number| format!("{base}-{number}")))
                .find(|name| !taken(name))
                .unwrap_or(base);
            opened.push(Folder {
                name,
                path,
                given: given.clone(),
                is_one_of_several: false,
                dir,
            });
        }
        let is_one_of_several = opened.len() > 1;
        opened
            .iter_mut()
            .for_each(|folder| folder.is_one_of_several = is_one_of_several);
        if opened.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a workspace needs at least one folder",
            ));
        }
        Ok(Self {
            folders: opened,
            secrets: linked::Secrets::default(),
        })
    }

    /// The folders, in the order given.
    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// The folder that a place is in.
    pub fn folder_of(&self, target: &Target) -> &Folder {
        &self.folders[target.folder]
    }

    /// The path of a place below its folder.
    pub fn inner<'a>(&self, target: &'a Target) -> &'a Path {
        &target.inner
    }

    /// The place that a text names: a path relative to the first folder, or to the folder that it begins with,
    /// or absolute, or a `file:` URI.
    ///
    /// # Errors
    /// Where it leads out of the workspace, in whatever way, or to something that is no file.
    pub fn resolve(&self, text: &str) -> Result<Target, PathError> {
        let (folder, inner) = self.locate(&spelling::path(text)?, text)?;
        self.target(folder, &inner, text)
    }

    /// [`Workspace::resolve`] of a path that a program gives.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn resolve_path(&self, path: &Path) -> Result<Target, PathError> {
        let shown = path.display().to_string();
        let (folder, inner) = self.locate(path, &shown)?;
        self.target(folder, &inner, &shown)
    }

    /// The folder that a text names, and the index of the workspace's folder that it is in; absolute, without symbolic
    /// links.
    ///
    /// # Errors
    /// Where it leads out of the workspace, or there is no folder.
    pub fn resolve_folder(&self, text: &str) -> Result<(usize, PathBuf), PathError> {
        let (folder, inner) = self.locate(&spelling::path(text)?, text)?;
        let real = self.real(&self.folders[folder].path.join(inner), text)?;
        let folder = self.folders.iter().position(|folder| real.starts_with(&folder.path));
        let folder = folder.ok_or_else(|| PathError::Link(text.to_owned()))?;
        if !real.is_dir() {
            return Err(PathError::Invalid(format!("{text} is no folder")));
        }
        Ok((folder, real))
    }

    /// The text of a file on the disk.
    ///
    /// # Errors
    /// Where there is no regular file now, or it is longer than [`MAX_FILE_BYTES`], binary, or not UTF-8.
    pub fn read(&self, target: &Target) -> Result<String, PathError> {
        let bytes = self.read_bytes(target)?;
        if bytes.contains(&0) {
            return Err(PathError::NotText(target.relative.clone(), "binary"));
        }
        String::from_utf8(bytes).map_err(|_| PathError::NotText(target.relative.clone(), "not UTF-8"))
    }

    /// The bytes of a file on the disk.
    ///
    /// # Errors
    /// Where there is no regular file now, or it is longer than [`MAX_FILE_BYTES`].
    pub fn read_bytes(&self, target: &Target) -> Result<Vec<u8>, PathError> {
        let mut bytes = Vec::new();
        self.read_into(target, &mut bytes)?;
        Ok(bytes)
    }

    /// [`Workspace::read_bytes`] into a buffer of the caller's own, behind what is in it.
    pub(crate) fn read_into(&self, target: &Target, bytes: &mut Vec<u8>) -> Result<(), PathError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => PathError::Missing(target.relative.clone()),
            _ => PathError::Io(target.relative.clone(), error.to_string()),
        };
        let file = inside::file(self.dir(target), &target.inner).map_err(failed)?;
        // Checked on the handle: what the path names may be something else by now.
        let metadata = file.metadata().map_err(failed)?;
        if let Some(kind) = other_than_file(&metadata) {
            return Err(PathError::NotAFile(target.relative.clone(), kind));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(PathError::TooLarge(target.relative.clone(), metadata.len()));
        }
        if target.secret.is_none() && self.is_linked_secret(&metadata) {
            return Err(PathError::Secret(target.relative.clone()));
        }
        bytes.reserve(usize::try_from(metadata.len()).unwrap_or_default() + 1);
        // Files of /proc have no length and files may grow: the read itself is bounded.
        match file.take(MAX_FILE_BYTES + 1).read_to_end(bytes).map_err(failed)? as u64 {
            length if length > MAX_FILE_BYTES => Err(PathError::TooLarge(target.relative.clone(), length)),
            _ => Ok(()),
        }
    }

    /// A regular file that a walk came to without following a link, so that its path is its real one. Looks at no disk:
    /// what stands there is checked on the handle when it is read.
    pub(crate) fn walked(&self, folder: usize, inner: &Path, relative: String) -> Target {
        let Found { protection, secret } = sensitive::find(inner);
        Target {
            relative,
            exists: true,
            hard_links: false,
            protection,
            secret,
            path: self.folders[folder].path.join(inner),
            folder,
            inner: inner.to_owned(),
        }
    }

    /// The path of a file below a folder, for people and models.
    pub(crate) fn relative<'a>(&self, folder: usize, inner: &'a Path) -> Cow<'a, str> {
        self.folders[folder].shown(inner)
    }

    /// Whether a file has several names and another one of them says that it holds keys.
    pub(crate) fn is_linked_secret(&self, metadata: &Metadata) -> bool {
        let folders = || self.folders.iter().map(|folder| &*folder.path);
        links(metadata) > 1 && number(metadata).is_some_and(|number| self.secrets.has(number, folders()))
    }

    fn dir(&self, target: &Target) -> &Dir {
        &self.folders[target.folder].dir
    }

    /// The folder and the path below it, without `.` and `..`; links are not followed yet.
    fn locate(&self, path: &Path, shown: &str) -> Result<(usize, PathBuf), PathError> {
        let outside = || PathError::Outside(shown.to_owned());
        if path.is_absolute() {
            let path = spelling::normalised(path).ok_or_else(outside)?;
            return self
                .folders
                .iter()
                .enumerate()
                .filter_map(|(index, folder)| {
                    let inner = path
                        .strip_prefix(&folder.path)
                        .or_else(|_| path.strip_prefix(&folder.given))
                        .ok()?;
                    Some((index, inner.to_owned()))
                })
                // Of folders inside one another the inner one.
                .min_by_key(|(_, inner)| inner.components().count())
                .ok_or_else(outside);
        }
        if self.folders.len() > 1
            && let Some(Component::Normal(first)) = path.components().find(|part| *part != Component::CurDir)
            && let Some(index) = self.folders.iter().position(|folder| folder.name.as_str() == first)
        {
            let inner: PathBuf = path
                .components()
                .filter(|part| *part != Component::CurDir)
                .skip(1)
                .collect();
            return Ok((index, spelling::normalised(&inner).ok_or_else(outside)?));
        }
        Ok((0, spelling::normalised(path).ok_or_else(outside)?))
    }

    fn target(&self, folder: usize, inner: &Path, shown: &str) -> Result<Target, PathError> {
        if inner.as_os_str().is_empty() {
            return Err(PathError::NotAFile(shown.to_owned(), "a folder"));
        }
        let real = self.real(&self.folders[folder].path.join(inner), shown)?;
        let (real_folder, real_inner) = self
            .locate(&real, shown)
            .map_err(|_| PathError::Link(shown.to_owned()))?;
        let failed = |error: io::Error| PathError::Io(shown.to_owned(), error.to_string());
        let metadata = match self.folders[real_folder].dir.symlink_metadata(&real_inner) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if let Some(kind) = metadata.as_ref().and_then(other_than_file) {
            return Err(PathError::NotAFile(shown.to_owned(), kind));
        }
        // A link's own name may be the one that a program looks for.
        let Found { protection, secret } = sensitive::find(inner).or(sensitive::find(&real_inner));
        let linked = metadata.as_ref().filter(|metadata| self.is_linked_secret(metadata));
        Ok(Target {
            relative: self.relative(real_folder, &real_inner).into_owned(),
            exists: metadata.is_some(),
            hard_links: metadata.as_ref().is_some_and(|metadata| links(metadata) > 1),
            protection,
            secret: secret.or(linked.map(|_| &linked::LINKED)),
            path: real,
            folder: real_folder,
            inner: real_inner,
        })
    }

    /// The path without symbolic links: of its nearest existing ancestor, and what is to be made below it.
    fn real(&self, path: &Path, shown: &str) -> Result<PathBuf, PathError> {
        for ancestor in path.ancestors() {
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            match ancestor.canonicalize() {
                Ok(real) if rest.as_os_str().is_empty() => return Ok(real),
                Ok(real) if real.is_dir() => return Ok(real.join(rest)),
                Ok(_) => return Err(PathError::Invalid(format!("a part of {shown} is a file, not a folder"))),
                // A link that leads nowhere, or in circles: nobody knows where a write would end.
                Err(_) if ancestor.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) => {
                    return Err(PathError::Link(shown.to_owned()));
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(PathError::Io(shown.to_owned(), error.to_string()));
                }
                // Not there, or below a file or a link in circles: the ancestor tells which.
                Err(_) => {}
            }
        }
        Err(PathError::Outside(shown.to_owned()))
    }
}

impl Folder {
    /// The path of a file below it, for people and models.
    pub(crate) fn shown<'a>(&self, inner: &'a Path) -> Cow<'a, str> {
        let text = slashed(inner);
        match self.is_one_of_several {
            true => Cow::Owned(format!("{}/{text}", self.name)),
            false => text,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.relative)
    }
}

/// What stands there, where it is no regular file.
pub(crate) fn other_than_file(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        None
    } else if metadata.is_dir() {
        Some("a folder")
    } else if metadata.is_symlink() {
        Some("a symbolic link")
    } else {
        Some("a pipe, socket or device")
    }
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> Option<linked::Number> {
    use cap_std::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<linked::Number> {
    None
}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}
