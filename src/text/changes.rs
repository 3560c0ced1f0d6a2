//! Change set: a change of a text as a value that can be applied, inverted and composed with a later one, and
//! that maps positions. Must not know who made it or when.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ropey::RopeBuilder;

use super::position::Byte;
use super::rope::Text;

/// Up to this many operations are applied one by one, whatever the text.
const FEW_OPS: usize = 64;
/// An operation in a rope costs as much as copying about this many bytes: with more operations than that the
/// text is rebuilt.
const BYTES_PER_OP: usize = 2048;

/// An operation on the old text. Lengths in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Op {
    Retain(usize),
    Delete(usize),
    Insert(String),
}

/// Where a position goes when text is inserted exactly at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It stays before the new text.
    Before,
    /// It moves after it.
    After,
}

/// A change of a text of a certain length. Clones share the operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSet {
    steps: Arc<Steps>,
    len_before: usize,
    len_after: usize,
}

/// The operations of a change, with an index.
#[derive(Debug, Default)]
struct Steps {
    ops: Vec<Op>,
    index: OnceLock<Vec<Entry>>,
}

impl PartialEq for Steps {
    fn eq(&self, other: &Self) -> bool {
        self.ops == other.ops
    }
}

impl Eq for Steps {}

/// An operation that keeps text, and its offsets.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    op: usize,
    old: usize,
    new: usize,
}

/// Approximate interval of index entries, in operations.
const ENTRY_EVERY: usize = 16;

/// Builder of a change.
#[derive(Default)]
struct Builder {
    ops: Vec<Op>,
    len_before: usize,
    len_after: usize,
}

impl Builder {
    fn retain(&mut self, n: usize) {
        self.len_before += n;
        self.len_after += n;
        match self.ops.last_mut() {
            _ if n == 0 => {}
            Some(Op::Retain(last)) => *last += n,
            _ => self.ops.push(Op::Retain(n)),
        }
    }

    /// A deletion always precedes an insertion at the same position: then equal changes are equal values, and
    /// a replacement is one deletion followed by one insertion.
    fn delete(&mut self, n: usize) {
        self.len_before += n;
        let index = self.ops.len() - usize::from(matches!(self.ops.last(), Some(Op::Insert(_))));
        match index.checked_sub(1).map(|at| &mut self.ops[at]) {
            _ if n == 0 => {}
            Some(Op::Delete(last)) => *last += n,
            _ => self.ops.insert(index, Op::Delete(n)),
        }
    }

    fn insert(&mut self, text: String) {
        self.len_after += text.len();
        match self.ops.last_mut() {
            _ if text.is_empty() => {}
            Some(Op::Insert(last)) => last.push_str(&text),
            _ => self.ops.push(Op::Insert(text)),
        }
    }

    fn finish(self) -> ChangeSet {
        let steps = Arc::new(Steps { ops: self.ops, index: OnceLock::new() });
        ChangeSet { steps, len_before: self.len_before, len_after: self.len_after }
    }
}

impl ChangeSet {
    /// Returns the empty change of a text of `len` bytes.
    pub fn identity(len: usize) -> Self {
        let mut changes = Builder::default();
        changes.retain(len);
        changes.finish()
    }

    /// Returns a change that replaces ranges of a text of `len` bytes. The ranges must be sorted and must not
    /// overlap; they may touch.
    pub fn replace(len: usize, edits: impl IntoIterator<Item = (Range<Byte>, String)>) -> Self {
        let mut changes = Builder::default();
        let mut at = 0;
        for (range, text) in edits {
            debug_assert!(range.start.0 >= at && range.end >= range.start, "edits are sorted");
            changes.retain(range.start.0 - at);
            // Deletion first: then an undo puts the cursor at the old text.
            changes.delete(range.end - range.start);
            changes.insert(text);
            at = range.end.0;
        }
        changes.retain(len - at);
        changes.finish()
    }

    /// Length of the text that this applies to, in bytes.
    pub fn len_before(&self) -> usize {
        self.len_before
    }

    /// Returns the length of the changed text, in bytes.
    pub fn len_after(&self) -> usize {
        self.len_after
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.steps.ops.iter().all(|op| matches!(op, Op::Retain(_)))
    }

    /// Whether the text is rebuilt instead of changed in place.
    pub fn is_extensive(&self) -> bool {
        let ops = self.steps.ops.len();
        ops > FEW_OPS && ops * BYTES_PER_OP > self.len_before
    }

