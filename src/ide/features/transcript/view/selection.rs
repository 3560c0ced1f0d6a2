//! The selection in the lines of the view: which place is under the mouse, what a word and a line of the text
//! is there, and which part of the conversation a selection is. Costs what the lines around a place cost.

use std::ops::Range;
use std::sync::Arc;

use crate::base::width::text_width;
use crate::ide::features::transcript;
use crate::ide::features::transcript::cards::card::head_text;
use crate::ide::features::transcript::cards::form::CardKeys;
use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};
use crate::ide::features::transcript::layout::{ItemOptions, Layout};
use crate::ide::features::transcript::selection::{
    Bounds, Endpoint, Place, Press, Selected, SelectionUnit, TranscriptSelection,
};
use crate::ide::features::transcript::view::focus::PaneShape;
use crate::ide::features::transcript::view::{ShownLine, TranscriptView};
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::tui::widgets::copied::{Copied, TextLine};
use crate::tui::widgets::line::{Line, continues};

/// Columns of the pane before the text.
pub const TEXT_COLUMN: u16 = 2;
/// Maximum lines above and below a place that are taken for the same line of the text.
const LINES_MAX: usize = 500;

impl TranscriptView {
    /// Returns the line at a row of the pane, or the last one above it, and the cell of a column in it. Below
    /// the end of a line that is its last cell.
    pub fn place_at(
        &mut self,
        transcript: &Transcript,
        pane: PaneShape,
        (column, row): (u16, u16),
    ) -> Option<Place> {
        let (mut first, mut found): (Option<ShownLine>, Option<ShownLine>) = (None, None);
        self.visit(transcript, pane.show, pane.size, |shown, _| {
            first = first.or(Some(shown));
            if shown.row <= row {
                found = Some(shown);
            }
        });
        let column = usize::from(column.saturating_sub(TEXT_COLUMN));
        let (shown, column) = match (found, first) {
            (Some(shown), _) if shown.row == row => (shown, column),
            (Some(shown), _) => (shown, usize::MAX),
            (None, first) => (first?, 0),
        };
        Some(Place { item: shown.item, line: shown.line, column })
    }

    /// Returns a line of an item.
    fn line(&mut self, item: &Item, pane: PaneShape, line: usize) -> Line {
        let mut found = Line::new();
        self.draw(item, pane.form(), line..line + 1, &mut |line: &Line| found.clone_from(line));
        found
    }

    /// Returns the lines that show the same line of the text as one of them, and the index of the first.
    fn text_lines(&mut self, item: &Item, pane: PaneShape, line: usize) -> (usize, Vec<Line>) {
        let mut first = line;
        let mut lines = std::collections::VecDeque::from([self.line(item, pane, line)]);
        while first > 0 && line - first < LINES_MAX {
            let above = self.line(item, pane, first - 1);
            if !continues(&above) {
                break;
            }
            lines.push_front(above);
            first -= 1;
        }
        let mut last = line;
        while lines.back().is_some_and(|line| continues(line)) && last - line < LINES_MAX {
            last += 1;
            lines.push_back(self.line(item, pane, last));
        }
        (first, lines.into())
    }

    /// Returns the line of the text at a place, and the offset of the place in it if that is on text.
    pub fn text_at(
        &mut self,
        transcript: &Transcript,
        pane: PaneShape,
        place: Place,
    ) -> Option<(TextLine, Option<usize>)> {
        let item = transcript.item(place.item)?;
        let (first, lines) = self.text_lines(item, pane, place.line);
        let at = place.line - first;
        let text = TextLine::new(&lines, (at, place.column), full_text(item));
        let offset = text.offset_at(at, place.column);
        Some((text, offset))
    }

    /// Returns the target of the link at a place.
    pub fn link_at(&mut self, transcript: &Transcript, pane: PaneShape, place: Place) -> Option<Arc<str>> {
        let line = self.line(transcript.item(place.item)?, pane, place.line);
        let mut end = 0;
        let span = line.iter().find(|span| {
            end += text_width(&span.text);
            place.column < end
        });
        span?.link.clone()
    }

