//! Paths as models write them.
//!
//! Must not know the file system: it is accessed through the environment.

use std::path::PathBuf;

use crate::base::{names, paths};
use crate::exec::Environment;

/// Returns the absolute path of an argument: `~` is the home folder, relative paths are below the workspace,
/// and names that are not UTF-8 are escaped as in file lists.
pub fn resolve(env: &dyn Environment, path: &str) -> PathBuf {
    let path = env.home().map_or_else(|| PathBuf::from(path), |home| paths::expand_home(path, home));
    let path = path.to_str().map_or_else(|| path.clone(), |text| names::parse(text).into_owned());
    paths::absolute(env.root(), &path)
}

/// Returns the possible paths of an argument for reading, the most likely first: models repeat the `@` that
/// users put before attached files.
pub fn readable(env: &dyn Environment, path: &str) -> Vec<PathBuf> {
    let without = path.strip_prefix('@').filter(|rest| !rest.is_empty());
    std::iter::once(path).chain(without).map(|path| resolve(env, path)).collect()
}

/// Returns the first of [`readable`] that exists, or else the first one.
pub async fn resolve_readable(env: &dyn Environment, path: &str) -> PathBuf {
    let mut paths = readable(env, path);
    let mut found = 0;
    for (n, path) in paths.iter().enumerate() {
        if env.stat(path).await.is_ok() {
            found = n;
            break;
        }
    }
    paths.swap_remove(found)
}
