//! Opens pickers. May not know what is in them.

use super::App;
use crate::ide::access::ask::Work;
use crate::ide::commands::snippets;
use crate::ide::effect::Effect;
use crate::ide::input;
use crate::ide::pickers::{Load, PICKERS};
use crate::ide::state::overlay::{Overlay, Picker};

/// How long a picker whose rows are there already waits for its first matches, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

impl App {
    pub(super) fn open_picker(&mut self, id: &'static str) {
        let Some(row) = PICKERS.iter().find(|row| row.id == id) else { return };
        self.pickers += 1;
        let mut picker = Picker::new(id, self.pickers, self.state.wake.clone());
        let (injector, number) = (picker.injector(), picker.number);
        let asked = match (row.load)(&self.state) {
            Load::Rows(rows, marked) => {
                picker.fill(rows);
                picker.marked = marked;
                picker.tick(FILL_WAIT_MS);
                None
            }
            Load::Live(query) => {
                picker.live = true;
                picker.query.set(&query, self.clock.now_ms());
                None
            }
            Load::Walk => Some(Effect::Walk(injector, number)),
            Load::Providers { kept } => Some(Effect::Access(Work::Providers(injector, number, kept))),
            Load::Entries => Some(Effect::Entries(injector, number)),
            Load::Snippets => {
                let mut folders = vec![self.state.config.join("snippets")];
                folders.extend(self.state.plugins.snippets.iter().cloned());
                Some(Effect::Snippets(injector, number, folders, snippets::languages(&self.state)))
            }
            Load::Symbols(job) => Some(Effect::Symbols(injector, number, job)),
        };
        if let Some(effect) = asked {
            picker.filling = true;
            self.worker.perform(effect);
        }
        self.state.push_overlay(Overlay::Picker(Box::new(picker)));
        self.with_cx(input::follow_query);
    }
}
