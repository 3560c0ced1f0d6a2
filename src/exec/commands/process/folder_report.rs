//! Where a shell of this machine stands when it ends: the last thing that it does is to write that into a
//! file of ours.
//!
//! Must not know why anybody wants to know.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::script::quote;

/// Longest path that is taken, in bytes; Linux's limit.
const PATH_BYTES_MAX: u64 = 4096;

/// The file. It goes with the value.
#[derive(Debug)]
pub(super) struct FolderReport {
    file: NamedTempFile,
}

impl FolderReport {
    /// A file that no other user may read.
    pub(super) fn new() -> io::Result<Self> {
        NamedTempFile::new().map(|file| Self { file })
    }

    /// The script, for a shell that says at its end where it stands; its code stays what it is. On the same
    /// line, so that the numbers of lines in the shell's messages stay. `None` where the file's own path
    /// cannot be said to a shell.
    pub(super) fn wrap_script(&self, script: &str) -> Option<String> {
        let file = quote(self.file.path().to_str()?);
        let tell = quote(&format!("{{ command pwd -P >| {file}; }} 2>/dev/null"));
        Some(format!("trap {tell} EXIT; {script}"))
    }

    /// What it said; `None` when it did not get to it.
    pub(super) fn folder(&mut self) -> Option<PathBuf> {
        match read(self.file.as_file_mut()) {
            // Whatever else a command may have put there is no place.
            Ok(path) => path.filter(|path| path.is_absolute()),
            Err(error) => {
                tracing::warn!(%error, "where a command ended cannot be read");
                None
            }
        }
    }
}

/// Through the file as it was made, whatever stands at its path by now.
fn read(file: &mut File) -> io::Result<Option<PathBuf>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(PATH_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let line = bytes.strip_suffix(b"\n").filter(|line| !line.contains(&0));
    Ok(line.map(|line| Path::new(&OsString::from_vec(line.to_vec())).to_path_buf()))
}
