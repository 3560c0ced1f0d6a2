//! Trust decisions of the user about folders that configure programs to run: each decision covers the exact
//! content at that time, so that any change asks again. Blocking. Must not know what runs, nor who asks.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

/// File name of the decisions.
const FILE: &str = "trust.json";
/// File name of the lock for changing them.
const LOCK: &str = "trust.lock";
/// Maximum number of files in a folder that can be trusted: more cannot have been reviewed.
const FILES_MAX: usize = 2_000;
/// Maximum bytes of these files.
const BYTES_MAX: u64 = 32 << 20;
/// Bytes of a file that are read at once.
const PIECE: usize = 64 << 10;

/// Decision about a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustState {
    /// Trusted.
    Trusted,
    /// Refused.
    Refused,
    /// No decision, or not about the present content.
    Undecided,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    digest: String,
    trusted: bool,
}

/// The decisions of a user, in the program's state folder.
#[derive(Debug, Clone)]
pub struct Trust {
    folder: PathBuf,
}

impl Trust {
    /// Creates it for a state folder, which is created with the first decision.
    pub fn new(state: &Path) -> Self {
        Self { folder: state.to_path_buf() }
    }

    /// Returns the decision about a folder, or a file, with this digest.
    pub fn state_of(&self, path: &Path, digest: &str) -> io::Result<TrustState> {
        let answers = self.read()?;
        let answer = answers.get(&name_of(path)?).filter(|answer| answer.digest == digest);
        Ok(match answer {
            Some(answer) if answer.trusted => TrustState::Trusted,
            Some(_) => TrustState::Refused,
            None => TrustState::Undecided,
        })
    }

    /// Stores a decision about a folder, or a file, with this digest.
    pub fn answer(&self, path: &Path, digest: &str, trusted: bool) -> io::Result<()> {
        let name = name_of(path)?;
        self.change(|answers| {
            answers.insert(name, Answer { digest: digest.to_string(), trusted });
        })
    }

    /// Removes the decisions about a folder and about the files below it.
    pub fn forget(&self, path: &Path) -> io::Result<()> {
        let name = name_of(path)?;
        self.change(|answers| {
            // Folders below it are projects of their own.
            answers.retain(|known, _| {
                let known_path = Path::new(known);
                *known != name && (!known_path.starts_with(&name) || known_path.is_dir())
            });
        })
    }

    fn read(&self) -> io::Result<BTreeMap<String, Answer>> {
        match fs::read(self.folder.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let message = format!("{} is damaged ({error}); remove it", self.folder.join(FILE).display());
                io::Error::new(ErrorKind::InvalidData, message)
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Answer>)) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.folder.join(LOCK))?;
        // Another run may be storing a decision; the system releases the lock when the file is closed.
        lock.lock()?;
        let mut answers = self.read()?;
        change(&mut answers);
        let mut file = tempfile::Builder::new()
            .prefix("trust-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.folder)?;
        serde_json::to_writer_pretty(&mut file, &answers)?;
        file.flush()?;
        file.as_file().sync_all()?;
        file.persist(self.folder.join(FILE))?;
        Ok(())
    }
}

/// The name of a folder, links followed.
fn name_of(path: &Path) -> io::Result<String> {
    let path = fs::canonicalize(path)?;
    let message =
        || io::Error::new(ErrorKind::InvalidInput, "a folder whose name is no UTF-8 cannot be trusted");
    path.to_str().map(str::to_string).ok_or_else(message)
}

/// Returns a collision-resistant digest of a folder's content: names, contents, and executable bits. Fails
/// for a folder with links, or with too much content to review.
pub fn digest(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut context = Context::new(&SHA256);
    let mut left = BYTES_MAX;
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_encoded_bytes();
        let mut file = File::open(&path)?;
        let facts = file.metadata()?;
        let bytes = read(&mut file, left)?;
        left -= bytes.len() as u64;
        for part in [name, &[u8::from(facts.permissions().mode() & 0o111 != 0)], &bytes] {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part);
        }
    }
    Ok(hex(context))
}

/// The same for a folder, which may be missing, and an additional text.
pub fn digest_with(folder: &Path, beside: &str) -> io::Result<String> {
    let inside = match digest(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        inside => inside?,
    };
    let mut context = Context::new(&SHA256);
    for part in [inside.as_str(), beside] {
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part.as_bytes());
    }
    Ok(hex(context))
}

/// Returns a collision-resistant digest of a file's content, whatever its size.
pub fn digest_of_file(path: &Path) -> io::Result<String> {
    // Opening a pipe would wait for who writes to it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut context = Context::new(&SHA256);
    let (mut file, mut piece) = (File::open(path)?, vec![0; PIECE]);
    loop {
        match io::Read::read(&mut file, &mut piece)? {
            0 => return Ok(hex(context)),
            count => context.update(&piece[..count]),
        }
    }
}

