//! Reads a file of any type: its lines, or its type.
//!
//! Must not know tools. Files come from the environment, in chunks if possible.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::sniff::{self, FileType};
use super::window::{Range, Window, WindowReader};
use crate::exec::{EnvError, Environment, FileData, Stamp};

/// The content of a file.
#[derive(Debug)]
pub enum FileContents {
    /// Text, and the state in which the file was read.
    Text(Window, Stamp),
    /// Another type; it was not read completely.
    Other(FileType),
}

/// Reads a whole file up to a size limit in bytes; `None` if it is larger. The file size is not reliable: the
/// file may grow meanwhile, and virtual files have no size at all.
pub async fn read_whole(
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
    let read = or_cancelled(cancel, env.read_pieces(path, Box::new(sink))).await;
    let (bytes, too_much) = std::mem::take(&mut *coming.lock());
    if too_much {
        return Ok(None);
    }
    Ok(Some(FileData { bytes, stamp: read? }))
}

/// Waits for a file until the call is cancelled: some virtual files never end, or never yield a byte.
async fn or_cancelled<T>(
    cancel: &CancellationToken,
    read: impl Future<Output = Result<T, EnvError>>,
) -> Result<T, EnvError> {
    tokio::select! {
        biased;
        read = read => read,
        () = cancel.cancelled() => Err(EnvError::Cancelled),
    }
}

/// The content so far.
struct PartialRead {
    kind: Option<FileType>,
    taker: WindowReader,
}

/// Reads a file.
pub async fn read_lines(
    env: &dyn Environment,
    path: &Path,
    range: Range,
    cancel: &CancellationToken,
) -> Result<FileContents, EnvError> {
    let coming = Arc::new(Mutex::new(PartialRead { kind: None, taker: WindowReader::new(range) }));
    let (into, cancel, cancelled) = (Arc::clone(&coming), cancel.clone(), cancel.clone());
    let sink = move |piece: &[u8]| {
        let mut coming = into.lock();
        let kind = *coming.kind.get_or_insert_with(|| sniff::kind(piece));
        coming.taker.feed(if kind == FileType::Text { piece } else { &[] });
        kind == FileType::Text && !cancel.is_cancelled()
    };
    let read = or_cancelled(&cancelled, env.read_pieces(path, Box::new(sink))).await;
    let empty = PartialRead { kind: None, taker: WindowReader::new(range) };
    let coming = std::mem::replace(&mut *coming.lock(), empty);
    match (coming.kind, read) {
        (Some(kind @ (FileType::Image(_) | FileType::Pdf | FileType::Binary)), _) => {
            Ok(FileContents::Other(kind))
        }
        (_, Ok(stamp)) => Ok(FileContents::Text(coming.taker.finish(), stamp)),
        (_, Err(error)) => Err(error),
    }
}
