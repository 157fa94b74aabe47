//! From a text as a model or an editor writes it to a path.

use std::path::{Component, Path, PathBuf};

use super::PathError;

/// The path in a text as a model or an editor may write it.
pub(super) fn path(text: &str) -> Result<PathBuf, PathError> {
    if text.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if text.contains('\0') {
        return Err(PathError::Invalid("it has a NUL character".to_owned()));
    }
    // A share, or a device: asking for it already tells another machine who asks.
    if cfg!(windows) && (text.starts_with(r"\\") || text.starts_with(r"\??\")) {
        return Err(PathError::Outside(text.to_owned()));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Ok(PathBuf::from(text));
    };
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    if !is_scheme || !(rest.starts_with('/') || scheme.eq_ignore_ascii_case("untitled")) {
        return Ok(PathBuf::from(text));
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
    Ok(PathBuf::from(if is_drive { &decoded[1..] } else { &decoded }))
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
