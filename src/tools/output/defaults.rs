//! Default limits on tools' texts by family, for tools that do not limit themselves.
//!
//! Must not know any tool. The numbers are those of the loop's specification, sections 5.2 and 5.3.

use super::limits::{Keep, Limits};

/// For file contents.
pub const READ: Limits = Limits { chars: 50_000, keep: Keep::Ends, lines: None };
/// Of text that was found.
pub const GREP: Limits = Limits { chars: 20_000, keep: Keep::Tail, lines: Some(200) };
/// Of files that were found, and of folders.
pub const GLOB: Limits = Limits { chars: 20_000, keep: Keep::Tail, lines: Some(500) };
/// Of edits and patches.
pub const EDIT: Limits = Limits { chars: 10_000, keep: Keep::Tail, lines: None };
/// Of files that were written.
pub const WRITE: Limits = Limits { chars: 1_000, keep: Keep::Tail, lines: None };