    /// Returns the first and the last cell of the unit at a place.
    pub fn unit_at(
        &mut self,
        transcript: &Transcript,
        pane: PaneShape,
        (place, unit): (Place, SelectionUnit),
    ) -> Option<[Endpoint; 2]> {
        let item = transcript.item(place.item)?;
        let laid = (item.version, self.options(item, pane.show), pane.form().width);
        let end = |line: usize, column: usize, shown: &Line| {
            Endpoint::new(Place { line, column, ..place }, laid, shown)
        };
        if unit == SelectionUnit::Cell {
            let shown = self.line(item, pane, place.line);
            let end = end(place.line, place.column, &shown);
            return Some([end.clone(), end]);
        }
        let (first, lines) = self.text_lines(item, pane, place.line);
        let at = place.line - first;
        let mut cells = [(0, 0), (lines.len() - 1, usize::MAX)];
        if unit == SelectionUnit::Word {
            let text = TextLine::new(&lines, (at, place.column), full_text(item));
            let word = text.offset_at(at, place.column).map(|offset| {
                let word = motion::word_around(&Text::from(text.text.as_str()), Byte(offset));
                word.start().0..word.end().0
            });
            let here = (at, place.column);
            cells = word.and_then(|word| text.cells_of(&word)).unwrap_or([here, here]);
        }
        Some(cells.map(|(line, column)| end(first + line, column, &lines[line])))
    }

    /// Selects from the press to a place.
    pub fn select_to(&mut self, transcript: &Transcript, pane: PaneShape, place: Place) {
        let Some((unit, anchor)) =
            self.selection.press.as_ref().map(|press| (press.unit, press.anchor.clone()))
        else {
            return;
        };
        let Some(here) = self.unit_at(transcript, pane, (place, unit)) else { return };
        let order = |end: &Endpoint| {
            let item = transcript.items().iter().rposition(|item| item.id == end.place.item);
            (item, end.place.line, end.place.column)
        };
        let [anchor_start, anchor_end] = anchor;
        let [start, end] = here;
        let is_before = order(&start) < order(&anchor_start);
        let (start, end) = if is_before { (start, anchor_end) } else { (anchor_start, end) };
        self.selection.selected = Some(Selected { start, end });
    }

    /// Removes the selection if what it begins or ends in has changed there.
    pub fn check_selection(&mut self, transcript: &Transcript, pane: PaneShape) {
        let Some(mut selected) = self.selection.selected.take() else { return };
        let holds = self.holds(transcript, pane, &mut selected.start)
            && self.holds(transcript, pane, &mut selected.end);
        self.selection.selected = holds.then_some(selected);
    }

    fn holds(&mut self, transcript: &Transcript, pane: PaneShape, end: &mut Endpoint) -> bool {
        let Some(item) = transcript.item(end.place.item) else { return false };
        let laid = (item.version, self.options(item, pane.show), pane.form().width);
        if laid == end.laid {
            return true;
        }
        // At another width or folded otherwise, the lines are others.
        let is_laid_the_same = (laid.1, laid.2) == (end.laid.1, end.laid.2);
        let holds = is_laid_the_same && end.is_in(&self.line(item, pane, end.place.line));
        end.laid = laid;
        holds
    }

    /// Returns the bounds of the selection.
    pub fn selection_bounds(&self, transcript: &Transcript) -> Option<Bounds> {
        let selected = self.selection.selected.as_ref()?;
        let bound = |place: Place| {
            let at = transcript.items().iter().rposition(|item| item.id == place.item)?;
            Some((at, place.line, place.column))
        };
        Some(Bounds { start: bound(selected.start.place)?, end: bound(selected.end.place)? })
    }

    /// Returns the selected part, to be copied elsewhere.
    pub fn selected_part(&mut self, transcript: &Transcript, pane: PaneShape) -> Option<SelectedPart> {
        self.check_selection(transcript, pane);
        let bounds = self.selection_bounds(transcript)?;
        let items = transcript.items().range(bounds.start.0..=bounds.end.0).cloned();
        let items = items.map(|item| {
            let options = self.options(&item, pane.show);
            let is_hidden = self.is_hidden(&item, pane.form());
            (item, options, is_hidden)
        });
        Some(SelectedPart { items: items.collect(), bounds, width: pane.form().width })
    }

    /// Scrolls by lines while a selection is made; returns whether that moved anything.
    pub fn scroll_held(&mut self, transcript: &Transcript, pane: PaneShape, by: isize) -> bool {
        self.stop_following(transcript, pane);
        let before = self.top;
        self.scroll(transcript, pane.show, pane.size, by);
        if by < 0
            && let Some(press) = &mut self.selection.press
        {
            press.was_at_tail = false;
        }
        self.stop_following(transcript, pane);
        self.top != before
    }

