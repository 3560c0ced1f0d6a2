//! Work that only looks at texts for pickers. Must not touch files.

use nucleo::Injector;

use crate::ide::core::event::Event;
use crate::ide::core::overlay::{PickRow, push};
use crate::ide::features::symbols::job::SymbolsJob;
use crate::ide::shell::worker::{Worker, filled};

impl Worker {
    /// Finds the named things of a text for a picker.
    pub(super) fn symbols(&self, injector: Injector<PickRow>, picker: u64, job: SymbolsJob) {
        self.blocking(filled(picker), move || {
            for row in job.run() {
                push(&injector, row);
            }
            Event::Filled(picker)
        });
    }
}
