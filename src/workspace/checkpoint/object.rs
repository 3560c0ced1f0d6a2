//! Git objects: ids, and the encoding of trees. Must not know where objects are stored.

use std::fmt;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

/// Bytes of an object id.
pub const OID_LEN: usize = 20;

/// An object id: the SHA-1 of type, length and content, as in git. It detects damage and equal contents; the
/// store belongs to the user, so forgery is not a threat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub [u8; OID_LEN]);

impl Oid {
    /// Returns the id of a content.
    pub fn of(kind: Kind, content: &[u8]) -> Self {
        let mut digest = Sha1::default();
        digest.update(format!("{} {}\0", kind.name(), content.len()).as_bytes());
        digest.update(content);
        Self(digest.finish())
    }

    /// Parses forty hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; OID_LEN];
        if digits.len() != 2 * OID_LEN || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// An incremental SHA-1.
pub(super) struct Sha1(Context);

impl Default for Sha1 {
    fn default() -> Self {
        Self(Context::new(&SHA1_FOR_LEGACY_USE_ONLY))
    }
}

impl Sha1 {
    /// Adds the next piece.
    pub(super) fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the digest.
    pub(super) fn finish(self) -> [u8; OID_LEN] {
        let mut bytes = [0; OID_LEN];
        bytes.copy_from_slice(self.0.finish().as_ref());
        bytes
    }
}

/// Object type. Only these two are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Tree,
    /// The content of a file, or the target of a link.
    Blob,
}

impl Kind {
    /// Returns git's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }

    /// Returns git's number in packs.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Tree => 2,
            Self::Blob => 3,
        }
    }

    /// Returns the type of a number.
    pub(super) fn from_number(number: u8) -> Option<Self> {
        [Self::Tree, Self::Blob].into_iter().find(|kind| kind.number() == number)
    }
}

/// Mode of a tree entry, as in git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A folder.
    Tree,
    /// A file.
    File,
    /// An executable file.
    Executable,
    /// A symbolic link.
    Link,
}

impl Mode {
    const ALL: [(Self, &'static str); 4] =
        [(Self::Tree, "40000"), (Self::File, "100644"), (Self::Executable, "100755"), (Self::Link, "120000")];

    fn text(self) -> &'static str {
        Self::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, text)| text)
    }
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its name, without slashes.
    pub name: Box<[u8]>,
    /// Its mode.
    pub mode: Mode,
    /// The id of its content.
    pub oid: Oid,
}

/// Returns the content of a tree; sorts the entries in git's order, where folders compare as if their names
/// ended with a slash.
pub fn write_tree(entries: &mut [TreeEntry]) -> Vec<u8> {
    entries.sort_unstable_by(|a, b| sort_key(a).cmp(sort_key(b)));
    let mut out = Vec::with_capacity(entries.iter().map(|entry| entry.name.len() + 28).sum());
    for entry in entries {
        out.extend_from_slice(entry.mode.text().as_bytes());
        out.push(b' ');
        out.extend_from_slice(&entry.name);
        out.push(0);
        out.extend_from_slice(&entry.oid.0);
    }
    out
}

fn sort_key(entry: &TreeEntry) -> impl Iterator<Item = &u8> {
    let slash: &[u8] = if entry.mode == Mode::Tree { b"/" } else { b"" };
    entry.name.iter().chain(slash)
}

/// Returns the entries of a tree; `None` if the content is not in the expected form.
pub fn read_tree(mut content: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let space = memchr::memchr(b' ', content)?;
        let text = std::str::from_utf8(&content[..space]).ok()?;
        let (mode, _) = *Mode::ALL.iter().find(|(_, known)| *known == text)?;
        content = &content[space + 1..];
        let end = memchr::memchr(0, content)?;
        let name = content[..end].into();
        let oid = content.get(end + 1..end + 1 + OID_LEN)?;
        entries.push(TreeEntry { name, mode, oid: Oid(oid.try_into().ok()?) });
        content = &content[end + 1 + OID_LEN..];
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oid_matches_git() {
        // `git hash-object` of nothing, of "hello\n", and of the empty tree.
        let name = |kind, content: &[u8]| Oid::of(kind, content).to_string();
        assert_eq!(name(Kind::Blob, b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(name(Kind::Blob, b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(name(Kind::Tree, b""), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        let oid = Oid::of(Kind::Blob, b"x");
        assert_eq!(Oid::parse(&oid.to_string()), Some(oid));
        for bad in ["", "e69d", "g69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "é".repeat(20).as_str()] {
            assert_eq!(Oid::parse(bad), None);
        }
    }

    #[test]
    fn git_tree_roundtrips_in_git_order() {
        let oid = Oid::of(Kind::Blob, b"");
        let entry = |name: &[u8], mode| TreeEntry { name: name.into(), mode, oid };
        let mut entries = [
            entry(b"a.b", Mode::File),
            entry(b"a", Mode::Tree),
            entry(b"a-b", Mode::Link),
            entry(b"\xff", Mode::Executable),
        ];
        let content = write_tree(&mut entries);
        let names: Vec<_> =
            entries.iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect();
        assert_eq!(names, ["a-b", "a.b", "a", "\u{fffd}"]);
        assert_eq!(read_tree(&content).unwrap(), entries);
        for cut in 1..content.len() {
            // A cut between two entries is a shorter tree.
            assert!(read_tree(&content[..cut]).is_none_or(|found| found.len() < entries.len()));
        }
        assert_eq!(read_tree(b"160000 sub\0aaaaaaaaaaaaaaaaaaaa"), None);
    }
}
