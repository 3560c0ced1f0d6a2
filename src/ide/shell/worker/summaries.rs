//! What the worker does with summaries: the session makes, finds and changes them.

use crate::ide::core::effect::Effect;
use crate::ide::core::event::Event;
use crate::ide::features::sessions::work::Work;
use crate::ide::shell::worker::{Worker, failed};

impl Worker {
    /// The effects that concern summaries.
    pub(super) fn sum_up(&self, effect: Effect) {
        match effect {
            Effect::Compact(instructions) => self.with_session(|session| session.compact(instructions)),
            Effect::Summary(change) => {
                let Some(session) = self.session.clone() else { return };
                self.task(failed("show the summary"), async move {
                    Event::Summary(session.summary().await, change)
                });
            }
            Effect::EditSummary(text) => self.ask_session(Work::Summary(text)),
            _ => tracing::error!("an effect of the loop itself reached the worker"),
        }
    }
}
