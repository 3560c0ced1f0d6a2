//! Visible part of the conversation: its scroll position, and cached layouts of recently shown items. The
//! cost of every operation is that of the screen, independent of the length of the conversation.

pub mod focus;
pub mod selection;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::transcript;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::cards::form::CardKeys;
use crate::ide::features::transcript::focus::pane_size;
use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};
use crate::ide::features::transcript::layout::Layout;
use crate::ide::features::transcript::search::TranscriptSearch;
use crate::ide::features::transcript::selection::TranscriptSelection;
use crate::ide::features::transcript::view::focus::PaneShape;
use crate::ide::model::view::text_options::TextOptions;
use crate::tui::widgets::line::Line;
use crate::tui::widgets::markdown::code_blocks::{Block, Colored};
use std::cell::RefCell;

/// Maximum number of cached layouts; more than any screen shows.
const LAYOUTS_MAX: usize = 400;
/// Maximum bytes of cached layouts in addition to those on screen.
const LAYOUT_BYTES_MAX: usize = 1 << 20;
/// Minimum number of items before the first one on screen; with fewer, earlier ones are loaded. More than a
/// screen.
const PREFETCH_ITEMS: usize = 50;

/// A layout, and its size in bytes when last counted.
struct CachedLayout {
    layout: Layout,
    bytes: usize,
}

/// Scrolls the conversation, upwards when negative.
pub fn scroll(state: &mut State, lines: isize) {
    if let Some(size) = pane_size(state) {
        let (transcript, view) = agents::shown(&state.slots);
        view.borrow_mut().scroll(transcript, state.text_options, size, lines);
    }
    state.damage.add(Part::Transcript);
}

/// Slot of the feature's state.
pub const TRANSCRIPT_VIEW: Slot<RefCell<TranscriptView>> = Slot::new();

/// The scroll position and the cached layouts.
#[derive(Default)]
pub struct TranscriptView {
    layouts: HashMap<u64, CachedLayout>,
    /// Bytes of all layouts.
    bytes: usize,
    /// Code blocks that came on screen, with their items.
    blocks: Vec<(u64, Block)>,
    /// The topmost line on screen: item and line in it. `None` follows the end.
    top: Option<(usize, usize)>,
    /// The first item on screen, once something was drawn.
    first: Option<usize>,
    /// Items on screen whose text is not laid out whole.
    partial: Vec<u64>,
    /// Whether more of them is about to be laid out.
    is_laying_out: bool,
    /// Whether the start is looked for, which is not here yet.
    is_seeking_start: bool,
    /// Id of the item that keys act on.
    focus: Option<u64>,
    /// How much is shown of items that were folded or unfolded, by id.
    folds: HashMap<u64, Fold>,
    /// The turn that is sent again if the key is pressed once more, by the index of its item, and until when.
    pub retry_asked: Option<(usize, Duration)>,
    /// The search in the conversation.
    pub search: Option<TranscriptSearch>,
    /// What the mouse has selected.
    pub selection: TranscriptSelection,
    /// Keys that cards name.
    keys: CardKeys,
}

/// How much of an item is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Its first line.
    Closed,
    /// A limited number of lines.
    Short,
    /// All of it.
    Full,
}

/// A line on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownLine {
    /// Its row in the pane.
    pub row: u16,
    /// Id of its item.
    pub item: u64,
    /// Index of its item.
    pub at: usize,
    /// Its index among the lines of the item.
    pub line: usize,
}

/// How items are laid out.
#[derive(Clone, Copy)]
struct LayoutOptions {
    width: u16,
    show: TextOptions,
}

impl TranscriptView {
    /// Shows the end, and follows it as it grows.
    pub fn to_tail(&mut self) {
        (self.top, self.is_seeking_start) = (None, false);
    }

    /// Shows the start, once it is loaded.
    pub fn to_top(&mut self, transcript: &Transcript) {
        self.is_seeking_start = transcript.has_earlier();
        if !self.is_seeking_start {
            self.top = Some((0, 0));
        }
    }

    /// Whether the start is looked for, which is not here yet.
    pub fn is_seeking_start(&self) -> bool {
        self.is_seeking_start
    }

