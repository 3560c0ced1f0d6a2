//! The errors in files that a model was told, so that each is told once. Must not know tools, nor servers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::diagnostics::FileError;

/// The errors that a model was told, by file.
#[derive(Debug, Default)]
pub struct ReportedErrors(Mutex<HashMap<PathBuf, Vec<(String, String)>>>);

impl ReportedErrors {
    /// Returns those of the new errors of a file that were not told before. `all` are the errors there now: one that was
    /// mended may be told again.
    pub fn fresh<'a>(&self, path: &Path, all: &[FileError], new: Vec<&'a FileError>) -> Vec<&'a FileError> {
        let mut reported = self.0.lock();
        let Some(told) = reported.get_mut(path) else { return new };
        told.retain(|told| all.iter().any(|error| is_same(told, error)));
        let fresh = new.into_iter().filter(|error| !told.iter().any(|told| is_same(told, error))).collect();
        if told.is_empty() {
            reported.remove(path);
        }
        fresh
    }

    /// Notes that the model was told errors of a file.
    pub fn note(&self, path: &Path, told: &[&FileError]) {
        if !told.is_empty() {
            let told = told.iter().map(|error| (error.message.clone(), error.origin.clone()));
            self.0.lock().entry(path.to_path_buf()).or_default().extend(told);
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
    fn reported_errors_are_told_once_until_they_are_mended() {
        let told = ReportedErrors::default();
        let path = Path::new("/a");
        let (one, two) = (error(1, "a"), error(2, "b"));
        let tell = |all: &[FileError], new: Vec<&FileError>| {
            let fresh = told.fresh(path, all, new);
            told.note(path, &fresh);
            fresh.len()
        };
        assert_eq!(tell(std::slice::from_ref(&one), vec![&one]), 1);
        assert_eq!(tell(&[one.clone(), two.clone()], vec![&one, &two]), 1);
        assert_eq!(tell(&[], Vec::new()), 0);
        assert_eq!(tell(std::slice::from_ref(&one), vec![&one]), 1, "it came back");
        assert_eq!(told.fresh(path, &[one.clone(), two.clone()], vec![&two]).len(), 1);
        assert_eq!(
            told.fresh(path, &[one, two.clone()], vec![&two]).len(),
            1,
            "what was not named is not told"
        );
    }
}
