//! Work that only looks at texts: colours, places for the scrollbar. Must
//! not touch files.

use std::time::Duration;

use nucleo::Injector;

use crate::ide::core::event::Event;
use crate::ide::core::overlay::{PickRow, push};
use crate::ide::core::threads::on_thread;
use crate::ide::features::symbols::job::SymbolsJob;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::coloring::ColorJob;
use crate::ide::model::scrollbar::{Survey, Surveyed};
use crate::ide::shell::worker::{Worker, filled};

/// Bytes that are searched for the scrollbar after every key.
const SURVEY_AT_ONCE: usize = 100 << 10;
/// The wait for more keys before a longer text is searched again.
const SURVEY_PAUSE: Duration = Duration::from_millis(200);

/// Shorter texts are parsed beside longer ones, which they do not wait for: their trees are small.
const PARSED_AT_ONCE: usize = 64 << 10;

impl Worker {
    /// Finds colours.
    pub(super) fn color(&self, buffer: BufferId, job: Box<ColorJob>) {
        let (broken, small) = (job.broken(), job.bytes() < PARSED_AT_ONCE);
        let lost = move |_| Event::Colored(buffer, Box::new(broken));
        let work = move || Event::Colored(buffer, Box::new(job.run()));
        if small {
            return self.blocking(lost, work);
        }
        let parsing = self.parsing.clone();
        self.task(lost, async move { parsing.run(work).await });
    }

    /// Finds the named things of a text for a picker.
    pub(super) fn symbols(&self, injector: Injector<PickRow>, picker: u64, job: SymbolsJob) {
        self.blocking(filled(picker), move || {
            for row in job.run() {
                push(&injector, row);
            }
            Event::Filled(picker)
        });
    }

    /// Searches a whole text; typing gathers before the next time.
    pub(super) fn survey(&self, survey: Survey) {
        let (buffer, version, needle) = (survey.buffer, survey.version, survey.needle.clone());
        let nothing = Surveyed { buffer, version, needle, lines: Vec::new() };
        self.task(move |_| Event::Surveyed(Box::new(nothing)), async move {
            if survey.text.end().0 > SURVEY_AT_ONCE {
                tokio::time::sleep(SURVEY_PAUSE).await;
            }
            Event::Surveyed(Box::new(on_thread(move || survey.run()).await))
        });
    }
}
