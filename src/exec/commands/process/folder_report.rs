//! Reports the folder in which a shell of this machine ends: its last action is to write that to a file.
//!
//! Must not know the purpose.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::script::quote;

/// Maximum length of a path in bytes, as on Linux.
const PATH_BYTES_MAX: u64 = 4096;

/// The file; deleted on drop.
#[derive(Debug)]
pub(super) struct FolderReport {
    file: NamedTempFile,
}

impl FolderReport {
    /// Creates a file that no other user can read.
    pub(super) fn new() -> io::Result<Self> {
        NamedTempFile::new().map(|file| Self { file })
    }

    /// Returns the script for a shell that reports its folder at its end; its exit code is unchanged. It
    /// stays on the same line, so that line numbers in error messages are right. `None` if the file's own
    /// path cannot be quoted for a shell.
    pub(super) fn wrap_script(&self, script: &str) -> Option<String> {
        let file = quote(self.file.path().to_str()?);
        let report_command = quote(&format!("{{ command pwd -P >| {file}; }} 2>/dev/null"));
        Some(format!("trap {report_command} EXIT; {script}"))
    }

    /// Returns the reported folder; `None` if the shell did not report it.
    pub(super) fn folder(&mut self) -> Option<PathBuf> {
        match read(self.file.as_file_mut()) {
            // A command may have written anything there.
            Ok(path) => path.filter(|path| path.is_absolute()),
            Err(error) => {
                tracing::warn!(%error, "where a command ended cannot be read");
                None
            }
        }
    }
}

/// Reads the original file, even if another one is at its path now.
fn read(file: &mut File) -> io::Result<Option<PathBuf>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(PATH_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let line = bytes.strip_suffix(b"\n").filter(|line| !line.contains(&0));
    Ok(line.map(|line| Path::new(&OsString::from_vec(line.to_vec())).to_path_buf()))
}
