//! Makes a grid of what programs print. Must not know where the bytes come from, nor the screen: what it
//! gives out may hold anything, and is drawn by helpers that make it safe.

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
use crate::ide::features::terminal::emulator::strings::Strings;
use crate::tui::screen::CursorShape;

/// Rows that can be scrolled back.
const HISTORY: usize = 10_000;
/// The least that the library can lay out: a wide character needs two columns.
const SIZE_MIN: (u16, u16) = (2, 1);
/// Bytes of answers that wait at most; more questions than that are left without.
const REPLIES_MAX: usize = 16 << 10;
/// Bytes that are taken in between two looks at how many marks the character at the cursor has.
const FEED_CHUNK: usize = 1 << 10;
/// Characters of a title.
const TITLE_MAX: usize = 80;
/// The longest word that may be the name of something, in bytes.
const WORD_MAX: usize = 3 << 10;

/// What the emulator has to say while it reads.
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
        let mut said = self.0.lock();
        match event {
            Event::PtyWrite(text) if said.replies.len() + text.len() <= REPLIES_MAX => {
                said.replies.extend_from_slice(text.as_bytes());
            }
            Event::Title(title) => {
                said.title = Some(title.chars().take(TITLE_MAX).collect()).filter(|t: &String| !t.is_empty());
            }
            Event::ResetTitle => said.title = None,
            Event::ClipboardStore(..) => said.has_copied = true,
            // Colors, clipboard and pixels are nobody's business inside; the rest is for windows.
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

/// What a scroll goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollBy {
    /// Rows, upwards when positive.
    Rows(i32),
    /// Pages, upwards when positive.
    Pages(i32),
    /// To the oldest row.
    Top,
    /// To where things are printed.
    Bottom,
}

/// What a selection takes in.
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

/// A terminal's grid and everything that decides what the next byte means.
pub struct Emulator {
    term: Term<Listener>,
    parser: Processor,
    strings: Strings,
    listener: Listener,
    /// What was given out last.
    last: Vec<Arc<Row>>,
    /// Whether every row is to be made anew.
    stale: bool,
}

impl Emulator {
    /// An empty grid of that size.
    pub fn new(cols: u16, rows: u16) -> Self {
        let said = Listener::default();
        // Writes are heard of, to be refused with a word; nothing is ever read.
        let config = Config { scrolling_history: HISTORY, osc52: Osc52::OnlyCopy, ..Config::default() };
        let term = Term::new(config, &Size(cols, rows), said.clone());
        Self {
            term,
            parser: Processor::new(),
            strings: Strings::default(),
            listener: said,
            last: Vec::new(),
            stale: true,
        }
    }

    /// Takes in what was printed.
    pub fn feed(&mut self, bytes: &[u8]) {
        let bytes = &*self.strings.truncate(bytes);
        if bytes.is_ascii() {
            self.parser.advance(&mut self.term, bytes);
        } else {
            for piece in bytes.chunks(FEED_CHUNK) {
                self.parser.advance(&mut self.term, piece);
                self.limit_marks();
            }
        }
        self.clamp_scroll();
    }

    /// Scrolls forth to the oldest row where the library is beyond it: it counts rows that move out of a
    /// screen that is scrolled back even where it keeps none.
    fn clamp_scroll(&mut self) {
        let grid = self.term.grid();
        if grid.display_offset() > grid.history_size() {
            self.term.scroll_display(Scroll::Delta(0));
            self.stale = true;
        }
    }

    /// Takes marks off the character that further ones join, where there are more than are ever shown: the
    /// library keeps all, however many there are.
    fn limit_marks(&mut self) {
        let cursor = &self.term.grid().cursor;
        let (place, is_behind) = (cursor.point, !cursor.input_needs_wrap);
        let at = place.column.0.saturating_sub(usize::from(is_behind));
        let row = &mut self.term.grid_mut()[place.line];
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

    /// When an update that is to be shown at once must be shown as far as it has come.
    pub fn sync_deadline(&self) -> Option<Instant> {
        self.parser.sync_timeout().sync_timeout()
    }

    /// Shows such an update as far as it has come.
    pub fn end_sync(&mut self) {
        self.parser.stop_sync(&mut self.term);
        self.clamp_scroll();
    }

    /// What programs inside are to be answered.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output().replies)
    }

    /// Whether a program inside has tried to write the clipboard since this was asked last.
    pub fn take_copied(&mut self) -> bool {
        std::mem::take(&mut self.output().has_copied)
    }

    fn output(&self) -> parking_lot::MutexGuard<'_, EmulatorOutput> {
        self.listener.0.lock()
    }

    /// Makes the grid another size; lines are wrapped anew.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.term.resize(Size(cols, rows));
        self.clamp_scroll();
        self.stale = true;
    }

    /// Shows other rows.
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

    /// Begins a selection at a cell of what is shown; whether at the right half of the cell.
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

    /// Takes the selection to a cell.
    pub fn select_to(&mut self, at: (u16, u16), right: bool) {
        let point = self.point(at);
        if let Some(selection) = &mut self.term.selection {
            selection.update(point, side(right));
        }
        self.stale = true;
    }

    /// Selects nothing.
    pub fn unselect(&mut self) {
        self.stale |= self.term.selection.take().is_some();
    }

    /// What is selected.
    pub fn selected_text(&self) -> Option<String> {
        self.term.selection_to_string().filter(|text| !text.is_empty())
    }

    /// The text without blanks around a cell, lines that were wrapped taken together; nothing where it is
    /// too long for a name.
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

    /// A cell of what is shown as a place of the grid.
    fn point(&self, (col, row): (u16, u16)) -> Point {
        let col = usize::from(col).min(self.term.columns() - 1);
        let row = usize::from(row).min(self.term.screen_lines() - 1);
        Point::new(Line(row as i32) - self.term.grid().display_offset(), Column(col))
    }

    /// What is shown now.
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
        // One that no program has chosen is the user's own.
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

    /// Where the cursor is shown: on the first half of a wide character. The second half may stand alone in
    /// the first column, where characters were deleted; the library goes further to the left even then.
    fn cursor(&self) -> Point {
        let mut at = self.term.grid().cursor.point;
        if self.term.grid()[at].flags.contains(Flags::WIDE_CHAR_SPACER) {
            at.column.0 = at.column.0.saturating_sub(1);
        }
        at
    }

    /// Makes the rows anew that may be others.
    fn update_rows(&mut self, selected: Option<&SelectionRange>) {
        let rows = self.term.screen_lines();
        // What is selected follows what is printed, and no damage tells of it.
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
    let asked = mouse.into_iter().find(|(flag, _)| mode.contains(*flag));
    Modes {
        app_cursor: mode.contains(TermMode::APP_CURSOR),
        bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
        wheel_keys: mode.contains(TermMode::ALT_SCREEN | TermMode::ALTERNATE_SCROLL),
        mouse: asked.map_or(MouseReporting::Off, |(_, reports)| reports),
        sgr_mouse: mode.contains(TermMode::SGR_MOUSE),
        focus: mode.contains(TermMode::FOCUS_IN_OUT),
    }
}

#[cfg(test)]
mod tests;
