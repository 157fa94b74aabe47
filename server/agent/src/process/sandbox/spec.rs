//! What a supervisor is told, and what it answers: frames of a length and a JSON text on its standard input, a socket.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Moved, Number};

/// The longest message, in bytes: a command line can have 2 MiB.
const MAX_BYTES: u32 = 16 << 20;

/// A command and how it is confined.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::process) struct Spec {
    /// The program and its arguments; none only to try whether the rest works.
    pub(in crate::process) argv: Vec<Text>,
    /// Where it starts.
    pub(in crate::process) cwd: Text,
    /// All of its environment.
    pub(in crate::process) environment: Vec<(Text, Text)>,
    /// What it reads on its standard input; nothing without.
    pub(in crate::process) input: Option<String>,
    /// `None` where nothing confines it: then only its lifetime is looked after.
    pub(in crate::process) confinement: Option<Confinement>,
}

/// What a command is kept from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::process) struct Confinement {
    /// Whether Landlock keeps its files.
    pub(in crate::process) landlock: bool,
    /// The process whose user and network namespaces the command joins; without one it has no namespaces of its own.
    pub(in crate::process) keeper: Option<i32>,
    /// Whether it has the machine's network.
    pub(in crate::process) network: bool,
    /// The folders that it may write to.
    pub(in crate::process) writable: Vec<Text>,
    /// Files and folders that it can't look into.
    pub(in crate::process) hidden: Vec<Held>,
    /// Files and folders that it can't change, below those that it may write to.
    pub(in crate::process) read_only: Vec<Held>,
    /// Folders that it can neither rename nor move others out of.
    pub(in crate::process) fixed: Vec<Text>,
}

/// A file or a folder that is kept from a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::process) struct Held {
    /// Where it is.
    pub(in crate::process) path: Text,
    /// What it is; `None` where it need not be there.
    pub(in crate::process) number: Option<Number>,
}

/// The result of starting a command.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::process) enum Started {
    /// It runs.
    Running,
    /// It does not, because another file is where this one was to be held.
    Moved(Text),
    /// It does not: the error's number where the system gave one, and what failed.
    Failed(Option<i32>, String),
}

impl From<io::Error> for Started {
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Moved>()) {
            Some(Moved(path)) => Self::Moved(Text::from(path)),
            None => Self::Failed(error.raw_os_error(), error.to_string()),
        }
    }
}

impl Started {
    /// What failed, as an error.
    pub(in crate::process) fn result(self) -> io::Result<()> {
        match self {
            Self::Running => Ok(()),
            Self::Moved(path) => Err(Moved(path.path()).into()),
            Self::Failed(Some(number), _) => Err(io::Error::from_raw_os_error(number)),
            Self::Failed(None, message) => Err(io::Error::other(message)),
        }
    }
}

/// A place that was not held for a moment, because somebody outside put another file there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::process) struct Loose {
    /// Which it is.
    pub(in crate::process) path: Text,
    /// Why it is told.
    pub(in crate::process) why: Why,
}

/// What happened to a place that was not held for a moment.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(in crate::process) enum Why {
    /// Somebody wrote to it then.
    Written,
    /// It was away, and somebody made it again.
    Back,
    /// It was replaced before anybody was notified of changes.
    Early,
    /// The command had it open for writing, and was ended.
    Opened,
    /// It can't be held, and the command was ended.
    NotHeld,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(in crate::process) enum Ended {
    /// With this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// Bytes that are nearly always text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::process) enum Text {
    /// They are.
    Plain(String),
    /// They are not.
    Bytes(Vec<u8>),
}

impl<T: AsRef<OsStr> + ?Sized> From<&T> for Text {
    fn from(text: &T) -> Self {
        let text = text.as_ref();
        text.to_str().map_or_else(
            || Self::Bytes(text.as_bytes().to_vec()),
            |text| Self::Plain(text.to_owned()),
        )
    }
}

impl Text {
    /// As the system takes it.
    pub(in crate::process) fn os(&self) -> OsString {
        match self {
            Self::Plain(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }

    /// As a path.
    pub(in crate::process) fn path(&self) -> PathBuf {
        self.os().into()
    }
}

/// The bytes of a message.
pub(in crate::process) fn encode<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| io::Error::other("the command is too long"))?;
    Ok([&length.to_le_bytes(), body.as_slice()].concat())
}

/// Writes a message.
pub(in crate::process) fn write<T: Serialize>(mut to: impl Write, message: &T) -> io::Result<()> {
    to.write_all(&encode(message)?)
}

/// Reads a message; `None` at the end.
pub(in crate::process) fn read<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut body = vec![0; length_of(length)?];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// How long the message is that begins so.
pub(in crate::process) fn length_of(beginning: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(beginning);
    if length > MAX_BYTES {
        return Err(io::Error::other("a message is too long"));
    }
    Ok(length as usize)
}
