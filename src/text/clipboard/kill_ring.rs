//! The kill ring: what was cut, newest first, shared by every text field of the program.
//! Must not know where its texts come from.

use std::sync::Arc;

use crate::text::clipboard::content::{Content, ContentShape};

/// Maximum number of entries, as in Emacs.
const CAPACITY: usize = 60;

/// Direction of a kill, which determines where a following one is joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A following kill is appended.
    Forward,
    /// A following kill is prepended.
    Backward,
}

/// Origin of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Killed; such entries are the numbered registers.
    Killed,
    /// Copied, or written to a register.
    Copied,
}

#[derive(Debug, Clone)]
struct Entry {
    content: Content,
    origin: Origin,
}

/// A killed text, with one part per range of the selection.
#[derive(Debug, Clone, Default)]
pub struct KillRing {
    /// Newest last.
    entries: Vec<Entry>,
    /// Whether the next kill joins the newest entry.
    accumulating: bool,
    /// The entry that a yank returns, counted from the newest: the newest after a kill, later the one reached
    /// by yank-pop.
    pointer: usize,
    /// Whether the last command was a yank.
    yanked: bool,
}

impl KillRing {
    /// Adds a killed text. Consecutive kills are joined.
    pub fn kill(&mut self, texts: Vec<String>, direction: Direction) {
        self.yanked = false;
        if texts.iter().all(String::is_empty) {
            // An empty kill, for example at the end of the text, must not break a chain.
            return;
        }
        match self.entries.last_mut() {
            Some(last) if self.accumulating && last.content.texts.len() == texts.len() => {
                for (old, new) in Arc::make_mut(&mut last.content.texts).iter_mut().zip(texts) {
                    match direction {
                        Direction::Forward => old.push_str(&new),
                        Direction::Backward => old.insert_str(0, &new),
                    }
                }
            }
            _ => self.push(Content::new(texts, ContentShape::Chars), Origin::Killed),
        }
        self.accumulating = true;
        self.pointer = 0;
    }

    fn push(&mut self, content: Content, origin: Origin) {
        self.entries.push(Entry { content, origin });
        if self.entries.len() > CAPACITY {
            self.entries.remove(0);
        }
        self.pointer = 0;
    }

    /// Adds a text as a separate entry, which no kill is joined to.
    pub fn push_entry(&mut self, content: Content, origin: Origin) {
        self.interrupt();
        if !content.texts.is_empty() {
            self.push(content, origin);
        }
    }

    /// Returns the newest entry, without moving the pointer.
    pub fn newest(&self) -> Option<Content> {
        self.entries.last().map(|entry| entry.content.clone())
    }

    /// Returns all entries, the newest first.
    pub fn entries(&self) -> impl Iterator<Item = &Content> {
        self.entries.iter().rev().map(|entry| &entry.content)
    }

    /// Returns the entry killed this many kills ago, from 0.
    pub fn nth_kill(&self, ago: usize) -> Option<Content> {
        let killed = self.entries.iter().rev().filter(|entry| entry.origin == Origin::Killed);
        killed.map(|entry| entry.content.clone()).nth(ago)
    }

    /// Adds a copied text as a separate entry.
    pub fn copy(&mut self, texts: Vec<String>) {
        if texts.iter().all(String::is_empty) {
            return self.interrupt();
        }
        self.push_entry(Content::new(texts, ContentShape::Chars), Origin::Copied);
    }

    /// Any command that is neither kill nor yank ends both chains.
    pub fn interrupt(&mut self) {
        self.accumulating = false;
        self.yanked = false;
    }

    /// Returns the newest entry, or the one reached by yank-pop since the last kill.
    pub fn yank(&mut self) -> Option<&[String]> {
        self.accumulating = false;
        let newest = self.entries.len().checked_sub(1)?;
        self.yanked = true;
        Some(&self.entries[newest - self.pointer].content.texts)
    }

    /// Returns the entry before the last yanked one, cyclically; `None` when the last command was not a yank.
    pub fn yank_pop(&mut self) -> Option<&[String]> {
        self.accumulating = false;
        if !self.yanked || self.entries.is_empty() {
            return None;
        }
        self.pointer = (self.pointer + 1) % self.entries.len();
        Some(&self.entries[self.entries.len() - 1 - self.pointer].content.texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Vec<String> {
        vec![text.to_string()]
    }

    #[test]
    fn kill_ring_consecutive_kills_are_joined() {
        let mut ring = KillRing::default();
        ring.kill(one("b"), Direction::Forward);
        ring.kill(one("c"), Direction::Forward);
        ring.kill(one("a"), Direction::Backward);
        assert_eq!(ring.yank(), Some(&one("abc")[..]));
        ring.kill(one("x"), Direction::Forward);
        assert_eq!(ring.yank(), Some(&one("x")[..]), "a yank ends the chain");
    }

    #[test]
    fn kill_ring_empty_kill_is_ignored() {
        let mut ring = KillRing::default();
        ring.kill(one("a"), Direction::Forward);
        ring.kill(one(""), Direction::Forward);
        ring.kill(one("b"), Direction::Forward);
        assert_eq!(ring.yank(), Some(&one("ab")[..]));
        assert_eq!(ring.yank_pop(), Some(&one("ab")[..]), "the only entry comes round");
    }

    #[test]
    fn kill_ring_yank_pop_cycles_only_after_yank() {
        let mut ring = KillRing::default();
        assert_eq!(ring.yank(), None);
        for text in ["a", "b", "c"] {
            ring.interrupt();
            ring.kill(one(text), Direction::Forward);
        }
        assert_eq!(ring.yank_pop(), None);
        assert_eq!(ring.yank(), Some(&one("c")[..]));
        assert_eq!(ring.yank_pop(), Some(&one("b")[..]));
        assert_eq!(ring.yank_pop(), Some(&one("a")[..]));
        assert_eq!(ring.yank_pop(), Some(&one("c")[..]));
        ring.interrupt();
        assert_eq!(ring.yank_pop(), None);
    }

    #[test]
    fn kill_ring_failed_yank_pop_ends_kill_chain() {
        let mut ring = KillRing::default();
        ring.kill(one("a"), Direction::Forward);
        assert_eq!(ring.yank_pop(), None);
        ring.kill(one("b"), Direction::Forward);
        assert_eq!(ring.yank(), Some(&one("b")[..]));
    }

    #[test]
    fn kill_ring_yank_repeats_popped_entry_until_kill() {
        let mut ring = KillRing::default();
        ring.copy(one("a"));
        ring.copy(one("b"));
        assert_eq!(ring.yank(), Some(&one("b")[..]));
        assert_eq!(ring.yank_pop(), Some(&one("a")[..]));
        ring.interrupt();
        assert_eq!(ring.yank(), Some(&one("a")[..]));
        ring.copy(one("c"));
        assert_eq!(ring.yank(), Some(&one("c")[..]));
    }
}