    /// Returns whether earlier items are needed.
    pub fn needs_earlier(&self) -> bool {
        self.is_seeking_start || self.first.is_some_and(|first| first < PREFETCH_ITEMS)
    }

    /// Returns whether this many items at the front can be released, being far from the screen.
    pub fn can_drop(&self, items: usize) -> bool {
        self.is_at_tail()
            && !self.is_seeking_start
            && self.first.is_some_and(|first| first >= items + PREFETCH_ITEMS)
    }

    /// Adjusts to items added or removed at the front: the same lines stay on screen.
    pub fn shift(&mut self, came: usize, went: usize) {
        let moved = |item: usize| (item + came).saturating_sub(went);
        self.first = self.first.map(moved);
        self.top = self.top.map(|(item, line)| (moved(item), line));
    }

    /// Returns whether the end is shown.
    pub fn is_at_tail(&self) -> bool {
        self.top.is_none()
    }

    /// Follows the end again if all of it fits below what is shown first, as in a window that became larger.
    pub fn follow_if_whole(&mut self, transcript: &Transcript, pane: PaneShape) {
        if self.top.is_some() && !self.is_seeking_start {
            self.scroll(transcript, pane.show, pane.size, 0);
        }
    }

    /// Sets the keys that cards name.
    pub fn set_keys(&mut self, keys: CardKeys) {
        if self.keys != keys {
            self.keys = keys;
            self.layouts.clear();
            self.bytes = 0;
        }
    }

    /// Takes the code blocks that came on screen and have no colors yet.
    pub fn take_blocks(&mut self) -> Vec<(u64, Block)> {
        std::mem::take(&mut self.blocks)
    }

    /// Stores the colors of a block; returns whether the block still exists.
    pub fn color(&mut self, transcript: &Transcript, item: u64, block: &Block, colors: &[Colored]) -> bool {
        let Some(item) = transcript.item(item) else { return false };
        match self.layouts.get_mut(&item.id) {
            Some(laid) => laid.layout.color(item, block, colors),
            None => false,
        }
    }

    /// Shows a block as a drawing; returns whether the block still exists.
    pub fn draw_block(
        &mut self,
        transcript: &Transcript,
        item: u64,
        block: &Block,
        lines: Vec<String>,
    ) -> bool {
        let Some((item, laid)) = transcript.item(item).zip(self.layouts.get_mut(&item)) else { return false };
        laid.layout.draw(item, block, lines)
    }

    /// Returns whether more of a long text on screen is to be laid out, once until [`Self::end_laying_out`].
    pub fn begin_laying_out(&mut self) -> bool {
        !self.partial.is_empty() && !std::mem::replace(&mut self.is_laying_out, true)
    }

    /// Returns the item of which more is to be laid out, if any is left. The next frame finds those that are not whole.
    pub fn end_laying_out(&mut self) -> Option<u64> {
        self.is_laying_out = false;
        std::mem::take(&mut self.partial).pop()
    }

    /// Lays out more of a long text on screen. What is seen stays in place: below the end of a text everything, else the
    /// text itself.
    pub fn lay_out_more(&mut self, transcript: &Transcript, pane: PaneShape, item: u64) {
        let form = LayoutOptions { width: text_width(pane.size.0), show: pane.show };
        let Some(item) = transcript.item(item) else { return };
        let height = |view: &mut Self, work: fn(&mut Layout)| {
            view.with(item, form, |layout| {
                work(layout);
                layout.height(item)
            })
        };
        let (before, after) = (height(self, |_| {}), height(self, Layout::lay_out_more));
        let is_end_seen = |line: usize| (line..line + usize::from(pane.size.1)).contains(&before);
        if let Some((at, line)) = &mut self.top
            && transcript.items().get(*at).is_some_and(|top| top.id == item.id)
            && is_end_seen(*line)
        {
            *line += after.saturating_sub(before);
        }
    }

    /// Returns the size of the cached layouts in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of lines of an item, including the blank one after it.
    fn height(&mut self, item: &Item, next: Option<&Item>, form: LayoutOptions) -> usize {
        let lines = if self.is_hidden(item, form) {
            transcript::lines::hidden_thinking(item, form.width).len()
        } else {
            self.with(item, form, |layout| layout.height(item))
        };
        if lines == 0 { 0 } else { lines + usize::from(!is_joined(item, next)) }
    }

