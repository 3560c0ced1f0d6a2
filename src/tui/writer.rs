//! Encodes the difference of two buffers as bytes: shortest cursor movements, and only the attributes that
//! changed.
//!
//! Must not know components or where bytes go. The cursor position and current attributes are remembered
//! between frames, and forgotten when they become uncertain.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use self::cells::{fitting, has_uncertain_width, is_ascii, looks_same, width_of};
use self::moves::{absolute, by_column, by_home, csi, vertical};
use self::pen::{PLAIN, Pen, attributes};
use self::scroll::Scroll;
use self::shift::Shift;
use crate::tui::images::half_blocks::is_half;
use crate::tui::images::placeholder::is_image;
use crate::tui::images::plane::ImagePlane;
use crate::tui::links::{LinkId, Links};
use crate::tui::theme::color::{ColorDepth, reduce, reduce_pair};

/// Minimum number of blanks that are erased rather than written.
const ERASE_MIN: u16 = 9;
/// Maximum number of unchanged cells that are written again rather than skipped.
const GAP_MAX: u16 = 3;

/// Usual maximum size in bytes of the frame after a key.
const FRAME_USUAL: usize = 256;

/// Attributes that are visible on a blank, apart from its background.
const SHOWS_BLANK: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Rows that cost no more bytes than this are not worth shifting.
const SHIFT_WORTH: usize = 40;
/// Up to this many cells are written without looking for a shift.
const FEW_CELLS: usize = 8;
/// Number of visible cells saved by a shift at which it is certainly shorter: it needs a cursor movement more
/// than the cells themselves, and two commands, 18 bytes at most.
const SHIFT_SURE: usize = 24;
/// Returns the columns in which two versions of a row differ, if they do. Only `columns` are compared, and
/// the wide characters that lie partly in them.
fn changed(old: &[Cell], new: &[Cell], columns: &Range<u16>) -> Option<Range<usize>> {
    let mut columns = usize::from(columns.start)..usize::from(columns.end).min(new.len());
    // Drawing over a part of a wide character blanks all of it.
    while columns.start > 0 && old.get(columns.start).is_some_and(|cell| cell.symbol().is_empty()) {
        columns.start -= 1;
    }
    while old.get(columns.end).is_some_and(|cell| cell.symbol().is_empty()) {
        columns.end += 1;
    }
    let mut cells = old.get(columns.clone())?.iter().zip(new.get(columns.clone())?);
    let start = columns.start + cells.position(|(was, cell)| !looks_same(was, cell))?;
    // The last difference: nothing after it may differ.
    let behind = cells.rposition(|(was, cell)| !looks_same(was, cell));
    Some(start..start + behind.map_or(1, |behind| behind + 2))
}

/// Returns whether terminals agree that a cell is one column wide.
fn is_plain(cell: &Cell) -> bool {
    is_ascii(cell) || !cell.symbol().is_empty() && width_of(cell) == 1 && !has_uncertain_width(cell.symbol())
}

/// Turns changed cells into bytes.
#[derive(Debug)]
pub struct Writer {
    depth: ColorDepth,
    /// Whether erasing uses the current background (BCE), so that colored blanks may be erased too.
    erase_colored: bool,
    /// Whether the terminal has wavy underlines, and colors for them.
    colored_underlines: bool,
    /// Whether the terminal also scrolls between left and right margins (DECLRMM).
    margins: bool,
    pen: Option<Pen>,
    at: Option<(u16, u16)>,
    /// Runs of cells written since the last [`Writer::take`].
    runs: usize,
    out: Vec<u8>,
    /// Buffers for two candidate sequences that are compared by length. They are filled many times a frame,
    /// so they are kept.
    candidates: [String; 2],
    /// The last pair of colors that was reduced, and the result.
    reduced: std::cell::Cell<Option<Reduced>>,
    /// Rows known to be plain throughout: only their changed cells need a check.
    plain: Vec<bool>,
    /// The row of the caret, if a screen reader speaks what is written.
    spoken: Option<u16>,
    /// The images that the terminal has.
    images: ImagePlane,
    /// The targets of the links that cells name.
    pub(in crate::tui) links: Links,
}

