//! Paths as models write them.
//!
//! Must not know the file system: it is asked through the environment.

use std::path::PathBuf;

use crate::base::paths;
use crate::exec::Environment;

/// The absolute path of an argument: a leading `@` (people's mark for attachments) is dropped,
/// `~` is the home folder, anything relative is below the workspace.
pub fn resolve(env: &dyn Environment, path: &str) -> PathBuf {
    let path = path.strip_prefix('@').unwrap_or(path);
    let path = env.home().map_or_else(|| PathBuf::from(path), |home| paths::expand_home(path, home));
    paths::absolute(env.root(), &path)
}
