//! The undo tree: its revisions, its stored form, the log of changes since the last save, and undoing one old edit.

pub mod archive;
pub mod change_journal;
pub mod history;
pub mod rebase;
