//! Paths below a workspace as bytes, since file names need not be UTF-8.
//!
//! Must not know files.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A path below a workspace: components joined by `/`, without one at either end; the workspace itself is
/// empty. Sorts by bytes, so a folder precedes its content.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<[u8]>);

impl Name {
    /// Returns the path below a workspace; `None` for one that is outside, or that contains `..` or `.git`.
    pub fn below(root: &Path, path: &Path) -> Option<Self> {
        let below = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
        Self::from_bytes(below.as_os_str().as_bytes())
    }

    /// The same for bytes; `None` for an invalid path or git's own.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let is_name =
            |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.eq_ignore_ascii_case(b".git");
        let fits = bytes.split(|byte| *byte == b'/').all(is_name) && !bytes.contains(&0);
        fits.then(|| Self(bytes.into()))
    }

    /// Returns a child of this folder; `None` if the component is not a valid name.
    pub(super) fn child(&self, part: &[u8]) -> Option<Self> {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + part.len());
        if !self.0.is_empty() {
            bytes.extend_from_slice(&self.0);
            bytes.push(b'/');
        }
        bytes.extend_from_slice(part);
        if part.contains(&b'/') { None } else { Self::from_bytes(&bytes) }
    }

    /// Returns the workspace itself.
    pub fn root() -> Self {
        Self(Box::default())
    }

    /// Returns the bytes, as on disk.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns a relative path.
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// Returns the absolute path below a root.
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(self.path())
    }

    /// Returns the parent folder; `None` for the workspace itself.
    pub fn parent(&self) -> Option<Self> {
        let at = memchr::memrchr(b'/', &self.0);
        if self.0.is_empty() { None } else { Some(Self(self.0[..at.unwrap_or(0)].into())) }
    }

    /// Returns the parent folders, nearest first, without the workspace itself.
    pub fn folders(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent).filter(|name| !name.0.is_empty())
    }

    /// Returns the last component.
    pub fn last(&self) -> &[u8] {
        &self.0[memchr::memrchr(b'/', &self.0).map_or(0, |at| at + 1)..]
    }

    /// Whether it is in a folder, at any depth.
    pub fn is_in(&self, folder: &Self) -> bool {
        folder.0.is_empty() && !self.0.is_empty()
            || self.0.strip_prefix(&*folder.0).is_some_and(|rest| rest.first() == Some(&b'/'))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_only_for_paths_below_root() {
        let name = |path: &str| Name::below(Path::new("/w"), Path::new(path)).map(|name| name.to_string());
        assert_eq!(name("/w/a/b.rs").as_deref(), Some("a/b.rs"));
        assert_eq!(name("a").as_deref(), Some("a"));
        for outside in ["/w", "/x/a", "../a", "a/../../b", "/w/.git/config", "a/.GIT/x", "", "a//b"] {
            assert_eq!(name(outside), None, "{outside}");
        }
        assert!(Name::from_bytes(b"a\0b").is_none());
        assert!(Name::from_bytes(b"\xff/x").is_some());
    }

    #[test]
    fn name_parent_folders_and_children() {
        let name = Name::from_bytes(b"a/b/c").unwrap();
        assert_eq!(name.folders().map(|n| n.to_string()).collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!((name.last(), name.parent().unwrap().last()), (&b"c"[..], &b"b"[..]));
        assert!(name.is_in(&Name::root()) && name.is_in(&Name::from_bytes(b"a").unwrap()));
        assert!(
            !name.is_in(&name) && !Name::from_bytes(b"ab/c").unwrap().is_in(&Name::from_bytes(b"a").unwrap())
        );
        assert_eq!(Name::root().parent(), None);
        assert_eq!(Name::root().child(b"x").unwrap().child(b"y").unwrap().to_string(), "x/y");
        assert!(Name::root().child(b"x/y").is_none() && Name::root().child(b"..").is_none());
    }
}
