//! The errors in files that a model was told, so that each is told once. Must not know tools, nor servers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::diagnostics::FileError;

/// The errors that a model was told, by file.
#[derive(Debug, Default)]
pub struct ReportedErrors(Mutex<HashMap<PathBuf, Vec<(String, String)>>>);

impl ReportedErrors {
    /// Returns those of the new errors of a file that were not told before, and notes them. `all` are the errors there now:
    /// one that was mended may be told again.
    pub fn take_new<'a>(
        &self,
        path: &Path,
        all: &[FileError],
        new: Vec<&'a FileError>,
    ) -> Vec<&'a FileError> {
        let mut reported = self.0.lock();
        let told = reported.entry(path.to_path_buf()).or_default();
        told.retain(|(message, origin)| {
            all.iter().any(|error| error.message == *message && error.origin == *origin)
        });
        let is_told = |told: &[(String, String)], error: &FileError| {
            told.iter().any(|(message, origin)| *message == error.message && *origin == error.origin)
        };
        let fresh: Vec<_> = new.into_iter().filter(|error| !is_told(told, error)).collect();
        told.extend(fresh.iter().map(|error| (error.message.clone(), error.origin.clone())));
        if told.is_empty() {
            reported.remove(path);
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> FileError {
        FileError { line, column: 2, message: message.to_string(), origin: "toy E1".to_string() }
    }

    #[test]
    fn reported_errors_are_told_once_until_they_are_mended() {
        let told = ReportedErrors::default();
        let path = Path::new("/a");
        let (one, two) = (error(1, "a"), error(2, "b"));
        assert_eq!(told.take_new(path, std::slice::from_ref(&one), vec![&one]).len(), 1);
        assert_eq!(told.take_new(path, &[one.clone(), two.clone()], vec![&one, &two]), [&two]);
        assert_eq!(told.take_new(path, &[], Vec::new()).len(), 0);
        assert_eq!(told.take_new(path, std::slice::from_ref(&one), vec![&one]).len(), 1, "it came back");
    }
}
