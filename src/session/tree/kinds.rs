//! The kinds of a tree's entries, each with a number and its latest entry.

use std::collections::HashMap;

use compact_str::CompactString;

use super::rows::NOBODY;
use crate::session::format::entry;

/// One kind.
#[derive(Debug, Clone)]
pub(in crate::session) struct Kind {
    pub(in crate::session) name: CompactString,
    /// The place of its latest entry.
    pub(in crate::session) latest: u32,
    /// Whether its entries steer what a model is told.
    pub(super) steers: bool,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Kinds {
    all: Vec<Kind>,
    by_name: HashMap<CompactString, u32>,
    /// The number that was asked for last.
    before: u32,
}

impl Kinds {
    /// A kind by its number.
    pub(super) fn get(&self, number: u32) -> Option<&Kind> {
        self.all.get(number as usize)
    }

    /// A kind by its name.
    pub(super) fn named(&self, name: &str) -> Option<&Kind> {
        self.get(*self.by_name.get(name)?)
    }

    /// The number of a kind, which is a new one where it was not seen before.
    fn number(&mut self, name: &str) -> u32 {
        // Nearly all of a session are messages.
        if self.get(self.before).is_some_and(|before| before.name == name) {
            return self.before;
        }
        if let Some(number) = self.by_name.get(name) {
            self.before = *number;
            return *number;
        }
        let number = self.all.len() as u32;
        self.by_name.insert(name.into(), number);
        self.all.push(Kind { name: name.into(), latest: NOBODY, steers: entry::STEERING.contains(&name) });
        number
    }

    /// Makes an entry the latest of its kind; gives the number of the kind and the one that was the latest.
    pub(super) fn take(&mut self, name: &str, at: u32) -> (u32, u32) {
        let number = self.number(name);
        let latest = &mut self.all[number as usize].latest;
        (number, std::mem::replace(latest, at))
    }

    /// All, in the order of their numbers.
    pub(in crate::session) fn all(&self) -> &[Kind] {
        &self.all
    }

    /// Those that were kept of so many entries: names, and places of the latest.
    pub(in crate::session) fn of(kept: impl IntoIterator<Item = (String, u32)>, count: u32) -> Self {
        let mut kinds = Self::default();
        for (name, latest) in kept {
            kinds.take(&name, if latest < count { latest } else { NOBODY });
        }
        kinds
    }
}
