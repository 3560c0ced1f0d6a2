//! Opens files: each is read in a task, then shown. A long one is shown while it is being read, see
//! `ide::features::files::progressive`.

use std::path::{Path, PathBuf};

use crate::exec::{EnvError, Environment, FileData, FileKind, Stamp};
use crate::ide::core::catalog::FilePlace;
use crate::ide::core::context::{Cx, TaskError, Tasks, answer_or_error};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::list::list;
use crate::ide::features::files::progressive;
use crate::ide::features::files::recent;
use crate::ide::features::files::watch::FILE_WATCH;
use crate::ide::features::recovery;
use crate::text::document::Document;

/// Size in bytes above which files are shown while they are read.
const PROGRESSIVE_MIN: u64 = 1 << 20;
/// Maximum bytes that are decoded faster than a thread is woken for it.
const DECODE_INLINE_MAX: usize = 64 << 10;

/// One-based line and column for the cursor, and whether the file is opened in the background.
pub type OpenOptions = (Option<(usize, usize)>, bool);

/// A file that was read.
pub struct OpenedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its path with all links resolved.
    pub real: PathBuf,
    /// The system's version of it before it was read; `None` if unknown.
    pub version: Option<u64>,
    /// Its text; `Ok(None)` if there is no such file yet.
    pub result: Result<Option<(Document, Stamp)>, EnvError>,
    /// One-based line and column for the cursor.
    pub at: Option<(usize, usize)>,
    /// Whether it is opened in the background.
    pub in_background: bool,
}

impl OpenedFile {
    /// Returns the result for a file whose task failed.
    pub fn failed(path: PathBuf, (at, behind): OpenOptions, TaskError::Panicked(message): TaskError) -> Self {
        let result = Err(EnvError::internal(&path, message));
        Self { real: path.clone(), path, version: None, result, at, in_background: behind }
    }
}

/// Opens a file; `at` is a one-based line and column.
pub fn open(cx: &mut Cx<'_>, path: PathBuf, at: Option<(usize, usize)>) {
    let (env, tasks, file) = (cx.env.clone(), cx.tasks.clone(), path.clone());
    let work = async move { read(&*env, &tasks, file, (at, false)).await };
    cx.tasks.spawn("files.open", work, move |cx, read| {
        on_opened(cx, read.unwrap_or_else(|error| OpenedFile::failed(path, (at, false), error)));
    });
}

/// Opens several files in their order, each with its place, and goes to the last one.
pub fn go_to_all(cx: &mut Cx<'_>, files: Vec<FilePlace>) {
    cx.state.note_jump();
    open_all(cx, files);
    panes::focus(cx, Focus::Editor);
}

/// Opens several files in their order, each with its place; the last one is shown.
pub fn open_all(cx: &mut Cx<'_>, files: Vec<FilePlace>) {
    let (env, tasks) = (cx.env.clone(), cx.tasks.clone());
    let last = files.len().saturating_sub(1);
    let work = async move {
        for (n, (path, at)) in files.into_iter().enumerate() {
            let opened = read(&*env, &tasks, path, (at, n < last)).await;
            tasks.post("files.opened", move |cx| on_opened(cx, opened)).await;
        }
    };
    cx.tasks.spawn("files.open-all", work, |cx, done| {
        answer_or_error(cx, "open the files", done);
    });
}

/// Reads a file. Parts of a long one are passed to the event loop in the meantime.
pub async fn read(
    env: &dyn Environment,
    tasks: &Tasks,
    path: PathBuf,
    (at, behind): OpenOptions,
) -> OpenedFile {
    let (real, stat) = tokio::join!(env.resolve(&path), env.stat(&path));
    let real = real.unwrap_or_else(|_| path.clone());
    let version = stat.as_ref().ok().and_then(|stat| stat.version);
    let long = stat.ok().filter(|stat| stat.kind == FileKind::File && stat.size > PROGRESSIVE_MIN);
    let in_parts = match long {
        Some(stat) => {
            let first = progressive::LoadingFile::empty(path.clone(), real.clone(), (at, behind));
            progressive::read_in_parts(env, first, stat.size, tasks).await
        }
        None => None,
    };
    let result = match in_parts {
        Some(done) => done.map(Some),
        None => read_whole(env, &path).await,
    };
    OpenedFile { path, real, version, result, at, in_background: behind }
}

/// Reads a file in one go; `None` if it does not exist.
async fn read_whole(env: &dyn Environment, path: &Path) -> Result<Option<(Document, Stamp)>, EnvError> {
    match env.read(path).await {
        Ok(FileData { bytes, stamp }) => Ok(Some((decode(path, bytes).await?, stamp))),
        Err(EnvError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file's bytes as a document; many bytes on a thread of their own.
async fn decode(path: &Path, bytes: Vec<u8>) -> Result<Document, EnvError> {
    if bytes.len() <= DECODE_INLINE_MAX {
        return Ok(Document::from_bytes(&bytes));
    }
    let decoded = tokio::task::spawn_blocking(move || Document::from_bytes(&bytes)).await;
    decoded.map_err(|error| EnvError::Io { path: path.to_path_buf(), source: std::io::Error::other(error) })
}

/// Handles a file that was read: shows it, or reports why it could not be read.
pub fn on_opened(cx: &mut Cx<'_>, opened: OpenedFile) {
    cx.state.buffers.opening = false;
    if let (Some(version), Ok(Some((_, stamp)))) = (opened.version, &opened.result) {
        cx.state.slots[FILE_WATCH].note_seen(opened.path.clone(), version, stamp.clone());
    }
    let shown = cx.state.display_path(&opened.path);
    let tab_width = cx.state.text_options.tab_width;
    let (document, stamp) = match opened.result {
        Ok(Some((document, stamp))) => (document, Some(stamp)),
        Ok(None) => (crate::text::document::Document::default_file(), None),
        // The reading was cancelled.
        Err(EnvError::Cancelled) => return,
        Err(EnvError::IsFolder(folder)) => {
            if cx.state.files.unfold(&folder) {
                list(cx, folder.clone());
            }
            cx.state.files.select(&folder);
            return cx.state.set_error(format!("Folder: {shown}. See the file tree (Alt-1)"));
        }
        Err(error) => {
            progressive::on_failed(cx, &opened.real);
            return cx.state.set_error(format!("Cannot open {shown}: {error}"));
        }
    };
    if opened.in_background && stamp.is_some() {
        recent::note_behind(cx, &opened.path);
    }
    if let (Some(stamp), true) = (&stamp, progressive::is_loading(cx, &opened.real)) {
        return progressive::on_done(cx, &opened.real, document, stamp.clone());
    }
    let open = cx.state.buffers.by_path(&opened.real).map(|buffer| buffer.id);
    let before = cx.state.buffers.current().filter(|_| opened.in_background).map(|buffer| buffer.id);
    let id = match open {
        Some(id) => id,
        None => cx.state.buffers.open(Some(opened.path.clone()), document, stamp.clone()),
    };
    cx.state.buffers.show(id);
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.real = Some(opened.real);
        if let Some(at) = opened.at {
            buffer.place_cursor(at, tab_width);
        }
    }
    if open.is_none() {
        recovery::recover::on_opened(cx, id);
    }
    match before {
        Some(shown) => cx.state.buffers.show(shown),
        None => cx.state.files.select(&opened.path),
    }
    if stamp.is_none() && open.is_none() {
        cx.state.set_status(format!("New file: {shown}. Saving creates it"));
    }
    cx.state.damage.add_all();
}
