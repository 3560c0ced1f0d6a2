//! Stored form of an undo tree as lines of text. Loading checks every step against the text, so that no
//! archive, however damaged, yields an inconsistent tree.
//!
//! The first line identifies the text (length and hash), its revision, and the hash of the following lines,
//! one per revision. A revision on the path from the root to the text is stored as its inverse change, every
//! other one as its change: given the text, each can be derived from the other. Must not know where archives
//! are stored.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::{Author, Grouping};
use crate::text::undo::history::{Formats, History, Revision, RevisionId};

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum ranges of a selection that are stored; of more, only the primary one.
const RANGES_MAX: usize = 100;
/// Approximate overhead of a revision in bytes.
const LINE_BYTES: usize = 150;

/// Why an archive cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It belongs to another text.
    #[error("it is about another text")]
    OtherText,
    /// It has another format version.
    #[error("its form is another version's")]
    Version,
    /// It is torn or invalid.
    #[error("it is damaged")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Head {
    undo_tree: u32,
    /// Bytes of the text.
    length: usize,
    /// Hash of the text.
    text: u64,
    /// The revision that the text is.
    at: usize,
    /// The number of following lines.
    count: usize,
    /// Their hash.
    lines: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    parent: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<usize>,
    time_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<Who>,
    /// Start, end and replacement of each edit.
    edits: Vec<(usize, usize, String)>,
    before: Ranges,
    after: Ranges,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formats: Option<Formats>,
}

/// Author of a revision; the user if omitted.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Who {
    Agent(String),
    Reverting(String),
    External,
    Formatter,
    Plugin(String),
}

/// A selection: the index of the primary range, and anchor and head of each.
#[derive(Serialize, Deserialize)]
struct Ranges(usize, Vec<(usize, usize)>);

/// Returns the archive of a tree whose revision `at` is `text`. If the tree is larger than `budget` bytes,
/// only the newest steps on the path to the text are stored. `None` when nothing is left, or the tree lacks
/// the revision.
pub fn write(history: &History, text: &Text, at: RevisionId, budget: usize) -> Option<String> {
    let at = history.position(at)?;
    let (root, kept) = revisions_to_keep(history, at, budget);
    // Numbers in the archive, where the root is 0.
    let index_of = |revision: usize| {
        if revision == root { Some(0) } else { kept.binary_search(&revision).ok().map(|n| n + 1) }
    };
    let mut on_way = vec![false; history.len()];
    for revision in path_to_root(history, at) {
        on_way[revision] = true;
    }
    let mut lines = String::new();
    for number in &kept {
        let revision = history.at(*number)?;
        let change = if on_way[*number] { &revision.backward } else { &revision.forward };
        let line = Line {
            parent: index_of(revision.parent)?,
            redo: revision.redo.and_then(index_of),
            time_ms: revision.time_ms,
            author: Who::of(&revision.author),
            edits: change.edits().map(|e| (e.old.start.0, e.old.end.0, e.text.to_string())).collect(),
            before: Ranges::of(&revision.selection_before),
            after: Ranges::of(&revision.selection_after),
            formats: revision.formats,
        };
        lines += &serde_json::to_string(&line).expect("plain numbers and strings are always JSON");
        lines.push('\n');
    }
    let head = Head {
        undo_tree: VERSION,
        length: text.end().0,
        text: hash_of(text),
        at: index_of(at)?,
        count: kept.len(),
        lines: hash(lines.as_bytes()),
    };
    let head = serde_json::to_string(&head).expect("plain numbers are always JSON");
    (!kept.is_empty()).then(|| head + "\n" + &lines)
}

/// Returns the revisions from one to the root, newest first, without the root.
fn path_to_root(history: &History, from: usize) -> impl Iterator<Item = usize> {
    let parent = |revision: &usize| history.at(*revision).map(|known| known.parent);
    std::iter::successors(Some(from), parent).filter(|revision| *revision != 0)
}

/// Returns the new root, and the revisions to store, in order.
fn revisions_to_keep(history: &History, at: usize, budget: usize) -> (usize, Vec<usize>) {
    let size = |number: usize| {
        let revision = history.at(number);
        let texts = revision.map_or(0, |r| {
            r.forward.edits().chain(r.backward.edits()).map(|edit| edit.text.len()).sum::<usize>()
        });
        texts + LINE_BYTES
    };
    if (1..history.len()).map(size).sum::<usize>() <= budget {
        return (0, (1..history.len()).collect());
    }
    let (mut bytes, mut kept) = (0, Vec::new());
    for revision in path_to_root(history, at) {
        bytes += size(revision);
        if bytes > budget {
            kept.reverse();
            return (revision, kept);
        }
        kept.push(revision);
    }
    kept.reverse();
    (0, kept)
}

/// The tree of an archive about this text.
pub fn read(archive: &str, text: &Text) -> Result<History, ArchiveError> {
    let (head, lines) = archive.split_once('\n').ok_or(ArchiveError::Damaged)?;
    let head: Head = serde_json::from_str(head).map_err(|_| ArchiveError::Damaged)?;
    if head.undo_tree != VERSION {
        return Err(ArchiveError::Version);
    }
    if hash(lines.as_bytes()) != head.lines {
        return Err(ArchiveError::Damaged);
    }
    if head.length != text.end().0 || head.text != hash_of(text) {
        return Err(ArchiveError::OtherText);
    }
    let lines: Vec<Line> = lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|_| ArchiveError::Damaged)?;
    if lines.len() != head.count || head.at > lines.len() {
        return Err(ArchiveError::Damaged);
    }
    rebuild(&lines, head.at, text).ok_or(ArchiveError::Damaged)
}

