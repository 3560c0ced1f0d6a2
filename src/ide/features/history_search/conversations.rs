//! Picker of the matches in all conversations; every key restarts the search.

use std::path::{Path, PathBuf};

use crate::ide::core::layers::picker::{Pick, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::history_search;
use crate::ide::features::sessions::picker::on_thread_or_problem;
use crate::runtime::history::previews;

/// The entry of a conversation that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLocation {
    /// The session's id.
    pub session: String,
    /// Its file.
    pub file: PathBuf,
    /// The entry's id.
    pub entry: String,
    /// The letters of the row's text that match, as indices of graphemes, sorted.
    pub letters: Vec<u32>,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "session-search",
    title: "Search sessions",
    footer: "Enter go · file: command: project: role: since:",
    load: |_| RowSource::Live(String::new(), history_search::events::start_search),
    preview: Some(found_entry),
    has_places: false,
    letters: Some(|_, row| row.pick.get().map_or_else(Vec::new, |hit: &EntryLocation| hit.letters.clone())),
    // In a narrow list the words that match are more use than who said them.
    keeps_text: true,
    placeholder: "Type to search all sessions",
    accept: |cx, pick, _| {
        if let Some(EntryLocation { session, file, entry, .. }) = pick.get() {
            history_search::events::open_at(cx, session, file, entry);
        }
    },
    ..PickerSpec::EMPTY
};

/// Between the entry and the file in the key of a preview.
const SEPARATOR: char = '\u{1f}';

/// Returns what is shown beside a hit: the entry. The conversation stays where it is.
fn found_entry(_: &State, pick: &Pick) -> Option<PreviewTarget> {
    let EntryLocation { file, entry, .. } = pick.get()?;
    let key = format!("{entry}{SEPARATOR}{}", file.to_str()?);
    Some(PreviewTarget::made("session.md", key, |_, key| {
        Box::pin(on_thread_or_problem(move || {
            let (entry, file) = key.split_once(SEPARATOR).unwrap_or_default();
            previews::entry(Path::new(file), entry)
        }))
    }))
}
