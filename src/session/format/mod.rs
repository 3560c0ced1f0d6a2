//! Entries and lines of a session file, in pi's JSONL version 3.
//!
//! `header` is the first line, `entry` every other one, `body` the content of an entry, `message` and `role`
//! the messages of a conversation. `line_head` scans the beginning of a line without decoding it, `migrate`
//! converts formats 1 and 2, `error` has the errors. Must not know how files are read or written.

#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod entry;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod header;
#[doc(hidden)]
pub mod line_head;
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod migrate;
#[doc(hidden)]
pub mod role;