/// Foreground and background as requested, and as the terminal shows them.
type Reduced = ((Color, Color), (Color, Color));

impl Writer {
    /// Returns a writer for a terminal in an unknown state.
    pub fn new(depth: ColorDepth) -> Self {
        Self {
            depth,
            erase_colored: false,
            colored_underlines: false,
            margins: false,
            pen: None,
            at: None,
            runs: 0,
            out: Vec::new(),
            candidates: [String::new(), String::new()],
            reduced: std::cell::Cell::new(None),
            plain: Vec::new(),
            spoken: None,
            images: ImagePlane::default(),
            links: Links::default(),
        }
    }

    /// Sets whether underlines may be wavy and have a color of their own.
    pub fn set_colored_underlines(&mut self, on: bool) {
        self.colored_underlines = on;
    }

    /// Sets whether erased cells take the current background.
    pub fn set_erase_colored(&mut self, on: bool) {
        self.erase_colored = on;
    }

    /// Sets whether the terminal has left and right margins.
    pub fn set_margins(&mut self, on: bool) {
        self.margins = on;
    }

    /// Sets the row of the caret if a screen reader speaks what is written: other rows are then written as a
    /// whole, unless something was added at their end, and rows are scrolled rather than written again.
    pub fn set_spoken(&mut self, spoken: Option<u16>) {
        self.spoken = spoken;
    }

    /// Forgets cursor and attributes.
    pub fn forget(&mut self) {
        self.pen = None;
        self.at = None;
    }

    /// Takes the bytes so far and their number of runs of cells.
    pub fn take(&mut self) -> (Vec<u8>, usize) {
        // What others write must not belong to a link.
        self.set_link(LinkId::NONE);
        let out = std::mem::replace(&mut self.out, Vec::with_capacity(FRAME_USUAL));
        (out, std::mem::take(&mut self.runs))
    }

    /// Clears the screen to blanks in the terminal's own colors.
    pub fn clear(&mut self) {
        self.forget();
        self.plain.clear();
        self.out.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
        self.pen = Some(PLAIN);
        self.at = Some((0, 0));
    }

    /// Writes the cells in which `next` differs from `shown`, which is equal to it afterwards. They differ
    /// only where it was `drawn`, or where a wide character continues from there.
    pub fn difference(&mut self, shown: &mut Buffer, next: &Buffer, drawn: &[Rect]) {
        let width = usize::from(next.area.width);
        let mut drawn = drawn.to_vec();
        for at in 0..drawn.len() {
            let part = drawn[at].intersection(next.area);
            if self.has_image_rows(shown, part) {
                continue;
            }
            if let Some(scroll) = Scroll::find(shown, next, part, self.margins, self.spoken.is_some()) {
                self.scroll(&scroll, shown);
                drawn.push(scroll.area());
            }
        }
        for y in 0..next.area.height {
            let here = drawn.iter().filter(|rect| rect.top() <= y && y < rect.bottom() && rect.width > 0);
            let columns = here.map(|rect| rect.left()..rect.right());
            let Some(columns) = columns.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else {
                continue;
            };
            let start = next.index_of(0, y);
            let (old, new) = (&mut shown.content[start..start + width], &next.content[start..start + width]);
            if let Some(mut changed) = changed(old, new, &columns) {
                if self.spoken.is_some_and(|caret| caret != y) {
                    changed = spoken::whole_row(old, new, changed);
                }
                self.any_row(old, new, y, changed, next.area.height);
            }
        }
    }

    /// Writes all cells onto a terminal that was cleared.
    pub fn write_all(&mut self, next: &Buffer) {
        let mut blank = vec![Cell::EMPTY; usize::from(next.area.width)];
        for (new, y) in next.content.chunks_exact(blank.len().max(1)).zip(0..) {
            if let Some(changed) = changed(&blank, new, &(0..next.area.width)) {
                self.any_row(&mut blank, new, y, changed, next.area.height);
                blank.fill(Cell::EMPTY);
            }
        }
    }

