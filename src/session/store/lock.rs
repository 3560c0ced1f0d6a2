//! Who writes a session file. Must not know what is in it.
//!
//! The lock is the system's own, on the file itself (`flock`): it ends with the program, however
//! that ends, so there is nothing to clean up. pi takes none, and is not kept out.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::session::format::error::SessionError;

/// Takes a file for this program, until it is closed. Where a file system has no locks, it is as if
/// nobody else were there.
pub(in crate::session) fn take(file: &File, path: &Path) -> Result<(), SessionError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SessionError::Busy(path.to_path_buf())),
        Err(TryLockError::Error(error)) => {
            tracing::debug!(path = %path.display(), %error, "cannot lock a session file");
            Ok(())
        }
    }
}
