//! A file of any kind: its lines, or what it is.
//!
//! Must not know tools. Files come from the environment, in pieces where it can.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::sniff::{self, Kind};
use super::window::{Range, Taker, Window};
use crate::exec::{EnvError, Environment, Stamp};

/// What a file is.
#[derive(Debug)]
pub enum Seen {
    /// Text, and the state in which the file was read.
    Text(Window, Stamp),
    /// Something else; it was not read to its end.
    Other(Kind),
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
    let (into, cancel) = (Arc::clone(&coming), cancel.clone());
    let sink = move |piece: &[u8]| {
        let mut coming = into.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = *coming.kind.get_or_insert_with(|| sniff::kind(piece));
        coming.taker.feed(if kind == Kind::Text { piece } else { &[] });
        kind == Kind::Text && !cancel.is_cancelled()
    };
    let read = env.read_pieces(path, Box::new(sink)).await;
    let empty = Coming { kind: None, taker: Taker::new(range) };
    let coming = std::mem::replace(&mut *coming.lock().unwrap_or_else(PoisonError::into_inner), empty);
    match (coming.kind, read) {
        (Some(kind @ (Kind::Image(_) | Kind::Pdf | Kind::Binary)), _) => Ok(Seen::Other(kind)),
        (_, Ok(stamp)) => Ok(Seen::Text(coming.taker.finish(), stamp)),
        (_, Err(error)) => Err(error),
    }
}
