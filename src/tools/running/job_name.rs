//! Names of commands in the background where a family calls them by name: `bash_1`.
//!
//! Must not know any tool.

use std::sync::Arc;

use crate::tools::running::jobs::{Job, Jobs};

/// The name of a number.
pub fn of(number: u64) -> String {
    format!("bash_{number}")
}

/// The job of that name; its number alone is understood, too.
pub fn find(jobs: &Jobs, name: &str) -> Option<Arc<Job>> {
    let name = name.trim();
    jobs.get(name.strip_prefix("bash_").unwrap_or(name).parse().ok()?)
}

/// The names of all.
pub fn known(jobs: &Jobs) -> Vec<String> {
    jobs.list().iter().map(|job| of(job.number)).collect()
}
