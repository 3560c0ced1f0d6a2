//! Rows of images that are not text of cells: drawn again where a cell of them changed, below what covers them. Must
//! not know protocols.
//!
//! Images do not cover each other: no pane covers another, and pop-ups have none.
//!
//! Drawing text removes the part of an image that is in its cells, as all terminals with these protocols do. Terminals
//! disagree about images that scroll or shift, so such rows never do.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use super::Writer;
use super::cells::looks_same;
use crate::tui::images::encoded::EncodedImage;
use crate::tui::images::placeholder::{self, ImageCell};

/// Equal to no cell that is drawn.
static UNKNOWN: Cell = Cell::new("\u{0}");

/// A row of an image that has to be drawn.
struct ImageRow {
    image: Arc<EncodedImage>,
    /// Row in the image.
    row: u16,
    /// Where it begins.
    x: u16,
    /// The columns that it covers.
    columns: Range<usize>,
}

impl Writer {
    /// Takes the images of a frame; those that the terminal does not have are sent.
    pub(in crate::tui) fn add_images(&mut self, images: Vec<Arc<EncodedImage>>) {
        for image in images {
            self.images.add(image, &mut self.out);
        }
    }

    /// Makes all images be sent again, as when another program used the terminal.
    pub(in crate::tui) fn forget_images(&mut self) {
        self.images.forget();
    }

    /// Releases images that are not shown, if there are too many.
    pub(in crate::tui) fn release_images(&mut self, shown: &Buffer) {
        self.images.release(shown, &mut self.out);
    }

    /// Returns what deletes all images, if that changed since the last call.
    pub(in crate::tui) fn take_image_undo(&mut self) -> Option<Vec<u8>> {
        self.images.take_undo()
    }

    /// Returns whether rows of images are in the way of scrolling a part of the screen.
    pub(super) fn has_image_rows(&self, shown: &Buffer, part: Rect) -> bool {
        if !self.images.has_rows() {
            return false;
        }
        // Without side margins whole rows scroll.
        let width = usize::from(shown.area.width);
        let rows = usize::from(part.top()) * width..usize::from(part.bottom()) * width;
        shown.content.get(rows).is_some_and(|cells| cells.iter().any(|cell| self.images.is_row(cell)))
    }

    /// Writes the changed part of a row with images; `old` is equal to it afterwards.
    pub(super) fn image_row(
        &mut self,
        old: &mut [Cell],
        new: &[Cell],
        y: u16,
        mut changed: Range<usize>,
        rows: u16,
    ) {
        // In the last row an image could scroll the screen.
        let drawn = if y + 1 < rows { self.changed_image_rows(old, new, &changed) } else { Vec::new() };
        for ImageRow { image, row, x, columns } in drawn {
            self.move_to(x, y);
            self.set_pen(self.pen_of(&new[columns.start]));
            self.out.extend(std::iter::repeat_n(b' ', columns.len()));
            self.at = None;
            self.move_to(x, y);
            self.out.extend_from_slice(image.row_bytes(row));
            self.at = None;
            self.runs += 2;
            for column in columns.clone() {
                let is_part =
                    placeholder::get(&new[column]).is_some_and(|cell| cell.id == image.id && cell.row == row);
                old[column] = if is_part { new[column].clone() } else { UNKNOWN.clone() };
            }
            changed = changed.start.min(columns.start)..changed.end.max(columns.end);
        }
        self.cells(|x| &old[x], new, y, changed.clone());
        old[changed.clone()].clone_from_slice(&new[changed]);
        if let Some(plain) = self.plain.get_mut(usize::from(y)) {
            *plain = false;
        }
    }

    /// Returns the rows of images of which a cell changed.
    fn changed_image_rows(&self, old: &[Cell], new: &[Cell], changed: &Range<usize>) -> Vec<ImageRow> {
        let mut out: Vec<ImageRow> = Vec::new();
        for x in changed.clone().filter(|x| !looks_same(&old[*x], &new[*x])) {
            let Some(ImageCell { id, row, col }) = placeholder::get(&new[x]) else { continue };
            let Some(start) = x.checked_sub(usize::from(col)) else { continue };
            let is_known = |known: &ImageRow| known.image.id == id && usize::from(known.x) == start;
            if out.iter().any(is_known) {
                continue;
            }
            let Some((cols, image)) = self.images.row(id, row) else { continue };
            let columns = start..(start + usize::from(cols)).min(new.len());
            // Where it does not fit, it would go on in the next row.
            if columns.len() == usize::from(cols) {
                out.push(ImageRow { image, row, x: start as u16, columns });
            }
        }
        out
    }
}
