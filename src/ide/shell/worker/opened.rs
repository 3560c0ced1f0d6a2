//! Keeps what is open in a folder for the next start there.

use std::path::PathBuf;

use crate::exec::Shelf;
use crate::ide::features::reopen::restore::LIMITS;
use crate::ide::shell::worker::Worker;

/// Where it is kept. Blocking.
pub(super) struct OpenShelf {
    shelf: Shelf,
    name: String,
}

impl OpenShelf {
    /// Puts it in the place of what was kept before.
    pub(super) fn put(&self, content: &str) {
        let kept = self.shelf.put(&self.name, content.as_bytes()).and_then(|()| self.shelf.clean(LIMITS));
        if let Err(error) = kept {
            tracing::warn!(%error, "what is open could not be kept");
        }
    }
}

impl Worker {
    /// What is open is kept in a folder under a name.
    pub fn keep_open_in(&mut self, folder: PathBuf, name: String) {
        self.open = Some(OpenShelf { shelf: Shelf::new(folder), name }.into());
    }

    /// Keeps it.
    pub(super) fn keep_open(&self, content: String) {
        let Some(kept) = self.open.clone() else { return };
        let running = self.tasks.running();
        self.tasks.detach(async move {
            if let Err(error) = tokio::task::spawn_blocking(move || kept.put(&content)).await {
                tracing::error!("keeping what is open failed: {error}");
            }
            drop(running);
        });
    }
}
