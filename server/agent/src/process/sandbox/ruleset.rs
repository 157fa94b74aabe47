//! Which files a confined command can read and write, by Landlock.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::writable::Place;

/// The newest that is used: V3 knows of truncation and renames, V5 of devices, V6 of signals and abstract sockets. An
/// older kernel holds what it knows.
const NEWEST: ABI = ABI::V6;

/// Devices that any program may use.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/shm",
];

/// Terminals of the command's own, where it has a namespace.
const OWN_TERMINALS: &[&str] = &["/dev/ptmx", "/dev/pts", "/dev/tty"];

/// Whether this machine's kernel can do it.
pub(in crate::process) fn is_available() -> bool {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1));
    ruleset.and_then(Ruleset::create).is_ok()
}

/// Keeps this process, and all that it starts, to these folders. `hidden` can't be read either: where mounts hide it this
/// is no news, elsewhere everything around it is granted in its place, so that folders above it can't be listed.
pub(super) fn restrict(writable: &[PathBuf], hidden: &[PathBuf], has_mounts: bool) -> Result<(), RulesetError> {
    let reading = AccessFs::from_read(NEWEST);
    // Nobody makes a device in a folder, which as root would be one of the machine's.
    let writing = AccessFs::from_all(NEWEST) & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let root = [PathBuf::from("/")];
    let (readable, writable) = if has_mounts {
        (root.to_vec(), writable.to_vec())
    } else {
        let closed: Vec<&Path> = hidden.iter().map(PathBuf::as_path).chain([Path::new("/dev")]).collect();
        (around(&closed, &root), around(&closed, writable))
    };
    let devices = DEVICES.iter().chain(OWN_TERMINALS.iter().filter(|_| has_mounts));
    Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(rules(&readable, reading))?
        .add_rules(path_beneath_rules(devices, writing))?
        .add_rules(rules(&writable, writing))?
        .restrict_self()?;
    Ok(())
}

/// Grants these places, but none behind a link: what that leads to has a path of its own, which is granted or not.
fn rules(
    places: &[PathBuf],
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<PathFd>, RulesetError>> {
    let open = places.iter().filter_map(|place| Place::open(place));
    open.flat_map(move |place| path_beneath_rules([place.path()], access).collect::<Vec<_>>())
}

/// These folders but what is hidden below them: where something is, what lies beside it and beside each folder above it,
/// as it is there now.
fn around(hidden: &[&Path], folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut waiting = folders.to_vec();
    while let Some(path) = waiting.pop() {
        if hidden.iter().any(|hidden| path.starts_with(hidden)) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            waiting.extend(entries.map(|entry| entry.path()));
        } else {
            open.push(path);
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_around_is_all_but_the_hidden_and_what_is_above() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        for name in ["a/hidden/x", "a/seen", "b/seen"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let hidden = root.join("a/hidden");
        let folders = [root.clone(), root.join("a/hidden/x")];
        let mut found = around(&[&hidden], &folders);
        found.sort();
        assert_eq!(found, [root.join("a/seen"), root.join("b")]);
    }
}
