//! Types of a tree's entries, each with a number and its latest entry.

use std::collections::HashMap;

use compact_str::CompactString;

use super::rows::NO_ENTRY;
use crate::session::format::entry;

/// One type.
#[derive(Debug, Clone)]
pub(in crate::session) struct Kind {
    pub(in crate::session) name: CompactString,
    /// Index of its latest entry.
    pub(in crate::session) latest: u32,
    /// Whether its entries determine what a model gets.
    pub(super) affects_context: bool,
}

/// All types.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Kinds {
    all: Vec<Kind>,
    by_name: HashMap<CompactString, u32>,
    /// The number returned last.
    last_number: u32,
}

impl Kinds {
    /// Returns a type by its number.
    pub(super) fn get(&self, number: u32) -> Option<&Kind> {
        self.all.get(number as usize)
    }

    /// Returns a type by its name.
    pub(super) fn find(&self, name: &str) -> Option<&Kind> {
        self.get(*self.by_name.get(name)?)
    }

    /// Returns the number of a type; an unknown one gets a new number.
    fn number_of(&mut self, name: &str) -> u32 {
        // Fast path: nearly all entries are messages.
        if self.get(self.last_number).is_some_and(|before| before.name == name) {
            return self.last_number;
        }
        if let Some(number) = self.by_name.get(name) {
            self.last_number = *number;
            return *number;
        }
        let number = self.all.len() as u32;
        self.by_name.insert(name.into(), number);
        self.all.push(Kind {
            name: name.into(),
            latest: NO_ENTRY,
            affects_context: entry::CONTEXT_KINDS.contains(&name),
        });
        number
    }

    /// Makes an entry the latest of its type; returns the type's number and the previous latest entry.
    pub(super) fn set_latest(&mut self, name: &str, at: u32) -> (u32, u32) {
        let number = self.number_of(name);
        let latest = &mut self.all[number as usize].latest;
        (number, std::mem::replace(latest, at))
    }

    /// Returns all types, in the order of their numbers.
    pub(in crate::session) fn all(&self) -> &[Kind] {
        &self.all
    }

    /// Creates the types from an index with this many entries: names, and indices of the latest.
    pub(in crate::session) fn from_index(kept: impl IntoIterator<Item = (String, u32)>, count: u32) -> Self {
        let mut kinds = Self::default();
        for (name, latest) in kept {
            kinds.set_latest(&name, if latest < count { latest } else { NO_ENTRY });
        }
        kinds
    }
}
