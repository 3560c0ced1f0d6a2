//! Reads the files and makes the texts that are shown beside lists, one at a time, and keeps the last ones while the list
//! is open. A file is looked at again when its row is selected, and now and then while it is: other programs change it.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::exec::{Environment, FileKind, FileStat};
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
/// Time after which the shown file is looked at again.
const CHECK_AFTER: Duration = Duration::from_secs(1);
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
    /// The file that was looked at last, and when it is again.
    checked: Option<(PreviewSource, Duration)>,
    /// Number of the last preview.
    count: u64,
}

/// What is known of a file or a text.
#[derive(Debug)]
struct Preview {
    source: PreviewSource,
    /// Of an open file, the version of its text.
    version: Option<(BufferId, u64)>,
    /// Of a file that is read from the disk, what it was then.
    stat: Option<FileStat>,
    /// Which preview, for colors that come later.
    number: u64,
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

    /// Keeps a preview; returns its number.
    fn put(&mut self, source: PreviewSource, version: Option<(BufferId, u64)>, look: Look) -> u64 {
        self.count += 1;
        let (number, Look { stat, content }) = (self.count, look);
        self.kept.retain(|kept| kept.source != source);
        self.kept.push_front(Preview { source, version, stat, number, content });
        self.kept.truncate(KEPT_MAX);
        number
    }

    fn find(&mut self, source: &PreviewSource) -> Option<&mut Preview> {
        self.kept.iter_mut().find(|kept| kept.source == *source)
    }

    /// Whether a file that is known is to be looked at: its row was selected anew, or it was long ago.
    fn is_due(&self, source: &PreviewSource, now: Duration) -> bool {
        let is_file = matches!(source, PreviewSource::File(_));
        is_file && self.checked.as_ref().is_none_or(|(checked, due)| checked != source || *due <= now)
    }
}

/// What a look at a file or a text has found.
#[derive(Debug)]
struct Look {
    stat: Option<FileStat>,
    content: Content,
}

impl From<Content> for Look {
    fn from(content: Content) -> Self {
        Self { stat: None, content }
    }
}

/// Returns when the shown file is looked at again.
pub fn deadline(state: &State) -> Option<Duration> {
    let previews = &state.slots[PREVIEWS];
    let is_shown = !previews.is_reading && state.layers.top::<Picker>().is_some();
    previews.checked.as_ref().filter(|_| is_shown).map(|(_, due)| *due)
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
            let Previews { is_reading, count, .. } = cx.state.slots[PREVIEWS];
            cx.state.slots[PREVIEWS] = Previews { is_reading, count, ..Previews::default() };
        }
        return;
    };
    let Some(source) = picker.preview(cx.state).map(|target| target.source) else {
        cx.state.slots[PREVIEWS].checked = None;
        return;
    };
    let open = match &source {
        PreviewSource::File(path) => open_text(cx.state, path),
        PreviewSource::Text(_) | PreviewSource::Made(_) => None,
    };
    let version = open.as_ref().map(|(version, _)| *version);
    let previews = &mut cx.state.slots[PREVIEWS];
    if open.is_some() || !matches!(source, PreviewSource::File(_)) {
        previews.checked = None;
    }
    let known = previews.kept.iter().find(|kept| kept.source == source && kept.version == version);
    let is_current = known.is_some() && (open.is_some() || !previews.is_due(&source, cx.now));
    if is_current || previews.is_reading {
        return;
    }
    let stat = known.and_then(|known| known.stat);
    match open {
        Some((_, text)) => {
            show_text(cx, source, version, Look::from(Content::Text(text, None)));
            cx.state.damage.add(Part::Overlay);
        }
        None => read(cx, source, stat),
    }
}

/// Returns the text of an open file that is no image, and its version.
fn open_text(state: &State, path: &Path) -> Option<((BufferId, u64), Text)> {
    let buffer = state.buffers.all().iter().find(|buffer| buffer.path.as_deref() == Some(path))?;
    let document = &buffer.area.document;
    (!document.format().binary).then(|| ((buffer.id, document.version()), document.text().clone()))
}

