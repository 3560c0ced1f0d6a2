//! Fetches messages before those that the screen began with.

use crate::base::panics::Panicked;
use crate::ide::core::event::Event;
use crate::ide::features::transcript::items::earlier::Fetched;
use crate::ide::shell::worker::Worker;
use crate::session::message::Earlier;
use crate::tools::registry::Registry;

impl Worker {
    /// Fetches a piece, and makes items of it.
    pub(super) fn earlier(&self, from: Earlier, tools: Registry) {
        let Some(session) = self.session.clone() else { return };
        let lost = {
            let (from, tools) = (from.clone(), tools.clone());
            move |why: Panicked| Event::Earlier(Fetched::new(from, Err(why.to_string()), &tools))
        };
        self.task(lost, async move {
            let piece = session.earlier(from.clone()).await.map_err(|report| report.to_string());
            Event::Earlier(Fetched::new(from, piece, &tools))
        });
    }
}
