//! Converts the output of programs to a grid. Must not know where the bytes come from, nor the screen: its
//! texts may contain anything, and are drawn by functions that make them safe.

use std::sync::Arc;
use std::time::Instant;

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::{Dimensions, Scroll};
use alacritty_terminal::index::{Column, Line, Point, Side};
use alacritty_terminal::selection::{Selection, SelectionRange, SelectionType};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Config, Osc52, Term, TermDamage, TermMode};
use alacritty_terminal::vte::ansi::{self, Processor};
use parking_lot::Mutex;

use crate::ide::features::terminal;
use crate::ide::features::terminal::emulator::grid::{Grid, Modes, MouseReporting, Row};
use crate::ide::features::terminal::emulator::prompt_marks::PromptMarks;
use crate::ide::features::terminal::emulator::strings::Strings;
use crate::tui::screen::CursorShape;

pub mod prompts;

/// Number of rows that can be scrolled back.
const HISTORY: usize = 10_000;
/// Minimum size for the library: a wide character needs two columns.
const SIZE_MIN: (u16, u16) = (2, 1);
/// Maximum bytes of pending replies; further queries get no reply.
const REPLIES_MAX: usize = 16 << 10;
/// Bytes processed between two checks of the number of marks on the character at the cursor.
const FEED_CHUNK: usize = 1 << 10;
/// Characters of a title.
const TITLE_MAX: usize = 80;
/// Maximum bytes of a word that may be a file name.
const WORD_MAX: usize = 3 << 10;

/// Messages of the emulator while it reads.
#[derive(Default)]
struct EmulatorOutput {
    replies: Vec<u8>,
    title: Option<String>,
    has_copied: bool,
}

#[derive(Clone, Default)]
struct Listener(Arc<Mutex<EmulatorOutput>>);

impl EventListener for Listener {
    fn send_event(&self, event: Event) {
        let mut output = self.0.lock();
        match event {
            Event::PtyWrite(text) if output.replies.len() + text.len() <= REPLIES_MAX => {
                output.replies.extend_from_slice(text.as_bytes());
            }
            Event::Title(title) => {
                output.title =
                    Some(title.chars().take(TITLE_MAX).collect()).filter(|t: &String| !t.is_empty());
            }
            Event::ResetTitle => output.title = None,
            Event::ClipboardStore(..) => output.has_copied = true,
            // Colors, clipboard and pixels are not for programs inside; the rest is for windows.
            _ => {}
        }
    }
}

struct Size(u16, u16);

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.1.max(SIZE_MIN.1))
    }

    fn columns(&self) -> usize {
        usize::from(self.0.max(SIZE_MIN.0))
    }
}

/// Distance of a scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollBy {
    /// Rows, upwards when positive.
    Rows(i32),
    /// Pages, upwards when positive.
    Pages(i32),
    /// To the oldest row.
    Top,
    /// To the bottom, where output appears.
    Bottom,
}

/// Unit of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionUnit {
    /// Characters.
    Chars,
    /// Words.
    Words,
    /// Lines.
    Lines,
    /// A rectangle.
    Block,
}

/// Grid of a terminal and all parser state.
pub struct Emulator {
    term: Term<Listener>,
    parser: Processor,
    strings: Strings,
    marks: PromptMarks,
    /// Number of prompts so far.
    prompts: u64,
    /// Whether a command runs, as far as the shell says so.
    runs_command: bool,
    listener: Listener,
    /// The rows returned last.
    last: Vec<Arc<Row>>,
    /// Whether every row must be rebuilt.
    stale: bool,
}

impl Emulator {
    /// An empty grid of that size.
    pub fn new(cols: u16, rows: u16) -> Self {
        let listener = Listener::default();
        // Clipboard writes are noticed, to be rejected with a message; reads never work.
        let config = Config { scrolling_history: HISTORY, osc52: Osc52::OnlyCopy, ..Config::default() };
        let term = Term::new(config, &Size(cols, rows), listener.clone());
        Self {
            term,
            parser: Processor::new(),
            strings: Strings::default(),
            marks: PromptMarks::default(),
            prompts: 0,
            runs_command: false,
            listener,
            last: Vec::new(),
            stale: true,
        }
    }

    /// Processes output.
    pub fn feed(&mut self, bytes: &[u8]) {
        let bytes = &*self.strings.truncate(bytes);
        let mut from = 0;
        while let Some((length, mark)) = self.marks.next(&bytes[from..]) {
            self.parse(&bytes[from..from + length]);
            self.apply_mark(mark);
            from += length;
        }
        self.parse(&bytes[from..]);
        self.clamp_scroll();
    }

    fn parse(&mut self, bytes: &[u8]) {
        if bytes.is_ascii() {
            self.parser.advance(&mut self.term, bytes);
        } else {
            for piece in bytes.chunks(FEED_CHUNK) {
                self.parser.advance(&mut self.term, piece);
                self.limit_marks();
            }
        }
    }

