//! Lazily created entries with stable addresses.
//!
//! Must not know how they are created.

use std::sync::OnceLock;

use crate::session::format::entry::Entry;

/// Entries per group.
const GROUP_SIZE: usize = 256;

type Slot = OnceLock<Box<Entry>>;

/// A slot for each entry of a tree.
#[derive(Default)]
pub(super) struct Slots(Vec<OnceLock<Box<[Slot]>>>);

fn empty_group() -> Box<[Slot]> {
    (0..GROUP_SIZE).map(|_| Slot::new()).collect()
}

impl Slots {
    /// Grows to this many slots.
    pub(super) fn grow(&mut self, count: usize) {
        let groups = count.div_ceil(GROUP_SIZE);
        if groups > self.0.len() {
            self.0.resize_with(groups, OnceLock::new);
        }
    }

    /// Returns the entry in a valid slot, creating it if needed.
    pub(super) fn get_or(&self, at: u32, make: impl FnOnce() -> Entry) -> &Entry {
        let together = self.0[at as usize / GROUP_SIZE].get_or_init(empty_group);
        together[at as usize % GROUP_SIZE].get_or_init(|| Box::new(make()))
    }

    /// Copies the created entries that cannot be created again.
    pub(super) fn copy(&self, keep: impl Fn(&Entry) -> Option<Entry>) -> Self {
        let of = |slot: &Slot| slot.get().and_then(|entry| keep(entry)).map(Box::new);
        let groups = self.0.iter().map(|together| {
            let Some(slots) = together.get() else { return OnceLock::new() };
            let kept: Box<[Slot]> =
                slots.iter().map(|slot| of(slot).map_or_else(Slot::new, Slot::from)).collect();
            // A group without entries needs no memory.
            if kept.iter().any(|slot| slot.get().is_some()) { OnceLock::from(kept) } else { OnceLock::new() }
        });
        Self(groups.collect())
    }

    /// Returns the number of created entries.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        let slots = self.0.iter().filter_map(OnceLock::get).flatten();
        slots.filter(|slot| slot.get().is_some()).count()
    }

    /// Returns the entry in a slot, if it was created.
    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut Entry> {
        let together = self.0.get_mut(at as usize / GROUP_SIZE)?.get_mut()?;
        together.get_mut(at as usize % GROUP_SIZE)?.get_mut().map(|entry| &mut **entry)
    }
}
