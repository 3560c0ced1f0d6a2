//! The item of the conversation that keys act on: moving to others, bringing it on screen, folding it.

use crate::ide::features::transcript::cards::card::card;
use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};
use crate::ide::features::transcript::layout::{ItemOptions, Layout};
use crate::ide::features::transcript::search::TranscriptSearch;
use crate::ide::features::transcript::view::{Fold, LayoutOptions, TranscriptView, text_width};
use crate::ide::model::view::text_options::TextOptions;
use crate::tui::widgets::line::Line;

/// The shape of the pane: what is shown, and its columns and rows.
#[derive(Debug, Clone, Copy)]
pub struct PaneShape {
    /// What is shown of thinking and output where nothing else was chosen.
    pub show: TextOptions,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl PaneShape {
    pub(super) fn form(self) -> LayoutOptions {
        LayoutOptions { width: text_width(self.size.0), show: self.show }
    }

    fn rows(self) -> usize {
        usize::from(self.size.1)
    }
}

impl TranscriptView {
    /// Returns the id of the item that keys act on.
    pub fn focus(&self) -> Option<u64> {
        self.focus
    }

    /// Makes keys act on the last item on screen.
    pub fn forget_focus(&mut self) {
        self.focus = None;
    }

    /// Returns the index of the item that keys act on: that of the id, or the last one that is on screen.
    pub fn focused_index(&mut self, transcript: &Transcript, pane: PaneShape) -> Option<usize> {
        let items = transcript.items();
        let known = self.focus.and_then(|id| items.iter().rposition(|item| item.id == id));
        known.or_else(|| self.last_on_screen(transcript, pane))
    }

    fn last_on_screen(&mut self, transcript: &Transcript, pane: PaneShape) -> Option<usize> {
        let mut last = None;
        self.visit(transcript, pane.show, pane.size, |shown, _| last = Some(shown.item));
        last.and_then(|id| transcript.items().iter().rposition(|item| item.id == id))
    }

    /// Makes keys act on an item, and brings it on screen.
    pub fn focus_on(&mut self, transcript: &Transcript, pane: PaneShape, at: usize) {
        self.focus = transcript.items().get(at).map(|item| item.id);
        self.reveal(transcript, pane, at);
    }

    /// Returns the next item that matches, after the focused one or before it. Items without lines are passed
    /// over.
    pub fn neighbor(
        &mut self,
        transcript: &Transcript,
        pane: PaneShape,
        forward: bool,
        is_meant: impl Fn(&Item) -> bool,
    ) -> Option<usize> {
        let from = self.focused_index(transcript, pane)?;
        let items = transcript.items();
        let mut candidates: Box<dyn Iterator<Item = usize>> =
            if forward { Box::new(from + 1..items.len()) } else { Box::new((0..from).rev()) };
        candidates.find(|at| is_meant(&items[*at]) && self.lines_of(&items[*at], pane) > 0)
    }

    fn lines_of(&mut self, item: &Item, pane: PaneShape) -> usize {
        // Without the blank line after it.
        self.height(item, None, pane.form()).saturating_sub(1)
    }

    /// Scrolls as little as brings an item on screen; of a taller one its start.
    pub fn reveal(&mut self, transcript: &Transcript, pane: PaneShape, at: usize) {
        let (form, rows) = (pane.form(), pane.rows());
        let tail = self.tail(transcript, form, rows);
        let top = self.top.map_or(tail, |top| top.min(tail));
        let ends_last = self.top_ending_with(transcript, form, rows, at + 1);
        // It is on screen if its start is, and its end is above the bottom.
        let start = (at, 0);
        let wanted = if start < top || ends_last > start {
            start
        } else if ends_last > top {
            ends_last
        } else {
            top
        };
        let is_last = at + 1 == transcript.items().len();
        self.top = (!is_last || wanted < tail).then_some(wanted);
        self.is_seeking_start = false;
    }

    /// Brings a line of an item into the middle of the screen, unless it is on screen.
    pub fn reveal_line(&mut self, transcript: &Transcript, pane: PaneShape, (at, line): (usize, usize)) {
        let tail = self.tail(transcript, pane.form(), pane.rows());
        let top = self.top.map_or(tail, |top| top.min(tail));
        self.focus = transcript.items().get(at).map(|item| item.id);
        self.top = Some(top);
        let id = self.focus;
        let mut is_shown = false;
        self.visit(transcript, pane.show, pane.size, |shown, _| {
            is_shown |= Some(shown.item) == id && shown.line == line;
        });
        if !is_shown {
            self.top = Some((at, line));
            let half = isize::from((pane.size.1 / 2).cast_signed());
            self.scroll(transcript, pane.show, pane.size, -half);
        }
    }

