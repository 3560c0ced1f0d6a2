//! Renders frames: draws damaged components and encodes the difference to what the terminal shows.
//!
//! Must not know where the bytes go. A frame without changes produces no bytes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::theme::color::ColorDepth;
use crate::tui::theme::scheme::Theme;
use crate::tui::tree::Tree;
use crate::tui::writer::Writer;

/// Number of bytes that a terminal reads in one go, exactly as they were written.
const ATOMIC_BYTES: usize = 128;
/// Begin and end of a synchronized update (mode 2026).
const SYNC: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

/// Shape of the caret; the numbers are those of DECSCUSR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorShape {
    /// The user's own setting.
    #[default]
    Default = 0,
    /// A filled cell.
    Block = 2,
    /// A line below.
    Underline = 4,
    /// A line at the left edge.
    Bar = 6,
}

/// What the terminal shows and the next frame.
#[derive(Debug)]
pub struct Screen {
    depth: ColorDepth,
    synchronized: bool,
    writer: Writer,
    /// What the terminal shows once it has received what [`Screen::take_output`] returned; `None` while equal
    /// to `next`. The first frame has nothing to be compared with and needs no memory for it.
    shown: Option<Buffer>,
    next: Buffer,
    /// The caret's position on the terminal; `None` while hidden.
    cursor: Option<(u16, u16)>,
    /// The caret's shape on the terminal, and the wanted one.
    shapes: (CursorShape, CursorShape),
    /// Whether the content of the terminal is unknown.
    is_unknown: bool,
    /// Whether nothing was drawn yet.
    is_fresh: bool,
    out: Vec<u8>,
}

impl Screen {
    /// Returns a screen whose terminal content is unknown.
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

    /// Changes the size. The next frame draws everything.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let area = Rect::new(0, 0, cols, rows);
        self.shown = None;
        self.next = Buffer::empty(area);
        self.is_unknown = true;
    }

    /// Sets whether frames are wrapped in synchronized updates. On until the terminal denies support.
    pub fn set_synchronized(&mut self, on: bool) {
        self.synchronized = on;
    }

    /// Sets whether the terminal erases with the current background color.
    pub fn set_erase_colored(&mut self, on: bool) {
        self.writer.set_erase_colored(on);
    }

    /// Sets whether the terminal has wavy underlines, and colors for them.
    pub fn set_colored_underlines(&mut self, on: bool) {
        self.writer.set_colored_underlines(on);
    }

    /// Sets whether the terminal has left and right margins (DECLRMM).
    pub fn set_margins(&mut self, on: bool) {
        self.writer.set_margins(on);
    }

    /// Sets whether texts are linked (OSC 8).
    pub fn set_links(&mut self, on: bool) {
        self.writer.links.set_enabled(on);
    }

    /// Makes the next frame write everything, as after another program used the terminal.
    pub fn repaint(&mut self) {
        self.is_unknown = true;
        self.writer.forget_images();
    }

    /// Returns what deletes the images that the terminal has, if that changed since the last call.
    pub fn take_image_undo(&mut self) -> Option<Vec<u8>> {
        self.writer.take_image_undo()
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
            tree.draw(&mut self.next, &mut self.writer.links, theme, self.depth, cx);
            self.writer.add_images(tree.take_images());
            self.writer.write_all(&self.next);
        } else {
            let shown = self.shown.get_or_insert_with(|| self.next.clone());
            let drawn = tree.draw(&mut self.next, &mut self.writer.links, theme, self.depth, cx);
            self.writer.add_images(tree.take_images());
            self.writer
                .set_spoken(tree.is_accessible().then(|| tree.cursor(cx).map_or(u16::MAX, |(_, y)| y)));
            self.writer.difference(shown, &self.next, &drawn);
        }
        self.writer.release_images(&self.next);
        self.writer.links.release(&self.next);
        let cursor = tree.cursor(cx).filter(|(x, y)| *x < self.next.area.width && *y < self.next.area.height);
        self.finish(cursor, cleared);
    }

    /// Sets the caret's shape from the next frame on.
    pub fn set_cursor_shape(&mut self, shape: CursorShape) {
        self.shapes.1 = shape;
    }

    /// Returns whether the caret ever had a shape other than the user's own.
    pub fn has_cursor_shape(&self) -> bool {
        self.shapes != (CursorShape::Default, CursorShape::Default)
    }

    /// Takes the bytes of the frames since the last call; empty when nothing changed.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The cells as drawn last.
    pub fn buffer(&self) -> &Buffer {
        &self.next
    }

    /// Returns the caret's position; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Ends a frame: places the caret and wraps the frame in a synchronized update. One run of cells needs no
    /// wrapping, since it has no visible intermediate state; nor do so few bytes that every terminal reads
    /// them in one go.
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
        // The first frame has no visible intermediate state.
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
