//! Commands on the image in the editor.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::image_files::view::{IMAGE_FILES, ImageFile, Room, Zoom};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("image.zoom-in", "Enlarge image", &["zoom in"], |cx| zoom(cx, true)).when(has_image),
    command("image.zoom-out", "Shrink image", &["zoom out"], |cx| zoom(cx, false)).when(has_image),
    command("image.fit", "Fit image to window", &["reset zoom"], |cx| set_zoom(cx, Zoom::Fit))
        .when(has_image),
    command("image.original-size", "Show image unscaled", &["actual size", "100 %"], |cx| {
        set_zoom(cx, Zoom::Percent(100));
    })
    .when(has_image),
    command("image.left", "Move left in image", &["pan"], |cx| go(cx, (-1, 0))).when(has_image),
    command("image.right", "Move right in image", &["pan"], |cx| go(cx, (1, 0))).when(has_image),
    command("image.up", "Move up in image", &["pan"], |cx| go(cx, (0, -1))).when(has_image),
    command("image.down", "Move down in image", &["pan"], |cx| go(cx, (0, 1))).when(has_image),
    command("image.toggle-text", "Toggle image and bytes", &["show as text"], toggle_text)
        .when(has_image_file),
];

/// An image is shown.
fn has_image(state: &State) -> Result<(), Reason> {
    let is_image = state.buffers.current().is_some_and(|buffer| buffer.is_image);
    condition::require(is_image, Reason::new("No image is shown"))
}

/// The shown file is an image, be it shown as its bytes.
fn has_image_file(state: &State) -> Result<(), Reason> {
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let is_image = shown.is_some_and(|id| state.slots[IMAGE_FILES].0.contains_key(&id));
    condition::require(is_image, Reason::new("Not an image"))
}

/// Changes the shown image, if there is one, with the room that it has.
fn change(cx: &mut Cx<'_>, change: impl FnOnce(&mut ImageFile, Room)) {
    let id = cx.state.buffers.current().filter(|buffer| buffer.is_image).map(|buffer| buffer.id);
    let file = id.and_then(|id| cx.state.slots[IMAGE_FILES].0.get_mut(&id));
    let Some(file) = file else { return cx.state.set_status("No image is shown") };
    let room = *file.room.borrow();
    match room {
        Some(room) => change(file, room),
        None => return cx.state.set_status("This image cannot be shown here"),
    }
    cx.state.damage.add(Part::Editor);
}

fn zoom(cx: &mut Cx<'_>, is_in: bool) {
    change(cx, |file, room| file.zoom = room.step(file.zoom, is_in));
}

fn set_zoom(cx: &mut Cx<'_>, zoom: Zoom) {
    change(cx, |file, _| {
        file.zoom = zoom;
        file.center = None;
    });
}

fn go(cx: &mut Cx<'_>, by: (i8, i8)) {
    change(cx, |file, room| {
        file.center = Some(room.moved(file.zoom, file.center.unwrap_or((0.5, 0.5)), by));
    });
}

/// Shows the bytes of an image as text, or the image again.
fn toggle_text(cx: &mut Cx<'_>) {
    let files = &cx.state.slots[IMAGE_FILES].0;
    match cx.state.buffers.current_mut().filter(|buffer| files.contains_key(&buffer.id)) {
        Some(buffer) => {
            buffer.is_image = !buffer.is_image;
            let is_text = !buffer.is_image;
            cx.state.damage.add_all();
            if is_text {
                cx.state.set_status(
                    "These are its bytes. The command \"Toggle image and bytes\" shows the image",
                );
            }
        }
        None => cx.state.set_status("Not an image"),
    }
}
