//! Git packs: many objects in one file that is written atomically, with an index file beside it. Version 2 of
//! both, without deltas.
//!
//! Must not know the purpose of the objects, nor which packs exist.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use tempfile::{NamedTempFile, TempPath};

use super::object::{Kind, OID_LEN, Oid, Sha1};

/// Bytes before the first object.
const HEADER: u64 = 12;
/// Bytes of an index before its ids: magic number, version, 256 counts.
const TABLE: usize = 8 + 256 * 4;
/// Bytes of an index per object: id, checksum, offset.
const ROW: usize = OID_LEN + 4 + 4;
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// Name prefix of files that are being written.
pub(super) const TEMP_PREFIX: &str = "tmp_";
/// Maximum bytes of a pack; offsets in an index have 31 bits.
pub(super) const PACK_MAX: u64 = 1 << 30;

/// Encodes objects for a pack. Reuses its compression tables, which are larger than most objects.
pub(super) struct Packer(Compress);

impl Default for Packer {
    fn default() -> Self {
        Self(Compress::new(Compression::fast(), true))
    }
}

impl Packer {
    /// Returns the encoded object.
    pub(super) fn pack(&mut self, kind: Kind, content: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = head(kind, content.len());
        out.reserve(content.len() / 2 + 64);
        self.0.reset();
        loop {
            let taken = self.0.total_in() as usize;
            let status = self.0.compress_vec(&content[taken..], &mut out, FlushCompress::Finish);
            match status.map_err(io::Error::other)? {
                Status::StreamEnd => return Ok(out),
                Status::Ok | Status::BufError => out.reserve(out.len().max(64)),
            }
        }
    }
}

/// Encodes type and length of an object: four bits of the length, then seven per byte.
fn head(kind: Kind, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(8);
    let mut byte = kind.number() << 4 | (length & 15) as u8;
    let mut rest = length >> 4;
    while rest > 0 {
        out.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    out.push(byte);
    out
}

/// A pack that is being written.
pub(super) struct PackWriter {
    file: BufWriter<NamedTempFile>,
    rows: Vec<(Oid, u32, u32)>,
    at: u64,
}

impl PackWriter {
    /// Creates an empty pack in a folder.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(folder)?;
        let mut file = BufWriter::with_capacity(256 << 10, file);
        file.write_all(&[0; HEADER as usize])?;
        Ok(Self { file, rows: Vec::new(), at: HEADER })
    }

    /// Adds an object encoded by [`Packer::pack`]. An object must not be added twice.
    pub(super) fn add(&mut self, oid: Oid, packed: &[u8]) -> io::Result<()> {
        let offset = u32::try_from(self.at).ok().filter(|at| at.leading_zeros() > 0);
        let offset = offset.ok_or_else(|| io::Error::other("a pack of checkpoints is full"))?;
        self.file.write_all(packed)?;
        self.rows.push((oid, crc32fast::hash(packed), offset));
        self.at += packed.len() as u64;
        Ok(())
    }

    /// Whether the next object needs another pack.
    pub(super) fn is_full(&self) -> bool {
        self.at > PACK_MAX
    }

    /// Flushes the pack to disk under its final name and opens it; `None` if it is empty.
    pub(super) fn finish(mut self) -> io::Result<Option<Pack>> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        self.rows.sort_unstable();
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let count = u32::try_from(self.rows.len()).map_err(io::Error::other)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(b"PACK\0\0\0\x02")?;
        file.write_all(&count.to_be_bytes())?;
        let digest = digest(file.as_file(), self.at)?;
        file.seek(SeekFrom::Start(self.at))?;
        file.write_all(&digest)?;
        file.as_file().sync_all()?;
        let folder = file.path().parent().unwrap_or(Path::new("/")).to_path_buf();
        let stem = folder.join(format!("pack-{}", Oid(digest)));
        let mut index = tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(&folder)?;
        index.write_all(&build_index(&self.rows, digest))?;
        index.as_file().sync_all()?;
        // Readers look for indices, so the index is renamed last.
        rename_to(file.into_temp_path(), &stem.with_extension("pack"))?;
        rename_to(index.into_temp_path(), &stem.with_extension("idx"))?;
        File::open(&folder)?.sync_all()?;
        Pack::open(&stem.with_extension("idx")).map(Some)
    }
}

fn rename_to(file: TempPath, name: &Path) -> io::Result<()> {
    file.persist(name).map_err(|failed| failed.error)
}

