//! Ways back of files: the session goes them, the answer is an event.

use crate::ide::core::event::Event;
use crate::ide::features::restore::view::{Ask, Happened};
use crate::ide::shell::worker::{Worker, report};
use crate::workspace::checkpoint::Decisions;

impl Worker {
    /// Asks the session.
    pub(super) fn way_back(&self, ask: Ask) {
        let Some(session) = self.session.clone() else { return };
        let looks = matches!(ask, Ask::Look(_));
        let lost = move |why| {
            let why = report("restore files")(why);
            Event::WayBack(if looks { Happened::Looked(Err(why)) } else { Happened::Gone(Err(why)) })
        };
        self.task(lost, async move {
            match ask {
                Ask::Look(way) => {
                    let preview = session.preview(way, Decisions::new()).await;
                    Event::WayBack(Happened::Looked(preview.map(Box::new)))
                }
                Ask::Go(way, decisions) => {
                    Event::WayBack(Happened::Gone(session.take(way, decisions).await.map(Box::new)))
                }
            }
        });
    }
}
