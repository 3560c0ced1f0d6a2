//! Reads the files and makes the texts that are shown beside lists, one at a time, and keeps the last ones while the list
//! is open.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::exec::{Environment, FileKind};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::preview::PreviewSource;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::images::data::ImageData;
use crate::ide::model::buffers::BufferId;
use crate::syntax::highlighting::highlighted_range::HighlightedRange;
use crate::syntax::highlighting::whole_text::CodeLanguage;
use crate::text::rope::Text;

/// Extensions of files that are expected to be images.
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];
/// Maximum bytes of an image that is read.
const IMAGE_MAX: u64 = 32 << 20;
/// Maximum bytes of a text that is read.
const TEXT_MAX: u64 = 1 << 20;
/// Bytes in which a zero byte tells that a file is no text.
const START: usize = 8 << 10;
/// Time limit for colors; beyond it a text stays plain.
const COLOR_BUDGET: Duration = Duration::from_millis(500);
/// Previews that are kept.
const KEPT_MAX: usize = 16;

/// Slot of the previews.
pub const PREVIEWS: Slot<Previews> = Slot::new();

/// The previews of the open list, the last read ones first.
#[derive(Debug, Default)]
pub struct Previews {
    kept: VecDeque<Preview>,
    /// Whether a file is being read: one at a time, however fast the selection moves.
    is_reading: bool,
}

/// What is known of a file or a text.
#[derive(Debug)]
struct Preview {
    source: PreviewSource,
    /// Of an open file, the version of its text.
    version: Option<(BufferId, u64)>,
    content: Content,
}

/// What is shown.
#[derive(Debug)]
pub enum Content {
    /// The file is being read.
    Reading,
    /// An image.
    Image(Arc<ImageData>),
    /// A text, and its colors once they are known.
    Text(Text, Option<HighlightedRange>),
    /// Why nothing is shown.
    Message(String),
}

impl Previews {
    /// Returns what is known of a file or a text.
    pub fn get(&self, source: &PreviewSource) -> &Content {
        self.kept
            .iter()
            .find(|preview| preview.source == *source)
            .map_or(&Content::Reading, |preview| &preview.content)
    }

    fn put(&mut self, preview: Preview) {
        self.kept.retain(|kept| kept.source != preview.source);
        self.kept.push_front(preview);
        self.kept.truncate(KEPT_MAX);
    }
}

/// Returns whether a file has the name of an image.
pub fn is_image_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|name| EXTENSIONS.contains(&name.to_ascii_lowercase().as_str()))
}

/// Reads what is shown for the selected row, unless it is known.
pub fn after_frame(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top::<Picker>() else {
        // Something above the list may close again: then the list is shown as it was.
        if cx.state.layers.all::<Picker>().next().is_none() {
            let is_reading = cx.state.slots[PREVIEWS].is_reading;
            cx.state.slots[PREVIEWS] = Previews { is_reading, ..Previews::default() };
        }
        return;
    };
    let Some(source) = picker.preview(cx.state).map(|target| target.source) else { return };
    let open = match &source {
        PreviewSource::File(path) => open_text(cx.state, path),
        PreviewSource::Text(_) | PreviewSource::Made(_) => None,
    };
    let version = open.as_ref().map(|(version, _)| *version);
    let previews = &mut cx.state.slots[PREVIEWS];
    let is_known = previews.kept.iter().any(|kept| kept.source == source && kept.version == version);
    if is_known || previews.is_reading {
        return;
    }
    match open {
        Some((_, text)) => {
            show_text(cx, source, version, text);
            cx.state.damage.add(Part::Overlay);
        }
        None => read(cx, source),
    }
}

/// Returns the text of an open file that is no image, and its version.
fn open_text(state: &State, path: &Path) -> Option<((BufferId, u64), Text)> {
    let buffer = state.buffers.all().iter().find(|buffer| buffer.path.as_deref() == Some(path))?;
    let document = &buffer.area.document;
    (!document.format().binary).then(|| ((buffer.id, document.version()), document.text().clone()))
}

/// Shows a text at once, and its colors when a task has found them.
fn show_text(cx: &mut Cx<'_>, source: PreviewSource, version: Option<(BufferId, u64)>, text: Text) {
    let name = source.name().unwrap_or_default();
    let (code, shown) = (text.clone(), source.clone());
    cx.state.slots[PREVIEWS].put(Preview { source, version, content: Content::Text(text, None) });
    let color = move || {
        if code.end().0 as u64 > TEXT_MAX {
            return None;
        }
        CodeLanguage::of_file(&name, &code)?.paint(&code, COLOR_BUDGET)
    };
    cx.tasks.spawn_blocking("previews.color", color, move |cx, colors| {
        let Some(colors) = answer_or_error(cx, "color the preview", colors).flatten() else { return };
        let mut kept = cx.state.slots[PREVIEWS].kept.iter_mut();
        let preview = kept.find(|kept| kept.source == shown && kept.version == version);
        if let Some(Content::Text(_, known)) = preview.map(|preview| &mut preview.content) {
            *known = Some(colors);
            cx.state.damage.add(Part::Overlay);
        }
    });
}

/// Reads a file or makes a text in a task.
fn read(cx: &mut Cx<'_>, source: PreviewSource) {
    cx.state.slots[PREVIEWS].is_reading = true;
    let (env, wanted) = (cx.env.clone(), source.clone());
    let work = async move {
        match wanted {
            PreviewSource::File(path) => content(&*env, &path).await,
            PreviewSource::Text(text) => Content::Text(Text::from(&*text), None),
            PreviewSource::Made(made) => match (made.make)(env, made.key).await {
                Ok(text) => Content::Text(Text::from(text.as_str()), None),
                Err(problem) => Content::Message(problem),
            },
        }
    };
    cx.tasks.spawn("previews.read", work, move |cx, content| {
        cx.state.slots[PREVIEWS].is_reading = false;
        let content = answer_or_error(cx, "read the preview", content)
            .unwrap_or_else(|| Content::Message("Cannot be read".to_string()));
        match content {
            Content::Text(text, _) => show_text(cx, source, None, text),
            content => cx.state.slots[PREVIEWS].put(Preview { source, version: None, content }),
        }
        // With the frame the file of another row is read, if that was selected meanwhile.
        cx.state.damage.add(Part::Overlay);
    });
}

async fn content(env: &dyn Environment, path: &Path) -> Content {
    let message = |text: String| Content::Message(text);
    let stat = match env.stat(path).await {
        Ok(stat) => stat,
        Err(error) => return message(error.to_string()),
    };
    let size = size_text(stat.size);
    match stat.kind {
        FileKind::File => {}
        FileKind::Folder => return message("Folder".to_string()),
        FileKind::Other => return message("Not a regular file".to_string()),
    }
    let is_image = is_image_name(path);
    if stat.size > if is_image { IMAGE_MAX } else { TEXT_MAX } {
        return message(format!("{size}, too large to show here"));
    }
    match env.read(path).await {
        Err(error) => message(error.to_string()),
        Ok(read) if is_image => Content::Image(Arc::new(ImageData::from_bytes(read.bytes))),
        Ok(read) if read.bytes[..read.bytes.len().min(START)].contains(&0) => {
            message(format!("Binary file, {size}"))
        }
        Ok(read) => Content::Text(Text::from(&*String::from_utf8_lossy(&read.bytes)), None),
    }
}

/// Returns a size in the largest unit of which there is one at least.
fn size_text(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} kB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}