    /// Changes a text in place. The text must have the length that the change was made for.
    pub fn apply(&self, text: &mut Text) {
        assert_eq!(text.end().0, self.len_before, "a change is applied to the text that it was made for");
        if self.is_extensive() {
            *text = self.rebuild(text);
            return;
        }
        let mut at = Byte(0);
        for op in &self.steps.ops {
            match op {
                Op::Retain(n) => at += *n,
                Op::Delete(n) => text.remove(at..at + *n),
                Op::Insert(new) => {
                    text.insert(at, new);
                    at += new.len();
                }
            }
        }
    }

    /// Returns the changed text, rebuilt from kept and inserted pieces.
    fn rebuild(&self, text: &Text) -> Text {
        let mut builder = RopeBuilder::new();
        let mut at = Byte(0);
        for op in &self.steps.ops {
            match op {
                Op::Retain(n) => {
                    text.chunks_in(at..at + *n).for_each(|chunk| builder.append(chunk));
                    at += *n;
                }
                Op::Delete(n) => at += *n,
                Op::Insert(new) => builder.append(new),
            }
        }
        text.chunks_in(at..text.end()).for_each(|chunk| builder.append(chunk));
        Text::from(builder.finish())
    }

    /// Returns the inverse change; `original` is the text before this one.
    #[must_use]
    pub fn invert(&self, original: &Text) -> Self {
        let mut inverse = Builder::default();
        let mut at = Byte(0);
        for op in &self.steps.ops {
            match op {
                Op::Retain(n) => {
                    inverse.retain(*n);
                    at += *n;
                }
                Op::Delete(n) => {
                    inverse.insert(original.slice(at..at + *n).into_owned());
                    at += *n;
                }
                Op::Insert(new) => inverse.delete(new.len()),
            }
        }
        inverse.finish()
    }

    /// Returns this change followed by `next`, as one.
    #[must_use]
    pub fn compose(self, next: &Self) -> Self {
        assert_eq!(self.len_after, next.len_before, "changes are composed in order");
        let mut out = Builder::default();
        let own = Arc::try_unwrap(self.steps).map_or_else(|shared| shared.ops.clone(), |steps| steps.ops);
        let mut first = own.into_iter();
        let mut second = next.steps.ops.iter().cloned();
        let (mut a, mut b) = (first.next(), second.next());
        loop {
            match (a, b) {
                (None, None) => return out.finish(),
                (Some(Op::Delete(n)), rest) => {
                    out.delete(n);
                    (a, b) = (first.next(), rest);
                }
                (rest, Some(Op::Insert(new))) => {
                    out.insert(new);
                    (a, b) = (rest, second.next());
                }
                (Some(Op::Retain(n)), Some(Op::Retain(m))) => {
                    out.retain(n.min(m));
                    a = rest_of(Op::Retain(n), m).or_else(|| first.next());
                    b = rest_of(Op::Retain(m), n).or_else(|| second.next());
                }
                (Some(Op::Retain(n)), Some(Op::Delete(m))) => {
                    out.delete(n.min(m));
                    a = rest_of(Op::Retain(n), m).or_else(|| first.next());
                    b = rest_of(Op::Delete(m), n).or_else(|| second.next());
                }
                (Some(Op::Insert(new)), Some(Op::Retain(m))) => {
                    let n = new.len();
                    out.insert(new[..n.min(m)].to_string());
                    a = rest_of(Op::Insert(new), m).or_else(|| first.next());
                    b = rest_of(Op::Retain(m), n).or_else(|| second.next());
                }
                (Some(Op::Insert(new)), Some(Op::Delete(m))) => {
                    let n = new.len();
                    a = rest_of(Op::Insert(new), m).or_else(|| first.next());
                    b = rest_of(Op::Delete(m), n).or_else(|| second.next());
                }
                (None, Some(_)) | (Some(_), None) => unreachable!("the lengths agree"),
            }
        }
    }

    /// Returns the last index entry before a position of the old text.
    fn entry_before(&self, position: Byte) -> Entry {
        let index = self.index();
        let next = index.partition_point(|entry| entry.old < position.0);
        next.checked_sub(1).map_or(Entry::default(), |at| index[at])
    }

