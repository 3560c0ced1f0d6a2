//! Work that only looks at texts: colours, differences from git, places for the scrollbar. Must
//! not touch files.

use std::time::Duration;

use nucleo::Injector;

use super::Worker;
use crate::ide::event::Event;
use crate::ide::state::buffers::BufferId;
use crate::ide::state::coloring::ColorJob;
use crate::ide::state::hunks::Compare;
use crate::ide::state::overlay::{PickRow, push};
use crate::ide::state::scrollbar::Survey;
use crate::ide::state::symbols::SymbolsJob;

/// Bytes that are searched for the scrollbar after every key.
const SURVEY_AT_ONCE: usize = 100 << 10;
/// The wait for more keys before a longer text is searched again.
const SURVEY_PAUSE: Duration = Duration::from_millis(200);

impl Worker {
    /// Finds colours.
    pub(super) fn color(&self, buffer: BufferId, job: Box<ColorJob>) {
        self.task(async move {
            let broken = job.broken();
            match tokio::task::spawn_blocking(move || job.run()).await {
                Ok(colored) => Event::Colored(buffer, Box::new(colored)),
                Err(error) => {
                    tracing::error!("a search for colours failed: {error}");
                    Event::Colored(buffer, Box::new(broken))
                }
            }
        });
    }

    /// Finds the named things of a text for a picker.
    pub(super) fn symbols(&self, injector: Injector<PickRow>, picker: u64, job: SymbolsJob) {
        self.blocking(move || {
            for row in job.run() {
                push(&injector, row);
            }
            Event::Filled(picker)
        });
    }

    /// Compares a text with git's.
    pub(super) fn compare_with_git(&self, buffer: BufferId, job: Compare) {
        self.task(async move {
            match tokio::task::spawn_blocking(move || job.run()).await {
                Ok(compared) => Event::Compared(buffer, Some(Box::new(compared))),
                Err(error) => {
                    tracing::error!("a text could not be compared with git's: {error}");
                    Event::Compared(buffer, None)
                }
            }
        });
    }

    /// Searches a whole text; typing gathers before the next time.
    pub(super) fn survey(&self, survey: Survey) {
        self.task(async move {
            if survey.text.end().0 > SURVEY_AT_ONCE {
                tokio::time::sleep(SURVEY_PAUSE).await;
            }
            match tokio::task::spawn_blocking(move || survey.run()).await {
                Ok(found) => Event::Surveyed(Box::new(found)),
                Err(error) => Event::Failed(format!("a search for the scrollbar failed: {error}")),
            }
        });
    }
}
