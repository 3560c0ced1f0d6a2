//! The pane of the line of tabs above the editor.

use std::ops::Range;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::accessible::titles;
use crate::ide::model::file_labels::labels;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use ratatui::layout::Rect;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Tabs, layer: 0, make: || Box::new(TabLine) };

struct TabLine;

/// What a column of the line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// The open file of that index.
    File(usize),
    /// So many files before the first tab.
    Before(usize),
    /// So many files behind the last tab.
    Behind(usize),
}

/// A part of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabSpan {
    /// What it stands for.
    pub tab: Tab,
    /// Its columns.
    pub cols: Range<u16>,
    /// Its text.
    pub text: String,
}

/// Returns the parts of the line, such that the tab of the current file is among them. Where not all fit, the numbers of
/// those before and behind are at the ends.
pub fn tab_spans(state: &State, cols: u16) -> Vec<TabSpan> {
    let buffers = state.buffers.all();
    let current = state.buffers.current().map(|buffer| buffer.id);
    let at = buffers.iter().position(|buffer| Some(buffer.id) == current).unwrap_or(0);
    let labels = labels(buffers);
    let widths: Vec<usize> = labels.iter().map(|label| text_width(label)).collect();
    let room = usize::from(cols);
    let shown = visible_tabs(&widths, at, room);
    let (before, behind) = (before(shown.start), behind(buffers.len() - shown.end));
    let rest = room.saturating_sub(text_width(&before) + text_width(&behind));
    let mut spans = Vec::new();
    let mut x = 0;
    let mut push = |tab: Tab, text: String| {
        let end = x + text_width(&text) as u16;
        if end > x {
            spans.push(TabSpan { tab, cols: x..end, text });
        }
        x = end;
    };
    push(Tab::Before(shown.start), before);
    for n in shown.clone() {
        // Only a tab that is alone can be too wide.
        push(Tab::File(n), truncate(&labels[n], rest).into_owned());
    }
    push(Tab::Behind(buffers.len() - shown.end), behind);
    spans
}

fn before(count: usize) -> String {
    if count == 0 { String::new() } else { format!("‹ {count} ") }
}

fn behind(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" {count} ›") }
}

/// Returns which tabs of these widths fit, with the one at `at` among them, from as far before it as possible.
fn visible_tabs(widths: &[usize], at: usize, room: usize) -> Range<usize> {
    let used = |tabs: Range<usize>| {
        let ends = text_width(&before(tabs.start)) + text_width(&behind(widths.len() - tabs.end));
        widths[tabs].iter().sum::<usize>() + ends
    };
    if used(0..widths.len()) <= room {
        return 0..widths.len();
    }
    let first = (0..at).find(|first| used(*first..at + 1) <= room).unwrap_or(at);
    let behind = (at + 1..=widths.len()).rev().find(|end| used(first..*end) <= room);
    first..behind.unwrap_or(at + 1).min(widths.len())
}

impl Tab {
    /// Returns the index of the file that a click shows, of so many: beside the shown ones at the ends.
    pub fn file(self, count: usize) -> usize {
        match self {
            Self::File(n) => n,
            Self::Before(before) => before.saturating_sub(1),
            Self::Behind(behind) => count.saturating_sub(behind),
        }
    }
}

impl Component<State> for TabLine {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let ground = canvas.style("ui.tab");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        if canvas.is_accessible() {
            let style = canvas.style("ui.title.focus");
            canvas.content(0, 0, &truncate(&titles::editor(state), usize::from(cols)), style);
            return;
        }
        let current = state.buffers.current().map(|buffer| buffer.id);
        for TabSpan { tab, cols, text } in tab_spans(state, cols) {
            let is_current = match tab {
                Tab::File(n) => current == Some(state.buffers.all()[n].id),
                Tab::Before(_) | Tab::Behind(_) => false,
            };
            let style = match (is_current, state.panes.focus == Focus::Editor) {
                (true, true) => canvas.style("ui.tab.active").patch(canvas.style("ui.title.focus")),
                (true, false) => canvas.style("ui.tab.active"),
                (false, _) => ground,
            };
            canvas.text(cols.start, 0, &text, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tab_line_shows_the_current_tab_and_counts_the_rest() {
        let widths = [6; 12];
        assert_eq!(visible_tabs(&widths, 0, 72), 0..12, "all fit");
        assert_eq!(visible_tabs(&widths, 0, 30), 0..4);
        assert_eq!(visible_tabs(&widths, 11, 30), 8..12);
        assert_eq!(visible_tabs(&widths, 5, 30), 3..6);
        assert_eq!(visible_tabs(&widths, 5, 3), 5..6, "at least the current one");
        assert_eq!(visible_tabs(&[], 0, 10), 0..0);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn tab_line_fits_any_tabs(
            widths in prop::collection::vec(3..20usize, 1..40), at in 0..40usize, room in 1..120usize,
        ) {
            let at = at % widths.len();
            let shown = visible_tabs(&widths, at, room);
            prop_assert!(shown.contains(&at));
            let ends = text_width(&before(shown.start)) + text_width(&behind(widths.len() - shown.end));
            let used = widths[shown.clone()].iter().sum::<usize>() + ends;
            prop_assert!(used <= room || shown.len() == 1, "{shown:?} takes {used} of {room}");
        }
    }
}
