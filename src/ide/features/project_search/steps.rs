//! What was changed in many files at once, and what of it is under way. Must not know how it is
//! done.

use crate::ide::core::slots::Slot;
use crate::ide::features::project_search::job::{Changed, FilePlan, Plan};
use crate::ide::model::buffers::BufferId;

/// A step over many files.
#[derive(Debug)]
pub struct Applied {
    /// The list that wanted it.
    pub list: Option<BufferId>,
    /// The files.
    pub files: Vec<Changed>,
}

/// A step that is being made, or taken back.
#[derive(Debug, Default)]
pub struct UnderWay {
    /// The list that wants it and the version of its text; none when one is taken back.
    pub list: Option<(BufferId, u64)>,
    /// The list that had wanted what is taken back.
    pub step_of: Option<BufferId>,
    /// What is to be taken back.
    pub taking_back: Vec<Changed>,
    /// What is done.
    pub done: Vec<Changed>,
    /// What is not, and why, in words.
    pub refused: Vec<String>,
    /// What could not be taken back and may be tried again.
    pub left: Vec<Changed>,
    /// Files that were as wanted already.
    pub there: Vec<Changed>,
    /// The files that are being written, by their places in the plan.
    pub writing: Vec<(usize, FilePlan)>,
}

/// Where it is in the state.
pub const LISTS: Slot<Lists> = Slot::new();

/// All of it.
#[derive(Debug, Default)]
pub struct Lists {
    /// The plan that the user is asked about.
    pub plan: Option<Plan>,
    /// What is being done.
    pub under_way: Option<UnderWay>,
    /// What was done and can be taken back, the last at the end.
    pub applied: Vec<Applied>,
}

impl Lists {
    /// Whether files are being changed.
    pub fn is_busy(&self) -> bool {
        self.under_way.is_some()
    }
}
