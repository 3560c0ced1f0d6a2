//! What a task that panicked is reported as, to what waits for its result. Must not know the state.

use std::path::Path;

use crate::base::panics::Panicked;
use crate::exec::EnvError;
use crate::ide::core::event::Event;

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
