//! Index of a long session file, so that opening it again reads none of its lines: for every entry its
//! position in the tree and the location of its line. The index stays on disk, too; only the pages in use are
//! read.
//!
//! Must not know the content of entries. Everything here is derived from the session file; an index that is
//! missing, damaged or of another file is rebuilt. Samples check whether the session file still starts with
//! the bytes that the index was made from; later lines are read as usual. A page that is found to be damaged
//! later is rebuilt from the session file, with all others.
//!
//! File layout: magic number, length of the head (4 bytes), head (postcard), its checksum (CRC-32); then the
//! pages of `session::tree::base`, each followed by its checksum, which is seeded with that of the head: a
//! page of another index counts as damaged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::llm::model::Usage;
use crate::llm::model::usage::Cost;
use crate::session::format::error::Problem;
use crate::session::tree::Tree;
use crate::session::tree::append::TreeMetadata;
use crate::session::tree::base::{Base, PAGE, PageSource, page_count};
use crate::session::tree::rows::Widths;
use crate::session::usage::totals::UsageTotals;

/// Magic number of the file; changes with the format.
const MAGIC: [u8; 8] = *b"bowline5";
/// Bytes before the head.
const PREFIX_LEN: usize = MAGIC.len() + 4;
/// Maximum length of the head.
const HEAD_MAX: usize = 64 << 20;
/// Number of samples that are compared, spread evenly.
const SAMPLES: u64 = 16;
/// Bytes of each sample.
const SAMPLE_BYTES: u64 = 4096;
/// Number of cached pages; a page's number determines its slot.
const CACHED_PAGES: usize = 64;
/// Maximum number of entries without parents in an index; a file with more is not indexed.
const ORPHANS_MAX: usize = 1000;

/// The index without its rows.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct Index {
    /// Bytes of the session file that it covers, whole lines.
    pub(in crate::session) covers: u64,
    /// Number of lines that it covers.
    pub(in crate::session) lines: u64,
    samples: u32,
    count: u32,
    widths: Widths,
    kinds: Vec<(String, u32)>,
    root: Option<u32>,
    ends: u32,
    lost: Vec<(u32, String)>,
    /// Usage totals of some entries, by index.
    pub(in crate::session) sums: Vec<(u32, UsageSum)>,
    /// Index of the latest entry that records a restore of the workspace.
    pub(in crate::session) restored: Option<u32>,
    /// Problems: line number and description.
    pub(in crate::session) problems: Vec<(u64, String)>,
}

/// A usage total.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct UsageSum {
    tokens: [u64; 5],
    hour: Option<u64>,
    reasoning: Option<u64>,
    cost: [f64; 5],
}

impl UsageSum {
    fn of(usage: &Usage) -> Self {
        let Usage { input, output, cache_read, cache_write, total_tokens, cost, .. } = usage;
        Self {
            tokens: [*input, *output, *cache_read, *cache_write, *total_tokens],
            hour: usage.cache_write_hour,
            reasoning: usage.reasoning,
            cost: [cost.input, cost.output, cost.cache_read, cost.cache_write, cost.total],
        }
    }

    pub(in crate::session) fn usage(&self) -> Usage {
        let [input, output, cache_read, cache_write, total_tokens] = self.tokens;
        let [for_input, for_output, for_read, for_write, total] = self.cost;
        Usage {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_hour: self.hour,
            reasoning: self.reasoning,
            total_tokens,
            cost: Cost {
                input: for_input,
                output: for_output,
                cache_read: for_read,
                cache_write: for_write,
                total,
            },
            ..Usage::default()
        }
    }
}

/// Returns the path of a session file's index.
pub(in crate::session) fn index_path(session: &Path) -> PathBuf {
    session.with_extension("jsonl.index")
}

/// Rebuilds the pages of an index; `None` on failure.
pub(in crate::session) type Rebuild = Box<dyn Fn() -> Option<Vec<Arc<[u8]>>> + Send + Sync>;

/// A page with its number.
type Page = (usize, Arc<[u8]>);

