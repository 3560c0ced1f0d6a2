//! What a picker is: where its rows come from and what a picked one leads to.

use nucleo::Injector;

use crate::ide::core::context::Cx;
use crate::ide::core::overlay::{Pick, PickRow};
use crate::ide::core::state::State;

/// One picker.
pub struct Row {
    /// Its id.
    pub id: &'static str,
    /// In its frame.
    pub title: &'static str,
    /// What Enter and Tab do, for its footer.
    pub footer: &'static str,
    /// Where its rows come from, and which of them are marked.
    pub load: fn(&State) -> Load,
    /// What a picked row leads to. `marked` is what Tab has marked.
    pub accept: fn(&mut Cx<'_>, pick: &Pick, marked: &[Pick]),
}

/// Where rows come from.
pub enum Load {
    /// They are there; the second list is marked.
    Rows(Vec<PickRow>, Vec<Pick>),
    /// A task brings them: what starts it gets where to put them in, and the picker's number.
    Task(fn(&mut Cx<'_>, Injector<PickRow>, u64)),
    /// A search for the query brings them, a new one after every key. What the query begins with.
    Live(String),
}
