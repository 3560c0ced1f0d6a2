//! What waits to be written, in the order in which it is to be read.
//!
//! Must not know what the lines say. One answer may still be made when it gets its place: what comes behind waits
//! for it, but for what only streams.

use std::collections::VecDeque;

/// The lines. `None` is the place of an answer that is being made; there is one at most.
#[derive(Debug, Default)]
pub struct Outbox(VecDeque<Option<String>>);

impl Outbox {
    /// How many wait, which is the place of the next one.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts a line behind all others.
    pub fn push(&mut self, line: String) {
        self.0.push_back(Some(line));
    }

    /// Puts lines behind all others.
    pub fn extend(&mut self, lines: Vec<String>) {
        self.0.extend(lines.into_iter().map(Some));
    }

    /// Puts a line behind all others; an answer that is being made does not hold it up unless they wait for that.
    pub fn push_past(&mut self, line: String) {
        let at = self.len() - usize::from(self.0.back().is_some_and(Option::is_none));
        self.0.insert(at, Some(line));
    }

    /// Puts a line before the one at a place.
    pub fn insert(&mut self, at: usize, line: String) {
        self.0.insert(at, Some(line));
    }

    /// Keeps a place behind all others.
    pub fn keep_place(&mut self) {
        self.0.push_back(None);
    }

    /// Puts a line at the place that was kept.
    pub fn fill(&mut self, line: String) {
        match self.0.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(line),
            None => self.push(line),
        }
    }

    /// Whether the next line is there.
    pub fn is_ready(&self) -> bool {
        self.0.front().is_some_and(Option::is_some)
    }

    /// Whether no line waits.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The next line, if it is there.
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
        outbox.keep_place();
        outbox.push_past("delta".into());
        assert_eq!(all(&mut outbox), ["first", "delta"]);
        assert!(outbox.is_empty() && outbox.len() == 1);
        outbox.push("change".into());
        outbox.push_past("later delta".into());
        assert_eq!(all(&mut outbox), [""; 0]);
        assert!(!outbox.is_empty());
        outbox.fill("answer".into());
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
