//! Picker of the matches in all conversations; every key restarts the search.

use std::path::PathBuf;

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::history_search;

/// The entry of a conversation that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLocation {
    /// The session's id.
    pub session: String,
    /// Its file.
    pub file: PathBuf,
    /// The entry's id.
    pub entry: String,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "session-search",
    title: "Search sessions",
    footer: "Enter go · file: command: project: role: since:",
    load: |_| RowSource::Live(String::new(), history_search::events::start_search),
    accept: |cx, pick, _| {
        if let Some(EntryLocation { session, file, entry }) = pick.get() {
            history_search::events::open_at(cx, session, file, entry);
        }
    },
    ..PickerSpec::EMPTY
};
