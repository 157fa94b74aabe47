//! Child processes: what they inherit, what they may touch, and that none outlives its run.

use std::ffi::OsString;
use std::process::ExitStatus;

pub(crate) mod attended;
pub(crate) mod capture;
pub mod commands;
mod guarded;
pub mod jobs;
pub mod launcher;
pub mod output;
pub(crate) mod redact_output;
pub mod sandbox;

/// What a command inherits: enough to find programs and their configuration. No keys, and nothing that changes which
/// code a program loads.
const INHERITED: &[&str] = &[
    "APPDATA",
    "COLUMNS",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// The variables of our own environment that a command is given.
pub(crate) fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| INHERITED.iter().any(|it| name.eq_ignore_ascii_case(it)))
}

/// The exit code; of a signal the negative number.
#[cfg(unix)]
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(1))
}

#[cfg(not(unix))]
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}