    /// Passes the lines of an item in the range to `draw`.
    fn draw(&mut self, item: &Item, form: LayoutOptions, range: Range<usize>, draw: &mut impl FnMut(&Line)) {
        if self.is_hidden(item, form) {
            let lines = transcript::lines::hidden_thinking(item, form.width);
            return lines.iter().take(range.end).skip(range.start).for_each(draw);
        }
        let (blocks, is_whole) = self.with(item, form, |layout| {
            layout.visit(item, range, draw);
            (layout.take_blocks(), layout.is_whole())
        });
        self.partial.extend((!is_whole).then_some(item.id));
        self.blocks.extend(blocks.into_iter().map(|block| (item.id, block)));
    }

    /// Runs `work` with the updated layout of an item.
    fn with<T>(&mut self, item: &Item, form: LayoutOptions, work: impl FnOnce(&mut Layout) -> T) -> T {
        let options = self.options(item, form.show);
        let new = || CachedLayout { layout: Layout::new(item, form.width, options).in_steps(), bytes: 0 };
        let laid = self.layouts.entry(item.id).or_insert_with(new);
        laid.layout.update(item, form.width, options, &self.keys);
        let out = work(&mut laid.layout);
        let bytes = laid.layout.bytes();
        self.bytes = self.bytes - laid.bytes + bytes;
        laid.bytes = bytes;
        out
    }

    /// Drops the layouts of other items if there are too many, or they are too large.
    fn drop_others(&mut self, items: &VecDeque<Item>, shown: [Range<usize>; 2]) {
        if self.layouts.len() <= LAYOUTS_MAX && self.bytes <= LAYOUT_BYTES_MAX {
            return;
        }
        let kept: Vec<u64> = shown.into_iter().flatten().map(|at| items[at].id).collect();
        self.layouts.retain(|id, _| kept.contains(id));
        self.bytes = self.layouts.values().map(|laid| laid.bytes).sum();
    }

    /// The topmost line when the end is at the bottom of `rows`.
    fn tail(&mut self, transcript: &Transcript, form: LayoutOptions, rows: usize) -> (usize, usize) {
        self.top_ending_with(transcript, form, rows, transcript.items().len())
    }

    /// The topmost line when the end of the first `count` items is at the bottom of `rows`.
    fn top_ending_with(
        &mut self,
        transcript: &Transcript,
        form: LayoutOptions,
        rows: usize,
        count: usize,
    ) -> (usize, usize) {
        let items = transcript.items();
        let mut remaining = rows;
        for at in (0..count).rev() {
            let height = self.height(&items[at], items.get(at + 1), form);
            // The blank line after the last item is omitted.
            let height = if at + 1 == items.len() { height.saturating_sub(1) } else { height };
            if height >= remaining {
                return (at, height - remaining);
            }
            remaining -= height;
        }
        (0, 0)
    }

    /// Scrolls by lines, upwards when negative. `size` is the pane's columns and rows.
    pub fn scroll(&mut self, transcript: &Transcript, show: TextOptions, size: (u16, u16), by: isize) {
        let form = LayoutOptions { width: text_width(size.0), show };
        let items = transcript.items();
        self.is_seeking_start = false;
        let tail = self.tail(transcript, form, usize::from(size.1));
        let (mut item, mut line) = self.top.unwrap_or(tail);
        let mut remaining = by.unsigned_abs();
        while remaining > 0 && by < 0 {
            if line > 0 {
                let step = line.min(remaining);
                (line, remaining) = (line - step, remaining - step);
            } else if item > 0 {
                item -= 1;
                line = self.height(&items[item], items.get(item + 1), form);
            } else {
                break;
            }
        }
        while remaining > 0 && by > 0 && (item, line) < tail {
            let height = self.height(&items[item], items.get(item + 1), form);
            let step = (height - line.min(height)).min(remaining);
            (line, remaining) = (line + step, remaining - step);
            if line >= height {
                (item, line) = (item + 1, 0);
            }
        }
        self.top = ((item, line) < tail).then_some((item, line));
    }