    /// Scrolls forward to the oldest row if the library is beyond it: it counts rows that scroll out of a
    /// screen that is scrolled back, even if it keeps none.
    fn clamp_scroll(&mut self) {
        let grid = self.term.grid();
        if grid.display_offset() > grid.history_size() {
            self.term.scroll_display(Scroll::Delta(0));
            self.stale = true;
        }
    }

    /// Removes excess marks from the character that further ones would join: the library keeps all of them,
    /// without a limit.
    fn limit_marks(&mut self) {
        let cursor = &self.term.grid().cursor;
        let (point, is_behind) = (cursor.point, !cursor.input_needs_wrap);
        let at = point.column.0.saturating_sub(usize::from(is_behind));
        let row = &mut self.term.grid_mut()[point.line];
        let is_spacer = row[Column(at)].flags.contains(Flags::WIDE_CHAR_SPACER);
        let cell = &mut row[Column(at.saturating_sub(usize::from(is_spacer)))];
        let Some([kept @ .., _]) =
            cell.zerowidth().map(|marks| &marks[..marks.len().min(terminal::emulator::paint::MARKS_MAX + 1)])
        else {
            return;
        };
        if kept.len() < terminal::emulator::paint::MARKS_MAX {
            return;
        }
        let kept = kept.to_vec();
        let (link, underline) = (cell.hyperlink(), cell.underline_color());
        cell.extra = None;
        cell.set_hyperlink(link);
        cell.set_underline_color(underline);
        for mark in kept {
            cell.push_zerowidth(mark);
        }
    }

    /// Returns when an incomplete synchronized update must be shown.
    pub fn sync_deadline(&self) -> Option<Instant> {
        self.parser.sync_timeout().sync_timeout()
    }

    /// Shows an incomplete synchronized update.
    pub fn end_sync(&mut self) {
        self.parser.stop_sync(&mut self.term);
        self.clamp_scroll();
    }

