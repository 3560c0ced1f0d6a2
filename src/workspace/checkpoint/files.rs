//! State of a workspace: the node at each path. Stored as git trees, with a note for what those cannot
//! represent.
//!
//! Must not know the disk. A checkpoint is a tree with two entries: `files`, the workspace as git would store
//! it, and `facts`: permissions beyond the executable bit, existing paths that were not recorded, and
//! recorded paths that are ignored.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Deref, DerefMut};

use super::error::CheckpointError;
use super::name::Name;
use super::object::{Kind, Mode, Oid, TreeEntry, read_tree, write_tree};
use super::pack::Packer;
use super::store::{Batch, Store};

/// First line of the facts: the format version.
const FORMAT: &[u8] = b"bowline checkpoint 1\0";
/// Prefix of a path that was recorded although it is ignored.
const IGNORED: &str = "i";
/// The permission bits that are recorded.
pub const RIGHTS: u32 = 0o777;

/// The node at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A file with permissions and content.
    File {
        /// Its permissions.
        rights: u16,
        /// Its content.
        oid: Oid,
    },
    /// A symbolic link with this target text.
    Link(Oid),
    /// A folder with these permissions.
    Folder(u16),
    /// A path that was not recorded.
    Unrecorded,
}

impl Node {
    /// Returns the content of a file or link.
    pub fn oid(self) -> Option<Oid> {
        match self {
            Self::File { oid, .. } | Self::Link(oid) => Some(oid),
            Self::Folder(_) | Self::Unrecorded => None,
        }
    }

    /// Whether it is a folder.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::Folder(_))
    }
}

/// The nodes by path, folders included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    nodes: BTreeMap<Name, Node>,
    /// Paths that were recorded although they are ignored. The ignore rules may be in the workspace, above
    /// it, in the repository, or the user's own, so this cannot be derived later.
    ignored: BTreeSet<Name>,
}

impl Files {
    /// Marks a path as recorded although ignored.
    pub(super) fn add_ignored(&mut self, name: Name) {
        self.ignored.insert(name);
    }

    /// Returns the paths that were recorded although ignored.
    pub fn ignored(&self) -> &BTreeSet<Name> {
        &self.ignored
    }
}

impl Deref for Files {
    type Target = BTreeMap<Name, Node>;

    fn deref(&self) -> &Self::Target {
        &self.nodes
    }
}

impl DerefMut for Files {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.nodes
    }
}

impl FromIterator<(Name, Node)> for Files {
    fn from_iter<T: IntoIterator<Item = (Name, Node)>>(nodes: T) -> Self {
        Self { nodes: nodes.into_iter().collect(), ignored: BTreeSet::new() }
    }
}

/// The most common permissions, which need no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DefaultRights {
    file: u16,
    executable: u16,
    folder: u16,
}

impl DefaultRights {
    fn most_common(files: &Files) -> Self {
        let most = |fits: &dyn Fn(&Node) -> Option<u16>, fallback: u16| {
            let mut counts: HashMap<u16, usize> = HashMap::new();
            files.values().filter_map(fits).for_each(|rights| *counts.entry(rights).or_default() += 1);
            counts
                .into_iter()
                .max_by_key(|(rights, count)| (*count, *rights))
                .map_or(fallback, |(rights, _)| rights)
        };
        let file = |run: bool| {
            move |node: &Node| match node {
                Node::File { rights, .. } if is_executable(*rights) == run => Some(*rights),
                _ => None,
            }
        };
        let folder = |node: &Node| if let Node::Folder(rights) = node { Some(*rights) } else { None };
        Self {
            file: most(&file(false), 0o644),
            executable: most(&file(true), 0o755),
            folder: most(&folder, 0o755),
        }
    }

    fn rights(self, mode: Mode) -> u16 {
        match mode {
            Mode::Executable => self.executable,
            Mode::Tree => self.folder,
            Mode::File | Mode::Link => self.file,
        }
    }
}

fn is_executable(rights: u16) -> bool {
    rights & 0o100 != 0
}

