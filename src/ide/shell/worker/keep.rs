//! Work for what must outlive the program: unsaved text and undo trees. Must not know the state.

use crate::base::panics::catch_async;
use crate::exec::KeptFiles;
use crate::ide::core::event::{Event, FileEvent};
use crate::ide::core::threads::on_thread;
use crate::ide::features::recovery;
use crate::ide::features::recovery::journal::{Job, Kept};
use crate::ide::features::undo_store::store::UndoJob;
use crate::ide::shell::worker::{Worker, send};

impl Worker {
    pub(super) fn keep(&self, job: Job) {
        let Some(files) = self.kept.clone() else { return };
        let (events, running, fault) = (self.events.clone(), self.tasks.running(), self.tasks.next_fault());
        self.tasks.detach(async move {
            let lost = recovery::journal::lost(&job);
            let work = async move {
                fault.strike();
                on_thread(move || recovery::journal::perform(&files, job)).await
            };
            let done = catch_async(work).await.unwrap_or_else(|why| vec![lost(why)]);
            for kept in done {
                send(&events, Event::Kept(kept)).await;
            }
            drop(running);
        });
    }

    pub(super) fn undo(&self, job: UndoJob) {
        let Some(trees) = self.undo.clone() else { return };
        let (events, running) = (self.events.clone(), self.tasks.running());
        self.tasks.detach(async move {
            match catch_async(on_thread(move || trees.perform(job))).await {
                Ok(Some(found)) => send(&events, Event::Files(FileEvent::Undo(found))).await,
                Ok(None) => {}
                Err(why) => tracing::error!("an undo tree could not be kept or found: {why}"),
            }
            drop(running);
        });
    }

    /// The run ends. `chosen`: whatever is unsaved is given up; else `last` is done first.
    /// The undo trees in `undo` are kept in any case. Blocking, and nothing that is kept later
    /// counts.
    pub fn end_keeping(
        &self,
        chosen: bool,
        last: Vec<Job>,
        undo: Vec<UndoJob>,
        open: Option<String>,
    ) -> impl FnOnce() + Send + 'static + use<> {
        let (files, trees, opened) = (self.kept.clone(), self.undo.clone(), self.open.clone());
        move || {
            if let Some(files) = files {
                end_run(&files, chosen, last);
            }
            for job in undo {
                trees.as_ref().map(|trees| trees.perform(job));
            }
            if let (Some(kept), Some(open)) = (opened, open) {
                kept.put(&open);
            }
        }
    }
}

/// Keeps what is unsaved, unless it was given up, and ends the run of the kept files. Blocking.
fn end_run(files: &KeptFiles, chosen: bool, last: Vec<Job>) {
    for job in last {
        for kept in recovery::journal::perform(files, job) {
            if let Kept::Written { result: Err(error), .. } = kept {
                tracing::error!(%error, "unsaved text could not be kept");
            }
        }
    }
    if let Err(error) = files.end(chosen) {
        tracing::warn!(%error, "recovery files could not be removed");
    }
}