    /// Takes the replies to programs inside.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output().replies)
    }

    /// Returns whether a program inside has tried to write the clipboard since the last call.
    pub fn take_copied(&mut self) -> bool {
        std::mem::take(&mut self.output().has_copied)
    }

    fn output(&self) -> parking_lot::MutexGuard<'_, EmulatorOutput> {
        self.listener.0.lock()
    }

    /// Resizes the grid; lines are wrapped again.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.term.resize(Size(cols, rows));
        self.clamp_scroll();
        self.stale = true;
    }

    /// Scrolls.
    pub fn scroll(&mut self, by: ScrollBy) {
        let page = i32::try_from(self.term.screen_lines().saturating_sub(1).max(1)).unwrap_or(1);
        self.term.scroll_display(match by {
            ScrollBy::Rows(rows) => Scroll::Delta(rows),
            ScrollBy::Pages(pages) => Scroll::Delta(pages.saturating_mul(page)),
            ScrollBy::Top => Scroll::Top,
            ScrollBy::Bottom => Scroll::Bottom,
        });
        self.stale = true;
    }

    /// Begins a selection at a visible cell; `right` is whether at its right half.
    pub fn select(&mut self, at: (u16, u16), right: bool, unit: SelectionUnit) {
        let unit = match unit {
            SelectionUnit::Chars => SelectionType::Simple,
            SelectionUnit::Words => SelectionType::Semantic,
            SelectionUnit::Lines => SelectionType::Lines,
            SelectionUnit::Block => SelectionType::Block,
        };
        self.term.selection = Some(Selection::new(unit, self.point(at), side(right)));
        self.stale = true;
    }

    /// Extends the selection to a cell.
    pub fn select_to(&mut self, at: (u16, u16), right: bool) {
        let point = self.point(at);
        if let Some(selection) = &mut self.term.selection {
            selection.update(point, side(right));
        }
        self.stale = true;
    }

    /// Clears the selection.
    pub fn unselect(&mut self) {
        self.stale |= self.term.selection.take().is_some();
    }

    /// Returns the selected text.
    pub fn selected_text(&self) -> Option<String> {
        self.term.selection_to_string().filter(|text| !text.is_empty())
    }

    /// Returns all rows, with those that have scrolled out; wrapped ones are joined, empty ones at the end left out.
    pub fn all_text(&self) -> String {
        let start = Point::new(self.term.topmost_line(), Column(0));
        let end = Point::new(self.term.bottommost_line(), self.term.last_column());
        self.term.bounds_to_string(start, end).trim_end().to_string()
    }

    /// Returns the text without blanks around a cell, with wrapped lines joined; empty if it is too long for
    /// a name.
    pub fn word_at(&self, at: (u16, u16)) -> String {
        let at = self.point(at);
        let (first, last) = (self.term.line_search_left(at), self.term.line_search_right(at));
        let is_part = |c: char| !c.is_whitespace() && !"\"'`()[]{}<>,;".contains(c);
        let (mut word, mut reached) = (String::new(), false);
        for line in first.line.0..=last.line.0 {
            for column in 0..self.term.columns() {
                let point = Point::new(Line(line), Column(column));
                let cell = &self.term.grid()[point];
                let is_spacer =
                    cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER);
                reached |= point == at;
                if is_spacer {
                    continue;
                }
                if is_part(cell.c) {
                    word.push(cell.c);
                    if word.len() > WORD_MAX {
                        return String::new();
                    }
                } else if reached {
                    return word;
                } else {
                    word.clear();
                }
            }
        }
        word
    }

    /// Returns a visible cell as a point of the grid.
    fn point(&self, (col, row): (u16, u16)) -> Point {
        let col = usize::from(col).min(self.term.columns() - 1);
        let row = usize::from(row).min(self.term.screen_lines() - 1);
        Point::new(Line(row as i32) - self.term.grid().display_offset(), Column(col))
    }

    /// Returns the current content.
    pub fn grid(&mut self) -> Grid {
        let selected = self.term.selection.as_ref().and_then(|selection| selection.to_range(&self.term));
        self.update_rows(selected.as_ref());
        let back = self.term.grid().display_offset();
        let at = self.cursor();
        let row = at.line.0 + i32::try_from(back).unwrap_or(i32::MAX);
        let shown = self.term.mode().contains(TermMode::SHOW_CURSOR);
        let shape = if shown { self.term.cursor_style().shape } else { ansi::CursorShape::Hidden };
        let (cursor, shape) = match shape {
            ansi::CursorShape::Hidden => (None, CursorShape::Default),
            shape => (u16::try_from(row).ok().map(|row| (at.column.0 as u16, row)), shape_of(shape)),
        };
        let cursor = cursor.filter(|(_, row)| usize::from(*row) < self.last.len());
        // A shape that no program has chosen is the user's own.
        let shape = if shape == CursorShape::Block { CursorShape::Default } else { shape };
        Grid {
            rows: self.last.clone(),
            cols: self.term.columns() as u16,
            cursor,
            shape,
            title: self.output().title.clone(),
            modes: modes(*self.term.mode()),
            back,
            is_selected: selected.is_some(),
        }
    }

    /// Returns the position of the shown cursor: on the first half of a wide character. The second half may
    /// be alone in the first column, where characters were deleted; the library moves further left even then.
    fn cursor(&self) -> Point {
        let mut at = self.term.grid().cursor.point;
        if self.term.grid()[at].flags.contains(Flags::WIDE_CHAR_SPACER) {
            at.column.0 = at.column.0.saturating_sub(1);
        }
        at
    }

    /// Rebuilds the rows that may have changed.
    fn update_rows(&mut self, selected: Option<&SelectionRange>) {
        let rows = self.term.screen_lines();
        // A selection moves with the output, without damage.
        let all = std::mem::take(&mut self.stale) || selected.is_some() || self.last.len() != rows;
        let mut changed: Vec<usize> = match self.term.damage() {
            TermDamage::Full => (0..rows).collect(),
            TermDamage::Partial(lines) => lines.map(|line| line.line).collect(),
        };
        self.term.reset_damage();
        if all {
            changed = (0..rows).collect();
            self.last.resize_with(rows, Arc::default);
        }
        let back = self.term.grid().display_offset();
        for row in changed.into_iter().filter(|row| *row < rows) {
            let line = Line(row as i32) - back;
            let made =
                terminal::emulator::paint::row(&self.term.grid()[line], line, self.term.colors(), selected);
            if *self.last[row] != made {
                self.last[row] = Arc::new(made);
            }
        }
    }
}

fn side(right: bool) -> Side {
    if right { Side::Right } else { Side::Left }
}

fn shape_of(shape: ansi::CursorShape) -> CursorShape {
    match shape {
        ansi::CursorShape::Underline => CursorShape::Underline,
        ansi::CursorShape::Beam => CursorShape::Bar,
        ansi::CursorShape::Block | ansi::CursorShape::HollowBlock | ansi::CursorShape::Hidden => {
            CursorShape::Block
        }
    }
}

fn modes(mode: TermMode) -> Modes {
    let mouse = [
        (TermMode::MOUSE_MOTION, MouseReporting::Moves),
        (TermMode::MOUSE_DRAG, MouseReporting::Drags),
        (TermMode::MOUSE_REPORT_CLICK, MouseReporting::Clicks),
    ];
    let requested = mouse.into_iter().find(|(flag, _)| mode.contains(*flag));
    Modes {
        app_cursor: mode.contains(TermMode::APP_CURSOR),
        bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
        wheel_keys: mode.contains(TermMode::ALT_SCREEN | TermMode::ALTERNATE_SCROLL),
        mouse: requested.map_or(MouseReporting::Off, |(_, reports)| reports),
        sgr_mouse: mode.contains(TermMode::SGR_MOUSE),
        focus: mode.contains(TermMode::FOCUS_IN_OUT),
    }
}

#[cfg(test)]
mod tests;