    /// Writes the changed part of a row; `old` is equal to it afterwards.
    fn any_row(&mut self, old: &mut [Cell], new: &[Cell], y: u16, changed: Range<usize>, rows: u16) {
        let has_images = self.images.has_rows() && old.iter().chain(new).any(|cell| self.images.is_row(cell));
        if has_images {
            return self.image_row(old, new, y, changed, rows);
        }
        self.row(old, new, y, &changed);
        old[changed.clone()].clone_from_slice(&new[changed]);
    }

    /// Moves the cursor the shortest way.
    pub fn move_to(&mut self, x: u16, y: u16) {
        if self.at == Some((x, y)) {
            return;
        }
        let [best, candidate] = &mut self.candidates;
        best.clear();
        absolute(x, y, best);
        if let Some((from_x, from_y)) = self.at {
            let (rows, down) = (from_y.abs_diff(y), y > from_y);
            for relative in [by_column, by_home] {
                candidate.clear();
                relative(from_x, x, candidate);
                vertical(rows, down, candidate);
                if candidate.len() < best.len() {
                    std::mem::swap(best, candidate);
                }
            }
        }
        self.out.extend_from_slice(best.as_bytes());
        self.at = Some((x, y));
    }

    fn row(&mut self, old: &[Cell], new: &[Cell], y: u16, changed: &Range<usize>) {
        let was = |x: usize| &old[x];
        let plain = |cells: Range<usize>| old[cells.clone()].iter().chain(&new[cells]).all(is_plain);
        let plainly_changed = plain(changed.clone());
        if changed.len() <= FEW_CELLS && plainly_changed {
            return self.cells(was, new, y, changed.clone());
        }
        let known = usize::from(y);
        if self.plain.len() <= known {
            self.plain.resize(known + 1, false);
        }
        if !plainly_changed || !self.plain[known] && !plain(changed.end..new.len()) {
            self.plain[known] = false;
            return self.cells(was, new, y, 0..new.len());
        }
        debug_assert!(
            !self.plain[known] || plain(0..new.len()),
            "a row stays plain while plain cells change"
        );
        self.plain[known] = self.plain[known] || plain(0..changed.start);
        // Text typed into a line shifts the rest: terminals can do that themselves.
        let shift = Shift::find(old, new, changed);
        if let Some(shift) = shift.as_ref().filter(|shift| shift.saved >= SHIFT_SURE) {
            return self.write_shifted(shift, old, new, y);
        }
        let (pen, at, runs, length) = (self.pen, self.at, self.runs, self.out.len());
        self.cells(was, new, y, changed.clone());
        let Some(shift) = shift.filter(|_| self.out.len() - length > SHIFT_WORTH) else { return };
        let plain = (self.pen, self.at, self.runs, self.out.split_off(length));
        (self.pen, self.at, self.runs) = (pen, at, runs);
        self.write_shifted(&shift, old, new, y);
        if self.out.len() - length >= plain.3.len() {
            self.out.truncate(length);
            (self.pen, self.at, self.runs) = (plain.0, plain.1, plain.2);
            self.out.extend_from_slice(&plain.3);
        }
    }

    /// Scrolls in the terminal: deletes rows at one end and inserts blank ones at the other.
    fn scroll(&mut self, scroll: &Scroll, shown: &mut Buffer) {
        let Scroll { columns, rows, by, up } = scroll;
        // Terminals disagree about the background of inserted rows, except with this pen.
        self.set_pen(self.pen_of(&Cell::EMPTY));
        let whole = scroll.is_whole(shown.area);
        if !whole {
            let (left, right) = (columns.start + 1, columns.end);
            self.out.extend_from_slice(format!("\x1b[?69h\x1b[{left};{right}s").as_bytes());
        }
        self.out.extend_from_slice(format!("\x1b[{};{}r", rows.start + 1, rows.end).as_bytes());
        self.at = None;
        self.move_to(columns.start, rows.start);
        self.command(*by, if *up { 'M' } else { 'L' });
        self.out.extend_from_slice(if whole { b"\x1b[r" } else { b"\x1b[r\x1b[?69l" });
        // Setting margins moves the cursor.
        self.at = None;
        self.runs += 2;
        for (_, plain) in self.plain.iter_mut().enumerate().filter(|(y, _)| rows.contains(&(*y as u16))) {
            *plain = false;
        }
        scroll.apply(shown);
    }

