//! The images that a terminal has: what it was sent, what it must be sent again, what it can forget. Must not know
//! frames.

use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};

use super::encoded::{EncodedImage, Form};
use super::kitty;
use super::placeholder::{self, ImageId};

/// Maximum number of images that are kept while they are not on screen.
const IMAGES_MAX: usize = 16;
/// Maximum bytes of them.
const BYTES_MAX: usize = 32 << 20;

#[derive(Debug)]
struct Known {
    image: Arc<EncodedImage>,
    is_sent: bool,
}

/// The images, the one drawn last at the end.
#[derive(Debug, Default)]
pub(in crate::tui) struct ImagePlane {
    known: Vec<Known>,
    /// Whether the images that the terminal has changed.
    is_changed: bool,
}

impl ImagePlane {
    /// Notes that an image is drawn; appends what the terminal needs for it.
    pub(in crate::tui) fn add(&mut self, image: Arc<EncodedImage>, out: &mut Vec<u8>) {
        let at = self.known.iter().position(|known| known.image.id == image.id);
        let is_same = |known: &Known| *known.image == *image;
        let is_sent = match at.map(|at| self.known.remove(at)) {
            Some(known) if is_same(&known) => known.is_sent,
            Some(known) => {
                // The id is used for another image.
                known.delete(out);
                false
            }
            None => false,
        };
        match &image.form {
            Form::Sent { data, .. } if !is_sent => {
                out.extend_from_slice(data);
                self.is_changed = true;
            }
            Form::Sent { .. } | Form::Rows(_) | Form::Blocks(_) => {}
        }
        self.known.push(Known { image, is_sent: true });
    }

    /// Makes all images be sent again.
    pub(in crate::tui) fn forget(&mut self) {
        for known in &mut self.known {
            known.is_sent = false;
        }
    }

    /// Releases images beyond the limits that are not on screen, the oldest first.
    pub(in crate::tui) fn release(&mut self, shown: &Buffer, out: &mut Vec<u8>) {
        let bytes = |known: &[Known]| known.iter().map(|known| known.image.bytes()).sum::<usize>();
        if self.known.len() <= IMAGES_MAX && bytes(&self.known) <= BYTES_MAX {
            return;
        }
        let mut seen: Vec<ImageId> =
            shown.content.iter().filter_map(placeholder::get).map(|cell| cell.id).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut at = 0;
        while at < self.known.len() && (self.known.len() > IMAGES_MAX || bytes(&self.known) > BYTES_MAX) {
            if seen.binary_search(&self.known[at].image.id).is_ok() {
                at += 1;
                continue;
            }
            self.known.remove(at).delete(out);
            self.is_changed = true;
        }
    }

    /// Returns what deletes all images, if they changed since the last call.
    pub(in crate::tui) fn take_undo(&mut self) -> Option<Vec<u8>> {
        if !std::mem::take(&mut self.is_changed) {
            return None;
        }
        let mut out = Vec::new();
        for known in &self.known {
            known.delete(&mut out);
        }
        Some(out)
    }

    /// Returns whether a cell shows an image that is not text: terminals do not move it, and it is drawn after them.
    pub(in crate::tui) fn is_row(&self, cell: &Cell) -> bool {
        let id = placeholder::get(cell).map(|part| part.id);
        self.known.iter().any(|known| Some(known.image.id) == id && matches!(known.image.form, Form::Rows(_)))
    }

    /// Returns whether any image is a row of its own.
    pub(in crate::tui) fn has_rows(&self) -> bool {
        self.known.iter().any(|known| matches!(known.image.form, Form::Rows(_)))
    }

    /// Returns the image and the bytes of one of its rows.
    pub(in crate::tui) fn row(&self, id: ImageId, row: u16) -> Option<(u16, Arc<EncodedImage>)> {
        let known = self.known.iter().rfind(|known| known.image.id == id)?;
        (row < known.image.cells.1).then(|| (known.image.cells.0, known.image.clone()))
    }
}

impl EncodedImage {
    /// Returns the bytes of one of its rows.
    pub(in crate::tui) fn row_bytes(&self, row: u16) -> &[u8] {
        match &self.form {
            Form::Rows(rows) => rows.get(usize::from(row)).map_or(&[], |row| &row[..]),
            Form::Sent { .. } | Form::Blocks(_) => &[],
        }
    }
}

impl Known {
    fn delete(&self, out: &mut Vec<u8>) {
        if let Form::Sent { in_tmux, .. } = self.image.form {
            out.extend(kitty::delete(self.image.id, in_tmux));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::images::placeholder::ImageCell;
    use ratatui::layout::Rect;

    fn image(number: u16, data: &str) -> Arc<EncodedImage> {
        Arc::new(EncodedImage::of_data(ImageId::new(number), (1, 1), data))
    }

    fn add(plane: &mut ImagePlane, image: &Arc<EncodedImage>) -> String {
        let mut out = Vec::new();
        plane.add(image.clone(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn image_plane_sends_an_image_once_until_it_is_forgotten() {
        let mut plane = ImagePlane::default();
        let first = image(1, "one");
        assert_eq!(add(&mut plane, &first), "one");
        assert_eq!(add(&mut plane, &first), "");
        plane.forget();
        assert_eq!(add(&mut plane, &first), "one");
        let other = add(&mut plane, &image(1, "two"));
        assert!(other.contains("a=d,d=I") && other.ends_with("two"), "{other:?}");
    }

    #[test]
    fn image_plane_tells_rows_from_placeholders_by_image() {
        let mut plane = ImagePlane::default();
        let rows = Arc::new(EncodedImage::of_rows(ImageId::new(1), 1, &["x"]));
        add(&mut plane, &rows);
        add(&mut plane, &image(2, "later, by another protocol"));
        let cell = |number: u16| {
            let mut cell = Cell::default();
            placeholder::set(&mut cell, ImageCell { id: ImageId::new(number), row: 0, col: 0 });
            cell
        };
        assert!(plane.has_rows() && plane.is_row(&cell(1)) && !plane.is_row(&cell(2)));
    }

    #[test]
    fn image_plane_releases_what_is_not_shown() {
        let mut plane = ImagePlane::default();
        let mut shown = Buffer::empty(Rect::new(0, 0, 4, 1));
        for number in 0..40 {
            add(&mut plane, &image(number, "x"));
        }
        placeholder::set(&mut shown.content[2], ImageCell { id: ImageId::new(3), row: 0, col: 0 });
        let mut out = Vec::new();
        plane.release(&shown, &mut out);
        assert_eq!(plane.known.len(), IMAGES_MAX);
        assert!(plane.known.iter().any(|known| known.image.id == ImageId::new(3)));
        assert_eq!(String::from_utf8(out).unwrap().matches("a=d").count(), 40 - IMAGES_MAX);
        let undo = plane.take_undo().unwrap();
        assert_eq!(String::from_utf8(undo).unwrap().matches("a=d").count(), IMAGES_MAX);
        assert_eq!(plane.take_undo(), None);
    }
}