    /// Keeps what is on screen there while the conversation grows.
    pub fn stop_following(&mut self, transcript: &Transcript, pane: PaneShape) {
        let tail = self.tail(transcript, pane.form(), usize::from(pane.size.1));
        self.top = Some(self.top.map_or(tail, |top| top.min(tail)));
    }
}

impl TranscriptSelection {
    /// Begins a selection at a press.
    pub fn begin(&mut self, press: Press) {
        let [start, end] = press.anchor.clone();
        // A single cell is selected only when the mouse moves.
        self.selected = (press.unit != SelectionUnit::Cell).then_some(Selected { start, end });
        self.press = Some(press);
    }
}

/// Returns the text of which the first line of an item may show only the beginning.
fn full_text(item: &Item) -> &str {
    match &item.kind {
        ItemKind::Tool(call) => head_text(call),
        ItemKind::Summary { title, .. } => title.lines().next().unwrap_or_default(),
        _ => "",
    }
}

/// A selected part of the conversation, apart from it.
#[derive(Debug)]
pub struct SelectedPart {
    /// Its items, how they are laid out, and whether a single line stands for them.
    items: Vec<(Item, ItemOptions, bool)>,
    bounds: Bounds,
    width: u16,
}

impl SelectedPart {
    /// Returns its text. Expensive.
    pub fn text(&self) -> String {
        let mut copied = Copied::default();
        for (n, (item, options, is_hidden)) in self.items.iter().enumerate() {
            if *is_hidden {
                continue;
            }
            let mut layout = Layout::new(item, self.width, *options);
            layout.update(item, self.width, *options, &CardKeys::default());
            let height = layout.height(item);
            let at = self.bounds.start.0 + n;
            let first = if n == 0 { self.bounds.start.1 } else { 0 };
            let last = if at == self.bounds.end.0 { self.bounds.end.1 + 1 } else { height };
            let mut line_number = first;
            layout.visit(item, range(first, last, height), &mut |line: &Line| {
                if let Some(columns) = self.bounds.columns(at, line_number) {
                    let full = if line_number == 0 { full_text(item) } else { "" };
                    copied.push(line, &columns, full);
                }
                line_number += 1;
            });
            let next = self.items.get(n + 1).map(|(next, ..)| next);
            if height > 0 && !transcript::view::is_joined(item, next) {
                copied.blank();
            }
        }
        copied.finish()
    }
}

