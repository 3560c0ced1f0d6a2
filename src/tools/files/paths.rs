//! Paths as models write them.
//!
//! Must not know the file system: it is asked through the environment.

use std::path::PathBuf;

use crate::base::{names, paths};
use crate::exec::Environment;

/// The absolute path of an argument: `~` is the home folder, anything relative is below the workspace, and names that
/// are no UTF-8 are written as lists of files show them.
pub fn resolve(env: &dyn Environment, path: &str) -> PathBuf {
    let path = env.home().map_or_else(|| PathBuf::from(path), |home| paths::expand_home(path, home));
    let path = path.to_str().map_or_else(|| path.clone(), |text| names::read(text).into_owned());
    paths::absolute(env.root(), &path)
}

/// The paths that reading an argument may lead to, the one that is meant first: models repeat the `@` that users
/// put before the names of files they attach.
pub fn readable(env: &dyn Environment, path: &str) -> Vec<PathBuf> {
    let without = path.strip_prefix('@').filter(|rest| !rest.is_empty());
    std::iter::once(path).chain(without).map(|path| resolve(env, path)).collect()
}

/// The one of [`readable`] that is read: the first one that exists, or the first one.
pub async fn to_read(env: &dyn Environment, path: &str) -> PathBuf {
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
