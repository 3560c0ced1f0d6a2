//! Start folder of an agent's next command, for tools that continue where the last command ended: the
//! workspace or a folder in it.
//!
//! Must not know any tool.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::exec::file_info::FileKind;
use crate::exec::{EnvError, Environment};

/// One per agent. A command's folder is fixed before the command is checked, and other calls do not change
/// it.
#[derive(Debug, Default)]
pub struct CommandFolder {
    /// `None` initially: the workspace itself. Otherwise a folder in it, with links resolved.
    at: Mutex<Option<PathBuf>>,
}

/// The start of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartFolder {
    /// Absolute.
    pub folder: PathBuf,
    /// The folder where it would have started, if that is no longer a folder of the workspace.
    pub missing: Option<PathBuf>,
}

impl CommandFolder {
    /// Returns where a command starts now. A folder that no longer exists in the workspace is forgotten.
    pub async fn current(&self, env: &dyn Environment) -> StartFolder {
        let root = env.root().to_path_buf();
        let Some(at) = self.get() else { return StartFolder { folder: root, missing: None } };
        if folder_in_workspace(env, &at).await.is_ok_and(|found| found.as_ref() == Some(&at)) {
            return StartFolder { folder: at, missing: None };
        }
        self.set(None);
        StartFolder { folder: root, missing: Some(at) }
    }

    /// Records that a command which started in one folder ended in another, where the next one starts.
    /// Returns `false` if that is not a folder of the workspace: then the next one starts in the workspace. A
    /// command that ended where it started changes nothing, so that among concurrent commands one that moved
    /// wins.
    pub async fn note_end(&self, env: &dyn Environment, began: &Path, ended: &Path) -> bool {
        let same = async |path: &Path| env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf());
        let ended = same(ended).await;
        if ended == same(began).await {
            return true;
        }
        // Checks and displays need text.
        let found =
            folder_in_workspace(env, &ended).await.ok().flatten().filter(|found| found.to_str().is_some());
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

/// Returns the resolved path, if it is a folder in the workspace.
async fn folder_in_workspace(env: &dyn Environment, path: &Path) -> Result<Option<PathBuf>, EnvError> {
    let (root, real) = (env.resolve(env.root()).await?, env.resolve(path).await?);
    let is_folder = env.stat(&real).await?.kind == FileKind::Folder;
    Ok((is_folder && real.starts_with(&root)).then_some(real))
}