fn range(first: usize, last: usize, height: usize) -> Range<usize> {
    first.min(height)..last.min(height)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::agent::event::AgentEvent;
    use crate::ide::features::transcript::items::{Call, CallStatus};
    use crate::ide::model::view::text_options::TextOptions;
    use crate::llm::model::{Message, StreamEvent, UserMessage};
    use crate::tools::contract::registry::Registry;
    use crate::tools::contract::view::{CallView, DiffLine, PlanStep, ResultView, StepProgress};

    const SHOW: TextOptions = TextOptions {
        accessible: false,
        tab_width: 4,
        auto_pairs: true,
        wrap_column: 80,
        show_thinking: true,
        expand_output: true,
        image_cell: None,
    };

    fn words() -> impl Strategy<Value = String> {
        prop::collection::vec("[a-z]{1,6}|漢[字]{0,2}|[a-z]é[a-z]", 1..20).prop_map(|words| words.join(" "))
    }

    fn code() -> impl Strategy<Value = String> {
        prop::collection::vec("\t{0,2}[a-z(;]{0,40}( [a-z]{1,30}){0,2}[);]", 1..4)
            .prop_map(|lines| lines.join("\n"))
    }

    fn block() -> impl Strategy<Value = String> {
        let cell = "[a-z]{1,4}( [a-z]{1,4}){0,8}";
        prop_oneof![
            words(),
            words().prop_map(|text| format!("## {text}")),
            (words(), words()).prop_map(|(a, b)| format!("- {a}\n- **{b}**\n  1. {a}\n\n     {b}")),
            (words(), words()).prop_map(|(a, b)| format!("> {a}\n>\n> {b}")),
            code().prop_map(|code| format!("```rust\n{code}\n```")),
            (cell, cell, cell)
                .prop_map(|(a, b, c)| format!("| a | b |\n|---|--:|\n| {a} | {b} |\n| x<br>y | {c} |")),
            Just("---".to_string()),
        ]
    }

    #[derive(Debug, Clone)]
    enum Said {
        User(String),
        Answer(String),
        Call(String, ResultView),
    }

    fn said() -> impl Strategy<Value = Said> {
        let diff = |code: String| {
            let line = |(n, text): (usize, &str)| {
                let sign = [' ', '+', '-'][n % 3];
                Some(DiffLine { sign, number: n + 1, text: text.to_string() })
            };
            let lines = code.lines().enumerate().map(line).chain([None]).collect();
            ResultView::Diff { lines, added: 1, removed: 1 }
        };
        let plan =
            |text: String| ResultView::Plan(vec![PlanStep { text, progress: StepProgress::Completed }]);
        let result = prop_oneof![
            code().prop_map(ResultView::Output),
            words().prop_map(ResultView::Text),
            code().prop_map(diff),
            words().prop_map(plan),
        ];
        prop_oneof![
            words().prop_map(Said::User),
            // Longer than the lines and the pieces of plain text.
            words().prop_map(|text| Said::User([text.as_str(), "  \nx"].concat().repeat(200))),
            words().prop_map(|text| Said::User(format!("{text} ").repeat(1 + 9_000 / text.len()))),
            prop::collection::vec(block(), 1..6).prop_map(|blocks| Said::Answer(blocks.join("\n\n"))),
            (words(), result).prop_map(|(title, result)| Said::Call(title, result)),
        ]
    }

    fn item(id: u64, said: &Said) -> Item {
        let kind = match said {
            Said::User(text) => ItemKind::User(text.clone()),
            Said::Answer(text) => ItemKind::Answer(text.clone()),
            Said::Call(title, result) => {
                let view = CallView { title: title.clone(), ..CallView::default() };
                let mut call = Call::new(id.to_string(), "tool".to_string(), view, CallStatus::Done(None));
                call.result = Some(result.clone());
                ItemKind::Tool(Box::new(call))
            }
        };
        Item { id, version: 0, kind, took: None, grows: false, revealed: None }
    }

    fn all_of(said: &[Said], width: u16) -> String {
        let options = ItemOptions { show: SHOW, is_closed: false };
        let items: Vec<_> =
            said.iter().enumerate().map(|(n, said)| (item(n as u64, said), options, false)).collect();
        let bounds = Bounds { start: (0, 0, 0), end: (items.len() - 1, usize::MAX - 1, usize::MAX) };
        SelectedPart { items, bounds, width }.text()
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(96))]
        #[test]
        fn transcript_selection_text_does_not_depend_on_width(
            said in prop::collection::vec(said(), 1..6),
            width in 28u16..120,
        ) {
            let narrow = all_of(&said, width);
            prop_assert_eq!(&narrow, &all_of(&said, 20_000));
            prop_assert!(!narrow.contains(['│', '┃', '▎', '↪', '─', '┼', '▸', '▾', '›', '⋮']), "{}", narrow);
        }
    }

    #[test]
    fn transcript_selection_of_any_cells_is_part_of_the_whole() {
        let mut transcript = crate::ide::features::transcript::items::Transcript::default();
        let tools = Registry::default();
        let said = Message::User(UserMessage::text("a question with several words in it", 0));
        transcript.apply(&AgentEvent::MessageStart(Arc::new(said)), &tools);
        let update = |event| AgentEvent::MessageUpdate(Arc::new(event));
        transcript.apply(&update(StreamEvent::TextStart { index: 0 }), &tools);
        let text = "one two three four five six seven eight nine ten";
        let delta = StreamEvent::TextDelta { index: 0, delta: text.to_string() };
        transcript.apply(&update(delta), &tools);
        let pane = PaneShape { show: SHOW, size: (24, 20) };
        let mut view = TranscriptView::default();
        for column in 0..24 {
            for row in 0..20 {
                let place = view.place_at(&transcript, pane, (column, row)).unwrap();
                for unit in [SelectionUnit::Cell, SelectionUnit::Word, SelectionUnit::Line] {
                    let [start, end] = view.unit_at(&transcript, pane, (place, unit)).unwrap();
                    view.selection.selected = Some(Selected { start, end });
                    let copied = view.selected_part(&transcript, pane).unwrap().text();
                    let whole = format!("a question with several words in it\n{text}");
                    assert_is_part(&whole, &copied, unit);
                }
            }
        }
    }

    fn assert_is_part(whole: &str, copied: &str, unit: SelectionUnit) {
        assert!(whole.contains(copied), "{copied:?}");
        match unit {
            SelectionUnit::Cell => assert!(copied.chars().count() <= 1, "{copied:?}"),
            SelectionUnit::Word => assert!(!copied.trim().contains(' '), "{copied:?}"),
            SelectionUnit::Line => assert!(whole.lines().any(|line| line == copied), "{copied:?}"),
        }
    }
}