/// Returns git's mode of a node; `None` for a node that a tree cannot hold.
fn mode(node: Node) -> Option<(Mode, Option<u16>)> {
    match node {
        Node::File { rights, .. } => {
            Some((if is_executable(rights) { Mode::Executable } else { Mode::File }, Some(rights)))
        }
        Node::Link(_) => Some((Mode::Link, None)),
        Node::Folder(rights) => Some((Mode::Tree, Some(rights))),
        Node::Unrecorded => None,
    }
}

/// Writes a state; the contents of its files must be in the store or the batch already. Every parent folder
/// of a path must be among the files.
pub(super) fn save(files: &Files, batch: &Batch<'_>) -> Result<Oid, CheckpointError> {
    let mut packer = Packer::default();
    let mut held: HashMap<Name, Vec<TreeEntry>> = HashMap::new();
    let facts = encode_facts(files);
    // In reverse order, a folder's content precedes the folder.
    for (name, node) in files.iter().rev() {
        let Some((mode, _)) = mode(*node) else { continue };
        let oid = match node.oid() {
            Some(oid) => oid,
            None => tree(held.remove(name), batch, &mut packer)?,
        };
        let folder = name.parent().unwrap_or_else(Name::root);
        held.entry(folder).or_default().push(TreeEntry { name: name.last().into(), mode, oid });
    }
    let root = tree(held.remove(&Name::root()), batch, &mut packer)?;
    debug_assert!(held.is_empty(), "every folder is among the files");
    let facts = batch.put(&mut packer, Kind::Blob, &facts)?;
    let top = vec![
        TreeEntry { name: (*b"facts").into(), mode: Mode::File, oid: facts },
        TreeEntry { name: (*b"files").into(), mode: Mode::Tree, oid: root },
    ];
    tree(Some(top), batch, &mut packer)
}

fn tree(
    entries: Option<Vec<TreeEntry>>,
    batch: &Batch<'_>,
    packer: &mut Packer,
) -> Result<Oid, CheckpointError> {
    batch.put(packer, Kind::Tree, &write_tree(&mut entries.unwrap_or_default()))
}

/// Returns the facts: the format, the common permissions, then `rights path` for each path with other ones,
/// `- path` for each that was not recorded, and `i path` for each that was recorded although ignored; each
/// terminated by a zero byte.
fn encode_facts(files: &Files) -> Vec<u8> {
    let usual = DefaultRights::most_common(files);
    let mut out = FORMAT.to_vec();
    out.extend_from_slice(format!("{:o} {:o} {:o}\0", usual.file, usual.executable, usual.folder).as_bytes());
    for (name, node) in files.iter() {
        let word = match mode(*node) {
            None => "-".to_string(),
            Some((mode, Some(rights))) if rights != usual.rights(mode) => format!("{rights:o}"),
            Some(_) => continue,
        };
        add_record(&mut out, &word, name);
    }
    for name in files.ignored.iter().filter(|name| files.contains_key(name)) {
        add_record(&mut out, IGNORED, name);
    }
    out
}

fn add_record(out: &mut Vec<u8>, word: &str, name: &Name) {
    out.extend_from_slice(word.as_bytes());
    out.push(b' ');
    out.extend_from_slice(name.bytes());
    out.push(0);
}

/// Loads a state. A name that would lead outside of the workspace makes it damaged.
pub fn load(store: &Store, id: Oid) -> Result<Files, CheckpointError> {
    let damaged = || CheckpointError::Damaged(id);
    let top = entries(store, id)?;
    let part = |name: &[u8]| top.iter().find(|entry| *entry.name == *name).map(|entry| entry.oid);
    let facts = store.blob(part(b"facts").ok_or_else(damaged)?)?;
    let mut records = facts.strip_prefix(FORMAT).ok_or_else(damaged)?.split(|byte| *byte == 0);
    let usual = records.next().and_then(parse_defaults).ok_or_else(damaged)?;
    let mut files = Files::default();
    let mut next = vec![(Name::root(), part(b"files").ok_or_else(damaged)?)];
    while let Some((folder, oid)) = next.pop() {
        for entry in entries(store, oid)? {
            let name = folder.child(&entry.name).ok_or_else(damaged)?;
            let rights = usual.rights(entry.mode);
            let node = match entry.mode {
                Mode::Tree => {
                    next.push((name.clone(), entry.oid));
                    Node::Folder(rights)
                }
                Mode::File | Mode::Executable => Node::File { rights, oid: entry.oid },
                Mode::Link => Node::Link(entry.oid),
            };
            files.insert(name, node);
        }
    }
    for record in records.filter(|record| !record.is_empty()) {
        add_fact(&mut files, record).ok_or_else(damaged)?;
    }
    Ok(files)
}

