//! Where the next command of an agent begins, for tools whose calls go on where the last one ended: inside
//! the workspace, or in the workspace itself.
//!
//! Must not know any tool.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::exec::facts::FileKind;
use crate::exec::{EnvError, Environment};

/// One for each agent. A command's folder is decided before the command is judged, and stays that of the call
/// whatever other calls do meanwhile.
#[derive(Debug, Default)]
pub struct Folder {
    /// `None` at first: the workspace itself. In it, links followed.
    at: Mutex<Option<PathBuf>>,
}

/// Where a command begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// Absolute.
    pub folder: PathBuf,
    /// Where it would have begun if that were still a folder of the workspace.
    pub gone: Option<PathBuf>,
}

impl Folder {
    /// Where a command begins now. What is no folder of the workspace any more is forgotten.
    pub async fn now(&self, env: &dyn Environment) -> Begin {
        let root = env.root().to_path_buf();
        let Some(at) = self.get() else { return Begin { folder: root, gone: None } };
        if below(env, &at).await.is_ok_and(|found| found.as_ref() == Some(&at)) {
            return Begin { folder: at, gone: None };
        }
        self.set(None);
        Begin { folder: root, gone: Some(at) }
    }

    /// A command that began in one folder has ended in another, where the next one is to begin. `false` where
    /// that is no folder of the workspace: then the next one begins in the workspace. One that stayed where it
    /// began changes nothing, so that of commands that run at the same time the one counts that goes elsewhere.
    pub async fn ended(&self, env: &dyn Environment, began: &Path, ended: &Path) -> bool {
        let same = async |path: &Path| env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf());
        let ended = same(ended).await;
        if ended == same(began).await {
            return true;
        }
        // What is judged and shown is text.
        let found = below(env, &ended).await.ok().flatten().filter(|found| found.to_str().is_some());
        let stays = found.is_some();
        self.set(found);
        stays
    }

    fn get(&self) -> Option<PathBuf> {
        self.at.lock().clone()
    }

    fn set(&self, at: Option<PathBuf>) {
        *self.at.lock() = at;
    }
}

/// Where a path leads, if that is a folder in the workspace.
async fn below(env: &dyn Environment, path: &Path) -> Result<Option<PathBuf>, EnvError> {
    let (root, real) = (env.resolve(env.root()).await?, env.resolve(path).await?);
    let is_folder = env.stat(&real).await?.kind == FileKind::Folder;
    Ok((is_folder && real.starts_with(&root)).then_some(real))
}