/// The pages of an index on disk.
struct IndexPages {
    path: PathBuf,
    file: File,
    /// Byte offset of the first page.
    from: u64,
    count: usize,
    /// The checksum of the head.
    seed: u32,
    cache: Mutex<Vec<Option<Page>>>,
    rebuild: Rebuild,
    rebuilt: OnceLock<Vec<Arc<[u8]>>>,
}

impl IndexPages {
    fn read(&self, number: usize) -> io::Result<Arc<[u8]>> {
        let mut bytes = vec![0; PAGE + 4];
        self.file.read_exact_at(&mut bytes, self.from + number as u64 * (PAGE as u64 + 4))?;
        let sum = bytes.split_off(PAGE);
        if page_checksum(self.seed, &bytes) != sum[..] {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(bytes.into())
    }

    fn rebuilt_page(&self, number: usize, error: &io::Error) -> Arc<[u8]> {
        let all = self.rebuilt.get_or_init(|| {
            tracing::warn!(page = number, %error, "the index of a session is broken; the session is read anew");
            // The next opening creates a new one.
            if let Err(error) = fs::remove_file(&self.path) {
                tracing::warn!(%error, "a broken index cannot be removed");
            }
            (self.rebuild)().filter(|pages| pages.len() == self.count).unwrap_or_else(|| {
                tracing::error!("a session whose index is broken cannot be read anew");
                Vec::new()
            })
        });
        all.get(number).cloned().unwrap_or_default()
    }
}

impl PageSource for IndexPages {
    fn page(&self, number: usize) -> Arc<[u8]> {
        let mut kept = self.cache.lock();
        let Some(slot) = kept.get_mut(number % CACHED_PAGES) else { return Arc::default() };
        if let Some((_, page)) = slot.as_ref().filter(|(known, _)| *known == number) {
            return page.clone();
        }
        let page = match (self.rebuilt.get(), number < self.count) {
            (Some(all), _) => all.get(number).cloned().unwrap_or_default(),
            (None, true) => self.read(number).unwrap_or_else(|error| self.rebuilt_page(number, &error)),
            (None, false) => Arc::default(),
        };
        *slot = Some((number, page.clone()));
        page
    }