fn hex(context: Context) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or_default();
    let digest = context.finish();
    digest.as_ref().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn read(file: &mut File, left: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, left + 1), &mut bytes)?;
    if bytes.len() as u64 > left {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "there is more in it than 32 MB"));
    }
    Ok(bytes)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            list(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        } else {
            let message = format!("{} is neither a file nor a folder", path.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
        if files.len() > FILES_MAX {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "there are more than 2000 files in it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn place() -> (tempfile::TempDir, PathBuf, Trust) {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("wörk");
        fs::create_dir(&work).unwrap();
        let trust = Trust::new(&folder.path().join("state/deep"));
        (folder, work, trust)
    }

    #[test]
    fn trust_answer_is_per_folder_and_digest() {
        let (folder, work, trust) = place();
        assert_eq!(trust.state_of(&work, "a").unwrap(), TrustState::Undecided);
        trust.answer(&work, "a", true).unwrap();
        trust.answer(folder.path(), "b", false).unwrap();
        symlink(&work, folder.path().join("link")).unwrap();
        assert_eq!(trust.state_of(&folder.path().join("link"), "a").unwrap(), TrustState::Trusted);
        assert_eq!(trust.state_of(&work, "b").unwrap(), TrustState::Undecided);
        assert_eq!(trust.state_of(folder.path(), "b").unwrap(), TrustState::Refused);
        trust.forget(&work).unwrap();
        assert_eq!(trust.state_of(&work, "a").unwrap(), TrustState::Undecided);
        assert!(trust.answer(&folder.path().join("absent"), "a", true).is_err());
        for file in [FILE, LOCK] {
            let mode = fs::metadata(trust.folder.join(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
        assert_eq!(fs::read_dir(&trust.folder).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn trust_damaged_file_trusts_nothing_and_is_kept() {
        let (_folder, work, trust) = place();
        trust.answer(&work, "a", true).unwrap();
        fs::write(trust.folder.join(FILE), "{\"torn").unwrap();
        assert!(trust.state_of(&work, "a").unwrap_err().to_string().contains("remove it"));
        assert!(trust.answer(&work, "a", true).is_err());
        assert_eq!(fs::read_to_string(trust.folder.join(FILE)).unwrap(), "{\"torn");
    }

    #[test]
    fn trust_concurrent_answers_are_all_stored() {
        let (folder, _, trust) = place();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (trust, work) = (trust.clone(), folder.path().join(n.to_string()));
                fs::create_dir(&work).unwrap();
                scope.spawn(move || trust.answer(&work, "a", true).unwrap());
            }
        });
        for n in 0..8 {
            let work = folder.path().join(n.to_string());
            assert_eq!(trust.state_of(&work, "a").unwrap(), TrustState::Trusted);
        }
    }

    #[test]
    fn trust_digest_changes_with_folder_content() {
        let (_folder, work, _) = place();
        fs::create_dir(work.join("sub")).unwrap();
        fs::write(work.join("sub/é"), "ab").unwrap();
        fs::write(work.join("x"), "c").unwrap();
        let mut seen = vec![digest(&work).unwrap()];
        assert_eq!(digest(&work).unwrap(), seen[0]);
        assert_eq!(seen[0].len(), 64);
        fs::write(work.join("x"), "d").unwrap();
        seen.push(digest(&work).unwrap());
        fs::set_permissions(work.join("x"), fs::Permissions::from_mode(0o755)).unwrap();
        seen.push(digest(&work).unwrap());
        fs::rename(work.join("x"), work.join("y")).unwrap();
        seen.push(digest(&work).unwrap());
        fs::write(work.join("z"), "").unwrap();
        seen.push(digest(&work).unwrap());
        fs::rename(work.join("sub"), work.join("sub2")).unwrap();
        seen.push(digest(&work).unwrap());
        let all: std::collections::BTreeSet<&String> = seen.iter().collect();
        assert_eq!(all.len(), seen.len());
        symlink("/bin/sh", work.join("link")).unwrap();
        assert!(digest(&work).unwrap_err().to_string().contains("neither a file nor a folder"));
        assert!(digest(&work.join("absent")).is_err());
        assert!(digest_with(&work, "").is_err());
    }

    #[test]
    fn trust_digest_includes_extra_text() {
        let (_folder, work, _) = place();
        let absent = work.join("absent");
        let mut seen = vec![digest_with(&absent, "").unwrap(), digest_with(&absent, "a").unwrap()];
        seen.push(digest_with(&work, "a").unwrap());
        fs::write(work.join("x"), "a").unwrap();
        seen.extend(["", "a", "b"].map(|beside| digest_with(&work, beside).unwrap()));
        assert_eq!(digest_with(&work, "b").unwrap(), seen[5]);
        let all: std::collections::BTreeSet<&String> = seen.iter().collect();
        assert_eq!(all.len(), seen.len());
    }
}
