//! What is asked of the session about its tree and for other sessions, and what comes of it. Plain data.

use std::collections::HashSet;

use nucleo::Injector;

use crate::ide::core::overlay::PickRow;
use crate::runtime::Summary;
use crate::runtime::moving::{Change, Moved, Spot};
use crate::session::outline::turn::Turn;
use crate::session::outline::{Filter, Outline};

/// What is asked of the session. The number is that of the view that asks.
pub enum Work {
    /// Its tree.
    Outline(u64, Filter),
    /// What entries say.
    Words(u64, Vec<String>),
    /// The turn of an entry.
    Turn(u64, String),
    /// Which of the entries of this filter say this.
    Search(u64, String, Filter),
    /// Give an entry a label, or take it away.
    Label(u64, String, Option<String>),
    /// Go somewhere else in it, perhaps with a summary of what is left.
    Go(Spot, Summary),
    /// Put another text in place of the summary that counts.
    Summary(String),
    /// Go on with another one.
    Replace(Change),
    /// Call it so.
    Name(String),
    /// Put all sessions into the picker of this number: those of this folder, or of every one.
    List(Injector<PickRow>, u64, bool),
}

/// What comes of it.
pub enum Told {
    /// The tree.
    Outline(u64, Box<Outline>),
    /// What entries say.
    Words(u64, Vec<(String, String)>),
    /// The turn of an entry.
    Turn(u64, String, Option<Box<Turn>>),
    /// Which entries say this.
    Found(u64, String, HashSet<String>),
    /// The label of an entry is another one.
    Labelled(u64),
    /// The session has this name.
    Named(String),
    /// The conversation is somewhere else, or could not be brought there; what is said then.
    Moved(Moved, &'static str),
}
