//! What of a session goes into a new one. Pure.

use std::collections::HashMap;
use std::io;

use super::body::EntryBody;
use super::entry::Entry;

/// The names of entries, by their ids: of each the latest in the order of the file.
pub(super) fn labels<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> HashMap<String, String> {
    let mut labels = HashMap::new();
    for entry in entries.into_iter().filter(|entry| entry.kind() == "label") {
        match entry.body() {
            EntryBody::Label { target_id, label: Some(label) } => {
                labels.insert(target_id, label);
            }
            EntryBody::Label { target_id, label: None } => {
                labels.remove(&target_id);
            }
            _ => {}
        }
    }
    labels
}

/// A branch as a session of its own: without the entries that name others, since those stand where they
/// were made and not at what they name. What followed one follows what was before it.
pub(super) fn branch(path: &[&Entry]) -> io::Result<Vec<Entry>> {
    let mut kept: Vec<Entry> = Vec::with_capacity(path.len());
    for entry in path.iter().filter(|entry| entry.kind() != "label") {
        let parent = kept.last().map(|before| before.id().to_string());
        kept.push(entry.behind(parent.as_deref())?);
    }
    Ok(kept)
}
