//! The errors in files that were reported to a model, so that each is reported once. Must not know tools, nor servers.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::language_servers::FileDiagnostic;

/// The errors that were reported to a model, by file.
#[derive(Debug, Default)]
pub struct ReportedErrors {
    files: Mutex<HashMap<PathBuf, Vec<(String, String)>>>,
    /// Files in which some were reported since the last [`Self::take_files`].
    recent: Mutex<BTreeSet<PathBuf>>,
}

impl ReportedErrors {
    /// Returns those of the new errors of a file that were not reported before. `all` are the errors there now: one that was
    /// mended may be reported again.
    pub fn fresh<'a>(
        &self,
        path: &Path,
        all: &[FileDiagnostic],
        new: Vec<&'a FileDiagnostic>,
    ) -> Vec<&'a FileDiagnostic> {
        let mut files = self.files.lock();
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
    pub fn note(&self, path: &Path, reported: &[&FileDiagnostic]) {
        if !reported.is_empty() {
            self.recent.lock().insert(path.to_path_buf());
            let reported = reported.iter().map(|error| (error.message.clone(), error.origin.clone()));
            self.files.lock().entry(path.to_path_buf()).or_default().extend(reported);
        }
    }

    /// Returns the files in which errors were reported since the last call.
    pub fn take_files(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut *self.recent.lock())
    }

    /// Whether an error of a file was reported.
    pub fn contains(&self, path: &Path, error: &FileDiagnostic) -> bool {
        let files = self.files.lock();
        files.get(path).is_some_and(|reported| reported.iter().any(|known| is_same(known, error)))
    }
}

fn is_same((message, origin): &(String, String), error: &FileDiagnostic) -> bool {
    *message == error.message && *origin == error.origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> FileDiagnostic {
        FileDiagnostic::error(line, message)
    }

    #[test]
    fn errors_are_reported_once_until_they_are_mended() {
        let reported = ReportedErrors::default();
        let path = Path::new("/a");
        let (one, two) = (error(1, "a"), error(2, "b"));
        let tell = |all: &[FileDiagnostic], new: Vec<&FileDiagnostic>| {
            let fresh = reported.fresh(path, all, new);
            reported.note(path, &fresh);
            fresh.len()
        };
        assert!(reported.take_files().is_empty());
        assert_eq!(tell(std::slice::from_ref(&one), vec![&one]), 1);
        assert_eq!(tell(&[one.clone(), two.clone()], vec![&one, &two]), 1);
        assert!(reported.contains(path, &one) && !reported.contains(Path::new("/b"), &one));
        assert_eq!((reported.take_files().len(), reported.take_files().len()), (1, 0));
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
