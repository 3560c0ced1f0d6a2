//! Reads images from the bytes of open files, and again when those change.

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::image_files::view::IMAGE_FILES;
use crate::ide::features::images::cache::IMAGES;
use crate::ide::features::images::data::ImageData;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::file_format::format;
use crate::text::position::Byte;
use crate::tui::images::decode::looks_like_image;

/// Maximum bytes of a file that is shown as an image; the bytes are kept beside the text.
const FILE_MAX: usize = 64 << 20;
/// Bytes of a text in which the marks of a format are looked for.
const START: usize = 64;

/// Shows a file as an image if it begins as one.
pub fn on_opened(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if !is_image(buffer) {
        return;
    }
    buffer.is_image = true;
    cx.state.slots[IMAGE_FILES].0.entry(id).or_default();
    cx.state.damage.add_all();
    read(cx, id);
}

/// Returns whether a file is an image. All formats have a zero byte early; a text may begin as some do.
fn is_image(buffer: &Buffer) -> bool {
    let (text, format) = (buffer.area.text(), buffer.area.document.format());
    if !format.binary || text.end().0 > FILE_MAX {
        return false;
    }
    let start = text.slice(Byte(0)..text.grapheme_floor(Byte(START.min(text.end().0))));
    format::encode([&*start].into_iter(), format).is_ok_and(|bytes| looks_like_image(&bytes))
}

/// Reads the images of files whose bytes have changed.
pub fn after_frame(cx: &mut Cx<'_>) {
    let files = &cx.state.slots[IMAGE_FILES].0;
    let changed = files.iter().find(|(id, file)| {
        let buffer = cx.state.buffers.all().iter().find(|buffer| buffer.id == **id);
        buffer.is_some_and(|buffer| file.version != Some(buffer.area.document.version()))
    });
    if let Some(id) = changed.map(|(id, _)| *id) {
        read(cx, id);
    }
}

/// Reads the image of a file in a task. What is no image any more is text.
fn read(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if !is_image(buffer) {
        buffer.is_image = false;
        on_closing(cx, id);
        return cx.state.damage.add_all();
    }
    let document = &buffer.area.document;
    let (text, format, version) = (document.text().clone(), document.format(), document.version());
    if let Some(file) = cx.state.slots[IMAGE_FILES].0.get_mut(&id) {
        file.version = Some(version);
    }
    let work = move || {
        let bytes = format::encode(text.chunks_from(Byte(0)), format).map_err(|error| error.to_string())?;
        Ok::<_, String>(std::sync::Arc::new(ImageData::from_bytes(bytes)))
    };
    cx.tasks.spawn_blocking("image-files.read", work, move |cx, image| {
        let Some(image) = answer_or_error(cx, "read the image", image) else { return };
        let file = cx.state.slots[IMAGE_FILES].0.get_mut(&id).filter(|file| file.version == Some(version));
        let Some(file) = file else { return };
        match image {
            Ok(image) => file.image = Some(image),
            Err(error) => {
                cx.state.set_error(format!("Cannot read the image: {error}"));
                if let Some(buffer) = cx.state.buffers.get_mut(id) {
                    buffer.is_image = false;
                }
            }
        }
        cx.state.damage.add(Part::Editor);
    });
}

/// Forgets an image whose file is closed.
pub fn on_closing(cx: &mut Cx<'_>, id: BufferId) {
    if cx.state.slots[IMAGE_FILES].0.remove(&id).is_some() {
        cx.state.slots[IMAGES].get_mut().forget_decoded();
    }
}