    fn are_complete(&self) -> bool {
        self.rebuilt.get().is_none_or(|all| !all.is_empty())
    }
}

/// Returns the checksum of a page, or of the head with an empty seed.
fn page_checksum(seed: u32, bytes: &[u8]) -> [u8; 4] {
    let mut sum = crc32fast::Hasher::new_with_initial(seed);
    sum.update(bytes);
    sum.finalize().to_le_bytes()
}

/// Returns the pages of a tree in the index's format; `None` if the tree cannot be indexed.
pub(in crate::session) fn build_pages(tree: &Tree) -> Option<Vec<Arc<[u8]>>> {
    let (_, widths) = tree.metadata(ORPHANS_MAX)?;
    let mut all = Vec::new();
    let done: Result<(), ()> = tree.pages(widths, |page| {
        all.push(page.into());
        Ok(())
    });
    done.ok().map(|()| all)
}

impl Index {
    /// Reads an index if it belongs to this file; also returns the base of the tree.
    pub(in crate::session) fn read(
        session: &Path,
        index_file: &File,
        rescue: impl FnOnce(u64) -> Rebuild,
    ) -> Option<(Self, Base, TreeMetadata)> {
        let path = index_path(session);
        let file = File::open(&path).ok()?;
        let length = file.metadata().ok()?.len();
        let mut front = [0; PREFIX_LEN];
        file.read_exact_at(&mut front, 0).ok()?;
        let (mark, head) = front.split_first_chunk::<8>()?;
        let head = u32::from_le_bytes(*head.first_chunk()?) as usize;
        if *mark != MAGIC || head > HEAD_MAX || head as u64 > length {
            return None;
        }
        let mut bytes = vec![0; head + 4];
        file.read_exact_at(&mut bytes, PREFIX_LEN as u64).ok()?;
        let sum = bytes.split_off(head);
        if page_checksum(0, &bytes) != sum[..] {
            return None;
        }
        let mut index: Self = postcard::from_bytes(&bytes).ok()?;
        let (from, count) = ((PREFIX_LEN + head + 4) as u64, page_count(index.widths, index.count as usize));
        let whole = length == from + count as u64 * (PAGE as u64 + 4);
        let fits = index.covers <= index_file.metadata().ok()?.len()
            && ends_line(index_file, index.covers).ok()?
            && samples(index_file, index.covers).ok()? == index.samples;
        if !whole || !fits {
            return None;
        }
        let kept = Mutex::new(vec![None; CACHED_PAGES]);
        let rescue = rescue(index.covers);
        let pages = Box::new(IndexPages {
            path,
            file,
            from,
            count,
            seed: crc32fast::hash(&bytes),
            cache: kept,
            rebuild: rescue,
            rebuilt: OnceLock::new(),
        });
        let kinds = index.kinds.len() as u32;
        let base = Base { pages, widths: index.widths, count: index.count, kinds };
        let (kinds, lost) = (std::mem::take(&mut index.kinds), std::mem::take(&mut index.lost));
        let remembered =
            TreeMetadata { kinds, root: index.root, leaf_count: index.ends, missing_parents: lost };
        Some((index, base, remembered))
    }
}

/// Writes an index beside the session file atomically, for its first `covers` bytes with this many lines.
/// Does nothing for a tree that cannot be indexed.
pub(in crate::session) fn write(
    session: &Path,
    file: &File,
    (covers, lines): (u64, u64),
    tree: &Tree,
    totals: &UsageTotals,
    restored: Option<u32>,
    problems: &[Problem],
) -> io::Result<()> {
    let Some((remembered, widths)) = tree.metadata(ORPHANS_MAX) else { return Ok(()) };
    let TreeMetadata { kinds, root, leaf_count: ends, missing_parents: lost } = remembered;
    let totals = totals.all().into_iter().map(|(at, usage)| (at, UsageSum::of(usage))).collect();
    let problems = problems.iter().map(|found| (found.line as u64, found.message.clone())).collect();
    let (samples, count) = (samples(file, covers)?, tree.len() as u32);
    let index = Index {
        covers,
        lines,
        samples,
        count,
        widths,
        kinds,
        root,
        ends,
        lost,
        sums: totals,
        restored,
        problems,
    };
    let head = postcard::to_allocvec(&index).map_err(io::Error::other)?;
    // Larger heads are not read.
    if head.len() > HEAD_MAX {
        return Ok(());
    }
    let path = index_path(session);
    let new = path.with_extension("index.new");
    let mut options = OpenOptions::new();
    let out = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    out.write_all(&MAGIC)?;
    out.write_all(&u32::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes())?;
    out.write_all(&head)?;
    let seed = crc32fast::hash(&head);
    out.write_all(&seed.to_le_bytes())?;
    tree.pages(widths, |page| {
        out.write_all(page)?;
        out.write_all(&page_checksum(seed, page))
    })?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?;
    // A row that could not be read would be missing in the new index, too, without notice.
    if !tree.is_complete() {
        fs::remove_file(&new)?;
        return Err(io::Error::other("the one before it is broken"));
    }
    fs::rename(&new, &path)
}

/// Whether a line ends right before this byte offset, which is not 0.
fn ends_line(file: &File, end: u64) -> io::Result<bool> {
    let mut last = [0];
    file.read_exact_at(&mut last, end.checked_sub(1).ok_or(io::ErrorKind::InvalidInput)?)?;
    Ok(last == *b"\n")
}

/// Returns a checksum over samples of the first `covers` bytes, including the last ones.
fn samples(file: &File, covers: u64) -> io::Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    let mut piece = vec![0; usize::try_from(SAMPLE_BYTES.min(covers)).unwrap_or(0)];
    let last = covers - piece.len() as u64;
    for n in 0..=SAMPLES {
        file.read_exact_at(&mut piece, last / SAMPLES * n + if n == SAMPLES { last % SAMPLES } else { 0 })?;
        sum.update(&piece);
    }
    Ok(sum.finalize())
}

#[cfg(test)]
mod tests;
