//! A way back of files, as it is looked at before it is gone: which paths, and what the person decides about
//! those that both sides changed. Must not know how it is drawn, nor how one goes it.

use crate::base::error::Report;
use crate::runtime::ways::{Preview, Restored, Shown, Way};
use crate::workspace::checkpoint::{Decision, Decisions};

/// What is asked of the session.
#[derive(Debug, Clone)]
pub enum Ask {
    /// What a way would do.
    Look(Way),
    /// Go it.
    Go(Way, Decisions),
}

/// What came of asking the session.
#[derive(Debug)]
pub enum Happened {
    /// What a way would do.
    Looked(Result<Box<Preview>, Report>),
    /// It was gone.
    Gone(Result<Box<Restored>, Report>),
}

/// A way back over everything else.
#[derive(Debug)]
pub struct WayBack {
    /// What it would do.
    pub preview: Preview,
    /// What is done about conflicts.
    pub decisions: Decisions,
    /// Which path is selected.
    pub selected: usize,
    /// The first row of its difference that is shown.
    pub top: usize,
}

impl WayBack {
    /// A way that nobody has decided anything about.
    pub fn new(preview: Preview) -> Self {
        Self { preview, decisions: Decisions::new(), selected: 0, top: 0 }
    }

    /// The selected path.
    pub fn current(&self) -> Option<&Shown> {
        self.preview.files.get(self.selected)
    }

    /// Another path; its difference is shown from the start.
    pub fn step(&mut self, by: isize) {
        let last = self.preview.files.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
        self.top = 0;
    }

    /// Scrolls the difference.
    pub fn scroll(&mut self, by: isize) {
        let rows = self.current().and_then(|file| file.diff.as_ref()).map_or(0, |diff| diff.rows.len());
        self.top = self.top.saturating_add_signed(by).min(rows.saturating_sub(1));
    }

    /// What is done about a path.
    pub fn decision(&self, file: &Shown) -> Decision {
        self.decisions.get(&file.name).copied().unwrap_or_default()
    }

    /// Decides about the selected path; whether there was anything to decide.
    pub fn decide(&mut self, decision: Decision) -> bool {
        let Some(file) = self.current().filter(|file| file.conflict.is_some()) else { return false };
        let name = file.name.clone();
        self.decisions.insert(name, decision);
        true
    }
}
