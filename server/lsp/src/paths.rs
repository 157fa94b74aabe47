//! Where documents lie: one name for one file.

use std::path::{Path, PathBuf};

use tower_lsp::ls_types::Uri;

/// The path of a `file:` URI with links resolved as far as the path exists.
pub fn file_path(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    let path = uri.to_file_path()?.into_owned();
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return None;
    }
    Some(resolved(&path))
}

/// A path with the links of its existing part resolved, so that a file has one name before it is first saved too.
pub fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_owned(),
    }
}
