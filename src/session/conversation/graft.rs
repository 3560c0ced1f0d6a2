//! Adds entries created elsewhere to a session.

use std::path::Path;

use super::{Backing, Session};
use crate::base::clock::{self, SharedClock};
use crate::base::ids::SharedIds;
use crate::session::format::entry::Entry;
use crate::session::format::error::SessionError;
use crate::session::format::header::Header;
use crate::session::store::{self, Store};
use crate::session::usage::totals::UsageTotals;

impl Session {
    /// Creates a session with an existing id, time and folder, in a new file below `root`.
    pub(in crate::session) fn create_with_entries(
        root: &Path,
        (id, began, cwd): (&str, &str, &str),
        parent: Option<&str>,
        entries: Vec<Entry>,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, SessionError> {
        let began = clock::parse_iso8601(began).unwrap_or_else(|| clock.now_ms());
        let file = Backing::Pending(Store::new(store::file_path(root, Path::new(cwd), id, began)));
        let (id, cwd) = (id.to_string(), cwd.to_string());
        let header = match parent {
            Some(parent) => Header::forked(id, began, cwd, Path::new(parent)),
            None => Header::new(id, began, cwd),
        };
        let mut new = Self::empty(header, file, clock, ids);
        let mut entries = entries.into_iter().peekable();
        while let Some(entry) = entries.next() {
            if entries.peek().is_some() {
                new.add_to_memory(entry);
            } else {
                new.write_file(entry, Store::create)?;
            }
        }
        new.sync()?;
        Ok(new)
    }

    /// Adds the entries that are missing, each after its parent, and returns their number.
    pub(in crate::session) fn add_missing(&mut self, entries: Vec<Entry>) -> Result<usize, SessionError> {
        let mut added = 0;
        for entry in entries {
            if !self.tree.contains(entry.id()) {
                self.write(entry, true)?;
                added += 1;
            }
        }
        // They may be parents of existing entries.
        self.usage_totals = UsageTotals::default();
        self.sync()?;
        Ok(added)
    }
}
