//! What is remembered of a long session file, so that opening it again reads none of its lines: of
//! every entry its place in the tree and where its line is.
//!
//! Must not know what entries say. Everything here follows from the session file; an index that is
//! missing, broken or of another file is made anew. It is trusted for as far as the file still has the
//! bytes that it was made from, which samples tell; what was added since is read as ever.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::llm::model::Usage;
use crate::llm::model::usage::Cost;
use crate::session::error::Problem;
use crate::session::role::Role;
use crate::session::sums::Sums;

/// Changes with the form of the file.
const VERSION: u32 = 3;
/// Places in the file that are compared, spread evenly.
const SAMPLES: u64 = 16;
/// Bytes at each of them.
const SAMPLE_BYTES: u64 = 4096;

/// What is remembered, but for the entries, which follow one by one: of a long session there are too many
/// to have them in memory twice.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct Index {
    version: u32,
    /// Bytes of the session file that it covers, whole lines.
    pub(in crate::session) covers: u64,
    /// Lines there.
    pub(in crate::session) lines: u64,
    samples: u32,
    /// Entries that follow.
    count: usize,
    /// What was spent on the way to some of them, by their places.
    pub(in crate::session) sums: Vec<(u32, Sum)>,
    /// What was wrong: number of the line, and what.
    pub(in crate::session) problems: Vec<(u64, String)>,
}

/// One entry.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::session) struct Record<'a> {
    pub(in crate::session) id: &'a str,
    pub(in crate::session) parent: Option<&'a str>,
    pub(in crate::session) timestamp: &'a str,
    pub(in crate::session) kind: &'a str,
    pub(in crate::session) role: Role,
    /// Of the line in the session file, in bytes.
    pub(in crate::session) from: u64,
    pub(in crate::session) length: u32,
}

/// What was spent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct Sum {
    tokens: [u64; 5],
    hour: Option<u64>,
    reasoning: Option<u64>,
    cost: [f64; 5],
}

impl Sum {
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

/// Where the index of a session file is.
pub(in crate::session) fn path_of(session: &Path) -> PathBuf {
    session.with_extension("jsonl.index")
}

/// The bytes of an index whose sum is right; for [`Index::read`].
pub(in crate::session) fn bytes_of(session: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path_of(session)).ok()?.read_to_end(&mut bytes).ok()?;
    let sum = bytes.split_off(bytes.len().checked_sub(4)?);
    (crc32fast::hash(&bytes).to_le_bytes() == sum[..]).then_some(bytes)
}

/// The entries in the order of the file; `None` for one that cannot be read.
pub(in crate::session) struct Records<'a> {
    rest: &'a [u8],
    left: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Option<Record<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (record, rest) = postcard::take_from_bytes(self.rest).ok().unzip();
        self.rest = rest.unwrap_or_default();
        Some(record)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Records<'_> {}

impl Index {
    /// An index of what stands in the first `covers` bytes of a file.
    pub(in crate::session) fn of(
        file: &File,
        covers: u64,
        lines: u64,
        sums: &Sums,
        problems: &[Problem],
    ) -> io::Result<Self> {
        let sums = sums.all().into_iter().map(|(at, usage)| (at, Sum::of(usage))).collect();
        let problems = problems.iter().map(|found| (found.line as u64, found.message.clone())).collect();
        let samples = samples(file, covers)?;
        Ok(Self { version: VERSION, covers, lines, samples, count: 0, sums, problems })
    }

    /// Reads an index, if it is of this file.
    pub(in crate::session) fn read<'a>(bytes: &'a [u8], file: &File) -> Option<(Self, Records<'a>)> {
        let (index, rest) = postcard::take_from_bytes::<Self>(bytes).ok()?;
        let fits = index.version == VERSION && index.covers <= file.metadata().ok()?.len();
        let records = Records { rest, left: index.count.min(rest.len()) };
        (fits && samples(file, index.covers).ok()? == index.samples).then_some((index, records))
    }

    /// Keeps it beside the session file with its first entries, in one step.
    pub(in crate::session) fn write<'r>(
        mut self,
        session: &Path,
        count: usize,
        records: impl Iterator<Item = Record<'r>>,
    ) -> io::Result<()> {
        self.count = count;
        self.sums.retain(|(at, _)| (*at as usize) < count);
        let mut bytes = postcard::to_allocvec(&self).map_err(io::Error::other)?;
        for record in records {
            bytes = postcard::to_extend(&record, bytes).map_err(io::Error::other)?;
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        let path = path_of(session);
        let new = path.with_extension("index.new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(&new)?.write_all(&bytes)?;
        fs::rename(&new, &path)
    }
}

/// A sum over pieces of the first `covers` bytes, the last ones among them.
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
