//! Ways back of files: the session goes them, the answer is an event.

use super::Worker;
use crate::ide::event::Event;
use crate::ide::state::way_back::{Ask, Happened};
use crate::runtime::ways::{Way, What};
use crate::workspace::checkpoint::Decisions;

impl Worker {
    /// Asks the session.
    pub(super) fn way_back(&self, ask: Ask) {
        let Some(session) = self.session.clone() else { return };
        self.task(async move {
            match ask {
                Ask::Look(way) => {
                    let preview = session.preview(way, Decisions::new()).await;
                    Event::WayBack(Happened::Looked(preview.map(Box::new)))
                }
                Ask::Go(way, decisions) => {
                    let moves = matches!(way, Way::To(_, What::Both));
                    let done = session.go(way, decisions).await;
                    let snapshot = match &done {
                        Ok(_) if moves => session.subscribe().await.map(|(snapshot, _)| Box::new(snapshot)),
                        _ => None,
                    };
                    Event::WayBack(Happened::Gone(done.map(|done| (Box::new(done), snapshot))))
                }
            }
        });
    }
}
