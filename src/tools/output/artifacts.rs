//! Artifacts: outputs too long for a model, stored in full under names that a model can read: `artifact://1`,
//! `artifact://2`, in order.
//!
//! Must not know tools. They are files of this machine, wherever the tools work. Limits of a session: 256 MiB
//! per output, 1 GiB in total, 30 days; the oldest are deleted first. A continued session finds its earlier
//! ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::exec::storage::cache::Limits;
use crate::exec::{CacheFolder, Environment, LocalEnvironment, Spill};

/// Prefix of the names.
const SCHEME: &str = "artifact://";
/// Maximum bytes stored of one output.
const OUTPUT_MAX: u64 = 256 * 1024 * 1024;
/// Limits of a session.
const LIMITS: Limits = Limits { bytes: 1024 * 1024 * 1024, age: Duration::from_hours(30 * 24) };

/// Location of an artifact: an environment and a path in it.
pub type ArtifactLocation = (Arc<dyn Environment>, PathBuf);

/// The artifacts of one session.
#[derive(Debug)]
pub struct Artifacts {
    folder: PathBuf,
    /// The last number assigned; unknown until the folder was read.
    last: Mutex<Option<u64>>,
}

/// One artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its name, such as `artifact://3`.
    pub name: String,
    /// The tool that produced it.
    pub tool: String,
    /// Its path on this machine.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The stored part of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Whether it is complete, within the size limit.
    pub is_complete: bool,
}

impl Artifacts {
    /// Creates a store in this folder, which is created on first use.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, last: Mutex::default() }
    }

    /// Returns the number of the artifact that a path names, if it names one.
    pub fn number(path: &str) -> Option<u64> {
        path.trim().strip_prefix(SCHEME)?.parse().ok()
    }

    /// Returns the location of an artifact; `None` for other paths, an error message if there is no such
    /// artifact.
    pub fn open(&self, path: &str) -> Option<Result<ArtifactLocation, String>> {
        if !path.trim().starts_with(SCHEME) {
            return None;
        }
        let all = match self.list() {
            Ok(all) => all,
            Err(error) => return Some(Err(format!("Cannot look for {path}: {error}."))),
        };
        let found = Self::number(path).and_then(|number| all.iter().find(|kept| kept.name == name(number)));
        Some(match found {
            Some(kept) => {
                let env: Arc<dyn Environment> = Arc::new(LocalEnvironment::new(self.folder.clone(), []));
                Ok((env, kept.path.clone()))
            }
            None if all.is_empty() => Err(format!("There is no {path}; no output is kept.")),
            None => {
                let names: Vec<&str> = all.iter().map(|kept| kept.name.as_str()).collect();
                Err(format!("There is no {path}. Kept are: {}.", names.join(", ")))
            }
        })
    }

    /// Returns a complete output; `None` if it is gone, or exceeded the size limit.
    pub async fn read_whole(&self, name: &str) -> Option<String> {
        let (env, path) = self.open(name)?.ok()?;
        let bytes = env.read(&path).await.ok()?.bytes;
        let is_whole = (bytes.len() as u64) < OUTPUT_MAX;
        is_whole.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns all artifacts, by number.
    pub fn list(&self) -> io::Result<Vec<Artifact>> {
        let mut all: Vec<(u64, Artifact)> = CacheFolder::new(self.folder.clone())
            .list()?
            .into_iter()
            .filter_map(|item| {
                let (number, tool) = read_name(&item.name)?;
                let (name, path, tool) = (name(number), self.folder.join(&item.name), tool.to_string());
                Some((number, Artifact { name, tool, path, bytes: item.bytes }))
            })
            .collect();
        all.sort_by_key(|(number, _)| *number);
        Ok(all.into_iter().map(|(_, artifact)| artifact).collect())
    }

    /// Starts storing an output that arrives in chunks. The file is created with the first one.
    pub fn start_writing(self: &Arc<Self>, tool: &str) -> ArtifactWriter {
        ArtifactWriter { artifacts: Arc::clone(self), tool: tool.to_string(), file: None, bytes: 0 }
    }

    /// Stores an output.
    pub fn save(self: &Arc<Self>, tool: &str, text: &str) -> io::Result<SavedOutput> {
        let mut writing = self.start_writing(tool);
        writing.write(text.as_bytes());
        writing.finish()
    }

    /// Deletes expired artifacts of all sessions; `folder` contains a folder per session.
    pub fn clean_all(folder: &Path) -> io::Result<()> {
        CacheFolder::clean_folders(folder, LIMITS)
    }

    fn next(&self) -> u64 {
        let mut last = self.last.lock();
        // A folder that cannot be listed is not writable either, which is reported at the end.
        let known = last.unwrap_or_else(|| {
            let items = CacheFolder::new(self.folder.clone()).list().unwrap_or_default();
            items.iter().filter_map(|item| Some(read_name(&item.name)?.0)).max().unwrap_or(0)
        });
        *last = Some(known + 1);
        known + 1
    }
}

