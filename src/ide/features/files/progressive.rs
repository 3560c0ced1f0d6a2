//! Progressive loading of a long file: the part read so far is shown read-only, and is editable once the file
//! is complete.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, Tasks};
use crate::ide::features::files::disk;
use crate::ide::features::recovery;
use crate::ide::model::buffers::{BufferId, LoadProgress};
use crate::text::document::Document;
use crate::text::file_format::format::Format;
use crate::text::file_format::loading::Loading;
use crate::text::position::Line;
use crate::text::rope::Text;
use crate::text::selection::Range;

/// Number of bytes read between updates of the screen.
const PART_BYTES: usize = 32 << 20;
/// A partially read file.
pub struct LoadingFile {
    /// Its path.
    path: PathBuf,
    /// Its path with all links resolved.
    real: PathBuf,
    /// The text read so far.
    text: Text,
    /// Progress in percent.
    percent: u8,
    /// One-based line and column for the cursor.
    at: Option<(usize, usize)>,
    /// Whether it is opened in the background.
    in_background: bool,
    /// Sent with the first part; reading ends when no clone exists any more.
    ticket: Option<Arc<()>>,
}

impl LoadingFile {
    /// Returns a file of which nothing was read yet.
    pub fn empty(path: PathBuf, real: PathBuf, (at, behind): (Option<(usize, usize)>, bool)) -> Self {
        Self {
            path,
            real,
            text: Loading::default().so_far(),
            percent: 0,
            at,
            in_background: behind,
            ticket: None,
        }
    }
}

/// State shared by a reader and its sink.
#[derive(Default)]
struct Shared {
    loading: Loading,
    /// Whether it turned out not to be plain text.
    refused: bool,
}

/// Reads a file while it is shown. `None` if it has to be read in one go.
pub async fn read_in_parts(
    env: &dyn Environment,
    first: LoadingFile,
    size: u64,
    tasks: &Tasks,
) -> Option<Result<(Document, Stamp), EnvError>> {
    let path = first.path.clone();
    let shared = Arc::new(Mutex::new(Shared::default()));
    let (fed, tasks) = (shared.clone(), tasks.clone());
    let (mut shown, mut wanted) = (0, Weak::new());
    let sink = move |piece: &[u8]| {
        let mut shared = fed.lock();
        if shared.loading.feed(piece).is_err() {
            shared.refused = true;
            return false;
        }
        let bytes = shared.loading.bytes();
        if shown > 0 && bytes < shown + PART_BYTES {
            return wanted.strong_count() > 0;
        }
        let ticket = (shown == 0).then(Arc::<()>::default);
        if let Some(ticket) = &ticket {
            wanted = Arc::downgrade(ticket);
        }
        shown = bytes;
        let percent = (bytes as u64 * 100 / size.max(1)).min(99) as u8;
        let (text, path, real) = (shared.loading.so_far(), first.path.clone(), first.real.clone());
        drop(shared);
        let part = LoadingFile { path, real, text, percent, ticket, ..first };
        // If the event loop has ended, the callback and its ticket are dropped, and reading ends.
        tasks.post_blocking("files.read-part", move |cx| on_part(cx, part));
        true
    };
    let read = env.read_pieces(&path, Box::new(sink)).await;
    let Shared { loading, refused } = std::mem::take(&mut *shared.lock());
    match read {
        Err(_) if refused => None,
        Err(error) => Some(Err(error)),
        Ok(stamp) => {
            // Checking for long lines takes time proportional to the text.
            let finished = tokio::task::spawn_blocking(move || loading.finish()).await;
            let (text, format) = finished.ok()?.ok()?;
            Some(Ok((Document::from_text(text, format), stamp)))
        }
    }
}

/// More of a file was read.
fn on_part(cx: &mut Cx<'_>, part: LoadingFile) {
    cx.state.buffers.opening = false;
    let tab_width = cx.state.text_options.tab_width;
    let open = cx.state.buffers.by_path(&part.real).map(|buffer| buffer.id);
    match open {
        // Already open: without its ticket this reading ends.
        Some(id) if part.ticket.is_some() => {
            if !part.in_background {
                cx.state.buffers.show(id);
            }
            if let (Some(buffer), Some(at)) = (cx.state.buffers.get_mut(id), part.at) {
                buffer.place_cursor(at, tab_width);
            }
        }
        Some(id) => {
            let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
            let Some(reading) = &mut buffer.loading else { return };
            reading.percent = part.percent;
            buffer.area.document.extend_loaded(part.text);
            place_cursor(cx, id, tab_width, false);
        }
        None => {
            // Closed before it was complete.
            let Some(ticket) = part.ticket else { return };
            let before = cx.state.buffers.current().filter(|_| part.in_background).map(|buffer| buffer.id);
            let document = Document::from_text(part.text, Format::default());
            let id = cx.state.buffers.open(Some(part.path.clone()), document, None);
            if let Some(buffer) = cx.state.buffers.get_mut(id) {
                buffer.real = Some(part.real);
                buffer.loading = Some(LoadProgress { percent: part.percent, at: part.at, ticket });
            }
            place_cursor(cx, id, tab_width, false);
            match before {
                Some(shown) => cx.state.buffers.show(shown),
                None => cx.state.files.select(&part.path),
            }
        }
    }
    cx.state.damage.add_all();
}

/// Moves the cursor to its wanted position once that is read, or to the end at last.
fn place_cursor(cx: &mut Cx<'_>, id: BufferId, tab_width: usize, is_whole: bool) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let last = buffer.area.text().last_line();
    let Some(reading) = &mut buffer.loading else { return };
    // The last line may be incomplete.
    if let Some(at) = reading.at.take_if(|(line, _)| is_whole || Line(*line) <= last) {
        buffer.place_cursor(at, tab_width);
    }
}

/// Whether a file is still being read.
pub fn is_loading(cx: &Cx<'_>, real: &Path) -> bool {
    cx.state.buffers.by_path(real).is_some_and(|buffer| buffer.loading.is_some())
}

/// Handles a file that could not be read to its end: the partial text is closed.
pub fn on_failed(cx: &mut Cx<'_>, real: &Path) {
    let id = cx.state.buffers.by_path(real).filter(|buffer| buffer.loading.is_some()).map(|b| b.id);
    if let Some(id) = id {
        cx.state.buffers.close(id);
        cx.state.damage.add_all();
    }
}

/// Handles a file that was read to its end.
pub fn on_done(cx: &mut Cx<'_>, real: &Path, document: Document, stamp: Stamp) {
    let tab_width = cx.state.text_options.tab_width;
    let Some(id) = cx.state.buffers.by_path(real).map(|buffer| buffer.id) else { return };
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.area.document = document.with_version_after(buffer.area.document.version());
        // With invalid UTF-8 the final text differs from the one shown.
        let text = buffer.area.text().clone();
        let fit = |at| text.grapheme_floor(std::cmp::min(at, text.end()));
        buffer.area.selection =
            buffer.area.selection.transform(|range| Range::new(fit(range.anchor), fit(range.head)));
        buffer.stamp = Some(stamp);
        buffer.highlighting.reset();
        buffer.expand_history.clear();
    }
    place_cursor(cx, id, tab_width, true);
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.loading = None;
    }
    recovery::recover::on_opened(cx, id);
    // Changes to the file while it was being read were not reported.
    disk::check_disk(cx);
    cx.state.damage.add_all();
}