    /// Passes every visible line to `draw`, with its row.
    pub fn visit(
        &mut self,
        transcript: &Transcript,
        show: TextOptions,
        size: (u16, u16),
        mut draw: impl FnMut(ShownLine, &Line),
    ) {
        let form = LayoutOptions { width: text_width(size.0), show };
        let rows = usize::from(size.1);
        let items = transcript.items();
        let tail = self.tail(transcript, form, rows);
        let (first, mut skip) = self.top.map_or(tail, |top| top.min(tail));
        self.partial.clear();
        let (mut y, mut end) = (0, first);
        for (n, item) in items.iter().enumerate().skip(first) {
            if y >= rows {
                break;
            }
            // The blank line after an item is an empty row.
            let height = self.height(item, items.get(n + 1), form);
            let mut shown = ShownLine { row: y as u16, item: item.id, at: n, line: skip };
            self.draw(item, form, skip..skip + rows - y, &mut |line: &Line| {
                draw(shown, line);
                shown = ShownLine { row: shown.row + 1, line: shown.line + 1, ..shown };
            });
            y += height.saturating_sub(skip);
            (skip, end) = (0, n + 1);
        }
        // The end was laid out to find its start, and will be with the next frame.
        self.drop_others(items, [first..end, tail.0.max(end)..items.len()]);
        self.first = Some(first);
    }
}

/// Returns whether an item has no blank line after it.
pub fn is_joined(item: &Item, next: Option<&Item>) -> bool {
    let next = next.map(|next| &next.kind);
    match &item.kind {
        ItemKind::Tool(_) => matches!(next, Some(ItemKind::Tool(_))),
        ItemKind::User(_) | ItemKind::Image(_) => matches!(next, Some(ItemKind::Image(_))),
        _ => false,
    }
}

