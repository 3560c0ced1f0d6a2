//! Work that fills pickers: the workspace's files, the session, the person's own files.

use std::path::PathBuf;
use std::time::Duration;

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::config::snippets;
use crate::ide::core::event::Event;
use crate::ide::core::overlay::{Pick, PickRow, push};
use crate::ide::shell::worker::{Worker, file_list, filled};
use crate::workspace::walk;

impl Worker {
    /// Puts the snippets of folders for a language of these names into a picker. What is wrong
    /// with their files is told.
    pub(super) fn snippets(
        &self,
        injector: Injector<PickRow>,
        picker: u64,
        folders: Vec<PathBuf>,
        names: Vec<&'static str>,
    ) {
        let events = self.events.clone();
        self.blocking(filled(picker), move || {
            let (mut found, mut problems) = (Vec::new(), Vec::new());
            for folder in &folders {
                let (some, wrong) = snippets::read(folder, &names);
                found.extend(some);
                problems.extend(wrong);
            }
            let none = found.is_empty().then(|| {
                let language = names.last().map(|name| format!(" for {name}")).unwrap_or_default();
                let folder = folders.first().map(|folder| folder.display().to_string()).unwrap_or_default();
                format!("there are no snippets{language} in {folder}")
            });
            for snippet in found {
                let short = [snippet.prefix, snippet.name].into_iter().filter(|part| !part.is_empty());
                let text = short.collect::<Vec<_>>().join("  ");
                let detail = snippet.description;
                push(&injector, PickRow { text, detail, pick: Pick::Snippet(snippet.body) });
            }
            let told = problems.first().map(ToString::to_string).or(none);
            if told.is_some_and(|told| events.blocking_send(Event::Failed(told)).is_err()) {
                tracing::debug!("the loop has ended before snippets were read");
            }
            Event::Filled(picker)
        });
    }

    /// Puts the workspace's files into a picker, in place of what it was filled with before: those that a walk has
    /// found lately, or a new walk.
    pub(super) fn start_walk(&mut self, injector: Injector<PickRow>, picker: u64, now: Duration) {
        self.walk.cancel();
        self.walk = CancellationToken::new();
        let (cancel, root) = (self.walk.clone(), self.env.root().to_path_buf());
        let row =
            |path: String| PickRow { text: path.clone(), detail: String::new(), pick: Pick::File(path) };
        if let Some(found) = self.files.fresh(now) {
            return self.blocking(filled(picker), move || {
                for path in file_list::paths(&found).take_while(|_| !cancel.is_cancelled()) {
                    push(&injector, row(path.to_string()));
                }
                Event::Filled(picker)
            });
        }
        let mut listing = self.files.begin(now);
        self.blocking(filled(picker), move || {
            let walked = walk::walk(&root, &cancel, |paths| {
                for path in paths {
                    listing.push(&path);
                    push(&injector, row(path));
                }
            });
            if !walked.cancelled {
                listing.end();
            }
            Event::Filled(picker)
        });
    }

    /// Ends a walk that nobody waits for.
    pub fn stop_walk(&self) {
        self.walk.cancel();
    }
}