    fn write_shifted(&mut self, shift: &Shift, old: &[Cell], new: &[Cell], y: u16) {
        self.runs += 1;
        self.shift(shift, y, new.len());
        let changed = usize::from(shift.x)..usize::from(shift.end);
        self.cells(|x| shift.moved(old, x), new, y, changed);
    }

    /// Shifts a part of a row. Cells are deleted before others are inserted, so that nothing drops off the
    /// end of the row: what follows the part moves and moves back.
    fn shift(&mut self, shift: &Shift, y: u16, width: usize) {
        let (n, stays) = (shift.cells, usize::from(shift.end) < width);
        self.set_link(LinkId::NONE);
        let (goes, comes) = if shift.inserts { (shift.end - n, shift.x) } else { (shift.x, shift.end - n) };
        if stays || !shift.inserts {
            self.move_to(goes, y);
            self.command(n, 'P');
        }
        if stays || shift.inserts {
            self.move_to(comes, y);
            self.command(n, '@');
        }
    }

    /// `CSI n letter`.
    fn command(&mut self, n: u16, letter: char) {
        let buffer = &mut self.candidates[0];
        buffer.clear();
        csi(n, letter, buffer);
        self.out.extend_from_slice(buffer.as_bytes());
    }

    /// Writes the cells of a part of a row that differ from `were`.
    fn cells<'a>(&mut self, were: impl Fn(usize) -> &'a Cell, new: &[Cell], y: u16, part: Range<usize>) {
        let width = new.len() as u16;
        let mut x = part.start as u16;
        // Terminals disagree about the width of joined characters: after a changed one all is rewritten.
        let mut uncertain = false;
        let mut end_of_run = None;
        while x < part.end as u16 {
            let (was, cell) = (were(usize::from(x)), &new[usize::from(x)]);
            if !uncertain && is_ascii(cell) && looks_same(was, cell) {
                x += 1;
                continue;
            }
            let cells = width_of(cell).min(width - x);
            let mut span = usize::from(x)..usize::from(x + cells);
            if !uncertain && span.all(|x| looks_same(were(x), &new[x])) {
                x += cells;
                continue;
            }
            uncertain = uncertain || has_uncertain_width(was.symbol()) || has_uncertain_width(cell.symbol());
            if end_of_run != Some(x) {
                self.runs += usize::from(end_of_run.is_none_or(|end| x > end + GAP_MAX));
                self.bridge(new, end_of_run, x, y);
            }
            x = match self.erase(new, x, y) {
                0 => {
                    self.cell(cell, x, y, cells, width);
                    x + cells
                }
                erased => x + erased,
            };
            end_of_run = Some(x);
        }
    }

    /// Moves to `x`; writes a few unchanged cells again when that is shorter.
    fn bridge(&mut self, row: &[Cell], from: Option<u16>, x: u16, y: u16) {
        if let Some(from) = from.filter(|from| self.at == Some((*from, y)) && x - from <= GAP_MAX) {
            let gap = &row[usize::from(from)..usize::from(x)];
            let same = |cell: &Cell| self.pen == Some(self.pen_of(cell)) && is_ascii(cell);
            if gap.iter().all(same) {
                for cell in gap {
                    self.out.extend_from_slice(cell.symbol().as_bytes());
                }
                self.at = Some((x, y));
                return;
            }
        }
        self.move_to(x, y);
    }

    /// Erases a run of equal blanks from `x` when that is shorter; returns its length or 0.
    fn erase(&mut self, row: &[Cell], x: u16, y: u16) -> u16 {
        let first = &row[usize::from(x)];
        if first.symbol() != " " {
            return 0;
        }
        let pen = self.pen_of(first);
        let erasable = pen.bg == Color::Reset || self.erase_colored;
        if pen.modifier.intersects(SHOWS_BLANK) || !erasable || pen.link != LinkId::NONE {
            return 0;
        }
        let rest = &row[usize::from(x)..];
        let run = rest.iter().take_while(|c| c.symbol() == " " && self.pen_of(c) == pen).count() as u16;
        if run < ERASE_MIN {
            return 0;
        }
        self.move_to(x, y);
        self.set_pen(pen);
        if usize::from(run) == rest.len() {
            self.out.extend_from_slice(b"\x1b[K");
        } else {
            self.command(run, 'X');
        }
        run
    }

    fn cell(&mut self, cell: &Cell, x: u16, y: u16, cells: u16, width: u16) {
        self.move_to(x, y);
        self.set_pen(self.pen_of(cell));
        // Rows of images are drawn over blanks.
        let is_blank = cell.symbol().is_empty() || self.images.is_row(cell);
        let symbol = if is_blank { " " } else { cell.symbol() };
        let doubtful = has_uncertain_width(symbol);
        // A terminal that draws its characters side by side must not go on in the next row.
        let symbol = if doubtful { fitting(symbol, width - x) } else { symbol };
        if doubtful {
            // A terminal that draws it narrower must not keep the previous content.
            let blanks = usize::from(cells);
            self.out.extend(std::iter::repeat_n(b' ', blanks));
            self.at = (x + cells < width).then_some((x + cells, y));
            self.move_to(x, y);
        }
        self.out.extend_from_slice(symbol.as_bytes());
        // In the last column terminals disagree about the cursor position.
        self.at = (x + cells < width && !doubtful).then_some((x + cells, y));
    }

    fn pen_of(&self, cell: &Cell) -> Pen {
        // Neighbours mostly share their colors, and finding the nearest of 256 is expensive: it was a
        // quarter of all instructions of a start.
        let colors = (cell.fg, cell.bg);
        let (fg, bg) = match self.reduced.get() {
            // The halves of a cell of an image may have one color, while text must differ from its ground.
            // Of a placeholder the color is the number of its image.
            _ if is_half(cell.symbol()) || is_image(cell) => {
                (reduce(cell.fg, self.depth), reduce(cell.bg, self.depth))
            }
            Some((known, pair)) if known == colors => pair,
            _ => {
                let pair = reduce_pair(cell.fg, cell.bg, self.depth);
                self.reduced.set(Some((colors, pair)));
                pair
            }
        };
        // The foreground of a blank is not visible: it keeps its value.
        let unseen = cell.symbol() == " " && !cell.modifier.intersects(SHOWS_BLANK);
        let fg = self.pen.filter(|_| unseen).map_or(fg, |pen| pen.fg);
        let has_color = self.colored_underlines && cell.modifier.contains(Modifier::UNDERLINED);
        let underline = match cell.underline_color {
            color @ Color::Indexed(_) if has_color => reduce(color, self.depth),
            _ => Color::Reset,
        };
        Pen { fg, bg, modifier: cell.modifier, underline, link: LinkId::of(cell) }
    }

    /// Begins a link, or ends the one before. While attributes are unknown there is none: a frame ends its last one.
    fn set_link(&mut self, link: LinkId) {
        if self.pen.map_or(LinkId::NONE, |pen| pen.link) != link {
            self.links.write(link, &mut self.out);
            self.pen = self.pen.map(|pen| Pen { link, ..pen });
        }
    }

    fn set_pen(&mut self, pen: Pen) {
        self.set_link(pen.link);
        if self.pen == Some(pen) {
            return;
        }
        let [change, afresh] = &mut self.candidates;
        change.clear();
        afresh.clear();
        afresh.push('0');
        attributes(PLAIN, pen, afresh);
        if let Some(old) = self.pen {
            attributes(old, pen, change);
        }
        let shorter = self.pen.is_some() && change.len() <= afresh.len();
        let best = if shorter {
            &**change
        } else if afresh == "0" {
            ""
        } else {
            &**afresh
        };
        self.out.extend_from_slice(b"\x1b[");
        self.out.extend_from_slice(best.as_bytes());
        self.out.push(b'm');
        self.pen = Some(pen);
    }
}

mod cells;
mod images;
mod moves;
mod pen;
mod scroll;
mod shift;
mod spoken;
#[cfg(test)]
mod tests;