/// Returns the digest of the first bytes of a file.
fn digest(file: &File, length: u64) -> io::Result<[u8; OID_LEN]> {
    let mut digest = Sha1::default();
    let mut piece = vec![0; 256 << 10];
    let mut at = 0;
    while at < length {
        let size = piece.len().min((length - at) as usize);
        file.read_exact_at(&mut piece[..size], at)?;
        digest.update(&piece[..size]);
        at += size as u64;
    }
    Ok(digest.finish())
}

/// Returns the index for sorted rows.
fn build_index(rows: &[(Oid, u32, u32)], pack: [u8; OID_LEN]) -> Vec<u8> {
    let mut out = Vec::with_capacity(TABLE + rows.len() * ROW + 2 * OID_LEN);
    out.extend_from_slice(&MAGIC);
    let mut upto = 0;
    for first in 0..=u8::MAX {
        upto += rows[upto..].iter().take_while(|(oid, ..)| oid.0[0] == first).count();
        out.extend_from_slice(&(upto as u32).to_be_bytes());
    }
    out.extend(rows.iter().flat_map(|(oid, ..)| oid.0));
    out.extend(rows.iter().flat_map(|(_, sum, _)| sum.to_be_bytes()));
    out.extend(rows.iter().flat_map(|(.., offset)| offset.to_be_bytes()));
    out.extend_from_slice(&pack);
    let mut digest = Sha1::default();
    digest.update(&out);
    out.extend_from_slice(&digest.finish());
    out
}

/// An open pack. It stays readable after its file was deleted.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    file: File,
    index: Vec<u8>,
    count: usize,
    length: u64,
}

impl Pack {
    /// Opens the pack of an index file.
    pub(super) fn open(index: &Path) -> io::Result<Self> {
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "not an index of a pack as we write it");
        let bytes = fs::read(index)?;
        let last = bytes.get(TABLE - 4..TABLE).filter(|_| bytes.starts_with(&MAGIC)).ok_or_else(bad)?;
        let count = last.iter().fold(0, |sum: usize, byte| sum << 8 | usize::from(*byte));
        if bytes.len() != TABLE + count * ROW + 2 * OID_LEN {
            return Err(bad());
        }
        let path = index.with_extension("pack");
        let file = File::open(&path)?;
        let length = file.metadata()?.len();
        Ok(Self { path, file, index: bytes, count, length })
    }

    /// Returns the path of the pack.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size of the pack in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the ids of its objects, sorted.
    pub(super) fn oids(&self) -> impl Iterator<Item = Oid> {
        (0..self.count).map(|at| self.oid(at))
    }

    fn oid(&self, at: usize) -> Oid {
        let mut oid = [0; OID_LEN];
        oid.copy_from_slice(&self.index[TABLE + at * OID_LEN..][..OID_LEN]);
        Oid(oid)
    }

    fn offset(&self, at: usize) -> u64 {
        let from = TABLE + self.count * (OID_LEN + 4) + at * 4;
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.index[from..from + 4]);
        u64::from(u32::from_be_bytes(bytes))
    }

    fn find(&self, oid: Oid) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.oid(middle).cmp(&oid) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Whether it has an object.
    pub(super) fn has(&self, oid: Oid) -> bool {
        self.find(oid).is_some()
    }

    /// Returns an object after checking its id; `None` if the pack lacks it.
    pub(super) fn read(&self, oid: Oid) -> Option<io::Result<(Kind, Vec<u8>)>> {
        let at = self.find(oid)?;
        let read = self.read_at(self.offset(at));
        Some(read.and_then(|(kind, content)| {
            let same = Oid::of(kind, &content) == oid;
            same.then_some((kind, content)).ok_or_else(|| io::ErrorKind::InvalidData.into())
        }))
    }

    fn read_at(&self, offset: u64) -> io::Result<(Kind, Vec<u8>)> {
        let bad = || io::Error::from(io::ErrorKind::InvalidData);
        let mut reader = BufReader::with_capacity(8 << 10, ReadAt { file: &self.file, at: offset });
        let mut byte = [0];
        reader.read_exact(&mut byte)?;
        let kind = Kind::from_number(byte[0] >> 4 & 7).ok_or_else(bad)?;
        let (mut length, mut shift) = (u64::from(byte[0] & 15), 4);
        while byte[0] & 0x80 != 0 {
            reader.read_exact(&mut byte)?;
            length |= u64::from(byte[0] & 0x7f).checked_shl(shift).ok_or_else(bad)?;
            shift += 7;
        }
        if length > PACK_MAX {
            return Err(bad());
        }
        let mut content = Vec::with_capacity(length.min(self.length.saturating_mul(8)) as usize);
        ZlibDecoder::new(reader).take(length + 1).read_to_end(&mut content)?;
        if content.len() as u64 == length { Ok((kind, content)) } else { Err(bad()) }
    }

    /// Returns the encoded bytes of objects that pass a filter, in the order of their offsets.
    pub(super) fn packed_bytes(
        &self,
        keep: impl Fn(Oid) -> bool,
        mut sink: impl FnMut(Oid, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut offsets: Vec<(u64, usize)> = (0..self.count).map(|at| (self.offset(at), at)).collect();
        offsets.sort_unstable();
        let end = self.length.checked_sub(OID_LEN as u64).ok_or(io::ErrorKind::InvalidData)?;
        let ends = offsets.iter().skip(1).map(|(offset, _)| *offset).chain([end]);
        let mut piece = Vec::new();
        for ((offset, at), end) in offsets.iter().zip(ends) {
            let oid = self.oid(*at);
            if keep(oid) {
                let length = end.checked_sub(*offset).ok_or(io::ErrorKind::InvalidData)?;
                piece.resize(length as usize, 0);
                self.file.read_exact_at(&mut piece, *offset)?;
                sink(oid, &piece)?;
            }
        }
        Ok(())
    }
}

