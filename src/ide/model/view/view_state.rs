//! Per-view state that follows a text's changes, besides its cursors: scroll positions of its views, folds,
//! inlays. Must not know screens.

use ratatui::layout::Rect;

use crate::ide::model::pastes::Pastes;
use crate::ide::model::view::hunks::Hunks;
use crate::ide::model::window_id::WindowId;
use crate::text::anchors::snippet_stops::SnippetStops;
use crate::text::changes::{ChangeSet, Side};
use crate::text::display::folds::Folds;
use crate::text::display::inlay::Inlays;
use crate::text::position::{Byte, Column};
use crate::text::selection::Selection;

/// Scroll state of a view.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// A position in the first row on screen.
    pub top: Byte,
    /// The first column on screen; 0 where lines are wrapped.
    pub left: Column,
    /// Width of a row in cells, where long lines are wrapped.
    pub wrap: Option<usize>,
    /// Whether the mouse wheel scrolled it away from its cursor.
    pub free_scroll: bool,
    /// The cursor and the screen area that it last scrolled to.
    pub followed: Option<(Byte, Rect)>,
}

/// A view in a window without the focus.
#[derive(Debug, Clone)]
pub struct SavedView {
    /// Which window.
    pub window: WindowId,
    /// Its cursors.
    pub selection: Selection,
    /// Its scroll state.
    pub view: View,
}

/// View state of one text.
#[derive(Debug, Default)]
pub struct PerView {
    /// The view that has the focus, or had it last.
    pub view: View,
    /// The views in other windows.
    pub other_views: Vec<SavedView>,
    /// Its folds.
    pub folds: Folds,
    /// Texts shown between the characters.
    pub inlays: Inlays,
    /// Its differences from git's version.
    pub hunks: Hunks,
    /// Its folded pastes.
    pub pastes: Pastes,
    /// The stops of the active snippet.
    pub snippet_stops: Option<SnippetStops>,
}

impl PerView {
    /// Maps everything through a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        self.view.top = changes.map(self.view.top, Side::Before);
        for parked in &mut self.other_views {
            parked.selection = parked.selection.map(changes);
            parked.view.top = changes.map(parked.view.top, Side::Before);
        }
        self.folds.map(changes);
        self.inlays.map(changes);
        self.hunks.map(changes);
        self.pastes.map(changes);
        if self.snippet_stops.as_mut().is_some_and(|stops| !stops.map(changes)) {
            self.snippet_stops = None;
        }
    }
}
