//! Names of background commands in a family that uses names: `bash_1`.
//!
//! Must not know any tool.

use std::sync::Arc;

use crate::tools::running::jobs::{Job, Jobs};

/// Returns the name for a number.
pub fn job_name(number: u64) -> String {
    format!("bash_{number}")
}

/// Returns the job with that name; a plain number is accepted, too.
pub fn find(jobs: &Jobs, name: &str) -> Option<Arc<Job>> {
    let name = name.trim();
    jobs.get(name.strip_prefix("bash_").unwrap_or(name).parse().ok()?)
}

/// The names of all.
pub fn known(jobs: &Jobs) -> Vec<String> {
    jobs.list().iter().map(|job| job_name(job.number)).collect()
}
