//! The image of a list's selected row, read once the row is shown. Must not know which list.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::images::cache::{IMAGES, ImageState};
use crate::ide::features::images::data::{BROKEN, ImageData};
use crate::tui::canvas::Canvas;

/// Extensions of files that are expected to be images.
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];
/// Maximum bytes of a file that is read for a preview.
const FILE_MAX: u64 = 32 << 20;

/// Slot of the image shown last.
pub const PREVIEW: Slot<Preview> = Slot::new();

/// The image shown last.
#[derive(Debug, Default)]
pub struct Preview {
    path: PathBuf,
    /// The image; `Err` says why there is none.
    image: Option<Result<Arc<ImageData>, String>>,
    /// Whether a file is being read: one at a time, however fast the selection moves.
    is_reading: bool,
}

/// Returns whether a file has the name of an image.
pub fn is_image_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|name| EXTENSIONS.contains(&name.to_ascii_lowercase().as_str()))
}

/// Draws the image of a file, or what is known of it.
pub fn draw(canvas: &mut Canvas<'_>, state: &State, path: &Path) {
    let (cols, rows) = canvas.size();
    let soft = canvas.style("ui.overlay.soft");
    let preview = &state.slots[PREVIEW];
    let image = preview.image.as_ref().filter(|_| preview.path == path);
    let text = match image {
        None => "…",
        Some(Err(error)) => error.as_str(),
        Some(Ok(image)) => {
            canvas.text(0, rows.saturating_sub(1), image.label().trim_matches(['[', ']']), soft);
            let max = (cols, rows.saturating_sub(1));
            match state.slots[IMAGES].borrow_mut().get(image, max, Part::Overlay) {
                ImageState::Ready(encoded) => {
                    for row in 0..encoded.cells.1 {
                        canvas.image_row(0, row, &encoded, row);
                    }
                    return;
                }
                ImageState::Pending => "…",
                ImageState::Broken(_) => BROKEN,
            }
        }
    };
    canvas.text(0, 0, text, soft);
}

/// Reads the image of the selected row, unless it is the last one.
pub fn after_frame(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top::<Picker>() else {
        let is_reading = cx.state.slots[PREVIEW].is_reading;
        cx.state.slots[PREVIEW] = Preview { is_reading, ..Preview::default() };
        return;
    };
    let path = picker.preview(cx.state).filter(|path| *path != cx.state.slots[PREVIEW].path);
    let Some(path) = path.filter(|_| !cx.state.slots[PREVIEW].is_reading) else { return };
    cx.state.slots[PREVIEW] = Preview { path: path.clone(), image: None, is_reading: true };
    let (env, file) = (cx.env.clone(), path.clone());
    let work = async move {
        let stat = env.stat(&file).await.map_err(|error| error.to_string())?;
        if stat.size > FILE_MAX {
            return Err("too large to show".to_string());
        }
        let read = env.read(&file).await.map_err(|error| error.to_string())?;
        Ok(Arc::new(ImageData::from_bytes(read.bytes)))
    };
    cx.tasks.spawn("image-files.preview", work, move |cx, image| {
        cx.state.slots[PREVIEW].is_reading = false;
        let image = answer_or_error(cx, "read the image", image);
        let preview = &mut cx.state.slots[PREVIEW];
        if preview.path == path {
            preview.image = image;
        }
        // With the frame the image of another row is read, if that was selected meanwhile.
        cx.state.damage.add(Part::Overlay);
    });
}
