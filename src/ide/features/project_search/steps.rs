//! What was changed in many files at once, and what of it is under way. Must not know how it is
//! done.

use crate::ide::core::slots::Slot;
use crate::ide::features::project_search::job::{ChangedFile, FilePlan, Plan};
use crate::ide::model::buffers::BufferId;

/// A step over many files.
#[derive(Debug)]
pub struct AppliedStep {
    /// The list that wanted it.
    pub list: Option<BufferId>,
    /// The files.
    pub files: Vec<ChangedFile>,
}

/// A step that is being made, or taken back.
#[derive(Debug, Default)]
pub struct RunningStep {
    /// The list that wants it and the version of its text; none when one is taken back.
    pub list: Option<(BufferId, u64)>,
    /// The list that had wanted what is taken back.
    pub undone_list: Option<BufferId>,
    /// What is to be taken back.
    pub undoing: Vec<ChangedFile>,
    /// What is done.
    pub done: Vec<ChangedFile>,
    /// What is not, and why, in words.
    pub skipped: Vec<String>,
    /// What could not be taken back and may be tried again.
    pub retryable: Vec<ChangedFile>,
    /// Files that were as wanted already.
    pub already_done: Vec<ChangedFile>,
    /// The files that are being written, by their places in the plan.
    pub writing: Vec<(usize, FilePlan)>,
}

/// Where it is in the state.
pub const REPLACEMENTS: Slot<Replacements> = Slot::new();

/// All of it.
#[derive(Debug, Default)]
pub struct Replacements {
    /// The plan that the user is asked about.
    pub plan: Option<Plan>,
    /// What is being done.
    pub running: Option<RunningStep>,
    /// What was done and can be taken back, the last at the end.
    pub applied: Vec<AppliedStep>,
}

impl Replacements {
    /// Whether files are being changed.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }
}
