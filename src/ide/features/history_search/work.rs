//! Work on what was said before, and what comes of it. Plain data.

use std::path::PathBuf;

use nucleo::Injector;

use crate::ide::core::overlay::PickRow;
use crate::session::message::Earlier;

/// What is to be done.
pub enum Work {
    /// Remember a prompt.
    Keep(String),
    /// Take sessions of other programs over, from a file or a folder.
    Import(PathBuf),
    /// Move a session into the trash.
    Delete(PathBuf),
    /// Bring the session back that was deleted last.
    Undelete,
    /// Bring the prompts of the folder, and behind them what was said in the session before the messages that are
    /// here.
    Recall(Option<Earlier>),
    /// Put the prompts of all folders into the picker of this number.
    Prompts(Injector<PickRow>, u64),
    /// Put the places where something stands into the picker of this number, in place of what it was searching
    /// for before.
    Find {
        /// Where rows are put in.
        injector: Injector<PickRow>,
        /// The picker's number.
        picker: u64,
        /// What is searched for.
        text: String,
    },
}

/// What came of it.
#[derive(Debug)]
pub enum Happened {
    /// The prompts of the folder, the oldest first.
    Recalled(Vec<String>),
    /// The places for the picker of this number are there; what of the question says nothing, if anything.
    Looked(u64, Option<String>),
    /// A session was deleted or came back; what is said then.
    Stored(String),
}
