//! Running commands, for every tool that starts some: start, output, end.
//!
//! Must not know any tool's texts. Commands are started only through the environment.

pub mod job_name;
#[doc(hidden)]
pub mod jobs;
pub mod launch;
pub mod messages;
pub mod output_ring;
pub mod report;
pub mod running_command;
pub mod show;
#[cfg(test)]
pub mod tests;
pub mod timeouts;
pub mod wait;
pub mod watched_job;

pub use launch::{LaunchRequest, start};
pub use report::{Frame, LIMITS, report};
pub use running_command::RunningCommand;
pub use wait::{WaitEnd, WaitLimits, wait};
pub use watched_job::{CommandEnd, JobOutput, JobPart, PublishedJobs, PublishedList, WatchedJob};