/// Rebuilds the tree by replaying all its texts. `None` when a step does not fit.
fn rebuild(lines: &[Line], at: usize, text: &Text) -> Option<History> {
    // A parent is older than its children, so every path ends at the root.
    if lines.iter().enumerate().any(|(n, line)| line.parent > n) {
        return None;
    }
    let mut texts: Vec<Option<Text>> = vec![None; lines.len() + 1];
    let mut changes: Vec<Option<(ChangeSet, ChangeSet)>> = vec![None; lines.len() + 1];
    texts[at] = Some(text.clone());
    let mut back = at;
    while back != 0 {
        let line = &lines[back - 1];
        let after = texts[back].clone()?;
        let backward = check_edits(&line.edits, &after)?;
        let mut before = after.clone();
        backward.apply(&mut before);
        changes[back] = Some((backward.invert(&after), backward));
        texts[line.parent] = Some(before);
        back = line.parent;
    }
    for (n, line) in (1..).zip(lines) {
        if changes[n].is_none() {
            let before = texts[line.parent].clone()?;
            let forward = check_edits(&line.edits, &before)?;
            let mut after = before.clone();
            forward.apply(&mut after);
            changes[n] = Some((forward.clone(), forward.invert(&before)));
            texts[n] = Some(after);
        }
    }
    let mut newest = vec![None; lines.len() + 1];
    for (n, line) in (1..).zip(lines) {
        newest[line.parent] = Some(n);
    }
    let is_child = |of: usize, child: usize| lines.get(child.wrapping_sub(1)).is_some_and(|l| l.parent == of);
    let mut revisions = Vec::with_capacity(lines.len());
    for (n, line) in (1..).zip(lines) {
        let (forward, backward) = changes[n].take()?;
        revisions.push(Arc::new(Revision {
            id: RevisionId::default(),
            parent: line.parent,
            redo: line.redo.filter(|child| is_child(n, *child)).or(newest[n]),
            forward,
            backward,
            selection_before: line.before.within(texts[line.parent].as_ref()?)?,
            selection_after: line.after.within(texts[n].as_ref()?)?,
            formats: line.formats,
            author: line.author.as_ref().map_or(Author::User, Who::author),
            time_ms: line.time_ms,
            grouping: Grouping::Separate,
            texts: None,
        }));
    }
    // Redo follows the path from the root to the text.
    let root_redo = way_from_root(lines, at).or(newest[0]);
    Some(History::from_revisions(revisions, at, root_redo))
}

fn way_from_root(lines: &[Line], at: usize) -> Option<usize> {
    let parent = |n: &usize| lines.get(n.wrapping_sub(1)).map(|line| line.parent);
    std::iter::successors(Some(at).filter(|at| *at != 0), parent).take_while(|n| *n != 0).last()
}

/// Returns edits as a change, if they are valid: in order, and on character boundaries.
pub(in crate::text) fn check_edits(edits: &[(usize, usize, String)], text: &Text) -> Option<ChangeSet> {
    let (mut last, length) = (0, text.end().0);
    for (start, end, _) in edits {
        let fits = *start >= last && end >= start && *end <= length;
        if !fits || [start, end].iter().any(|at| text.char_floor(Byte(**at)) != Byte(**at)) {
            return None;
        }
        last = *end;
    }
    let edit = |(start, end, new): &(usize, usize, String)| (Byte(*start)..Byte(*end), new.clone());
    Some(ChangeSet::replace(length, edits.iter().map(edit)))
}

impl Who {
    fn of(author: &Author) -> Option<Self> {
        match author {
            Author::User => None,
            Author::Agent(by) => Some(Self::Agent(by.clone())),
            Author::Revert(by) => Some(Self::Reverting(by.clone())),
            Author::External => Some(Self::External),
            Author::Formatter => Some(Self::Formatter),
            Author::Plugin(name) => Some(Self::Plugin(name.clone())),
        }
    }

    fn author(&self) -> Author {
        match self {
            Self::Agent(by) => Author::Agent(by.clone()),
            Self::Reverting(by) => Author::Revert(by.clone()),
            Self::External => Author::External,
            Self::Formatter => Author::Formatter,
            Self::Plugin(name) => Author::Plugin(name.clone()),
        }
    }
}

impl Ranges {
    fn of(selection: &Selection) -> Self {
        let pair = |range: &Range| (range.anchor.0, range.head.0);
        if selection.ranges().len() > RANGES_MAX {
            return Self(0, vec![pair(&selection.primary())]);
        }
        Self(selection.primary_index(), selection.ranges().iter().map(pair).collect())
    }

    /// Returns the selection fitted to a text; `None` when it is invalid.
    fn within(&self, text: &Text) -> Option<Selection> {
        let Self(primary, ranges) = self;
        let clamp = |at: &usize| text.char_floor(Byte(*at).min(text.end()));
        let ranges: Vec<Range> =
            ranges.iter().map(|(anchor, head)| Range::new(clamp(anchor), clamp(head))).collect();
        (*primary < ranges.len()).then(|| Selection::new(ranges, *primary))
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Returns the hash of a text, independent of its chunks.
fn hash_of(text: &Text) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.chunks_from(Byte(0)).for_each(|chunk| hasher.write(chunk.as_bytes()));
    hasher.finish()
}

#[cfg(test)]
mod tests;