/// Reads a file from an offset on, independent of other readers.
struct ReadAt<'a> {
    file: &'a File,
    at: u64,
}

impl Read for ReadAt<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(folder: &Path, contents: &[Vec<u8>]) -> Option<Pack> {
        let mut writer = PackWriter::new(folder).unwrap();
        let mut packer = Packer::default();
        let mut seen = std::collections::HashSet::new();
        for content in contents {
            let oid = Oid::of(Kind::Blob, content);
            if seen.insert(oid) {
                writer.add(oid, &packer.pack(Kind::Blob, content).unwrap()).unwrap();
            }
        }
        writer.finish().unwrap()
    }

    #[test]
    fn pack_damage_is_error_without_panic() {
        let folder = tempfile::tempdir().unwrap();
        let contents: Vec<Vec<u8>> =
            (0..8).map(|n| format!("content {n}\n").repeat(n * 3).into_bytes()).collect();
        let path = written(folder.path(), &contents).unwrap().path().to_path_buf();
        let bytes = fs::read(&path).unwrap();
        let index = path.with_extension("idx");
        let sound = fs::read(&index).unwrap();
        for at in (HEADER as usize..bytes.len()).step_by(3) {
            let mut broken = bytes.clone();
            broken[at] ^= 0x55;
            fs::write(&path, &broken).unwrap();
            let pack = Pack::open(&index).unwrap();
            for content in &contents {
                let read = pack.read(Oid::of(Kind::Blob, content)).unwrap();
                assert!(read.is_err() || read.unwrap().1 == *content);
            }
        }
        fs::write(&path, &bytes[..40]).unwrap();
        assert!(Pack::open(&index).unwrap().read(Oid::of(Kind::Blob, &contents[7])).unwrap().is_err());
        for length in 0..OID_LEN {
            fs::write(&path, &bytes[..length]).unwrap();
            let pack = Pack::open(&index).unwrap();
            assert!(pack.packed_bytes(|_| true, |_, _| Ok(())).is_err(), "{length} bytes are no pack");
        }
        fs::write(&path, &bytes).unwrap();
        for at in (0..sound.len()).step_by(13) {
            let mut broken = sound.clone();
            broken[at] ^= 0xff;
            fs::write(&index, &broken).unwrap();
            let Ok(pack) = Pack::open(&index) else { continue };
            assert!(at >= MAGIC.len(), "another sign is no index");
            for oid in pack.oids().collect::<Vec<_>>() {
                if let Some(Ok((kind, content))) = pack.read(oid) {
                    assert_eq!(Oid::of(kind, &content), oid, "what is read is what was asked for");
                    assert!(contents.contains(&content));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(24))]
        #[test]
        fn pack_written_objects_are_read_back(contents in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..300),
                (any::<u8>(), 0usize..70_000).prop_map(|(byte, n)| vec![byte; n]),
            ],
            0..12,
        )) {
            let folder = tempfile::tempdir().unwrap();
            let pack = written(folder.path(), &contents);
            prop_assert_eq!(pack.is_none(), contents.is_empty());
            for content in &contents {
                let pack = pack.as_ref().unwrap();
                let read = pack.read(Oid::of(Kind::Blob, content)).unwrap().unwrap();
                prop_assert_eq!(read, (Kind::Blob, content.clone()));
                prop_assert!(!pack.has(Oid::of(Kind::Tree, content)));
            }
            let left: Vec<_> = fs::read_dir(folder.path()).unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name.starts_with(TEMP_PREFIX)).collect();
            prop_assert_eq!(left, Vec::<String>::new());
        }
    }
}
