//! Work that fills pickers from the person's own files.

use std::path::PathBuf;

use nucleo::Injector;

use super::Worker;
use crate::config::snippets;
use crate::ide::event::Event;
use crate::ide::state::overlay::{Pick, PickRow, push};

impl Worker {
    /// Puts the snippets of a folder for a language of these names into a picker. What is wrong
    /// with their files is told.
    pub(super) fn snippets(
        &self,
        injector: Injector<PickRow>,
        picker: u64,
        folder: PathBuf,
        names: Vec<&'static str>,
    ) {
        let events = self.events.clone();
        self.blocking(move || {
            let (found, problems) = snippets::read(&folder, &names);
            let none = found.is_empty().then(|| {
                let language = names.last().map(|name| format!(" for {name}")).unwrap_or_default();
                format!("there are no snippets{language} in {}", folder.display())
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
}
