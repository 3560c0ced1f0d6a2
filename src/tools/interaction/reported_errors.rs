//! The errors in files that were reported to a model, so that each is reported once. Must not know tools, nor servers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::diagnostics::FileError;

/// The errors that were reported to a model, by file.
#[derive(Debug, Default)]
pub struct ReportedErrors(Mutex<HashMap<PathBuf, Vec<(String, String)>>>);

impl ReportedErrors {
    /// Returns those of the new errors of a file that were not reported before. `all` are the errors there now: one that was
    /// mended may be reported again.
    pub fn fresh<'a>(&self, path: &Path, all: &[FileError], new: Vec<&'a FileError>) -> Vec<&'a FileError> {
        let mut files = self.0.lock();
        let Some(reported) = files.get_mut(path) else { return new };
        reported.retain(|known| all.iter().any(|error| is_same(known, error)));
        let fresh =
            new.into_iter().filter(|error| !reported.iter().any(|known| is_same(known, error))).collect();
        if reported.is_empty() {
            files.remove(path);
        }
        fresh
    }

    /// Notes that errors of a file were reported.
    pub fn note(&self, path: &Path, reported: &[&FileError]) {
        if !reported.is_empty() {
            let reported = reported.iter().map(|error| (error.message.clone(), error.origin.clone()));
            self.0.lock().entry(path.to_path_buf()).or_default().extend(reported);
        }
    }
}

fn is_same((message, origin): &(String, String), error: &FileError) -> bool {
    *message == error.message && *origin == error.origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> FileError {
        FileError { line, column: 2, message: message.to_string(), origin: "toy E1".to_string() }
    }

    #[test]
    fn errors_are_reported_once_until_they_are_mended() {
        let reported = ReportedErrors::default();
        let path = Path::new("/a");
        let (one, two) = (error(1, "a"), error(2, "b"));
        let tell = |all: &[FileError], new: Vec<&FileError>| {
            let fresh = reported.fresh(path, all, new);
            reported.note(path, &fresh);
            fresh.len()
        };
        assert_eq!(tell(std::slice::from_ref(&one), vec![&one]), 1);
        assert_eq!(tell(&[one.clone(), two.clone()], vec![&one, &two]), 1);
        assert_eq!(tell(&[], Vec::new()), 0);
        assert_eq!(tell(std::slice::from_ref(&one), vec![&one]), 1, "it came back");
        assert_eq!(reported.fresh(path, &[one.clone(), two.clone()], vec![&two]).len(), 1);
        assert_eq!(
            reported.fresh(path, &[one, two.clone()], vec![&two]).len(),
            1,
            "what was not named is not reported"
        );
    }
}
