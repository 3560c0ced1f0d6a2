//! What the mouse has selected in the conversation: two places in the lines of items, which stay where they are
//! while the view scrolls and other items change. Must not know events or who copies.

use std::ops::Range;
use std::time::Duration;

use crate::base::width::{grapheme_width, graphemes};
use crate::ide::features::transcript::layout::ItemOptions;
use crate::tui::widgets::line::Line;

/// A cell of a line of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Id of the item.
    pub item: u64,
    /// Index of the line among those of the item.
    pub line: usize,
    /// The cell from the start of the line; may be beyond its end.
    pub column: usize,
}

/// An end of a selection, with what shows whether it still is where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its cell, which is selected.
    pub place: Place,
    /// The version of the item, and how it was laid out.
    pub laid: (u64, ItemOptions, u16),
    /// The line up to that cell.
    pub before: String,
}

impl Endpoint {
    /// Returns an end in a line.
    pub fn new(place: Place, laid: (u64, ItemOptions, u16), line: &Line) -> Self {
        Self { place, laid, before: beginning(line, place.column) }
    }

    /// Returns whether a line is the same up to that cell. It may have grown.
    pub fn is_in(&self, line: &Line) -> bool {
        beginning(line, self.place.column) == self.before
            || self.place.column == usize::MAX && shown(line).starts_with(&self.before)
    }
}

fn shown(line: &Line) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}

/// Returns the text of a line up to and including a cell. To the end, that is without padding.
fn beginning(line: &Line, column: usize) -> String {
    let mut x = 0;
    let text = shown(line);
    if column == usize::MAX {
        return text.trim_end().to_string();
    }
    let is_within = |grapheme: &&str| {
        let starts_within = x <= column;
        x += grapheme_width(grapheme);
        starts_within
    };
    graphemes(&text).take_while(is_within).collect()
}

/// What one step of a selection covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionUnit {
    /// A cell.
    Cell,
    /// A word.
    Word,
    /// A line of the text, however many lines show it.
    Line,
}

impl SelectionUnit {
    /// Returns the unit of a number of clicks.
    pub fn of_clicks(clicks: u8) -> Self {
        match clicks {
            2 => Self::Word,
            3 => Self::Line,
            _ => Self::Cell,
        }
    }
}

/// A selection: its first and last cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// The first cell.
    pub start: Endpoint,
    /// The last cell.
    pub end: Endpoint,
}

/// A button that was pressed in the conversation and is held.
#[derive(Debug, Clone)]
pub struct Press {
    /// What the selection grows by.
    pub unit: SelectionUnit,
    /// What it was on.
    pub place: Place,
    /// The first and the last cell of what the press was on.
    pub anchor: [Endpoint; 2],
    /// The cell of the screen.
    pub cell: (u16, u16),
    /// Whether the mouse has moved since.
    pub has_moved: bool,
    /// Whether the end of the conversation was followed, and is again at release.
    pub was_at_tail: bool,
    /// Where the mouse is, beyond the pane, and when that scrolls next.
    pub scrolls: Option<((u16, u16), Duration)>,
}

/// The last click, to count those that follow: when, on which cell of the screen, on which line, and its number.
pub type LastClick = (Duration, (u16, u16), (u64, usize), u8);

/// What the mouse has selected and is selecting.
#[derive(Debug, Default)]
pub struct TranscriptSelection {
    /// The selection.
    pub selected: Option<Selected>,
    /// The held button.
    pub press: Option<Press>,
    /// The last click.
    pub last_click: Option<LastClick>,
    /// Number of copies made: only the last one counts.
    pub copies: u64,
}

/// The bounds of a selection by the indices of items: item, line and cell of the first and the last cell.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The first cell.
    pub start: (usize, usize, usize),
    /// The last cell.
    pub end: (usize, usize, usize),
}

impl Bounds {
    /// Returns the selected cells of a line of an item.
    pub fn columns(&self, item: usize, line: usize) -> Option<Range<usize>> {
        let at = (item, line);
        let (start, end) = ((self.start.0, self.start.1), (self.end.0, self.end.1));
        if at < start || at > end {
            return None;
        }
        let from = if at == start { self.start.2 } else { 0 };
        let to = if at == end { self.end.2.saturating_add(1) } else { usize::MAX };
        Some(from..to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::model::view::text_options::TextOptions;
    use crate::tui::widgets::line::Span;

    #[test]
    fn transcript_selection_columns_cover_lines_between_ends() {
        let bounds = Bounds { start: (1, 2, 3), end: (2, 0, 5) };
        assert_eq!(bounds.columns(1, 1), None);
        assert_eq!(bounds.columns(1, 2), Some(3..usize::MAX));
        assert_eq!(bounds.columns(1, 9), Some(0..usize::MAX));
        assert_eq!(bounds.columns(2, 0), Some(0..6));
        assert_eq!(bounds.columns(2, 1), None);
    }

    #[test]
    fn transcript_selection_end_holds_while_its_line_grows_and_not_when_it_changes() {
        let show = TextOptions {
            accessible: false,
            tab_width: 4,
            auto_pairs: true,
            wrap_column: 80,
            show_thinking: false,
            expand_output: false,
            image_cell: None,
        };
        let laid = (1, ItemOptions { show, is_closed: false }, 80);
        let line = |text: &str| vec![Span::new(text, "t")];
        let at = |column| Endpoint::new(Place { item: 1, line: 0, column }, laid, &line("a漢bc"));
        assert!(at(3).is_in(&line("a漢bcd")) && at(3).is_in(&line("a漢b")));
        assert!(!at(3).is_in(&line("a漢x")) && !at(4).is_in(&line("a漢b")));
        assert!(at(usize::MAX).is_in(&line("a漢bcd")) && !at(usize::MAX).is_in(&line("a漢b")));
    }
}
