//! A text area: an editable text with its cursors, such as an open file, the prompt or a query.
//!
//! Must not know which of them it is. Every text field of the program is a text area, so that each has undo,
//! words, selections and the shared kill ring.

use crate::ide::model::view::view_state::PerView;
use crate::text::changes::ChangeSet;
use crate::text::display::rows::DisplayMap;
use crate::text::document::{Applied, Document};
use crate::text::file_format::format::{self, Format};
use crate::text::movement::motion::{self, Motion};
use crate::text::movement::row_motion;
use crate::text::operations::block::Block;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;
use crate::text::undo::history::RevisionId;

/// A text with cursors.
#[derive(Debug)]
pub struct TextArea {
    /// The text.
    pub document: Document,
    /// The cursors.
    pub selection: Selection,
    /// The rectangle that the selection was made from, if any. Stale once the selection differs from its own.
    pub block: Option<Block>,
    /// Position of the caret when it is not at the head of the primary range: on the last character of a
    /// selection rather than after it. Stale once that range differs.
    pub caret_override: Option<(Range, Byte)>,
    /// Other state that follows the text's changes.
    pub per_view: PerView,
}

impl Default for TextArea {
    fn default() -> Self {
        Self::new(Document::new("", Format::default()))
    }
}

impl TextArea {
    /// A cursor at the start of a document.
    pub fn new(document: Document) -> Self {
        Self {
            document,
            selection: Selection::cursor(Byte(0)),
            block: None,
            caret_override: None,
            per_view: PerView::default(),
        }
    }

    /// The text.
    pub fn text(&self) -> &Text {
        self.document.text()
    }

    /// Returns the position of the caret.
    pub fn caret(&self) -> Byte {
        let primary = self.selection.primary();
        self.caret_override.filter(|(range, _)| *range == primary).map_or(primary.head, |(_, at)| at)
    }

    /// Returns how its view maps the text to rows.
    pub fn display_map(&self, tab_width: usize) -> DisplayMap<'_> {
        let PerView { view, folds, inlays, .. } = &self.per_view;
        DisplayMap { text: self.text(), folds, inlays: inlays.all(), tab_width, wrap: view.wrap }
    }

    /// Applies an edit; `None` if it changes nothing.
    pub fn edit(
        &mut self,
        now_ms: u64,
        make: impl FnOnce(&Text, &Selection) -> Transaction,
    ) -> Option<ChangeSet> {
        let edit = make(self.document.text(), &self.selection);
        let applied = self.document.apply(edit, &self.selection, now_ms)?;
        Some(self.apply(applied))
    }

    /// Undoes the last step.
    pub fn undo(&mut self) -> Option<ChangeSet> {
        let applied = self.document.undo()?;
        Some(self.apply(applied))
    }

    /// Redoes a step.
    pub fn redo(&mut self) -> Option<ChangeSet> {
        let applied = self.document.redo()?;
        Some(self.apply(applied))
    }

    /// Moves to a revision of the undo tree; returns whether the text changed.
    pub fn travel(&mut self, revision: RevisionId) -> bool {
        let Some(applied) = self.document.travel(revision) else { return false };
        self.apply(applied);
        true
    }

    fn apply(&mut self, applied: Applied) -> ChangeSet {
        self.selection = applied.selection;
        self.per_view.map(&applied.changes);
        applied.changes
    }

    /// Applies an edit from outside. The cursors keep their positions in the text.
    pub fn apply_external(&mut self, edit: Transaction, now_ms: u64) -> bool {
        let selection = self.selection.map(&edit.changes);
        let applied = self.document.apply(edit, &self.selection, now_ms);
        self.selection = selection;
        if let Some(applied) = &applied {
            self.per_view.map(&applied.changes);
        }
        applied.is_some()
    }

    /// Moves every cursor.
    pub fn go(&mut self, motion: Motion, extend: bool, tab_width: usize) {
        let (lens, text) = (self.display_map(tab_width), self.document.text());
        let by_rows = lens.wrap.is_some() || !lens.folds.is_empty() || !lens.inlays.is_empty();
        self.selection = self.selection.transform(|range| {
            let moved = if by_rows {
                row_motion::move_range(&lens, range, motion, extend)
            } else {
                motion::move_range(text, range, motion, extend, tab_width)
            };
            self.move_around_pastes(moved, motion, extend)
        });
        self.document.seal();
    }

    /// Moves a cursor on from the start or end of its line to that of the line on screen: a folded paste ends none.
    fn move_around_pastes(&self, moved: Range, motion: Motion, extend: bool) -> Range {
        let (text, pastes) = (self.document.text(), &self.per_view.pastes);
        if pastes.folded().is_empty() {
            return moved;
        }
        let line = text.line_of(moved.head);
        let (plain, shown) = match motion {
            Motion::LineBegin | Motion::LineStart => {
                (text.line_start(line), pastes.line_start(text, moved.head))
            }
            Motion::LineEnd => (text.line_end(line), pastes.line_end(text, moved.head)),
            _ => return moved,
        };
        if plain == shown { moved } else { Range::new(if extend { moved.anchor } else { shown }, shown) }
    }

    /// Sets a single cursor.
    pub fn go_to(&mut self, at: Byte) {
        self.selection = Selection::cursor(self.text().grapheme_floor(at));
        self.document.seal();
    }

    /// Replaces the selection.
    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
        self.document.seal();
    }

    /// The selected texts.
    pub fn selected(&self) -> Vec<String> {
        self.selection.ranges().iter().map(|range| self.text().slice(range.span()).into_owned()).collect()
    }

    /// Replaces the whole text as one undo step and moves the cursor to its end.
    pub fn set(&mut self, new: &str, now_ms: u64) {
        let new = format::without_carriers(new).into_owned();
        self.edit(now_ms, |text, _| {
            let end = Byte(new.len());
            Transaction::new(ChangeSet::replace(text.end().0, [(Byte(0)..text.end(), new)]))
                .select(Selection::cursor(end))
        });
    }
}
