//! What a task that panicked is reported as, to what waits for its result. Must not know the state.

use std::path::{Path, PathBuf};

use crate::base::panics::Panicked;
use crate::exec::EnvError;
use crate::ide::core::effect::Save;
use crate::ide::core::event::{Event, Opened, Saved};

/// What a lost task is reported as where nothing waits for its result: "cannot `what`".
pub(super) fn failed(what: &'static str) -> impl FnOnce(Panicked) -> Event {
    move |why| Event::Failed(format!("cannot {what}: {why}"))
}

/// Nothing more comes for a picker whose filling is lost.
pub(super) fn filled(picker: u64) -> impl FnOnce(Panicked) -> Event {
    move |_| Event::Filled(picker)
}

/// A lost task's error about a path.
pub(super) fn internal(path: &Path) -> impl FnOnce(Panicked) -> EnvError + use<> {
    let path = path.to_path_buf();
    move |why| EnvError::internal(&path, why)
}

/// A file whose reading is lost.
pub(super) fn not_opened(
    path: PathBuf,
    (at, behind): (Option<(usize, usize)>, bool),
) -> impl FnOnce(Panicked) -> Event {
    move |why| {
        let result = Err(EnvError::internal(&path, why));
        Event::Opened(Box::new(Opened { real: path.clone(), path, result, at, behind }))
    }
}

/// A file whose saving is lost: the text stays unsaved and can be saved again.
pub(super) fn not_saved(save: &Save) -> impl FnOnce(Panicked) -> Event + use<> {
    let (buffer, revision, format, then) = (save.buffer, save.revision, save.format, save.then);
    let path = save.path.clone();
    move |why| {
        let result = Err(EnvError::internal(&path, why));
        Event::Saved(Saved { buffer, real: path.clone(), path, revision, format, result, then })
    }
}
