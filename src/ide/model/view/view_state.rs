//! What travels with a text through every change beside its cursors: where views of it are
//! scrolled to, what is folded, what is shown between its characters. Must not know screens.

use ratatui::layout::Rect;

use crate::ide::model::view::hunks::Hunks;
use crate::ide::model::window_id::WindowId;
use crate::text::anchors::snippet_stops::SnippetStops;
use crate::text::changes::{ChangeSet, Side};
use crate::text::display::folds::Folds;
use crate::text::display::inlay::Inlays;
use crate::text::position::{Byte, Column};
use crate::text::selection::Selection;

/// Where a view of a text is.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// A place in the first row on screen.
    pub top: Byte,
    /// The first column on screen; 0 where lines are wrapped.
    pub left: Column,
    /// The cells of a row, where long lines are wrapped.
    pub wrap: Option<usize>,
    /// Whether it was scrolled away from its cursor by the wheel.
    pub free_scroll: bool,
    /// Which cursor it was scrolled to last, in which part of the screen.
    pub followed: Option<(Byte, Rect)>,
}

/// A view of a text in a window that does not have the keys.
#[derive(Debug, Clone)]
pub struct SavedView {
    /// Which window.
    pub window: WindowId,
    /// Its cursors.
    pub selection: Selection,
    /// Where it is.
    pub view: View,
}

/// What travels with one text.
#[derive(Debug, Default)]
pub struct PerView {
    /// The view that has the keys, or had them last.
    pub view: View,
    /// The views in other windows.
    pub other_views: Vec<SavedView>,
    /// What is folded.
    pub folds: Folds,
    /// What is shown between the characters.
    pub inlays: Inlays,
    /// How it differs from what git has.
    pub hunks: Hunks,
    /// The stops of a snippet that somebody goes through.
    pub snippet_stops: Option<SnippetStops>,
}

impl PerView {
    /// Carries everything through a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        self.view.top = changes.map(self.view.top, Side::Before);
        for parked in &mut self.other_views {
            parked.selection = parked.selection.map(changes);
            parked.view.top = changes.map(parked.view.top, Side::Before);
        }
        self.folds.map(changes);
        self.inlays.map(changes);
        self.hunks.map(changes);
        if self.snippet_stops.as_mut().is_some_and(|stops| !stops.map(changes)) {
            self.snippet_stops = None;
        }
    }
}
