//! Where a conversation goes on when its file is opened: behind the last entry, on whatever branch that is. A `custom`
//! entry `bowline.position`, which is not sent to models, keeps the branch that the user moved to without saying
//! anything there. Must not know when a session ends.

use crate::session::Session;
use crate::session::format::body::EntryBody;

/// Type of the `custom` entry that keeps a position.
pub const POSITION_TYPE: &str = "bowline.position";

/// Returns the entry that keeps the position that it is appended at.
pub fn position_entry() -> EntryBody {
    EntryBody::Custom { custom_type: POSITION_TYPE.to_string(), data: None }
}

impl Session {
    /// Whether opening the file would go on elsewhere than this session does. Not for a file that cannot be appended to,
    /// or in an earlier format, which is converted when something is said.
    pub fn opens_elsewhere(&self) -> bool {
        let tree = self.tree();
        if !self.appends_to_file() {
            return false;
        }
        let Some(last) = u32::try_from(tree.len()).ok().and_then(|count| count.checked_sub(1)) else {
            return false;
        };
        // Nothing says "before the first message"; a user who went there has the message in the prompt.
        let Some(leaf) = tree.leaf_index() else { return false };
        let keeps_leaf = || {
            let body = tree.entry(last).body();
            matches!(body, EntryBody::Custom { custom_type, .. } if custom_type == POSITION_TYPE)
                && tree.parent_index(last) == Some(leaf)
        };
        leaf != last && !keeps_leaf()
    }
}