/// Shows what was found at once, and the colors of a text when a task has found them.
fn show_text(cx: &mut Cx<'_>, source: PreviewSource, version: Option<(BufferId, u64)>, look: Look) {
    let Content::Text(code, _) = &look.content else {
        cx.state.slots[PREVIEWS].put(source, version, look);
        return;
    };
    let code = code.clone();
    let name = source.name().unwrap_or_default();
    let number = cx.state.slots[PREVIEWS].put(source, version, look);
    let color = move || {
        if code.end().0 as u64 > TEXT_MAX {
            return None;
        }
        CodeLanguage::of_file(&name, &code)?.paint(&code, COLOR_BUDGET)
    };
    cx.tasks.spawn_blocking("previews.color", color, move |cx, colors| {
        let Some(colors) = answer_or_error(cx, "color the preview", colors).flatten() else { return };
        let mut kept = cx.state.slots[PREVIEWS].kept.iter_mut();
        let preview = kept.find(|kept| kept.number == number);
        if let Some(Content::Text(_, known)) = preview.map(|preview| &mut preview.content) {
            *known = Some(colors);
            cx.state.damage.add(Part::Overlay);
        }
    });
}

/// Reads a file, unless it is still as it was known to be, or makes a text in a task.
fn read(cx: &mut Cx<'_>, source: PreviewSource, known: Option<FileStat>) {
    cx.state.slots[PREVIEWS].is_reading = true;
    let (env, wanted) = (cx.env.clone(), source.clone());
    let work = async move {
        match wanted {
            PreviewSource::File(path) => look(&*env, &path, known).await,
            PreviewSource::Text(text) => Some(Content::Text(Text::from(&*text), None).into()),
            PreviewSource::Made(made) => Some(match (made.make)(env, made.key).await {
                Ok(text) => Content::Text(Text::from(text.as_str()), None).into(),
                Err(problem) => Content::Message(problem).into(),
            }),
        }
    };
    cx.tasks.spawn("previews.read", work, move |cx, look| {
        cx.state.slots[PREVIEWS].is_reading = false;
        if matches!(source, PreviewSource::File(_)) {
            cx.state.slots[PREVIEWS].checked = Some((source.clone(), cx.now + CHECK_AFTER));
        }
        let failed = || Some(Content::Message("Cannot be read".to_string()).into());
        let look = answer_or_error(cx, "read the preview", look).unwrap_or_else(failed);
        if let Some(look) = look {
            on_read(cx, source, look);
        }
        // The file of another row, if that was selected meanwhile.
        after_frame(cx);
    });
}

/// Shows what was read, unless it is what is shown already.
fn on_read(cx: &mut Cx<'_>, source: PreviewSource, look: Look) {
    let known = cx.state.slots[PREVIEWS].find(&source).filter(|known| known.version.is_none());
    match known {
        Some(known) if is_same(&known.content, &look.content) => known.stat = look.stat,
        _ => {
            show_text(cx, source, None, look);
            cx.state.damage.add(Part::Overlay);
        }
    }
}

/// Whether two contents look the same.
fn is_same(one: &Content, other: &Content) -> bool {
    match (one, other) {
        (Content::Text(one, _), Content::Text(other, _)) => one == other,
        (Content::Message(one), Content::Message(other)) => one == other,
        _ => false,
    }
}

/// Looks at a file; returns `None` if it is still as it was known to be.
async fn look(env: &dyn Environment, path: &Path, known: Option<FileStat>) -> Option<Look> {
    let stat = match env.stat(path).await {
        Ok(stat) => stat,
        Err(error) => return Some(Content::Message(error.to_string()).into()),
    };
    // What changed a moment ago has no version yet, and may have changed again.
    if stat.version.is_some() && known.as_ref() == Some(&stat) {
        return None;
    }
    let content = content(env, path, &stat).await;
    Some(Look { stat: Some(stat), content })
}

async fn content(env: &dyn Environment, path: &Path, stat: &FileStat) -> Content {
    let message = |text: String| Content::Message(text);
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
        1_048_576..1_073_741_824 => format!("{} MB", bytes / 1_048_576),
        _ => format!("{} GB", bytes / 1_073_741_824),
    }
}
