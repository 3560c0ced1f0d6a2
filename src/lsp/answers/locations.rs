//! Locations in files: definitions, references and their like.

use std::path::PathBuf;

use gen_lsp_types as types;
use serde_json::Value;

use crate::lsp::answers::list::as_list;
use crate::lsp::position::Range;
use crate::lsp::uri;

/// Maximum number of locations of an answer.
pub const LOCATIONS_MAX: usize = 10_000;

/// A range of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// What to select in it: the name of what is defined, not its whole text.
    pub range: Range,
}

/// Decodes the answer: one location, several, or links. Returns each once, in the server's order, and how many were
/// left out because they are no files or of another shape.
pub fn decode(answer: Value) -> (Vec<Location>, usize) {
    let list = as_list(answer);
    let count = list.len();
    let mut found: Vec<Location> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut understood = 0;
    for location in list.into_iter().take(LOCATIONS_MAX).filter_map(one) {
        understood += 1;
        if known.insert(location.clone()) {
            found.push(location);
        }
    }
    (found, count - understood)
}

fn one(item: Value) -> Option<Location> {
    let (address, range) = if item.get("targetUri").is_some() {
        let link: types::LocationLink = serde_json::from_value(item).ok()?;
        (link.target_uri, link.target_selection_range)
    } else {
        let location: types::Location = serde_json::from_value(item).ok()?;
        (location.uri, location.range)
    };
    Some(Location { path: uri::to_path(address.as_ref())?, range: range.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 1 }, "end": { "line": line, "character": 2 } })
    }

    #[test]
    fn locations_of_all_forms_are_read_once_each() {
        let plain = json!({ "uri": "file:///a.rs", "range": range(1) });
        let link =
            json!({ "targetUri": "file:///b.rs", "targetRange": range(0), "targetSelectionRange": range(2) });
        let (one, lost) = decode(plain.clone());
        assert_eq!((one.len(), lost), (1, 0));
        let (found, lost) =
            decode(json!([plain.clone(), link, plain, { "uri": "jdt://x", "range": range(1) }, 4]));
        let short: Vec<_> = found.iter().map(|at| (at.path.to_str().unwrap(), at.range.start.line)).collect();
        assert_eq!((short, lost), (vec![("/a.rs", 1), ("/b.rs", 2)], 2));
        assert_eq!(decode(Value::Null), (Vec::new(), 0));
    }
}
