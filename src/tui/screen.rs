//! A frame: damaged components drawn, the difference to what the terminal shows, as bytes.
//!
//! May not know where the bytes go. What changed nothing gives no byte.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::theme::color::ColorDepth;
use crate::tui::theme::scheme::Theme;
use crate::tui::tree::Tree;
use crate::tui::writer::Writer;

/// Bytes that a terminal reads at once, as they were written.
const ATOMIC_BYTES: usize = 128;
/// Begins and ends an update that the terminal shows at once (mode 2026).
const SYNC: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

/// How the caret looks; the numbers are those of DECSCUSR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorShape {
    /// As the user has set it.
    #[default]
    Default = 0,
    /// A whole cell.
    Block = 2,
    /// A line below.
    Underline = 4,
    /// A line at the left.
    Bar = 6,
}

/// What the terminal shows and is to show.
#[derive(Debug)]
pub struct Screen {
    depth: ColorDepth,
    synchronized: bool,
    writer: Writer,
    /// What the terminal shows, once it has what [`Screen::take_output`] gave; `None` while that is `next`. The
    /// first frame has nothing to be compared with, and does without the memory for it.
    shown: Option<Buffer>,
    next: Buffer,
    /// The caret as the terminal has it; `None` while hidden.
    cursor: Option<(u16, u16)>,
    /// How the caret looks there, and how it is to look.
    shapes: (CursorShape, CursorShape),
    /// Nothing is known about what the terminal shows.
    is_unknown: bool,
    /// Nothing was ever drawn.
    is_fresh: bool,
    out: Vec<u8>,
}

impl Screen {
    /// A screen of which nothing is known yet.
    pub fn new(cols: u16, rows: u16, depth: ColorDepth) -> Self {
        let area = Rect::new(0, 0, cols, rows);
        Self {
            depth,
            synchronized: true,
            writer: Writer::new(depth),
            shown: None,
            next: Buffer::empty(area),
            cursor: None,
            shapes: Default::default(),
            is_unknown: true,
            is_fresh: true,
            out: Vec::new(),
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        (self.next.area.width, self.next.area.height)
    }

    /// The colors of the terminal.
    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// Takes a new size; the next frame draws everything.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let area = Rect::new(0, 0, cols, rows);
        self.shown = None;
        self.next = Buffer::empty(area);
        self.is_unknown = true;
    }

    /// Whether frames are wrapped in synchronized output; on until the terminal denies it.
    pub fn set_synchronized(&mut self, on: bool) {
        self.synchronized = on;
    }

    /// Says that the terminal erases in the background color in force.
    pub fn set_erase_colored(&mut self, on: bool) {
        self.writer.set_erase_colored(on);
    }

    /// Says that the terminal has margins at the left and the right (DECLRMM).
    pub fn set_margins(&mut self, on: bool) {
        self.writer.set_margins(on);
    }

    /// Makes the next frame write everything, as after another program used the terminal.
    pub fn repaint(&mut self) {
        self.is_unknown = true;
    }

    /// Draws what is damaged and appends the frame to the output.
    pub fn render<C>(&mut self, tree: &mut Tree<C>, cx: &C, theme: &Theme) {
        if !self.is_unknown && !tree.is_damaged() {
            return;
        }
        let cleared = std::mem::take(&mut self.is_unknown);
        if cleared {
            tree.damage_all();
            self.writer.clear();
            (self.cursor, self.shown) = (None, None);
            tree.draw(&mut self.next, theme, self.depth, cx);
            self.writer.write_all(&self.next);
        } else {
            let shown = self.shown.get_or_insert_with(|| self.next.clone());
            let drawn = tree.draw(&mut self.next, theme, self.depth, cx);
            self.writer.difference(shown, &self.next, &drawn);
        }
        let cursor = tree.cursor(cx).filter(|(x, y)| *x < self.next.area.width && *y < self.next.area.height);
        self.finish(cursor, cleared);
    }

    /// Makes the caret look so from the next frame on.
    pub fn set_cursor_shape(&mut self, shape: CursorShape) {
        self.shapes.1 = shape;
    }

    /// Whether the caret was ever to look otherwise than the user has set it.
    pub fn has_cursor_shape(&self) -> bool {
        self.shapes != (CursorShape::Default, CursorShape::Default)
    }

    /// The bytes of the frames since the last call; empty when nothing changed.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The cells as drawn last.
    pub fn buffer(&self) -> &Buffer {
        &self.next
    }

    /// Where the caret is; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Ends a frame: caret in place, and wrapped so that it is seen at once. One run of cells
    /// needs no wrapping, since there is nothing that could be seen half done; nor do so few
    /// bytes that no terminal reads them in two.
    fn finish(&mut self, cursor: Option<(u16, u16)>, cleared: bool) {
        if let Some((x, y)) = cursor {
            self.writer.move_to(x, y);
        }
        let (mut body, runs) = self.writer.take();
        match (self.cursor, cursor) {
            (None, Some(_)) => body.extend_from_slice(b"\x1b[?25h"),
            (Some(_), None) => body.splice(0..0, *b"\x1b[?25l").for_each(drop),
            (None, None) if cleared => body.splice(0..0, *b"\x1b[?25l").for_each(drop),
            _ => {}
        }
        if self.shapes.0 != self.shapes.1 || cleared && self.shapes.1 != CursorShape::Default {
            body.extend_from_slice(format!("\x1b[{} q", self.shapes.1 as u8).as_bytes());
            self.shapes.0 = self.shapes.1;
        }
        self.cursor = cursor;
        // Nothing is half done on a screen that nobody has seen yet.
        let wrap = self.synchronized
            && (runs > 1 && body.len() > ATOMIC_BYTES || cleared)
            && !std::mem::take(&mut self.is_fresh);
        if !wrap && self.out.is_empty() {
            self.out = body;
            return;
        }
        if wrap {
            self.out.extend_from_slice(SYNC[0]);
        }
        self.out.extend_from_slice(&body);
        if wrap {
            self.out.extend_from_slice(SYNC[1]);
        }
    }
}

#[cfg(test)]
mod tests;
