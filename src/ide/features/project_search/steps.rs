//! Steps over many files: applied ones, and the one in progress. Must not know how they are applied.

use crate::ide::core::slots::Slot;
use crate::ide::features::file_tree::steps::TreeStep;
use crate::ide::features::project_search::job::{ChangedFile, FilePlan, Plan};
use crate::ide::model::buffers::BufferId;

/// A step over many files.
#[derive(Debug)]
pub struct AppliedStep {
    /// Its number.
    pub number: u64,
    /// The list that it came from.
    pub list: Option<BufferId>,
    /// The files.
    pub files: Vec<ChangedFile>,
    /// Files that were created, renamed and deleted before, in order.
    pub operations: Vec<TreeStep>,
}

/// A step being applied or undone.
#[derive(Debug, Default)]
pub struct RunningStep {
    /// The list and the version of its text; `None` when a step is undone.
    pub list: Option<(BufferId, u64)>,
    /// The list from which the step being undone came.
    pub undone_list: Option<BufferId>,
    /// The changes being undone.
    pub undoing: Vec<ChangedFile>,
    /// The finished changes.
    pub done: Vec<ChangedFile>,
    /// Messages about what was skipped, and why.
    pub skipped: Vec<String>,
    /// Failed undo changes that may be tried again.
    pub retryable: Vec<ChangedFile>,
    /// Files that already had the wanted content.
    pub already_done: Vec<ChangedFile>,
    /// The operations on files to undo after the changes.
    pub operations: Vec<TreeStep>,
    /// Open files to save then: those that were saved before.
    pub saves: Vec<BufferId>,
    /// The files being written, by their index in the plan.
    pub writing: Vec<(usize, FilePlan)>,
}

/// Slot of the feature's state.
pub const REPLACEMENTS: Slot<Replacements> = Slot::new();

/// State of the feature.
#[derive(Debug, Default)]
pub struct Replacements {
    /// The plan that awaits confirmation.
    pub plan: Option<Plan>,
    /// The step in progress.
    pub running: Option<RunningStep>,
    /// Applied steps that can be undone, the last at the end.
    pub applied: Vec<AppliedStep>,
    /// Number of the last of them.
    pub last_number: u64,
}

impl Replacements {
    /// Whether files are being changed.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }
}
