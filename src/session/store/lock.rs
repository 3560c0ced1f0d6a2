//! Lock of a session file for writing. Must not know its content.
//!
//! It is the system's lock on the file itself (`flock`), which ends with the process, so there is nothing to
//! clean up. pi takes no lock and is not excluded.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::session::format::error::SessionError;

/// Locks a file until it is closed. On a file system without locks it succeeds.
pub(in crate::session) fn lock_file(file: &File, path: &Path) -> Result<(), SessionError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SessionError::Busy(path.to_path_buf())),
        Err(TryLockError::Error(error)) => {
            tracing::debug!(path = %path.display(), %error, "cannot lock a session file");
            Ok(())
        }
    }
}