/// Columns for text in a pane of that width.
fn text_width(cols: u16) -> u16 {
    cols.saturating_sub(3).max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::agent::event::AgentEvent;
    use crate::llm::model::{Message, StreamEvent, UserMessage};
    use crate::tools::contract::registry::Registry;

    const SIZE: (u16, u16) = (120, 40);
    const SHOW: TextOptions = TextOptions {
        accessible: false,
        tab_width: 4,
        auto_pairs: true,
        wrap_column: 80,
        show_thinking: true,
        expand_output: false,
        image_cell: None,
    };

    fn apply(transcript: &mut Transcript, event: &AgentEvent) {
        assert!(transcript.apply(event, &Registry::default()));
    }

    fn answer(transcript: &mut Transcript, text: &str) {
        let update = |event| AgentEvent::MessageUpdate(Arc::new(event));
        apply(transcript, &update(StreamEvent::TextStart { index: 0 }));
        apply(transcript, &update(StreamEvent::TextDelta { index: 0, delta: text.to_string() }));
    }

    fn rows(view: &mut TranscriptView, transcript: &Transcript) -> Vec<String> {
        let mut out = vec![String::new(); usize::from(SIZE.1)];
        view.visit(transcript, SHOW, SIZE, |shown, line| {
            out[usize::from(shown.row)] = line.iter().map(|span| span.text.as_str()).collect();
        });
        out
    }

    fn paragraphs(count: usize) -> String {
        let one = |n| format!("paragraph {n} of an answer with some words in it\n\n");
        (0..count).map(one).collect::<Vec<_>>().concat()
    }

    #[test]
    fn transcript_view_large_answer_holds_bounded_bytes() {
        let (mut view, mut transcript) = (TranscriptView::default(), Transcript::default());
        let text = paragraphs(20_000);
        answer(&mut transcript, &text);
        rows(&mut view, &transcript);
        lay_out_all(&mut view, &transcript);
        for _ in 0..30 {
            rows(&mut view, &transcript);
            view.scroll(&transcript, SHOW, SIZE, -1_500);
            assert!(view.bytes() <= text.len(), "{} bytes for {}", view.bytes(), text.len());
        }
    }

    #[test]
    fn transcript_view_many_answers_hold_bounded_bytes() {
        let (mut view, mut transcript) = (TranscriptView::default(), Transcript::default());
        for n in 0..300 {
            let said = Message::User(UserMessage::text(format!("question {n}"), 0));
            apply(&mut transcript, &AgentEvent::MessageStart(Arc::new(said)));
            answer(&mut transcript, &paragraphs(200));
            rows(&mut view, &transcript);
            assert!(view.bytes() <= 2 << 20, "{} bytes after {n}", view.bytes());
        }
        view.to_top(&transcript);
        assert_eq!(rows(&mut view, &transcript)[0], "› question 0");
        let counted: usize = view.layouts.values().map(|laid| laid.layout.bytes()).sum();
        assert_eq!(view.bytes(), counted, "the count is that of what is held");
    }

    #[test]
    fn transcript_view_far_scroll_shows_right_rows() {
        let (mut view, mut transcript) = (TranscriptView::default(), Transcript::default());
        answer(&mut transcript, &paragraphs(5_000));
        rows(&mut view, &transcript);
        lay_out_all(&mut view, &transcript);
        assert!(rows(&mut view, &transcript)[39].starts_with("paragraph 4999 "));
        view.scroll(&transcript, SHOW, SIZE, -4_000);
        let shown = rows(&mut view, &transcript);
        assert!(shown[39].starts_with("paragraph 2999 "), "{shown:?}");
        view.scroll(&transcript, SHOW, SIZE, 2);
        assert_eq!(rows(&mut view, &transcript)[..36], shown[2..38]);
        view.to_top(&transcript);
        assert!(rows(&mut view, &transcript)[2].starts_with("paragraph 1 "));
    }

    fn lay_out_all(view: &mut TranscriptView, transcript: &Transcript) -> usize {
        let (mut steps, pane) = (0, PaneShape { show: SHOW, size: SIZE });
        while view.begin_laying_out() {
            let item = view.end_laying_out().unwrap();
            view.lay_out_more(transcript, pane, item);
            rows(view, transcript);
            steps += 1;
        }
        steps
    }

    #[test]
    fn transcript_view_long_text_is_laid_out_in_steps_up_to_its_end() {
        let mut transcript = Transcript::default();
        answer(&mut transcript, &paragraphs(20_000));
        let mut view = TranscriptView::default();
        let first = rows(&mut view, &transcript);
        assert!(!first.concat().contains("19999"), "not all at once: {first:?}");
        assert!(lay_out_all(&mut view, &transcript) > 10);
        let last = rows(&mut view, &transcript);
        assert!(last.concat().contains("19999"), "the end is followed: {last:?}");
        assert!(!view.begin_laying_out(), "nothing is left to do");
    }

    #[test]
    fn transcript_view_keeps_in_place_what_is_below_a_text_that_is_laid_out() {
        let mut transcript = Transcript::default();
        answer(&mut transcript, &paragraphs(20_000));
        let said = Message::User(UserMessage::text("one\ntwo\nthree\nfour\nfive\nsix".to_string(), 0));
        apply(&mut transcript, &AgentEvent::MessageStart(Arc::new(said)));
        let mut view = TranscriptView::default();
        rows(&mut view, &transcript);
        view.scroll(&transcript, SHOW, SIZE, -4);
        let before = rows(&mut view, &transcript);
        assert!(lay_out_all(&mut view, &transcript) > 10);
        let after = rows(&mut view, &transcript);
        assert!(after.concat().contains("19999"), "the end of the text is above: {after:?}");
        let below = |rows: &[String]| rows.iter().rev().take(3).cloned().collect::<Vec<_>>();
        assert_eq!(below(&after), below(&before));
        // From the start it is read downwards.
        view.to_top(&transcript);
        view.layouts.clear();
        view.bytes = 0;
        let start = rows(&mut view, &transcript);
        assert!(lay_out_all(&mut view, &transcript) > 10);
        assert_eq!(rows(&mut view, &transcript), start);
    }

    #[test]
    fn transcript_view_text_that_grows_is_whole() {
        let mut transcript = Transcript::default();
        let update = |event| AgentEvent::MessageUpdate(Arc::new(event));
        apply(&mut transcript, &update(StreamEvent::TextStart { index: 0 }));
        let mut view = TranscriptView::default();
        for part in 0..200 {
            let delta = format!("{}part {part}\n\n", "words ".repeat(100));
            apply(&mut transcript, &update(StreamEvent::TextDelta { index: 0, delta }));
            let shown = rows(&mut view, &transcript).concat();
            assert!(shown.contains(&format!("part {part}")), "{shown}");
            assert!(!view.begin_laying_out());
        }
    }
}
