//! A file of any kind: its lines, or what it is.
//!
//! Must not know tools. Files come from the environment, in pieces where it can.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::sniff::{self, Kind};
use super::window::{Range, Taker, Window};
use crate::exec::{EnvError, Environment, FileData, Stamp};

/// What a file is.
#[derive(Debug)]
pub enum Seen {
    /// Text, and the state in which the file was read.
    Text(Window, Stamp),
    /// Something else; it was not read to its end.
    Other(Kind),
}

/// Reads a file whole that may not be larger than this, in bytes; nothing where it is. Its facts are no
/// promise: it may grow meanwhile, and what the system makes up as it is read has no size at all.
pub async fn whole(
    env: &dyn Environment,
    path: &Path,
    most: u64,
    cancel: &CancellationToken,
) -> Result<Option<FileData>, EnvError> {
    let coming = Arc::new(Mutex::new((Vec::new(), false)));
    let (into, seen) = (Arc::clone(&coming), cancel.clone());
    let sink = move |piece: &[u8]| {
        let mut coming = into.lock();
        coming.1 |= (coming.0.len() + piece.len()) as u64 > most;
        if !coming.1 {
            coming.0.extend_from_slice(piece);
        }
        !coming.1 && !seen.is_cancelled()
    };
    let read = unless(cancel, env.read_pieces(path, Box::new(sink))).await;
    let (bytes, too_much) = std::mem::take(&mut *coming.lock());
    if too_much {
        return Ok(None);
    }
    Ok(Some(FileData { bytes, stamp: read? }))
}

/// Waits for a file no longer than the call lasts: some of the system's files never have an end, and
/// never give a byte.
async fn unless<T>(
    cancel: &CancellationToken,
    read: impl Future<Output = Result<T, EnvError>>,
) -> Result<T, EnvError> {
    tokio::select! {
        biased;
        read = read => read,
        () = cancel.cancelled() => Err(EnvError::Cancelled),
    }
}

/// What has come of a file so far.
struct Coming {
    kind: Option<Kind>,
    taker: Taker,
}

/// Looks at a file.
pub async fn look(
    env: &dyn Environment,
    path: &Path,
    range: Range,
    cancel: &CancellationToken,
) -> Result<Seen, EnvError> {
    let coming = Arc::new(Mutex::new(Coming { kind: None, taker: Taker::new(range) }));
    let (into, cancel, cancelled) = (Arc::clone(&coming), cancel.clone(), cancel.clone());
    let sink = move |piece: &[u8]| {
        let mut coming = into.lock();
        let kind = *coming.kind.get_or_insert_with(|| sniff::kind(piece));
        coming.taker.feed(if kind == Kind::Text { piece } else { &[] });
        kind == Kind::Text && !cancel.is_cancelled()
    };
    let read = unless(&cancelled, env.read_pieces(path, Box::new(sink))).await;
    let empty = Coming { kind: None, taker: Taker::new(range) };
    let coming = std::mem::replace(&mut *coming.lock(), empty);
    match (coming.kind, read) {
        (Some(kind @ (Kind::Image(_) | Kind::Pdf | Kind::Binary)), _) => Ok(Seen::Other(kind)),
        (_, Ok(stamp)) => Ok(Seen::Text(coming.taker.finish(), stamp)),
        (_, Err(error)) => Err(error),
    }
}
