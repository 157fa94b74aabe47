//! From a text as a model or an editor writes it to a path.

use std::path::{Component, Path, PathBuf};

use super::PathError;

/// Names that are a device in every folder of Windows, whatever stands behind a dot.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];
/// The same with a digit behind them.
const NUMBERED_DEVICES: &[&str] = &["com", "lpt"];

/// The path in a text as a model or an editor may write it.
pub(super) fn path(text: &str) -> Result<PathBuf, PathError> {
    let path = plain(text)?;
    // Asking for it already tells another machine who asks, or opens the device.
    if cfg!(windows) && is_share_or_device(&path) {
        return Err(PathError::Outside(text.to_owned()));
    }
    Ok(path.into())
}

/// The path without what makes it a URI.
fn plain(text: &str) -> Result<String, PathError> {
    if text.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if text.contains('\0') {
        return Err(PathError::Invalid("it has a NUL character".to_owned()));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Ok(text.to_owned());
    };
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    if !is_scheme || !(rest.starts_with('/') || scheme.eq_ignore_ascii_case("untitled")) {
        return Ok(text.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return Err(PathError::Invalid(format!(
            "{text} is a URI, not a file of the workspace"
        )));
    }
    let path = rest
        .strip_prefix("//localhost")
        .or_else(|| rest.strip_prefix("//"))
        .unwrap_or(rest);
    if !path.starts_with('/') {
        return Err(PathError::Outside(text.to_owned()));
    }
    let decoded = percent_decoded(path).ok_or_else(|| PathError::Invalid(format!("{text} is badly encoded")))?;
    if decoded.contains('\0') {
        return Err(PathError::Invalid("it has a NUL character".to_owned()));
    }
    // `file:///c:/x` names a drive.
    let is_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    Ok(if is_drive { decoded[1..].to_owned() } else { decoded })
}

/// Whether Windows takes a path for a share on another machine, or for a device: `\\server\share`, `\\?\`, `\\.\`,
/// `\??\`, or a name such as `NUL` in any folder.
fn is_share_or_device(path: &str) -> bool {
    let path = path.replace('/', r"\");
    let is_device = |part: &str| {
        let name = part.split(['.', ':']).next().unwrap_or_default();
        let name = name.trim_end().to_lowercase();
        let number = NUMBERED_DEVICES.iter().find_map(|device| name.strip_prefix(device));
        let mut number = number.unwrap_or_default().chars();
        let digit = (number.next(), number.next());
        DEVICES.contains(&name.as_str()) || matches!(digit, (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    path.starts_with(r"\\") || path.starts_with(r"\??\") || path.split('\\').any(is_device)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
            bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The path without `.` and `..`; `None` where it leads above its start.
pub(super) fn normalised(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    let mut depth = 0_usize;
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                depth = depth.checked_sub(1)?;
                out.pop();
            }
            Component::Normal(name) => {
                depth += 1;
                out.push(name);
            }
            Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_devices_of_windows_are_told_from_files() {
        for (path, expected) in [
            (r"src\main.rs", false),
            ("src/main.rs", false),
            (r"C:\shop\src\main.rs", false),
            ("console.log", false),
            ("com/port.rs", false),
            ("COM10", false),
            ("a/nul-values.csv", false),
            (r"\\evil.example\share\x", true),
            ("//evil.example/share/x", true),
            (r"\/evil.example\x", true),
            (r"\\?\C:\Windows\win.ini", true),
            (r"\\.\PhysicalDrive0", true),
            (r"\??\UNC\evil.example\share", true),
            ("NUL", true),
            ("src/nul.txt", true),
            ("Aux .rs", true),
            ("con:", true),
            (r"a\COM1", true),
            ("lpt\u{b9}.txt", true),
            ("CONIN$", true),
        ] {
            assert_eq!(is_share_or_device(path), expected, "{path}");
        }
    }
}
