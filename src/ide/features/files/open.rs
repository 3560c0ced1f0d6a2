//! Reads a file to be opened; of a long one the beginning is there before the rest is read.
//! Must not know the state.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::mpsc;

use crate::exec::{EnvError, Environment, FileData, FileKind, Stamp};
use crate::ide::core::event::{Event, Opened, Partly};
use crate::text::document::Document;
use crate::text::loading::Loading;

/// Longer files are shown while they are read, in bytes.
const LONG: u64 = 1 << 20;
/// How many bytes are read before more is shown.
const STEP: usize = 32 << 20;
/// Bytes that are decoded faster than a thread is woken for it.
const DECODE_HERE: usize = 64 << 10;

/// In which state files were when the system's facts about them were of a version: what has the
/// same version need not be read again.
pub type Seen = Mutex<HashMap<PathBuf, (u64, Stamp)>>;

/// Where the cursor is to be, line and column from 1, and whether the file that is shown stays
/// shown.
pub type How = (Option<(usize, usize)>, bool);

/// Reads a file. Parts of a long one are told to the loop meanwhile.
pub async fn open(
    env: &dyn Environment,
    path: PathBuf,
    (at, behind): How,
    (events, seen): (&mpsc::Sender<Event>, &Seen),
) -> Opened {
    let (real, stat) = tokio::join!(env.resolve(&path), env.stat(&path));
    let real = real.unwrap_or_else(|_| path.clone());
    let version = stat.as_ref().ok().and_then(|stat| stat.version);
    let long = stat.ok().filter(|stat| stat.kind == FileKind::File && stat.size > LONG);
    let in_parts = match long {
        Some(stat) => {
            let first = Partly {
                path: path.clone(),
                real: real.clone(),
                text: Loading::default().so_far(),
                percent: 0,
                at,
                behind,
                ticket: None,
            };
            read_in_parts(env, first, stat.size, events).await
        }
        None => None,
    };
    let result = match in_parts {
        Some(done) => done.map(Some),
        None => whole(env, &path).await,
    };
    if let (Some(version), Ok(Some((_, stamp)))) = (version, &result) {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(path.clone(), (version, stamp.clone()));
    }
    Opened { path, real, result, at, behind }
}

/// A file that is read in one go; `None` when there is none.
async fn whole(env: &dyn Environment, path: &Path) -> Result<Option<(Document, Stamp)>, EnvError> {
    match env.read(path).await {
        Ok(FileData { bytes, stamp }) => Ok(Some((decode(path, bytes).await?, stamp))),
        Err(EnvError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file's bytes as a document; many bytes on a thread of their own.
async fn decode(path: &Path, bytes: Vec<u8>) -> Result<Document, EnvError> {
    if bytes.len() <= DECODE_HERE {
        return Ok(Document::from_bytes(&bytes));
    }
    let decoded = tokio::task::spawn_blocking(move || Document::from_bytes(&bytes)).await;
    decoded.map_err(|error| EnvError::Io { path: path.to_path_buf(), source: std::io::Error::other(error) })
}

/// What a reading and its sink share.
#[derive(Default)]
struct Shared {
    loading: Loading,
    /// Whether it turned out to be no plain text.
    refused: bool,
}

/// A file that is shown while it is read. `None` when it has to be read in one go.
async fn read_in_parts(
    env: &dyn Environment,
    first: Partly,
    size: u64,
    events: &mpsc::Sender<Event>,
) -> Option<Result<(Document, Stamp), EnvError>> {
    let path = first.path.clone();
    let shared = Arc::new(Mutex::new(Shared::default()));
    let (fed, events) = (shared.clone(), events.clone());
    let (mut shown, mut wanted) = (0, Weak::new());
    let sink = move |piece: &[u8]| {
        let mut shared = fed.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.loading.feed(piece).is_err() {
            shared.refused = true;
            return false;
        }
        let bytes = shared.loading.bytes();
        if shown > 0 && bytes < shown + STEP {
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
        let part = Partly { path, real, text, percent, ticket, ..first };
        events.blocking_send(Event::Reading(Box::new(part))).is_ok()
    };
    let read = env.read_pieces(&path, Box::new(sink)).await;
    let Shared { loading, refused } =
        std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner));
    match read {
        Err(_) if refused => None,
        Err(error) => Some(Err(error)),
        Ok(stamp) => {
            // Looking for long lines takes as long as the text is.
            let finished = tokio::task::spawn_blocking(move || loading.finish()).await;
            let (text, format) = finished.ok()?.ok()?;
            Some(Ok((Document::of(text, format), stamp)))
        }
    }
}