fn entries(store: &Store, oid: Oid) -> Result<Vec<TreeEntry>, CheckpointError> {
    match store.read(oid)? {
        (Kind::Tree, content) => read_tree(&content).ok_or(CheckpointError::Damaged(oid)),
        (Kind::Blob, _) => Err(CheckpointError::Damaged(oid)),
    }
}

fn octal(text: &[u8]) -> Option<u16> {
    let number = u16::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
    (u32::from(number) <= RIGHTS).then_some(number)
}

fn parse_defaults(record: &[u8]) -> Option<DefaultRights> {
    let mut words = record.split(|byte| *byte == b' ').map(octal);
    let mut word = || words.next().flatten();
    Some(DefaultRights { file: word()?, executable: word()?, folder: word()? })
}

fn add_fact(files: &mut Files, record: &[u8]) -> Option<()> {
    let space = memchr::memchr(b' ', record)?;
    let (word, name) = (&record[..space], Name::from_bytes(&record[space + 1..])?);
    if word == b"-" {
        files.insert(name, Node::Unrecorded);
        return Some(());
    }
    if word == IGNORED.as_bytes() {
        files.add_ignored(name);
        return Some(());
    }
    let mode = octal(word)?;
    match files.get_mut(&name)? {
        Node::File { rights, .. } | Node::Folder(rights) => *rights = mode,
        Node::Link(_) | Node::Unrecorded => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::from_bytes(text.as_bytes()).unwrap()
    }

    #[test]
    fn checkpoint_files_roundtrip_modes_links_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let batch = store.batch();
        let oid = batch.put(&mut Packer::default(), Kind::Blob, b"x").unwrap();
        let mut files = Files::from_iter([
            (name("a"), Node::Folder(0o755)),
            (name("a/b"), Node::Folder(0o700)),
            (name("a-b"), Node::File { rights: 0o644, oid }),
            (name("a/run"), Node::File { rights: 0o711, oid }),
            (name("a/secret é"), Node::File { rights: 0o600, oid }),
            (name("link"), Node::Link(oid)),
            (name("z.bin"), Node::Unrecorded),
            (Name::from_bytes(b"\xff\n \xfe").unwrap(), Node::File { rights: 0, oid }),
        ]);
        files.add_ignored(name("a/secret é"));
        let id = save(&files, &batch).unwrap();
        batch.finish().unwrap();
        assert_eq!(load(&store, id).unwrap(), files);
        let batch = store.batch();
        let empty = save(&Files::default(), &batch).unwrap();
        assert_eq!(save(&files, &batch).unwrap(), id, "equal states have one name");
        batch.finish().unwrap();
        assert_eq!(load(&store, empty).unwrap(), Files::default());
        assert!(matches!(load(&store, oid), Err(CheckpointError::Damaged(_))));
    }

    #[test]
    fn checkpoint_with_unsafe_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        for bad in ["..", ".git", "a/b", ""] {
            let batch = store.batch();
            let mut packer = Packer::default();
            let oid = batch.put(&mut packer, Kind::Blob, b"x").unwrap();
            let evil = vec![TreeEntry { name: bad.as_bytes().into(), mode: Mode::File, oid }];
            let root = tree(Some(evil), &batch, &mut packer).unwrap();
            let facts = batch.put(&mut packer, Kind::Blob, &encode_facts(&Files::default())).unwrap();
            let top = vec![
                TreeEntry { name: (*b"facts").into(), mode: Mode::File, oid: facts },
                TreeEntry { name: (*b"files").into(), mode: Mode::Tree, oid: root },
            ];
            let id = tree(Some(top), &batch, &mut packer).unwrap();
            batch.finish().unwrap();
            assert!(matches!(load(&store, id), Err(CheckpointError::Damaged(_))), "{bad}");
        }
    }
}
