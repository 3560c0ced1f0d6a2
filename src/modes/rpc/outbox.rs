//! Output queue of RPC mode, in the order in which the client must read it.
//!
//! Must not know the lines. One answer may still be rendered when its position is reserved: later lines wait
//! for it, except streaming ones.

use std::collections::VecDeque;

/// The lines. `None` reserves the position of an answer that is being rendered; there is at most one.
#[derive(Debug, Default)]
pub struct Outbox(VecDeque<Option<String>>);

impl Outbox {
    /// Returns the number of queued lines, which is the position of the next one.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends a line.
    pub fn push(&mut self, line: String) {
        self.0.push_back(Some(line));
    }

    /// Appends lines.
    pub fn extend(&mut self, lines: Vec<String>) {
        self.0.extend(lines.into_iter().map(Some));
    }

    /// Appends a line before the reserved position, if only that precedes it.
    pub fn push_unblocked(&mut self, line: String) {
        let at = self.len() - usize::from(self.0.back().is_some_and(Option::is_none));
        self.0.insert(at, Some(line));
    }

    /// Inserts a line at a position.
    pub fn insert(&mut self, at: usize, line: String) {
        self.0.insert(at, Some(line));
    }

    /// Reserves a position at the end.
    pub fn reserve_slot(&mut self) {
        self.0.push_back(None);
    }

    /// Puts a line at the reserved position.
    pub fn fill_slot(&mut self, line: String) {
        match self.0.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(line),
            None => self.push(line),
        }
    }

    /// Whether the next line is ready.
    pub fn is_ready(&self) -> bool {
        self.0.front().is_some_and(Option::is_some)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns the next line, if it is ready.
    pub fn take(&mut self) -> Option<String> {
        if self.is_ready() { self.0.pop_front().flatten() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(outbox: &mut Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.take()).collect()
    }

    #[test]
    fn rpc_outbox_pending_response_keeps_position() {
        let mut outbox = Outbox::default();
        outbox.push("first".into());
        outbox.reserve_slot();
        outbox.push_unblocked("delta".into());
        assert_eq!(all(&mut outbox), ["first", "delta"]);
        assert!(outbox.is_empty() && outbox.len() == 1);
        outbox.push("change".into());
        outbox.push_unblocked("later delta".into());
        assert_eq!(all(&mut outbox), [""; 0]);
        assert!(!outbox.is_empty());
        outbox.fill_slot("answer".into());
        assert_eq!(all(&mut outbox), ["answer", "change", "later delta"]);
    }

    #[test]
    fn rpc_outbox_insert_before_queued_lines() {
        let mut outbox = Outbox::default();
        outbox.push("old".into());
        let begun = outbox.len();
        outbox.push("begun".into());
        outbox.insert(begun, "answer".into());
        assert_eq!(all(&mut outbox), ["old", "answer", "begun"]);
    }
}
