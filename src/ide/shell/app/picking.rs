//! Opens pickers and takes what is chosen. May not know what is in them.

use std::time::Duration;

use crate::ide::core::damage::Part;
use crate::ide::core::overlay::{Overlay, Picker};
use crate::ide::core::picker::Load;
use crate::ide::features::context::events as contents;
use crate::ide::features::diff;
use crate::ide::features::sessions::events as sessions;
use crate::ide::shell::answers;
use crate::ide::shell::app::App;
use crate::ide::shell::input;
use crate::ide::shell::pickers::PICKERS;

/// How long a picker whose rows are there already waits for its first matches, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

/// When a matcher is asked again that says that it is not done: a frame later.
const MATCH_AGAIN: Duration = Duration::from_millis(16);

impl App {
    pub(super) fn open_picker(&mut self, id: &'static str) {
        let Some(row) = PICKERS.iter().find(|row| row.id == id) else { return };
        self.pickers += 1;
        let mut picker = Picker::new(id, self.pickers, self.state.wake.clone());
        let (injector, number) = (picker.injector(), picker.number);
        match (row.load)(&self.state) {
            Load::Rows(rows, marked) => {
                picker.fill(rows);
                picker.marked = marked;
                picker.tick(FILL_WAIT_MS);
            }
            Load::Live(query) => {
                picker.live = true;
                picker.query.set(&query, self.clock.now_ms());
            }
            Load::Task(start) => {
                picker.filling = true;
                self.state.push_overlay(Overlay::Picker(Box::new(picker)));
                self.with_cx(|cx| start(cx, injector, number));
                return self.with_cx(input::follow_query);
            }
        }
        self.state.push_overlay(Overlay::Picker(Box::new(picker)));
        self.with_cx(input::follow_query);
    }

    /// Enter in a picker or a question.
    pub(super) fn accept(&mut self) {
        if let Some(Overlay::Undo(_)) = self.state.overlays.last() {
            // The text is there already.
            self.state.pop_overlay();
            return;
        }
        match self.state.overlays.last() {
            Some(Overlay::Picker(_)) => {}
            Some(Overlay::Diff(_)) => return self.with_cx(diff::events::jump),
            Some(Overlay::Session(_)) => return self.with_cx(sessions::accept),
            Some(Overlay::Contents(_)) => return self.with_cx(contents::accept),
            _ => return self.with_cx(answers::question),
        }
        let Some(Overlay::Picker(mut picker)) = self.state.pop_overlay() else { return };
        picker.catch_up();
        let Some(row) = PICKERS.iter().find(|row| row.id == picker.id) else { return };
        if let Some(pick) = picker.current().map(|row| row.pick.clone()) {
            self.with_cx(|cx| (row.accept)(cx, &pick, &picker.marked));
        }
    }

    /// When the matcher of the picker on top is asked again. It tells that it is done a moment before it
    /// lets go of what it found, and whoever asks in that moment is not told again.
    pub(super) fn match_due(&self) -> Option<Duration> {
        let picker = self.state.overlays.last();
        let matching = matches!(picker, Some(Overlay::Picker(picker)) if !picker.settled);
        matching.then(|| self.clock.monotonic() + MATCH_AGAIN)
    }

    /// Asks a matcher that had not let go.
    pub(super) fn match_again(&mut self) {
        if self.match_due().is_some() {
            self.woken();
        }
    }

    /// Lets the matcher of the picker on top begin with a query that has been shown.
    pub(super) fn match_query(&mut self) {
        if matches!(self.state.overlays.last(), Some(Overlay::Picker(picker)) if picker.behind) {
            self.woken();
        }
    }

    /// The picker on top may have new matches.
    pub fn woken(&mut self) {
        if let Some(Overlay::Picker(picker)) = self.state.overlays.last_mut()
            && picker.tick(0)
        {
            self.state.damage.add(Part::Overlay);
        }
    }
}
