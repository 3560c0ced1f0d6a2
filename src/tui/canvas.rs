//! Drawing area of a component: local coordinates, clipping, writing by grapheme.
//!
//! Must not know components or terminals. A wide character occupies its first cell and leaves the others
//! empty (`""`). One that is cut by an edge, or is partly drawn over, becomes blanks. Control characters and
//! direction overrides are shown as symbols and never sent.

use std::ops::Range;
use std::sync::Arc;

use crate::base::width::{grapheme_width, graphemes, is_unsafe, visible};
use crate::tui::images::encoded::EncodedImage;
use crate::tui::images::placeholder::{self, ImageCell};
use crate::tui::links::{LinkId, Links};
use crate::tui::plain_signs::without_ornaments;
use crate::tui::theme::color::ColorDepth;
use crate::tui::theme::scheme::Theme;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A clipped part of the frame with its own coordinates.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    /// The whole area on the screen. Its top left is the origin of local coordinates.
    area: Rect,
    /// The part that may be drawn on, in screen coordinates; always inside the buffer.
    clip: Rect,
    theme: &'a Theme,
    depth: ColorDepth,
    /// The images drawn, for the terminal; `None` where nobody wants them.
    images: Option<&'a mut Vec<Arc<EncodedImage>>>,
    /// The links drawn; `None` where nobody wants them.
    links: Option<&'a mut Links>,
    /// For screen readers: the cell of the selected row on the screen, for the caret. `None` outside of accessible mode.
    selected: Option<&'a mut Option<(u16, u16)>>,
}

impl<'a> Canvas<'a> {
    /// A canvas over `area` of the buffer, of which only `clip` may change.
    pub fn new(buffer: &'a mut Buffer, area: Rect, clip: Rect, theme: &'a Theme, depth: ColorDepth) -> Self {
        let clip = area.intersection(clip).intersection(buffer.area);
        Self { buffer, area, clip, theme, depth, images: None, links: None, selected: None }
    }

    /// Collects the images that are drawn.
    #[must_use]
    pub fn with_images(self, images: &'a mut Vec<Arc<EncodedImage>>) -> Self {
        Self { images: Some(images), ..self }
    }

    /// Collects the links that are drawn.
    #[must_use]
    pub fn with_links(self, links: &'a mut Links) -> Self {
        Self { links: Some(links), ..self }
    }

    /// Draws for screen readers: signs of the program in ASCII, selected rows with a marker. The cell of the last selected
    /// row is stored.
    #[must_use]
    pub fn accessible(self, selected: &'a mut Option<(u16, u16)>) -> Self {
        Self { selected: Some(selected), ..self }
    }

    /// Returns whether a screen reader reads what is drawn.
    pub fn is_accessible(&self) -> bool {
        self.selected.is_some()
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        (self.area.width, self.area.height)
    }

    /// Returns the local rows that must be drawn. Drawing others is optional.
    pub fn dirty_rows(&self) -> Range<u16> {
        let top = self.clip.y.saturating_sub(self.area.y);
        top..top + self.clip.height
    }

    /// Returns the theme's style for a scope: attributes only where there is no color.
    pub fn style(&self, scope: &'static str) -> Style {
        if self.depth == ColorDepth::None { self.theme.mono_style(scope) } else { self.theme.style(scope) }
    }

    /// Returns the theme, for questions that [`Self::style`] does not answer.
    pub fn theme(&self) -> &Theme {
        self.theme
    }

