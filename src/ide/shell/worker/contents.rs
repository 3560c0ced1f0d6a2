//! The session is asked what its next request will hold, and to tell things differently.

use crate::base::error::Report;
use crate::ide::core::event::Event;
use crate::ide::features::context::work::{Happened, Work};
use crate::ide::shell::worker::{Worker, failed};
use crate::runtime::Handle;

impl Worker {
    /// Does one piece of work.
    pub(super) fn contents(&self, work: Work) {
        let Some(session) = self.session.clone() else { return };
        self.task(failed("ask what the next request holds"), async move {
            match ask(&session, work).await {
                Ok(happened) => Event::Contents(happened),
                Err(report) => Event::Failed(report.to_string()),
            }
        });
    }
}

async fn ask(session: &Handle, work: Work) -> Result<Happened, Report> {
    Ok(match work {
        Work::List(number) => Happened::Listed(number, Box::new(session.contents().await?)),
        Work::Told(number, entry) => {
            let told = session.told(entry.clone()).await?;
            Happened::Told(number, entry, told)
        }
        Work::LeaveOut(number, entry) => Happened::Changed(number, session.leave_out(entry).await?),
        Work::AsItWas(number, entry) => Happened::Changed(number, session.tell_as_it_was(entry).await?),
        Work::Tell(entry, words) => Happened::Changed(0, session.tell_differently(entry, words).await?),
        Work::Pin(number, entry, pinned) => {
            session.pin(entry, pinned).await?;
            let told = if pinned {
                "pinned: a compaction leaves it word for word"
            } else {
                "no longer pinned: the next compaction may sum it up"
            };
            Happened::Changed(number, told.to_string())
        }
    })
}
