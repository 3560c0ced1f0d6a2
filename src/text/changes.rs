//! A change of a text as a value: it can be applied, inverted, composed with a later one, and
//! can map positions. Must not know who made it or when.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ropey::RopeBuilder;

use super::position::Byte;
use super::rope::Text;

/// So few steps are made one by one, whatever the text.
const FEW_OPS: usize = 64;
/// One step in a rope costs as much as copying about so many bytes: with more steps than that a
/// text is put together anew.
const BYTES_PER_OP: usize = 2048;

/// One step through the old text. Lengths in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Op {
    Retain(usize),
    Delete(usize),
    Insert(String),
}

/// Which way a position goes when text is inserted exactly there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Stays before the new text.
    Before,
    /// Goes behind it.
    After,
}

/// A change of a text of one certain length. A clone shares the steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSet {
    steps: Arc<Steps>,
    len_before: usize,
    len_after: usize,
}

/// The steps of a change, and a way into their middle.
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

/// A step that keeps text, and where it begins.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    op: usize,
    old: usize,
    new: usize,
}

/// There is a way in at about every so many steps.
const ENTRY_EVERY: usize = 16;

/// A change while it is made.
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

    /// A deletion stands before an insertion at the same place, always: then equal changes are
    /// equal values, and a replaced range is one deletion followed by one insertion.
    fn delete(&mut self, n: usize) {
        self.len_before += n;
        let place = self.ops.len() - usize::from(matches!(self.ops.last(), Some(Op::Insert(_))));
        match place.checked_sub(1).map(|at| &mut self.ops[at]) {
            _ if n == 0 => {}
            Some(Op::Delete(last)) => *last += n,
            _ => self.ops.insert(place, Op::Delete(n)),
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
    /// Changes nothing in a text of `len` bytes.
    pub fn identity(len: usize) -> Self {
        let mut changes = Builder::default();
        changes.retain(len);
        changes.finish()
    }

    /// Replaces ranges of a text of `len` bytes. The ranges are sorted and do not overlap;
    /// they may touch.
    pub fn replace(len: usize, edits: impl IntoIterator<Item = (Range<Byte>, String)>) -> Self {
        let mut changes = Builder::default();
        let mut at = 0;
        for (range, text) in edits {
            debug_assert!(range.start.0 >= at && range.end >= range.start, "edits are sorted");
            changes.retain(range.start.0 - at);
            // Deletion first: then an undo puts the cursor where the old text was.
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

    /// Length of the text that comes out, in bytes.
    pub fn len_after(&self) -> usize {
        self.len_after
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.steps.ops.iter().all(|op| matches!(op, Op::Retain(_)))
    }

    /// Whether a text is put together anew rather than changed step by step.
    pub fn is_extensive(&self) -> bool {
        let ops = self.steps.ops.len();
        ops > FEW_OPS && ops * BYTES_PER_OP > self.len_before
    }

    /// Changes a text in place. The text must be of the length that this was made for.
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

    /// The changed text put together anew, from the pieces that stay and those that come.
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

    /// The change that takes this one back; `original` is the text before it.
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

    /// This change and then `next`, as one.
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

    /// The last way into the steps that lies before a position of the old text.
    fn entry_before(&self, position: Byte) -> Entry {
        let index = self.index();
        let next = index.partition_point(|entry| entry.old < position.0);
        next.checked_sub(1).map_or(Entry::default(), |at| index[at])
    }

    /// Ways into the middle of the steps, in order. Looked for once; of few steps there are none.
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

    /// Does now what the first look at a place in the middle would do.
    pub fn prepare(&self) {
        self.index();
    }

    /// Where a position of the old text is in the new one. Costs the logarithm of the number of
    /// edits, once that was asked for the first time.
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
                        // Inside what is gone: the text that replaces it, if any, follows.
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

    /// Whether a position is in the middle of what was replaced.
    pub fn is_inside(&self, position: Byte) -> bool {
        self.edits_from(position).find(|edit| edit.old.end > position).is_some_and(|e| e.old.start < position)
    }

    /// What it replaces by what, in order.
    pub fn edits(&self) -> impl Iterator<Item = Edit<'_>> {
        self.edits_since(Entry::default())
    }

    /// The same without those that end before a position of the old text.
    pub fn edits_from(&self, position: Byte) -> impl Iterator<Item = Edit<'_>> {
        self.edits_since(self.entry_before(position)).skip_while(move |edit| edit.old.end < position)
    }

    /// The last one.
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

/// One replaced range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'a> {
    /// What it was in the old text.
    pub old: Range<Byte>,
    /// What it is in the new text.
    pub new: Range<Byte>,
    /// The new content.
    pub text: &'a str,
}

/// What is left of an operation after `taken` bytes of it.
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