    /// Goes to the next line with a hit of the search, forward or back; `None` if there is none. A block that
    /// has its hits folded away is unfolded.
    pub fn go_to_hit(&mut self, transcript: &Transcript, pane: PaneShape, forward: bool) -> Option<()> {
        let mut search = self.search.clone()?;
        let start = self.focused_index(transcript, pane)?;
        let items = transcript.items();
        let from = search.at.filter(|(id, _)| *id == items[start].id).map(|(_, line)| line);
        let within = self.hit_lines(&items[start], pane, &search);
        let next = match (forward, from) {
            (true, Some(from)) => within.into_iter().find(|line| *line > from),
            (true, None) => within.into_iter().next(),
            (false, Some(from)) => within.into_iter().rev().find(|line| *line < from),
            (false, None) => within.into_iter().next_back(),
        };
        let (at, line) = if let Some(line) = next {
            (start, line)
        } else {
            let mut others: Box<dyn Iterator<Item = usize>> =
                if forward { Box::new(start + 1..items.len()) } else { Box::new((0..start).rev()) };
            let at = others.find(|at| search.is_in(&items[*at]))?;
            let mut lines = self.hit_lines(&items[at], pane, &search);
            if lines.is_empty() {
                self.unfold(&items[at]);
                lines = self.hit_lines(&items[at], pane, &search);
            }
            let line = if forward { lines.first() } else { lines.last() };
            // A hit that wrapping breaks is in no line.
            (at, line.copied().unwrap_or(0))
        };
        search.at = Some((items[at].id, line));
        self.search = Some(search);
        self.reveal_line(transcript, pane, (at, line));
        Some(())
    }

    /// Returns the lines of an item with a hit, as they are shown.
    fn hit_lines(&mut self, item: &Item, pane: PaneShape, search: &TranscriptSearch) -> Vec<usize> {
        let (mut found, mut n) = (Vec::new(), 0);
        self.with(item, pane.form(), Layout::lay_out_whole);
        let count = self.lines_of(item, pane);
        self.draw(item, pane.form(), 0..count, &mut |line: &Line| {
            if search.is_in_line(line) {
                found.push(n);
            }
            n += 1;
        });
        found
    }

    /// Returns how an item is laid out where this is shown in general.
    pub(super) fn options(&self, item: &Item, show: TextOptions) -> ItemOptions {
        let general = ItemOptions { show, is_closed: false };
        let Some(fold) = self.folds.get(&item.id) else { return general };
        let is_full = *fold == Fold::Full;
        ItemOptions {
            show: TextOptions { show_thinking: is_full, expand_output: is_full, ..show },
            is_closed: *fold == Fold::Closed,
        }
    }

    /// Returns whether the item is hidden behind a single line.
    pub(super) fn is_hidden(&self, item: &Item, form: LayoutOptions) -> bool {
        matches!(item.kind, ItemKind::Thinking(_)) && !self.options(item, form.show).show.show_thinking
    }

    /// Folds or unfolds an item: to all of it, to its first line, to what is usual. Returns whether there is
    /// something to fold.
    pub fn toggle_fold(&mut self, item: &Item, show: TextOptions) -> bool {
        let options = self.options(item, show);
        let is_full = match &item.kind {
            ItemKind::Thinking(_) => options.show.show_thinking,
            ItemKind::Tool(_) | ItemKind::Summary { .. } | ItemKind::Image(_) => options.show.expand_output,
            ItemKind::User(_) | ItemKind::Answer(_) | ItemKind::Notice { .. } => return false,
        };
        let next = if is_full {
            Fold::Closed
        } else if options.is_closed && has_short_form(item) {
            Fold::Short
        } else {
            Fold::Full
        };
        self.folds.insert(item.id, next);
        true
    }

    /// Shows all of an item.
    pub fn unfold(&mut self, item: &Item) {
        self.folds.insert(item.id, Fold::Full);
    }
}

/// Returns whether an item has a form between its first line and all of it.
fn has_short_form(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Tool(call) => (card(call.view.kind).has_short_form)(call),
        _ => false,
    }
}