    /// Returns the index, built on first use; empty if there are few operations.
    fn index(&self) -> &[Entry] {
        let ops = &self.steps.ops;
        if ops.len() <= ENTRY_EVERY {
            return &[];
        }
        self.steps.index.get_or_init(|| {
            let mut index = Vec::with_capacity(ops.len() / ENTRY_EVERY);
            let mut here = Entry::default();
            let mut due = 0;
            for (n, op) in ops.iter().enumerate() {
                here.op = n;
                match op {
                    Op::Retain(n) => {
                        if here.op >= due {
                            index.push(here);
                            due = here.op + ENTRY_EVERY;
                        }
                        here.old += n;
                        here.new += n;
                    }
                    Op::Delete(n) => here.old += n,
                    Op::Insert(text) => here.new += text.len(),
                }
            }
            index
        })
    }

    /// Builds the index now instead of at the first lookup.
    pub fn prepare(&self) {
        self.index();
    }

    /// Maps a position of the old text to the new one. Logarithmic in the number of edits, after the first
    /// call.
    pub fn map(&self, position: Byte, side: Side) -> Byte {
        self.map_from(self.entry_before(position), position, side)
    }

    fn map_from(&self, from: Entry, position: Byte, side: Side) -> Byte {
        let Entry { op, mut old, mut new } = from;
        let mut ops = self.steps.ops[op..].iter();
        while let Some(op) = ops.next() {
            match op {
                Op::Retain(n) => {
                    if position.0 < old + n {
                        return Byte(new + position.0 - old);
                    }
                    old += n;
                    new += n;
                }
                Op::Delete(n) => {
                    if position.0 < old + n && position.0 > old {
                        // Inside deleted text: the replacement, if any, follows.
                        return match ops.next() {
                            Some(Op::Insert(text)) if side == Side::After => Byte(new + text.len()),
                            _ => Byte(new),
                        };
                    }
                    old += n;
                }
                Op::Insert(text) => {
                    if position.0 == old && side == Side::Before {
                        return Byte(new);
                    }
                    new += text.len();
                }
            }
            if position.0 < old {
                return Byte(new);
            }
        }
        Byte(new + position.0.saturating_sub(old))
    }

    /// Whether a position is inside replaced text.
    pub fn is_inside(&self, position: Byte) -> bool {
        self.edits_from(position).find(|edit| edit.old.end > position).is_some_and(|e| e.old.start < position)
    }

    /// Returns the replacements, in order.
    pub fn edits(&self) -> impl Iterator<Item = Edit<'_>> {
        self.edits_since(Entry::default())
    }

    /// Returns the replacements that do not end before a position of the old text.
    pub fn edits_from(&self, position: Byte) -> impl Iterator<Item = Edit<'_>> {
        self.edits_since(self.entry_before(position)).skip_while(move |edit| edit.old.end < position)
    }

    /// Returns the last replacement.
    pub fn last_edit(&self) -> Option<Edit<'_>> {
        let entries = self.index().iter().rev().copied().chain([Entry::default()]);
        entries.into_iter().find_map(|entry| self.edits_since(entry).last())
    }

    fn edits_since(&self, from: Entry) -> impl Iterator<Item = Edit<'_>> {
        let mut ops = self.steps.ops[from.op..].iter().peekable();
        let Entry { mut old, mut new, .. } = from;
        std::iter::from_fn(move || {
            while let Some(Op::Retain(n)) = ops.peek() {
                old += n;
                new += n;
                ops.next();
            }
            let (old_start, new_start, mut text) = (Byte(old), Byte(new), "");
            ops.peek()?;
            if let Some(Op::Delete(n)) = ops.peek() {
                old += n;
                ops.next();
            }
            if let Some(Op::Insert(inserted)) = ops.peek() {
                text = inserted;
                new += inserted.len();
                ops.next();
            }
            Some(Edit { old: old_start..Byte(old), new: new_start..Byte(new), text })
        })
    }
}

/// A replaced range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The range in the old text.
    pub old: Range<Byte>,
    /// The range in the new text.
    pub new: Range<Byte>,
    /// The new content.
    pub text: &'a str,
}

/// Returns the rest of an operation after `taken` bytes.
fn rest_of(op: Op, taken: usize) -> Option<Op> {
    let len = match &op {
        Op::Retain(n) | Op::Delete(n) => *n,
        Op::Insert(text) => text.len(),
    };
    match len.cmp(&taken) {
        Ordering::Greater => Some(match op {
            Op::Retain(n) => Op::Retain(n - taken),
            Op::Delete(n) => Op::Delete(n - taken),
            Op::Insert(text) => Op::Insert(text[taken..].to_string()),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
