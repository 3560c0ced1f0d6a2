//! Draws an image file in a window, with a line about it below.

use std::sync::Arc;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::state::State;
use crate::ide::features::image_files::view::{IMAGE_FILES, ImageFile, Room, Zoom};
use crate::ide::features::images::cache::{IMAGES, ImageState, NO_HEADER, UNSUPPORTED};
use crate::ide::features::images::data::{BROKEN, ImageData};
use crate::ide::model::buffers::BufferId;
use crate::tui::canvas::Canvas;
use crate::tui::images::encoded::EncodedImage;

/// Draws the image of a file.
pub fn draw(canvas: &mut Canvas<'_>, state: &State, id: BufferId) {
    let Some(file) = state.slots[IMAGE_FILES].0.get(&id) else { return };
    let (cols, rows) = canvas.size();
    let soft = canvas.style("ui.text.soft");
    let Some(image) = &file.image else {
        return text_in_middle(canvas, "Reading the image…");
    };
    let label = image.label();
    let room = room(state, image, (cols, rows.saturating_sub(1)));
    file.room.replace(room);
    let Some(room) = room else {
        let reason = if image.header.is_none() { NO_HEADER } else { UNSUPPORTED };
        return text_in_middle(canvas, &format!("{label}\n{reason}"));
    };
    let about = about(state, file, room, &label);
    let about = truncate(&about, usize::from(cols.saturating_sub(2)));
    canvas.text(1, rows.saturating_sub(1), &about, soft);
    let cut = room.cut(file.zoom, file.center.unwrap_or((0.5, 0.5)));
    match state.slots[IMAGES].borrow_mut().get_cut(image, cut, Part::Editor) {
        ImageState::Ready(encoded) => {
            draw_in_middle(canvas, &encoded);
            file.last.replace(Some(encoded));
        }
        ImageState::Pending => {
            if let Some(last) = &*file.last.borrow() {
                draw_in_middle(canvas, last);
            }
        }
        ImageState::Broken(reason) => text_in_middle(canvas, &format!("{BROKEN}\n{reason}")),
    }
}

/// Returns the room for an image in a window of that size, if the terminal shows images.
fn room(state: &State, image: &ImageData, (cols, rows): (u16, u16)) -> Option<Room> {
    let cell = state.slots[IMAGES].borrow().cell()?;
    let header = image.header?;
    let window = (u32::from(cols) * u32::from(cell.0), u32::from(rows) * u32::from(cell.1));
    Some(Room { image: (header.width, header.height), window })
}

/// Returns the line about an image: what it is, its zoom, and the keys.
fn about(state: &State, file: &ImageFile, room: Room, label: &str) -> String {
    let label = label.trim_start_matches("[image: ").trim_end_matches(']');
    let percent = room.percent(file.zoom).round();
    let fits = if file.zoom == Zoom::Fit { " (fit)" } else { "" };
    let zoom_in = state.keymap.keys_for(KeyContext::Image, "image.zoom-in").unwrap_or_default();
    let keys = [
        keys(state, "image.zoom-out", &format!("{zoom_in} zoom")),
        keys(state, "image.fit", "fit"),
        keys(state, "image.original-size", "unscaled"),
    ];
    format!("{label} · {percent} %{fits}{}", keys.into_iter().flatten().collect::<String>())
}

/// Returns a key and what it does, if the command has one.
fn keys(state: &State, command: &str, what: &str) -> Option<String> {
    let key = state.keymap.keys_for(KeyContext::Image, command)?;
    Some(format!(" · {key} {what}"))
}

fn draw_in_middle(canvas: &mut Canvas<'_>, image: &Arc<EncodedImage>) {
    let (cols, rows) = canvas.size();
    let rows = rows.saturating_sub(1);
    // What was made for a larger window is cut.
    let (x, y) = (cols.saturating_sub(image.cells.0) / 2, rows.saturating_sub(image.cells.1) / 2);
    for row in 0..image.cells.1.min(rows) {
        canvas.image_row(x, y + row, image, row);
    }
}

fn text_in_middle(canvas: &mut Canvas<'_>, text: &str) {
    let (cols, rows) = canvas.size();
    let style = canvas.style("ui.text.soft");
    for (y, line) in (rows / 2..rows).zip(text.lines()) {
        let line = truncate(line, usize::from(cols));
        let x = usize::from(cols).saturating_sub(text_width(&line)) / 2;
        canvas.text(x as u16, y, &line, style);
    }
}