fn name(number: u64) -> String {
    format!("{SCHEME}{number}")
}

/// Number and tool from a file's name, such as `3-bash.txt`.
fn read_name(file: &str) -> Option<(u64, &str)> {
    let (number, tool) = file.strip_suffix(".txt")?.split_once('-')?;
    Some((number.parse().ok()?, tool))
}

/// An output that is being stored. Errors are reported at the end.
#[derive(Debug)]
pub struct ArtifactWriter {
    artifacts: Arc<Artifacts>,
    tool: String,
    file: Option<(u64, Spill)>,
    /// Total bytes, including those above the limit.
    bytes: u64,
}

impl ArtifactWriter {
    /// Appends a chunk.
    pub fn write(&mut self, piece: &[u8]) {
        let room = OUTPUT_MAX.saturating_sub(self.bytes);
        self.bytes += piece.len() as u64;
        let piece = &piece[..piece.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        let (_, spill) = self.file.get_or_insert_with(|| {
            let number = self.artifacts.next();
            (number, Spill::new(&self.artifacts.folder, &format!("{number}-{}.txt", self.tool)))
        });
        spill.write(piece);
    }

    /// Completes it, and deletes artifacts above the session's limits.
    pub fn finish(self) -> io::Result<SavedOutput> {
        let nothing = || io::Error::from(io::ErrorKind::NotFound);
        let (number, spill) = self.file.ok_or_else(nothing)?;
        let path = spill.finish()?.ok_or_else(nothing)?;
        CacheFolder::new(self.artifacts.folder.clone()).clean(LIMITS)?;
        Ok(SavedOutput { name: name(number), path, is_complete: self.bytes <= OUTPUT_MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn artifacts_are_numbered_and_reopened() {
        let folder = tempfile::tempdir().unwrap();
        let at = || Arc::new(Artifacts::new(folder.path().join("s1")));
        let artifacts = at();
        assert!(artifacts.list().unwrap().is_empty());
        assert!(artifacts.open("src/a.rs").is_none());
        assert_eq!(
            artifacts.open("artifact://1").unwrap().unwrap_err(),
            "There is no artifact://1; no output is kept."
        );
        let first = artifacts.save("bash", "one").unwrap();
        assert_eq!((first.name.as_str(), first.is_complete), ("artifact://1", true));
        let mut late = artifacts.start_writing("grep");
        assert_eq!(artifacts.save("../x", "two").unwrap().name, "artifact://2");
        late.write(b"th");
        late.write(b"ree");
        assert_eq!(late.finish().unwrap().name, "artifact://3");
        // Another start of the same session goes on.
        let artifacts = at();
        assert_eq!(artifacts.save("bash", "four").unwrap().name, "artifact://4");
        let all = artifacts.list().unwrap();
        let shown: Vec<_> =
            all.iter().map(|kept| (kept.name.as_str(), kept.tool.as_str(), kept.bytes)).collect();
        let wanted = [
            ("artifact://1", "bash", 3),
            ("artifact://2", ".._x", 3),
            ("artifact://3", "grep", 5),
            ("artifact://4", "bash", 4),
        ];
        assert_eq!(shown, wanted);
        let (env, path) = artifacts.open(" artifact://3").unwrap().unwrap();
        assert_eq!(env.read(&path).await.unwrap().bytes, b"three");
        assert_eq!(artifacts.read_whole("artifact://3").await.as_deref(), Some("three"));
        assert_eq!(
            (artifacts.read_whole("artifact://9").await, artifacts.read_whole("three").await),
            (None, None)
        );
        let missing = artifacts.open("artifact://../../etc/passwd").unwrap().unwrap_err();
        assert!(missing.contains("artifact://1, artifact://2"), "{missing}");
    }

    #[test]
    fn artifacts_unwritable_folder_is_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "x").unwrap();
        let artifacts = Arc::new(Artifacts::new(folder.path().join("file")));
        assert!(artifacts.save("bash", "one").is_err());
        assert!(artifacts.open("artifact://1").unwrap().is_err());
    }

    #[test]
    fn artifacts_size_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let artifacts = Arc::new(Artifacts::new(folder.path().into()));
        let mut writing = artifacts.start_writing("bash");
        writing.write(b"begin");
        writing.bytes = OUTPUT_MAX - 2;
        writing.write(b"abcdef");
        let kept = writing.finish().unwrap();
        assert!(!kept.is_complete);
        assert_eq!(std::fs::read(kept.path).unwrap(), b"beginab");
    }
}