    /// Returns a part of this canvas. `part` is in local coordinates.
    pub fn sub(&mut self, part: Rect) -> Canvas<'_> {
        let area = self.to_screen(part);
        let clip = self.clip.intersection(area).intersection(self.area);
        let (images, links) = (self.images.as_deref_mut(), self.links.as_deref_mut());
        let selected = self.selected.as_deref_mut();
        Canvas {
            buffer: self.buffer,
            area,
            clip,
            theme: self.theme,
            depth: self.depth,
            images,
            links,
            selected,
        }
    }

    /// Blanks a rectangle in a style.
    pub fn fill(&mut self, part: Rect, style: Style) {
        let part = self.to_screen(part).intersection(self.clip);
        if part.is_empty() {
            // An empty area has no edges to split.
            return;
        }
        let mut blank = Cell::default();
        blank.set_style(style);
        for y in part.top()..part.bottom() {
            self.split_wide(part.left(), y);
            self.split_wide(part.right(), y);
            let first = self.buffer.index_of(part.left(), y);
            self.buffer.content[first..first + usize::from(part.width)].fill(blank.clone());
        }
    }

    /// Patches the style of the cells in a rectangle.
    pub fn put_style(&mut self, part: Rect, style: Style) {
        let part = self.to_screen(part).intersection(self.clip);
        if part.is_empty() {
            // The position of an empty area may be past the last cell.
            return;
        }
        for y in part.top()..part.bottom() {
            let first = self.buffer.index_of(part.left(), y);
            for cell in &mut self.buffer.content[first..first + usize::from(part.width)] {
                if placeholder::is_image(cell) {
                    // The color of its text names the image.
                    cell.bg = style.bg.unwrap_or(cell.bg);
                } else {
                    cell.set_style(style);
                }
            }
        }
    }

    /// Marks the row of a list on which keys act: by its style, or for screen readers by a sign in its first cell, where
    /// the caret stands unless a text has it. Another style would have both rows written again, and spoken.
    pub fn select_row(&mut self, part: Rect, style: Style) {
        if !self.is_accessible() {
            return self.put_style(part, style);
        }
        self.put(part.x, part.y, ">", 1, style);
        self.place_caret(part.x, part.y);
    }

    /// Places the caret of a screen reader at what keys act on, where no sign marks it.
    pub fn place_caret(&mut self, x: u16, y: u16) {
        let cell = self.to_screen(Rect::new(x, y, 1, 1)).intersection(self.clip);
        if let Some(selected) = self.selected.as_deref_mut().filter(|_| !cell.is_empty()) {
            *selected = Some((cell.x, cell.y));
        }
    }

    /// Returns whether two parts stand side by side in an area of that width: never for screen readers, which read across.
    pub fn has_room_beside(&self, min: u16) -> bool {
        self.area.width >= min && !self.is_accessible()
    }

    /// Makes the cells of a rectangle a link, until they are drawn over.
    pub fn put_link(&mut self, part: Rect, target: &Arc<str>) {
        let part = self.to_screen(part).intersection(self.clip);
        let Some(links) = &mut self.links else { return };
        let id = links.id(target);
        for (x, y) in part.rows().flat_map(|row| (row.left()..row.right()).map(move |x| (x, row.y))) {
            id.put(&mut self.buffer[(x, y)]);
        }
    }

    /// Draws one row of an image, over the background that is there; nothing for screen readers.
    pub fn image_row(&mut self, x: u16, y: u16, image: &Arc<EncodedImage>, row: u16) {
        let whole = self.to_screen(Rect::new(x, y, image.cells.0, 1));
        let seen = whole.intersection(self.clip);
        if seen.is_empty() || row >= image.cells.1 || self.is_accessible() {
            return;
        }
        self.split_wide(seen.left(), seen.y);
        self.split_wide(seen.right(), seen.y);
        for column in seen.left()..seen.right() {
            let cell = &mut self.buffer[(column, seen.y)];
            LinkId::NONE.put(cell);
            let col = column - whole.left();
            if let Some((symbol, fg, bg)) = image.block(col, row) {
                cell.set_symbol(symbol);
                (cell.fg, cell.bg) = (fg.unwrap_or(cell.fg), bg.unwrap_or(cell.bg));
                cell.modifier = ratatui::style::Modifier::empty();
            } else {
                placeholder::set(cell, ImageCell { id: image.id, row, col });
            }
        }
        if let Some(images) = &mut self.images
            && !images.iter().any(|known| known.id == image.id)
        {
            images.push(image.clone());
        }
    }

    /// Draws a text of the program in one row and returns the column after it, regardless of clipping. A tab becomes one
    /// space; other control characters become symbols. For screen readers ornaments become ASCII.
    pub fn text(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        if self.is_accessible() {
            return self.content(x, y, &without_ornaments(text), style);
        }
        self.content(x, y, text, style)
    }

    /// Draws a text that is not the program's own, as [`Self::text`] but with all of its characters.
    pub fn content(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        let mut at = x;
        let mut rest = text;
        while !rest.is_empty() {
            let run = printable_prefix(rest, usize::from(self.area.width.saturating_sub(at)));
            if run > 0 {
                at = self.put_run(at, y, &rest[..run], style);
                rest = &rest[run..];
                if at >= self.area.width {
                    return at;
                }
                continue;
            }
            let grapheme = graphemes(rest).next().unwrap_or(rest);
            rest = &rest[grapheme.len()..];
            if grapheme == "\t" {
                at = self.put(at, y, " ", 1, style);
            } else if grapheme.chars().any(is_unsafe) {
                for sign in graphemes(&visible(grapheme)) {
                    at = self.put(at, y, sign, grapheme_width(sign), style);
                }
            } else {
                at = match grapheme_width(grapheme) {
                    0 => self.put_mark(x, at, y, grapheme, style),
                    width => self.put(at, y, grapheme, width, style),
                };
            }
            if at >= self.area.width {
                return at;
            }
        }
        at
    }

    /// Draws a built-in symbol of one cell. Faster than [`Self::text`], which has to segment the text.
    pub fn put_symbol(&mut self, x: u16, y: u16, sign: &'static str, style: Style) {
        debug_assert_eq!(grapheme_width(sign), 1, "a sign takes one cell: {sign}");
        if self.is_accessible() {
            self.put(x, y, &without_ornaments(sign), 1, style);
        } else {
            self.put(x, y, sign, 1, style);
        }
    }

    /// Writes printable ASCII, one cell each, and returns the column after it.
    fn put_run(&mut self, x: u16, y: u16, run: &str, style: Style) -> u16 {
        let next = x.saturating_add(run.len() as u16);
        let cells = self.to_screen(Rect::new(x, y, run.len() as u16, 1));
        let seen = cells.intersection(self.clip);
        if seen.is_empty() {
            return next;
        }
        self.split_wide(seen.left(), seen.y);
        self.split_wide(seen.right(), seen.y);
        let first = self.buffer.index_of(seen.left(), seen.y);
        let row = &mut self.buffer.content[first..first + usize::from(seen.width)];
        let shown = run[usize::from(seen.left() - cells.left())..].chars();
        for (cell, c) in row.iter_mut().zip(shown) {
            cell.set_style(style);
            LinkId::NONE.put(cell);
            cell.set_char(c);
        }
        next
    }

    /// Writes one grapheme of `width` cells and returns the column after it.
    fn put(&mut self, x: u16, y: u16, symbol: &str, width: usize, style: Style) -> u16 {
        let width = width.min(usize::from(u16::MAX)) as u16;
        let next = x.saturating_add(width);
        let cells = self.to_screen(Rect::new(x, y, width, 1));
        let seen = cells.intersection(self.clip);
        if seen.is_empty() {
            return next;
        }
        self.split_wide(seen.left(), seen.y);
        self.split_wide(seen.right(), seen.y);
        let whole = seen.width == width;
        for column in seen.left()..seen.right() {
            let cell = &mut self.buffer[(column, seen.y)];
            cell.set_style(style);
            LinkId::NONE.put(cell);
            cell.set_symbol(match (whole, column == seen.left()) {
                (false, _) => " ",
                (true, true) => symbol,
                (true, false) => "",
            });
        }
        next
    }

    /// Adds a mark of zero width to the character drawn before it, or to a dotted circle.
    fn put_mark(&mut self, start: u16, x: u16, y: u16, mark: &str, style: Style) -> u16 {
        if x == start {
            return self.put(x, y, &format!("\u{25cc}{mark}"), 1, style);
        }
        let before = self.to_screen(Rect::new(x - 1, y, 1, 1)).intersection(self.clip);
        if !before.is_empty() {
            let lead = lead_of(self.buffer, before.x, before.y);
            let cell = &mut self.buffer[(lead, before.y)];
            // Limits the size of a cell: marks beyond what any script stacks are dropped.
            if cell.symbol().len() < 32 {
                let symbol = format!("{}{mark}", cell.symbol());
                cell.set_symbol(&symbol);
            }
        }
        x
    }

    /// Blanks a wide character that has a later cell at column `x`, because drawing is about to separate its
    /// parts left and right of `x`.
    fn split_wide(&mut self, x: u16, y: u16) {
        let right = self.buffer.area.right();
        if x >= right || self.buffer[(x, y)].symbol() != "" {
            return;
        }
        let lead = lead_of(self.buffer, x, y);
        self.buffer[(lead, y)].set_symbol(" ");
        for column in lead + 1..right {
            let cell = &mut self.buffer[(column, y)];
            if cell.symbol() != "" {
                break;
            }
            cell.set_symbol(" ");
        }
    }

    /// A local rectangle in screen coordinates, saturating.
    fn to_screen(&self, part: Rect) -> Rect {
        let x = self.area.x.saturating_add(part.x);
        let y = self.area.y.saturating_add(part.y);
        let width = part.width.min(u16::MAX - x);
        let height = part.height.min(u16::MAX - y);
        Rect { x, y, width, height }
    }
}

/// Returns how many characters from the start, at most `max`, are printable ASCII that cannot combine with
/// what follows. The character after the last one decides whether the last one counts.
fn printable_prefix(text: &str, max: usize) -> usize {
    let run = text.bytes().take(max).take_while(|byte| (b' '..=b'~').contains(byte)).count();
    match text.as_bytes().get(run) {
        Some(byte) if !byte.is_ascii() => run.saturating_sub(1),
        _ => run,
    }
}

/// The first cell of the character that covers a cell.
fn lead_of(buffer: &Buffer, x: u16, y: u16) -> u16 {
    (0..=x).rev().find(|column| buffer[(*column, y)].symbol() != "").unwrap_or(0)
}

#[cfg(test)]
mod tests;
