//! What a task that panicked is reported as, to what waits for its result. Must not know the state.

use crate::base::panics::Panicked;
use crate::ide::core::event::Event;

/// What a lost task is reported as where nothing waits for its result: "cannot `what`".
pub(super) fn failed(what: &'static str) -> impl FnOnce(Panicked) -> Event {
    move |why| Event::Failed(format!("cannot {what}: {why}"))
}

/// Nothing more comes for a picker whose filling is lost.
pub(super) fn filled(picker: u64) -> impl FnOnce(Panicked) -> Event {
    move |_| Event::Filled(picker)
}
