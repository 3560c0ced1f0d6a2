//! Small pictures of the images that go with the message being typed, above its text. Must not know where images come
//! from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::images::cache::{IMAGES, ImageState};
use crate::ide::features::images::data::{BROKEN, ImageData};
use crate::llm::model::Part as MessagePart;
use crate::llm::model::message::KnownPart;
use crate::tui::canvas::Canvas;

/// Rows of the pictures.
const ROWS: u16 = 4;
/// Maximum columns of a picture.
const COLS_MAX: u16 = 16;
/// Cells between two pictures.
const GAP: u16 = 2;
/// Rows of a window from which there are pictures: in smaller ones the conversation needs them.
const WINDOW_ROWS_MIN: u16 = 24;

/// Slot of the images of the message, by the numbers of their labels.
pub const PREVIEWS: Slot<RefCell<Previews>> = Slot::new();

/// The images of a message, decoded as far as drawing needs.
#[derive(Debug, Default)]
pub struct Previews {
    /// Message and number of its images.
    of: Option<(u64, usize)>,
    images: HashMap<usize, Arc<ImageData>>,
}

/// Returns the number of rows of pictures.
pub fn rows(state: &State) -> u16 {
    let prompt = &state.prompt;
    if prompt.images.is_empty() {
        state.slots[PREVIEWS].take();
        return 0;
    }
    let is_shown = state.size.1 >= WINDOW_ROWS_MIN
        && state.slots[IMAGES].borrow().cell().is_some()
        && !prompt.shown_images().is_empty();
    if is_shown { ROWS } else { 0 }
}

/// Draws the pictures side by side, as many as fit.
pub fn draw(canvas: &mut Canvas<'_>, state: &State, (x, y): (u16, u16)) {
    let (cols, _) = canvas.size();
    let style = canvas.style("ui.text.soft");
    let mut previews = state.slots[PREVIEWS].borrow_mut();
    let of = Some((state.prompt.revision().0, state.prompt.images.len()));
    if previews.of != of {
        *previews = Previews { of, ..Previews::default() };
    }
    let mut x = x;
    for (number, part) in state.prompt.shown_images() {
        let MessagePart::Known(KnownPart::Image { data, .. }) = part else { continue };
        if x + COLS_MAX > cols {
            canvas.text(x.min(cols.saturating_sub(1)), y + ROWS - 1, "…", style);
            return;
        }
        let image = previews.images.entry(number).or_insert_with(|| Arc::new(ImageData::from_base64(data)));
        let found = state.slots[IMAGES].borrow_mut().get(image, (COLS_MAX, ROWS), Part::Prompt);
        let end = match found {
            ImageState::Ready(encoded) => {
                for row in 0..encoded.cells.1 {
                    canvas.image_row(x, y + row, &encoded, row);
                }
                x + encoded.cells.0
            }
            ImageState::Pending => canvas.text(x, y, "…", style),
            ImageState::Broken(_) => canvas.text(x, y, BROKEN, style),
        };
        x = end + GAP;
    }
}
