//! Spills output too long for memory to a file of this machine.
//!
//! Must not know the output's source. It is written from output sinks, so errors are not reported there: it
//! stops writing and returns the first error at the end.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A file that is created with its first byte.
#[derive(Debug)]
pub struct Spill {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    failed: Option<io::Error>,
}

impl Spill {
    /// Creates a spill for a file in `folder`, which is created when needed. Characters of `name` that are
    /// invalid in a file name become `_`.
    pub fn new(folder: &Path, name: &str) -> Self {
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' })
            .take(100)
            .collect();
        Self { path: folder.join(name), file: None, failed: None }
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.try_write(bytes) {
            self.failed = Some(error);
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(create(&self.path)?)),
        };
        file.write_all(bytes)
    }

    /// Completes the file and returns its path; `None` when nothing was written.
    pub fn finish(mut self) -> io::Result<Option<PathBuf>> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Some(file) = &mut self.file else { return Ok(None) };
        file.flush()?;
        Ok(Some(self.path))
    }
}

/// Output can contain secrets: folder and file are accessible only to the user.
fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = File::create(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spill_file_is_created_on_first_byte() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("artifacts");
        assert_eq!(Spill::new(&sub, "a").finish().unwrap(), None);
        assert!(!sub.exists());
        let mut spill = Spill::new(&sub, "../b c");
        spill.write(b"one ");
        spill.write(b"two");
        let path = spill.finish().unwrap().unwrap();
        assert_eq!(path, sub.join(".._b_c"));
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn spill_error_is_returned_at_finish() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        fs::write(&blocked, "x").unwrap();
        let mut spill = Spill::new(&blocked, "a");
        spill.write(b"one");
        spill.write(b"two");
        assert!(spill.finish().is_err());
    }
}
